"""An entry put into a JSON text and taken out: nothing else moves."""

import json

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from skills2_nb.install.layout import FaultyError
from skills2_nb.install.settings import (
    ABSENT,
    Slot,
    Trace,
    fresh,
    overwrite,
    put,
    take,
    value_of,
)

SLOT = Slot("mcpServers", "skills2")
VALUE = {"type": "stdio", "command": "/opt/ü/skills2", "args": ["serve"]}

blanks = st.text(alphabet=" \t\r\n", max_size=4)
keys = st.sampled_from(["mcpServers", "skills2", "a", "a\\u0062", "\\ud83d", "ключ", ""]) | st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\'), max_size=4
)
scalars = st.sampled_from(
    ["1", "-0", "1.50", "1e400", "123456789012345678901234567890", "true", "null", '""',
     '"\\u00e9\\/"', '"{\\"mcpServers\\": {}}"', '"//"', '"é"']
)  # fmt: skip


@st.composite
def objects(draw, values):
    """The text of an object: any blanks, any order, the same key twice."""
    pairs = draw(st.lists(st.tuples(keys, values), max_size=3))
    gap = lambda: draw(blanks)  # noqa: E731
    inside = ",".join(f'{gap()}"{key}"{gap()}:{gap()}{value}{gap()}' for key, value in pairs)
    return "{" + (inside or gap()) + "}"


@st.composite
def arrays(draw, values):
    items = draw(st.lists(values, max_size=3))
    return "[" + (",".join(draw(blanks) + item + draw(blanks) for item in items)) + "]"


values = st.recursive(scalars, lambda inner: objects(inner) | arrays(inner), max_leaves=8)
indents = st.sampled_from([None, 1, 2, 4, "\t"])
texts = st.builds(lambda a, o, b: a + o + b, blanks, objects(values), blanks) | st.builds(
    lambda value, indent, ends, tail: json.dumps(value, indent=indent).replace("\n", ends) + tail,
    st.fixed_dictionaries(
        {"numStartups": st.integers()},
        optional={
            "mcpServers": st.dictionaries(
                st.text(max_size=3).filter(lambda key: key != "skills2"),
                st.dictionaries(st.text(max_size=3), st.text() | st.integers(), max_size=2),
                max_size=3,
            ),
            "projects": st.dictionaries(st.text(max_size=3), st.just({"mcpServers": {}})),
        },
    ),
    indents,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\r\n", "\n\n"]),
)


def is_free(text):
    try:
        return value_of(text, SLOT) is ABSENT
    except FaultyError:
        return False


@given(texts)
@example("{}")
@example("{ }\n")
@example('{"mcpServers":{}}')
@example('{\n  "mcpServers": {\n  }\n}')
@example('{"mcpServers": {"skills2x": 1}}')
def test_in_and_out_is_as_before_and_in_is_all_there_was_and_the_entry(text):
    assume(is_free(text))
    after, trace = put(text, SLOT, VALUE)
    assert value_of(after, SLOT) == VALUE
    assert take(after, SLOT, trace) == text
    at = after.index(trace.added)
    assert trace.added and after.replace(trace.added, "", 1) == text
    assert text.startswith(after[:at])
    plain = json.loads(text)
    plain.setdefault("mcpServers", {})["skills2"] = VALUE
    assert json.loads(after) == plain


@given(texts, st.sampled_from(["other", "zz"]))
def test_what_others_add_and_reformat_afterwards_stays(text, name):
    """As Claude Code does: it writes the whole file anew."""
    assume(is_free(text) and "e400" not in text)
    after, trace = put(text, SLOT, VALUE)
    value = json.loads(after)
    value["mcpServers"][name] = {"command": "x"}
    left = take(json.dumps(value, indent=2), SLOT, trace)
    del value["mcpServers"]["skills2"]
    assert json.loads(left) == value


@given(texts)
def test_an_object_that_was_made_for_the_entry_goes_with_it_after_a_reformat(text):
    assume(is_free(text) and "e400" not in text)
    after, trace = put(text, SLOT, VALUE)
    left = take(json.dumps(json.loads(after)), SLOT, trace)
    assert json.loads(left) == json.loads(text)


