"""What an audit finds, each with a code and a mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from skills2_nb.audit.codes import CODES, Axis

__all__ = ["CODES", "Axis", "Finding", "finding", "listed"]


@dataclass(frozen=True)
class Finding:
    """One thing an audit found.

    Attributes:
        code: a key of ``CODES``.
        step: the step it is about, else None.
        message: what is wrong here, one sentence with place and values.
        mend: what to do about it, one sentence.
        counts: False for a note: something that happened and was overcome.
    """

    code: str
    axis: Axis
    step: str | None
    message: str
    mend: str
    counts: bool = True

    @property
    def vetoes(self) -> bool:
        """Whether ``strict`` fails on it whatever the score."""
        return self.counts and CODES[self.code].veto

    def to_dict(self) -> dict[str, Any]:
        """The fixed shape of a finding."""
        return {
            "code": self.code,
            "axis": self.axis,
            "step": self.step,
            "message": self.message,
            "mend": self.mend,
        }


def finding(
    code: str, message: str, *, step: str | None = None, note: bool = False, **facts: object
) -> Finding:
    """A finding whose mend is filled in from the facts.

    Args:
        code: a key of ``CODES``.
        message: what is wrong here.
        step: the step it is about.
        note: whether it was overcome and only worth telling.
        **facts: what the mend's template names.
    """
    rule = CODES[code]
    mend = rule.mend.format(step=step, **facts)
    return Finding(code, rule.axis, step, message, mend, counts=not note)


def listed(items: Iterable[object]) -> str:
    """Items in words: ``a``, ``a and b``, ``a, b and c``."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
