"""Where members and elements stand."""

import json

from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.formats.json_spans import elements, members, skip

values = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
indents = st.sampled_from([None, 0, 2, "\t"])


@given(st.dictionaries(st.text(max_size=4), values), indents, st.text(" \n\t\r", max_size=3))
def test_members_are_cut_as_they_stand(value, indent, before):
    text = before + json.dumps(value, indent=indent)
    found = list(members(text, 0))
    assert [member.key for member in found] == list(value)
    assert [json.loads(text[m.at : text.index(":", m.at + len(json.dumps(m.key)))])
            for m in found] == list(value)  # fmt: skip
    assert [json.loads(text[m.begin : m.end]) for m in found] == list(value.values())


@given(st.lists(values), indents)
def test_elements_are_cut_as_they_stand(value, indent):
    text = json.dumps(value, indent=indent)
    assert [json.loads(text[begin:end]) for begin, end in elements(text, 0)] == value


def test_a_key_that_stands_twice_is_there_twice():
    assert [m.key for m in members('{"a": 1, "\\u0061": 2}', 0)] == ["a", "a"]


def test_skip_stops_at_what_is_no_blank():
    assert [skip(" \t\r\n x", place) for place in (0, 4, 5, 6)] == [5, 5, 5, 6]
