"""The metric-anomaly notebook: figures found a second way, and what it refuses."""

import csv
import datetime
import inspect
import json
import re
import runpy
import statistics
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from skills2_nb.contract.invariants import check
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk

pytest.importorskip("pandas", reason="metric anomaly stands on pandas")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "metric-anomaly.ipynb"
FOLDER = NOTEBOOK.with_suffix("")
ORDERS = {
    "path": str(FOLDER / "assets" / "daily_orders.csv"),
    "value_column": "orders",
    "segment_column": "channel",
}
SIGNUPS = {"path": str(FOLDER / "assets" / "daily_signups.csv"), "value_column": "signups"}
WEEK = datetime.timedelta(7)


@pytest.fixture(scope="module")
def module() -> ModuleType:
    made = ModuleType("metric_anomaly_under_test")
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if {"setup", "helper", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), made.__dict__)
    return made


@pytest.fixture(scope="module")
def steps(module: ModuleType) -> Skill:
    return Skill.collect(vars(module), "metric-anomaly")


@pytest.fixture
def run_of(steps: Skill) -> Callable[..., dict[str, Any]]:
    """Run all owed steps by binding; gives the outputs by step."""

    def run(series: dict[str, str], day: str, **inputs: Any) -> dict[str, Any]:
        walked = walk(Run.start(steps, inputs=series | {"day": day} | inputs))
        assert walked.error is None, walked.error
        return walked.outputs

    return run


# --- the same figures from the file, without tables -------------------------------------------


def totals(series: dict[str, str]) -> dict[datetime.date, float]:
    made: dict[datetime.date, float] = {}
    with Path(series["path"]).open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            day = datetime.date.fromisoformat(row["date"])
            made[day] = made.get(day, 0.0) + float(row[series["value_column"]])
    return made


