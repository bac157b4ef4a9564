# Made from cohort-retention.ipynb. Edit the notebook and export it again.


# %% setup Grain
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

import pandas as pd
from pydantic import BaseModel, Field

from skills2_nb import Table, case, step

Grain = Literal["week", "month", "quarter"]

FREQUENCY = {"week": "W-SUN", "month": "M", "quarter": "Q-DEC"}
EXAMPLE = {"week": "1998-W10", "month": "1998-03", "quarter": "1998-Q1"}
SHAPE = {
    "week": "([0-9]{4})-W([0-9]{2})",
    "month": "([0-9]{4})-([0-9]{2})",
    "quarter": "([0-9]{4})-Q([1-4])",
}
SMALL_BASE = 30
LEVEL = 0.95
FLAT_SHARE = 0.1
FLAT_POINTS = 3


# %% helper to_period
def to_period(text: str, grain: str) -> pd.Period:
    """Read `1998-W10`, `1998-03` or `1998-Q1` as the span of days it names."""
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


def users_by_period(log: pd.DataFrame, grain: str) -> dict[str, set[str]]:
    """Who was active in each period that has an event, counted row by row."""
    names = {day: label(pd.Period(day, FREQUENCY[grain]), grain) for day in set(log["date"])}
    found: dict[str, set[str]] = {}
    for user, day in zip(log["user"], log["date"], strict=True):
        found.setdefault(names[day], set()).add(user)
    return found


def check_no_gap(periods: pd.Series, last: pd.Period, grain: str) -> None:
    """Refuse a log with a whole period, up to the last one, in which nobody did anything."""
    seen = set(periods)
    for each in pd.period_range(periods.min(), last):
        if each not in seen:
            raise ValueError(
                f"No event falls in {label(each, grain)}: the log has a gap there, and every "
                "cohort would seem to pause. Fill it, bring the log up to the gap, or choose a "
                "longer grain."
            )


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


def read_days(cells: pd.Series, column: str) -> pd.Series:
    """Read ISO dates, with or without a time of day, as days."""
    zoned = cells[cells.str.contains(TIME_ZONE)]
    if len(zoned):
        raise ValueError(
            f"Column '{column}' holds times with a time zone, such as '{zoned.iloc[0]}', and the "
            "day of an event depends on it. Convert them to one local time and drop the zone."
        )
    whole = cells.where(cells.str.fullmatch(ISO_DATE))
    days = pd.to_datetime(whole, format="ISO8601", errors="coerce")
    unread = cells[days.isna()]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows have no readable date in column '{column}', the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. Write dates like 1998-03-31."
        )
    return days.dt.normalize()


def read_end(observed_until: str | None, last: pd.Timestamp) -> str:
    """The last day that the log covers: the one given, else that of the last event."""
    if observed_until is None:
        return f"{last:%Y-%m-%d}"
    written = re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", observed_until)
    end = pd.to_datetime(observed_until if written else None, errors="coerce")
    if pd.isna(end):
        raise ValueError(
            f"The last observed day '{observed_until}' is not a date. Write it like 1998-06-30."
        )
    if end < last.normalize():
        raise ValueError(
            f"The log has events up to {last:%Y-%m-%d}, after the last observed day "
            f"{observed_until}. Give a later day, or leave it out."
        )
    return f"{end:%Y-%m-%d}"


# %% step read_event_log
class EventLog(BaseModel):
    log: Table
    definition: str
    user_column: str
    date_column: str
    grain: Grain
    event_count: int
    same_day_repeats: int
    first_date: str
    last_date: str
    last_observed: str


def columns_as_asked(inputs, output):
    asked = (inputs.user_column, inputs.date_column, inputs.grain)
    kept = (output.user_column, output.date_column, output.grain)
    return asked == kept and all(f"'{word}'" in output.definition for word in asked[:2])


def definition_names_grain(definition, grain):
    return re.findall("week|month|quarter", definition) == [grain, grain]


def counts_match_log(log, event_count, same_day_repeats):
    days_of_users = set(zip(log["user"], log["date"], strict=True))
    return event_count == len(log) and event_count - same_day_repeats == len(days_of_users)


