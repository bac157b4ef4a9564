# Made from experiment-readout.ipynb. Edit the notebook and export it again.


# %% setup ARMS
import math
import re
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

import pandas as pd
from pydantic import BaseModel, Field

from skills2_nb import Table, case, step

ARMS = ("control", "treatment")
MAX_CROSSOVER_SHARE = 0.01
POWER = 0.8


# %% helper read_text
def read_text(path: str) -> pd.DataFrame:
    """Read a CSV file with every cell as text, so that user 0042 stays 0042."""
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(f"There is no file '{path}'. Give the path of the test's users.") from None
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError, OSError) as error:
        raise ValueError(
            f"The file '{path}' cannot be read as a table ({error}). "
            "Save the users as CSV in UTF-8, with one row of column names."
        ) from None
    if rows.empty:
        raise ValueError(f"The file '{path}' has column names but no users. Export the test again.")
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
            f"{empty[0] + 1}. Fill them, or leave these rows out of the file."
        )
    return cells


def read_arms(cells: pd.Series, column: str, control: str, treatment: str) -> pd.Series:
    """Read the arms as `control` and `treatment`; both must be there, and no third."""
    found = sorted(set(cells))
    if control == treatment or found != sorted((control, treatment)):
        raise ValueError(
            f"Column '{column}' holds the arms {', '.join(found)}, and the test compares control "
            f"'{control}' with treatment '{treatment}'. Name the two arms of the file."
        )
    return cells.map({control: "control", treatment: "treatment"})


def read_outcomes(cells: pd.Series, column: str) -> pd.Series:
    """Read 0 and 1."""
    unread = cells[~cells.isin(["0", "1"])]
    if len(unread):
        raise ValueError(
            f"{len(unread)} rows of column '{column}' are neither 0 nor 1, the first is "
            f"'{unread.iloc[0]}' in data row {unread.index[0] + 1}. Write 1 for converted, else 0."
        )
    return cells.astype(int)


def check_one_outcome(rows: pd.DataFrame) -> None:
    """Refuse a user who has two outcomes in one arm."""
    twice = rows[rows.duplicated(["user", "arm"])]
    if len(twice):
        user, arm = twice.iloc[0]["user"], twice.iloc[0]["arm"]
        raise ValueError(
            f"{len(twice)} users have two different outcomes in one arm, the first is '{user}' in "
            f"{arm}. Give one row per user: 1 if the user ever converted within the test."
        )


def check_few_crossovers(crossovers: int, users: int) -> None:
    """Refuse a test in which too many users saw both arms to speak of two arms at all."""
    if crossovers > MAX_CROSSOVER_SHARE * users:
        raise ValueError(
            f"{crossovers} of {users} users are in both arms, more than "
            f"{MAX_CROSSOVER_SHARE:.0%}. Mend the assignment, or count by whatever was randomised."
        )


