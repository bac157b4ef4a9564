# Made from funnel-diagnosis.ipynb. Edit the notebook and export it again.


# %% setup Grain
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

import pandas as pd
from pydantic import BaseModel, Field

from skills2_nb import Table, case, step

Grain = Literal["week", "month", "quarter"]
Verdict = Literal["clear", "within chance", "small base"]

FREQUENCY = {"week": "W-SUN", "month": "M", "quarter": "Q-DEC"}
EXAMPLE = {"week": "2025-W10", "month": "2025-03", "quarter": "2025-Q1"}
SHAPE = {
    "week": "([0-9]{4})-W([0-9]{2})",
    "month": "([0-9]{4})-([0-9]{2})",
    "quarter": "([0-9]{4})-Q([1-4])",
}
START = pd.Timestamp(0)
DAY = 24 * 60 * 60
MOST_SEGMENTS = 12
SMALL_BASE = 30
LEVEL = 0.95
OUTWEIGHS = 2


# %% helper to_period
def to_period(text: str, grain: str) -> pd.Period:
    """Read `2025-W10`, `2025-03` or `2025-Q1` as the span of days it names."""
    if grain not in FREQUENCY:
        raise ValueError(f"The grain '{grain}' is unknown. Use week, month or quarter.")
    unread = ValueError(f"The period '{text}' is not a {grain}. Write it like {EXAMPLE[grain]}.")
    found = re.fullmatch(SHAPE[grain], text)
    if found is None:
        raise unread
    year, number = int(found[1]), int(found[2])
    try:
        if grain == "week":
            first_day = date.fromisocalendar(year, number, 1)
        else:
            first_day = date(year, number if grain == "month" else 3 * number - 2, 1)
    except ValueError:
        raise unread from None
    return pd.Period(first_day, FREQUENCY[grain])


def label(period: pd.Period, grain: str) -> str:
    """Write a period the way `to_period` reads it."""
    first_day = period.start_time
    if grain == "week":
        iso = first_day.isocalendar()
        return f"{iso.year:04d}-W{iso.week:02d}"
    part = f"{first_day.month:02d}" if grain == "month" else f"Q{first_day.quarter}"
    return f"{first_day.year:04d}-{part}"


def check_periods(
    entries: pd.Series, before: pd.Period, after: pd.Period, grain: str, horizon: tuple[str, int]
) -> None:
    """Refuse two periods that cannot be compared by this log."""
    names = [label(each, grain) for each in (before, after)]
    if before >= after:
        raise ValueError(
            f"The period before ({names[0]}) does not come before the one after ({names[1]}). "
            "Swap them."
        )
    periods = entries.dt.to_period(FREQUENCY[grain])
    for each, name in zip((before, after), names, strict=True):
        if not (periods == each).any():
            raise ValueError(
                f"Nobody enters the funnel in {name}: entries run from "
                f"{label(periods.min(), grain)} to {label(periods.max(), grain)}. "
                f"Choose a {grain} from that span."
            )
    last_observed, window_days = horizon
    needed = after.end_time.date() + timedelta(days=window_days)
    if date.fromisoformat(last_observed) < needed:
        raise ValueError(
            f"The log is observed until {last_observed}, and whoever entered at the end of "
            f"{names[1]} has {window_days} days, up to {needed}. Choose an earlier {grain}, "
            "shorten the window, or bring a longer log."
        )


def checked_rates(before: tuple[int, int], after: tuple[int, int], looks: int) -> list[float]:
    """The interval of a change of rate, in points, widened for the places looked at."""
    z = NormalDist().inv_cdf(1 - (1 - LEVEL) / (2 * looks))
    eased = [((passed + 1) / (base + 2), base + 2) for passed, base in (before, after)]
    middle = eased[1][0] - eased[0][0]
    half = z * sum(share * (1 - share) / size for share, size in eased) ** 0.5
    return [round(100 * (middle - half), 6), round(100 * (middle + half), 6)]


def reaches_its_level(
    interval: tuple[float, float], before: tuple[int, int], after: tuple[int, int], looks: int
) -> bool:
    """Whether an interval in points holds the change with the chance it promises."""
    (was, base_was), (now, base_now) = before, after
    middle = 100 * ((now + 1) / (base_now + 2) - (was + 1) / (base_was + 2))
    cells = ((was + 1, base_was - was + 1), (now + 1, base_now - now + 1))
    spread = 100 * sum(yes * no / (yes + no) ** 3 for yes, no in cells) ** 0.5
    outside = 2 * looks * (1 - NormalDist().cdf((interval[1] - middle) / spread))
    return (
        interval[0] < interval[1]
        and abs(sum(interval) - 2 * middle) <= 0.0001
        and abs(outside - (1 - LEVEL)) <= 0.01 * (1 - LEVEL)
    )