def users_are_the_files(inputs, output):
    told = (user.strip() for user in read_text(inputs.path)[inputs.user_column])
    return Counter(told) == Counter(output.log["user"])


def dates_span_log(log, first_date, last_date):
    days = list(log["date"])
    ordered = all(earlier <= later for earlier, later in pairwise(days))
    return ordered and (first_date, last_date) == (f"{days[0]:%Y-%m-%d}", f"{days[-1]:%Y-%m-%d}")


def end_is_given_or_last_event(observed_until, last_date, last_observed):
    return last_observed == (observed_until or last_date) and last_date <= last_observed


@step(
    invariants=[
        columns_as_asked,
        definition_names_grain,
        counts_match_log,
        users_are_the_files,
        dates_span_log,
        end_is_given_or_last_event,
    ]
)
def read_event_log(
    path: str,
    user_column: str,
    date_column: str,
    grain: Grain,
    observed_until: str | None = None,
) -> EventLog:
    """Read the event log and say what counts as active and as a cohort."""
    rows = read_text(path)
    users = pick_column(rows, user_column, "user")
    days = read_days(pick_column(rows, date_column, "date"), date_column)
    log = pd.DataFrame({"user": users, "date": days})
    log = log.sort_values(["date", "user"], kind="stable", ignore_index=True)
    return EventLog(
        log=log,
        definition=(
            f"A value of '{user_column}' is active in a {grain} with at least one row whose "
            f"'{date_column}' falls in it, and belongs to the cohort of its first such {grain}."
        ),
        user_column=user_column,
        date_column=date_column,
        grain=grain,
        event_count=len(log),
        same_day_repeats=int(log.duplicated().sum()),
        first_date=f"{log['date'].min():%Y-%m-%d}",
        last_date=f"{log['date'].max():%Y-%m-%d}",
        last_observed=read_end(observed_until, log["date"].max()),
    )


# %% step form_cohorts
class Cohorts(BaseModel):
    members: Table
    cohorts: list[str]
    sizes: list[int]
    cohort_count: int
    user_count: int
    late_users: int
    last_full_period: str


def last_period_is_over(grain, last_observed, last_full_period):
    last = to_period(last_full_period, grain)
    ends = [f"{each.end_time:%Y-%m-%d}" for each in (last, last + 1)]
    return ends[0] <= last_observed < ends[1]


def cohorts_recounted(inputs, output):
    known: set[str] = set()
    fresh = {}
    for name, users in sorted(users_by_period(inputs.log, inputs.grain).items()):
        fresh[name] = users - known
        known |= users
    full = {name: len(new) for name, new in fresh.items() if name <= output.last_full_period}
    late = sum(len(new) for name, new in fresh.items() if name > output.last_full_period)
    found = dict(zip(output.cohorts, output.sizes, strict=True))
    return late == output.late_users and found == {
        name: size for name, size in full.items() if size
    }


def every_user_has_one_cohort(members, cohorts, sizes, cohort_count, user_count):
    of_users = dict(zip(members["user"], members["cohort"], strict=True))
    held = list(of_users.values())
    return (
        cohort_count == len(cohorts)
        and cohorts == sorted(set(held))
        and len(members) == len(of_users) == user_count == sum(sizes)
        and sizes == [held.count(cohort) for cohort in cohorts]
    )


def members_came_then(log, members, grain):
    first: dict[str, pd.Timestamp] = {}
    for user, day in zip(log["user"], log["date"], strict=True):
        first[user] = min(day, first.get(user, day))
    spans = {cohort: to_period(cohort, grain) for cohort in set(members["cohort"])}
    return all(
        user in first and spans[cohort].start_time <= first[user] <= spans[cohort].end_time
        for user, cohort in zip(members["user"], members["cohort"], strict=True)
    )


