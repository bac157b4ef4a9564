import io
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.cli.values import pairs, read_object, read_text
from skills2_nb.errors import UnreadableError


@pytest.mark.parametrize(
    ("word", "text"), [("a=1", "1"), ("a=b=c", "b=c"), ("a=", ""), ("a==", "="), ('a="1"', '"1"')]
)
def test_a_pair_is_a_key_and_a_text(word, text):
    assert pairs([word]) == {"a": text}


@given(st.text())
def test_any_text_comes_through(text):
    assert pairs([f"key={text}"]) == {"key": text}


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