def verdict_of(bases: Sequence[int], high: float) -> Verdict:
    """A drop is clear if its interval lies below 0, and no base is small."""
    if min(bases) < SMALL_BASE:
        return "small base"
    return "clear" if high < 0 else "within chance"


# %% helper read_text
TIME_ZONE = "[T ][0-9:.,]+ ?(?:[Zz]|[+-][0-9:]+)$"
ISO_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?"


def read_text(path: str) -> pd.DataFrame:
    """Read a CSV file with every cell as text, so that user 0042 stays 0042."""
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"There is no file '{path}'. Give the path of the event log.") from None
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        raise ValueError(
            f"The file '{path}' cannot be read as a table ({error}). "
            "Save the log as CSV in UTF-8, with one row of column names."
        ) from None
    if not isinstance(rows.index, pd.RangeIndex):
        raise ValueError(
            f"The rows of '{path}' have more cells than there are column names. "
            "Name every column, or quote the cells that hold a comma."
        )
    if rows.empty:
        raise ValueError(f"The file '{path}' has column names but no events. Export the log again.")
    return rows.fillna("")


def pick_column(rows: pd.DataFrame, column: str, what: str) -> pd.Series:
    """Take one column as text without blanks at the edges; every row must fill it."""
    if column not in rows.columns:
        raise ValueError(
            f"The log has no column '{column}' for the {what}. Its columns are: "
            f"{', '.join(rows.columns)}. Name one of them."
        )
    cells = rows[column].str.strip()
    empty = cells.index[cells == ""]
    if len(empty):
        raise ValueError(
            f"{len(empty)} rows have no {what} in column '{column}', the first is data row "
            f"{empty[0] + 1}. Fill them, or leave these rows out of the file."
        )
    return cells


def read_times(cells: pd.Series, column: str) -> pd.Series:
    """Read ISO dates, with or without a time of day, as they stand."""
    zoned = cells[cells.str.contains(TIME_ZONE)]
    if len(zoned):
        raise ValueError(
            f"Column '{column}' holds times with a time zone, such as '{zoned.iloc[0]}', and the "
            "day of an event depends on it. Convert them to one local time and drop the zone."
        )
    whole = cells.where(cells.str.fullmatch(ISO_DATE))
    times = pd.to_datetime(whole, format="ISO8601", errors="coerce")
    unread = cells[times.isna()]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows have no readable time in column '{column}', the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. "
            "Write times like 2025-03-31T18:05."
        )
    return times


def check_stages(stages: list[str], seen: pd.Series) -> None:
    """Refuse stages that are no funnel, or that the log does not have."""
    if len(stages) < 2 or len(set(stages)) < len(stages):
        raise ValueError(
            f"A funnel takes two stages or more, each once, and here are {stages}. "
            "List them in their order, the entry first."
        )
    known = sorted(seen.unique())
    for stage in stages:
        if stage not in known:
            raise ValueError(
                f"No event has the stage '{stage}'. The log's stages are: {', '.join(known[:20])}. "
                "Write it as it stands there."
            )


def check_segments(segments: pd.Series, column: str) -> None:
    """Refuse a column that does not split users into a few groups."""
    count = segments.nunique()
    if count > MOST_SEGMENTS:
        raise ValueError(
            f"Column '{column}' has {count} different values, and segments mean something only "
            f"while each is large. Choose a column with at most {MOST_SEGMENTS}, or group them."
        )


def read_end(observed_until: str | None, last: pd.Timestamp) -> str:
    """The last day that the log covers: the one given, else that of the last event."""
    if observed_until is None:
        return f"{last:%Y-%m-%d}"
    written = re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", observed_until)
    end = pd.to_datetime(observed_until if written else None, errors="coerce")
    if pd.isna(end):
        raise ValueError(
            f"The last observed day '{observed_until}' is not a date. Write it like 2025-06-15."
        )
    if end < last.normalize():
        raise ValueError(
            f"The log has events up to {last:%Y-%m-%d}, after the last observed day "
            f"{observed_until}. Give a later day, or leave it out."
        )
    return f"{end:%Y-%m-%d}"


# %% step read_events
class Events(BaseModel):
    log: Table
    user_column: str
    segment_column: str
    event_count: int
    other_events: int
    events_by_stage: list[int]
    segment_count: int
    last_observed: str


def columns_as_asked(inputs, output):
    asked = (inputs.user_column, inputs.segment_column)
    return asked == (output.user_column, output.segment_column)


def counts_match_log(log, stages, event_count, events_by_stage, segment_count):
    seen = list(log["stage"])
    return (
        event_count == len(seen) == sum(events_by_stage)
        and events_by_stage == [seen.count(stage) for stage in stages]
        and segment_count == len(set(log["segment"]))
    )


def log_is_in_order(log):
    keys = list(zip(log["time"], log["user"], strict=True))
    return all(earlier <= later for earlier, later in pairwise(keys))


