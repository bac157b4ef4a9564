"""Which invariants are effective, and how much they notice."""

import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills2_nb.audit.strength import (
    Sample,
    Strength,
    effective_names,
    field_counts,
    measure,
    merge,
    open_steps,
    samples_of,
)
from skills2_nb.audit.tally import EXAMPLES, Tally
from skills2_nb.contract.canonical import withheld
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

HEAD = """
from typing import Literal
from pydantic import BaseModel
from skills2_nb.contract.step import step
import math

Grain = Literal["week", "month", "quarter"]
ASKED = []

class Out(BaseModel):
    current: int
    implied: int
    grain: Grain
    closes: bool
    flags: list[bool]
    rate: float | None
    note: str
    user_column: str
"""
STEP = """
@step(invariants=[check], report=["implied"])
def close(prev: int, new: int, lost: int, grain: Grain, user_column: str, log: list[int]) -> Out:
    implied = prev + new - lost
    return Out(current=implied, implied=implied, grain=grain, closes=True, flags=[True],
               rate=new / lost if lost else None, note="fine", user_column=user_column)
"""
GIVEN = {
    "prev": 157,
    "new": 20,
    "lost": 102,
    "grain": "month",
    "user_column": "id",
    "log": [3, 1, 2],
}
#: Name, parameters, body, whether it is effective.
ROWS = [
    ("a value is itself", "output", "return output.current == output.current", False),
    ("or True", "current", "return current is not None or True", False),
    ("is not None of an int", "current", "return current is not None", False),
    ("isinstance", "current", "return isinstance(current, int)", False),
    ("a choice among all", "grain", "return grain in ('week', 'month', 'quarter')", False),
    ("own boolean", "output", "return output.closes is True", False),
    ("own booleans", "output", "return all(output.flags) and output.closes", False),
    ("constant", "output", "return True", False),
    ("constant by assert", "output", "assert note is not None", False),
    ("raises on whatever differs", "implied", "return 1 / (implied == 75)", False),
    ("an answer that is text", "implied", "return 'no' if implied != 75 else True", False),
    ("reads the run it has not", "run", "return False", False),
    ("an input is itself", "inputs", "return inputs.prev == inputs.prev", False),
    ("says no to all", "implied", "return False", False),
    ("says no when asked again", "implied", "ASKED.append(1); return len(ASKED) < 2", False),
    ("not a NaN", "rate", "return rate is None or not math.isnan(rate)", False),
    ("the identity", "implied, prev, new, lost", "return implied == prev + new - lost", True),
    ("by assert", "implied, prev, new, lost", "assert implied == prev + new - lost", True),
    ("by attributes", "inputs, output", "return output.implied == inputs.prev + 10 - 102", True),
    ("by keys", "inputs", "return inputs['prev'] == 157", True),
    ("two fields", "current, implied", "return current == implied", True),
    ("a bound", "current", "return current > 0", True),
    ("a choice as asked", "inputs, output", "return output.grain == inputs.grain", True),
    ("a text as asked", "output, inputs", "return output.user_column == inputs.user_column", True),
    ("rows in order of coming", "log", "return log == [3, 1, 2]", True),
    ("how many rows", "log", "return len(log) == 3", True),
    ("a ratio", "rate, new, lost", "return rate is None or abs(rate * lost - new) < 1e-6", True),
    ("a boolean, figures", "closes, current, implied", "return closes == (current == implied)", 1),
    ("raises for some, no for others", "new, lost", "return new / lost < 0.2", True),
]  # fmt: skip


def one_step(parameters, body, name="close"):
    source = f"{HEAD}\ndef check({parameters}):\n    {body}\n{STEP}"
    return kit.skill_of(source, f"{name} {parameters} {body}")


def sample_of(skill, **changed):
    spec = skill.steps[0]
    inputs = spec.validate({**GIVEN, **changed})
    return Sample(spec.id, spec.plain_args(inputs), spec.plain_output(spec.fn(**inputs)))


