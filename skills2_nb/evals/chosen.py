"""Some of a skill's cases, chosen by id, tag or split."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills2_nb.errors import UsageError
from skills2_nb.formats.cases import Case, RunCase

_KINDS = ("case", "tag", "split")


@dataclass(frozen=True)
class Chosen:
    """Which cases are wanted: of each kind that is given, one of its words has to fit.

    Attributes:
        case: ids.
        tag: tags of run cases.
        split: splits of run cases.
    """

    case: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    split: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Chosen:
        """The choice of a line such as ``case:march tag:classic``; an empty one wants all.

        Raises:
            UsageError: a word is not ``case:ID``, ``tag:TAG`` or ``split:SPLIT``.
        """
        made: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for word in shlex.split(text):
            kind, _, name = word.partition(":")
            if kind not in made or not name:
                raise UsageError(f"{word!r} chooses no case; write case:ID, tag:TAG or split:SPLIT")
            made[kind].append(name)
        return cls(**{kind: tuple(names) for kind, names in made.items()})

    def __str__(self) -> str:
        words = [f"{kind}:{name}" for kind in _KINDS for name in getattr(self, kind)]
        return shlex.join(words)

    def __bool__(self) -> bool:
        return any(getattr(self, kind) for kind in _KINDS)

    def wants(self, case: Case) -> bool:
        """Whether a case is among the chosen; a step case has neither tag nor split."""
        tags, split = (case.tags, case.split) if isinstance(case, RunCase) else ((), None)
        return (
            (not self.case or case.id in self.case)
            and (not self.tag or bool(set(self.tag) & set(tags)))
            and (not self.split or split in self.split)
        )

    def of(self, cases: Sequence[Case]) -> tuple[Case, ...]:
        """The chosen cases, in their order.

        Raises:
            UsageError: a word fits none of the cases, or the words together fit none.
        """
        if not self:
            return tuple(cases)
        for kind, known in _known(cases).items():
            for name in getattr(self, kind):
                if name not in known:
                    raise UsageError(
                        f"no case has the {_called(kind)} {name!r}; {_near(name, known)}"
                    )
        found = tuple(case for case in cases if self.wants(case))
        if not found:
            raise UsageError(f"no case is chosen by {self}; leave a word out")
        return found


def _known(cases: Iterable[Case]) -> dict[str, list[str]]:
    listed = list(cases)
    runs = [case for case in listed if isinstance(case, RunCase)]
    return {
        "case": [case.id for case in listed],
        "tag": sorted({tag for case in runs for tag in case.tags}),
        "split": sorted({case.split for case in runs if case.split}),
    }


def _called(kind: str) -> str:
    return "id" if kind == "case" else kind


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"there is {', '.join(known)}" if known else "there is none"
