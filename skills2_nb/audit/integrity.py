"""Is the journal the one that was written?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.audit.finding import Finding, finding
from skills2_nb.contract import journal
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.journal import Record
from skills2_nb.contract.state import RunState

#: What may follow the end of a run.
AFTER_END = frozenset({"answer", "note", "rejected", "healed"})


@dataclass(frozen=True)
class Integrity:
    """What a journal's bytes prove.

    Attributes:
        holds: False is ``tampered``; None where nobody looked.
        level: the evidence level reached without a gap: ``L0`` chain whole; ``L1`` its MACs
            verified by the server's key; ``L2`` prompt and session vouched by a hook, and the head
            in the ledger. ``none`` without a whole chain.
        held: every level whose own conditions hold, gap or not.
        findings: what is broken, changed or healed.
    """

    holds: bool | None
    level: str = "none"
    held: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values."""
        return {
            "holds": self.holds,
            "level": self.level,
            "held": list(self.held),
            "findings": [item.to_dict() for item in self.findings],
        }


#: Nobody looked at the journal.
UNVERIFIED = Integrity(
    None, findings=(finding("NOT_VERIFIED", "the chain of the journal was not verified"),)
)
#: There is no journal, so there is nothing to be broken.
NO_JOURNAL = Integrity(True)


def inspect(
    path: Path,
    *,
    digest: str | None = None,
    live: str | None = None,
    installed: str | None = None,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> Integrity:
    """Look at a journal's bytes.

    Args:
        path: the journal.
        digest: digest of the package as it is on disk now; None for a live kernel.
        live: digest of a live kernel's sources now.
        installed: digest of the package as it was installed, where that is recorded.
        earlier: ledger lines of this run, each with its ``count`` and ``head``.

    Raises:
        JournalError: the file cannot be read at all.
    """
    found = list(_chain(path))
    records = list(_records(path))
    fault = readable(path)[1]
    if fault and not found:
        found.append(finding("CHAIN_BROKEN", fault))
    found += [*_end(records), *_ledger(records, earlier)]
    found += [*_package(records, digest, live, installed), *_healed(records)]
    holds = not any(item.vetoes for item in found)
    held = _held(records, holds, earlier)
    return Integrity(holds, _level(held), held, tuple(found))


def readable(path: Path) -> tuple[RunState, str | None]:
    """The state of a run as far as its journal can be read, and what stopped the reading.

    Raises:
        JournalError: the file cannot be read at all.
    """
    state = RunState()
    records = journal.read(path)
    try:
        for record in records:
            state.apply(record)
    except JournalError as error:
        if not path.is_file():
            raise
        return state, str(error)
    except (KeyError, TypeError, ValueError, AttributeError):
        return state, f"record {state.count} of the journal does not hold what its kind asks for"
    return state, None


def _records(path: Path) -> Iterator[Record]:
    """The records before the first line that is none."""
    with contextlib.suppress(JournalError):
        for record in journal.read(path):
            if not {"kind", "seq", "hash"} <= record.keys():
                return
            yield record


def _chain(path: Path) -> Iterator[Finding]:
    try:
        faults = journal.verify(path)
    except ValueError:
        faults = [journal.Fault(1, "a line with a right hash is no JSON")]
    lines = path.read_bytes().split(b"\n")
    torn = len(lines) if lines[-1] else 0
    for fault in faults:
        if fault.line == torn and torn > 1:
            yield finding(
                "JOURNAL_HEALED",
                f"line {torn} of the journal is not complete: its writer died within it",
                note=True,
            )
        else:
            yield finding("CHAIN_BROKEN", f"line {fault.line} of the journal: {fault.message}")


def _end(records: Sequence[Record]) -> Iterator[Finding]:
    ends = [at for at, record in enumerate(records) if record["kind"] == "run_ended"]
    if not ends:
        return
    at = ends[0]
    count, head = records[at].get("count"), records[at].get("head")
    if count != at:
        yield finding(
            "END_MISMATCH", f"the end of the run counts {count} records, and {at} stand before it"
        )
    if at and head != records[at - 1].get("hash"):
        yield finding(
            "END_MISMATCH", "the end of the run names another head than the record before it has"
        )
    for record in records[at + 1 :]:
        if record["kind"] not in AFTER_END:
            yield finding(
                "RECORD_AFTER_END",
                f"record {record['seq']} ({record['kind']}) follows the end of the run",
                step=record.get("step"),
            )


def _ledger(records: Sequence[Record], earlier: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    for line in earlier:
        if not _is_in(records, line):
            yield finding(
                "LEDGER_MISMATCH",
                f"an earlier audit saw {line.get('count')} records ending in "
                f"{str(line.get('head'))[:12]}, and this journal has {len(records)}",
            )


def _is_in(records: Sequence[Record], line: Mapping[str, Any]) -> bool:
    count = line.get("count")
    return (
        isinstance(count, int)
        and 0 < count <= len(records)
        and records[count - 1].get("hash") == line.get("head")
    )


def _package(
    records: Sequence[Record], digest: str | None, live: str | None, installed: str | None
) -> Iterator[Finding]:
    """The package may change between run and audit; edited since its install it proves nothing."""
    start = records[0] if records else {}
    ran, ran_live = start.get("digest"), start.get("live")
    if digest and installed and digest not in (ran, installed):
        yield finding(
            "PACKAGE_TAMPERED",
            f"the package is {digest[:12]} now, was installed as {installed[:12]} and ran as "
            f"{str(ran)[:12]}",
        )
    elif (digest and ran and digest != ran) or (live and ran_live and live != ran_live):
        was, now = (ran, digest) if digest and ran else (ran_live, live)
        yield finding(
            "PACKAGE_CHANGED", f"the package ran as {str(was)[:12]} and is {str(now)[:12]} now"
        )


def _healed(records: Sequence[Record]) -> Iterator[Finding]:
    for record in records:
        if record["kind"] == "healed":
            yield finding(
                "JOURNAL_HEALED",
                f"record {record['seq']}: {record.get('bytes')} bytes of a line that was never "
                "finished were moved aside",
                note=True,
            )


def _held(
    records: Sequence[Record], holds: bool, earlier: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    if not holds or not records:
        return ()
    vouched = records[0].get("vouched") == "hook"
    return ("L0", "L2") if vouched and any(_is_in(records, line) for line in earlier) else ("L0",)


def _level(held: Sequence[str]) -> str:
    """The highest level below which none is wanting. L1 needs the key, which is not here yet."""
    reached = "none"
    for level in ("L0", "L1", "L2"):
        if level not in held:
            break
        reached = level
    return reached
