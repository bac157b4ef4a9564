"""`skills2 adopt`: shows, asks, and writes what was accepted."""

import json
import shutil
from pathlib import Path

import pytest

from skills2_nb.cli import adopt as command

HABITS = Path(__file__).resolve().parents[1] / "convert" / "adopted"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(HABITS, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def terminal(monkeypatch):
    """Answers are taken from the input as at a terminal."""

    class Terminal:
        @staticmethod
        def isatty():
            return True

    class Sys:
        stdin = Terminal

    monkeypatch.setattr(command, "sys", Sys)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_yes_writes_a_notebook_that_lints_and_runs(folder, skills2):
    before = files(folder)
    done = skills2("adopt", "functions.ipynb", "--yes")
    assert done.code == 0
    assert "Wrote functions-skill.ipynb: load_sales, keep_real, summarise." in done.out
    assert "cell 4: step summarise" in done.out
    assert {name: files(folder)[name] for name in before} == before
    assert skills2("lint", "functions-skill.ipynb").code == 0
    run = skills2("run", "functions-skill.ipynb", "--json")
    assert run.json["audit"]["strict"]["score"] >= 0.80
    assert run.json["steps"]["summarise"]["total"] == 324.5


def test_dry_run_shows_and_writes_nothing(folder, skills2):
    before = files(folder)
    done = skills2("adopt", "functions.ipynb", "--dry-run")
    assert (done.code, files(folder)) == (0, before)
    assert "  + @step" in done.out
    assert "skills2 adopt functions.ipynb --yes" in done.out


def test_without_a_terminal_it_says_how_to_accept(folder, skills2):
    before = files(folder)
    done = skills2("adopt", "functions.ipynb")
    assert (done.code, files(folder)) == (2, before)
    assert "cell 4: step load_sales" in done.out
    assert "say --yes to accept all of it" in done.err


def test_only_takes_a_cell_with_what_it_needs(folder, skills2):
    done = skills2("adopt", "chains.ipynb", "--yes", "--only", "6", "--json")
    accepted = {change["key"] for change in done.json["changes"] if change["accepted"]}
    assert {"load_the_export", "keep_what_was_sold", "setup:2"} <= accepted
    assert "revenue" not in accepted
    assert skills2("lint", "chains-skill.ipynb").code == 0


def test_only_a_cell_without_an_offer_is_wrong_use(folder, skills2):
    done = skills2("adopt", "functions.ipynb", "--yes", "--only", "1")
    assert done.code == 2
    assert "nothing is offered for cell 1" in done.err


def test_out_may_be_the_original_and_keeps_a_copy(folder, skills2):
    before = (folder / "scratch.ipynb").read_bytes()
    assert skills2("adopt", "scratch.ipynb", "-o", "scratch.ipynb", "--yes").code == 0
    assert (folder / "scratch.ipynb.bak").read_bytes() == before
    assert b'"cases"' in (folder / "scratch.ipynb").read_bytes()


def test_a_notebook_that_is_there_is_not_overwritten(folder, skills2):
    (folder / "scratch-skill.ipynb").write_text("mine", encoding="utf-8")
    done = skills2("adopt", "scratch.ipynb", "--yes")
    assert (done.code, (folder / "scratch-skill.ipynb").read_text(encoding="utf-8")) == (1, "mine")
    assert "is there already" in done.err


def test_what_cannot_be_adopted_is_one_sentence_and_exit_code_1(folder, skills2):
    done = skills2("adopt", "looking.ipynb", "--yes")
    assert (done.code, done.out) == (1, "")
    assert "nothing in it can be a step; cell 2" in done.err
    assert not (folder / "looking-skill.ipynb").exists()


ANSWERS = {
    "all": ("a\n", ["load_sales", "keep_real", "summarise", "write_readout"]),
    "one step refused, and what needs it": ("y\ny\ny\ny\ny\nn\ny\ny\ny\n", ["load_sales"]),
    "no more after the first step": ("y\ny\ny\ny\ny\nq\n", ["load_sales"]),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_change_is_asked_for(name, folder, skills2, terminal):
    said, steps = ANSWERS[name]
    done = skills2("adopt", "functions.ipynb", input=said)
    assert done.code == 0, done.err
    cells = json.loads((folder / "functions-skill.ipynb").read_text(encoding="utf-8"))["cells"]
    made = ["".join(c["source"]) for c in cells if "step" in c["metadata"].get("tags", ())]
    assert [text.rpartition("def ")[2].partition("(")[0] for text in made] == steps


def test_no_to_everything_writes_nothing(folder, skills2, terminal):
    done = skills2("adopt", "functions.ipynb", input="n\n" * 20)
    assert done.code == 1
    assert not (folder / "functions-skill.ipynb").exists()


def test_json_without_yes_tells_and_writes_nothing(folder, skills2):
    done = skills2("adopt", "reruns.ipynb", "--json")
    assert done.json["written"] is False
    assert done.json["steps"] == ["basket"]
    assert {"cell": 4, "reason": "`count_up` changes a global"} in done.json["notes"]
    assert not (folder / "reruns-skill.ipynb").exists()


def test_json_without_yes_does_not_mind_what_is_there(folder, skills2):
    assert skills2("adopt", "reruns.ipynb", "--yes").code == 0
    done = skills2("adopt", "reruns.ipynb", "--json")
    assert (done.code, done.json["written"]) == (0, False)
    assert skills2("adopt", "reruns.ipynb", "--yes", "--json").code == 1


def test_out_may_be_a_folder_and_folders_are_made(folder, skills2):
    (folder / "there").mkdir()
    assert skills2("adopt", "reruns.ipynb", "--yes", "-o", "there").code == 0
    assert (folder / "there/reruns-skill.ipynb").is_file()
    assert skills2("adopt", "reruns.ipynb", "--yes", "-o", "new/deep/a.ipynb").code == 0
    assert (folder / "new/deep/a.ipynb").is_file()


@pytest.mark.parametrize(
    ("out", "code", "said"),
    [
        ("notes.txt", 2, "notes.txt is no notebook's name"),
        ("file/a.ipynb", 4, "a file stands where a folder must be"),
    ],
)
def test_a_place_that_takes_no_notebook_is_told(folder, skills2, out, code, said):
    (folder / "file").write_text("x")
    done = skills2("adopt", "reruns.ipynb", "--yes", "-o", out)
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert said in done.err


def test_a_command_to_go_on_with_can_be_pasted(folder, skills2):
    (folder / "reruns.ipynb").rename(folder / "my reruns.ipynb")
    assert "adopt 'my reruns.ipynb' --yes" in skills2("adopt", "my reruns.ipynb", "--dry-run").out
    done = skills2("adopt", "my reruns.ipynb", "--yes")
    assert "Wrote my reruns-skill.ipynb: " in done.out
    assert "  skills2 lint 'my reruns-skill.ipynb'\n" in done.out


def test_what_is_written_while_it_asks_is_not_overwritten(folder, skills2, terminal, monkeypatch):
    def answer(*_, **__):
        (folder / "reruns-skill.ipynb").write_text("mine")
        return "a"

    monkeypatch.setattr(command.click, "prompt", answer)
    done = skills2("adopt", "reruns.ipynb")
    assert (done.code, (folder / "reruns-skill.ipynb").read_text()) == (1, "mine")
