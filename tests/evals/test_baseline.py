"""What is kept of an evaluation, and files that are no baseline."""

import copy
import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.errors import SetupError, UnreadableError
from skills2_nb.evals.baseline import kept, read, results, write
from skills2_nb.evals.gate import decide, gate, worst
from skills2_nb.evals.kept import Kept
from tests.conftest import TELL
from tests.evals.small_skill import evaluated, known


def test_what_is_kept_of_a_skill():
    made = known()
    assert (made.skill, made.version, made.runner) == ("trial-skill", "0.1.0", "chain")
    assert (made.profile, made.threshold, made.f1_floor) == ("strict", 0.8, 0.7)
    assert (made.weights, made.anchors) == ((0.4, 0.35, 0.25), ("total", "adding up"))
    assert (made.verdict, made.score, made.broken, made.ablated) == ("pass", 1.0, "", False)
    assert [(c.id, c.kind, c.passes, c.trials, c.calls) for c in made.cases] == [
        ("add-1", "step", 1, 1, None),
        ("case-1", "run", 1, 1, 2),
        ("case-2", "run", 1, 1, 1),
    ]
    assert made.cases[1].written["must_call"] == ["add"]
    add, tell = made.steps
    assert (add.id, add.required, add.report, add.measured) == ("add", True, ("total",), True)
    assert tell.requires == ("add",) and not tell.hollow
    (item,) = add.invariants
    assert item.effective and 0 < item.killed <= item.made
    assert item.text.startswith("def total_is_sum(values, total, count):\n    return total ==")


def test_a_baseline_holds_no_run_no_time_and_no_place():
    text = json.dumps(known().to_dict())
    run = next(c["run"] for c in evaluated()["skills"][0]["cases"] if c["run"])
    assert run not in text and "seconds" not in text and "/tmp" not in text


def test_written_and_read_it_is_the_same_and_so_are_its_bytes(tmp_path):
    path = tmp_path / "evals" / "baseline.json"
    write(path, {"trial-skill": known()})
    first = path.read_bytes()
    assert read(path) == {"trial-skill": known()}
    write(path, read(path))
    assert path.read_bytes() == first
    assert [item.name for item in path.parent.iterdir()] == ["baseline.json"]


def test_a_view_reads_it_as_it_reads_results(tmp_path):
    from skills2_nb.views.comparing import against

    worse = evaluated({"tell": TELL.replace("a total of {total}", "{total + 1}")})["skills"][0]
    done = against(worse, {"skills": [known().to_dict()]})
    assert done is not None and done.version == "0.1.0"
    assert [(each.what, each.word) for each in done.cases] == [("case-1", "broken")]


def test_trials_are_counted_together_by_case():
    made = known(None, trials=3)
    assert [(case.id, case.passes, case.trials) for case in made.cases] == [
        ("add-1", 1, 1),
        ("case-1", 3, 3),
        ("case-2", 3, 3),
    ]


def test_results_are_found_in_the_folder_of_an_eval(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(evaluated()))
    assert results(tmp_path) == results(tmp_path / "results.json") == (known(),)


def test_no_file_is_no_baseline(tmp_path):
    assert read(tmp_path / "baseline.json") == {}


def test_a_skill_that_could_not_be_evaluated_says_why():
    told = evaluated()["skills"][0]
    del told["declared"]
    told |= {"cases": [], "verdict": "fail", "why": ["it does not import"], "threshold": None}
    done = decide(kept(told), known())
    assert (done.word, done.reasons) == (
        "fail",
        ("trial-skill could not be evaluated: it does not import",),
    )
    assert decide(kept({**told, "verdict": "unproven"}), None).word == "inconclusive"


def test_an_exit_code_speaks_against_a_pass():
    done = decide(kept({**evaluated()["skills"][0], "code": 1}), known())
    assert done.reasons == ("trial-skill could not be evaluated: it ended with exit code 1",)


