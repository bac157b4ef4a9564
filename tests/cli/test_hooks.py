"""hooks install, hooks uninstall, hooks status; hooks with install."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.cli import screen
from skills2_nb.hooks.starter import EVENTS
from skills2_nb.library import installed

NAME = "weekly-numbers"
BEFORE = """{
  "env": {
    "KEY": "s3cret"
  },
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ]
  }
}
"""


@pytest.fixture
def settings():
    path = Path.home() / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(BEFORE)
    return path


def hooks_of(path):
    return json.loads(Path(path).read_text())["hooks"]


def test_a_dry_run_shows_the_change_and_makes_none(bare, settings, home, skills2):
    done = skills2("hooks", "install", "--dry-run")
    assert done.code == 0
    assert "~/.claude/settings.json  (changed)" in done.out
    assert done.out.count('"timeout": 15') == 1 and "lines as above" in done.out
    assert "say done" not in done.out and "s3cret" not in done.out
    assert "kept as settings.json.skills2-backup" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert settings.read_text() == BEFORE
    assert not (home / installed.FILE).exists()


def test_there_and_again_and_back(bare, settings, skills2):
    done = skills2("hooks", "install", "--yes")
    assert done.code == 0
    assert "Hooks are in ~/.claude/settings.json (advise).\n" in done.out
    done = skills2("hooks", "install")
    assert done.out == "Hooks are in ~/.claude/settings.json (advise): nothing to do.\n"
    done = skills2("hooks", "install", "--enforce", "block", "--yes")
    assert "⋮ and the same in 5 other places" in done.out
    done = skills2("hooks", "uninstall", "--yes")
    assert done.out.endswith("Took the hooks out of ~/.claude/settings.json.\n")
    assert settings.read_text() == BEFORE
    done = skills2("hooks", "uninstall")
    assert (done.code, done.out.endswith("nothing to do.\n")) == (0, True)


@pytest.mark.parametrize("answer", ["n", "y"])
def test_at_a_terminal_it_asks(answer, bare, settings, skills2, monkeypatch):
    monkeypatch.setattr(screen, "_can_ask", lambda: True)
    done = skills2("hooks", "install", input=f"{answer}\n")
    assert "Make these changes?" in done.err
    assert (done.code, settings.read_text() == BEFORE) == (
        (0, False) if answer == "y" else (1, True)
    )


def test_the_facts(bare, settings, skills2):
    for words, changed in ((["--dry-run"], False), (["--yes"], True)):
        done = skills2("hooks", "install", "--json", *words).json
        (file,) = done.pop("files")
        assert (file["path"], file["gone"]) == (str(settings), False)
        assert file["backup"].endswith(".skills2-backup")
        assert done == {
            "settings": str(settings), "scope": "user", "enforce": "advise", "changed": changed,
        }  # fmt: skip
    done = skills2("hooks", "uninstall", "--json", "--yes").json
    assert (done["changed"], [item["path"] for item in done["files"]]) == (True, [str(settings)])


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--scope", "project"], ".claude/settings.json"),
        (["--scope", "local"], ".claude/settings.local.json"),
        (["--settings", "x/y.json"], "x/y.json"),
        (["--settings", ".claude/settings.local.json"], ".claude/settings.local.json"),
    ],
)
def test_scopes_and_a_named_file(words, name, bare, skills2):
    assert skills2("hooks", "install", "--yes", *words).code == 0
    assert list(hooks_of(bare / name)) == list(EVENTS)
    assert not (Path.home() / ".claude/settings.json").exists()
    assert skills2("hooks", "uninstall", "--yes", *words).code == 0
    assert list(bare.iterdir()) == []


WRONG = [
    (["install", "--scope", "user", "--settings", "x.json"], 2, "say one of them"),
    (["install", "--enforce", "always"], 2, "--enforce"),
    (["install", "--settings", "."], 2, "is a folder"),
    (["install"], 2, "--yes"),
    (["uninstall", "--scope", "planet"], 2, "--scope"),
    (["stat"], 2, "did you mean status?"),
]


@pytest.mark.parametrize(("words", "code", "says"), WRONG)
def test_wrong_use_is_one_sentence_and_a_code(words, code, says, bare, settings, skills2):
    done = skills2("hooks", *words)
    assert (done.code, says in done.err) == (code, True), done.err
    assert len(done.err.strip().splitlines()) == 1
    assert settings.read_text() == BEFORE


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_a_file_with_comments_is_left_alone(word, bare, settings, skills2):
    settings.write_text('{\n  // mine\n  "hooks": {}\n}')
    done = skills2("hooks", word, "--yes")
    assert (done.code, "settings.json, line 2: it has comments" in done.err) == (2, True)
    assert "// mine" in settings.read_text()


def test_status_before_and_after_and_when_it_is_broken(desk, settings, home, skills2):
    done = skills2("hooks", "status")
    assert (done.code, "no hooks are installed" in done.out) == (1, True)
    skills2("hooks", "install", "--yes")
    done = skills2("hooks", "status")
    assert done.code == 0, done.out
    assert "user          ~/.claude/settings.json: advise, 6 events\n" in done.out
    assert "dispatcher    answered in " in done.out
    assert f"index         1 skill: {NAME}\n" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    done = skills2("hooks", "install", "--scope", "local", "--enforce", "block", "--yes")
    assert (
        "~/.claude/settings.json says advise; Claude Code reads both, and the stricter mode"
        in done.err
    )
    done = skills2("hooks", "status", "--json")
    assert (done.code, done.json["faults"]) == (0, [])
    assert [row["enforce"] for row in done.json["settings"]] == [["advise"], [], ["block"]]
    assert done.json["index"] == {"skills": [NAME]}
    assert done.json["records"] == str(home)
    trials = done.json["dispatcher"]
    assert trials and all(trial["seconds"] < 15 for trial in trials)
    (desk / ".claude/settings.local.json").write_text('{"disableAllHooks": true}')
    done = skills2("hooks", "status")
    assert (done.code, "disableAllHooks" in done.out) == (1, True)
    settings.write_text(settings.read_text().replace("skills2_nb/hooks", "gone/skills2_nb/hooks"))
    assert "was not started" in " ".join(skills2("hooks", "status").out.split())


def test_what_a_project_brings_along_is_not_started(desk, home, skills2):
    script = {"command": "sh", "args": ["-c", "touch PWNED", "skills2_nb/hooks/main.py"]}
    line = {"command": f"touch {desk}/PWNED; skills2_nb/hooks/main.py"}
    for name, handler in (("settings.json", script), ("settings.local.json", line)):
        (desk / ".claude").mkdir(exist_ok=True)
        group = {"hooks": [{"type": "command", **handler}]}
        text = json.dumps({"hooks": {event: [group] for event in EVENTS}})
        (desk / ".claude" / name).write_text(text)
    done = skills2("hooks", "status", "--json")
    assert (done.code, done.json["dispatcher"]) == (1, [])
    strange, shell = (it for it in done.json["faults"] if "hooks install --scope" in it)
    assert "sh is called, of another environment or version, and was not started" in strange
    assert "as one line for a shell" in shell
    assert not list(desk.rglob("PWNED"))


def test_a_restricting_skill_that_no_hook_serves_is_a_fault_that_can_be_mended(desk, skills2):
    skills2("hooks", "install", "--yes")
    assert skills2("export", f"{NAME}.ipynb").code == 0
    manifest = desk / "skills" / NAME / "skill.toml"
    text = manifest.read_text().replace("restrict_tools = false", "restrict_tools = true")
    assert "restrict_tools = true" in text
    manifest.write_text(text)
    skills2("triggers", "refresh")
    (fault,) = skills2("hooks", "status", "--json").json["faults"]
    assert fault.startswith(f"{NAME} restricts tools, and no hook here is called at every tool")
    mend = fault.rpartition("skills2 ")[2].split()
    assert mend == ["hooks", "install", "--scope", "local"]
    assert skills2(*mend, "--yes").code == 0
    assert skills2("hooks", "status").code == 0


def test_an_install_warns_of_another_mode_too(desk, skills2):
    skills2("hooks", "install", "--scope", "local", "--yes")
    done = skills2("install", NAME, "--enforce", "block", "--yes")
    assert (done.code, ".claude/settings.local.json says advise;" in done.err) == (0, True)
    assert skills2("install", NAME, "--no-hooks").err == ""
    assert "says" not in skills2("install", NAME, "--enforce", "advise", "--yes").err


def test_status_of_a_named_file(bare, skills2):
    skills2("hooks", "install", "--settings", "x.json", "--yes")
    assert skills2("hooks", "status").code == 1
    assert skills2("hooks", "status", "--settings", "x.json").code == 0


# --- with a skill ------------------------------------------------------------------------------


def test_package_server_and_hooks_are_one_change(desk, settings, skills2):
    done = skills2("install", NAME, "--dry-run")
    heads = [line for line in done.out.splitlines() if line.startswith("~")]
    assert [head.partition("  ")[0] for head in heads] == [
        f"~/.claude/skills/{NAME}/", "~/.claude.json", "~/.claude/settings.json",
    ]  # fmt: skip
    assert settings.read_text() == BEFORE
    done = skills2("install", NAME, "--enforce", "block", "--yes", "--json")
    assert done.json["hooks"] == {"settings": str(settings), "enforce": "block"}
    assert len(done.json["files"]) == 2
    assert skills2("install", NAME).out == (
        f"{NAME} is installed for Claude Code (user), with hooks (block): nothing to do.\n"
    )
    done = skills2("hooks", "status", "--json")
    assert (done.code, done.json["index"]) == (0, {"skills": [NAME]})
    skills2("uninstall", NAME, "--yes")
    assert settings.read_text() == BEFORE
    assert skills2("hooks", "status", "--json").json["index"] == {"skills": []}


def test_hooks_can_be_left_out_and_left_in(desk, settings, skills2):
    assert skills2("install", NAME, "--no-hooks", "--yes", "--json").json["hooks"] is None
    assert settings.read_text() == BEFORE
    skills2("install", NAME, "--yes")
    skills2("uninstall", NAME, "--no-hooks", "--yes")
    assert next(iter(hooks_of(settings))) == "Stop" and len(hooks_of(settings)) == len(EVENTS)
    skills2("hooks", "uninstall", "--yes")
    assert settings.read_text() == BEFORE


def test_of_a_project_they_go_where_nobody_else_reads_them(desk, skills2):
    skills2("install", NAME, "--scope", "project", "--yes")
    assert list(hooks_of(desk / ".claude/settings.local.json")) == list(EVENTS)
    assert not (desk / ".claude/settings.json").exists()
    skills2("uninstall", NAME, "--yes")
    assert not (desk / ".claude").exists()


MODES = [
    (["--client", "cursor", "--enforce", "block"], "cursor gets no hooks"),
    (["--client", "json", "--enforce", "block"], "json gets no hooks"),
    (["--no-hooks", "--enforce", "block"], "say one of them"),
]


@pytest.mark.parametrize(("words", "says"), MODES)
def test_a_mode_for_hooks_that_do_not_come_is_refused(words, says, desk, skills2):
    done = skills2("install", NAME, "--yes", *words)
    assert (done.code, says in done.err) == (2, True)
    assert not (Path.home() / ".claude").exists()


def test_an_index_that_cannot_be_made_does_not_stop_the_install(desk, settings, home, skills2):
    home.mkdir()
    (home / "index").write_text("in the way")
    done = skills2("install", NAME, "--yes")
    assert (done.code, "The index of triggers is as it was" in done.err) == (0, True)
    assert len(hooks_of(settings)) == len(EVENTS)


def test_a_real_process_there_and_back(bare, settings):
    def call(*words):
        line = [sys.executable, "-m", "skills2_nb.cli.main", "hooks", *words]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    assert call("install", "--yes").returncode == 0
    assert call("status").returncode == 0
    assert call("uninstall", "--yes").returncode == 0
    assert settings.read_text() == BEFORE
