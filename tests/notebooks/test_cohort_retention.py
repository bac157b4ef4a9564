"""The cohort-retention notebook: figures counted a second way, and what it refuses."""

import csv
import datetime
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from skills2_nb.contract.errors import InputError
from skills2_nb.contract.invariants import check
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

pytest.importorskip("pandas", reason="cohort retention stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "cohort-retention.ipynb"
LOG = NOTEBOOK.parent / NOTEBOOK.stem / "assets" / "cdnow_sample.csv"
COLUMNS = {"user_column": "customer_id", "date_column": "date"}
STEPS = [
    "read_event_log", "form_cohorts", "tabulate_cohorts", "measure_retention", "weigh_base",
    "compare_cohorts", "trace_curve", "describe_shape", "write_readout",
]  # fmt: skip
Outputs = dict[str, Any]


@pytest.fixture(scope="module")
def module() -> ModuleType:
    made = ModuleType("cohort_retention_under_test")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if {"setup", "helper", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), made.__dict__)
    return made


@pytest.fixture
def run_of(module: ModuleType) -> Callable[..., Outputs]:
    """Run all steps by binding; gives the outputs by step."""
    skill = Skill.collect(vars(module), "cohort-retention")

    def run(grain: str, age: int, path: Path = LOG, **more: Any) -> Outputs:
        inputs = {"path": str(path), **COLUMNS, **more, "grain": grain, "age": age}
        walked = walk(Run.start(skill, inputs=inputs))
        assert walked.error is None, walked.error
        return walked.outputs

    return run


# --- the same table, counted by months since year 0 and no pandas --------------------------


