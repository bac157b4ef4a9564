"""install, uninstall."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.cli import screen
from skills2_nb.install import clients
from skills2_nb.library import installed

NAME = "weekly-numbers"
CLAUDE = """{
  "numStartups": 7,
  "mcpServers": {
    "git": {
      "KEY": "s3cret"
    }
  }
}
"""


@pytest.fixture
def claude_json():
    path = Path.home() / ".claude.json"
    path.write_text(CLAUDE)
    return path


@pytest.fixture
def at_a_terminal(monkeypatch):
    def typed(answer):
        monkeypatch.setattr(screen, "_can_ask", lambda: True)
        return {"input": answer + "\n"}

    return typed


@pytest.fixture
def place():
    return Path.home() / ".claude/skills" / NAME


def test_a_dry_run_shows_all_and_changes_nothing(desk, claude_json, place, home, skills2):
    done = skills2("install", NAME, "--dry-run")
    assert done.code == 0
    assert f"~/.claude/skills/{NAME}/  (new, 10 files" in done.out
    assert "+ runtime/skill.py" in done.out
    assert "~/.claude.json  (changed)" in done.out
    assert '  +     "skills2": {' in done.out
    assert "s3cret" not in done.out
    assert "kept as .claude.json.skills2-backup" in done.out
    assert claude_json.read_text() == CLAUDE
    assert not place.exists() and not (home / installed.FILE).exists()


def test_it_says_what_it_did_once(desk, claude_json, place, skills2):
    done = skills2("install", NAME, "--yes")
    assert done.code == 0
    assert done.out.splitlines()[-2:] == [
        f"Installed {NAME} for Claude Code (user), with hooks (advise).",
        "Start Claude Code anew to use it.",
    ]
    was = claude_json.stat().st_mtime_ns
    done = skills2("install", NAME)
    assert (done.code, done.out) == (
        0, f"{NAME} is installed for Claude Code (user), with hooks (advise): nothing to do.\n",
    )  # fmt: skip
    assert claude_json.stat().st_mtime_ns == was


def test_an_update_shows_which_files_and_how_much(desk, claude_json, place, skills2):
    skills2("install", NAME, "--yes")
    text = (desk / f"{NAME}.ipynb").read_text()
    (desk / f"{NAME}.ipynb").write_text(text.replace("## ", "## All about: ", 1))
    assert skills2("export", f"{NAME}.ipynb", "-o", "skills").code == 0
    for words in (["--dry-run"], ["--yes"]):
        done = skills2("install", NAME, *words)
        rows = [line.split() for line in done.out.splitlines() if line.startswith("  ~ ")]
        assert ["~", "SKILL.md", "+1", "-1"] in rows
        assert ".claude.json" not in done.out
    assert skills2("install", NAME).out.endswith("nothing to do.\n")


def test_without_a_record_nothing_is_asked_where_nothing_changes(desk, claude_json, home, skills2):
    skills2("install", NAME, "--yes")
    (home / installed.FILE).unlink()
    done = skills2("install", NAME)
    assert (done.code, done.out.endswith("nothing to do.\n")) == (0, True)
    assert (home / installed.FILE).is_file()


@pytest.mark.parametrize("answer", ["n", ""])
def test_at_a_terminal_no_is_the_default(answer, desk, claude_json, place, at_a_terminal, skills2):
    done = skills2("install", NAME, **at_a_terminal(answer))
    assert done.code == 1
    assert done.err.endswith("Nothing was changed.\n")
    assert claude_json.read_text() == CLAUDE
    assert not place.exists()


def test_at_a_terminal_yes_is_yes_and_back(desk, claude_json, place, at_a_terminal, skills2):
    done = skills2("install", NAME, **at_a_terminal("y"))
    assert (done.code, "Make these changes?" in done.err) == (0, True)
    assert place.is_dir()
    done = skills2("uninstall", NAME, **at_a_terminal("y"))
    assert (done.code, done.out.splitlines()[-1]) == (0, f"Uninstalled {NAME}.")
    assert claude_json.read_text() == CLAUDE
    assert not place.exists()


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_without_a_terminal_yes_has_to_be_said(word, desk, claude_json, skills2):
    if word == "uninstall":
        skills2("install", NAME, "--yes")
    was = claude_json.read_text()
    done = skills2(word, NAME)
    assert (done.code, "--yes" in done.err) == (2, True)
    assert claude_json.read_text() == was


def test_the_facts_of_an_install_and_of_its_reverse(desk, claude_json, place, skills2):
    for changed in (False, True):
        done = skills2("install", NAME, "--json", "--yes" if changed else "--dry-run").json
        assert (done["skill"], done["client"], done["scope"]) == (NAME, "claude", "user")
        assert done["changed"] is changed
        (folder,) = done["folders"]
        assert folder["path"] == str(place) and len(folder["written"]) == 10
        file, hooks = done["files"]
        assert hooks["path"] == str(place.parents[1] / "settings.json")
        assert file["path"] == str(claude_json)
        assert file["diff"].startswith("@@ -5,3 +5,10 @@")
        assert file["backup"] == f"{claude_json}.skills2-backup"
        assert done["entry"]["args"] == list(clients.ARGS)
    again = skills2("install", NAME, "--json").json
    assert (again["changed"], again["folders"], again["files"]) == (False, [], [])
    gone = skills2("uninstall", NAME, "--json", "--yes").json
    assert (gone["changed"], gone["folders"][0]["gone"]) == (True, True)
    none = skills2("uninstall", NAME, "--json").json
    assert none == {"skill": NAME, "changed": False, "folders": [], "files": []}


def test_json_prints_the_entry_and_writes_nothing(desk, home, skills2):
    before = set(Path.home().rglob("*")) | set(desk.rglob("*"))
    done = skills2("install", NAME, "--client", "json")
    (server,) = json.loads(done.out)["mcpServers"].values()
    assert server["type"] == "stdio"
    assert Path(server["command"]).is_absolute()
    assert set(Path.home().rglob("*")) | set(desk.rglob("*")) == before


def test_a_notebook_is_exported_first(desk, skills2):
    done = skills2("install", f"{NAME}.ipynb", "--scope", "project", "--yes")
    assert done.code == 0
    here = desk / ".claude/skills" / NAME
    for path in (desk / "skills" / NAME).rglob("*.*"):
        assert path.is_dir() or (here / path.relative_to(desk / "skills" / NAME)).read_bytes() == (
            path.read_bytes()
        )
    assert "asks once" in done.out
    assert json.loads((desk / ".mcp.json").read_text()).keys() == {"mcpServers"}


def test_the_reverse_takes_one_client_or_all_that_are_seen_from_here(
    desk, place, skills2, monkeypatch
):
    for words in (["--client", "cursor"], ["--scope", "project"], []):
        assert skills2("install", NAME, "--yes", *words).code == 0
    done = skills2("uninstall", NAME, "--yes", "--client", "cursor")
    assert done.out.splitlines()[-1].endswith("Another client still needs the package.")
    assert place.is_dir() and not (Path.home() / ".cursor").exists()
    (desk / "elsewhere").mkdir()
    monkeypatch.chdir(desk / "elsewhere")
    assert skills2("uninstall", NAME, "--yes").code == 0
    assert not place.exists() and (desk / ".mcp.json").is_file()
    done = skills2("uninstall", NAME, "--yes")
    assert (done.code, "in another project; go there first" in done.err) == (2, True)
    monkeypatch.chdir(desk)
    assert skills2("uninstall", NAME, "--yes").code == 0
    assert not (desk / ".mcp.json").exists() and not (desk / ".claude").exists()
    assert skills2("uninstall", NAME).out == f"{NAME} is not installed from here: nothing to do.\n"


@pytest.mark.parametrize("word", [f"skills/{NAME}", f"{NAME}.ipynb", "~/.claude/skills/" + NAME])
def test_the_reverse_takes_every_word_for_the_skill(word, desk, place, skills2):
    skills2("install", NAME, "--yes")
    assert skills2("uninstall", word, "--yes").out.endswith(f"Uninstalled {NAME}.\n")
    assert not place.exists()


def test_what_stays_is_said(desk, claude_json, place, skills2):
    place.parent.mkdir(parents=True)
    (desk / "skills" / NAME).rename(place)
    skills2("install", NAME, "--yes")
    claude_json.write_text(claude_json.read_text().replace("7", "8"))
    done = skills2("uninstall", NAME, "--yes")
    assert f"was there before and stays: ~/.claude/skills/{NAME}." in done.out
    assert "~/.claude.json.skills2-backup stays, since others changed the file too." in done.out
    assert place.is_dir()


WRONG = [
    (["install", "none-such"], 2, "there is no skill 'none-such'"),
    (["install", NAME, "--client", "emacs"], 2, "--client"),
    (["install", NAME, "--scope", "planet"], 2, "--scope"),
    (["uninstall", NAME, "--client", "json"], 2, "--client"),
    (["uninstall", "none-such"], 2, "there is no skill 'none-such'"),
    (["install", "edited"], 1, "changed since the export"),
]


@pytest.mark.parametrize(("words", "code", "says"), WRONG)
def test_wrong_use_is_one_sentence_and_a_code(words, code, says, desk, skills2):
    if "edited" in words:
        (desk / "skills" / NAME).rename(desk / "skills/edited")
        (desk / "skills/edited/SKILL.md").write_text("---\nname: x\ndescription: y\n---\n")
    done = skills2(*words)
    assert (done.code, says in done.err) == (code, True), done.err
    assert len(done.err.splitlines()) == 1
    assert not (Path.home() / ".claude.json").exists()


def test_the_home_is_no_project(desk, skills2, monkeypatch):
    monkeypatch.setenv("HOME", str(desk))
    done = skills2("install", NAME, "--scope", "project")
    assert (done.code, "say --scope user" in done.err) == (2, True)


def test_settings_with_comments_are_left_alone_with_the_entry_to_paste(desk, skills2):
    (desk / ".vscode").mkdir()
    (desk / ".vscode/mcp.json").write_text('{\n  // mine\n  "servers": {}\n}')
    done = skills2("install", NAME, "--client", "vscode", "--scope", "project", "--yes")
    assert done.code == 2
    assert "mcp.json, line 2: it has comments" in done.err
    assert '"skills2": {"type": "stdio"' in done.err
    assert "// mine" in (desk / ".vscode/mcp.json").read_text()


def test_a_real_process_without_a_home_variable(desk):
    """The system knows where the home is; the command runs as the entry says it."""
    env = {"PATH": os.environ["PATH"], "SKILLS2_HOME": str(desk / "kit")}
    done = subprocess.run(
        [sys.executable, "-m", "skills2_nb.cli.main", "install", NAME, "--scope", "project",
         "--yes"],
        cwd=desk, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (desk / ".mcp.json").is_file()


@pytest.mark.skipif(shutil.which("claude") is None, reason="Claude Code is not installed")
@pytest.mark.parametrize("scope", ["user", "project"])
def test_claude_code_itself_finds_the_server(scope, desk, skills2):
    quiet = {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    skills2("install", NAME, "--yes", "--scope", scope)
    line = ["claude", "mcp", "get", "skills2"]
    done = subprocess.run(
        line, env=os.environ | quiet, capture_output=True, text=True, timeout=100, check=False
    )
    assert f"{scope.title()} config" in done.stdout, done.stdout + done.stderr
    assert f"Args: {' '.join(clients.ARGS)}" in done.stdout
    assert skills2("uninstall", NAME, "--yes").code == 0
    done = subprocess.run(
        line, env=os.environ | quiet, capture_output=True, text=True, timeout=100, check=False
    )
    assert "No MCP server named" in done.stdout + done.stderr
