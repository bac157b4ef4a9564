"""Whether a recorded result and a new one are the same."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skills2_nb.contract import blobs
from skills2_nb.contract.blobs import TABLE_TAG
from skills2_nb.contract.canonical import is_digest, withheld
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.invariants import shown

#: How far two floats may lie apart, as a share of their size: sums in another order end so.
TOLERANCE = 1e-9
#: And near zero, where such sums leave a rest.
LEAST = 1e-12
_ABSENT = object()
#: Characters of a long text shown before the place where it differs.
_BEFORE = 24


@dataclass(frozen=True)
class Difference:
    """The first place where two plain values differ.

    Attributes:
        place: a pointer such as ``/rows/0/churned``; empty for the whole.
        was: the recorded value in a few words.
        now: the other one.
        known: False where the record keeps a digest alone, so that nobody can tell how far they
            differ.
        number: whether both are numbers.
    """

    place: str
    was: str
    now: str
    known: bool = True
    number: bool = False

    def __str__(self) -> str:
        name = self.place.removeprefix("/").replace("/", ".") or "the result"
        return f"{name} is {self.was} in the record and {self.now} when it is run again"


def difference(
    was: Any, now: Any, rows: Mapping[str, str] | None = None, *, tables: bool = True
) -> Difference | None:
    """Compare two plain values leaf by leaf, floats with ``TOLERANCE``.

    Args:
        was: the recorded one.
        now: the other.
        rows: packed tables of ``now`` by digest; those of ``was`` are read from the blobs. A table
            that is in neither counts as different.
        tables: whether tables count at all.

    Returns:
        The first difference, None where there is none.
    """
    return _Comparison(rows or {}, tables).at("", was, now)


@dataclass(frozen=True)
class _Comparison:
    rows: Mapping[str, str]
    tables: bool

    def at(self, place: str, was: Any, now: Any) -> Difference | None:
        if is_digest(was) and not is_digest(now):
            return None if withheld(now) == was else Difference(place, "?", "?", known=False)
        if isinstance(was, dict) and isinstance(now, dict):
            if TABLE_TAG in was and TABLE_TAG in now:
                return self._table(place, was, now)
            return self._members(place, was, now)
        if isinstance(was, list) and isinstance(now, list):
            return self._items(place, was, now)
        return None if _equal(was, now) else _told(place, was, now)

    def _members(
        self, place: str, was: Mapping[str, Any], now: Mapping[str, Any]
    ) -> Difference | None:
        for name in dict.fromkeys([*was, *now]):
            one, other = was.get(name, _ABSENT), now.get(name, _ABSENT)
            found = self.at(f"{place}/{name}", one, other)
            if found is not None:
                return found
        return None

    def _items(self, place: str, was: list[Any], now: list[Any]) -> Difference | None:
        for number, (one, other) in enumerate(zip(was, now, strict=False)):
            found = self.at(f"{place}/{number}", one, other)
            if found is not None:
                return found
        if len(was) == len(now):
            return None
        return Difference(place, f"{len(was)} long", f"{len(now)} long", number=True)

    def _table(
        self, place: str, was: Mapping[str, Any], now: Mapping[str, Any]
    ) -> Difference | None:
        one, other = was[TABLE_TAG], now[TABLE_TAG]
        if not self.tables or one == other:
            return None
        try:
            found = self.at(place, json.loads(_kept(one)), json.loads(self.rows[other]))
        except (JournalError, KeyError, TypeError, ValueError):
            return Difference(place, f"the table {_short(one)}", f"the table {_short(other)}")
        return found


def _kept(sha: Any) -> bytes:
    return blobs.get(sha) if isinstance(sha, str) else b""


def _short(sha: Any) -> str:
    return str(sha)[:12]


def _equal(was: Any, now: Any) -> bool:
    if _is_number(was) and _is_number(now):
        if isinstance(was, float) or isinstance(now, float):
            return _near(was, now)
        return bool(was == now)
    return type(was) is type(now) and bool(was == now)


def _near(was: float, now: float) -> bool:
    try:
        return math.isclose(was, now, rel_tol=TOLERANCE, abs_tol=LEAST)
    except OverflowError:  # a whole number that no float holds
        return was == now


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _told(place: str, was: Any, now: Any) -> Difference:
    if isinstance(was, str) and isinstance(now, str):
        return Difference(place, *_excerpts(was, now))
    return Difference(place, _words(was), _words(now), number=_is_number(was) and _is_number(now))


def _excerpts(was: str, now: str) -> tuple[str, str]:
    """Two texts in a few words each, from shortly before the first place where they differ."""
    same = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), 0)
    start = max(same - _BEFORE, 0) if max(len(was), len(now)) > shown.maxstring else 0
    lead = "…" if start else ""
    return shown.repr(lead + was[start:]), shown.repr(lead + now[start:])


def _words(value: Any) -> str:
    return "absent" if value is _ABSENT else shown.repr(value)
