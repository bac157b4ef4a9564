"""The experiment-readout notebook: figures found a second way, and what it refuses."""

import csv
import inspect
import json
import math
import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills2_nb.contract.invariants import check
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

pytest.importorskip("pandas", reason="experiment readout stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "experiment-readout.ipynb"
FOLDER = NOTEBOOK.with_suffix("")
EFFECT_STEPS = ["measure_rates", "estimate_effect", "compare_with_threshold", "check_power"]
SPLITS = {
    "one_page_checkout.csv": 0.5,
    "search_ranking.csv": 0.5,
    "free_shipping_banner.csv": 0.5,
    "shorter_footer.csv": 0.2,
}
Z = 1.959963984540054


@pytest.fixture(scope="module")
def module() -> ModuleType:
    made = ModuleType("experiment_readout_under_test")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if {"setup", "helper", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), made.__dict__)
    return made


@pytest.fixture(scope="module")
def steps(module: ModuleType) -> Skill:
    return Skill.collect(vars(module), "experiment-readout")


@pytest.fixture
def run_of(steps: Skill) -> Callable[..., dict[str, Any]]:
    """Run all owed steps by binding; gives the outputs by step."""

    def run(path: Path, **inputs: Any) -> dict[str, Any]:
        plan = {"planned_share": 0.5, "practical_threshold": 1.0} | inputs
        walked = walk(Run.start(steps, inputs={"path": str(path)} | plan))
        assert walked.error is None, walked.error
        return walked.outputs

    return run


# --- the same figures by other means --------------------------------------------------------


def counted(name: str) -> tuple[Counter, Counter, int]:
    """Users and conversions by arm, and the crossover users, with sets and no pandas."""
    with (FOLDER / "assets" / name).open(encoding="utf-8", newline="") as lines:
        rows = {(row["user"], row["arm"], row["converted"]) for row in csv.DictReader(lines)}
    seen = Counter(user for user, _, _ in rows)
    kept = [(arm, done) for user, arm, done in rows if seen[user] == 1]
    users = Counter(arm for arm, _ in kept)
    return users, Counter(arm for arm, done in kept if done == "1"), len(seen) - len(kept)


def score_ends(conversions: int, users: int) -> list[float]:
    """Wilson's ends as the roots of n (p - x)^2 = z^2 x (1 - x)."""
    p, k = conversions / users, Z * Z / users
    a, b, c = 1 + k, -(2 * p + k), p * p
    root = math.sqrt(b * b - 4 * a * c)
    return [(-b - root) / (2 * a), (-b + root) / (2 * a)]


@pytest.mark.parametrize("name", SPLITS)
def test_figures_agree_with_a_second_count(name, run_of):
    users, conversions, crossovers = counted(name)
    outputs = run_of(FOLDER / "assets" / name, planned_share=SPLITS[name])
    told = {field: value for output in outputs.values() for field, value in output}
    assert told["crossover_users"] == crossovers
    assert told["control_users"] == users["control"]
    assert told["treatment_users"] == users["treatment"]
    total, share = users.total(), SPLITS[name]
    chi_square = (users["treatment"] - share * total) ** 2 / (total * share * (1 - share))
    assert told["chi_square"] == pytest.approx(chi_square, abs=1e-5)
    assert told["srm_p_value"] == pytest.approx(math.erfc(math.sqrt(chi_square / 2)), rel=0.006)
    assert ("estimate_effect" in outputs) is (name != "search_ranking.csv")
    if "estimate_effect" in outputs:
        rates = {arm: conversions[arm] / users[arm] for arm in users}
        low_c, high_c = score_ends(conversions["control"], users["control"])
        low_t, high_t = score_ends(conversions["treatment"], users["treatment"])
        gap = rates["treatment"] - rates["control"]
        low = gap - math.sqrt((rates["treatment"] - low_t) ** 2 + (high_c - rates["control"]) ** 2)
        high = gap + math.sqrt((high_t - rates["treatment"]) ** 2 + (rates["control"] - low_c) ** 2)
        assert told["difference"] == pytest.approx(100 * gap, abs=1e-4)
        assert told["low_difference"] == pytest.approx(100 * low, abs=1e-4)
        assert told["high_difference"] == pytest.approx(100 * high, abs=1e-4)


