# Made from growth-accounting.ipynb. Edit the notebook and export it again.


# %% setup Grain
import re
from datetime import date
from itertools import pairwise
from statistics import median
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
CUTS = {
    "shrinking": (0.0, 1.0),
    "steady": (1.0, 1.5),
    "growing": (1.5, 4.0),
    "surging": (4.0, None),
}
TREND_PERIODS = 5


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


def check_covered(periods: pd.Series, this: pd.Period, grain: str) -> None:
    """Refuse a period that the log cannot compare with the one before it."""
    name, first, last = label(this, grain), periods.min(), periods.max()
    choice = (
        f"Choose a {grain} from {label(first + 1, grain)} to {label(last, grain)}."
        if first < last
        else f"Bring a log that spans at least two {grain}s."
    )
    if not first <= this <= last:
        raise ValueError(
            f"The period {name} lies outside the log, which runs from {label(first, grain)} "
            f"to {label(last, grain)}. {choice}"
        )
    if this == first:
        raise ValueError(
            f"The period {name} is the first in the log: nothing comes before it, "
            f"so every user would look new. {choice}"
        )
    for needed in (this - 1, this):
        if not (periods == needed).any():
            raise ValueError(
                f"No event falls in {label(needed, grain)}: the log has a gap there, and flows "
                f"across a gap mean nothing. Fill it, or choose a {grain} that does not touch it."
            )


def users_between(log: pd.DataFrame, first_day: pd.Timestamp, last_day: pd.Timestamp) -> set[str]:
    """The users with at least one event from the first day to the last, both included."""
    return set(log.loc[log["date"].between(first_day, last_day), "user"])


# %% helper read_text
TIME_ZONE = "[T ][0-9:.,]+ ?(?:[Zz]|[+-][0-9:]+)$"


def read_text(path: str) -> pd.DataFrame:
    """Read a CSV file with every cell as text, so that user 0042 stays 0042."""
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"There is no file '{path}'. Give the path of the activity log.") from None
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        raise ValueError(
            f"The file '{path}' cannot be read as a table ({error}). "
            "Save the log as CSV in UTF-8, with one row of column names."
        ) from None
    if rows.empty:
        raise ValueError(f"The file '{path}' has column names but no events. Export the log again.")
    return rows


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
    days = pd.to_datetime(cells, format="ISO8601", errors="coerce")
    unread = cells[days.isna()]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows have no readable date in column '{column}', the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. Write dates like 1998-03-31."
        )
    return days.dt.normalize()


# %% step define_active_user
class ActiveUsers(BaseModel):
    log: Table
    definition: str
    user_column: str
    date_column: str
    grain: Grain
    event_count: int
    same_day_repeats: int
    user_count: int
    first_date: str
    last_date: str


def columns_as_asked(inputs, output):
    asked = (inputs.user_column, inputs.date_column, inputs.grain)
    kept = (output.user_column, output.date_column, output.grain)
    return asked == kept and all(f"'{word}'" in output.definition for word in asked[:2])


def definition_names_grain(definition, grain):
    return re.findall("week|month|quarter", definition) == [grain, grain]


def counts_match_log(log, event_count, user_count, same_day_repeats):
    days_of_users = set(zip(log["user"], log["date"], strict=True))
    return (event_count, user_count) == (len(log), len({user for user, _ in days_of_users})) and (
        event_count - same_day_repeats == len(days_of_users)
    )


def dates_span_log(log, first_date, last_date):
    days = list(log["date"])
    ordered = all(earlier <= later for earlier, later in pairwise(days))
    return ordered and (first_date, last_date) == (f"{days[0]:%Y-%m-%d}", f"{days[-1]:%Y-%m-%d}")