def rows_are_the_files(inputs, output):
    rows = read_text(inputs.path)
    names = (inputs.user_column, inputs.stage_column, inputs.segment_column)
    told = Counter(zip(*(rows[name].str.strip() for name in names), strict=True))
    kept = [output.log[name] for name in ("user", "stage", "segment")]
    funnel = Counter({row: count for row, count in told.items() if row[1] in inputs.stages})
    return (
        funnel == Counter(zip(*kept, strict=True))
        and output.other_events == told.total() - funnel.total()
    )


def end_is_given_or_last_event(path, time_column, observed_until, last_observed):
    last = max(time.strip() for time in read_text(path)[time_column])[:10]
    return last_observed == (observed_until or last) and last <= last_observed


@step(
    invariants=[
        columns_as_asked,
        counts_match_log,
        log_is_in_order,
        rows_are_the_files,
        end_is_given_or_last_event,
    ]
)
def read_events(
    path: str,
    user_column: str,
    time_column: str,
    stage_column: str,
    segment_column: str,
    stages: list[str],
    observed_until: str | None = None,
) -> Events:
    """Read the event log and keep the events of the funnel's stages."""
    rows = read_text(path)
    log = pd.DataFrame(
        {
            "user": pick_column(rows, user_column, "user"),
            "time": read_times(pick_column(rows, time_column, "time"), time_column),
            "stage": pick_column(rows, stage_column, "stage"),
            "segment": pick_column(rows, segment_column, "segment"),
        }
    )
    check_stages(stages, log["stage"])
    last = log["time"].max()
    kept = log[log["stage"].isin(stages)]
    check_segments(kept["segment"], segment_column)
    kept = kept.sort_values(["time", "user"], kind="stable", ignore_index=True)
    by_stage = kept["stage"].value_counts()
    return Events(
        log=kept,
        user_column=user_column,
        segment_column=segment_column,
        event_count=len(kept),
        other_events=len(log) - len(kept),
        events_by_stage=[int(by_stage[stage]) for stage in stages],
        segment_count=kept["segment"].nunique(),
        last_observed=read_end(observed_until, last),
    )


# %% step follow_users
class Followed(BaseModel):
    people: Table
    entered_before: int
    entered_after: int
    skipped_users: int
    disordered_users: int


def walk_stages(
    events: list[tuple[float, str, str]], stages: list[str], window: float
) -> tuple[float, str, int, str] | None:
    """One user's entry, segment, last stage in order, and what is odd; None without an entry."""
    entry = next(((time, segment) for time, stage, segment in events if stage == stages[0]), None)
    if entry is None:
        return None
    at, reached, end = entry[0], 1, entry[0] + window
    inside = [(time, stage) for time, stage, _ in events if entry[0] <= time <= end]
    for stage in stages[1:]:
        later = [time for time, name in inside if name == stage and time >= at]
        if not later:
            break
        at, reached = later[0], reached + 1
    beyond = {name for _, name in inside if name in stages[reached:]}
    odd = "" if not beyond else "disordered" if stages[reached] in beyond else "skipped"
    return *entry, reached, odd


def everybody_walked_again(inputs, output):
    seconds = (inputs.log["time"] - START).dt.total_seconds()
    columns = [inputs.log[name] for name in ("user", "stage", "segment")]
    events: dict[str, list[tuple[float, str, str]]] = {}
    for time, user, stage, segment in zip(seconds, *columns, strict=True):
        events.setdefault(user, []).append((time, stage, segment))
    spans = {}
    for name in ("before", "after"):
        span = to_period(getattr(inputs, name), inputs.grain)
        ends = (span.start_time - START, span.end_time - START)
        spans[name] = tuple(end.total_seconds() for end in ends)
    people, odd = [], []
    for user, own in sorted(events.items()):
        walked = walk_stages(own, inputs.stages, inputs.window_days * DAY)
        for name, (start, end) in spans.items():
            if walked is not None and start <= walked[0] <= end:
                people.append((user, name, walked[1], walked[2]))
                odd.append(walked[3])
    told = [list(output.people[name]) for name in ("user", "period", "segment", "reached")]
    return people == list(zip(*told, strict=True)) and (
        (output.skipped_users, output.disordered_users)
        == (odd.count("skipped"), odd.count("disordered"))
    )


def entered_are_counted(people, entered_before, entered_after):
    periods = list(people["period"])
    return (entered_before, entered_after) == (periods.count("before"), periods.count("after"))


