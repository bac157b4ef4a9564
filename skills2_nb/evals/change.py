"""One difference from the baseline, and how much it weighs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["fail", "inconclusive", "note"]


@dataclass(frozen=True)
class Change:
    """Something that is not as it was.

    Attributes:
        level: ``fail`` and ``inconclusive`` decide; a ``note`` is told alone.
        about: what it is of, such as ``case march`` or ``invariant total_is_sum``.
        message: a sentence without its full stop.
        before: how it stood in the baseline, in few words.
        after: how it stands now.
    """

    level: Level
    about: str
    message: str
    before: str = ""
    after: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return asdict(self)


def listed(names: tuple[str, ...]) -> str:
    """Names in a sentence: ``a, b and c``; ``nothing`` where there is none."""
    if len(names) < 2:
        return "".join(names) or "nothing"
    return f"{', '.join(names[:-1])} and {names[-1]}"