@step(invariants=[columns_as_asked, definition_names_grain, counts_match_log, dates_span_log])
def define_active_user(path: str, user_column: str, date_column: str, grain: Grain) -> ActiveUsers:
    """Read the activity log and say who counts as active."""
    rows = read_text(path)
    users = pick_column(rows, user_column, "user")
    days = read_days(pick_column(rows, date_column, "date"), date_column)
    log = pd.DataFrame({"user": users, "date": days})
    log = log.sort_values(["date", "user"], kind="stable", ignore_index=True)
    return ActiveUsers(
        log=log,
        definition=(
            f"An active user of a {grain} is a value of '{user_column}' with at least one row "
            f"whose '{date_column}' falls in that {grain}."
        ),
        user_column=user_column,
        date_column=date_column,
        grain=grain,
        event_count=len(log),
        same_day_repeats=int(log.duplicated().sum()),
        user_count=log["user"].nunique(),
        first_date=f"{log['date'].min():%Y-%m-%d}",
        last_date=f"{log['date'].max():%Y-%m-%d}",
    )


# %% step count_flows
class Flows(BaseModel):
    period: str
    previous_period: str
    prev_mau: int = Field(title="previous")
    new: int
    resurrected: int
    churned: int
    current_mau: int = Field(title="current count")
    retained: int
    dormant: int


def periods_as_asked(inputs, output):
    before = to_period(inputs.period, inputs.grain) - 1
    return (output.period, output.previous_period) == (inputs.period, label(before, inputs.grain))


def actives_recounted(inputs, output):
    this = to_period(inputs.period, inputs.grain)
    now = users_between(inputs.log, this.start_time, this.end_time)
    before = users_between(inputs.log, (this - 1).start_time, (this - 1).end_time)
    known = users_between(inputs.log, inputs.log["date"].min(), (this - 1).end_time)
    return (output.prev_mau, output.current_mau, output.new, output.dormant) == (
        len(before),
        len(now),
        len(now - known),
        len(known - before),
    )


def everyone_has_one_place(prev_mau, current_mau, new, resurrected, churned, retained):
    return prev_mau == retained + churned and current_mau == retained + resurrected + new


@step(
    invariants=[periods_as_asked, actives_recounted, everyone_has_one_place],
    report=["prev_mau", "new", "resurrected", "churned", "current_mau"],
)
def count_flows(log: Table, grain: Grain, period: str) -> Flows:
    """Count who arrived, returned, left and stayed since the period before."""
    this = to_period(period, grain)
    periods = log["date"].dt.to_period(FREQUENCY[grain])
    check_covered(periods, this, grain)
    active = pd.DataFrame(
        {
            "now": (periods == this).groupby(log["user"]).any(),
            "before": (periods == this - 1).groupby(log["user"]).any(),
            "earlier": (periods < this - 1).groupby(log["user"]).any(),
        }
    )
    now, before, earlier = active["now"], active["before"], active["earlier"]
    return Flows(
        period=period,
        previous_period=label(this - 1, grain),
        prev_mau=int(before.sum()),
        new=int((now & ~before & ~earlier).sum()),
        resurrected=int((now & ~before & earlier).sum()),
        churned=int((before & ~now).sum()),
        current_mau=int(now.sum()),
        retained=int((before & now).sum()),
        dormant=int((earlier & ~before).sum()),
    )


# %% step pick_decomposition_form
class Decomposition(BaseModel):
    decomposition_form: Literal["rates", "counts", "cohort"]
    form_reason: str


def form_follows_data(decomposition_form, prev_mau, new):
    allowed = {"counts"} if prev_mau < SMALL_BASE else {"cohort"} if new == 0 else {"rates"}
    return decomposition_form in allowed


def reason_gives_figures(form_reason, prev_mau, new):
    return re.findall("[0-9]+", form_reason) == [str(prev_mau), str(new)]


@step(invariants=[form_follows_data, reason_gives_figures], report=["decomposition_form"])
def pick_decomposition_form(prev_mau: int, new: int) -> Decomposition:
    """Choose how the change may be told: in rates, in counts, or as a closed cohort."""
    base = f"{prev_mau} users were active before and {new} arrived"
    if prev_mau < SMALL_BASE:
        return Decomposition(
            decomposition_form="counts",
            form_reason=f"{base}: too few to start from for a rate to mean much.",
        )
    if new == 0:
        return Decomposition(
            decomposition_form="cohort",
            form_reason=f"{base}: nobody joins, so this is a group that can only return or leave.",
        )
    return Decomposition(
        decomposition_form="rates", form_reason=f"{base}: enough to read shares of the base."
    )