@pytest.mark.parametrize("thorough", [True, False], ids=["thorough", "quick"])
@pytest.mark.parametrize(
    ("name", "parameters", "body", "effective"), ROWS, ids=[r[0] for r in ROWS]
)
def test_the_table(name, parameters, body, effective, thorough):
    skill = one_step(parameters, body)
    found = measure(skill, [sample_of(skill, new=10)], thorough=thorough)
    assert effective_names(found, "close") == ({"check"} if effective else set())


def test_the_spike_kills_nothing_with_tautologies():
    for name, parameters, body, effective in ROWS[:5]:
        skill = one_step(parameters, body)
        (tally,) = measure(skill, [sample_of(skill)], thorough=True).tallies.values()
        assert (tally.killed, effective) == ({"check": 0}, False), name


def test_a_degenerate_call_skips_equal_mutants_and_another_call_makes_up_for_it():
    skill = one_step("new, rate", "return rate is None or new >= 0")
    dull = sample_of(skill, new=0, lost=0)
    plain = measure(skill, [dull], thorough=True)
    assert effective_names(plain, "close") == set()
    both = measure(skill, [dull, sample_of(skill)])
    assert effective_names(both, "close") == {"check"}


def test_quick_stops_as_soon_as_nothing_is_open():
    skill = one_step("implied, prev, new, lost", "return implied == prev + new - lost")
    sample = sample_of(skill)
    (quick,) = measure(skill, [sample]).tallies.values()
    (full,) = measure(skill, [sample], thorough=True).tallies.values()
    assert quick.made == 1 and 30 < full.made <= 64
    assert open_steps(measure(skill, [sample]), skill) == ()
    known = measure(skill, [sample])
    assert measure(skill, [sample_of(skill, new=7)], known=known) == known


def test_a_report_field_stays_open_until_a_mutant_of_it_is_noticed():
    skill = one_step("current, prev", "return current < prev")
    found = measure(skill, [sample_of(skill)])
    assert effective_names(found, "close") == {"check"}
    assert open_steps(found, skill) == ("close",)
    assert field_counts(found, "close")["output/implied"][0] == 0


def test_only_what_an_effective_invariant_notices_counts_for_a_field():
    skill = one_step("closes", "return closes")
    counts = field_counts(measure(skill, [sample_of(skill)], thorough=True), "close")
    assert counts["output/closes"] == (0, 1)


def test_survivors_are_few_and_say_what_was_changed():
    skill = one_step("current, prev", "return current < prev")
    (tally,) = measure(skill, [sample_of(skill)], thorough=True).tallies.values()
    assert len(tally.survivors) == EXAMPLES
    assert tally.survivors[0] == ("output/implied", "implied 75 -> 76")


@pytest.mark.parametrize("what", ["args", "output"])
def test_values_kept_as_digests_cannot_be_measured(what):
    skill = one_step("current", "return current > 0")
    sample = sample_of(skill)
    hidden = {"args": {**sample.args, "new": withheld(20)}, "output": withheld(sample.output)}[what]
    made = measure(skill, [Sample(**{**vars(sample), what: hidden})])
    assert made == Strength(unmeasured={"close": "its values were kept only as digests"})


@pytest.mark.parametrize("output", [None, {"current": "x"}, [], {"$table": "0" * 64}], ids=str)
def test_values_that_no_longer_fit_are_told(home, output):
    skill = one_step("current", "return current > 0")
    made = measure(skill, [Sample("close", sample_of(skill).args, output)])
    assert made.tallies == {} and list(made.unmeasured) == ["close"]
    assert "\n" not in made.unmeasured["close"]


def test_the_samples_of_a_run_are_its_successes_with_the_run_before_each(honest):
    samples = list(samples_of(honest.skill, honest.state))
    assert [s.step for s in samples] == ["dominant", "quick", "close_identity", "load_flows"]
    assert all(sample.run is None for sample in samples)
    found = measure(honest.skill, samples)
    assert open_steps(found, honest.skill) == ()


