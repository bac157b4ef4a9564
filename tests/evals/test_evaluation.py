"""All the cases of a skill, and what they come to."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals.evaluation import Evaluation, Settings, evaluate, suite
from tests.conftest import ADD, CASES, FRONT, MANIFEST, PROSE, SETUP, TELL

STEPS = "## Steps\n\n1. `add`: Add up.\n2. `tell`: Say it."


@pytest.fixture
def evaluated(make_notebook: Callable[..., Path], tmp_path: Path) -> Callable[..., Evaluation]:
    def made(
        cases: str = CASES, add: str = ADD, manifest: str = MANIFEST, **settings: Any
    ) -> Evaluation:
        cells = [("front", FRONT), ("prose", PROSE), ("prose", STEPS), ("manifest", manifest)]
        cells += [("setup", SETUP), ("step", add), ("step", TELL)]
        cells += [("cases", cases)] if cases else []
        folder = export(make_notebook(cells), tmp_path / "skills", force=True).folder
        place = tmp_path / f"place{len(list(tmp_path.iterdir()))}"
        return evaluate(folder, place, Settings(**settings))

    return made


def test_a_skill_whose_cases_hold_passes(evaluated):
    done = evaluated()
    assert (done.verdict, done.why) == ("pass", ())
    assert [(r.case, r.kind, r.ok) for r in done.results] == [
        ("add-1", "step", True),
        ("case-1", "run", True),
        ("case-2", "run", True),
    ]
    assert done.axes() == {"score": 1.0, "coverage": 1.0, "consistency": 1.0, "anchoring": 1.0}
    told = json.loads(json.dumps(done.to_dict()))
    assert (told["profile"], told["threshold"], told["runner"]) == ("strict", 0.8, "chain")
    assert [row["version"] for row in told["rows"]] == ["v1", "stubs", "contract"]
    # Stubs keep the order too, so a call that comes too early is refused there as well.
    assert [row["pass_rate"] for row in told["rows"]] == [0.0, 0.5, 1.0]
    assert len(told["case_rows"]) == 6


def test_a_broken_step_fails_it_and_is_named(evaluated):
    done = evaluated(add=ADD.replace("total=sum(values),", "total=sum(values) + 1,"))
    assert done.verdict == "fail"
    assert done.why[0] == "2 of 3 cases do not hold: add-1, case-1"
    assert "total_is_sum" in done.failed[0].wrong[0]


@pytest.mark.parametrize(
    ("cases", "settings", "verdict", "why"),
    [
        ("", {}, "unproven", "no run case"),
        ("add.case([1, 2], expect={'total': 3})", {}, "unproven", "no run case"),
        (CASES, {"threshold": 1.0}, "pass", None),
        (CASES, {"runner": "null"}, "fail", "2 of 3 cases do not hold"),
    ],
)
def test_what_keeps_it_from_a_pass(evaluated, cases, settings, verdict, why):
    done = evaluated(cases, versions=False, **settings)
    assert done.verdict == verdict
    assert done.arms == ()
    assert (why is None and done.why == ()) or why in " ".join(done.why)


FAULTS = {
    "a key of another kind": '{"id": "x", "prompt": 3}',
    "an unknown key": '{"id": "x", "prompt": "Hi", "must_cal": []}',
    "an id twice": '{"id": "case-1", "prompt": "Hi"}',
    "no JSON": "{",
}


@pytest.mark.parametrize("line", FAULTS.values(), ids=FAULTS)
def test_a_case_that_cannot_be_read_is_no_case_less(skill_notebook, tmp_path, line):
    folder = export(skill_notebook, tmp_path / "skills").folder
    cases = folder / "evals" / "cases.jsonl"
    cases.write_text(f"{cases.read_text()}{line}\n")
    with pytest.raises(UnreadableError, match=r"trial-skill: .*cases\.jsonl.*line 4"):
        evaluate(folder, tmp_path / "place", Settings(versions=False))


def test_a_threshold_that_is_not_reached(evaluated):
    honest = """case("What is the sum of 20, 30 and 41?", inputs={"values": [20, 30, 41]})"""
    unsaid = MANIFEST.replace('"adding up"', '"adding up", "nothing else"')
    done = evaluated(honest, manifest=unsaid, versions=False, profile="classic", threshold=0.95)
    assert done.settings.profile == "classic"
    assert done.verdict == "fail"
    assert "the score is 0.92, below the threshold of 0.95" in done.why


def test_a_case_that_the_prose_holds_too_shows_nothing(evaluated):
    idle = """case("Say nothing.", id="idle", expected_audit="fail",
     expect={"findings": ["NO_RUN"]}, calls=[])"""
    done = evaluated(f"{CASES}\n{idle}")
    assert done.undiscriminating == ("idle",)


def test_trials_multiply_run_cases_alone(evaluated):
    done = evaluated(trials=2, versions=False)
    assert [r.case for r in done.results] == ["add-1", "case-1", "case-1", "case-2", "case-2"]
    assert done.verdict == "pass"


@pytest.mark.parametrize(
    "settings", [{"profile": "mild"}, {"threshold": 1.5}, {"trials": 0}], ids=str
)
def test_settings_that_cannot_be(settings):
    with pytest.raises(UsageError):
        Settings(**settings)


def test_a_suite_is_as_good_as_its_worst(evaluated):
    good = evaluated()
    bad = evaluated(add=ADD.replace("total=sum(values),", "total=sum(values) + 1,"))
    assert suite([good], "0.1.0")["verdict"] == "pass"
    whole = suite([good, bad], "0.1.0")
    assert (whole["v"], whole["kit"], whole["verdict"]) == (1, "0.1.0", "fail")
    assert len(whole["rows"]) == 6
    assert suite([], "0.1.0")["verdict"] == "unproven"