@step(
    invariants=[
        last_period_is_over,
        cohorts_recounted,
        every_user_has_one_cohort,
        members_came_then,
    ],
    report=["user_count"],
)
def form_cohorts(log: Table, grain: Grain, last_observed: str) -> Cohorts:
    """Put every user in the cohort of the first event."""
    end = pd.Timestamp(last_observed)
    last = pd.Period(end, FREQUENCY[grain])
    if end < last.end_time.normalize():
        last -= 1
    periods = log["date"].dt.to_period(FREQUENCY[grain])
    if last < periods.min():
        raise ValueError(
            f"The log ends on {last_observed}, before its first {grain} is over, so no cohort is "
            "complete. Bring a longer log, or choose a shorter grain."
        )
    check_no_gap(periods, last, grain)
    first = periods.groupby(log["user"]).min()
    full = first[first <= last].sort_index().sort_values(kind="stable")
    sizes = full.value_counts().sort_index()
    return Cohorts(
        members=pd.DataFrame(
            {"user": list(full.index), "cohort": [label(each, grain) for each in full]}
        ),
        cohorts=[label(each, grain) for each in sizes.index],
        sizes=[int(size) for size in sizes],
        cohort_count=len(sizes),
        user_count=len(full),
        late_users=int((first > last).sum()),
        last_full_period=label(last, grain),
    )


# %% step tabulate_cohorts
class CohortTable(BaseModel):
    table: Table
    cell_count: int
    oldest_age: int


def cells_recounted(log, members, grain, table):
    active = users_by_period(log, grain)
    groups: dict[str, set[str]] = {}
    for user, cohort in zip(members["user"], members["cohort"], strict=True):
        groups.setdefault(cohort, set()).add(user)
    spans = {cohort: to_period(cohort, grain) for cohort in groups}
    return all(
        row.size == len(groups[row.cohort])
        and row.active
        == len(groups[row.cohort] & active[label(spans[row.cohort] + row.age, grain)])
        for row in table.itertuples()
    )


def only_full_cells(members, grain, last_full_period, table):
    last = to_period(last_full_period, grain)
    wanted = [
        (cohort, age)
        for cohort in sorted(set(members["cohort"]))
        for age in range((last - to_period(cohort, grain)).n + 1)
    ]
    return list(zip(table["cohort"], table["age"], strict=True)) == wanted


def table_is_measured(table, cell_count, oldest_age):
    return cell_count == len(table) and oldest_age == max(table["age"])


@step(invariants=[cells_recounted, only_full_cells, table_is_measured])
def tabulate_cohorts(
    log: Table, members: Table, grain: Grain, last_full_period: str
) -> CohortTable:
    """Count each cohort's active users at every age that has been observed in full."""
    last = to_period(last_full_period, grain)
    born = {cohort: to_period(cohort, grain) for cohort in members["cohort"].unique()}
    events = log.merge(members, on="user")
    events["period"] = events["date"].dt.to_period(FREQUENCY[grain])
    events = events[events["period"] <= last]
    active = events.groupby(["cohort", "period"])["user"].nunique().to_dict()
    sizes = members["cohort"].value_counts()
    table = pd.DataFrame(
        [
            (cohort, age, int(sizes[cohort]), int(active.get((cohort, start + age), 0)))
            for cohort, start in sorted(born.items())
            for age in range((last - start).n + 1)
        ],
        columns=["cohort", "age", "size", "active"],
    )
    return CohortTable(table=table, cell_count=len(table), oldest_age=int(table["age"].max()))


# %% step measure_retention
class Retention(BaseModel):
    eligible_cohorts: list[str]
    eligible_count: int = Field(title="old enough")
    young_cohorts: list[str]
    young_users: int
    base_users: int
    retained_users: int
    retention_rate: float = Field(title="retention")
    comparable_count: int


def old_enough_are_in(table, age, eligible_cohorts, eligible_count, young_cohorts):
    lived: dict[str, int] = {}
    for row in table.itertuples():
        lived[row.cohort] = max(row.age, lived.get(row.cohort, 0))
    old = [cohort for cohort, oldest in lived.items() if oldest >= age]
    young = [cohort for cohort, oldest in lived.items() if oldest < age]
    return (eligible_cohorts, young_cohorts) == (old, young) and eligible_count == len(old)


def every_user_is_placed(base_users, young_users, user_count):
    return base_users + young_users == user_count


def base_recounted(table, age, base_users, retained_users, comparable_count):
    rows = [(row.size, row.active) for row in table.itertuples() if row.age == age]
    return (
        base_users == sum(size for size, _ in rows)
        and retained_users == sum(active for _, active in rows)
        and comparable_count == sum(size >= SMALL_BASE for size, _ in rows)
    )


