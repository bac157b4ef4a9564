"""An earlier evaluation beside a new one."""

import json
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.home import elsewhere
from skills2_nb.convert.exporter import export
from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals import baseline
from skills2_nb.evals.comparable import earlier
from skills2_nb.evals.evaluation import Settings, evaluate, suite
from skills2_nb.views.comparing import against


@pytest.fixture
def told(skill_notebook: Path, tmp_path: Path) -> dict[str, Any]:
    """A results.json of one skill."""
    folder = export(skill_notebook, tmp_path / "skills").folder
    with elsewhere(tmp_path / "home"):
        return suite([evaluate(folder, tmp_path / "stubs", Settings(versions=False))], "0")


def test_a_baseline_and_the_results_it_was_made_of_compare_alike(told, tmp_path):
    results, kept = tmp_path / "results.json", tmp_path / "baseline.json"
    results.write_text(json.dumps(told), "utf-8")
    baseline.write(kept, {each.skill: each for each in baseline.results(results)})
    now = told["skills"][0]
    one, other = (against(now, earlier([path])) for path in (results, kept))
    assert one == other and one is not None
    assert (one.worse, one.cases) == ((), ())

    worse = {**now, "pass_rate": 0.5, "cases": [{**c, "ok": False} for c in now["cases"]]}
    one, other = (against(worse, earlier([path])) for path in (results, kept))
    assert one == other and len(one.cases) == 3


def test_several_files_are_one(told, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(told), "utf-8")
    (tmp_path / "b.json").write_text(json.dumps({**told["skills"][0], "skill": "other"}), "utf-8")
    found = earlier([tmp_path / "a.json", tmp_path / "b.json"])
    assert found is not None
    assert [each["skill"] for each in found["skills"]] == ["trial-skill", "other"]
    assert earlier([]) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"skills": [1]}', '{"skills": [{"a": 1}]}', "1"])
def test_what_is_neither_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=r"neither a baseline\.json nor a results\.json"):
        earlier([tmp_path / "x.json"])


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(UnreadableError, match="there is no such file"):
        earlier([tmp_path / "x.json"])
