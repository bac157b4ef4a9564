"""Runs of an earlier evaluation, judged anew."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.home import elsewhere
from skills2_nb.convert.exporter import export
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals.evaluation import Evaluation, Settings, evaluate, suite
from skills2_nb.evals.play import Stage
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.replayed import bring, recorded
from tests.conftest import ADD, CELLS

REPLAY = Settings("replay", versions=False)


@pytest.fixture
def earlier(skill_notebook: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A package, and the folder of an evaluation of it."""
    package = export(skill_notebook, tmp_path / "skills").folder
    out = tmp_path / "out"
    with elsewhere(out / "trial-skill" / "home"):
        done = evaluate(package, tmp_path / "stubs", Settings(versions=False))
    (out / "results.json").write_text(json.dumps(suite([done], "0")), "utf-8")
    return package, out


@pytest.fixture
def replay(earlier: tuple[Path, Path], tmp_path: Path) -> Callable[..., Evaluation]:
    def again(settings: Settings = REPLAY) -> Evaluation:
        package, out = earlier
        runs = recorded(out, "trial-skill")
        bring(runs.home, tmp_path / "copy")
        with elsewhere(tmp_path / "copy"):
            return evaluate(package, tmp_path / "stubs", settings, recorded=runs)

    return again


def of_file(folder: Path) -> dict[str, Any]:
    (told,) = json.loads((folder / "results.json").read_text("utf-8"))["skills"]
    return told


def test_the_same_runs_give_the_same_verdict(earlier, replay, tmp_path):
    before, now = of_file(earlier[1]), replay().to_dict()
    assert now["verdict"] == before["verdict"] == "pass"
    runs = [case for case in before["cases"] if case["kind"] == "run"]
    assert [(c["case"], c["run"], c["ok"]) for c in now["cases"]] == [
        (c["case"], c["run"], c["ok"]) for c in runs
    ]
    assert now["left_out"] == ["add-1"]
    assert now["axes"] == before["axes"]


def test_no_step_is_called_and_no_run_is_made(earlier, replay, tmp_path):
    replay()
    made = sorted(path.name for path in (tmp_path / "copy" / "runs").rglob("*.jsonl"))
    there = sorted(p.name for p in (earlier[1] / "trial-skill" / "home" / "runs").rglob("*.jsonl"))
    assert made == there and made


def test_a_higher_threshold_is_tried_on_what_was_seen(replay):
    assert replay(Settings("replay", threshold=1.0, versions=False)).verdict == "pass"
    done = replay(Settings("replay", profile="classic", versions=False))
    assert (done.verdict, done.settings.profile) == ("pass", "classic")


def test_changed_code_is_seen(skill_notebook, earlier, replay, make_notebook, tmp_path):
    cells = [
        (role, text.replace("Add up.", "Add.") if text == ADD else text) for role, text in CELLS
    ]
    export(make_notebook(cells), tmp_path / "skills", force=True)
    done = replay()
    assert done.verdict == "fail"
    assert done.failed[0].audit is not None and done.failed[0].verdict != "pass"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[20, 30, 41]", "[20, 30, 42]", "was of another input than case 'case-1' has now"),
        ("What is the sum of 20", "Sum up 20", "was of another prompt than case 'case-1' has now"),
    ],
)
def test_a_run_of_another_question_is_no_proof(replay, make_notebook, tmp_path, old, new, said):
    cells = [(role, text.replace(old, new)) for role, text in CELLS]
    export(make_notebook(cells), tmp_path / "skills", force=True)
    done = replay()
    assert done.verdict == "fail"
    assert said in done.failed[0].wrong[0]


def test_a_case_without_a_run_does_not_hold(replay):
    done = replay(Settings("replay", trials=2, versions=False))
    assert done.verdict == "fail"
    assert "no run of trial 2 of case 'case-1' is recorded" in done.failed[0].wrong[0]


def test_a_null_eval_has_left_nothing_to_replay(earlier):
    path = earlier[1] / "results.json"
    told = json.loads(path.read_text("utf-8"))
    for case in told["skills"][0]["cases"]:
        case["run"] = None
    path.write_text(json.dumps(told), "utf-8")
    assert recorded(earlier[1], "trial-skill").runs == {}


def test_what_is_no_eval_is_refused(earlier, tmp_path):
    with pytest.raises(UsageError, match="tells of no skill 'other'"):
        recorded(earlier[1], "other")
    with pytest.raises(UnreadableError, match="there is no such file"):
        recorded(tmp_path, "trial-skill")
    (tmp_path / "results.json").write_text("[]", "utf-8")
    with pytest.raises(UnreadableError, match=r"is no results\.json"):
        recorded(tmp_path, "trial-skill")
    with pytest.raises(UsageError, match="no recorded runs"):
        bring(tmp_path / "absent", tmp_path / "copy")


def test_the_stage_needs_runs(earlier):
    with pytest.raises(UsageError, match="needs the folder of an earlier evaluation"):
        Stage(basis_of(earlier[0]), (), "replay")


def test_a_file_is_the_same_wherever_it_lies():
    from skills2_nb.evals.replayed import _is_same

    assert _is_same("/a/b/data/x.csv", "data/x.csv")
    assert not _is_same("/a/b/data/x.csv", "x.cs")
    assert not _is_same("/a/b/metadata/x.csv", "data/x.csv")
    assert not _is_same("data/x.csv", "x.csv")
    assert not _is_same("/a", "")
