"""The growth-accounting notebook: figures counted a second way, and what it refuses."""

import csv
import datetime
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from skills2_nb.contract.errors import InputError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

pytest.importorskip("pandas", reason="growth accounting stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "growth-accounting.ipynb"
LOG = NOTEBOOK.parent / NOTEBOOK.stem / "assets" / "cdnow_sample.csv"
STEPS = [
    "define_active_user", "count_flows", "pick_decomposition_form",
    "compute_single_period_identity", "compute_quick_ratio", "classify_growth",
    "find_dominant_flow", "compute_rates", "compare_with_trend", "write_readout",
]  # fmt: skip
FLOWS = ("prev_mau", "new", "resurrected", "churned", "current_mau")


@pytest.fixture
def run_of(skill: Skill) -> Callable[..., dict[str, Any]]:
    """Run all steps by binding; gives the outputs by step."""

    def run(period: str, grain: str = "month", path: Path = LOG, **columns: str) -> dict[str, Any]:
        inputs = {"path": str(path), "user_column": "customer_id", "date_column": "date"}
        inputs |= columns | {"grain": grain, "period": period}
        walked = walk(Run.start(skill, inputs=inputs))
        assert walked.error is None, walked.error
        return walked.outputs

    return run


# --- the same figures, counted with sets and no pandas ------------------------------------


def bucket(day: datetime.date, grain: str) -> str:
    year, week, _ = day.isocalendar()
    quarter = (day.month + 2) // 3
    return {
        "week": f"{year}-W{week:02d}",
        "month": f"{day.year}-{day.month:02d}",
        "quarter": f"{day.year}-Q{quarter}",
    }[grain]


def second_count(grain: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Every period but the first: its predecessor and `FLOWS`."""
    active: dict[str, set[str]] = {}
    with LOG.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            key = bucket(datetime.date.fromisoformat(row["date"]), grain)
            active.setdefault(key, set()).add(row["customer_id"])
    order, counted, met = sorted(active), {}, set(active[min(active)])
    for before, now in itertools.pairwise(order):
        here, there = active[now], active[before]
        back = (here & met) - there
        flows = (len(there), len(here - met), len(back), len(there - here), len(here))
        counted[now] = (before, flows)
        met |= here
    return counted


SECOND = {grain: second_count(grain) for grain in ("week", "month", "quarter")}
PAIRS = [(grain, period) for grain, periods in SECOND.items() for period in periods]


@pytest.fixture(scope="module")
def logs(skill_module: ModuleType) -> dict[str, Any]:
    return {
        grain: skill_module.define_active_user(str(LOG), "customer_id", "date", grain).log
        for grain in SECOND
    }


def test_there_are_as_many_pairs_as_the_log_has():
    assert {grain: len(periods) for grain, periods in SECOND.items()} == {
        "week": 78,
        "month": 17,
        "quarter": 5,
    }


@pytest.mark.parametrize(("grain", "period"), PAIRS, ids=[period for _, period in PAIRS])
def test_flows_agree_with_the_second_count_and_close(grain, period, skill_module, logs):
    flows = skill_module.count_flows(logs[grain], grain, period)
    before, expected = SECOND[grain][period]
    assert flows.previous_period == before
    assert tuple(getattr(flows, name) for name in FLOWS) == expected
    identity = skill_module.compute_single_period_identity(*expected)
    assert (identity.implied, identity.residual) == (flows.current_mau, 0)


@pytest.mark.parametrize(
    ("period", "expected"),
    [("1998-03", (157, 0, 156, 102, 211)), ("1997-03", (981, 719, 61, 813, 948))],
)
def test_known_figures(period, expected):
    assert SECOND["month"][period][1] == expected


def test_new_is_nought_once_the_cohort_is_closed():
    arrivals = {period: flows[1] for period, (_, flows) in SECOND["month"].items()}
    assert {period for period, new in arrivals.items() if new} == {"1997-02", "1997-03"}


def test_the_whole_chain_for_march_1998(run_of):
    outputs = run_of("1998-03")
    assert list(outputs) == STEPS
    told = {name: value for output in outputs.values() for name, value in output}
    assert told["event_count"] == 6919
    assert told["user_count"] == 2357
    assert (told["first_date"], told["last_date"]) == ("1997-01-01", "1998-06-30")
    assert told["decomposition_form"] == "cohort"
    assert told["quick_ratio"] == pytest.approx(156 / 102, abs=5e-5)
    assert told["growth_class"] == "growing"
    assert (told["dominant_flow"], told["total_flow"]) == ("resurrected", 258)
    assert told["retention_rate"] == pytest.approx(55 / 157, abs=5e-5)
    assert told["growth_rate"] == pytest.approx(211 / 157 - 1, abs=5e-5)
    assert told["earlier_counts"] == [168, 176, 205, 183, 149, 157][-5:]
    assert (told["usual_count"], told["trend_position"]) == (176.0, "above")


# --- the readout ---------------------------------------------------------------------------


def shown(name: str, value: Any) -> str:
    """A value as the readout is meant to show it."""
    if value is None:
        return "undefined"
    if name in ("retention_rate", "growth_rate"):
        return f"{value:z.1%}"
    return f"{value:.2f}" if name == "quick_ratio" else str(value)


@pytest.mark.parametrize(
    ("grain", "period"),
    [
        *[("month", period) for period in SECOND["month"]],
        *[("quarter", period) for period in SECOND["quarter"]],
        *[("week", period) for period in ("1997-W02", "1998-W10", "1998-W27")],
    ],
)
def test_the_readout_carries_every_report_value(grain, period, skill, run_of):
    outputs = run_of(period, grain)
    text = outputs["write_readout"].readout
    for spec in skill.steps:
        for name in spec.report:
            value = getattr(outputs[spec.id], name)
            figure = shown(name, value)
            assert re.search(rf"(?<![\w.-]){re.escape(figure)}(?![\w%]|\.\d)", text), (name, figure)


@pytest.mark.parametrize("period", ["1998-03", "1997-03"])
def test_flows_stand_beside_their_names(period, run_of):
    text = run_of(period)["write_readout"].readout
    flows = dict(zip(FLOWS, SECOND["month"][period][1], strict=True))
    for name in ("new", "resurrected", "churned"):
        assert f"{name} {flows[name]}" in text


def test_an_unfinished_period_is_said(run_of):
    assert "The log ends on 1998-06-30, before the week does" in (
        run_of("1998-W27", "week")["write_readout"].readout
    )
    assert "The log ends" not in run_of("1998-06")["write_readout"].readout


# --- logs that are small or odd -------------------------------------------------------------


SMALL = "u,d\n01,2024-01-05\n02,2024-01-06\n01,2024-02-03\n02,2024-02-04\n03,2024-02-05\n"


def test_nobody_churned_leaves_the_ratio_undefined(run_of, write_log):
    outputs = run_of("2024-02", path=write_log(SMALL), user_column="u", date_column="d")
    assert outputs["compute_quick_ratio"].quick_ratio is None
    assert outputs["classify_growth"].growth_class == "undefined"
    assert outputs["pick_decomposition_form"].decomposition_form == "counts"
    assert "The quick ratio is undefined" in outputs["write_readout"].readout


def test_users_stay_text(skill_module, write_log):
    log = skill_module.define_active_user(str(write_log(SMALL)), "u", "d", "month").log
    assert sorted(set(log["user"])) == ["01", "02", "03"]


def test_repeated_rows_change_no_flow(skill_module, write_log, logs):
    once = LOG.read_text(encoding="utf-8")
    twice = once + once.split("\n", 1)[1]
    active = skill_module.define_active_user(str(write_log(twice)), "customer_id", "date", "month")
    assert active.event_count == 2 * 6919
    assert active.same_day_repeats >= 6919
    assert skill_module.count_flows(active.log, "month", "1998-03") == skill_module.count_flows(
        logs["month"], "month", "1998-03"
    )


def test_a_byte_order_mark_and_times_of_day_are_fine(skill_module, write_log):
    path = write_log("\ufeffu,d\r\na,2024-01-31T23:59:59\r\nb,2024-02-01 00:00\r\n")
    log = skill_module.define_active_user(str(path), "u", "d", "month").log
    assert [f"{day:%Y-%m-%d}" for day in log["date"]] == ["2024-01-31", "2024-02-01"]


def test_weeks_are_iso_weeks_over_new_year(skill_module, write_log):
    path = write_log("u,d\na,2020-12-27\na,2020-12-31\nb,2021-01-03\na,2021-01-04\n")
    log = skill_module.define_active_user(str(path), "u", "d", "week").log
    flows = skill_module.count_flows(log, "week", "2020-W53")
    assert (flows.previous_period, flows.prev_mau, flows.current_mau) == ("2020-W52", 1, 2)
    assert skill_module.count_flows(log, "week", "2021-W01").previous_period == "2020-W53"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as a table .* Save the log as CSV"),
        ("u,d\n", "has column names but no events. Export the log again"),
        ("v,d\na,2024-01-01\n", "no column 'u' for the user. Its columns are: v, d. Name one"),
        ("u,when\na,2024-01-01\n", "no column 'd' for the date. Its columns are: u, when"),
        ("u,d\na,2024-01-01\n,2024-01-02\n", "1 rows have no user .* data row 2. Fill them"),
        ("u,d\na,\n", "1 rows have no date in column 'd'"),
        ("u,d\na,31.01.2024\n", "is '31.01.2024' in data row 1. Write dates like 1998-03-31"),
        ("u,d\na,2024-02-30\n", "no readable date in column 'd', the first is '2024-02-30'"),
        ("u,d\na,2024-01-01T10:00:00Z\n", "times with a time zone, .* drop the zone"),
        ("u,d\na,2024-01-01 10:00+02:00\n", "times with a time zone"),
    ],
)
def test_a_log_that_cannot_be_counted_says_why_and_what_to_do(
    text, sentence, skill_module, write_log
):
    with pytest.raises(ValueError, match=sentence):
        skill_module.define_active_user(str(write_log(text)), "u", "d", "month")


def test_a_missing_file_is_named(skill_module):
    with pytest.raises(ValueError, match=r"There is no file 'nowhere\.csv'\. Give the path"):
        skill_module.define_active_user("nowhere.csv", "u", "d", "month")


@pytest.mark.parametrize(
    ("grain", "period", "sentence"),
    [
        ("month", "1997-01", "first in the log: .* Choose a month from 1997-02 to 1998-06"),
        ("week", "1997-W01", "first in the log: .* from 1997-W02 to 1998-W27"),
        ("month", "1998-07", "outside the log, which runs from 1997-01 to 1998-06. Choose"),
        ("quarter", "1996-Q4", "outside the log, which runs from 1997-Q1 to 1998-Q2"),
        ("month", "1998-3", "'1998-3' is not a month. Write it like 1998-03"),
        ("month", "1998-13", "'1998-13' is not a month"),
        ("week", "1997-W53", "'1997-W53' is not a week. Write it like 1998-W10"),
        ("quarter", "1998-Q5", "'1998-Q5' is not a quarter. Write it like 1998-Q1"),
        ("week", "March 1998", "'March 1998' is not a week"),
    ],
)
def test_a_period_that_cannot_be_compared_says_why(grain, period, sentence, skill_module, logs):
    with pytest.raises(ValueError, match=sentence):
        skill_module.count_flows(logs[grain], grain, period)


@pytest.mark.parametrize("period", ["2024-02", "2024-03"])
def test_a_gap_is_refused(period, skill_module, write_log):
    path = write_log("u,d\na,2024-01-01\na,2024-03-01\na,2024-04-01\n")
    log = skill_module.define_active_user(str(path), "u", "d", "month").log
    with pytest.raises(ValueError, match="No event falls in 2024-02: the log has a gap"):
        skill_module.count_flows(log, "month", period)


def test_a_log_of_one_period_is_refused(skill_module, write_log):
    path = write_log("u,d\na,2024-01-01\n")
    log = skill_module.define_active_user(str(path), "u", "d", "month").log
    with pytest.raises(ValueError, match="Bring a log that spans at least two months"):
        skill_module.count_flows(log, "month", "2024-01")


def test_an_unknown_grain_is_refused_before_the_step_runs(skill_module):
    with pytest.raises(InputError, match=r"week.*month.*quarter"):
        skill_module.define_active_user(str(LOG), "customer_id", "date", "day")
    with pytest.raises(ValueError, match=r"'day' is unknown\. Use week, month or quarter"):
        skill_module.to_period("1998-03", "day")
