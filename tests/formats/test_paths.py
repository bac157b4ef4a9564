import pytest

from skills2_nb.formats.paths import LONGEST_PART, clashes, is_safe_path, shown

SAFE = ["a.md", "a/b c.md", "é.md", "🙂.md", ".hidden", "-rf", "console.md", "com.md", "a.b.c/d"]
UNSAFE = [
    "", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\\b", "C:a", "a\nb", " a", "a ", "a.",
    "a./b", "con", "con.md", "a/NUL.txt", "aux/x.md", "COM1", "lpt9.log", "a?b", 'a"b', "a|b",
    "com¹", "a*", "a\ud800", "a\x7fb", "a\u2028b", "x" * (LONGEST_PART + 1), "é" * 101,
    "a/" * 200 + "b", "a\u202eb.md",
    "__pycache__/a.md", ".git/config", "a/.ipynb_checkpoints/b.md", "a.pyc",
]  # fmt: skip


@pytest.mark.parametrize("path", SAFE)
def test_what_every_system_can_hold(path):
    assert is_safe_path(path)


@pytest.mark.parametrize("path", UNSAFE, ids=ascii)
def test_what_some_system_cannot_hold(path):
    assert not is_safe_path(path)


@pytest.mark.parametrize(
    ("paths", "pairs"),
    [
        (["a", "b/c", "b/d"], []),
        (["a", "a"], []),
        (["A.md", "a.md"], [("A.md", "a.md")]),
        (["A/x", "a/y"], [("A/x", "a/y")]),
        (["e\u0301.md", "\u00e9.md"], [("e\u0301.md", "\u00e9.md")]),
        (["a", "a/b"], [("a", "a/b")]),
        (["A", "a/b/c"], [("A", "a/b/c")]),
        (["STRASSE", "straße"], [("STRASSE", "straße")]),
    ],
)
def test_paths_of_which_some_disks_keep_one(paths, pairs):
    assert list(clashes(paths)) == pairs
    assert list(clashes(reversed(paths))) == pairs


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain 🙂 é", "plain 🙂 é"),
        ("two\nlines\r\nthree", "two lines three"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb\ud800", "a\\u202eb\\ud800"),
        ("a\u2028b", "a b"),
    ],
    ids=ascii,
)
def test_what_is_shown_stays_on_its_line(text, line):
    assert shown(text) == line