# %% step compute_single_period_identity
class IdentityCheck(BaseModel):
    implied: int
    residual: int


def identity_closes(prev_mau, new, resurrected, churned, current_mau, implied):
    return implied == prev_mau + new + resurrected - churned and abs(implied - current_mau) <= 1.0


def residual_is_the_gap(current_mau, implied, residual):
    return implied + residual == current_mau


@step(invariants=[identity_closes, residual_is_the_gap], report=["implied"])
def compute_single_period_identity(
    prev_mau: int, new: int, resurrected: int, churned: int, current_mau: int
) -> IdentityCheck:
    """The period's books close: previous + new + resurrected - churned = current."""
    implied = prev_mau + new + resurrected - churned
    return IdentityCheck(implied=implied, residual=current_mau - implied)


# %% step compute_quick_ratio
class QuickRatio(BaseModel):
    gained: int
    quick_ratio: float | None


def gained_is_new_and_resurrected(gained, new, resurrected):
    return gained - resurrected == new


def ratio_times_lost_is_gained(quick_ratio, gained, churned):
    if quick_ratio is None:
        return churned == 0
    return churned > 0 and abs(quick_ratio * churned - gained) <= 0.0001 * churned


@step(
    invariants=[gained_is_new_and_resurrected, ratio_times_lost_is_gained],
    report=["quick_ratio"],
)
def compute_quick_ratio(new: int, resurrected: int, churned: int) -> QuickRatio:
    """Users gained for each user lost; undefined (null) when nobody was lost."""
    gained = new + resurrected
    return QuickRatio(gained=gained, quick_ratio=round(gained / churned, 4) if churned else None)


# %% step classify_growth
class GrowthClass(BaseModel):
    growth_class: Literal["shrinking", "steady", "growing", "surging", "undefined"]
    cut_low: float | None
    cut_high: float | None


def class_matches_cuts(growth_class, quick_ratio):
    if quick_ratio is None or growth_class == "undefined":
        return quick_ratio is None and growth_class == "undefined"
    passed = sum(quick_ratio >= low for low, _ in CUTS.values())
    return list(CUTS)[passed - 1] == growth_class


def cuts_hold_ratio(quick_ratio, growth_class, cut_low, cut_high):
    if quick_ratio is None:
        return cut_low is None and cut_high is None
    return (
        (cut_low, cut_high) == CUTS.get(growth_class)
        and cut_low <= quick_ratio
        and (cut_high is None or quick_ratio < cut_high)
    )


@step(invariants=[class_matches_cuts, cuts_hold_ratio], report=["growth_class"])
def classify_growth(quick_ratio: float | None) -> GrowthClass:
    """Name the band that the quick ratio falls in."""
    if quick_ratio is None:
        return GrowthClass(growth_class="undefined", cut_low=None, cut_high=None)
    for name, (low, high) in CUTS.items():
        if low <= quick_ratio and (high is None or quick_ratio < high):
            return GrowthClass(growth_class=name, cut_low=low, cut_high=high)
    raise ValueError(
        f"A quick ratio of {quick_ratio} is below zero, and no count of users is. "
        "Take it from compute_quick_ratio."
    )


# %% step find_dominant_flow
class DominantFlow(BaseModel):
    dominant_flow: Literal["new", "resurrected", "churned", "tied"]
    dominant_count: int
    total_flow: int


def dominant_is_largest(dominant_flow, dominant_count, new, resurrected, churned):
    ranked = sorted([(new, "new"), (resurrected, "resurrected"), (churned, "churned")])
    (second, _), (first, name) = ranked[1:]
    return dominant_count == first and dominant_flow == ("tied" if first == second else name)


def total_is_all_moves(total_flow, new, resurrected, churned):
    return total_flow - churned == new + resurrected


@step(invariants=[dominant_is_largest, total_is_all_moves], report=["dominant_flow"])
def find_dominant_flow(new: int, resurrected: int, churned: int) -> DominantFlow:
    """Find the largest of the three flows, or say that two of them tie for it."""
    flows = pd.Series({"new": new, "resurrected": resurrected, "churned": churned})
    largest = flows[flows == flows.max()]
    return DominantFlow(
        dominant_flow=largest.index[0] if len(largest) == 1 else "tied",
        dominant_count=int(flows.max()),
        total_flow=int(flows.sum()),
    )