# %% helper quantile
def quantile(confidence: float) -> float:
    """How many standard errors reach to either side: 1.96 for a confidence of 0.95."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(conversions: int, users: int, z: float) -> tuple[float, float]:
    """The score interval of one share (Wilson 1927), from 0 to 1."""
    share, room = conversions / users, z * z / users
    middle = (share + room / 2) / (1 + room)
    half = math.sqrt(room * share * (1 - share) + room * room / 4) / (1 + room)
    return middle - half, middle + half


def farthest_share(conversions: int, users: int, z: float, edge: float) -> float:
    """The share nearest to `edge` (0 or 1) that z standard errors allow, found by halving."""
    inside, outside = conversions / users, edge
    for _ in range(60):
        middle = (inside + outside) / 2
        reach = z * math.sqrt(middle * (1 - middle) / users)
        if abs(conversions / users - middle) <= reach:
            inside = middle
        else:
            outside = middle
    return inside


def error_of_difference(rate: float, control_users: float, treatment_users: float) -> float:
    """The standard error of a difference of two shares if both arms convert at one rate."""
    return math.sqrt(rate * (1 - rate) * (1 / control_users + 1 / treatment_users))


def chance_to_see(points: float, error: float, confidence: float) -> float:
    """The power: how likely a true difference of so many points shows as one above 0."""
    return NormalDist().cdf(points / 100 / error - quantile(confidence))


def points(value: float) -> str:
    """Write `1 percentage point`, `1.5 percentage points`."""
    return f"{value:g} percentage point" + ("" if value == 1 else "s")


def percent(share: float) -> str:
    """Write a share without digits it does not need: 50%, 33.3%."""
    return f"{100 * share:.4g}%"


# %% step state_plan
class Plan(BaseModel):
    hypothesis: str
    planned_share: float
    practical_threshold: float = Field(title="threshold in percentage points")
    confidence: float
    srm_alpha: float


def plan_as_asked(inputs, output):
    names = ("planned_share", "practical_threshold", "confidence", "srm_alpha")
    return all(getattr(output, name) == getattr(inputs, name) for name in names)


def hypothesis_names_threshold(hypothesis, practical_threshold):
    figures = [float(text) for text in re.findall(r"[0-9.]*[0-9]", hypothesis)]
    return len(figures) == 1 and abs(figures[0] - practical_threshold) <= 1e-5 * practical_threshold


@step(invariants=[plan_as_asked, hypothesis_names_threshold], report=["practical_threshold"])
def state_plan(
    planned_share: float,
    practical_threshold: float,
    confidence: float = 0.95,
    srm_alpha: float = 0.001,
) -> Plan:
    """Fix hypothesis, planned split, practical threshold and confidence."""
    if not 0 < planned_share < 1:
        raise ValueError(
            f"A planned share of {planned_share:g} is none. Write treatment's share of all users, "
            "such as 0.5."
        )
    if not 0 < practical_threshold < 100:
        raise ValueError(
            f"A practical threshold of {practical_threshold:g} percentage points cannot be told from "
            "no effect, or cannot be reached. Write the smallest gain worth shipping, such as 1.0."
        )
    if not 0.5 <= confidence < 1:
        raise ValueError(
            f"A confidence of {confidence:g} gives no interval. Write it as a share, such as 0.95."
        )
    if not 0 < srm_alpha <= 0.05:
        raise ValueError(
            f"An srm_alpha of {srm_alpha:g} would call most splits whole or most of them broken. "
            "Write a p-value such as 0.001."
        )
    return Plan(
        hypothesis=(
            f"treatment converts at a rate at least {points(practical_threshold)} above control"
        ),
        planned_share=planned_share,
        practical_threshold=practical_threshold,
        confidence=confidence,
        srm_alpha=srm_alpha,
    )


# %% step read_assignments
class Assignments(BaseModel):
    users: Table
    row_count: int
    repeated_rows: int
    crossover_users: int
    user_count: int


def every_row_has_one_place(row_count, repeated_rows, crossover_users, user_count):
    return row_count - repeated_rows - 2 * crossover_users == user_count


def one_row_per_user(users, user_count):
    names = users["user"].tolist()
    return len(names) == user_count and all(one < other for one, other in pairwise(names))


def only_arms_and_outcomes(users):
    return set(users["arm"]) == set(ARMS) and set(users["converted"]) <= {0, 1}


@step(
    invariants=[every_row_has_one_place, one_row_per_user, only_arms_and_outcomes],
    report=["crossover_users"],
)
def read_assignments(
    path: str,
    user_column: str = "user",
    arm_column: str = "arm",
    outcome_column: str = "converted",
    control: str = "control",
    treatment: str = "treatment",
) -> Assignments:
    """Read who was in which arm and who converted, one row per user."""
    raw = read_text(path)
    rows = pd.DataFrame(
        {
            "user": pick_column(raw, user_column, "user"),
            "arm": read_arms(pick_column(raw, arm_column, "arm"), arm_column, control, treatment),
            "converted": read_outcomes(pick_column(raw, outcome_column, "outcome"), outcome_column),
        }
    )
    once = rows.drop_duplicates()
    check_one_outcome(once)
    crossed = once["user"].duplicated(keep=False)
    check_few_crossovers(int(crossed.sum()) // 2, once["user"].nunique())
    users = once[~crossed].sort_values("user", ignore_index=True)
    if set(users["arm"]) != set(ARMS):
        raise ValueError("One arm has only users who are in both. Mend the assignment.")
    return Assignments(
        users=users,
        row_count=len(rows),
        repeated_rows=len(rows) - len(once),
        crossover_users=int(crossed.sum()) // 2,
        user_count=len(users),
    )


# %% step count_arms
class ArmCounts(BaseModel):
    control_users: int
    treatment_users: int


def arms_recounted(users, control_users, treatment_users):
    arms = users["arm"].tolist()
    return (control_users, treatment_users) == tuple(arms.count(arm) for arm in ARMS)


@step(invariants=[arms_recounted], report=["control_users", "treatment_users"])
def count_arms(users: Table) -> ArmCounts:
    """Count the users of each arm."""
    counts = users.groupby("arm").size()
    return ArmCounts(control_users=int(counts["control"]), treatment_users=int(counts["treatment"]))


# %% step check_sample_ratio
class SampleRatio(BaseModel):
    expected_control: float
    expected_treatment: float
    chi_square: float = Field(title="chi-square")
    srm_p_value: float = Field(title="p-value")
    split_check: Literal["passed", "failed"]


def expected_split_adds_up(
    expected_control, expected_treatment, control_users, treatment_users, planned_share
):
    total = control_users + treatment_users
    return (
        abs(expected_control + expected_treatment - total) <= 0.001
        and abs(expected_treatment - planned_share * total) <= 0.001
    )


def chi_square_is_squared_distance(chi_square, control_users, treatment_users, planned_share):
    total = control_users + treatment_users
    spread = math.sqrt(total * planned_share * (1 - planned_share))
    distance = (treatment_users - planned_share * total) / spread
    return abs(chi_square - distance**2) <= 0.0001


def p_value_is_normal_tail(srm_p_value, chi_square):
    tail = 2 * NormalDist().cdf(-math.sqrt(chi_square))
    return abs(srm_p_value - tail) <= 0.01 * tail + 1e-15


def split_check_follows_p_value(split_check, srm_p_value, srm_alpha):
    return (split_check == "failed") == (srm_p_value < srm_alpha)


@step(
    invariants=[
        expected_split_adds_up,
        chi_square_is_squared_distance,
        p_value_is_normal_tail,
        split_check_follows_p_value,
    ],
    report=["chi_square", "srm_p_value", "split_check"],
)
def check_sample_ratio(
    control_users: int, treatment_users: int, planned_share: float, srm_alpha: float
) -> SampleRatio:
    """Test whether the arms are as large as planned, before any outcome is read."""
    total = control_users + treatment_users
    expected = {"control": (1 - planned_share) * total, "treatment": planned_share * total}
    counted = {"control": control_users, "treatment": treatment_users}
    chi_square = sum((counted[arm] - expected[arm]) ** 2 / expected[arm] for arm in ARMS)
    p_value = math.erfc(math.sqrt(chi_square / 2))
    return SampleRatio(
        expected_control=round(expected["control"], 4),
        expected_treatment=round(expected["treatment"], 4),
        chi_square=round(chi_square, 6),
        srm_p_value=float(f"{p_value:.3g}"),
        split_check="failed" if float(f"{p_value:.3g}") < srm_alpha else "passed",
    )


# %% step size_mismatch
class Mismatch(BaseModel):
    short_arm: Literal["control", "treatment"]
    missing_users: int


def split_is_broken(split_check):
    return split_check == "failed"


def split_is_whole(split_check):
    return split_check == "passed"


def missing_users_restore_plan(
    short_arm, missing_users, control_users, treatment_users, planned_share
):
    control = control_users + (missing_users if short_arm == "control" else 0)
    treatment = treatment_users + (missing_users if short_arm == "treatment" else 0)
    rounding = planned_share if short_arm == "control" else 1 - planned_share
    return missing_users > 0 and (
        abs(treatment - planned_share * (control + treatment)) <= 0.5 * rounding + 1e-6
    )


@step(when=split_is_broken, invariants=[missing_users_restore_plan], report=["missing_users"])
def size_mismatch(control_users: int, treatment_users: int, planned_share: float) -> Mismatch:
    """Say which arm is short, and by how many users if the other is whole."""
    odds = planned_share / (1 - planned_share)
    if treatment_users < control_users * odds:
        return Mismatch(
            short_arm="treatment", missing_users=round(control_users * odds - treatment_users)
        )
    return Mismatch(
        short_arm="control", missing_users=round(treatment_users / odds - control_users)
    )


# %% step measure_rates
class Rates(BaseModel):
    control_conversions: int
    treatment_conversions: int
    control_rate: float
    treatment_rate: float


def outcomes_of(users, arm):
    """The outcomes of one arm as a plain list."""
    rows = zip(users["arm"].tolist(), users["converted"].tolist(), strict=True)
    return [done for other, done in rows if other == arm]


def conversions_recounted(users, control_conversions, treatment_conversions):
    return (control_conversions, treatment_conversions) == tuple(
        outcomes_of(users, arm).count(1) for arm in ARMS
    )


def rates_are_means(users, control_rate, treatment_rate):
    return all(
        abs(rate * len(outcomes) - sum(outcomes)) <= 1e-6 * len(outcomes)
        for rate, outcomes in (
            (control_rate, outcomes_of(users, "control")),
            (treatment_rate, outcomes_of(users, "treatment")),
        )
    )


@step(
    when=split_is_whole,
    invariants=[conversions_recounted, rates_are_means],
    report=["control_rate", "treatment_rate"],
)
def measure_rates(users: Table, control_users: int, treatment_users: int) -> Rates:
    """The share of each arm's users who converted."""
    conversions = users.groupby("arm")["converted"].sum()
    return Rates(
        control_conversions=int(conversions["control"]),
        treatment_conversions=int(conversions["treatment"]),
        control_rate=round(conversions["control"] / control_users, 6),
        treatment_rate=round(conversions["treatment"] / treatment_users, 6),
    )