@step(
    invariants=[everybody_walked_again, entered_are_counted],
    report=["entered_before", "entered_after"],
)
def follow_users(
    log: Table,
    stages: list[str],
    window_days: int,
    grain: Grain,
    before: str,
    after: str,
    last_observed: str,
) -> Followed:
    """Follow every user through the stages, in order and within the window."""
    if window_days < 1:
        raise ValueError(f"A window of {window_days} days is none. Give it at least 1.")
    entries = log[log["stage"] == stages[0]].drop_duplicates("user").set_index("user")
    spans = {"before": to_period(before, grain), "after": to_period(after, grain)}
    horizon = (last_observed, window_days)
    check_periods(entries["time"], spans["before"], spans["after"], grain, horizon)
    inside = log.merge(entries["time"].rename("entry"), on="user")
    inside = inside[inside["time"] >= inside["entry"]]
    inside = inside[inside["time"] <= inside["entry"] + timedelta(days=window_days)]
    at, reached = entries["time"], pd.Series(1, index=entries.index)
    for number, stage in enumerate(stages[1:], start=2):
        events = inside[inside["stage"] == stage]
        events = events[events["time"] >= events["user"].map(at)]
        at = events.groupby("user")["time"].min()
        reached[at.index] = number
    place = inside["stage"].map({stage: number for number, stage in enumerate(stages, start=1)})
    ahead = place - inside["user"].map(reached)
    next_seen = (ahead == 1).groupby(inside["user"]).any().reindex(entries.index)
    any_ahead = (ahead > 0).groupby(inside["user"]).any().reindex(entries.index)
    periods = entries["time"].dt.to_period(FREQUENCY[grain])
    name = periods.map({span: name for name, span in spans.items()})
    people = pd.DataFrame({"period": name, "segment": entries["segment"], "reached": reached})
    chosen = people["period"].notna()
    kept = people[chosen].sort_index().reset_index(names="user")
    kept["period"] = kept["period"].astype(str)
    return Followed(
        people=kept,
        entered_before=int((kept["period"] == "before").sum()),
        entered_after=int((kept["period"] == "after").sum()),
        skipped_users=int((any_ahead & ~next_seen & chosen).sum()),
        disordered_users=int((next_seen & chosen).sum()),
    )


# %% step count_stages
class StageCounts(BaseModel):
    counts_before: list[int]
    counts_after: list[int]


def stages_recounted(people, stages, counts_before, counts_after):
    found = {"before": [0] * len(stages), "after": [0] * len(stages)}
    for period, reached in zip(people["period"], people["reached"], strict=True):
        for place in range(reached):
            found[period][place] += 1
    return (counts_before, counts_after) == (found["before"], found["after"])


def everybody_is_at_the_entry(counts_before, counts_after, entered_before, entered_after):
    return (counts_before[0], counts_after[0]) == (entered_before, entered_after)


def nobody_joins_later(counts_before, counts_after):
    return all(
        earlier >= later
        for counts in (counts_before, counts_after)
        for earlier, later in pairwise(counts)
    )


@step(
    invariants=[stages_recounted, everybody_is_at_the_entry, nobody_joins_later],
    report=["counts_before", "counts_after"],
)
def count_stages(
    people: Table, stages: list[str], entered_before: int, entered_after: int
) -> StageCounts:
    """Count the users who reached each stage, in both periods."""
    counts = {
        period: [int((reached >= place).sum()) for place in range(1, len(stages) + 1)]
        for period, reached in people.groupby("period")["reached"]
    }
    return StageCounts(counts_before=counts["before"], counts_after=counts["after"])


# %% step compute_conversion
class Conversion(BaseModel):
    step_rates_before: list[float]
    step_rates_after: list[float]
    conversion_before: float = Field(title="conversion")
    conversion_after: float = Field(title="conversion")


def rates_lead_back(counts_before, counts_after, step_rates_before, step_rates_after):
    pairs = ((counts_before, step_rates_before), (counts_after, step_rates_after))
    return all(
        len(rates) == len(counts) - 1
        and all(
            abs(rate * base - passed) <= 0.000001 * base
            for rate, (base, passed) in zip(rates, pairwise(counts), strict=True)
        )
        for counts, rates in pairs
    )


def conversion_is_the_product(
    step_rates_before, step_rates_after, conversion_before, conversion_after
):
    pairs = ((step_rates_before, conversion_before), (step_rates_after, conversion_after))
    for rates, conversion in pairs:
        product = 1.0
        for rate in rates:
            product *= rate
        if abs(product - conversion) > 0.00001:
            return False
    return True


@step(
    invariants=[rates_lead_back, conversion_is_the_product],
    report=["conversion_before", "conversion_after"],
)
def compute_conversion(
    counts_before: list[int], counts_after: list[int], stages: list[str]
) -> Conversion:
    """The rate of each step and of the whole funnel, in both periods."""
    for counts in (counts_before, counts_after):
        for stage, base in zip(stages, counts[:-1], strict=False):
            if base == 0:
                raise ValueError(
                    f"Nobody reached '{stage}' in one of the periods, so the rate behind it is "
                    "undefined. Leave out the stages after it, or choose longer periods."
                )
    return Conversion(
        step_rates_before=[round(now / base, 6) for base, now in pairwise(counts_before)],
        step_rates_after=[round(now / base, 6) for base, now in pairwise(counts_after)],
        conversion_before=round(counts_before[-1] / counts_before[0], 6),
        conversion_after=round(counts_after[-1] / counts_after[0], 6),
    )


