"""A benchmark's rows as a Markdown table."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata

from benchmarks.timing import Sample

HEAD = ("row", "work", "who", "min", "median", "max", "ours / this: min", "median", "max")
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


@dataclass(frozen=True)
class Row:
    """One piece of work and everyone who did it.

    Attributes:
        code: the row's name, `P2`.
        work: what was done, in a few words.
        goal: what ours is held to, in words.
        samples: ours first, then the floor, then peers.
        limits: of the goal, the most that the median ratio to a contender may be, by the beginning
            of the contender's name.
    """

    code: str
    work: str
    goal: str
    samples: tuple[Sample, ...]
    limits: Mapping[str, float] = field(default_factory=dict)


def duration(seconds: float) -> str:
    """Three significant figures with the unit that suits: `8.40 us`, `24.5 ms`."""
    if seconds < 0:  # a difference of two measurements
        return f"-{duration(-seconds)}"
    size, unit = next(((s, u) for s, u in UNITS if seconds >= s), UNITS[-1])
    value = seconds / size
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def cells(row: Row) -> Iterator[tuple[str, ...]]:
    """The lines of one row: ours, then each other with the ratio of ours to it."""
    ours = row.samples[0]
    for sample in row.samples:
        first = sample is ours
        ratios = ("", "", "") if first else tuple(f"{ratio:.2f}" for ratio in ours.over(sample))
        label = (row.code, row.work) if first else ("", "")
        yield (*label, sample.name, *map(duration, sample.spread), *ratios)


def versions(libraries: Iterable[str]) -> str:
    """One line: interpreter, system, cores, and the version of each library that is installed."""
    found = []
    for library in libraries:
        try:
            found.append(f"{library} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            found.append(f"{library} absent")
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return ", ".join([f"{python}, {system}", *found])


def markdown(rows: Sequence[Row]) -> str:
    """The whole table, columns aligned, with the goals under it."""
    lines = [HEAD, *(line for row in rows for line in cells(row))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    lines.insert(1, tuple("-" * width for width in widths))
    text = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in lines
    ]
    goals = [f"- {row.code}, {row.work}: {told}" for row in rows if (told := _goal(row))]
    return "\n".join([*text, "", *goals])


def _goal(row: Row) -> str:
    """The goal, and for each of its limits whether the median ratio keeps it."""
    return "; ".join([*([row.goal] if row.goal else []), *_kept(row)])


def _kept(row: Row) -> Iterator[str]:
    for name, most in row.limits.items():
        for sample in row.samples[1:]:
            if sample.name.startswith(name):
                ratio = row.samples[0].over(sample)[1]
                word = "met" if ratio <= most else "**missed**"
                yield f"{name} {ratio:.2f} of {most:g}, {word}"