def usual(known: dict[datetime.date, float], day: datetime.date) -> tuple[float, float, int]:
    """Median and spread of eight weeks before a day, sorted by hand; how many days compare."""
    columns = []
    for back in range(1, 8):
        days = [day - datetime.timedelta(back) - week * WEEK for week in range(8)]
        columns.append(sorted(known[each] for each in days if each in known))
    middles = [
        (column[(len(column) - 1) // 2] + column[len(column) // 2]) / 2 for column in columns
    ]
    distances = sorted(
        abs(value / middle - 1)
        for column, middle in zip(columns, middles, strict=True)
        for value in column
    )
    half = len(distances) / 2
    spread = 1.4826 * (distances[int(half - 0.5)] + distances[int(half)]) / 2
    return middles[6], middles[6] * spread, len(columns[6])


@pytest.mark.parametrize(
    ("series", "day"),
    [(ORDERS, f"2025-0{month}-{number}") for month in (4, 5, 6) for number in (11, 22, 29)]
    + [(SIGNUPS, "2025-06-18"), (SIGNUPS, "2025-07-06"), (ORDERS, "2025-03-14")],
)  # fmt: skip
def test_figures_agree_with_a_second_count(series, day, run_of):
    known, this = totals(series), datetime.date.fromisoformat(day)
    expected, spread, comparable = usual(known, this)
    outputs = run_of(series, day)
    base, score = outputs["set_baseline"], outputs["score_day"]
    assert len(outputs["find_comparable_days"].comparable_dates) == comparable
    assert outputs["find_comparable_days"].actual == known[this]
    assert (base.expected, base.spread) == pytest.approx((expected, spread), abs=2e-4)
    z = (known[this] - expected) / spread
    assert score.robust_z == pytest.approx(z, rel=1e-4)
    assert (score.verdict == "anomaly") is (abs(z) >= 3.5)
    assert score.deviation == known[this] - expected


def test_the_planted_stories_come_out(run_of):
    def told(series: dict[str, str], day: str) -> tuple[str, str | None, str | None]:
        outputs = run_of(series, day)
        shape, split = outputs.get("judge_shape"), outputs.get("split_by_segment")
        verdict = outputs["score_day"].verdict
        return verdict, shape and shape.shape, split and split.top_segment

    assert told(ORDERS, "2025-03-14") == ("anomaly", "one-off", "web")
    assert told(ORDERS, "2025-04-22") == ("anomaly", "one-off", "app")
    assert told(ORDERS, "2025-06-09") == ("anomaly", "level shift", "app")
    assert told(ORDERS, "2025-05-14") == ("normal", None, None)
    assert told(SIGNUPS, "2025-07-06") == ("anomaly", "too early", None)


def test_the_baseline_forgets_a_shift_as_the_prose_says(run_of):
    first, later = run_of(ORDERS, "2025-06-09"), run_of(ORDERS, "2025-07-06")
    assert later["score_day"].verdict == "normal"
    shares = [outputs["set_baseline"].spread_share for outputs in (first, later)]
    assert shares[1] > 2 * shares[0]


@pytest.mark.parametrize("day", ["2025-03-14", "2025-04-22", "2025-06-09"])
def test_contributions_and_remainder_close_on_the_deviation(day, run_of):
    outputs = run_of(ORDERS, day)
    split = outputs["split_by_segment"]
    assert split.segments == ["app", "store", "web"]
    assert sum(split.contributions) + split.remainder == outputs["score_day"].deviation


def test_a_side_that_does_not_count_is_no_anomaly(run_of):
    outputs = run_of(ORDERS, "2025-04-22", direction="up")
    assert outputs["score_day"].verdict == "normal"
    assert "judge_shape" not in outputs
    assert "to the side that does not count" in outputs["write_readout"].readout
    assert run_of(ORDERS, "2025-04-22", direction="down")["score_day"].verdict == "anomaly"


def test_a_day_after_a_gap_has_fewer_days_to_compare(run_of):
    found = run_of(ORDERS, "2025-04-12")["find_comparable_days"]
    assert len(found.comparable_dates) == 7
    assert "2025-04-05" not in found.comparable_dates
    assert run_of(ORDERS, "2025-04-12")["read_series"].missing_days == 2


def test_drawing_the_data_again_gives_the_same_bytes(tmp_path):
    runpy.run_path(str(FOLDER / "scripts" / "make_data.py"))["make"](tmp_path)
    for name in ("daily_orders.csv", "daily_signups.csv"):
        made = (FOLDER / "assets" / name).read_bytes()
        assert (tmp_path / name).read_bytes() == made
        assert len(made) < 300_000


def test_order_of_rows_and_a_byte_order_mark_change_nothing(run_of, write_log):
    head, *rows = Path(ORDERS["path"]).read_text(encoding="utf-8").splitlines()
    path = write_log("\ufeff" + "\r\n".join([head, *reversed(rows)]) + "\r\n")
    turned = run_of(ORDERS | {"path": str(path)}, "2025-04-22")
    assert turned["write_readout"] == run_of(ORDERS, "2025-04-22")["write_readout"]


# --- what it refuses, and odd series --------------------------------------------------------


def series_of(values: list[Any], start: str = "2025-01-06") -> str:
    first = datetime.date.fromisoformat(start)
    days = [first + datetime.timedelta(number) for number in range(len(values))]
    rows = [f"{day},{value}" for day, value in zip(days, values, strict=True)]
    return "date,v\n" + "\n".join(rows) + "\n"


def test_a_metric_that_never_moves_has_the_smallest_spread(run_of, write_log):
    path = write_log(series_of([1000] * 69 + [1010]))
    outputs = run_of({"path": str(path), "value_column": "v"}, "2025-03-16")
    assert outputs["set_baseline"].spread == 5.0
    assert outputs["score_day"].robust_z == 2.0
    assert outputs["score_day"].verdict == "normal"


def test_a_median_of_nought_is_refused(steps, write_log):
    path = write_log(series_of([5, 5, 5, 5, 5, 0, 0] * 10))
    inputs = {"path": str(path), "value_column": "v", "day": "2025-03-15"}
    walked = walk(Run.start(steps, inputs=inputs))
    assert "median of the days comparable with 2025-03-15 is 0" in str(walked.error)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as a table .* Save the series as CSV"),
        ("date,v\n", "column names but no days. Export it again"),
        ("day,v\n2025-01-06,1\n", "no column 'date' for the day. Its columns are: day, v"),
        ("date,v\n2025-01-06,\n", "1 rows have no value in column 'v'"),
        ("date,v\n06.01.2025,1\n", "are no days, the first is '06.01.2025' in data row 1"),
        ("date,v\n2025-01-06T10:00,1\n", "are no days"),
        ("date,v\n2025-02-30,1\n", "are no days, the first is '2025-02-30'"),
        ("date,v\n2025-01-06,n/a\n", "no numbers of 0 or more, the first is 'n/a'"),
        ("date,v\n2025-01-06,-3\n", "no numbers of 0 or more, the first is '-3'"),
        ("date,v\n2025-01-06,nan\n", "no numbers of 0 or more"),
        ("date,v\n2025-01-06,1\n2025-01-06,2\n", "1 rows repeat a day and segment, .* Name the"),
    ],
)
def test_a_series_that_cannot_be_read_says_why(text, sentence, module, write_log):
    with pytest.raises(ValueError, match=sentence):
        module.read_series(str(write_log(text)), "v")