def test_newcombes_published_example(module):
    effect = module.estimate_effect(80, 70, 48, 56, 0.95)
    found = [round(end / 100, 4) for end in (effect.low_difference, effect.high_difference)]
    assert found == [0.0524, 0.3339]


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 400), st.integers(0, 400)),
    st.tuples(st.integers(1, 400), st.integers(0, 400)),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_the_interval_holds_its_difference_and_stays_in_bounds(module, control, treatment, level):
    (users_c, done_c), (users_t, done_t) = control, treatment
    args = (users_c, users_t, min(done_c, users_c), min(done_t, users_t), level)
    effect = module.estimate_effect(*args)  # its invariants hold too, or it raises
    ends = (effect.low_difference, effect.difference, effect.high_difference)
    assert -100 <= ends[0] <= ends[1] <= ends[2] <= 100


def test_the_planted_stories_come_out(run_of):
    def told(name: str, **inputs: Any) -> tuple[Any, Any]:
        outputs = run_of(FOLDER / "assets" / name, **inputs)
        compared = outputs.get("compare_with_threshold")
        return outputs["check_sample_ratio"].split_check, compared and compared.finding

    assert told("one_page_checkout.csv") == ("passed", "superior")
    assert told("search_ranking.csv") == ("failed", None)
    assert told("free_shipping_banner.csv") == ("passed", "inconclusive")
    footer = {"planned_share": 0.2, "practical_threshold": 2.0}
    assert told("shorter_footer.csv", **footer) == ("passed", "equivalent")
    # Read without the split check the leak would look like a win: its interval lies above 0.
    users, conversions, _ = counted("search_ranking.csv")
    naive = [conversions[arm] / users[arm] for arm in ("control", "treatment")]
    assert naive[1] - naive[0] > Z * math.sqrt(
        sum(
            rate * (1 - rate) / users[arm]
            for rate, arm in zip(naive, ("control", "treatment"), strict=True)
        )
    )


def test_drawing_the_data_again_gives_the_same_bytes(tmp_path):
    runpy.run_path(str(FOLDER / "scripts" / "make_data.py"))["make"](tmp_path)
    for name in SPLITS:
        made = (FOLDER / "assets" / name).read_bytes()
        assert (tmp_path / name).read_bytes() == made
        assert len(made) < 300_000


# --- what it refuses, and odd files ---------------------------------------------------------


def test_nobody_in_control_has_no_lift_and_no_power(run_of, write_log):
    rows = [f"c{n},control,0" for n in range(40)] + [f"t{n},treatment,{n % 2}" for n in range(40)]
    outputs = run_of(write_log("user,arm,converted\n" + "\n".join(rows) + "\n"))
    assert outputs["estimate_effect"].relative_lift is None
    assert outputs["check_power"].power_check == "undefined"
    text = outputs["write_readout"].readout
    assert "power check says undefined" in text and "lift" not in text


def test_other_names_of_columns_and_arms(run_of, write_log):
    rows = [f"{n:03d},{'AB'[n % 2]},{n % 3 % 2}" for n in range(60)]
    outputs = run_of(
        write_log("\ufeffid,variant,bought\r\n" + "\r\n".join(rows) + "\r\n"),
        user_column="id", arm_column="variant", outcome_column="bought",
        control="A", treatment="B",
    )  # fmt: skip
    assert outputs["read_assignments"].users["user"].iloc[7] == "007"
    assert outputs["count_arms"].control_users == 30


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as a table .* Save the users as CSV"),
        ("user,arm,converted\n", "column names but no users. Export the test again"),
        (
            "user,arm\na,control\nb,treatment\n",
            "no column 'converted' for the outcome. Its columns are",
        ),
        ("user,arm,converted\n,control,0\n", "1 rows have no user .* data row 1"),
        ("user,arm,converted\na,control,0\n", "holds the arms control, and the test compares"),
        ("user,arm,converted\na,control,0\nb,treatment,1\nc,C,1\n", "arms C, control, treatment"),
        ("user,arm,converted\na,control,yes\nb,treatment,1\n", "neither 0 nor 1, the first is"),
        ("user,arm,converted\na,control,0\na,control,1\nb,treatment,1\n", "two different outcomes"),
        ("user,arm,converted\na,control,0\na,treatment,0\n", "1 of 1 users are in both arms"),
    ],
)
def test_a_file_that_cannot_be_read_out_says_why(text, sentence, module, write_log):
    with pytest.raises(ValueError, match=sentence):
        module.read_assignments(str(write_log(text)))


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ((50, 1.0), "planned share of 50 is none"),
        ((0.5, 0.0), "threshold of 0 percentage points"),
        ((0.5, 1.0, 95), "confidence of 95 gives no interval. Write it as a share"),
        ((0.5, 1.0, 0.95, 0.2), "srm_alpha of 0.2"),
        ((float("nan"), 1.0), "planned share of nan"),
    ],
)
def test_a_plan_without_sense_is_refused(plan, sentence, module):
    with pytest.raises(ValueError, match=sentence):
        module.state_plan(*plan)


