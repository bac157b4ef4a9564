"""`eval`, with real kernels: the notebook by papermill and the command agree."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from skills2_nb.cli.main import main
from tests.cli.conftest import NAME

papermill = pytest.importorskip("papermill")
pytest.importorskip("ipykernel")
pytest.importorskip("ipywidgets")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "notebooks" / "evals" / "skill.ipynb"
MIME = "application/vnd.skills2.audit+json"


@pytest.fixture(scope="module")
def evaluated(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """One eval of a skill that holds and one that does not load, as GitHub would see it."""
    folder = tmp_path_factory.mktemp("evaluated") / "desk"
    shutil.copytree(exported, folder)
    broken = folder / "skills" / "broken"
    shutil.copytree(folder / "skills" / NAME, broken)
    with (broken / "runtime" / "skill.py").open("a") as file:
        file.write("\nraise ValueError('no')\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
        patch.setenv("GITHUB_ACTIONS", "true")
        words = ["eval", NAME, "skills/broken", NAME, "--jobs", "2", "--json", "--junit", "j.xml"]
        done = CliRunner().invoke(main, words)
    out = folder / "eval-results"
    return SimpleNamespace(
        code=done.exit_code,
        json=json.loads(done.stdout),
        err=done.stderr,
        folder=folder,
        out=out,
        first=json.loads(done.stdout)["skills"][0],
        second=json.loads(done.stdout)["skills"][1],
    )


def test_a_skill_that_holds_is_green_and_the_other_is_told(evaluated):
    assert [each["skill"] for each in evaluated.json["skills"]] == [NAME, "broken"]
    assert (evaluated.first["verdict"], evaluated.first["code"]) == ("pass", 0)
    assert (evaluated.second["verdict"], evaluated.second["code"]) == ("fail", 2)
    assert "does not import" in evaluated.second["why"][0]
    assert evaluated.json["verdict"] == "fail"
    assert evaluated.code == 2  # the worst of 0 and 2


def test_the_folder_has_everything(evaluated):
    there = {path.relative_to(evaluated.out).as_posix() for path in evaluated.out.rglob("*")}
    assert there >= {
        "results.json",
        "report.html",
        "junit.xml",
        f"{NAME}/eval.ipynb",
        f"{NAME}/home/runs",
        "broken/eval.ipynb",
    }
    assert json.loads((evaluated.out / "results.json").read_text("utf-8")) == evaluated.json
    assert not [name for name in there if "part" in name or name.endswith(".tmp")]


def test_each_case_has_its_journal_where_the_results_say(evaluated):
    folder = evaluated.out / evaluated.first["journals"]
    runs = [case["run"] for case in evaluated.first["cases"] if case["run"]]
    assert runs
    assert all(list(folder.glob(f"*/{run}.jsonl")) for run in runs)


def test_the_reports_speak_of_both(evaluated):
    page = (evaluated.out / "report.html").read_text("utf-8")
    assert NAME in page and "broken" in page
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    junit = (evaluated.folder / "j.xml").read_bytes()
    assert junit == (evaluated.out / "junit.xml").read_bytes()
    assert NAME.encode() in junit and b"broken" in junit
    assert NAME in (evaluated.folder / "summary.md").read_text("utf-8")
    assert "::error" in evaluated.err and "broken" in evaluated.err


def test_the_executed_notebook_is_a_report(evaluated):
    raw = json.loads((evaluated.out / NAME / "eval.ipynb").read_text("utf-8"))
    state = raw["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]
    assert state["state"]
    shown = [o["data"] for cell in raw["cells"] for o in cell.get("outputs", ()) if "data" in o]
    assert all({"text/plain", "text/html", "text/markdown"} <= data.keys() for data in shown[:-1])
    assert shown[-1][MIME]["cases"] == evaluated.first["cases"]
    assert "PASS" in "".join(shown[0]["text/plain"])


def test_papermill_alone_says_the_same(evaluated, monkeypatch):
    monkeypatch.chdir(evaluated.folder)
    raw = papermill.execute_notebook(
        str(NOTEBOOK), "out.ipynb", {"skill": NAME}, kernel_name="python3", progress_bar=False
    )
    told = raw["cells"][-1]["outputs"][-1]["data"][MIME]
    same = ("skill", "version", "digest", "verdict", "why", "pass_rate", "axes", "rows")
    assert {key: told[key] for key in same} == {key: evaluated.first[key] for key in same}
    outcomes = [(case["case"], case["ok"]) for case in told["cases"]]
    assert outcomes == [(case["case"], case["ok"]) for case in evaluated.first["cases"]]


def test_its_runs_are_judged_anew_by_replay(evaluated, skills2, monkeypatch, tmp_path):
    monkeypatch.chdir(evaluated.folder)
    done = skills2(
        "eval", NAME, "--runner", "replay", "--from", "eval-results", "--out", tmp_path / "again"
    )
    assert done.code == 0, done.err
    (told,) = json.loads((tmp_path / "again" / "results.json").read_text("utf-8"))["skills"]
    runs = [case["run"] for case in evaluated.first["cases"] if case["kind"] == "run"]
    assert [case["run"] for case in told["cases"]] == runs
    assert (told["runner"], told["rows"]) == ("replay", [])
    assert "PASS" in done.out and "report.html" in done.out


def test_a_notebook_is_exported_beside_its_runs(desk, skills2):
    done = skills2("eval", f"{NAME}.ipynb", "--runner", "null", "--json")
    assert done.code == 1
    (told,) = done.json["skills"]
    assert (told["runner"], told["verdict"]) == ("null", "fail")
    assert (desk / "eval-results" / NAME / "package" / NAME / "SKILL.md").is_file()


# --- wrong use, before any kernel is started -----------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing argument"),
        (["absent"], "there is no skill 'absent'"),
        ([NAME, "-p", "treshold=1"], "no parameter 'treshold'; did you mean threshold?"),
        ([NAME, "-p", "threshold"], "written NAME=VALUE"),
        ([NAME, "-p", "out=x"], "-p out is not for you to set; use --out"),
        ([NAME, "-p", "runner=human"], "there is no runner 'human'"),
        ([NAME, "-p", "trials=often"], "trials is 'often'"),
        ([NAME, "--runner", "human"], "'human' is not one of"),
        ([NAME, "--threshold", "2"], "lies between 0 and 1"),
        ([NAME, "--from", "."], "--from names the runs"),
        ([NAME, "--notebook", "other.ipynb"], "no code cell is tagged `parameters`"),
        ([NAME, f"{NAME}.ipynb"], f"are both called {NAME}"),
        ([NAME, "--out", "mine"], "is not empty and no eval has made it"),
        ([NAME, "--out", f"skills/{NAME}/out"], "lies in the package"),
        ([NAME, "--out", "mine/file"], "is no folder"),
    ],
)
def test_wrong_use_is_refused(desk, skills2, make_notebook, words, said):
    shutil.copy(make_notebook([("code", "a = 1")]), desk / "other.ipynb")
    (desk / "mine").mkdir()
    (desk / "mine" / "file").touch()
    done = skills2("eval", *words)
    assert done.code == 2
    assert said in done.err
    assert not (desk / "eval-results").exists()


def test_a_choice_that_fits_no_case_is_wrong_use(desk, skills2):
    done = skills2("eval", NAME, "--case", "absent", "--json")
    assert done.code == 2
    assert "no case has the id 'absent'" in done.json["skills"][0]["why"][0]


def test_missing_libraries_are_told_with_their_install_line(desk, skills2, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None)
    done = skills2("eval", NAME)
    assert done.code == 4
    assert "pip install 'skills2-nb[lab]'" in done.err


# --- an environment that fails -------------------------------------------------------------------


def in_small_folder(desk: Path, size: int, *words: str) -> Any:
    """Run `eval` with its folder on a file system of so many bytes."""
    wall = shutil.which("bwrap")
    if wall is None:
        pytest.skip("bubblewrap makes the small file system")
    (desk / "small").mkdir()
    command = [wall, "--dev-bind", "/", "/", "--size", str(size), "--tmpfs", str(desk / "small")]
    command += [sys.executable, "-m", "skills2_nb.cli.main", "eval", NAME, "--out", "small/out"]
    done = subprocess.run([*command, *words], cwd=desk, capture_output=True, text=True, check=False)
    if "bwrap" in done.stderr:
        pytest.skip(f"bubblewrap does not work here: {done.stderr}")
    return done


def test_a_full_folder_is_the_environments_fault(desk):
    done = in_small_folder(desk, 40_000, "--runner", "null")
    assert done.returncode == 4, done.stdout
    assert "the disk is full" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_an_edited_notebook_of_the_repository_is_the_one_that_is_run(desk, skills2):
    raw = json.loads(NOTEBOOK.read_text("utf-8"))
    raw["cells"][2:] = [
        {**raw["cells"][2], "id": "other", "source": "import sys; sys.exit(0)"},
        {**raw["cells"][2], "id": "last", "source": "1"},
    ]
    place = desk / "notebooks" / "evals"
    place.mkdir(parents=True)
    (place / "skill.ipynb").write_text(json.dumps(raw), "utf-8")
    done = skills2("eval", NAME, "--json")
    assert done.code == 1
    assert "called sys.exit(0), which ended the notebook; 1 cell after it was" in str(done.json)


def test_what_was_not_finished_is_not_proven(desk, skills2, monkeypatch):
    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("skills2_nb.cli.eval_parts.executed", stopped)
    assert skills2("eval", NAME).code == 130
    told = json.loads((desk / "eval-results" / "results.json").read_text("utf-8"))
    assert told["verdict"] == "unproven"
    assert told["skills"][0]["why"] == ["the eval was interrupted"]
