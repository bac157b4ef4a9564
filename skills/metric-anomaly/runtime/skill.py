# Made from metric-anomaly.ipynb. Edit the notebook and export it again.


# %% setup Direction
import re
from datetime import date, timedelta
from itertools import pairwise
from statistics import median
from typing import Literal

import pandas as pd
from pydantic import BaseModel

from skills2_nb import Table, case, step

Direction = Literal["either", "up", "down"]

MAD_TO_SIGMA = 1.4826
SMALLEST_SPREAD = 0.005
MIN_COMPARABLE = 4
DAYS_AHEAD = 7
MIN_AHEAD = 3
NO_SEGMENT = "all"


# %% helper read_text
def read_text(path: str) -> pd.DataFrame:
    """Read a CSV file with every cell as text."""
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"There is no file '{path}'. Give the path of the daily series.") from None
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        raise ValueError(
            f"The file '{path}' cannot be read as a table ({error}). "
            "Save the series as CSV in UTF-8, with one row of column names."
        ) from None
    if rows.empty:
        raise ValueError(f"The file '{path}' has column names but no days. Export it again.")
    return rows


def pick_column(rows: pd.DataFrame, column: str, what: str) -> pd.Series:
    """Take one column as text without blanks at the edges; every row must fill it."""
    if column not in rows.columns:
        raise ValueError(
            f"The file has no column '{column}' for the {what}. Its columns are: "
            f"{', '.join(rows.columns)}. Name one of them."
        )
    cells = rows[column].str.strip()
    empty = cells.index[cells == ""]
    if len(empty):
        raise ValueError(
            f"{len(empty)} rows have no {what} in column '{column}', the first is data row "
            f"{empty[0] + 1}. Fill them, or leave these days out of the file whole."
        )
    return cells


def read_days(cells: pd.Series, column: str) -> pd.Series:
    """Read ISO days without a time of day."""
    days = pd.to_datetime(cells, format="%Y-%m-%d", errors="coerce")
    unread = cells[days.isna() | ~cells.str.fullmatch(r"\d{4}-\d{2}-\d{2}")]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows of column '{column}' are no days, the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. Write days like 2025-04-22."
        )
    return days