# %% step find_worst_stage
class WorstStage(BaseModel):
    worst_stage: str
    worst_place: int
    rate_before: float = Field(title="its rate")
    rate_after: float = Field(title="its rate")
    change_points: float
    base_before: int
    base_after: int


def no_stage_is_worse(
    stages, step_rates_before, step_rates_after, worst_stage, worst_place, change_points
):
    changes = [
        100 * (now - was) for was, now in zip(step_rates_before, step_rates_after, strict=True)
    ]
    ranked = sorted(range(len(changes)), key=lambda place: (round(changes[place], 4), place))
    return (
        worst_place == ranked[0] + 1
        and stages[worst_place : worst_place + 1] == [worst_stage]
        and abs(change_points - changes[ranked[0]]) <= 0.00006
    )


def rates_are_of_that_stage(
    counts_before, counts_after, worst_place, rate_before, rate_after, base_before, base_after
):
    return all(
        base == counts[worst_place - 1]
        and abs(rate * base - counts[worst_place]) <= 0.000001 * base
        for counts, rate, base in (
            (counts_before, rate_before, base_before),
            (counts_after, rate_after, base_after),
        )
    )


@step(
    invariants=[no_stage_is_worse, rates_are_of_that_stage],
    report=["worst_stage", "rate_before", "rate_after"],
)
def find_worst_stage(
    stages: list[str],
    counts_before: list[int],
    counts_after: list[int],
    step_rates_before: list[float],
    step_rates_after: list[float],
) -> WorstStage:
    """Find the stage whose rate fell by the most points, or rose the least."""
    changes = pd.Series(step_rates_after) - pd.Series(step_rates_before)
    place = int((100 * changes).round(4).idxmin())
    return WorstStage(
        worst_stage=stages[place + 1],
        worst_place=place + 1,
        rate_before=step_rates_before[place],
        rate_after=step_rates_after[place],
        change_points=round(100 * float(changes[place]), 4),
        base_before=counts_before[place],
        base_after=counts_after[place],
    )


# %% step weigh_drop
class DropWeight(BaseModel):
    drop_low: float
    drop_high: float
    drop_verdict: Verdict


def a_rate_fell(change_points):
    return change_points < 0


def drop_interval_reaches(counts_before, counts_after, worst_place, drop_low, drop_high):
    before, after = (
        (counts[worst_place], counts[worst_place - 1]) for counts in (counts_before, counts_after)
    )
    return reaches_its_level((drop_low, drop_high), before, after, len(counts_before) - 1)


def drop_verdict_follows(counts_before, counts_after, worst_place, drop_high, drop_verdict):
    bases = [counts[worst_place - 1] for counts in (counts_before, counts_after)]
    if any(base < SMALL_BASE for base in bases):
        return drop_verdict == "small base"
    return drop_verdict == ("within chance" if drop_high >= 0 else "clear")


@step(
    when=a_rate_fell,
    invariants=[drop_interval_reaches, drop_verdict_follows],
    report=["drop_verdict"],
)
def weigh_drop(counts_before: list[int], counts_after: list[int], worst_place: int) -> DropWeight:
    """Hold the drop of the worst stage against chance."""
    before = (counts_before[worst_place], counts_before[worst_place - 1])
    after = (counts_after[worst_place], counts_after[worst_place - 1])
    low, high = checked_rates(before, after, looks=len(counts_before) - 1)
    return DropWeight(
        drop_low=low, drop_high=high, drop_verdict=verdict_of((before[1], after[1]), high)
    )


# %% step decompose_drop
class Decomposition(BaseModel):
    segments: Table
    mix_points: float = Field(title="mix effect")
    rate_points: float = Field(title="rate effect")
    fell_count: int
    drop_kind: Literal["mix shift", "rate drop", "both", "reversal"]


def the_drop_is_clear(change_points, drop_verdict=None):
    if change_points >= 0:
        return False
    return None if drop_verdict is None else drop_verdict == "clear"


def segments_recounted(people, worst_place, segments):
    found: dict[tuple[str, str], list[int]] = {}
    for row in people.itertuples():
        if row.reached >= worst_place:
            cell = found.setdefault((row.segment, row.period), [0, 0])
            cell[0] += 1
            cell[1] += row.reached > worst_place
    told = {}
    for row in segments.itertuples():
        told[row.segment, "before"] = [row.base_before, row.passed_before]
        told[row.segment, "after"] = [row.base_after, row.passed_after]
    return found == {key: cell for key, cell in told.items() if cell[0]} and list(
        segments["segment"]
    ) == sorted({segment for segment, _ in found})


def books_close(mix_points, rate_points, change_points):
    return abs(mix_points + rate_points - change_points) <= 0.0003


