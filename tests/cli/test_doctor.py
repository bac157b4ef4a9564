"""doctor and its checkup."""

import re
from pathlib import Path

import pytest

from skills2_nb.cli import checkup

MOUNTS = """\
/dev/vda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/me/scratch tmpfs rw 0 0
host /mnt/with\\040blank 9p rw 0 0
"""


def statuses(done):
    return {item["check"]: item["status"] for item in done.json["checks"]}


def test_a_healthy_desk(desk, skills2):
    done = skills2("doctor", "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    found = statuses(done)
    for check in ("Python", "libraries", "home", "locks", "skill weekly-numbers"):
        assert found[check] == "ok"
    assert found["export weekly-numbers"] == "ok"
    text = skills2("doctor").out
    assert "✓ Python" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_cost_of_the_tools_is_told(desk, skills2):
    (found,) = [
        item for item in skills2("doctor", "--json").json["checks"] if item["check"] == "MCP tools"
    ]
    assert re.fullmatch(
        r"`skills2 serve` lists \d+ tools: about [\d,]+ tokens \(characters / 4\)", found["message"]
    )


def test_it_leaves_nothing_behind(desk, skills2, home):
    before = sorted(desk.rglob("*"))
    skills2("doctor")
    assert list(home.iterdir()) == []
    assert sorted(desk.rglob("*")) == before


def test_no_skills_is_a_note(bare, skills2):
    done = skills2("doctor", "--json")
    assert (done.code, statuses(done)["skills"]) == (0, "note")


def test_a_home_that_cannot_be_written_is_4(bare, skills2, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the folder should be")
    done = skills2("doctor", "--json")
    assert (done.code, done.json["ok"]) == (4, False)
    (bad,) = [item for item in done.json["checks"] if item["status"] == "bad"]
    assert bad["check"] == "home"
    assert "SKILLS2_HOME" in bad["mend"]


def test_locks_that_do_not_work(bare, skills2, monkeypatch):
    def refuse(fd):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(checkup, "locked", refuse)
    done = skills2("doctor", "--json")
    assert (done.code, statuses(done)["locks"]) == (4, "bad")


@pytest.mark.parametrize(
    ("line", "says", "mend"),
    [
        (
            "import no_such_library_here\n",
            "no_such_library_here",
            "pip install no_such_library_here",
        ),
        ("1 / 0\n", "ZeroDivisionError", "export its notebook again"),
        ("raise SystemExit(3)\n", "SystemExit", "export its notebook again"),
    ],
)
def test_a_skill_that_does_not_load_is_named(line, says, mend, desk, skills2):
    path = desk / "skills" / "weekly-numbers" / "runtime" / "skill.py"
    path.write_text(line + path.read_text())
    done = skills2("doctor", "--json")
    assert done.code == 4
    (bad,) = [item for item in done.json["checks"] if item["status"] == "bad"]
    assert bad["check"] == "skill weekly-numbers"
    assert says in bad["message"]
    assert bad["mend"] == mend


def test_a_stale_export_is_a_warning(desk, skills2):
    path = desk / "weekly-numbers.ipynb"
    path.write_text(path.read_text().replace("Seven daily counts say little", "They say little"))
    done = skills2("doctor", "--json")
    (stale,) = [item for item in done.json["checks"] if item["check"] == "export weekly-numbers"]
    assert (done.code, stale["status"]) == (0, "warning")
    assert stale["mend"] == "skills2 export weekly-numbers.ipynb"


def test_a_notebook_is_no_mend_of_another_ones_package(desk, make_notebook, skills2):
    front = '---\nname: weekly-numbers\ndescription: "Adds up. Use it for sums."\n---'
    make_notebook([("front", front), ("prose", "# Plain")], path=desk / "plain.ipynb")
    done = skills2("doctor", "--json")
    named = {item["check"]: item for item in done.json["checks"]}
    assert named["export weekly-numbers"]["status"] == "ok"
    assert "export plain" not in named


def test_notebooks_that_are_no_skills_are_left_alone(desk, make_notebook, skills2):
    make_notebook([("code", "x = 1")], path=desk / "scratch.ipynb")
    make_notebook([("code", "!ls")], path=desk / "shell.ipynb")
    (desk / "broken.ipynb").write_text("{")
    assert not [check for check in statuses(skills2("doctor", "--json")) if "scratch" in check
                or "shell" in check or "broken" in check]  # fmt: skip


def test_missing_extras_come_with_their_install_line(bare, skills2, monkeypatch):
    here = checkup.find_spec
    monkeypatch.setattr(checkup, "find_spec", lambda name: None if name == "pandas" else here(name))
    done = skills2("doctor", "--json")
    (note,) = [item for item in done.json["checks"] if item["status"] == "note"
               and item["check"] == "extras"]  # fmt: skip
    assert (done.code, note["mend"]) == (0, "pip install 'skills2-nb[lab]'")


def test_a_missing_base_library_is_bad(bare, skills2, monkeypatch):
    here = checkup.find_spec
    monkeypatch.setattr(checkup, "find_spec", lambda name: None if name == "yaml" else here(name))
    done = skills2("doctor", "--json")
    (bad,) = [item for item in done.json["checks"] if item["status"] == "bad"]
    assert (done.code, bad["message"]) == (4, "pyyaml is missing")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc", "ext4"),
        ("/home/me/.claude", "nfs4"),
        ("/homes", "ext4"),
        ("/home/me/scratch/x", "tmpfs"),
        ("/mnt/with blank/x", "9p"),
    ],
)
def test_the_file_system_of_a_path(path, kind):
    assert checkup.filesystem(Path(path), MOUNTS) == kind
    assert checkup.filesystem(Path(path), "") == ""


def test_a_home_on_the_network_is_a_warning(bare, skills2, monkeypatch):
    monkeypatch.setattr(checkup, "filesystem", lambda path, mounts: "nfs4")
    found = skills2("doctor", "--json").json["checks"]
    if not Path("/proc/mounts").exists():
        pytest.skip("only Linux lists its mounts there")
    (warned,) = [item for item in found if item["status"] == "warning"]
    assert warned["check"] == "home"
