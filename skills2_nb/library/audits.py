"""The audits on record, and whether journals match them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from skills2_nb.contract import ledger
from skills2_nb.contract.chain import scan
from skills2_nb.contract.errors import JournalError, UnknownRunError
from skills2_nb.contract.home import home
from skills2_nb.contract.run import find as journal_of
from skills2_nb.errors import UnreadableError, UsageError

AUDITS = "audits"
Match = Literal["matches", "differs", "gone", "erased", "no run"]
#: Longer than this no text of an audit is.
_MOST = 64 * 1024


@dataclass(frozen=True)
class Audited:
    """One line of the ledger.

    Attributes:
        number: its place among the audits on record, from 1; it never changes.
        line: what the ledger keeps.
    """

    number: int
    line: Mapping[str, Any]

    @property
    def run(self) -> str | None:
        """The run; None where an answer was judged alone."""
        return self._text("run")

    @property
    def skill(self) -> str:
        """The skill's name."""
        return self._text("skill") or ""

    @property
    def session(self) -> str | None:
        """The client's session, where it is known."""
        return self._text("session")

    @property
    def ts(self) -> str:
        """When it was audited: UTC, ISO 8601."""
        return self._text("ts") or ""

    @property
    def profile(self) -> str:
        """The profile whose verdict counts."""
        return "classic" if self.line.get("profile") == "classic" else "strict"

    @property
    def verdict(self) -> str:
        """The verdict that counts."""
        return str(self._judged().get("verdict", "?"))

    @property
    def score(self) -> float | None:
        """The score that counts."""
        score = self._judged().get("score")
        return float(score) if isinstance(score, (int, float)) else None

    @property
    def level(self) -> str:
        """The evidence level."""
        return self._text("level") or "none"

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of what was found."""
        codes = self.line.get("codes")
        return tuple(str(code) for code in codes) if isinstance(codes, list) else ()

    def to_dict(self) -> dict[str, Any]:
        """The number and the line as it is kept."""
        return {"number": self.number, **self.line}

    def _judged(self) -> Mapping[str, Any]:
        value = self.line.get(self.profile)
        return value if isinstance(value, Mapping) else {}

    def _text(self, name: str) -> str | None:
        value = self.line.get(name)
        return value if isinstance(value, str) else None


def listed(
    skill: str | None = None,
    session: str | None = None,
    since: str | None = None,
    limit: int | None = None,
) -> list[Audited]:
    """Audits, the newest first.

    Args:
        skill: only those of this skill.
        session: only those of a session whose id begins so.
        since: only those from this time on, as :func:`moment` gives it.
        limit: at most so many.
    """
    found = [
        item
        for item in reversed(_all())
        if skill in (None, item.skill)
        and (session is None or (item.session or "").startswith(session))
        and (since is None or item.ts >= since)
    ]
    return found if limit is None else found[:limit]


def find(word: str) -> Audited:
    """The audit of that number, or the newest of the run that begins so.

    Raises:
        UsageError: there is none, or the runs of several begin so.
    """
    found = _all()
    if word.isdecimal() and len(word) < 8:
        for item in found:
            if item.number == int(word):
                return item
        raise UsageError(f"there is no audit {word}; `skills2 audits list` shows those there are")
    of = [item for item in found if word and (item.run or "").startswith(word)]
    runs = sorted({item.run or "" for item in of})
    if len(runs) > 1:
        raise UsageError(
            f"audits of {len(runs)} runs begin with {word!r} ({', '.join(runs[:3])}"
            f"{', …' if len(runs) > 3 else ''}); give more of the id"
        )
    if not of:
        raise UsageError(
            f"there is no audit of a run {word[:80]!r}; `skills2 audits list` shows those there are"
        )
    return of[-1]


def match(item: Audited) -> Match:
    """Whether the journal still holds, whole, what the audit saw of it."""
    if item.run is None:
        return "no run"
    try:
        return "matches" if _holds(journal_of(item.run), item) else "differs"
    except (UnknownRunError, JournalError):
        gone = any(line.get("run") == item.run for line in ledger.read("erased", item.run))
        return "erased" if gone else "gone"


def _holds(path: Path, item: Audited) -> bool:
    """Whether a journal is whole, and the record that the audit saw last stands at its place."""
    seen = False
    for number, (record, fault) in enumerate(scan(path), 1):
        if fault is not None:
            return seen and fault.torn
        if number == item.line.get("count"):
            seen = record is not None and record["hash"] == item.line.get("head")
    return seen


def text_of(item: Audited) -> str:
    """What was told of the newest audit of the item's run; empty where nothing was kept."""
    if item.run is None or "/" in item.run:
        return ""
    try:
        with place_of(item.run).open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def place_of(run: str) -> Path:
    """Where the text of a run's newest audit is kept; it goes when the run is erased."""
    return home() / "pages" / f"{run}.txt"


def moment(text: str, now: dt.datetime | None = None) -> str:
    """A time as the ledger writes it: a day, an ISO time, or ``7d``, ``12h``, ``30m`` ago.

    Raises:
        UsageError: it is none of these.
    """
    number, unit = text[:-1], text[-1:]
    here = now or dt.datetime.now(dt.UTC)
    try:
        if unit in ("d", "h", "m") and number.isdecimal():
            names = {"d": "days", "h": "hours", "m": "minutes"}
            at = here - dt.timedelta(**{names[unit]: int(number)})
        else:
            at = dt.datetime.fromisoformat(text)
            at = at.replace(tzinfo=at.tzinfo or dt.UTC).astimezone(dt.UTC)
        return f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time; write a day (2026-03-01), a time, or how long ago (7d, 12h, 30m)"
        ) from None


def _all() -> list[Audited]:
    try:
        lines = list(ledger.read(AUDITS))
    except OSError as error:
        raise UnreadableError(
            f"{ledger.place(AUDITS)} cannot be read ({error.strerror}); check its permissions"
        ) from error
    return [Audited(number, line) for number, line in enumerate(lines, 1)]