def rate_leads_back(retention_rate, base_users, retained_users):
    return abs(retention_rate * base_users - retained_users) <= 0.000001 * base_users


@step(
    invariants=[old_enough_are_in, every_user_is_placed, base_recounted, rate_leads_back],
    report=["eligible_count", "base_users", "retained_users", "retention_rate"],
)
def measure_retention(table: Table, age: int, user_count: int) -> Retention:
    """Share of users active at an age, over the cohorts old enough to be read there."""
    oldest = int(table["age"].max())
    if oldest < 1:
        raise ValueError(
            "The log has been observed for one full period only, so no cohort has an age yet. "
            "Bring a longer log, or choose a shorter grain."
        )
    if age < 1:
        raise ValueError(
            f"The age {age} asks for nothing: at age 0 every user is active by definition. "
            f"Choose an age from 1 to {oldest}."
        )
    if age > oldest:
        raise ValueError(
            f"No cohort has reached age {age}: the oldest has been observed to age {oldest}. "
            f"Choose an age from 1 to {oldest}."
        )
    there = table[table["age"] == age]
    born = table[table["age"] == 0]
    young = born[~born["cohort"].isin(there["cohort"])]
    base, retained = int(there["size"].sum()), int(there["active"].sum())
    return Retention(
        eligible_cohorts=list(there["cohort"]),
        eligible_count=len(there),
        young_cohorts=list(young["cohort"]),
        young_users=int(young["size"].sum()),
        base_users=base,
        retained_users=retained,
        retention_rate=round(retained / base, 6),
        comparable_count=int((there["size"] >= SMALL_BASE).sum()),
    )


# %% step weigh_base
class Firmness(BaseModel):
    base_class: Literal["broad", "small"]
    interval_low: float
    interval_high: float


def class_follows_base(base_class, base_users):
    return (base_class == "small") == (base_users < SMALL_BASE)


def bounds_solve_the_score_test(base_users, retained_users, interval_low, interval_high):
    seen = retained_users / base_users
    z = -NormalDist().inv_cdf((1 - LEVEL) / 2)
    on_the_edge = all(
        abs(base_users * (seen - bound) ** 2 - z**2 * bound * (1 - bound))
        <= 0.000003 * (base_users * abs(seen - bound) + z**2)
        for bound in (interval_low, interval_high)
    )
    return on_the_edge and interval_low <= seen <= interval_high


@step(invariants=[class_follows_base, bounds_solve_the_score_test], report=["base_class"])
def weigh_base(base_users: int, retained_users: int) -> Firmness:
    """Say how firm the rate is: Wilson's interval, and whether the base is small."""
    if not 0 <= retained_users <= base_users or base_users == 0:
        raise ValueError(
            f"{retained_users} of {base_users} users cannot be retained. "
            "Take both from measure_retention."
        )
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    seen, weight = retained_users / base_users, z**2 / base_users
    centre = (seen + weight / 2) / (1 + weight)
    half = (seen * (1 - seen) * weight + weight**2 / 4) ** 0.5 / (1 + weight)
    return Firmness(
        base_class="small" if base_users < SMALL_BASE else "broad",
        interval_low=round(max(centre - half, 0.0), 6),
        interval_high=round(min(centre + half, 1.0), 6),
    )


# %% step compare_cohorts
class Comparison(BaseModel):
    compared: list[str]
    best_cohort: str
    best_rate: float
    worst_cohort: str
    worst_rate: float
    gap_low: float
    gap_high: float
    gap_verdict: Literal["clear", "within chance"]


def two_can_be_compared(comparable_count):
    return comparable_count >= 2


def cells_at(table: pd.DataFrame, age: int) -> dict[str, tuple[int, int]]:
    """Size and active users at an age, of each cohort that is old enough and not small."""
    return {
        row.cohort: (row.size, row.active)
        for row in table.itertuples()
        if row.age == age and row.size >= SMALL_BASE
    }


def ranked_again(table, age, compared, best_cohort, worst_cohort):
    cells = cells_at(table, age)
    ranked = sorted(cells, key=lambda name: (-cells[name][1] / cells[name][0], name))
    return compared == sorted(cells) and (best_cohort, worst_cohort) == (ranked[0], ranked[-1])