def effects_by_what_might_have_been(segments, mix_points, rate_points):
    cells = list(segments.itertuples())
    size_before = sum(row.base_before for row in cells)
    size_after = sum(row.base_after for row in cells)
    mixed: dict[tuple[str, str], float] = {}
    for row in cells:
        rates = {
            "old": row.passed_before / row.base_before if row.base_before else None,
            "new": row.passed_after / row.base_after if row.base_after else None,
        }
        rates = {
            age: next(r for r in (rate, *rates.values()) if r is not None)
            for age, rate in rates.items()
        }
        shares = {"old": row.base_before / size_before, "new": row.base_after / size_after}
        for share_age, share in shares.items():
            for rate_age, rate in rates.items():
                key = (share_age, rate_age)
                mixed[key] = mixed.get(key, 0.0) + 100 * share * rate
    mix = (
        mixed["new", "old"] - mixed["old", "old"] + mixed["new", "new"] - mixed["old", "new"]
    ) / 2
    rate = (
        mixed["old", "new"] - mixed["old", "old"] + mixed["new", "new"] - mixed["new", "old"]
    ) / 2
    return abs(mix - mix_points) <= 0.0001 and abs(rate - rate_points) <= 0.0001


def segments_add_up(segments, mix_points, rate_points):
    return (
        abs(sum(segments["mix_points"]) - mix_points) <= 0.0001
        and abs(sum(segments["rate_points"]) - rate_points) <= 0.0001
    )


def kind_follows_effects(segments, mix_points, rate_points, fell_count, drop_kind):
    falls = [
        row.passed_after * row.base_before < row.passed_before * row.base_after
        for row in segments.itertuples()
    ]
    if fell_count != sum(falls):
        return False
    if not any(falls):
        return drop_kind == "reversal"
    mix, rate = max(-mix_points, 0.0), max(-rate_points, 0.0)
    if rate >= OUTWEIGHS * mix:
        return drop_kind == "rate drop"
    return drop_kind == ("mix shift" if mix >= OUTWEIGHS * rate else "both")


@step(
    when=the_drop_is_clear,
    invariants=[
        segments_recounted,
        books_close,
        effects_by_what_might_have_been,
        segments_add_up,
        kind_follows_effects,
    ],
    report=["mix_points", "rate_points", "drop_kind"],
)
def decompose_drop(people: Table, worst_place: int, change_points: float) -> Decomposition:
    """Split the drop into a mix effect and a rate effect, by segment."""
    there = people[people["reached"] >= worst_place]
    passed = there["reached"] > worst_place
    counts = passed.groupby([there["segment"], there["period"]]).agg(["size", "sum"])
    counts = counts.unstack(fill_value=0).sort_index()
    base, through = counts["size"], counts["sum"]
    share, rate = base / base.sum(), through / base
    rate = pd.DataFrame(
        {
            "before": rate["before"].fillna(rate["after"]),
            "after": rate["after"].fillna(rate["before"]),
        }
    )
    whole = (through.sum() / base.sum()).mean()
    mix = 100 * (share["after"] - share["before"]) * (rate.mean(axis=1) - whole)
    own = 100 * (rate["after"] - rate["before"]) * share.mean(axis=1)
    mix_points, rate_points = round(float(mix.sum()), 4), round(float(own.sum()), 4)
    fell = int((rate["after"] < rate["before"]).sum())
    segments = pd.DataFrame(
        {
            "segment": list(base.index),
            "base_before": list(base["before"]),
            "passed_before": list(through["before"]),
            "base_after": list(base["after"]),
            "passed_after": list(through["after"]),
            "mix_points": [round(float(each), 6) for each in mix],
            "rate_points": [round(float(each), 6) for each in own],
        }
    )
    return Decomposition(
        segments=segments,
        mix_points=mix_points,
        rate_points=rate_points,
        fell_count=fell,
        drop_kind=kind_of(mix_points, rate_points, fell),
    )


def kind_of(mix_points: float, rate_points: float, fell: int) -> str:
    """Name what outweighs what."""
    if fell == 0:
        return "reversal"
    if mix_points >= 0 or rate_points <= OUTWEIGHS * mix_points:
        return "rate drop"
    if rate_points >= 0 or mix_points <= OUTWEIGHS * rate_points:
        return "mix shift"
    return "both"


# %% step locate_segment
class WorstSegment(BaseModel):
    worst_segment: str
    segment_rate_before: float = Field(title="segment rate")
    segment_rate_after: float = Field(title="segment rate")
    segment_points: float
    segment_bases: list[int]
    segment_passed: list[int]


def a_segment_fell(change_points, drop_verdict=None, fell_count=None):
    clear = the_drop_is_clear(change_points, drop_verdict)
    if not clear or fell_count is None:
        return None if clear else clear
    return fell_count > 0