# %% step compute_rates
class Rates(BaseModel):
    retention_rate: float
    churn_rate: float
    growth_rate: float
    resurrection_rate: float | None


def stay_or_leave(retention_rate, churn_rate, prev_mau, churned):
    return (
        abs(churn_rate * prev_mau - churned) <= 0.0001 * prev_mau
        and abs(retention_rate + churn_rate - 1) <= 0.0001
    )


def growth_leads_to_current(growth_rate, prev_mau, current_mau):
    return abs(prev_mau * (1 + growth_rate) - current_mau) <= 0.0001 * prev_mau


def dormant_who_returned(resurrection_rate, resurrected, dormant):
    if resurrection_rate is None:
        return dormant == 0
    return dormant > 0 and abs(resurrection_rate * dormant - resurrected) <= 0.0001 * dormant


@step(
    invariants=[stay_or_leave, growth_leads_to_current, dormant_who_returned],
    report=["retention_rate", "growth_rate"],
)
def compute_rates(
    prev_mau: int, current_mau: int, retained: int, churned: int, resurrected: int, dormant: int
) -> Rates:
    """Shares: of the previous actives (stayed, left, net) and of the dormant (returned)."""
    return Rates(
        retention_rate=round(retained / prev_mau, 4),
        churn_rate=round(churned / prev_mau, 4),
        growth_rate=round(current_mau / prev_mau - 1, 4),
        resurrection_rate=round(resurrected / dormant, 4) if dormant else None,
    )


# %% step compare_with_trend
class Trend(BaseModel):
    earlier_periods: list[str]
    earlier_counts: list[int]
    usual_count: float
    trend_position: Literal["above", "below", "level"]


def earlier_recounted(log, grain, period, earlier_periods, earlier_counts):
    this = to_period(period, grain)
    spans = [this - back for back in range(len(earlier_counts), 0, -1)]
    return earlier_periods == [label(span, grain) for span in spans] and earlier_counts == [
        len(users_between(log, span.start_time, span.end_time)) for span in spans
    ]


def window_is_whole(log, grain, period, earlier_counts):
    first = pd.Period(log["date"].min(), FREQUENCY[grain])
    behind = (to_period(period, grain) - first).n
    return len(earlier_counts) == min(behind, TREND_PERIODS)


def position_follows_counts(usual_count, trend_position, earlier_counts, latest):
    middle = median(earlier_counts)
    position = "level" if latest == middle else "above" if latest > middle else "below"
    return usual_count == middle and trend_position == position


@step(
    bind={"latest": "count_flows#/current_mau"},
    invariants=[earlier_recounted, window_is_whole, position_follows_counts],
    report=["trend_position"],
)
def compare_with_trend(log: Table, grain: Grain, period: str, latest: int) -> Trend:
    """Hold the period's actives against the median of up to five periods before it."""
    this = to_period(period, grain)
    counts = log.groupby(log["date"].dt.to_period(FREQUENCY[grain]))["user"].nunique()
    window = pd.period_range(max(counts.index.min(), this - TREND_PERIODS), this - 1)
    earlier = counts.reindex(window, fill_value=0)
    usual = float(earlier.median())
    return Trend(
        earlier_periods=[label(each, grain) for each in earlier.index],
        earlier_counts=[int(count) for count in earlier],
        usual_count=usual,
        trend_position="level" if latest == usual else "above" if latest > usual else "below",
    )


# %% step write_readout
class Readout(BaseModel):
    readout: str


CLASS_MEANS = {
    "shrinking": "fewer users came or came back than left",
    "steady": "at least as many users came or came back as left",
    "growing": "clearly more users came or came back than left",
    "surging": "at least four users came or came back for each one who left",
    "undefined": "nobody left, so there is nothing to divide by",
}
FORM_MEANS = {
    "rates": "the base is broad enough to trust the rates",
    "counts": "the base is so small that the counts say more than the rates",
    "cohort": "nobody joined for the first time, so only returning users can make up for losses",
}


