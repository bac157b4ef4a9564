"""Labelled prompts: how often triggers are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.errors import UnreadableError
from skills2_nb.library.index_bytes import Listed
from skills2_nb.library.triggered import told_names


@dataclass(frozen=True)
class Label:
    """A prompt, and whether a skill should be told of it.

    Attributes:
        skill: the skill's name.
        prompt: what a user writes.
        should: whether the skill is the one to use.
        split: the part of the set it belongs to; empty where it has none.
    """

    skill: str
    prompt: str
    should: bool
    split: str = ""


@dataclass(frozen=True)
class Tally:
    """What came of some labels.

    Attributes:
        right: told, and it should be.
        wrong: told, and it should not be.
        missed: not told, and it should be.
        quiet: not told, and it should not be.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    quiet: int = 0

    @property
    def precision(self) -> float | None:
        """The share of the told that were right; None where none was told."""
        told = self.right + self.wrong
        return self.right / told if told else None

    @property
    def recall(self) -> float | None:
        """The share told of those that should be; None where there are none."""
        due = self.right + self.missed
        return self.right / due if due else None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.right + other.right,
            self.wrong + other.wrong,
            self.missed + other.missed,
            self.quiet + other.quiet,
        )

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "right": self.right,
            "wrong": self.wrong,
            "missed": self.missed,
            "quiet": self.quiet,
        }


@dataclass(frozen=True)
class Outcome:
    """A label and whether the skill was told."""

    label: Label
    told: bool

    @property
    def tally(self) -> Tally:
        """The one label, counted."""
        if self.told:
            return Tally(right=1) if self.label.should else Tally(wrong=1)
        return Tally(missed=1) if self.label.should else Tally(quiet=1)


def parse(text: str, where: str) -> list[Label]:
    """The labels of JSON Lines; empty lines are passed over.

    Args:
        where: the file's name, for messages.

    Raises:
        UnreadableError: a line is no label.
    """
    return [
        _label(line, f"{where}:{number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _label(line: str, where: str) -> Label:
    try:
        value = json.loads(line)
        label = Label(value["skill"], value["prompt"], value["should"], value.get("split", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        label = Label("", "", False)
    texts = (label.skill, label.prompt, label.split)
    fits = all(isinstance(text, str) for text in texts) and isinstance(label.should, bool)
    if not fits or not label.skill or not label.prompt:
        raise UnreadableError(
            f'{where} is no labelled prompt; write {{"skill": "a-name", "prompt": "what a user '
            'asks", "should": true}'
        )
    return label


def outcomes(skills: Sequence[Listed], labels: Iterable[Label]) -> list[Outcome]:
    """What the triggers of some skills say of each label, all skills side by side."""
    return [Outcome(label, label.skill in told_names(skills, label.prompt)) for label in labels]


def tallies(found: Iterable[Outcome]) -> dict[str, Tally]:
    """The outcomes of each skill, counted, by name."""
    counted: dict[str, Tally] = {}
    for outcome in found:
        name = outcome.label.skill
        counted[name] = counted.get(name, Tally()) + outcome.tally
    return {name: counted[name] for name in sorted(counted)}
