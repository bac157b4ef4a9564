import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skills2_nb.errors import UnreadableError
from skills2_nb.formats.skill_md import Layout, SkillMd, join, layout_of, split, still_fits

BITS = [
    *["---", "---  ", "...", "name: a", "a: [", "# H", "## H", "#no", "```", "~~~", "````md"],
    *["<!--", "-->", "<pre>", "</pre>", "\ufeff", " ", "\t", "é", "\x0c", "\u2028", "text"],
    *["\n", "\n", "\n", "\n\n", "\r", "\r\n"],
]
NASTY = [
    b"",
    b"\n\n",
    b"---\nname: a\n---",
    b"---\nname: a\n---\n\n\n",
    b"---  \nname: a\n...\t\ntext",
    b"---\r\nname: a\r\n---\r\n\r\n# T\r\n\r\n## U\r\n",
    b"---\rname: a\r---\r\r# T\r",
    b"a\r\nb\nc\rd",
    b"\xef\xbb\xbf---\nname: a\n---\n\ntext\n",
    b"---\nname: a\nname: b\n---\n\ntext\n",
    b"---\nnever: closed\n\n# H\n",
    b"---\n- a\n---\n",
    b"---\n---\n\ntext\n",
    b"```\n\n# no heading\n```\n\n# H\n",
]


def through_json(document):
    """As a notebook keeps it: cells, and the layout as JSON."""
    kept = json.loads(json.dumps(document.layout.to_dict()))
    return SkillMd(document.front, document.pieces, layout_of(kept))


@given(st.lists(st.sampled_from(BITS), max_size=30).map("".join))
@example("\ufeff\ufeff\n\r")  # the second mark is text
def test_join_is_the_inverse_of_split(text):
    data = text.encode()
    document = split(data)
    assert join(through_json(document)) == data
    assert still_fits(document)
    for cell in (document.front or "", *document.pieces):
        assert "\r" not in cell
        assert cell == cell.strip("\n")


@pytest.mark.parametrize("data", NASTY)
def test_nasty_files_come_back(data):
    assert join(through_json(split(data))) == data


def test_public_files_come_back(shared):
    paths = sorted(shared.glob("corpus/*/SKILL.md"))
    assert len(paths) == 42
    for path in paths:
        assert join(through_json(split(path.read_bytes()))) == path.read_bytes(), path


def test_the_canonical_form_needs_no_layout():
    data = b"---\nname: a\n---\n\n# T\n\ntext\n\n## U\n\nmore\n"
    document = split(data)
    assert document.layout.to_dict() == {}
    assert document.pieces == ("# T\n\ntext", "## U\n\nmore")
    assert join(SkillMd(document.front, document.pieces)) == data
    assert document.fields == {"name": "a"}


@pytest.mark.parametrize(
    ("body", "pieces"),
    [
        ("a\n\n# b", ["a", "# b"]),
        ("a\n\n\n# b", ["a\n\n\n# b"]),
        ("a\n# b", ["a\n# b"]),
        ("a\n\n#b", ["a\n\n#b"]),
        ("a\n\n####### b", ["a\n\n####### b"]),
        ("```\na\n\n# b\n```\n\n# c", ["```\na\n\n# b\n```", "# c"]),
        ("```\na\n\n# b\n~~~\n\n# c", ["```\na\n\n# b\n~~~\n\n# c"]),
        ("````\n```\n\n# b\n````\n\n# c", ["````\n```\n\n# b\n````", "# c"]),
        ("<!--\n\n# b\n-->\n\n# c", ["<!--\n\n# b\n-->", "# c"]),
        ("<pre>\n\n# b\n</pre>\n\n# c", ["<pre>\n\n# b\n</pre>", "# c"]),
    ],
)
def test_where_it_is_cut(body, pieces):
    assert list(split(body.encode()).pieces) == pieces


def test_front_matter_that_does_not_parse_is_text():
    document = split(b"---\na: b: c\n---\n\n# T\n")
    assert document.front is None
    assert document.pieces[0].startswith("---\na: b: c")


def test_line_ends_that_no_longer_fit_are_dropped():
    document = split(b"a\r\nb\n")
    changed = SkillMd(None, ("a\nc",), document.layout)
    assert not still_fits(changed)
    assert join(changed) == b"a\nc\n"


@pytest.mark.parametrize(
    "kept",
    [
        {"newline": "mac"},
        {"gap": -1},
        {"gap": True},
        {"tail": "1"},
        {"bom": 1},
        {"fence": ["--", "---"]},
        {"fence": 3},
        {"line_ends": "3x"},
    ],
)
def test_a_layout_that_split_never_makes_is_refused(kept):
    with pytest.raises(UnreadableError, match=f"skills2.{next(iter(kept))}"):
        layout_of(kept)


def test_keys_of_others_are_left_alone():
    assert layout_of({"role": "step"}) == Layout()


def test_a_file_that_is_not_utf8_is_refused():
    with pytest.raises(UnreadableError, match="byte offset 1"):
        split(b"a\xff")