# %% step estimate_effect
class Effect(BaseModel):
    difference: float = Field(title="effect in percentage points")
    low_difference: float = Field(title="interval")
    high_difference: float = Field(title="interval")
    relative_lift: float | None


def difference_of_shares(
    difference, control_users, treatment_users, control_conversions, treatment_conversions
):
    crossed = treatment_conversions * control_users - control_conversions * treatment_users
    scale = control_users * treatment_users
    return abs(difference * scale / 100 - crossed) <= 1e-6 * scale


def ends_found_by_halving(inputs, output):
    z = quantile(inputs.confidence)
    control = (inputs.control_conversions, inputs.control_users)
    treatment = (inputs.treatment_conversions, inputs.treatment_users)
    share_c, share_t = control[0] / control[1], treatment[0] / treatment[1]
    middle = share_t - share_c
    below = math.hypot(
        share_t - farthest_share(*treatment, z, 0.0), farthest_share(*control, z, 1.0) - share_c
    )
    above = math.hypot(
        farthest_share(*treatment, z, 1.0) - share_t, share_c - farthest_share(*control, z, 0.0)
    )
    return (
        abs(output.low_difference / 100 - (middle - below)) <= 1e-6
        and abs(output.high_difference / 100 - (middle + above)) <= 1e-6
    )