def no_segment_pulls_more(segments, worst_segment, segment_points):
    pulls = sorted(
        (points, name)
        for name, points in zip(segments["segment"], segments["rate_points"], strict=True)
    )
    return (round(segment_points, 4), worst_segment) == (round(pulls[0][0], 4), pulls[0][1])


def its_rates_lead_back(
    segments,
    worst_segment,
    segment_rate_before,
    segment_rate_after,
    segment_bases,
    segment_passed,
):
    row = next(row for row in segments.itertuples() if row.segment == worst_segment)
    rates = (segment_rate_before, segment_rate_after)
    return (
        segment_bases == [row.base_before, row.base_after]
        and segment_passed == [row.passed_before, row.passed_after]
        and all(
            abs(rate * base - passed) <= 0.000001 * base
            for rate, base, passed in zip(rates, segment_bases, segment_passed, strict=True)
        )
    )


@step(
    when=a_segment_fell,
    invariants=[no_segment_pulls_more, its_rates_lead_back],
    report=["worst_segment", "segment_rate_before", "segment_rate_after"],
)
def locate_segment(segments: Table) -> WorstSegment:
    """Find the segment whose own rate pulled the whole down the most."""
    row = segments.set_index("segment").loc[segments.set_index("segment")["rate_points"].idxmin()]
    bases = [int(row["base_before"]), int(row["base_after"])]
    passed = [int(row["passed_before"]), int(row["passed_after"])]
    return WorstSegment(
        worst_segment=row.name,
        segment_rate_before=round(passed[0] / bases[0], 6),
        segment_rate_after=round(passed[1] / bases[1], 6),
        segment_points=float(row["rate_points"]),
        segment_bases=bases,
        segment_passed=passed,
    )


# %% step weigh_segment
class SegmentWeight(BaseModel):
    segment_low: float
    segment_high: float
    segment_verdict: Verdict


def segment_interval_reaches(segments, segment_bases, segment_passed, segment_low, segment_high):
    before, after = zip(segment_passed, segment_bases, strict=True)
    return reaches_its_level((segment_low, segment_high), before, after, len(segments))


def segment_verdict_follows(segment_bases, segment_high, segment_verdict):
    if any(base < SMALL_BASE for base in segment_bases):
        return segment_verdict == "small base"
    return segment_verdict == ("within chance" if segment_high >= 0 else "clear")


@step(
    when=a_segment_fell,
    invariants=[segment_interval_reaches, segment_verdict_follows],
    report=["segment_verdict"],
)
def weigh_segment(
    segments: Table, segment_bases: list[int], segment_passed: list[int]
) -> SegmentWeight:
    """Hold the worst segment's drop against chance."""
    before, after = zip(segment_passed, segment_bases, strict=True)
    low, high = checked_rates(before, after, looks=len(segments))
    return SegmentWeight(
        segment_low=low, segment_high=high, segment_verdict=verdict_of(segment_bases, high)
    )


# %% step write_readout
class Readout(BaseModel):
    readout: str


DROP_MEANS = {
    "clear": "a drop this wide is hardly luck",
    "within chance": "periods that are alike often lie as far apart, so no segment is looked for",
    "small base": "too few users reach the stage to look for a segment",
}
KIND_MEANS = {
    "mix shift": "mostly other people came, rather than people behaving differently",
    "rate drop": "the same people as before would have done worse",
    "both": "other people came, and they behaved differently as well",
    "reversal": "no segment's rate fell, and the whole fell all the same, because segments with a "
    "low rate grew (Simpson's paradox)",
}
SEGMENT_MEANS = {
    "clear": "look there first",
    "within chance": "by itself it proves nothing, and the drop is spread over the segments",
    "small base": "too few users to say more",
}


