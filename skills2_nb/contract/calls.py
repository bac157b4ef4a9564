"""The calls of a run, kept or read again at need."""

from __future__ import annotations

import copy
import itertools
import sys
import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from skills2_nb.contract.call import STATUS, Call, Record, Status, call_of, checked

#: Gives the records of these numbers again, in that order.
Source = Callable[[Iterable[int]], Iterator[Record]]
#: Whether calls of this step, status and reason are wanted; a success has no reason.
Test = Callable[[str, Status, str | None], bool]
_Key = tuple[str, Status, str | None]
_Groups = dict[_Key, "array[int]"]


class Selection(Sequence[Call]):
    """Some calls of a run in order; one that is not kept is read again when it is looked at."""

    def __init__(self, calls: Calls, numbers: Sequence[int]) -> None:
        self._calls = calls
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> Selection: ...
    def __getitem__(self, at: int | slice) -> Call | Selection:
        if isinstance(at, slice):
            return Selection(self._calls, self._numbers[at])
        return next(self._calls.numbered((self._numbers[at],)))

    def __iter__(self) -> Iterator[Call]:
        return self._calls.numbered(self._numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Selection, Calls, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # calls may still be added

    def __repr__(self) -> str:
        return f"<{len(self)} calls>"


class Calls(Sequence[Call]):
    """Every call of a run in order, known by the numbers of their records.

    Calls added by :meth:`append` are kept. Of those that :meth:`note` adds only number, step,
    status and reason are: 8 bytes each.

    Args:
        source: gives a noted call's record again.
        upto: so many records lie before the first call that is added; the source is asked for
            them when more than one call is sought.
        most: keep about so many of the newest calls, and ask the source for older ones.
    """

    def __init__(
        self, source: Source | None = None, upto: int = 0, most: int = sys.maxsize
    ) -> None:
        self._source = source
        self._most = most
        self._limit = 2 * most
        self._pinned: set[int] = set()
        self._earlier = upto
        self._top = upto
        self._groups: _Groups = {}
        self._kept: dict[int, Call] = {}
        self._strays: dict[Any, int] = {}  # by the number that their record claims
        self._until = sys.maxsize
        self._lock = threading.Lock()

    def append(self, call: Call, number: int) -> None:
        """Keep a call whose record is the one of this number, from 1."""
        self._kept[number] = call
        if call.seq != number:
            self._add(number, (call.step, call.status, _reason(call.status, call.reason)))
            self._strays[call.seq] = number
        else:
            self.note(number, call.step, call.status, _reason(call.status, call.reason))

    def note(self, number: int, step: str, status: Status, reason: str | None) -> None:
        """Add a call that the source can give again; its record claims its own number."""
        if self._strays:
            self._strays.pop(number, None)
        self._top = number
        self._add(number, (step, status, reason))

    def replace(self, number: int, call: Call) -> None:
        """Keep another form of a call that was added, for good."""
        self._kept[number] = call
        self._pinned.add(number)

    @property
    def is_crowded(self) -> bool:
        """Whether twice as many calls are kept as should be."""
        return len(self._kept) > self._limit

    def let_go(self, but: Iterable[int] = ()) -> None:
        """Keep the newest calls and those of the numbers ``but`` alone."""
        wanted, oldest = self._pinned.union(but), self._top - self._most
        self._kept = {n: call for n, call in self._kept.items() if n > oldest or n in wanted}
        self._limit = len(self._kept) + self._most

    def before(self, number: int) -> Calls:
        """The calls recorded before this number, whatever is added later."""
        self._all()
        cut = copy.copy(self)
        cut._until = number
        return cut

    def where(self, test: Test) -> Selection:
        """The calls for which ``test`` holds."""
        found = [
            numbers[: bisect_left(numbers, self._until)]
            for key, numbers in self._all().items()
            if test(*key)
        ]
        if len(found) == 1:
            return Selection(self, found[0])
        return Selection(self, array("Q", sorted(itertools.chain(*found))))

    def newest(self) -> dict[str, Call]:
        """The newest success of each step."""
        last = {}
        for (step, status, _), numbers in self._all().items():
            at = bisect_left(numbers, self._until)
            if status == "ok" and at:
                last[step] = numbers[at - 1]
        return dict(zip(last, self.numbered(list(last.values())), strict=True))

    def numbered(self, numbers: Sequence[int]) -> Iterator[Call]:
        """The calls that the records of these numbers are of.

        Raises:
            JournalError: one is not kept, and cannot be read again.
        """
        kept = self._kept
        if self._source is None:
            return map(kept.__getitem__, numbers)
        return self._mixed(numbers)

    def by_seq(self, seq: Any) -> Call | None:
        """The call whose record claims the number ``seq``; None where none does."""
        number = self._strays.get(seq, seq)
        if type(number) is not int or not 0 < number < self._until:
            return None
        call = self._kept.get(number)
        if call is None and self._source is not None and number <= self._top:
            record = next(self._source((number,)))
            if record["kind"] in STATUS:
                call = self._kept[number] = checked(call_of, record)
        return call if call is not None and call.seq == seq else None

    def seqs(self) -> Iterator[Any]:
        """The numbers that the calls' records claim, in order."""
        kept = self._kept
        for number in self.where(_every)._numbers:
            yield kept[number].seq if number in kept else number

    def __len__(self) -> int:
        return len(self.where(_every))

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> Selection: ...
    def __getitem__(self, at: int | slice) -> Call | Selection:
        return self.where(_every)[at]

    def __iter__(self) -> Iterator[Call]:
        return iter(self.where(_every))

    def __eq__(self, other: object) -> bool:
        return self.where(_every) == other

    __hash__ = None  # type: ignore[assignment]  # calls may still be added

    def __repr__(self) -> str:
        return f"<{len(self)} calls>"

    def _add(self, number: int, key: _Key) -> None:
        if self._earlier:
            with self._lock:
                _put(self._groups, key, number)
        else:
            _put(self._groups, key, number)

    def _mixed(self, numbers: Sequence[int]) -> Iterator[Call]:
        """Kept calls, and the others read again in one go."""
        assert self._source is not None
        kept = self._kept
        again = self._source(number for number in numbers if number not in kept)
        for number in numbers:
            yield kept[number] if number in kept else checked(call_of, next(again))

    def _all(self) -> _Groups:
        """The numbers by step, status and reason, those of the earlier calls among them."""
        if self._earlier and self._source is not None:
            found: _Groups = {}
            for number, record in enumerate(self._source(range(1, self._earlier + 1)), 1):
                key = checked(_key, record)
                if key is not None:
                    _put(found, key, number)
            self._join(found)
        return self._groups

    def _join(self, found: _Groups) -> None:
        """Put earlier calls before those added; another thread may have been as quick."""
        with self._lock:
            if self._earlier:
                for key, numbers in self._groups.items():
                    found.setdefault(key, array("Q")).extend(numbers)
                self._groups, self._earlier = found, 0


class BySeq(Mapping[int, Call]):
    """The calls of a run by the number that each one's record claims."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def __getitem__(self, seq: int) -> Call:
        call = self._calls.by_seq(seq)
        if call is None:
            raise KeyError(seq)
        return call

    def get(self, seq: Any, default: Any = None) -> Any:
        """The call of this number, else ``default``."""
        call = self._calls.by_seq(seq)
        return default if call is None else call

    def __iter__(self) -> Iterator[int]:
        return self._calls.seqs()

    def __len__(self) -> int:
        return len(self._calls)


def _put(groups: _Groups, key: _Key, number: int) -> None:
    try:
        groups[key].append(number)
    except KeyError:
        groups[key] = array("Q", (number,))


def _key(record: Record) -> _Key | None:
    status = STATUS.get(record["kind"])
    if status is None:
        return None
    return record["step"], status, _reason(status, record.get("reason"))


def _reason(status: Status, reason: str | None) -> str | None:
    return None if status == "ok" else reason


def _every(step: str, status: Status, reason: str | None) -> bool:
    return True