def rates_are_theirs(table, age, best_cohort, best_rate, worst_cohort, worst_rate):
    cells = cells_at(table, age)
    return all(
        abs(rate * cells[name][0] - cells[name][1]) <= 0.000001 * cells[name][0]
        for name, rate in ((best_cohort, best_rate), (worst_cohort, worst_rate))
    )


def gap_reaches_its_level(table, age, best_cohort, worst_cohort, gap_low, gap_high):
    cells = cells_at(table, age)
    shares = [(cells[name][1] + 1, cells[name][0] + 2) for name in (best_cohort, worst_cohort)]
    middle = shares[0][0] / shares[0][1] - shares[1][0] / shares[1][1]
    spread = sum(yes * (all_ - yes) / all_**3 for yes, all_ in shares) ** 0.5
    pairs = len(cells) * (len(cells) - 1) // 2
    outside = 2 * pairs * (1 - NormalDist().cdf((gap_high - middle) / spread))
    return (
        abs(gap_low + gap_high - 2 * middle) <= 0.0002
        and abs(outside - (1 - LEVEL)) <= 0.05 * (1 - LEVEL)
        and gap_low < gap_high
    )


def verdict_follows_gap(gap_low, gap_verdict):
    return (gap_verdict == "clear") == (gap_low > 0)


@step(
    when=two_can_be_compared,
    invariants=[ranked_again, rates_are_theirs, gap_reaches_its_level, verdict_follows_gap],
    report=["best_cohort", "best_rate", "worst_cohort", "worst_rate", "gap_verdict"],
)
def compare_cohorts(table: Table, age: int) -> Comparison:
    """Find the best and the worst cohort at an age, and hold their gap against chance."""
    there = table[(table["age"] == age) & (table["size"] >= SMALL_BASE)].set_index("cohort")
    rates = there["active"] / there["size"]
    best, worst = rates.idxmax(), rates[::-1].idxmin()
    pairs = len(there) * (len(there) - 1) // 2
    z = NormalDist().inv_cdf(1 - (1 - LEVEL) / (2 * pairs))
    eased = (there["active"] + 1) / (there["size"] + 2)
    variance = eased * (1 - eased) / (there["size"] + 2)
    middle = float(eased[best] - eased[worst])
    half = z * float(variance[best] + variance[worst]) ** 0.5
    low = round(middle - half, 6)
    return Comparison(
        compared=list(there.index),
        best_cohort=best,
        best_rate=round(float(rates[best]), 6),
        worst_cohort=worst,
        worst_rate=round(float(rates[worst]), 6),
        gap_low=low,
        gap_high=round(middle + half, 6),
        gap_verdict="clear" if low > 0 else "within chance",
    )


# %% step trace_curve
class Curve(BaseModel):
    curve_active: list[int]
    curve_rates: list[float]


def curve_has_every_age(age, curve_active, curve_rates):
    return len(curve_active) == len(curve_rates) == age + 1


def curve_recounted(table, eligible_cohorts, base_users, curve_active):
    total = [0] * len(curve_active)
    for row in table.itertuples():
        if row.cohort in eligible_cohorts and row.age < len(total):
            total[row.age] += row.active
    return curve_active == total and total[0] == base_users


def rates_follow_counts(curve_active, curve_rates):
    return all(
        abs(rate * curve_active[0] - active) <= 0.000001 * curve_active[0]
        for rate, active in zip(curve_rates, curve_active, strict=True)
    )


@step(invariants=[curve_has_every_age, curve_recounted, rates_follow_counts])
def trace_curve(table: Table, age: int, eligible_cohorts: list[str], base_users: int) -> Curve:
    """Follow the same cohorts from their first period to the age."""
    same = table[table["cohort"].isin(eligible_cohorts) & (table["age"] <= age)]
    active = same.groupby("age")["active"].sum()
    return Curve(
        curve_active=[int(count) for count in active],
        curve_rates=[round(int(count) / base_users, 6) for count in active],
    )


# %% step describe_shape
class Shape(BaseModel):
    first_rate: float
    half_age: int | None = Field(title="half-life")
    flat_age: int | None = Field(title="flattens")
    curve_shape: Literal["flat", "falling", "uneven", "too short"]


def first_rate_is_age_one(curve_rates, first_rate):
    return first_rate == curve_rates[1]