def lift_leads_to_treatment(
    relative_lift, control_users, treatment_users, control_conversions, treatment_conversions
):
    if relative_lift is None:
        return control_conversions == 0
    control_rate = control_conversions / control_users
    return control_rate > 0 and (
        abs(control_rate * (1 + relative_lift) - treatment_conversions / treatment_users)
        <= 0.0001 * control_rate
    )


@step(
    when=split_is_whole,
    invariants=[difference_of_shares, ends_found_by_halving, lift_leads_to_treatment],
    report=["difference", "low_difference", "high_difference"],
)
def estimate_effect(
    control_users: int,
    treatment_users: int,
    control_conversions: int,
    treatment_conversions: int,
    confidence: float,
) -> Effect:
    """The difference of the rates in percentage points, with Newcombe's interval."""
    z = quantile(confidence)
    control, treatment = (
        control_conversions / control_users,
        treatment_conversions / treatment_users,
    )
    low_c, high_c = wilson(control_conversions, control_users, z)
    low_t, high_t = wilson(treatment_conversions, treatment_users, z)
    difference = treatment - control
    return Effect(
        difference=round(100 * difference, 4),
        low_difference=round(
            100 * (difference - math.hypot(treatment - low_t, high_c - control)), 4
        ),
        high_difference=round(
            100 * (difference + math.hypot(high_t - treatment, control - low_c)), 4
        ),
        relative_lift=round(treatment / control - 1, 4) if control else None,
    )


