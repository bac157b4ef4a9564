"""Where two texts differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.install.hunk import hunk, hunks, shared

lines = st.lists(st.sampled_from(["{", "}", "},", '"a": 1', ""]), max_size=8)


@given(st.text("ab"), st.text("ab"))
def test_what_both_begin_with(one, other):
    count = shared(one, other)
    assert one[:count] == other[:count]
    assert one[count : count + 1] != other[count : count + 1] or count == len(one) == len(other)


@given(lines, lines)
def test_the_hunk_makes_the_one_text_of_the_other(old, new):
    before, after = "\n".join(old), "\n".join(new)
    made = hunk(before.encode(), after.encode())
    have = before.split("\n")
    have[made.line - 1 : made.line - 1 + len(made.old)] = made.new
    assert "\n".join(have).rstrip("\n") == after.rstrip("\n")
    assert len(made.lines) <= len(before.split("\n")) + len(after.split("\n"))


def test_an_entry_at_the_end_is_shown_whole():
    before = b'{\n  "a": {\n    "x": 1\n  }\n}\n'
    made = hunk(before, before.replace(b"  }\n", b'  },\n  "b": {\n  }\n'))
    assert made.old == ("  }",)
    assert made.new == ("  },", '  "b": {', "  }")
    assert made.unified() == (
        '@@ -3,3 +3,5 @@\n     "x": …\n-  }\n+  },\n+  "b": {\n+  }\n }\n'
    )  # fmt: skip


def test_an_entry_in_the_middle_takes_no_neighbour_along():
    before = '{\n  "git": {},\n  "skills2": {\n    "x": 1\n  },\n  "some": {\n  }\n}\n'
    after = '{\n  "git": {},\n  "some": {\n  }\n}\n'
    made = hunk(before.encode(), after.encode())
    assert (made.old, made.new) == (('  "skills2": {', '    "x": 1', "  },"), ())


@pytest.mark.parametrize(
    ("before", "after", "head"),
    [
        (None, "{\n}\n", "@@ -0,0 +1,2 @@"),
        ("{}\n", "{\n}\n", "@@ -1,1 +1,2 @@"),
        ("a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@"),
        ("{\n}\n", None, "@@ -1,2 +0,0 @@"),
    ],
)
def test_the_headings_are_those_of_diff(before, after, head):
    texts = (text and text.encode() for text in (before, after))
    assert hunk(*texts).unified().splitlines()[0] == head


@given(lines, lines)
def test_the_hunks_one_after_the_other_make_the_one_text_of_the_other(old, new):
    before, after = "\n".join(old * 3), "\n".join([*old, *new, *old])
    have = before.split("\n")
    for made in hunks(before.encode(), after.encode()):
        at = made.line - 1 + made.ahead
        assert tuple(have[at : at + len(made.old)]) == made.old
        have[at : at + len(made.old)] = made.new
    assert "\n".join(have).rstrip("\n") == after.rstrip("\n")


def test_what_lies_between_two_changes_is_not_shown():
    rows = ["{", '"a": [', "],", '"KEY": "sk-1",', '"more": 1,', '"less": 2,', '"b": [', "]", "}"]
    new = [*rows[:2], "1", *rows[2:7], "2", *rows[7:]]
    first, second = hunks("\n".join(rows).encode(), "\n".join(new).encode())
    assert (first.new, second.new) == (("1",), ("2",))
    assert second.unified() == '@@ -7,2 +8,3 @@\n "b": [\n+2\n ]\n'