def half_age_is_the_first(curve_rates, first_rate, half_age):
    halved = [age for age, rate in enumerate(curve_rates) if age and rate * 2 <= first_rate]
    return half_age == (halved[0] if halved else None)


def flat_age_is_the_first(curve_rates, first_rate, flat_age):
    def is_flat(rest: Sequence[float]) -> bool:
        pairs = (abs(one - other) for one in rest for other in rest)
        return len(rest) >= FLAT_POINTS and max(pairs) <= FLAT_SHARE * first_rate + 1e-9

    flat = [age for age in range(1, len(curve_rates)) if is_flat(curve_rates[age:])]
    return flat_age == (flat[0] if flat else None)


def shape_follows_curve(curve_rates, flat_age, curve_shape):
    if len(curve_rates) <= FLAT_POINTS:
        return curve_shape == "too short"
    if flat_age is not None:
        return curve_shape == "flat"
    ends_lowest = sorted(curve_rates)[0] == curve_rates[-1]
    return curve_shape == ("falling" if ends_lowest else "uneven")


@step(
    invariants=[
        first_rate_is_age_one,
        half_age_is_the_first,
        flat_age_is_the_first,
        shape_follows_curve,
    ],
    report=["first_rate", "half_age", "flat_age", "curve_shape"],
)
def describe_shape(curve_rates: list[float]) -> Shape:
    """Say where the curve has halved, where it flattens, and what shape that makes."""
    first = curve_rates[1]
    half = next((age for age, rate in enumerate(curve_rates) if age and rate <= first / 2), None)
    flat, high, low = None, curve_rates[-1], curve_rates[-1]
    for age in range(len(curve_rates) - 1, 0, -1):
        high, low = max(high, curve_rates[age]), min(low, curve_rates[age])
        if high - low > FLAT_SHARE * first + 1e-9:
            break
        flat = age if len(curve_rates) - age >= FLAT_POINTS else None
    shape = "falling" if curve_rates[-1] == min(curve_rates) else "uneven"
    if len(curve_rates) <= FLAT_POINTS:
        shape = "too short"
    elif flat is not None:
        shape = "flat"
    return Shape(first_rate=first, half_age=half, flat_age=flat, curve_shape=shape)


# %% step write_readout
class Readout(BaseModel):
    readout: str


GAP_MEANS = {
    "clear": "so wide a gap between the best and the worst of them is hardly luck",
    "within chance": "cohorts that are all alike would often lie as far apart",
}
CLASS_MEANS = {
    "broad": "enough users to read a rate",
    "small": "so few that the people say more than the percentage",
}
SHAPE_MEANS = {
    "flat": "from the flat age on the rate barely moves",
    "falling": "the loss has not come to an end by this age",
    "uneven": "it moves too much to name a level",
    "too short": "it takes three ages behind the first to see a bend",
}