def number(day: datetime.date, grain: str) -> int:
    """The running number of a period."""
    months = 12 * day.year + day.month - 1
    return {"week": (day.toordinal() - 1) // 7, "month": months, "quarter": months // 3}[grain]


def second_table(grain: str) -> dict[int, list[int]]:
    """By cohort: its active users at each age; the first is its size."""
    active: dict[str, set[int]] = {}
    last = number(datetime.date(1998, 7, 1), grain) - 1  # the log ends on 1998-06-30
    with LOG.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            day = datetime.date.fromisoformat(row["date"])
            active.setdefault(row["customer_id"], set()).add(number(day, grain))
    table: dict[int, list[int]] = {}
    for seen in active.values():
        born = min(seen)
        row = table.setdefault(born, [0] * (last - born + 1))
        for each in seen:
            if each <= last:
                row[each - born] += 1
    return dict(sorted(table.items()))


SECOND = {grain: second_table(grain) for grain in ("week", "month", "quarter")}


@pytest.mark.parametrize("grain", SECOND)
def test_every_cell_agrees_with_the_second_count(grain, module):
    log = module.read_event_log(str(LOG), *COLUMNS.values(), grain)
    cohorts = module.form_cohorts(log.log, grain, log.last_observed)
    made = module.tabulate_cohorts(log.log, cohorts.members, grain, cohorts.last_full_period)
    found: dict[str, list[int]] = {}
    for row in made.table.itertuples():
        found.setdefault(row.cohort, []).append(row.active)
        assert row.size == found[row.cohort][0]
    assert list(found.values()) == list(SECOND[grain].values())
    assert made.cell_count == sum(map(len, SECOND[grain].values()))


@pytest.mark.parametrize(
    ("grain", "age"),
    [*[("month", age) for age in (1, 2, 3, 6, 12, 15, 16, 17)], ("quarter", 5), ("week", 70)],
)
def test_the_whole_chain_agrees_with_the_second_count(grain, age, run_of):
    rows = [row for row in SECOND[grain].values() if len(row) > age]
    outputs = run_of(grain, age)
    assert list(outputs) == [s for s in STEPS if s != "compare_cohorts" or len(rows) > 1]
    told = {name: value for output in outputs.values() for name, value in output}
    base, kept = sum(row[0] for row in rows), sum(row[age] for row in rows)
    assert (told["eligible_count"], told["base_users"]) == (len(rows), base)
    assert told["retained_users"] == kept
    assert told["retention_rate"] == pytest.approx(kept / base, abs=5e-7)
    assert told["young_users"] == 2357 - base
    assert told["curve_active"] == [sum(row[at] for row in rows) for at in range(age + 1)]
    if len(rows) > 1:
        rates = [row[age] / row[0] for row in rows]
        assert told["best_rate"] == pytest.approx(max(rates), abs=5e-7)
        assert told["worst_rate"] == pytest.approx(min(rates), abs=5e-7)


def test_the_figures_of_the_prose(run_of):
    rows = SECOND["month"]
    assert [row[0] for row in rows.values()] == [781, 857, 719]
    march = [row[age] for row, age in zip(rows.values(), (14, 13, 12), strict=True)]
    february = [row[age] for row, age in zip(rows.values(), (13, 12, 11), strict=True)]
    assert (february, march) == ([47, 59, 51], [63, 70, 78])
    rates = [row[13] / row[0] for row in rows.values()]
    assert rates[2] == min(rates), "at age 13 the order has turned round"
    body = NOTEBOOK.read_text(encoding="utf-8")
    for grain, age in (("month", 3), ("month", 12), ("quarter", 4)):
        rate = run_of(grain, age)["measure_retention"].retention_rate
        assert f"{rate:.1%}" in body


@pytest.mark.parametrize(("base", "kept"), [(2357, 182), (10, 0), (10, 10), (29, 4), (30, 1)])
def test_the_interval_is_where_the_score_test_turns(base, kept, module):
    made = module.weigh_base(base, kept)
    z = 1.959964

    def is_inside(share: float) -> bool:
        return (kept / base - share) ** 2 * base <= z * z * share * (1 - share) + 1e-12

    inside = [each / 100_000 for each in range(100_001) if is_inside(each / 100_000)]
    assert (made.interval_low, made.interval_high) == pytest.approx(
        (inside[0], inside[-1]), abs=2e-5
    )
    assert made.base_class == ("small" if base < 30 else "broad")


# --- the checks ------------------------------------------------------------------------------

WRONG: dict[str, dict[str, Any]] = {
    "columns_as_asked": {"user_column": "date"},
    "definition_names_grain": {"grain": "week"},
    "counts_match_log": {"event_count": 6918},
    "dates_span_log": {"last_date": "1998-07-01"},
    "end_is_given_or_last_event": {"last_observed": "1998-07-31"},
    "last_period_is_over": {"last_full_period": "1998-05"},
    "cohorts_recounted": {"sizes": [780, 858, 719]},
    "every_user_has_one_cohort": {"user_count": 2358},
    "only_full_cells": {"table": "drop"},
    "table_is_measured": {"oldest_age": 18},
    "old_enough_are_in": {"eligible_count": 2},
    "every_user_is_placed": {"young_users": 1},
    "base_recounted": {"retained_users": 183},
    "rate_leads_back": {"retention_rate": 0.0773},
    "class_follows_base": {"base_class": "small"},
    "bounds_solve_the_score_test": {"interval_low": 0.068},
    "ranked_again": {"best_cohort": "1997-02"},
    "rates_are_theirs": {"worst_rate": 0.0577},
    "gap_reaches_its_level": {"gap_high": 0.08},
    "verdict_follows_gap": {"gap_verdict": "within chance"},
    "curve_has_every_age": {"curve_rates": [1.0]},
    "curve_recounted": {"curve_active": [2357, *[1] * 12]},
    "rates_follow_counts": {"curve_rates": [1.0, *[0.1] * 12]},
    "first_rate_is_age_one": {"first_rate": 0.1226},
    "half_age_is_the_first": {"half_age": 8},
    "flat_age_is_the_first": {"flat_age": 5},
    "shape_follows_curve": {"curve_shape": "falling"},
    "readout_carries_retention": {"readout": "The retention rate at age 12 is 7.7%."},
    "readout_carries_comparison": {"readout": "The best cohort is 1997-02."},
    "readout_carries_shape": {"readout": "The curve shape is falling."},
    "readout_adds_no_figure": {"readout": "Next year it will be 6.2%."},
}


@pytest.fixture(scope="module")
def recorded(module: ModuleType) -> list[tuple[Any, dict[str, Any], Any]]:
    """Each step of the month-12 run: spec, arguments and output."""
    skill = Skill.collect(vars(module), "cohort-retention")
    pool: dict[str, Any] = {"path": str(LOG), **COLUMNS, "grain": "month", "age": 12}
    made: list[tuple[Any, dict[str, Any], Any]] = []
    for spec in skill.steps:
        args = {}
        for parameter in inspect.signature(spec.fn, eval_str=True).parameters.values():
            whole = [out for _, _, out in made if type(out).__name__ in str(parameter.annotation)]
            args[parameter.name] = whole[0] if whole else pool.get(parameter.name)
        output = spec.fn(**args)
        pool |= dict(output)
        made.append((spec, args, output))
    return made


@pytest.mark.parametrize("invariant", WRONG)
def test_a_wrong_output_is_caught(invariant, recorded):
    spec, args, output = next(
        entry for entry in recorded if invariant in {i.name for i in entry[0].invariants}
    )
    assert [each.name for each in check(spec.invariants, args, output) if not each.ok] == []
    update = dict(WRONG[invariant])
    if update.get("table") == "drop":
        update["table"] = output.table.iloc[:-1]
    wrong = output.model_copy(update=update)
    caught = {each.name for each in check(spec.invariants, args, wrong) if not each.ok}
    assert invariant in caught


def test_a_table_or_a_log_with_another_cell_is_caught(recorded):
    for at, field, invariant in (
        (0, "log", "users_are_the_files"),
        (2, "table", "cells_recounted"),
    ):
        spec, args, output = recorded[at]
        frame = getattr(output, field).copy()
        frame.iloc[5, frame.columns.get_loc("user" if at == 0 else "active")] = (
            "9" if at == 0 else 1
        )
        wrong = output.model_copy(update={field: frame})
        assert invariant in {c.name for c in check(spec.invariants, args, wrong) if not c.ok}
    spec, args, output = recorded[1]
    moved = output.members.copy()
    moved["cohort"] = moved["cohort"].iloc[::-1].values
    wrong = output.model_copy(update={"members": moved})
    assert "members_came_then" in {c.name for c in check(spec.invariants, args, wrong) if not c.ok}


def test_the_table_of_wrong_outputs_names_every_invariant(recorded):
    frames = {"users_are_the_files", "cells_recounted", "members_came_then"}
    assert set(WRONG) | frames == {i.name for spec, _, _ in recorded for i in spec.invariants}


# --- logs that are small, odd or unreadable -------------------------------------------------

SMALL = "u,d\n01,2024-01-05\n02,2024-01-06\n01,2024-02-03\n03,2024-02-04\n03,2024-03-31\n"


def test_a_small_log_is_told_as_people(run_of, write_log):
    columns = {"user_column": "u", "date_column": "d"}
    outputs = run_of("month", 1, write_log(SMALL), **columns)
    told = outputs["measure_retention"]
    assert (told.retained_users, told.base_users, told.eligible_count) == (2, 3, 2)
    assert outputs["weigh_base"].base_class == "small"
    assert "compare_cohorts" not in outputs
    assert "cohorts are not compared" in outputs["write_readout"].readout
    assert sorted(outputs["form_cohorts"].members["user"]) == ["01", "02", "03"]


def test_an_unfinished_period_is_no_cell_and_its_newcomers_no_cohort(run_of, write_log):
    columns = {"user_column": "u", "date_column": "d"}
    text = SMALL + "04,2024-04-02\n"
    outputs = run_of("month", 1, write_log(text), **columns)
    assert outputs["form_cohorts"].last_full_period == "2024-03"
    assert outputs["form_cohorts"].late_users == 1
    assert "1 users who first came after 2024-03" in outputs["write_readout"].readout
    longer = run_of("month", 2, write_log(text), observed_until="2024-04-30", **columns)
    assert longer["form_cohorts"].last_full_period == "2024-04"
    assert longer["measure_retention"].base_users == 3


def test_weeks_are_iso_weeks_over_new_year(module, write_log):
    path = write_log("u,d\na,2020-12-28\na,2021-01-04\nb,2021-01-10\n")
    log = module.read_event_log(str(path), "u", "d", "week")
    assert module.form_cohorts(log.log, "week", log.last_observed).cohorts == [
        "2020-W53",
        "2021-W01",
    ]


def test_repeated_rows_change_no_cell(module, write_log):
    text = LOG.read_text(encoding="utf-8")
    path = write_log(text + text.split("\n", 1)[1])
    twice = module.read_event_log(str(path), *COLUMNS.values(), "month")
    assert (twice.event_count, twice.same_day_repeats >= 6919) == (2 * 6919, True)
    assert module.form_cohorts(twice.log, "month", "1998-06-30").sizes == [781, 857, 719]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as a table .* Save the log as CSV"),
        ("u,d\n", "has column names but no events. Export the log again"),
        ("v,d\na,2024-01-01\n", "no column 'u' for the user. Its columns are: v, d. Name one"),
        ("u,d\na,2024-01-01\n,2024-01-02\n", "1 rows have no user .* data row 2. Fill them"),
        ("u,d\na\n", "1 rows have no date in column 'd'"),
        ("u,d\na,2024-01-01,x\nb,2024-01-02,y\n", "more cells than there are column names"),
        ("u,d\na,31.01.2024\n", "is '31.01.2024' in data row 1. Write dates like 1998-03-31"),
        ("u,d\na,2024\n", "no readable date in column 'd', the first is '2024'"),
        ("u,d\na,2024-02-30\n", "no readable date in column 'd', the first is '2024-02-30'"),
        ("u,d\na,2024-01-01T10:00:00Z\n", "times with a time zone, .* drop the zone"),
    ],
)
def test_a_log_that_cannot_be_counted_says_why_and_what_to_do(text, sentence, module, write_log):
    with pytest.raises(ValueError, match=sentence):
        module.read_event_log(str(write_log(text)), "u", "d", "month")


