"""skills2 gate."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ADD, CASES, TELL
from tests.evals.small_skill import evaluated

OWN = "skills/trial-skill/evals/baseline.json"
WRONG = {"tell": TELL.replace("a total of {total}.", "a total of {total}, of 77 in all.")}
WEAK = {"add": ADD.replace(" and count == len(values)", "")}


@pytest.fixture
def desk(bare):
    """`results/results.json` of the small skill, and a folder of its package."""
    (bare / "skills" / "trial-skill").mkdir(parents=True)
    (bare / "results").mkdir()
    put(bare, evaluated())
    return bare


def put(desk, results):
    (desk / "results" / "results.json").write_text(json.dumps(results))


def test_from_no_baseline_to_a_pass(desk, skills2):
    first = skills2("gate", "results")
    assert first.code == 3
    assert "trial-skill 0.1.0 (no baseline): inconclusive" in first.out
    assert "there is no baseline of trial-skill to hold it against." in first.out
    assert "skills2 gate results --accept" in first.out
    accepted = skills2("gate", "results", "--accept")
    assert (accepted.code, accepted.out) == (0, f"Wrote {OWN}: trial-skill 0.1.0.\n")
    done = skills2("gate", "results/results.json")
    assert done.code == 0
    assert done.out == (
        "trial-skill 0.1.0 (baseline 0.1.0): pass\n"
        "  3 cases: deterministic, one trial, no interval.\n\n"
        "pass: 1 skill compared with the baseline.\n"
    )
    assert skills2("gate", "results", "--accept").out.startswith(f"Unchanged: {OWN}")


def test_a_regression_is_a_row_a_sentence_and_one(desk, skills2):
    skills2("gate", "results", "--accept")
    put(desk, evaluated(WEAK))
    done = skills2("gate", "results")
    assert done.code == 1
    assert max(map(len, done.out.splitlines())) <= 80
    told = " ".join(done.out.split())
    assert "invariant total_is_sum of step add was weakened: it notices" in told
    assert "✗ invariant total_is_sum" in told
    assert "Also: the package changed, and its version is still 0.1.0." in told
    assert "Mend what is named, or accept it: skills2 gate results --accept" in told
    accepted = skills2("gate", "results", "--accept")
    assert accepted.code == 0 and "invariant total_is_sum" in accepted.out
    assert skills2("gate", "results").code == 0


def test_what_fails_is_accepted_for_a_reason_alone(desk, skills2):
    put(desk, evaluated(WRONG))
    refused = skills2("gate", "results", "--accept")
    assert (refused.code, refused.out) == (1, "")
    assert "not fit for a baseline: trial-skill: case case-1 does not hold" in refused.err
    assert not (desk / OWN).exists()
    done = skills2("gate", "results", "--accept", "--because", "the other team mends it")
    assert done.code == 0
    (kept,) = json.loads((desk / OWN).read_text())["skills"]
    assert kept["reason"] == "the other team mends it"
    after = skills2("gate", "results")
    assert after.code == 0 and "case case-1 still does not hold" in " ".join(after.out.split())


def test_json_has_its_fixed_shape(desk, skills2):
    skills2("gate", "results", "--accept")
    put(desk, evaluated(WRONG))
    done = skills2("gate", "results", "--json")
    assert done.code == 1
    assert set(done.json) == {"decision", "skills"}
    (one,) = done.json["skills"]
    assert set(one) == {"skill", "decision", "version", "before", "exact", "trials", "reasons",
                        "changes", "baseline"}  # fmt: skip
    assert (done.json["decision"], one["decision"], one["baseline"]) == ("fail", "fail", OWN)
    assert set(one["changes"][0]) == {"level", "about", "message", "before", "after"}
    put(desk, evaluated())
    accepted = skills2("gate", "results", "--accept", "--json").json
    assert set(accepted) == {"written", "skills"} and accepted["written"] == []


def test_trials_are_told_with_interval_and_p(desk, skills2):
    put(desk, evaluated(None, trials=10))
    assert skills2("gate", "results", "--accept").code == 0
    done = skills2("gate", "results", "--json")
    (one,) = done.json["skills"]
    assert (done.code, one["exact"], one["trials"]["pairs"], one["trials"]["p"]) == (0, 1, 2, 1.0)
    told = " ".join(skills2("gate", "results").out.split())
    assert "20 of 20 trials hold: 1.00, 95% interval 0.84 to 1.00 (Wilson)" in told
    assert "paired sign-flip test over 2 cases: p = 1.000" in told
    strict = skills2("gate", "results", "--rate", "0.95")
    assert strict.code == 3 and "leave open whether the pass rate reaches 0.95" in strict.out


def test_several_skills_share_a_file_and_the_worst_decides(desk, skills2):
    results, second = evaluated(), evaluated()["skills"][0]
    results["skills"].append({**second, "skill": "other-skill"})
    put(desk, results)
    assert skills2("gate", "results", "--baseline", "all.json", "--accept").code == 0
    kept = json.loads((desk / "all.json").read_text())["skills"]
    assert [each["skill"] for each in kept] == ["other-skill", "trial-skill"]
    results["skills"][1] = {**evaluated(WRONG)["skills"][0], "skill": "other-skill"}
    put(desk, results)
    done = skills2("gate", "results", "--baseline", "all.json", "--json")
    assert [each["decision"] for each in done.json["skills"]] == ["pass", "fail"]
    assert (done.code, done.json["decision"]) == (1, "fail")
    put(desk, {**results, "skills": results["skills"][:1]})
    done = skills2("gate", "results", "--baseline", "all.json")
    assert done.code == 3
    assert "other-skill stands in the baseline and was not evaluated" in " ".join(done.out.split())
    skills2("gate", "results", "--baseline", "all.json", "--accept")
    assert len(json.loads((desk / "all.json").read_text())["skills"]) == 2


def test_no_skill_at_all_is_an_empty_capture(desk, skills2):
    put(desk, {**evaluated(), "skills": []})
    done = skills2("gate", "results")
    assert done.code == 1 and "holds no skill, an empty capture" in done.out
    assert skills2("gate", "results", "--accept").code == 1


def test_ablate_fails_on_cases_that_null_passes(desk, skills2):
    idle = 'case("Rest.", id="idle", expected_audit="fail", expect={"findings": ["NO_RUN"]})'
    cases = CASES + "\n" + idle.replace(")", ", calls=[])", 1)
    put(desk, evaluated({"cases": cases}, versions=True))
    sentence = "case idle shows nothing: the null arm, which calls no step, passes it"
    assert sentence in " ".join(skills2("gate", "results").out.split())
    skills2("gate", "results", "--accept", "--because", "to see the other option")
    done = skills2("gate", "results", "--ablate")
    assert done.code == 1 and sentence in " ".join(done.out.split())


BAD = [
    (["gate"], "Missing argument"),
    (["gate", "nowhere"], "nowhere: there is no such file"),
    (["gate", "skills"], "results.json: there is no such file"),
    (["gate", "broken.json"], "broken.json is not JSON"),
    (["gate", "results", "--baseline", "broken.json"], "broken.json is not JSON"),
    (["gate", "results", "--rate", "1"], "--rate"),
    (["gate", "results", "--because", "so"], "add --accept"),
    (["gate", "results", "--accept", "--because", " "], "a reason"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_wrong_use_is_one_sentence_and_two(desk, home, words, said):
    """Through the real process, as a shell sees it."""
    (desk / "broken.json").write_text("{")
    done = subprocess.run(
        [sys.executable, "-c", "from skills2_nb.cli.main import main; main()", *words],
        cwd=desk,
        env={**os.environ, "SKILLS2_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr


def test_a_skill_without_a_folder_here_needs_a_named_file(bare, skills2):
    (bare / "results.json").write_text(json.dumps(evaluated()))
    done = skills2("gate", "results.json", "--accept")
    assert done.code == 2 and "name the file by --baseline" in done.err
    assert list(bare.iterdir()) == [bare / "results.json"]