def says(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, and not as the head of a longer figure."""
    return re.search(re.escape(phrase) + r"(?![0-9A-Za-z]|[.,][0-9])", text) is not None


def or_undefined(value: float | None, style: str) -> str:
    return "undefined" if value is None else format(value, style)


def readout_carries_flows(readout, flows, identity):
    phrases = [
        f"from {flows.prev_mau} in {flows.previous_period} to",
        f"to {flows.current_mau} in {flows.period}",
        f"previous {flows.prev_mau} + new {flows.new} + resurrected {flows.resurrected}",
        f"- churned {flows.churned} = implied {identity.implied}",
        f"current count is {flows.current_mau}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_findings(readout, form, ratio, growth, dominant, rates, trend):
    phrases = [
        f"quick ratio is {or_undefined(ratio.quick_ratio, '.2f')}",
        f"growth class is {growth.growth_class}",
        f"dominant flow is {dominant.dominant_flow}",
        f"retention rate is {rates.retention_rate:z.1%}",
        f"growth rate of {rates.growth_rate:z.1%}",
        f"trend position is {trend.trend_position}",
        f"decomposition form is {form.decomposition_form}",
    ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_adds_no_figure(readout, flows, identity, ratio, dominant, rates, trend, last_date):
    times = r"[0-9]{4}-(?:W[0-9]{2}|Q[1-4]|[0-9]{2}(?:-[0-9]{2})?)"
    known_times = {flows.period, flows.previous_period, last_date}
    known = {
        f"{rates.growth_rate:z.1%}",
        f"{rates.retention_rate:z.1%}",
        or_undefined(rates.resurrection_rate, ".1%"),
        or_undefined(ratio.quick_ratio, ".2f"),
        f"{trend.usual_count:g}",
        str(dominant.dominant_count),
        str(dominant.total_flow),
        str(identity.implied),
        *(str(count) for name, count in flows if name[-6:] != "period"),
    }
    figures = re.findall(r"-?[0-9]+(?:\.[0-9]+)?%?", re.sub(times, "", readout))
    return set(re.findall(times, readout)) <= known_times and set(figures) <= known


@step(invariants=[readout_carries_flows, readout_carries_findings, readout_adds_no_figure])
def write_readout(
    flows: Flows,
    form: Decomposition,
    identity: IdentityCheck,
    ratio: QuickRatio,
    growth: GrowthClass,
    dominant: DominantFlow,
    rates: Rates,
    trend: Trend,
    grain: Grain,
    last_date: str,
) -> Readout:
    """Write the answer for its reader: every reported figure, and no other."""
    change = flows.current_mau - flows.prev_mau
    moved = "rose" if change > 0 else "fell" if change < 0 else "did not move:"
    sentences = [
        f"Active users (at least one event in the {grain}) {moved} "
        f"from {flows.prev_mau} in {flows.previous_period} to {flows.current_mau} "
        f"in {flows.period}, a growth rate of {rates.growth_rate:z.1%}.",
        f"The identity closes: previous {flows.prev_mau} + new {flows.new} "
        f"+ resurrected {flows.resurrected} - churned {flows.churned} "
        f"= implied {identity.implied}, and the current count is {flows.current_mau}.",
        f"The quick ratio is {or_undefined(ratio.quick_ratio, '.2f')}, "
        f"so the growth class is {growth.growth_class}: {CLASS_MEANS[growth.growth_class]}.",
        f"The dominant flow is {dominant.dominant_flow}, "
        f"with {dominant.dominant_count} of {dominant.total_flow} moves.",
        f"The retention rate is {rates.retention_rate:z.1%}, and the resurrection rate "
        f"of the dormant users is {or_undefined(rates.resurrection_rate, '.1%')}.",
        f"The trend position is {trend.trend_position}: "
        f"the median of the {grain}s before is {trend.usual_count:g}.",
        f"The decomposition form is {form.decomposition_form}: "
        f"{FORM_MEANS[form.decomposition_form]}.",
    ]
    if pd.Timestamp(last_date) < to_period(flows.period, grain).end_time.normalize():
        sentences.append(
            f"The log ends on {last_date}, before the {grain} does, so the loss may be overstated."
        )
    return Readout(readout=" ".join(sentences))