def test_an_invariant_that_reads_the_run_is_asked_with_it(home):
    source = kit.TWO.replace("def below(output):\n    return output.share < 1e9", (
        "def below(output, run):\n    return output.share * 2 == run.outputs['first'].total"
    )).replace("part: float = 2.5", "part: float = 105.5")  # fmt: skip
    run = Run.start(kit.skill_of(source, "reads run"), {})
    assert walk(run).error is None
    found = measure(run.skill, samples_of(run.skill, run.state))
    assert effective_names(found, "second") == {"below"}


def test_an_invariant_that_writes_into_a_table_disturbs_no_other_step(home):
    pd = pytest.importorskip("pandas", reason="frames need pandas")
    source = """
from pydantic import BaseModel
from skills2_nb import Table
from skills2_nb.contract.step import step

class Log(BaseModel):
    log: Table

class Count(BaseModel):
    count: int

def has_rows(log):
    log["half"] = log["n"] / 2
    return log["half"].sum() == 3

def has_two_columns(log, count):
    return len(log.columns) == 2 and count == 3

@step(invariants=[has_rows])
def read(start: Table) -> Log:
    return Log(log=start)

@step(invariants=[has_two_columns])
def count(log: Table) -> Count:
    return Count(count=len(log))
"""
    frame = pd.DataFrame({"user": ["a", "b", "c"], "n": [1, 2, 3]})
    run = Run.start(kit.skill_of(source, "writes into a table"))
    run.call("read", {"start": frame})
    run.call("count")
    found = measure(run.skill, reversed(list(samples_of(run.skill, run.state))))
    assert open_steps(found, run.skill) == ()


def test_steps_without_invariants_are_not_measured(home):
    run = Run.start(kit.skill_of(kit.STUBS, "stubs"))
    walk(run)
    assert measure(run.skill, samples_of(run.skill, run.state)) == Strength()


WORD = st.sampled_from(["a", "b", "c"])
COUNT = st.integers(0, 9)
TALLY = st.builds(
    Tally,
    step=WORD,
    made=COUNT,
    killed=st.dictionaries(WORD, COUNT),
    effective=st.sets(WORD).map(lambda names: tuple(sorted(names))),
    fields=st.dictionaries(
        st.sampled_from(["output/x", "inputs/y"]),
        st.dictionaries(st.sampled_from(["", "a", "a,b"]), COUNT),
    ),
    survivors=st.lists(st.tuples(st.just("output/x"), st.text(max_size=5)), max_size=3).map(tuple),
)
STRENGTH = st.builds(
    Strength,
    tallies=st.dictionaries(st.sampled_from("0123"), TALLY),
    unmeasured=st.dictionaries(WORD, st.text(max_size=5)),
)


@given(STRENGTH, STRENGTH, STRENGTH)
def test_merging_is_a_union(one, two, three):
    assert merge(one, two) == merge(two, one)
    assert merge(one, one) == one
    assert merge(merge(one, two), three) == merge(one, merge(two, three))
    assert merge(one, Strength()) == one


@given(STRENGTH)
def test_as_json_and_back(strength):
    text = json.dumps(strength.to_dict())
    assert Strength.from_dict(json.loads(text)) == strength


@given(STRENGTH, STRENGTH)
def test_effective_on_any_call_is_effective(one, two):
    shared = one.tallies.keys() & two.tallies.keys()
    both = merge(one, Strength({k: t for k, t in two.tallies.items() if k not in shared}))
    for step in "abc":
        assert effective_names(both, step) >= effective_names(one, step)


@settings(max_examples=20, deadline=None)
@given(st.integers(-99, 999), st.integers(0, 999), st.integers(0, 99))
def test_a_constant_is_never_effective_and_the_identity_always_is(prev, new, lost):
    for body, wanted in (("return True", False), ("return implied == prev + new - lost", True)):
        skill = one_step("implied, prev, new, lost", body)
        found = measure(skill, [sample_of(skill, prev=prev, new=new, lost=lost)])
        assert bool(effective_names(found, "close")) is wanted


@pytest.mark.parametrize(
    "value", [None, [], {}, {"tallies": []}, {"tallies": {"a": {}}, "unmeasured": {}}], ids=str
)
def test_what_is_no_strength_is_refused(value):
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        Strength.from_dict(value)
