"""The skills of some folders, as they are now."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from skills2_nb.errors import Skills2Error
from skills2_nb.library.activation import Card, Contract, card, contract, mark, step_count
from skills2_nb.library.discovery import is_package

Mark = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Fault:
    """A package that cannot be used, and why.

    Attributes:
        name: what it is called, as far as that is known.
        folder: where it lies.
        message: one sentence.
    """

    name: str
    folder: Path
    message: str


@dataclass
class _Look:
    """What was seen at one time; contracts and faults are added as they are asked for."""

    marks: dict[Path, Mark]
    cards: dict[str, Card] = field(default_factory=dict)
    contracts: dict[str, Contract] = field(default_factory=dict)
    unread: dict[str, Fault] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)

    def meet(self, folder: Path) -> None:
        """Read a package's card."""
        try:
            made = card(folder)
        except Skills2Error as error:
            self.unread.setdefault(folder.name, Fault(folder.name, folder, error.message))
        else:
            self.cards.setdefault(made.name, made)


class Catalog:
    """The packages below some roots; a root may be a package itself. The first of a name wins.

    Args:
        roots: folders; one that is not there may come later.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self.roots = tuple(root.expanduser().absolute() for root in roots)
        self._now = _Look({})
        self.refresh()

    def refresh(self) -> bool:
        """Look again; whether a package came, went or was exported anew.

        Another thread may read meanwhile: it sees all of the old state or all of the new one.
        """
        marks = {folder: mark(folder) for folder in self._folders()}
        if marks == self._now.marks:
            return False
        found = _Look(marks)
        for folder in marks:
            found.meet(folder)
        self._now = found
        return True

    @property
    def cards(self) -> tuple[Card, ...]:
        """What is there, by name."""
        cards = self._now.cards
        return tuple(cards[name] for name in sorted(cards))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What cannot be read, by name; a fault of a contract once somebody asked for that."""
        found = {**self._now.unread, **self._now.faults}
        return tuple(found[name] for name in sorted(found))

    def mark(self, name: str) -> Mark | None:
        """What changes when the skill is exported anew; None where it is not there."""
        now = self._now
        made = now.cards.get(name)
        return None if made is None else now.marks.get(made.folder)

    def contract(self, name: str) -> Contract:
        """The contract of a skill, read once an export.

        Raises:
            KeyError: there is no such skill.
            Skills2Error: its files cannot be read.
        """
        now = self._now
        made = now.contracts.get(name)
        if made is None:
            folder = now.cards[name].folder
            try:
                made = now.contracts[name] = contract(folder)
            except Skills2Error as error:
                now.faults[name] = Fault(name, folder, error.message)
                raise
        return made

    @property
    def is_read(self) -> bool:
        """Whether every contract was read, or found to be none, since the last change."""
        now = self._now
        return len(now.contracts) + len(now.faults) >= len(now.cards)

    def contracts(self) -> tuple[Contract, ...]:
        """Every contract that can be read, by name; the others are among :attr:`faults`."""
        found = []
        for made in self.cards:
            if made.name in self._now.faults:
                continue
            with contextlib.suppress(Skills2Error, KeyError):
                found.append(self.contract(made.name))
        return tuple(found)

    def holds_steps(self, most: int, beside: int, without: Container[str] = ()) -> bool:
        """Whether there are at most ``most`` of steps and ``beside`` others a skill.

        Stops to count as soon as there are more, and counts none of the skills of ``without``.
        """
        total = 0
        for made in self.cards:
            if made.name in without:
                continue
            try:
                total += step_count(made.folder) + beside
            except Skills2Error as error:
                self._now.faults[made.name] = Fault(made.name, made.folder, error.message)
            if total > most:
                return False
        return True

    def _folders(self) -> list[Path]:
        """The packages' folders, each once; asked every second, so links alone are followed."""
        found: dict[Path, None] = {}
        for root in self.roots:
            if is_package(root):
                found[root.resolve()] = None
                continue
            try:
                with os.scandir(root.resolve()) as below:
                    children = sorted(
                        (child.name, child.is_symlink(), child.path) for child in below
                    )
            except (OSError, RuntimeError):  # not there, or a link that leads to itself
                continue
            for _, is_link, path in children:
                child = Path(path)
                if is_package(child):
                    found[child.resolve() if is_link else child] = None
        return list(found)