@pytest.mark.parametrize(
    ("until", "sentence"),
    [
        ("1998-06-29", "events up to 1998-06-30, after the last observed day 1998-06-29. Give"),
        ("June 1998", "'June 1998' is not a date. Write it like 1998-06-30"),
        ("19980630", "'19980630' is not a date"),
    ],
)
def test_a_last_day_that_cannot_be_is_refused(until, sentence, module):
    with pytest.raises(ValueError, match=sentence):
        module.read_event_log(str(LOG), *COLUMNS.values(), "month", until)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("u,d\na,2024-01-01\na,2024-03-31\n", "No event falls in 2024-02: .* Fill it"),
        ("u,d\na,2024-01-15\n", "ends on 2024-01-15, before its first month is over"),
    ],
)
def test_gaps_and_logs_too_short_are_refused(text, sentence, module, write_log):
    log = module.read_event_log(str(write_log(text)), "u", "d", "month")
    with pytest.raises(ValueError, match=sentence):
        module.form_cohorts(log.log, "month", log.last_observed)


@pytest.mark.parametrize(
    ("age", "sentence"),
    [(0, "at age 0 every user is active .* from 1 to 17"), (18, "No cohort has reached age 18")],
)
def test_an_age_that_cannot_be_read_is_refused(age, sentence, recorded, module):
    with pytest.raises(ValueError, match=sentence):
        module.measure_retention(recorded[2][2].table, age, 2357)


def test_what_is_no_grain_file_or_count_is_refused(module):
    with pytest.raises(InputError, match=r"week.*month.*quarter"):
        module.read_event_log(str(LOG), *COLUMNS.values(), "day")
    with pytest.raises(ValueError, match=r"There is no file 'nowhere\.csv'\. Give the path"):
        module.read_event_log("nowhere.csv", "u", "d", "month")
    with pytest.raises(ValueError, match=r"12 of 10 users cannot be retained"):
        module.weigh_base(10, 12)
