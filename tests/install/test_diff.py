"""What is shown before somebody says yes."""

from pathlib import Path

import pytest

from skills2_nb.install.clients import Machine
from skills2_nb.install.diff import place, size, told
from skills2_nb.install.file import FileChange
from skills2_nb.install.folder import FolderChange
from skills2_nb.install.hunk import hunk
from skills2_nb.install.plan import Plan
from skills2_nb.library.installed import Record

MACHINE = Machine(Path("/home/ana"), Path("/home/ana/work"))


def test_what_stands_beside_the_change_keeps_its_secrets():
    before = '{\n  "env": {\n    "KEY": "sk-123"\n  }\n}'
    after = '{\n  "env": {\n    "KEY": "sk-123"\n  },\n  "b": 1\n}'
    for text in (hunk(before.encode(), after.encode()).unified(), shown(before, after)):
        assert "sk-123" not in text
        assert '"KEY": …' in text


def shown(before, after, **settings):
    change = FileChange(MACHINE.home / ".claude.json", before.encode(), after.encode())
    return told(Plan("s", (), (change,), Record(), Record()), MACHINE, **settings)


def test_of_a_file_on_one_line_only_the_change_is_shown_and_all_of_it():
    before = '{"a":"' + "x" * 5000 + '","env":{"KEY":"sk-123"}}'
    entry = '"skills2":{"command":"' + "y" * 150 + '","args":["serve"]}'
    after = before[:-1] + "," + entry + "}"
    lines = shown(before, after, width=80).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert entry in "".join(line[4:] for line in lines if line.startswith("  + "))
    assert "sk-123" not in "".join(lines)
    assert len(lines) < 7


def test_signs_that_move_the_cursor_are_shown_as_codes():
    assert "\x1b" not in shown("{}", '{\n  "a\x1b[2J": 1\n}')


def test_colours_are_asked_for():
    assert "\x1b[32m" in shown("{}", "{\n  1\n}", color=True)
    assert "\x1b" not in shown("{}", "{\n  1\n}")


def test_a_long_folder_is_cut(tmp_path):
    change = FolderChange(tmp_path / "s", {f"f{number:02}": b"x" for number in range(50)})
    text = told(Plan("s", (change,), (), Record(), Record()), MACHINE)
    assert "(new, 50 files, 50 B)" in text
    assert text.endswith("… and 10 more files\n")


def test_an_update_counts_what_changes_and_not_what_lies_between(tmp_path):
    old, new = b"1\n" + b"x\n" * 30 + b"2\n", b"one\n" + b"x\n" * 30 + b"two\nthree\n"
    change = FolderChange(tmp_path, {"a.md": new}, {"a.md": old})
    assert "+3 -2" in told(Plan("s", (change,), (), Record(), Record()), MACHINE)


def test_an_update_says_how_many_lines(tmp_path):
    new = {"a.md": b"1\n3\n", "b.bin": b"\0\0"}
    change = FolderChange(tmp_path, new, {"a.md": b"1\n2\n3\n", "b.bin": b"\0"}, ("c",))
    text = told(Plan("s", (change,), (), Record(), Record()), MACHINE)
    assert text.splitlines()[0].endswith("(3 files to change)")
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["~", "a.md", "+0", "-1"],
        ["~", "b.bin", "2", "B"],
        ["-", "c"],
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/home/ana/work/.mcp.json", ".mcp.json"),
        ("/home/ana/.claude.json", "~/.claude.json"),
        ("/etc/x", "/etc/x"),
        ("/home/ana", "/home/ana"),
    ],
)
def test_places_are_written_as_one_types_them(path, text):
    assert place(Path(path), MACHINE) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1200, "1.2 kB"), (5_000_000, "5.0 MB")]
)
def test_sizes(count, text):
    assert size(count) == text


def test_what_was_said_before_is_left_out_and_counted():
    block = [
        '"hooks": [',
        "  {",
        '    "command": "x"',
        '    "args": [',
        '      "-I"',
        "    ]",
        "  }",
    ]
    rows = ["{", '"b": [', *block, "],", '"a": [', *(f"  {line}" for line in block), "]", "}"]
    lines = shown("{}", "\n".join(rows)).splitlines()
    assert sum('"command": "x"' in line for line in lines) == 1
    assert "      … 7 lines as above" in lines
    assert lines[-2:] == ["  + ]", "  + }"]


def test_the_same_change_in_many_places_is_shown_once():
    before = "".join(f'{{\n"a{n}": 1,\n"mode": "advise",\n"b{n}": 1\n}},\n' for n in range(4))
    lines = shown(before, before.replace("advise", "block")).splitlines()
    assert lines[-1] == "    ⋮ and the same in 3 other places"
    assert sum("block" in line for line in lines) == 1
    last = before.rpartition("advise")
    lines = shown(before, f"{last[0].replace('advise', 'off')}block{last[2]}").splitlines()
    assert "    ⋮" in lines and "    ⋮ and the same in 2 other places" in lines
