"""The folder that an eval writes into."""

import json
from pathlib import Path

import pytest

from skills2_nb.errors import SetupError, UsageError
from skills2_nb.evals import outfolder
from skills2_nb.evals.evaluation import Settings, gathered
from skills2_nb.evals.executed import Executed
from skills2_nb.evals.replayed import RECORDED
from skills2_nb.views import eval_markdown, eval_page, eval_text, junit


def test_a_folder_of_its_own_may_be_used_again(tmp_path):
    out = tmp_path / "a" / "out"
    outfolder.prepare(out)
    outfolder.write(out, {"v": 1})
    outfolder.prepare(out)
    assert [path.name for path in out.iterdir()] == [".gitignore"]


def test_results_that_are_to_be_judged_anew_stay(tmp_path):
    outfolder.prepare(tmp_path)
    outfolder.write(tmp_path, {"v": 1})
    (tmp_path / "one" / "home").mkdir(parents=True)
    (tmp_path / "one" / "eval.ipynb").touch()
    outfolder.prepare(tmp_path, keep=True)
    outfolder.folder_of(tmp_path, "one", keep=True)
    assert json.loads((tmp_path / "results.json").read_text("utf-8")) == {"v": 1}
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["home"]
    outfolder.folder_of(tmp_path, "one")
    assert not list((tmp_path / "one").iterdir())


def test_what_replays_judge_outlives_their_own_results(tmp_path):
    outfolder.prepare(tmp_path)
    outfolder.write(tmp_path, {"v": 1, "made": "by chain"})
    for again in (1, 2):
        outfolder.prepare(tmp_path, keep=True)
        outfolder.write(tmp_path, {"v": 1, "made": f"by replay {again}"})
    kept = json.loads((tmp_path / RECORDED).read_text("utf-8"))
    assert kept == {"v": 1, "made": "by chain"}
    outfolder.prepare(tmp_path)
    assert not (tmp_path / RECORDED).exists()


@pytest.mark.parametrize("name", ["notes.txt", ".gitignore", "results.json"])
def test_a_folder_of_somebody_else_is_refused(tmp_path, name):
    (tmp_path / name).write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="no eval has made it"):
        outfolder.prepare(tmp_path)
    assert (tmp_path / name).read_text("utf-8") == "mine"


def test_what_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is no folder"):
        outfolder.prepare(tmp_path / "file")
    with pytest.raises(SetupError, match="a file stands where a folder must be"):
        outfolder.prepare(tmp_path / "file" / "out")


@pytest.mark.parametrize(
    ("code", "verdict"), [(1, "fail"), (2, "fail"), (3, "unproven"), (4, "unproven")]
)
def test_a_skill_that_could_not_be_evaluated_is_in_every_report(code, verdict):
    done = Executed(code, ("the kernel <died> & left",))
    told = outfolder.skill_of("one", done, Settings())
    assert (told["verdict"], told["code"], told["journals"]) == (verdict, code, "one/home/runs")
    results = gathered([told], "0")
    assert results["verdict"] == verdict
    for view in (eval_page.page, eval_text.report, junit.document, eval_markdown.report):
        assert "left" in view(results)


def test_one_that_was_evaluated_is_as_its_notebook_says():
    done = Executed(0, (), {"skill": "named", "verdict": "pass", "cases": []})
    told = outfolder.skill_of("folder", done, Settings())
    assert (told["skill"], told["journals"], told["code"]) == ("named", "folder/home/runs", 0)


def test_the_files_are_named_in_the_docs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "evals.md").read_text("utf-8")
    for name in (outfolder.RESULTS, outfolder.REPORT, outfolder.JUNIT, "eval.ipynb", "kernel.log"):
        assert f" {name} " in page or f"/{name} " in page, name
