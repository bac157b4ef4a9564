import io
import json
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.cli.values import pairs, read_object, read_text
from skills2_nb.errors import UnreadableError


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("a=1", 1),
        ("a=1.5", 1.5),
        ("a=[1, 2]", [1, 2]),
        ('a={"b": null}', {"b": None}),
        ("a=true", True),
        ("a=True", "True"),
        ('a="1"', "1"),
        ("a=1997-03", "1997-03"),
        ("a=data/log.csv", "data/log.csv"),
        ("a=b=c", "b=c"),
        ("a=", ""),
        ("a=NaN", "NaN"),
        ("a=-Infinity", "-Infinity"),
        ("a=007", "007"),
        ("a=" + "[" * 100_000, "[" * 100_000),
    ],
)
def test_a_pair_is_json_where_it_is_json(word, value):
    assert pairs([word]) == {"a": value}


@given(st.text())
def test_any_text_comes_through_as_a_json_string(text):
    assert pairs([f"key={json.dumps(text)}"]) == {"key": text}


def test_a_file_may_begin_with_a_mark_and_end_lines_as_windows_does(tmp_path):
    path = tmp_path / "inputs.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n"a": 1}')
    assert read_object(str(path)) == {"a": 1}


def test_stdin(monkeypatch):
    brought = SimpleNamespace(buffer=io.BytesIO("grün".encode()))
    monkeypatch.setattr(sys, "stdin", brought)
    assert read_text("-") == "grün"


@pytest.mark.parametrize(
    ("text", "kind"), [("[]", "list"), ('"x"', "text"), ("3", "number"), ("null", "null"),
                       ("true", "truth value")],
)  # fmt: skip
def test_what_is_no_object_is_named(text, kind, tmp_path):
    path = tmp_path / "inputs.json"
    path.write_text(text)
    with pytest.raises(UnreadableError, match=f"holds a JSON {kind}; inputs are an object"):
        read_object(str(path))
