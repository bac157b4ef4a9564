"""A change of many files, broken off at every moment."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.swap import recover, swap
from skills2_nb.errors import SetupError

OLD = {"SKILL.md": b"1", "a/b.md": b"1", "file": b"1", "gone/x/y.md": b"1", "room": b"1"}
NEW = {"SKILL.md": b"2", "a/b.md": b"2", "file/deep.md": b"2", "new/z.md": b"2", "gone": b"2"}
REMOVE = ("file", "gone/x/y.md")


def tree(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "skills/trial"
    for path, data in {**OLD, "mine.txt": b"mine"}.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(data)
    return made


AFTER = {**NEW, "room": b"1", "mine.txt": b"mine"}
BEFORE = {**OLD, "mine.txt": b"mine"}


def test_all_at_once(folder):
    swap(folder, NEW, REMOVE)
    assert tree(folder) == AFTER
    assert [p.name for p in folder.parent.iterdir()] == ["trial"]


@pytest.mark.parametrize(
    "error", [OSError(28, "full"), KeyboardInterrupt()], ids=["full", "ctrl-c"]
)
@pytest.mark.parametrize("at", range(1, 6))
def test_a_failure_puts_everything_back(folder, monkeypatch, error, at):
    real, count = Path.replace, iter(range(1, 99))

    def replace(self, target):
        if "new" in self.parts[-3:] and next(count) == at:
            raise error
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(SetupError if isinstance(error, OSError) else KeyboardInterrupt):
        swap(folder, NEW, REMOVE)
    assert tree(folder) == BEFORE
    assert [p.name for p in folder.parent.iterdir()] == ["trial"]


# Forks once a moment: in the child the n-th change of the disk is its last deed.
KILLED = """
import json, os, sys
from pathlib import Path
from skills2_nb.convert import swap as module

folder = Path(sys.argv[1])
write = {path: text.encode() for path, text in json.loads(sys.argv[2]).items()}
remove = tuple(json.loads(sys.argv[3]))
word, at = sys.argv[4], int(sys.argv[5])
left = iter(range(1, 10_000))


def last(real):
    def deed(*args, **kwargs):
        if next(left) == at:
            os._exit(9)
        return real(*args, **kwargs)
    return deed


for name in ("replace", "rename", "unlink", "rmdir", "mkdir", "open"):
    setattr(os, name, last(getattr(os, name)))
if word == "swap":
    module.swap(folder, write, remove)
else:
    module.recover(folder)
"""


def deed(folder, word, at):
    write = json.dumps({path: data.decode() for path, data in NEW.items()})
    words = [sys.executable, "-c", KILLED, folder, write, json.dumps(REMOVE), word, str(at)]
    return subprocess.run(list(map(str, words)), check=False).returncode


def test_a_kill_at_any_moment_is_recovered_from(folder):
    ended = []
    for at in range(1, 80):
        code = deed(folder, "swap", at)
        deed(folder, "recover", at % 7 + 1)  # which may be killed too
        recover(folder)
        assert [p.name for p in folder.parent.iterdir()] == ["trial"], at
        ended.append(tree(folder))
        assert ended[-1] in (BEFORE, AFTER), at
        if ended[-1] == AFTER:
            break
        assert code == 9
    assert len(ended) > 5
    assert ended[-1] == AFTER


def test_staging_of_others_is_left_alone(folder):
    others = [".trial.abc.tmp", ".trial.other.abcdefgh.tmp", ".tria.abcdefgh.tmp", "trial.x"]
    for name in others:
        (folder.parent / name).mkdir()
    (folder.parent / ".trial.abcdefgh.tmp/new").mkdir(parents=True)
    recover(folder)
    assert sorted(p.name for p in folder.parent.iterdir()) == sorted([*others, "trial"])
    assert tree(folder) == BEFORE