def read_values(cells: pd.Series, column: str) -> pd.Series:
    """Read plain numbers that are not below 0."""
    unread = cells[~cells.str.fullmatch(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows of column '{column}' are no numbers of 0 or more, the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. Write numbers like 1234.5, and "
            "leave a day out whole if its value is unknown."
        )
    return cells.astype(float)


def check_whole(parts: pd.DataFrame) -> None:
    """Refuse a day that has a segment twice, or not all segments."""
    twice = parts[parts.duplicated(["date", "segment"])]
    if len(twice):
        first = twice.iloc[0]
        raise ValueError(
            f"{len(twice)} rows repeat a day and segment, the first is {first['date']:%Y-%m-%d} "
            f"'{first['segment']}'. Name the segment_column that tells them apart, or add them up."
        )
    segments = sorted(set(parts["segment"]))
    sizes = parts.groupby("date").size()
    short = sizes.index[sizes < len(segments)]
    if len(short):
        there = set(parts.loc[parts["date"] == short[0], "segment"])
        lacking = next(name for name in segments if name not in there)
        raise ValueError(
            f"{len(short)} days lack a segment, the first is {short[0]:%Y-%m-%d} without "
            f"'{lacking}', and its total would look like a drop. Write 0 if nothing happened, or "
            "leave the day out whole."
        )


def to_day(text: str) -> date:
    """Read the day to judge."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:
        raise ValueError(f"The day '{text}' is none. Write it like 2025-04-22.")
    return found


# %% helper baseline
def baseline(daily: pd.DataFrame, day: date, start: date, weeks: int) -> tuple[float, float] | None:
    """Expected value of a day and its spread, from the weeks before `start`.

    None where the window holds too few days of the same weekday, or their median is 0.
    """
    first = pd.Timestamp(start) - pd.Timedelta(weeks=weeks)
    window = daily[(daily["date"] >= first) & (daily["date"] < pd.Timestamp(start))]
    weekday = window["date"].dt.day_of_week
    usual = window["value"].groupby(weekday).transform("median")
    same = usual[weekday == day.weekday()]
    if len(same) < MIN_COMPARABLE or same.iloc[0] <= 0:
        return None
    shares = (window["value"] / usual - 1).abs()[usual > 0]
    share = max(MAD_TO_SIGMA * float(shares.median()), SMALLEST_SPREAD)
    return float(same.iloc[0]), float(same.iloc[0]) * share


def known_days(daily: pd.DataFrame) -> dict[date, float]:
    """The series as a plain mapping."""
    return dict(zip(daily["date"].dt.date, daily["value"], strict=True))


def baseline_by_hand(
    known: dict[date, float], day: date, start: date, weeks: int
) -> tuple[float, float] | None:
    """The same as `baseline`, counted day by day without a table."""
    back = [start - timedelta(days) for days in range(1, 7 * weeks + 1)]
    by_weekday: dict[int, list[float]] = {}
    for each in back:
        if each in known:
            by_weekday.setdefault(each.weekday(), []).append(known[each])
    middles = {weekday: median(values) for weekday, values in by_weekday.items()}
    expected = middles.get(day.weekday(), 0)
    if expected <= 0 or len(by_weekday[day.weekday()]) < MIN_COMPARABLE:
        return None
    off = [
        abs(value - middles[weekday]) / middles[weekday]
        for weekday, values in by_weekday.items()
        if middles[weekday] > 0
        for value in values
    ]
    return expected, expected * max(MAD_TO_SIGMA * median(off), SMALLEST_SPREAD)


def is_out(deviation: float, spread: float, sensitivity: float, direction: str) -> bool:
    """Whether a deviation is large enough, and to a side that counts."""
    sides = {"up": (1,), "down": (-1,), "either": (1, -1)}[direction]
    return any(side * deviation >= sensitivity * spread for side in sides)


def out_by_hand(
    known: dict[date, float],
    days: list[date],
    start: date | None,
    weeks: int,
    sensitivity: float,
    direction: str,
) -> dict[date, bool]:
    """For each known day that has a baseline, whether it is out; `start` None means its own."""
    made = {}
    for each in days:
        found = baseline_by_hand(known, each, start or each, weeks) if each in known else None
        if found:
            z = (known[each] - found[0]) / found[1]
            made[each] = (z >= sensitivity and direction != "down") or (
                z <= -sensitivity and direction != "up"
            )
    return made


def number(value: float) -> str:
    """Write a number with at most two decimals: 944, 1176.5, -0.25."""
    return re.sub(r"\.?0+$", "", f"{value:z.2f}")


# %% step read_series
class DailySeries(BaseModel):
    parts: Table
    daily: Table
    segment_count: int
    day_count: int
    missing_days: int
    first_date: str
    last_date: str


def totals_close(parts, daily):
    sums: dict = {}
    for day, value in zip(parts["date"], parts["value"], strict=True):
        sums[day] = sums.get(day, 0.0) + value
    return list(sums) == list(daily["date"]) and all(
        abs(sums[day] - value) <= 1e-9 * max(1.0, abs(value))
        for day, value in zip(daily["date"], daily["value"], strict=True)
    )


def days_in_order(parts, daily, day_count):
    days = list(daily["date"])
    rows = list(zip(parts["date"], parts["segment"], strict=True))
    return len(days) == day_count and all(
        one < other for keys in (days, rows) for one, other in pairwise(keys)
    )


def every_day_has_all_segments(parts, segment_count, day_count):
    pairs = set(zip(parts["date"], parts["segment"], strict=True))
    names = {name for _, name in pairs}
    return len(names) == segment_count and len(pairs) == len(parts) == segment_count * day_count


def gaps_fill_the_span(daily, day_count, missing_days, first_date, last_date):
    first, last = daily["date"].iloc[0].date(), daily["date"].iloc[-1].date()
    told = (first_date, last_date) == (first.isoformat(), last.isoformat())
    return told and (last - first).days + 1 == day_count + missing_days


@step(
    invariants=[totals_close, days_in_order, every_day_has_all_segments, gaps_fill_the_span],
)
def read_series(
    path: str, value_column: str, date_column: str = "date", segment_column: str = ""
) -> DailySeries:
    """Read the series, one value per day and segment, and add up each day."""
    rows = read_text(path)
    days = read_days(pick_column(rows, date_column, "day"), date_column)
    values = read_values(pick_column(rows, value_column, "value"), value_column)
    names = pick_column(rows, segment_column, "segment") if segment_column else NO_SEGMENT
    parts = pd.DataFrame({"date": days, "segment": names, "value": values})
    parts = parts.sort_values(["date", "segment"], kind="stable", ignore_index=True)
    check_whole(parts)
    daily = parts.groupby("date", as_index=False)["value"].sum()
    first, last = daily["date"].iloc[0], daily["date"].iloc[-1]
    return DailySeries(
        parts=parts,
        daily=daily,
        segment_count=parts["segment"].nunique(),
        day_count=len(daily),
        missing_days=(last - first).days + 1 - len(daily),
        first_date=f"{first:%Y-%m-%d}",
        last_date=f"{last:%Y-%m-%d}",
    )


# %% step find_comparable_days
class ComparableDays(BaseModel):
    weekday: str
    weeks: int
    actual: float
    comparable_dates: list[str]
    comparable_values: list[float]


def weekday_of_day(inputs, output):
    return output.weekday == f"{date.fromisoformat(inputs.day):%A}" and output.weeks == inputs.weeks


def actual_stands_in_series(daily, day, actual):
    return known_days(daily).get(date.fromisoformat(day)) == actual


def whole_weeks_before(inputs, output):
    known = known_days(inputs.daily)
    this = date.fromisoformat(inputs.day)
    back = [this - timedelta(7 * number) for number in range(inputs.weeks, 0, -1)]
    wanted = [(each.isoformat(), known[each]) for each in back if each in known]
    pairs = list(zip(output.comparable_dates, output.comparable_values, strict=False))
    return pairs == wanted and len(output.comparable_dates) == len(output.comparable_values)


@step(invariants=[weekday_of_day, actual_stands_in_series, whole_weeks_before], report=["actual"])
def find_comparable_days(daily: Table, day: str, weeks: int = 8) -> ComparableDays:
    """Find the day's value, and the same weekday in the weeks before."""
    this = pd.Timestamp(to_day(day))
    first, last = daily["date"].iloc[0], daily["date"].iloc[-1]
    if not MIN_COMPARABLE <= weeks <= 52:
        raise ValueError(
            f"{weeks} weeks are too few or too many to compare with. Take {MIN_COMPARABLE} to 52."
        )
    if not first <= this <= last:
        raise ValueError(
            f"The day {day} lies outside the series, which runs from {first:%Y-%m-%d} to "
            f"{last:%Y-%m-%d}. Choose a day within it."
        )
    if not (daily["date"] == this).any():
        raise ValueError(
            f"The series has a gap on {day}: a day without data is neither high nor low. Fill the "
            "file from its source, or say that the day is missing."
        )
    rows = daily[
        (daily["date"].dt.day_of_week == this.weekday())
        & (daily["date"] < this)
        & (daily["date"] >= this - pd.Timedelta(weeks=weeks))
    ]
    if len(rows) < MIN_COMPARABLE:
        raise ValueError(
            f"Only {len(rows)} days before {day} fall on a {this:%A} within {weeks} weeks, and at "
            f"least {MIN_COMPARABLE} are needed. Choose a later day or bring a longer series."
        )
    return ComparableDays(
        weekday=f"{this:%A}",
        weeks=weeks,
        actual=float(daily.loc[daily["date"] == this, "value"].iloc[0]),
        comparable_dates=[f"{each:%Y-%m-%d}" for each in rows["date"]],
        comparable_values=[float(value) for value in rows["value"]],
    )


# %% step set_baseline
class Baseline(BaseModel):
    expected: float
    spread: float
    spread_share: float


def expected_splits_days(expected, comparable_values):
    below = sum(value < expected for value in comparable_values)
    above = sum(value > expected for value in comparable_values)
    return max(below, above) <= len(comparable_values) / 2


def baseline_found_by_hand(inputs, output):
    this = date.fromisoformat(inputs.day)
    found = baseline_by_hand(known_days(inputs.daily), this, this, inputs.weeks)
    return found is not None and all(
        abs(told - true) <= 0.0001
        for told, true in zip((output.expected, output.spread), found, strict=True)
    )


def share_leads_to_spread(expected, spread, spread_share):
    return abs(expected * spread_share - spread) <= 1e-6 * expected + 0.0001


@step(
    invariants=[expected_splits_days, baseline_found_by_hand, share_leads_to_spread],
    report=["expected", "spread"],
)
def set_baseline(daily: Table, day: str, weeks: int, comparable_values: list[float]) -> Baseline:
    """What the day would usually be, and how far usual days lie from that."""
    this = to_day(day)
    expected = float(pd.Series(comparable_values).median())
    found = baseline(daily, this, this, weeks)
    if found is None:
        raise ValueError(
            f"The median of the days comparable with {day} is 0, so nothing can be told from it. "
            "Add the metric up by week, or judge another one."
        )
    share = found[1] / found[0]
    return Baseline(
        expected=round(expected, 4),
        spread=round(expected * share, 4),
        spread_share=round(share, 8),
    )


# %% step score_day
class Score(BaseModel):
    deviation: float
    robust_z: float
    sensitivity: float
    direction: Direction
    verdict: Literal["normal", "anomaly"]


def settings_as_asked(inputs, output):
    return (output.sensitivity, output.direction) == (inputs.sensitivity, inputs.direction)


def deviation_leads_to_actual(actual, deviation, expected):
    return abs(expected + deviation - actual) <= 0.0001


def z_leads_to_deviation(robust_z, spread, deviation):
    return abs(robust_z * spread - deviation) <= 0.0001 * spread + 0.0001


def verdict_follows_z(verdict, robust_z, sensitivity, direction):
    reach = {"up": robust_z, "down": -robust_z, "either": abs(robust_z)}[direction]
    return verdict == ("normal", "anomaly")[reach >= sensitivity]


@step(
    invariants=[
        settings_as_asked,
        deviation_leads_to_actual,
        z_leads_to_deviation,
        verdict_follows_z,
    ],
    report=["deviation", "robust_z", "verdict"],
)
def score_day(
    actual: float,
    expected: float,
    spread: float,
    sensitivity: float = 3.5,
    direction: Direction = "either",
) -> Score:
    """Hold the day against its baseline."""
    if not 1 <= sensitivity <= 20:
        raise ValueError(
            f"A sensitivity of {sensitivity:g} makes every day an anomaly or none. "
            "Take 1 to 20 spreads, such as 3.5."
        )
    robust_z = round((actual - expected) / spread, 6)
    out = is_out(robust_z, 1.0, sensitivity, direction)
    return Score(
        deviation=round(actual - expected, 4),
        robust_z=robust_z,
        sensitivity=sensitivity,
        direction=direction,
        verdict="anomaly" if out else "normal",
    )


# %% step count_earlier_anomalies
class EarlierAnomalies(BaseModel):
    tested_days: int
    earlier_anomalies: int
    latest_anomaly: str | None


def earlier_days_counted_by_hand(inputs, output):
    this = date.fromisoformat(inputs.day)
    days = [this - timedelta(back) for back in range(7 * inputs.weeks, 0, -1)]
    outs = out_by_hand(
        known_days(inputs.daily), days, None, inputs.weeks, inputs.sensitivity, inputs.direction
    )
    found = [each.isoformat() for each, out in outs.items() if out]
    latest = found[-1] if found else None
    return (output.tested_days, output.earlier_anomalies, output.latest_anomaly) == (
        len(outs),
        len(found),
        latest,
    )


@step(
    invariants=[earlier_days_counted_by_hand],
    report=["tested_days", "earlier_anomalies"],
)
def count_earlier_anomalies(
    daily: Table, day: str, weeks: int, sensitivity: float, direction: Direction
) -> EarlierAnomalies:
    """How rare such a day was in the weeks before."""
    this = pd.Timestamp(to_day(day))
    recent = daily[(daily["date"] < this) & (daily["date"] >= this - pd.Timedelta(weeks=weeks))]
    tested, found = 0, []
    for each, value in zip(recent["date"].dt.date, recent["value"], strict=True):
        usual = baseline(daily, each, each, weeks)
        if usual is not None:
            tested += 1
            if is_out(value - usual[0], usual[1], sensitivity, direction):
                found.append(f"{each:%Y-%m-%d}")
    return EarlierAnomalies(
        tested_days=tested,
        earlier_anomalies=len(found),
        latest_anomaly=found[-1] if found else None,
    )


# %% step judge_shape
class Shape(BaseModel):
    following_days: int
    out_days: int
    shape: Literal["one-off", "mixed", "level shift", "too early"]


def is_anomaly(verdict):
    return verdict == "anomaly"


def following_counted_by_hand(inputs, output):
    this = date.fromisoformat(inputs.day)
    days = [this + timedelta(ahead) for ahead in range(1, DAYS_AHEAD + 1)]
    side = "up" if inputs.deviation > 0 else "down"
    outs = out_by_hand(known_days(inputs.daily), days, this, inputs.weeks, inputs.sensitivity, side)
    return (output.following_days, output.out_days) == (len(outs), sum(outs.values()))


def shape_follows_counts(shape, following_days, out_days):
    if following_days < MIN_AHEAD:
        return shape == "too early"
    thirds = 3 * out_days
    named = {"one-off": thirds <= following_days, "level shift": thirds >= 2 * following_days}
    return named.get(shape, shape == "mixed" and not any(named.values()))


@step(
    when=is_anomaly, invariants=[following_counted_by_hand, shape_follows_counts], report=["shape"]
)
def judge_shape(daily: Table, day: str, weeks: int, sensitivity: float, deviation: float) -> Shape:
    """Whether the days after it went back, or stayed."""
    this = to_day(day)
    start, side = pd.Timestamp(this), "up" if deviation > 0 else "down"
    later = daily[
        (daily["date"] > start) & (daily["date"] <= start + pd.Timedelta(days=DAYS_AHEAD))
    ]
    outs = []
    for each, value in zip(later["date"].dt.date, later["value"], strict=True):
        usual = baseline(daily, each, this, weeks)
        if usual is not None:
            outs.append(is_out(value - usual[0], usual[1], sensitivity, side))
    share = sum(outs) / max(len(outs), 1)
    shape = "one-off" if share <= 1 / 3 else "level shift" if share >= 2 / 3 else "mixed"
    return Shape(
        following_days=len(outs),
        out_days=sum(outs),
        shape=shape if len(outs) >= MIN_AHEAD else "too early",
    )


# %% step split_by_segment
class Contributions(BaseModel):
    segments: list[str]
    contributions: list[float]
    remainder: float
    top_segment: str
    top_contribution: float


def is_anomaly_in_segments(verdict, segment_count):
    return verdict == "anomaly" and segment_count > 1


def contributions_close(contributions, remainder, deviation):
    return abs(sum(contributions) + remainder - deviation) <= 0.0001 * (len(contributions) + 1)


def contributions_by_hand(inputs, output):
    by_name: dict = {}
    for each, name, value in zip(
        inputs.parts["date"].dt.date, inputs.parts["segment"], inputs.parts["value"], strict=True
    ):
        by_name.setdefault(name, {})[each.isoformat()] = value
    wanted = [
        values[inputs.day] - median(values[each] for each in inputs.comparable_dates)
        for _, values in sorted(by_name.items())
    ]
    return output.segments == sorted(by_name) and all(
        abs(told - true) <= 0.0001 for told, true in zip(output.contributions, wanted, strict=True)
    )


def top_moves_with_deviation(segments, contributions, top_segment, top_contribution, deviation):
    side = 1 if deviation > 0 else -1
    ranked = sorted(zip(contributions, segments, strict=True), key=lambda pair: -side * pair[0])
    return ranked[0] == (top_contribution, top_segment)


@step(
    when=is_anomaly_in_segments,
    invariants=[contributions_close, contributions_by_hand, top_moves_with_deviation],
    report=["top_segment", "top_contribution"],
)
def split_by_segment(
    parts: Table, day: str, comparable_dates: list[str], deviation: float
) -> Contributions:
    """Share the deviation out among the segments."""
    table = parts.pivot(index="date", columns="segment", values="value").sort_index(axis=1)
    usual = table.loc[pd.to_datetime(comparable_dates)].median()
    moves = (table.loc[pd.Timestamp(to_day(day))] - usual).round(4)
    top = moves.idxmax() if deviation > 0 else moves.idxmin()
    return Contributions(
        segments=[str(name) for name in moves.index],
        contributions=[float(move) for move in moves],
        remainder=round(deviation - float(moves.sum()), 4),
        top_segment=str(top),
        top_contribution=float(moves[top]),
    )


# %% step write_readout
class Readout(BaseModel):
    readout: str


DIRECTION_MEANS = {
    "either": "counting both sides",
    "up": "counting only rises",
    "down": "counting only falls",
}
SHAPE_MEANS = {
    "one-off": "the metric went back to its old level",
    "mixed": "the metric neither went back for good nor stayed away",
    "level shift": "the metric stayed at a new level, so the old baseline no longer fits",
    "too early": "with so few days after it a one-off and a new level look alike",
}


def says(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, and not as the head of a longer figure."""
    return re.search(re.escape(phrase) + r"(?![0-9A-Za-z]|[.,][0-9])", text) is not None


def readout_carries_score(readout, day, found, base, score, earlier):
    phrases = [
        f"verdict for {found.weekday} {day} is {score.verdict}",
        f"actual is {number(found.actual)}",
        f"expected is {number(base.expected)}",
        f"same weekday in the {found.weeks} weeks before ({len(found.comparable_dates)} known days",
        f"deviation is {number(score.deviation)}",
        f"spread is {number(base.spread)}",
        f"robust z is {score.robust_z:z.2f}",
        f"sensitivity of {score.sensitivity:g}",
        DIRECTION_MEANS[score.direction],
        f"earlier anomalies is {earlier.earlier_anomalies} among {earlier.tested_days} tested days",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_shape_and_segments(readout, shape=None, split=None):
    if shape is None:
        return re.search("shape is|top segment is", readout) is None
    phrases = [
        f"shape is {shape.shape}",
        f"{shape.out_days} of {shape.following_days} days after",
    ]
    if split is not None:
        phrases += [
            f"top segment is {split.top_segment}",
            f"contribution of {number(split.top_contribution)}",
            f"remainder {number(split.remainder)}",
            *(
                f"{name} {number(move)}"
                for name, move in zip(split.segments, split.contributions, strict=True)
            ),
        ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_adds_no_figure(readout, day, found, base, score, earlier, shape=None, split=None):
    dates = {day, earlier.latest_anomaly}
    known = {len(found.comparable_dates), found.weeks, earlier.earlier_anomalies}
    known |= {earlier.tested_days}
    names = []
    if shape is not None:
        known |= {shape.out_days, shape.following_days}
    values = [found.actual, score.deviation, base.expected, base.spread]
    if split is not None:
        names = sorted(split.segments, key=len, reverse=True)
        values += [*split.contributions, split.remainder]
    shown = {str(count) for count in known} | {number(value) for value in values}
    shown |= {f"{score.robust_z:z.2f}", f"{score.sensitivity:g}"}
    told = re.findall(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", readout)
    rest = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "", readout)
    for name in names:
        rest = rest.replace(name, "")
    return set(told) <= dates and set(re.findall(r"-?[0-9]+(?:\.[0-9]+)?%?", rest)) <= shown


def tell_score(day: str, found: ComparableDays, base: Baseline, score: Score) -> list[str]:
    """The sentences that every readout begins with."""
    return [
        f"The verdict for {found.weekday} {day} is {score.verdict}.",
        f"The actual is {number(found.actual)} and the expected is {number(base.expected)}, the "
        f"median of the same weekday in the {found.weeks} weeks before "
        f"({len(found.comparable_dates)} known days), so the deviation is "
        f"{number(score.deviation)}.",
        f"The spread is {number(base.spread)} and the robust z is {score.robust_z:z.2f}, against a "
        f"sensitivity of {score.sensitivity:g}, {DIRECTION_MEANS[score.direction]}.",
    ]


def tell_earlier(earlier: EarlierAnomalies) -> str:
    """How rare such a day was."""
    latest = f", the latest on {earlier.latest_anomaly}" if earlier.latest_anomaly else ""
    return (
        f"The number of earlier anomalies is {earlier.earlier_anomalies} among "
        f"{earlier.tested_days} tested days{latest}."
    )


def tell_segments(split: Contributions) -> list[str]:
    """Which segments the deviation is made of."""
    moves = [
        f"{name} {number(move)}"
        for name, move in zip(split.segments, split.contributions, strict=True)
    ]
    return [
        f"The top segment is {split.top_segment}, with a contribution of "
        f"{number(split.top_contribution)}.",
        f"All contributions: {', '.join(moves)}, remainder {number(split.remainder)}; together "
        "they are the deviation.",
    ]


@step(
    invariants=[readout_carries_score, readout_carries_shape_and_segments, readout_adds_no_figure]
)
def write_readout(
    day: str,
    found: ComparableDays,
    base: Baseline,
    score: Score,
    earlier: EarlierAnomalies,
    shape: Shape | None = None,
    split: Contributions | None = None,
) -> Readout:
    """Write the answer for its reader: every reported figure, and no other."""
    sentences = [*tell_score(day, found, base, score), tell_earlier(earlier)]
    if score.verdict == "normal" and abs(score.robust_z) >= score.sensitivity:
        sentences.append("The day is far out, but to the side that does not count here.")
    elif score.verdict == "normal":
        sentences.append("There is nothing to explain: the day lies within what is usual.")
    elif shape is not None:
        to_tell = " to tell" if shape.shape == "too early" else ""
        sentences.append(
            f"The shape is {shape.shape}{to_tell}: {shape.out_days} of {shape.following_days} days "
            f"after it are out to the same side; {SHAPE_MEANS[shape.shape]}."
        )
    if split is not None:
        sentences += tell_segments(split)
    return Readout(readout=" ".join(sentences))