# %% step compare_with_threshold
class Comparison(BaseModel):
    finding: Literal["superior", "equivalent", "inferior", "inconclusive"]
    decision: Literal["ship", "drop", "extend"]


def finding_follows_zones(finding, low_difference, high_difference, practical_threshold):
    ends = [
        (end >= practical_threshold) - (end <= -practical_threshold)
        for end in (low_difference, high_difference)
    ]
    names = {(1, 1): "superior", (0, 0): "equivalent", (-1, -1): "inferior"}
    return names.get(tuple(ends), "inconclusive") == finding


def decision_follows_gain(decision, low_difference, high_difference, practical_threshold):
    worth_it = sum(end >= practical_threshold for end in (low_difference, high_difference))
    return decision == ("drop", "extend", "ship")[worth_it]


@step(
    when=split_is_whole,
    invariants=[finding_follows_zones, decision_follows_gain],
    report=["finding", "decision"],
)
def compare_with_threshold(
    low_difference: float, high_difference: float, practical_threshold: float
) -> Comparison:
    """Hold the whole interval against the practical threshold."""
    if low_difference >= practical_threshold:
        return Comparison(finding="superior", decision="ship")
    if high_difference <= -practical_threshold:
        return Comparison(finding="inferior", decision="drop")
    if -practical_threshold < low_difference and high_difference < practical_threshold:
        return Comparison(finding="equivalent", decision="drop")
    return Comparison(
        finding="inconclusive",
        decision="drop" if high_difference < practical_threshold else "extend",
    )


# %% step check_power
class Power(BaseModel):
    detectable_difference: float | None = Field(title="minimum detectable effect")
    users_needed: int | None
    power_check: Literal["enough", "short", "undefined"]


def detectable_is_seen_four_in_five(
    detectable_difference, control_rate, control_users, treatment_users, confidence
):
    if detectable_difference is None:
        return control_rate in (0, 1)
    error = error_of_difference(control_rate, control_users, treatment_users)
    return error > 0 and abs(chance_to_see(detectable_difference, error, confidence) - POWER) < 1e-3


def users_needed_are_just_enough(
    users_needed, control_rate, planned_share, practical_threshold, confidence
):
    if users_needed is None:
        return control_rate in (0, 1)
    if users_needed < 2:
        return False
    chances = [
        chance_to_see(
            practical_threshold,
            error_of_difference(control_rate, users * (1 - planned_share), users * planned_share),
            confidence,
        )
        for users in (users_needed, users_needed - 1)
    ]
    return chances[0] >= POWER - 1e-9 and chances[1] < POWER


def power_check_follows_threshold(
    power_check, control_rate, control_users, treatment_users, practical_threshold, confidence
):
    error = error_of_difference(control_rate, control_users, treatment_users)
    if error == 0:
        return power_check == "undefined"
    seen = chance_to_see(practical_threshold, error, confidence) >= POWER - 1e-4
    return power_check == ("enough" if seen else "short")


