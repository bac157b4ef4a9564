"""Precision and recall of the triggers on labelled prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skills2_nb.library.index_bytes import listed
from skills2_nb.library.labelled import Outcome, Tally, outcomes, parse, tallies

HERE = Path(__file__).parent
PROMPTS = HERE / "prompts.jsonl"
SKILLS = HERE.parent / "skills"
#: The half that rule and tables were tuned on, and the half that nobody had looked at.
SPLITS = ("tune", "held")
HEAD = ("skill", *(f"{split}: {what}" for split in SPLITS for what in ("precision", "recall")))
INTRO = """# Triggers

`benchmarks/prompts.jsonl` has labelled prompts of each skill: half of them should call for it, half
are near misses. Rule and tables were tuned on one half (`tune`). The other one (`held`) was written
by somebody else, unseen by those who tuned, and measured once they had finished. A prompt counts
for the skill it is labelled with; the skills stand side by side, as in an index. Behind each share
stands what it is of: the told, and those that were due.
"""


def markdown(prompts: Path = PROMPTS, skills: Path = SKILLS) -> str:
    """The table: a line a skill and one for all, tuned and held-out half apart."""
    labels = parse(prompts.read_text(encoding="utf-8"), prompts.name)
    index = [listed(folder, "") for folder in sorted(skills.iterdir()) if folder.is_dir()]
    found = outcomes(index, labels)
    lines = [HEAD, tuple("---" for _ in HEAD), *_lines(found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _lines(found: list[Outcome]) -> Iterator[tuple[str, ...]]:
    halves = [tallies(item for item in found if item.label.split == split) for split in SPLITS]
    for name in sorted(set().union(*halves)):
        yield _line(name, [half.get(name, Tally()) for half in halves])
    yield _line("all", [sum(half.values(), Tally()) for half in halves])


def _line(name: str, halves: list[Tally]) -> tuple[str, ...]:
    cells = (
        cell
        for half in halves
        for cell in (
            _share(half.precision, half.right, half.right + half.wrong),
            _share(half.recall, half.right, half.right + half.missed),
        )
    )
    return (name, *cells)


def _share(value: float | None, part: int, whole: int) -> str:
    return "-" if value is None else f"{value:.2f} ({part}/{whole})"
