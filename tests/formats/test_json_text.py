import json

import pytest

from skills2_nb.formats.json_text import DuplicateKeyError, read, storable

LONG = "9" * 5000


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '[{"b": {"a": 1, "c": 2, "a": 1}}]'])
@pytest.mark.parametrize("lenient", [True, False])
def test_a_key_that_stands_twice_is_named(text, lenient):
    with pytest.raises(DuplicateKeyError, match="the key 'a' stands twice"):
        read(text, lenient=lenient)


def test_what_python_writes_and_json_has_not_is_taken_only_where_asked():
    assert read(f"[NaN, -Infinity, {LONG}]", lenient=True)[2] == LONG
    for text in ("NaN", "[-Infinity]", LONG):
        with pytest.raises(ValueError, match=r"no JSON number|limit"):
            read(text)


def test_what_is_no_json_says_where():
    for lenient in (True, False):
        with pytest.raises(json.JSONDecodeError) as error:
            read('{"a":\n}', lenient=lenient)
        assert error.value.lineno == 2


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": [1, 2.5, None, "é🙂"]}, ""),
        ("\ud800", "half a character"),
        ({"\udfff": 1}, "half a character"),
        ([float("inf")], "no form"),
        ([float("nan")], "no form"),
        ({1, 2}, "no form"),
    ],
)
def test_what_can_be_stored(value, why):
    assert why in storable(value)
    assert bool(storable(value)) is bool(why)


def test_what_is_nested_too_deeply_cannot_be_stored():
    value = []
    for _ in range(100_000):
        value = [value]
    assert "deeply" in storable(value)
