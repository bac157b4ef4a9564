"""Whose key stands behind each line of a journal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.contract import keys
from skills2_nb.contract.home import home
from skills2_nb.contract.journal import Record

#: How many lines are told one by one.
MOST = 8
#: The end of a line that bears a MAC: nothing but ``prev`` and ``hash`` may stand behind it.
_END = re.compile(rb',"mac":"([0-9a-f]{64})","prev":"([0-9a-f]{64})","hash":"[0-9a-f]{64}"\}\n')
_END_BYTES = len(b',"mac":""') + len(b',"prev":""') + len(b',"hash":""}\n') + 3 * 64


@dataclass
class Macs:
    """What the MACs of a journal's lines say; :meth:`see` takes them one by one.

    Attributes:
        home: where the keys lie.
        lines: how many lines were seen.
        verified: how many bear a MAC that verifies, by a key that nobody else can read.
        plain: how many bear none, and name a process in place of a key.
        exposed: how many verify by a key that others can read or that is not ours, by key.
        unknown: how many bear a MAC whose key is not there, by key.
        wrong: the first lines whose MAC is wrong, each with what is wrong with it.
        more: how many there are beyond them.
    """

    home: Path = field(default_factory=home)
    lines: int = 0
    verified: int = 0
    plain: int = 0
    exposed: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    more: int = 0
    _keys: dict[str, keys.Kept | None] = field(default_factory=dict)
    _trusted: dict[str, keys.Key] = field(default_factory=dict)

    @property
    def all_verified(self) -> bool:
        """Whether there are lines, and each bears a MAC that verifies."""
        return self.lines > 0 and self.verified == self.lines

    def see(self, line: bytes, record: Record) -> None:
        """Take the next line, whose hash is right, and the record that it is."""
        self.lines += 1
        writer = record.get("writer")
        key = self._trusted.get(writer) if isinstance(writer, str) else None
        if key is not None and _bears(line, record["prev"].encode("ascii"), key):
            self.verified += 1
            return
        fault = self._fault(line, record)
        if fault is None:
            return
        if len(self.wrong) < MOST:
            self.wrong.append((int(record["seq"]), fault))
        else:
            self.more += 1

    def _fault(self, line: bytes, record: Record) -> str | None:
        id_ = keys.named(str(record.get("writer")))
        if id_ is None:
            if record.get("mac") is not None:
                return "it bears a MAC, and its writer names no key"
            self.plain += 1
            return None
        end = _END.fullmatch(line, len(line) - _END_BYTES) if len(line) > _END_BYTES else None
        if end is None:
            return f"its writer names the key {id_}, and it bears no MAC"
        kept = self._kept(id_)
        if kept is None:
            self.unknown[id_] = self.unknown.get(id_, 0) + 1
        elif kept.key.mac(line[: end.start()], end[2]) != end[1].decode("ascii"):
            return f"its MAC is not the one that the key {id_} gives"
        elif kept.private:
            self.verified += 1
            self._trusted[record["writer"]] = kept.key
        else:
            self.exposed[id_] = self.exposed.get(id_, 0) + 1
        return None

    def _kept(self, id: str) -> keys.Kept | None:
        if id not in self._keys:
            self._keys[id] = keys.kept(self.home, id)
        return self._keys[id]

    def findings(self) -> Iterator[Finding]:
        """A line whose MAC is wrong is a fraud; a key that is gone or open proves nothing."""
        for number, fault in self.wrong:
            yield finding("MAC_WRONG", f"line {number} of the journal: {fault}")
        if self.more:
            yield finding("MAC_WRONG", f"{self.more} more lines of the journal have a wrong MAC")
        if self.unknown:
            told = _told(self.unknown)
            yield finding("KEY_UNKNOWN", f"not in {self.home / keys.FOLDER}: {told}", note=True)
        if self.exposed:
            places = listed(keys.place(self.home, id_) for id_ in sorted(self.exposed))
            yield finding(
                "KEY_EXPOSED", f"not ours alone: {_told(self.exposed)}", note=True, places=places
            )
        if self.plain and self.plain < self.lines:
            yield finding(
                "MAC_ABSENT",
                f"{self.plain} of {self.lines} records bear no MAC: their writers had no key",
                note=True,
            )


def _bears(line: bytes, prev: bytes, key: keys.Key) -> bool:
    """Whether a line ends with the MAC that this key gives."""
    head = line[:-_END_BYTES]
    mac = key.mac(head, prev).encode("ascii")
    return line.startswith(b',"mac":"%b","prev":"%b","hash":"' % (mac, prev), len(head))


def _told(counts: dict[str, int]) -> str:
    return listed(f"the key {id_} of {count} records" for id_, count in sorted(counts.items()))