@step(
    when=split_is_whole,
    invariants=[
        detectable_is_seen_four_in_five,
        users_needed_are_just_enough,
        power_check_follows_threshold,
    ],
    report=["detectable_difference", "users_needed", "power_check"],
)
def check_power(
    control_rate: float,
    control_users: int,
    treatment_users: int,
    planned_share: float,
    practical_threshold: float,
    confidence: float,
) -> Power:
    """What the test was large enough to show, by the rate of control and the plan."""
    error = error_of_difference(control_rate, control_users, treatment_users)
    if error == 0:
        return Power(detectable_difference=None, users_needed=None, power_check="undefined")
    reach = quantile(confidence) + NormalDist().inv_cdf(POWER)
    detectable = round(100 * reach * error, 4)
    spread = control_rate * (1 - control_rate) / (planned_share * (1 - planned_share))
    return Power(
        detectable_difference=detectable,
        users_needed=math.ceil(spread * (100 * reach / practical_threshold) ** 2),
        power_check="enough" if detectable <= practical_threshold else "short",
    )


# %% step write_readout
class Readout(BaseModel):
    readout: str


FINDING_MEANS = {
    "superior": "the whole interval lies at or above the practical threshold",
    "equivalent": "the interval leaves no room for a gain or a loss that would matter",
    "inferior": "the whole interval lies at or beyond the practical threshold on the losing side",
    "inconclusive": "the interval holds differences that would matter and others that would not",
}
DECISION_MEANS = {
    "ship": "the gain is large enough even at the low end",
    "drop": "even at the high end there is no gain worth shipping",
    "extend": "a gain worth shipping is neither shown nor ruled out",
}
POWER_MEANS = {
    "enough": "the test could show what it was meant to show",
    "short": "a true effect of the size of the threshold could easily have been missed",
}


