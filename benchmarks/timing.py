"""Contenders timed in turn, so that a ratio is fair."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Contender:
    """Something to time.

    Attributes:
        name: what the table calls it.
        run: does the work once.
        loops: calls in one sample; a sample is the mean of them.
    """

    name: str
    run: Callable[[], object]
    loops: int = 1


@dataclass(frozen=True)
class Sample:
    """The times of one contender, one a round.

    Attributes:
        name: what the table calls it.
        times: seconds a call, in the order of the rounds.
    """

    name: str
    times: tuple[float, ...]

    @property
    def spread(self) -> tuple[float, float, float]:
        """Smallest, median and largest time, in seconds."""
        return spread(self.times)

    def over(self, other: Sample) -> tuple[float, float, float]:
        """Smallest, median and largest ratio to `other`, taken round by round."""
        return spread([mine / theirs for mine, theirs in zip(self.times, other.times, strict=True)])


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Smallest, median and largest of the values."""
    return min(values), statistics.median(values), max(values)


def measure(contenders: Sequence[Contender], rounds: int) -> tuple[Sample, ...]:
    """Time each contender once a round, all within the round, after one warm-up call each.

    A machine that slows down for a while slows every contender of the round alike: absolute times
    drift from day to day, ratios of one round do not.
    """
    for contender in contenders:
        contender.run()
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(rounds):
        for kept, contender in zip(times, contenders, strict=True):
            kept.append(_one(contender))
    return tuple(Sample(c.name, tuple(kept)) for c, kept in zip(contenders, times, strict=True))


def _one(contender: Contender) -> float:
    gc.collect()
    gc.disable()  # a collection in the middle of one sample would be charged to its contender
    try:
        start = time.perf_counter()
        for _ in range(contender.loops):
            contender.run()
        return (time.perf_counter() - start) / contender.loops
    finally:
        gc.enable()
