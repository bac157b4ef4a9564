"""What goes back into a notebook, and what cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from skills2_nb.convert.board import Board
from skills2_nb.convert.merge import Verdict
from skills2_nb.convert.plan import Plan
from skills2_nb.errors import UsageError
from skills2_nb.formats.package import digest_of

Side = Literal["package", "notebook"]
SIDES: tuple[Side, ...] = ("package", "notebook")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A part that differs on both sides, and nobody can tell which of them moved.

    Attributes:
        file: the file of the package.
        label: what ``--take SIDE:LABEL`` names it by: a cell's number, a marker, a path.
        notebook: the notebook's version; None where it has none.
        package: the package's version; None where it has none.
    """

    file: str
    label: str
    notebook: str | None
    package: str | None


@dataclass(frozen=True, slots=True)
class Left:
    """An edit of the package that no cell can hold.

    Attributes:
        file: the file of the package.
        message: why, one sentence.
        mend: where to make the edit instead.
    """

    file: str
    message: str
    mend: str


@dataclass(frozen=True)
class Choices:
    """What the user decided: a side for every conflict, or for one by its label."""

    every: Side | None = None
    by_label: Mapping[str, Side] = field(default_factory=dict)

    def of(self, label: str) -> Side | None:
        """The side to take of a conflict; None where nobody decided."""
        return self.by_label.get(label, self.every)


def choices(words: Sequence[str]) -> Choices:
    """The choices of ``SIDE`` and ``SIDE:LABEL`` words.

    Raises:
        UsageError: a word names no side, or two of them disagree.
    """
    every: Side | None = None
    by_label: dict[str, Side] = {}
    for word in words:
        side = next((side for side in SIDES if side == word.partition(":")[0]), None)
        label = word.partition(":")[2]
        if side is None or (":" in word and not label):
            raise UsageError(
                f"--take {word} names no side; write package or notebook, or one of them with a "
                "conflict's name: --take package:7"
            )
        if (by_label.get(label) if label else every) not in (None, side):
            raise UsageError(f"--take {word} and another --take disagree; keep one of them")
        if label:
            by_label[label] = side
        else:
            every = side
    return Choices(every, by_label)


#: Says what a package lacks that was promised; empty where all is there.
Promise = Callable[[Plan], str]


@dataclass
class Back:
    """The work on one notebook: what its package has and what was found about it.

    Attributes:
        plan: what the notebook makes now.
        board: its cells as they shall be.
        there: the package's files, text over LF.
        lock: the digests of what export wrote.
        sides: what the user decided.
        conflicts: what is still to be decided.
        left: edits that no cell can hold.
        carried: files whose edits go back.
        writes: files of the notebook's folder to write, by relative path.
        promises: what the new notebook must make.
        used: labels of conflicts that were decided.
    """

    plan: Plan
    board: Board
    there: Mapping[str, bytes]
    lock: Mapping[str, str]
    sides: Choices = field(default_factory=Choices)
    conflicts: list[Conflict] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    writes: dict[str, bytes] = field(default_factory=dict)
    promises: list[Promise] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def both_moved(self, path: str) -> bool:
        """Whether the notebook no longer makes what export wrote there."""
        made = self.plan.files.get(path)
        return (None if made is None else digest_of(made)) != self.lock.get(path)

    def is_base(self, path: str, data: bytes) -> bool:
        """Whether these bytes are what export wrote there."""
        return digest_of(data) == self.lock.get(path)

    def settle(
        self, verdict: Verdict, file: str, label: str, ours: str | None, theirs: str | None
    ) -> Verdict:
        """The verdict; of a conflict what the user decided, else it is noted."""
        if verdict != "conflict":
            return verdict
        side = self.sides.of(label)
        if side is None:
            self.conflicts.append(Conflict(file, label, ours, theirs))
            return verdict
        self.used.add(label)
        return "take" if side == "package" else "keep"

    def leave(self, file: str, message: str, mend: str) -> None:
        """Note an edit that no cell can hold."""
        self.left.append(Left(file, message, mend))

    def text(self, path: str) -> str | None:
        """A file of the package as text; None, and noted, where it is none.

        A byte order mark, as some editors put it there, is no part of it.
        """
        try:
            return self.there[path].decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self.leave(path, f"it is not UTF-8 (byte offset {error.start})", "save it as UTF-8")
            return None