def says(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, and not as the head of a longer figure."""
    return re.search(re.escape(phrase) + r"(?![0-9A-Za-z]|[.,][0-9])", text) is not None


def moved(was: float, now: float) -> str:
    """Fell or rose from one percentage to another, as far as the digits shown tell."""
    here, there = f"{was:.1%}", f"{now:.1%}"
    word = "went" if here == there else "fell" if now < was else "rose"
    return f"{word} from {here} to {there}"


def in_stages(stages: Sequence[str], counts: Sequence[int]) -> str:
    return ", ".join(f"{stage} {count}" for stage, count in zip(stages, counts, strict=True))


def readout_carries_funnel(readout, stages, before, after, followed, counts, conversion):
    phrases = [
        f"{followed.entered_before} users entered in {before}",
        f"{followed.entered_after} in {after}",
        f"The stage counts of {before} are {in_stages(stages, counts.counts_before)}",
        f"those of {after} are {in_stages(stages, counts.counts_after)}",
        f"conversion {moved(conversion.conversion_before, conversion.conversion_after)}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_drop(readout, worst, weight=None):
    phrases = [
        f"worst stage is {worst.worst_stage}",
        f"its rate {moved(worst.rate_before, worst.rate_after)}",
        f"{worst.change_points:z.2f} points",
        "No rate fell" if weight is None else f"drop verdict is {weight.drop_verdict}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_split(readout, decomposition=None, segment=None, segment_weight=None):
    if decomposition is None:
        return "drop kind" not in readout and segment is None
    phrases = [
        f"drop kind is {decomposition.drop_kind}",
        f"mix effect of {decomposition.mix_points:z.2f} points",
        f"rate effect of {decomposition.rate_points:z.2f} points",
    ]
    if segment is None:
        return "worst segment" not in readout and all(says(readout, each) for each in phrases)
    phrases += [
        f"worst segment is {segment.worst_segment}",
        f"its segment rate {moved(segment.segment_rate_before, segment.segment_rate_after)}",
        f"segment verdict is {segment_weight.segment_verdict}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_adds_no_figure(
    readout,
    stages,
    window_days,
    followed,
    counts,
    conversion,
    worst,
    before,
    after,
    segment_column,
    weight=None,
    decomposition=None,
    segment=None,
):
    rates = [conversion.conversion_before, conversion.conversion_after]
    rates += [worst.rate_before, worst.rate_after]
    points = [worst.change_points]
    words = [*stages, segment_column, before, after]
    if weight is not None:
        points += [weight.drop_low, weight.drop_high]
    if decomposition is not None:
        points += [decomposition.mix_points, decomposition.rate_points]
    if segment is not None:
        rates += [segment.segment_rate_before, segment.segment_rate_after]
        words += [segment.worst_segment]
    known = {f"{rate:.1%}" for rate in rates} | {f"{each:z.2f}" for each in points}
    known |= {f"{LEVEL:.0%}", str(window_days)}
    known |= {str(count) for count in (*counts.counts_before, *counts.counts_after)}
    known |= {str(count) for _, count in followed if isinstance(count, int)}
    rest = readout
    for word in sorted(words, key=len, reverse=True):
        rest = re.sub(rf"(?<![\w.]){re.escape(word)}(?!\w)", "", rest)
    return set(re.findall(r"-?[0-9]+(?:\.[0-9]+)?%?", rest)) <= known


@step(
    invariants=[
        readout_carries_funnel,
        readout_carries_drop,
        readout_carries_split,
        readout_adds_no_figure,
    ]
)
def write_readout(
    stages: list[str],
    window_days: int,
    before: str,
    after: str,
    segment_column: str,
    followed: Followed,
    counts: StageCounts,
    conversion: Conversion,
    worst: WorstStage,
    weight: DropWeight | None = None,
    decomposition: Decomposition | None = None,
    segment: WorstSegment | None = None,
    segment_weight: SegmentWeight | None = None,
) -> Readout:
    """Write the answer for its reader: every reported figure, and no other."""
    sentences = [
        f"{followed.entered_before} users entered in {before} and {followed.entered_after} in "
        f"{after}. From {stages[0]} to {stages[-1]}, within a window of {window_days} days, the "
        f"conversion {moved(conversion.conversion_before, conversion.conversion_after)}.",
        f"The stage counts of {before} are {in_stages(stages, counts.counts_before)}; those of "
        f"{after} are {in_stages(stages, counts.counts_after)}.",
        f"The worst stage is {worst.worst_stage}: its rate "
        f"{moved(worst.rate_before, worst.rate_after)}, a change of "
        f"{worst.change_points:z.2f} points.",
    ]
    if weight is None:
        sentences.append("No rate fell, so there is no drop verdict and no segment to look for.")
    else:
        sentences.append(
            f"The drop verdict is {weight.drop_verdict}: {DROP_MEANS[weight.drop_verdict]} "
            f"(interval at {LEVEL:.0%}: {weight.drop_low:z.2f} to {weight.drop_high:z.2f} points)."
        )
    if decomposition is not None:
        sentences.append(
            f"By {segment_column}, the drop kind is {decomposition.drop_kind}: "
            f"{KIND_MEANS[decomposition.drop_kind]}. A mix effect of "
            f"{decomposition.mix_points:z.2f} points and a rate effect of "
            f"{decomposition.rate_points:z.2f} points add up to the change."
        )
    if segment is not None and segment_weight is not None:
        rates = moved(segment.segment_rate_before, segment.segment_rate_after)
        sentences.append(
            f"The worst segment is {segment.worst_segment}: its segment rate {rates}. The segment "
            f"verdict is {segment_weight.segment_verdict}: "
            f"{SEGMENT_MEANS[segment_weight.segment_verdict]}."
        )
    odd = followed.skipped_users + followed.disordered_users
    if odd:
        sentences.append(
            f"Users with stages skipped: {followed.skipped_users}, out of order: "
            f"{followed.disordered_users}; they count up to where the order holds."
        )
    return Readout(readout=" ".join(sentences))
