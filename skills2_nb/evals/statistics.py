"""What trials can show: an interval, and a paired test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

#: How sure an interval is, and one minus it is how small a p-value must be.
CONFIDENCE = 0.95
#: The pass rate that trials have to show.
RATE = 0.80


@dataclass(frozen=True)
class Interval:
    """A share of trials, and where the true one lies.

    Attributes:
        passes: trials that held.
        trials: all of them.
        low: the lower end, 0 to 1.
        high: the upper end.
    """

    passes: int
    trials: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """The share that held."""
        return self.passes / self.trials

    def __str__(self) -> str:
        """As ``14 of 16 trials hold: 0.88, 95% interval 0.64 to 0.97``."""
        return (
            f"{self.passes} of {self.trials} trials hold: {self.rate:.2f}, "
            f"{CONFIDENCE:.0%} interval {self.low:.2f} to {self.high:.2f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return {**asdict(self), "rate": self.rate}


def wilson(passes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    r"""The Wilson score interval of a share.

    With :math:`p = k / n` and :math:`z` the normal quantile of ``(1 + confidence) / 2`` its ends
    are :math:`(p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}) / (1 + z^2/n)` (E. B. Wilson,
    J. Am. Stat. Assoc. 22, 1927). Unlike the textbook interval it is no point where all trials
    held: 3 of 3 leave 0.44 possible, 10 of 10 still 0.72.

    Args:
        passes: k, from 0 to ``trials``.
        trials: n, at least 1; they count as independent.

    Raises:
        ValueError: they are no counts of trials.
    """
    if not 0 <= passes <= trials or trials < 1:
        raise ValueError(f"{passes} of {trials} is no count of trials")
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    share, part = passes / trials, 1 + z2 / trials
    middle = (share + z2 / (2 * trials)) / part
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / part
    low = 0.0 if passes == 0 else max(0.0, middle - half)
    high = 1.0 if passes == trials else min(1.0, middle + half)
    return Interval(passes, trials, low, high)


def trials_needed(rate: float = RATE, confidence: float = CONFIDENCE) -> int:
    """How many trials, all of which hold, show a pass rate of ``rate``.

    The lower end for n of n is :math:`n / (n + z^2)`, so it is the least n that is no less than
    :math:`z^2 r / (1 - r)`.

    Args:
        rate: from 0 to below 1.

    Raises:
        ValueError: no number of trials shows a rate of 1.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"no number of trials shows a pass rate of {rate}")
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    return max(1, math.ceil(z2 * rate / (1 - rate) - 1e-9))


def sign_flip(differences: Iterable[Fraction]) -> float:
    """How likely pairs without a difference fall at least this far: the one-sided p-value.

    If before and after are exchangeable within each pair, each difference is as likely with the
    other sign (R. A. Fisher, The Design of Experiments, 1935, §21). The distribution of the sum
    over all 2^n signs is counted, not sampled: pair by pair, sums that are equal together, so it
    is exact and gives the same figure each time. A pair without a difference says nothing.

    Args:
        differences: after minus before, a pair each; negative is worse.

    Returns:
        The share of sign assignments whose sum is no greater than the one seen; 1 where no pair
        differs.
    """
    moved = [item for item in differences if item]
    whole = math.lcm(*(item.denominator for item in moved))
    steps = [int(item * whole) for item in moved]
    ways = {0: 1}
    for step in steps:
        after: dict[int, int] = {}
        for total, count in ways.items():
            for signed in (total + step, total - step):
                after[signed] = after.get(signed, 0) + count
        ways = after
    seen = sum(steps)
    as_low = sum(count for total, count in ways.items() if total <= seen)
    return float(Fraction(as_low, 1 << len(steps)))


def pairs_needed(confidence: float = CONFIDENCE) -> int:
    """How many pairs that all got worse :func:`sign_flip` needs to say so: p is 1/2^n at least."""
    return math.ceil(-math.log2(1 - confidence))