def says(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, and not as the head of a longer figure."""
    return re.search(re.escape(phrase) + r"(?![0-9A-Za-z]|[.,][0-9])", text) is not None


def readout_carries_plan_and_split(readout, plan, counts, ratio, crossover_users, mismatch=None):
    phrases = [
        f"Hypothesis: {plan.hypothesis}",
        f"practical threshold is {points(plan.practical_threshold)}",
        f"planned split gives treatment {percent(plan.planned_share)}",
        f"{counts.control_users} control users and {counts.treatment_users} treatment users",
        f"{crossover_users} crossover users",
        f"chi-square is {ratio.chi_square:.2f}",
        f"p-value is {ratio.srm_p_value:.3g}",
        f"split check {ratio.split_check}",
    ]
    if mismatch is not None:
        phrases += [f"{mismatch.missing_users} missing users", f"short arm is {mismatch.short_arm}"]
    return all(says(readout, phrase) for phrase in phrases)


def readout_carries_effect(readout, plan, rates=None, effect=None, comparison=None, power=None):
    if effect is None:
        return re.search("rate is|difference is|decision is|finding is", readout) is None
    phrases = [
        f"control rate is {rates.control_rate:.2%}",
        f"treatment rate is {rates.treatment_rate:.2%}",
        f"difference is {effect.difference:z.2f} percentage points",
        f"{percent(plan.confidence)} interval from {effect.low_difference:z.2f} "
        f"to {effect.high_difference:z.2f}",
        f"finding is {comparison.finding}",
        f"decision is {comparison.decision}",
        f"power check says {power.power_check}",
    ]
    if power.users_needed is not None:
        phrases += [
            f"minimum detectable effect is {power.detectable_difference:.2f} percentage points",
            f"{power.users_needed} users needed",
        ]
    return all(says(readout, phrase) for phrase in phrases)


def readout_adds_no_figure(
    readout,
    plan,
    counts,
    ratio,
    crossover_users,
    mismatch=None,
    rates=None,
    effect=None,
    power=None,
):
    known = {
        f"{plan.practical_threshold:g}",
        percent(plan.planned_share),
        percent(plan.confidence),
        f"{plan.srm_alpha:g}",
        str(counts.control_users),
        str(counts.treatment_users),
        str(crossover_users),
        f"{ratio.chi_square:.2f}",
        f"{ratio.srm_p_value:.3g}",
    }
    if mismatch is not None:
        known.add(str(mismatch.missing_users))
    if effect is not None:
        known |= {f"{rates.control_rate:.2%}", f"{rates.treatment_rate:.2%}"}
        known |= {f"{each:z.2f}" for name, each in effect if name != "relative_lift"}
        known |= {f"{effect.relative_lift or 0:z.1%}", str(power.users_needed)}
        known.add(f"{power.detectable_difference or 0:.2f}")
    figures = re.findall(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?%?", readout)
    return set(figures) <= known


def tell_split(
    plan: Plan, counts: ArmCounts, ratio: SampleRatio, crossover_users: int
) -> list[str]:
    """The sentences that every readout begins with."""
    sentences = [
        f"Hypothesis: {plan.hypothesis}; the practical threshold is "
        f"{points(plan.practical_threshold)}.",
        f"The split check {ratio.split_check}: the planned split gives treatment "
        f"{percent(plan.planned_share)}, and there are {counts.control_users} control users and "
        f"{counts.treatment_users} treatment users, with {crossover_users} crossover users left "
        "out.",
    ]
    test = f"The chi-square is {ratio.chi_square:.2f} and the p-value is {ratio.srm_p_value:.3g}"
    if ratio.split_check == "passed":
        return [*sentences, f"{test}, so there is no sample ratio mismatch."]
    return [*sentences, f"{test}, below {plan.srm_alpha:g}: a sample ratio mismatch."]


def tell_mismatch(mismatch: Mismatch) -> list[str]:
    """What a broken split means for the reader."""
    return [
        f"The short arm is {mismatch.short_arm}, with {mismatch.missing_users} missing users if "
        "the other arm is whole.",
        "Whoever is missing may have converted more or less often than whoever stayed, so no "
        "conversion rates, no difference and no interval are told, the practical threshold is not "
        "applied, and there is no decision.",
        "Find where the users were lost, mend it, and run the test again.",
    ]


def tell_effect(plan: Plan, rates: Rates, effect: Effect) -> list[str]:
    """The rates and their difference."""
    lift = (
        "" if effect.relative_lift is None else f", a relative lift of {effect.relative_lift:z.1%}"
    )
    return [
        f"The control rate is {rates.control_rate:.2%} and the treatment rate is "
        f"{rates.treatment_rate:.2%}{lift}.",
        f"The difference is {effect.difference:z.2f} percentage points, with a "
        f"{percent(plan.confidence)} interval from {effect.low_difference:z.2f} "
        f"to {effect.high_difference:z.2f}.",
    ]


def tell_decision(comparison: Comparison, power: Power) -> list[str]:
    """What follows from the interval, and what the test was able to show."""
    sentences = [
        f"The finding is {comparison.finding}: {FINDING_MEANS[comparison.finding]}.",
        f"The decision is {comparison.decision}: {DECISION_MEANS[comparison.decision]}.",
    ]
    if power.users_needed is None:
        return [*sentences, "The power check says undefined: control gives no spread to go by."]
    return [
        *sentences,
        f"The power check says {power.power_check}: the minimum detectable effect is "
        f"{power.detectable_difference:.2f} percentage points, and for the practical threshold "
        f"there are {power.users_needed} users needed; {POWER_MEANS[power.power_check]}.",
    ]


@step(invariants=[readout_carries_plan_and_split, readout_carries_effect, readout_adds_no_figure])
def write_readout(
    plan: Plan,
    counts: ArmCounts,
    ratio: SampleRatio,
    crossover_users: int,
    mismatch: Mismatch | None = None,
    rates: Rates | None = None,
    effect: Effect | None = None,
    comparison: Comparison | None = None,
    power: Power | None = None,
) -> Readout:
    """Write the answer for its reader: every reported figure, and no other."""
    sentences = tell_split(plan, counts, ratio, crossover_users)
    if mismatch is not None:
        sentences += tell_mismatch(mismatch)
    elif rates and effect and comparison and power:
        sentences += tell_effect(plan, rates, effect) + tell_decision(comparison, power)
    else:
        raise ValueError(
            "The split check passed and the effect was not measured. Call measure_rates, "
            "estimate_effect, compare_with_threshold and check_power first."
        )
    return Readout(readout=" ".join(sentences))