def says(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, and not as the head of a longer figure."""
    return re.search(re.escape(phrase) + r"(?![0-9A-Za-z]|[.,][0-9])", text) is not None


def at_age(age: int | None) -> str:
    return "not reached" if age is None else str(age)


def spans(names: list[str]) -> list[str]:
    """Name up to three cohorts, of more the first and the last."""
    return names if len(names) <= 3 else [f"{names[0]} to {names[-1]}"]


def counted(cohorts: int) -> str:
    return f"{cohorts} cohort" if cohorts == 1 else f"{cohorts} cohorts"


def readout_carries_retention(readout, cohorts, retention, firmness, age):
    phrases = [
        f"{cohorts.user_count} users in {counted(cohorts.cohort_count)}",
        f"retention rate at age {age} is {retention.retention_rate:.1%}",
        f"of {retention.base_users} base users, {retention.retained_users} were active",
        f"old enough for that age: {retention.eligible_count} of {cohorts.cohort_count}",
        f"base class is {firmness.base_class}",
        f"from {firmness.interval_low:.1%} to {firmness.interval_high:.1%}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_comparison(readout, comparison=None):
    if comparison is None:
        return says(readout, "cohorts are not compared") and "best cohort" not in readout
    phrases = [
        f"best cohort is {comparison.best_cohort} with a best rate of {comparison.best_rate:.1%}",
        f"worst cohort is {comparison.worst_cohort} with a worst rate of "
        f"{comparison.worst_rate:.1%}",
        f"gap verdict is {comparison.gap_verdict}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_shape(readout, shape):
    phrases = [
        f"curve shape is {shape.curve_shape}",
        f"first rate is {shape.first_rate:.1%}",
        f"half age is {at_age(shape.half_age)}",
        f"flat age is {at_age(shape.flat_age)}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_adds_no_figure(
    readout, cohorts, retention, firmness, shape, age, last_observed, comparison=None
):
    times = r"[0-9]{4}-(?:W[0-9]{2}|Q[1-4]|[0-9]{2}(?:-[0-9]{2})?)"
    known_times = {*cohorts.cohorts, cohorts.last_full_period, last_observed}
    counts = (cohorts.user_count, cohorts.cohort_count, cohorts.late_users, age, 1, SMALL_BASE)
    known = {
        f"{LEVEL:.0%}",
        f"{shape.first_rate:.1%}",
        f"{retention.retention_rate:.1%}",
        f"{firmness.interval_low:.1%}",
        f"{firmness.interval_high:.1%}",
        *(map(str, counts)),
        *(str(value) for _, value in retention if isinstance(value, int)),
        *(str(each) for each in (shape.half_age, shape.flat_age)),
    }
    if comparison is not None:
        known |= {f"{comparison.best_rate:.1%}", f"{comparison.worst_rate:.1%}"}
    figures = re.findall(r"-?[0-9]+(?:\.[0-9]+)?%?", re.sub(times, "", readout))
    return set(re.findall(times, readout)) <= known_times and set(figures) <= known


@step(
    invariants=[
        readout_carries_retention,
        readout_carries_comparison,
        readout_carries_shape,
        readout_adds_no_figure,
    ]
)
def write_readout(
    cohorts: Cohorts,
    retention: Retention,
    firmness: Firmness,
    shape: Shape,
    grain: Grain,
    age: int,
    last_observed: str,
    comparison: Comparison | None = None,
) -> Readout:
    """Write the answer for its reader: every reported figure, and no other."""
    sentences = [
        f"The log holds {cohorts.user_count} users in {counted(cohorts.cohort_count)}, by the "
        f"{grain} of their first event.",
        f"The retention rate at age {age} is {retention.retention_rate:.1%}: of "
        f"{retention.base_users} base users, {retention.retained_users} were active in the "
        f"{grain} that is {age} after their first.",
        f"Cohorts old enough for that age: {retention.eligible_count} of {cohorts.cohort_count}.",
    ]
    if retention.young_cohorts:
        sentences.append(
            f"Left out as too young: {', '.join(spans(retention.young_cohorts))}, with "
            f"{retention.young_users} users."
        )
    sentences.append(
        f"The base class is {firmness.base_class}: {CLASS_MEANS[firmness.base_class]}. The "
        f"interval at {LEVEL:.0%} runs from {firmness.interval_low:.1%} to "
        f"{firmness.interval_high:.1%}."
    )
    if comparison is None:
        sentences.append(
            f"The cohorts are not compared: it takes two of at least {SMALL_BASE} users."
        )
    else:
        sentences.append(
            f"The best cohort is {comparison.best_cohort} with a best rate of "
            f"{comparison.best_rate:.1%}, the worst cohort is {comparison.worst_cohort} with a "
            f"worst rate of {comparison.worst_rate:.1%}. The gap verdict is "
            f"{comparison.gap_verdict}: {GAP_MEANS[comparison.gap_verdict]}. Each cohort reaches "
            f"that age in another {grain}, so a season can pass for a better cohort."
        )
    sentences.append(
        f"The curve shape is {shape.curve_shape}: {SHAPE_MEANS[shape.curve_shape]}. The first rate "
        f"is {shape.first_rate:.1%} at age 1, the half age is {at_age(shape.half_age)} and the "
        f"flat age is {at_age(shape.flat_age)}."
    )
    if cohorts.late_users:
        sentences.append(
            f"The log is observed until {last_observed}, and {cohorts.late_users} users who first "
            f"came after {cohorts.last_full_period} are in no cohort yet."
        )
    return Readout(readout=" ".join(sentences))