def test_a_day_that_lacks_a_segment_is_refused(module, write_log):
    text = "date,s,v\n2025-01-06,a,1\n2025-01-06,b,1\n2025-01-07,a,1\n"
    with pytest.raises(ValueError, match="1 days lack a segment, the first is 2025-01-07 without"):
        module.read_series(str(write_log(text)), "v", segment_column="s")


@pytest.mark.parametrize(
    ("day", "weeks", "sentence"),
    [
        ("2025-04-05", 8, "gap on 2025-04-05: a day without data is neither high nor low"),
        ("2024-12-31", 8, "outside the series, which runs from 2025-01-06 to 2025-07-06"),
        ("2025-01-20", 8, "Only 2 days before 2025-01-20 fall on a Monday within 8 weeks"),
        ("22.04.2025", 8, "The day '22.04.2025' is none. Write it like 2025-04-22"),
        ("20250422", 8, "The day '20250422' is none"),
        ("2025-04-22", 3, "3 weeks are too few or too many"),
        ("2025-04-22", 99, "99 weeks are too few or too many"),
    ],
)
def test_a_day_that_cannot_be_judged_says_why(day, weeks, sentence, module):
    daily = module.read_series(ORDERS["path"], "orders", segment_column="channel").daily
    with pytest.raises(ValueError, match=sentence):
        module.find_comparable_days(daily, day, weeks)


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


def mutants(info: Any, value: Any) -> list[Any]:
    """Other values of the field's own type."""
    labels = [word for word in get_args(info.annotation) if isinstance(word, str)]
    if labels:
        return [label for label in labels if label != value]
    if isinstance(value, (int, float)):
        changed = [value + 1, value - 1, -value, value * 1.1 if value % 1 else round(value * 1.1)]
        return [other for other in changed if other != value]
    if isinstance(value, list):
        return [value[1:], value[::-1], [*value, value[-1]]]
    if isinstance(value, str):
        days = re.sub("2025-0([0-9])", lambda found: f"2024-0{found[1]}", value)
        return [other for other in (days, value + "x", "") if other != value]
    return []


@pytest.mark.parametrize(
    ("series", "day"), [(ORDERS, "2025-04-22"), (ORDERS, "2025-05-14"), (SIGNUPS, "2025-07-06")]
)
def test_no_wrong_figure_or_label_slips_through(series, day, steps):
    slipped = []
    for spec, args, output in recorded(steps, series | {"day": day}).values():
        assert all(each.ok for each in check(spec.invariants, args, output)), spec.id
        for field, info in type(output).model_fields.items():
            for wrong in mutants(info, getattr(output, field)):
                changed = output.model_copy(update={field: wrong})
                if all(each.ok for each in check(spec.invariants, args, changed)):
                    slipped.append((spec.id, field, wrong))
    assert [each for each in slipped if each[:2] != ("write_readout", "readout")] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("944", "994"), ("-16.21", "16.21"), ("one-off", "mixed"), ("is app", "is web"),
     ("1 among 54", "1 among 45"), ("0 of 7", "0 of 17"), ("deviation.", "deviation, up 9%."),
     ("2025-03-14", "2025-03-15")],
)  # fmt: skip
def test_a_readout_with_another_figure_is_caught(old, new, steps):
    spec, args, output = recorded(steps, ORDERS | {"day": "2025-04-22"})["write_readout"]
    assert old in output.readout
    wrong = output.model_copy(update={"readout": output.readout.replace(old, new)})
    assert not all(each.ok for each in check(spec.invariants, args, wrong))


def test_a_normal_day_gets_no_shape_and_no_segment(steps):
    spec, args, output = recorded(steps, ORDERS | {"day": "2025-05-14"})["write_readout"]
    for told in (" The shape is one-off.", " The top segment is web.", " Web gave 30."):
        wrong = output.model_copy(update={"readout": output.readout + told})
        assert not all(each.ok for each in check(spec.invariants, args, wrong)), told


def test_noise_alone_seldom_passes_the_sensitivity(module, write_log):
    """Over a year of plain noise few days are out, and no day is out by far."""
    noise = [1000 + 30 * statistics.NormalDist().inv_cdf((n * 0.618034) % 1) for n in range(1, 365)]
    daily = module.read_series(str(write_log(series_of([f"{v:.2f}" for v in noise]))), "v").daily
    counted = module.count_earlier_anomalies(daily, "2025-12-29", 40, 3.5, "either")
    assert counted.tested_days == 280
    assert counted.earlier_anomalies < 0.03 * 280