NO_RESULTS = {
    "no JSON": "{",
    "no object": "[]",
    "another form": '{"v": 9, "skills": []}',
    "no skills": "{}",
    "a list of words": '{"v": 1, "skills": ["a"]}',
    "twice": '{"skills": [], "skills": []}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("text", NO_RESULTS.values(), ids=NO_RESULTS)
def test_what_is_no_results_is_said_in_one_sentence(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(UnreadableError, match=r"results\.json") as raised:
        results(path)
    assert "\n" not in str(raised.value)


def test_results_of_an_older_kit_are_not_taken_for_a_pass(tmp_path):
    old = evaluated()
    del old["skills"][0]["declared"]
    (tmp_path / "results.json").write_text(json.dumps(old))
    with pytest.raises(UnreadableError, match="evaluate the skill anew"):
        results(tmp_path)


TWICE = "two skills are called trial-skill"
EDITED = {
    "says pass, and a case fails": (lambda v: v["skills"][0]["cases"][0].update(ok=False), "add-1"),
    "a skill twice": (lambda v: v["skills"].append(v["skills"][0]), TWICE),
    "a way out": (lambda v: v["skills"][0].update(skill="../x"), "a skill is called '../x'"),
    "a line": (lambda v: v["skills"][0].update(skill="a\nb"), r"a skill is called 'a\\nb'"),
}


@pytest.mark.parametrize(("edit", "said"), EDITED.values(), ids=EDITED)
def test_results_that_contradict_themselves_are_not_read(tmp_path, edit, said):
    value = evaluated()
    edit(value)
    (tmp_path / "results.json").write_text(json.dumps(value))
    with pytest.raises(UnreadableError, match=said):
        results(tmp_path)


def test_a_fail_that_no_case_explains_stays_one():
    told = evaluated()["skills"][0] | {"verdict": "fail", "why": ["the notebook says so"]}
    done = decide(kept(told), known())
    assert (done.word, done.reasons) == (
        "fail",
        ("trial-skill could not be evaluated: the notebook says so",),
    )


def test_a_baseline_names_each_skill_and_case_once(tmp_path):
    path = tmp_path / "baseline.json"
    write(path, {"trial-skill": known()})
    value = json.loads(path.read_text())
    (skill,) = value["skills"]
    path.write_text(json.dumps({**value, "skills": [skill, skill]}))
    with pytest.raises(UnreadableError, match=TWICE):
        read(path)
    path.write_text(json.dumps({**value, "skills": [{**skill, "cases": skill["cases"] * 2}]}))
    with pytest.raises(UnreadableError, match="two cases of trial-skill are called"):
        read(path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"v": 1}', '{"v": 2, "skills": []}', '{"v": 1, "skills": [{}]}']
)
def test_what_is_no_baseline_is_said_and_not_taken_for_none(tmp_path, text):
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(UnreadableError, match=r"baseline\.json is no"):
        read(path)


def test_no_file_at_all(tmp_path):
    with pytest.raises(UnreadableError, match="no such file"):
        results(tmp_path / "nothing")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(SetupError):
        write(tmp_path / "evals" / "baseline.json", {})


def test_a_file_where_the_folder_belongs(tmp_path):
    (tmp_path / "evals").write_text("")
    with pytest.raises(SetupError, match="a file stands where a folder must be"):
        write(tmp_path / "evals" / "baseline.json", {})


# --- whatever stands in the files, the gate decides or says that it cannot read them --------------

NUMBERS = st.integers(-3, 10**20) | st.floats(allow_nan=False)
PLAIN = st.none() | st.booleans() | NUMBERS | st.text(max_size=5)
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any, drop: bool) -> Any:
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    if drop:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return made


@given(st.data())
def test_a_skill_of_results_with_anything_in_any_place(data):
    told = evaluated()["skills"][0]
    place = data.draw(st.sampled_from([p for p in places(told) if p]))
    damaged = changed(told, place, data.draw(ANY), data.draw(st.booleans()))
    try:
        now = kept(damaged)
    except (KeyError, TypeError, ValueError, AttributeError):
        return
    assert worst(gate([now], {"trial-skill": known()})) in ("pass", "fail", "inconclusive")


@given(st.data())
def test_a_baseline_with_anything_in_any_place(data):
    told = json.loads(json.dumps(known().to_dict()))
    place = data.draw(st.sampled_from([p for p in places(told) if p]))
    damaged = changed(told, place, data.draw(ANY), data.draw(st.booleans()))
    try:
        before = Kept.from_dict(damaged)
    except (KeyError, TypeError, ValueError, AttributeError):
        return
    done = decide(known(), before)
    assert json.loads(json.dumps(done.to_dict()))["decision"] == done.word