# --- the checks can fail ----------------------------------------------------------------------


def recorded(skill: Skill, inputs: dict[str, Any]) -> dict[str, tuple[Any, dict[str, Any], Any]]:
    """Each owed step of a run: spec, arguments and output."""
    outputs = walk(Run.start(skill, inputs=inputs)).outputs
    pool, made = dict(inputs), {}
    for spec in [step for step in skill.steps if step.id in outputs]:
        args = {}
        for parameter in inspect.signature(spec.fn, eval_str=True).parameters.values():
            kinds = {parameter.annotation, *get_args(parameter.annotation)}
            whole = [out for _, _, out in made.values() if type(out) in kinds]
            args[parameter.name] = (
                whole[0] if whole else pool.get(parameter.name, parameter.default)
            )
        made[spec.id] = (spec, args, outputs[spec.id])
        pool |= dict(outputs[spec.id])
    return made


@pytest.mark.parametrize("name", ["one_page_checkout.csv", "search_ranking.csv"])
def test_no_wrong_figure_or_label_slips_through(name, steps):
    path = str(FOLDER / "assets" / name)
    inputs = {"path": path, "planned_share": 0.5, "practical_threshold": 1.0}
    slipped = []
    for spec, args, output in recorded(steps, inputs).values():
        assert all(each.ok for each in check(spec.invariants, args, output)), spec.id
        for field, info in type(output).model_fields.items():
            for wrong in mutants(info, getattr(output, field)):
                changed = output.model_copy(update={field: wrong})
                if all(each.ok for each in check(spec.invariants, args, changed)):
                    slipped.append((spec.id, field, wrong))
    assert slipped == []


def mutants(info: Any, value: Any) -> list[Any]:
    """Other values of the field's own type."""
    labels = [word for word in get_args(info.annotation) if isinstance(word, str)]
    if labels:
        return [label for label in labels if label != value]
    if isinstance(value, (int, float)):
        empty = [None] if type(None) in get_args(info.annotation) else []
        changed = [value + 1, value - 1, -value, value * 1.1 if value % 1 else round(value * 1.1)]
        return [other for other in (*changed, *empty) if other != value]
    return []


@pytest.mark.parametrize(
    ("old", "new"),
    [("3.29", "3.39"), ("7.91%", "7.19%"), ("superior", "inferior"), ("is ship", "is drop"),
     ("4473", "4437"), ("2.07 to", "-2.07 to"), ("22881", "2288"),
     ("left out.", "left out. Mobile won by 9.")],
)  # fmt: skip
def test_a_readout_with_another_figure_is_caught(old, new, steps):
    path = str(FOLDER / "assets" / "one_page_checkout.csv")
    inputs = {"path": path, "planned_share": 0.5, "practical_threshold": 1.0}
    spec, args, output = recorded(steps, inputs)["write_readout"]
    assert old in output.readout
    wrong = output.model_copy(update={"readout": output.readout.replace(old, new)})
    assert not all(each.ok for each in check(spec.invariants, args, wrong))


def test_a_readout_tells_no_effect_behind_a_broken_split(steps):
    path = str(FOLDER / "assets" / "search_ranking.csv")
    inputs = {"path": path, "planned_share": 0.5, "practical_threshold": 1.0}
    made = recorded(steps, inputs)
    assert not set(EFFECT_STEPS) & set(made)
    spec, args, output = made["write_readout"]
    for told in (" The treatment rate is higher.", " The decision is ship.", " It won by 2.12."):
        wrong = output.model_copy(update={"readout": output.readout + told})
        assert not all(each.ok for each in check(spec.invariants, args, wrong)), told