@given(texts)
def test_another_value_goes_where_the_first_stood(text):
    assume(is_free(text))
    first, trace = put(text, SLOT, VALUE)
    second, trace = overwrite(first, SLOT, {"command": "y"}, trace)
    assert value_of(second, SLOT) == {"command": "y"}
    assert take(second, SLOT, trace) == text


@given(texts, values)
def test_somebodys_value_that_was_overwritten_comes_back(text, foreign):
    assume(is_free(text))
    marked, _ = put(text, SLOT, VALUE)
    theirs = marked.replace(json.dumps(VALUE), foreign)
    assume(value_of(theirs, SLOT) != VALUE)
    ours, trace = overwrite(theirs, SLOT, VALUE, None)
    assert value_of(ours, SLOT) == VALUE
    assert take(ours, SLOT, trace) == theirs


LAYOUTS = [
    # before, after; E stands for the entry on one line
    ("{}", '{\n  "m": {\n    "s": {\n      "a": [\n        1\n      ]\n    }\n  }\n}'),
    ('{"x":1}', '{"x":1,"m":{"s":{"a":[1]}}}'),
    ('{"x": 1}', '{"x": 1, "m": {"s": {"a": [1]}}}'),
    ('{"m": {}}', '{"m": {"s": {"a": [1]}}}'),
    (
        '{\n\t"m": {}\n}\n',
        '{\n\t"m": {\n\t\t"s": {\n\t\t\t"a": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t}\n}\n',
    ),
    (
        '{\r\n    "m": {\r\n        "o": 2\r\n    }\r\n}',
        '{\r\n    "m": {\r\n        "o": 2,\r\n        "s": {\r\n            "a": [\r\n'
        '                1\r\n            ]\r\n        }\r\n    }\r\n}',
    ),
    ("\n", '\n{\n  "m": {\n    "s": {\n      "a": [\n        1\n      ]\n    }\n  }\n}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_it_is_written_in_the_style_that_is_there(before, after):
    assert put(before, Slot("m", "s"), {"a": [1]})[0] == after


FAULTS = [
    ('{\n  // mine\n  "a": 1\n}', 2, "comments"),
    ('{"a": 1 /* mine */}', 1, "comments"),
    ('{\n  "a": 1,\n}', 3, "a comma stands before the end"),
    ('{"a": [1,]}', 1, "a comma stands before the end"),
    ('{"a": 1', 1, "no JSON"),
    ('{"a": NaN}', 1, "NaN"),
    ("{'a': 1}", 1, "no JSON"),
    ("[]", 1, "no object"),
    ('"text"', 1, "no object"),
    ('{"a": 1} {}', 1, "no JSON"),
    ('{"mcpServers": []}', 1, "is no object"),
    ('{\n"mcpServers": null}', 2, "is no object"),
    ('{"mcpServers": {},\n"mcpServers": {}}', 2, "twice"),
    ('{"mcpServers": {"skills2": 1,\n\n"\\u0073kills2": 2}}', 3, "twice"),
    ("[" * 200_000, 1, "no JSON"),
]


@pytest.mark.parametrize(("text", "line", "why"), FAULTS, ids=lambda part: str(part)[:20])
def test_what_cannot_be_changed_safely_is_refused_with_its_line(text, line, why):
    with pytest.raises(FaultyError, match=why) as caught:
        put(text, SLOT, VALUE)
    assert caught.value.line == line


def test_a_file_that_was_made_for_the_entry_goes_with_it():
    text = fresh(SLOT, VALUE)
    trace = Trace("file", text)
    assert take(text, SLOT, trace) is None
    assert take(json.dumps(json.loads(text)), SLOT, trace) is None
    kept, _ = put(text, Slot("mcpServers", "other"), {})
    assert json.loads(take(kept, SLOT, trace)) == {"mcpServers": {"other": {}}}


def test_an_entry_that_is_gone_already_leaves_the_text_alone():
    assert take('{"a": 1}', SLOT, Trace("container", "x")) == '{"a": 1}'
