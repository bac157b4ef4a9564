"""Is the journal the one that was written?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.audit.finding import Finding, finding
from skills2_nb.audit.reading import AFTER_END as AFTER_END
from skills2_nb.audit.reading import Reading
from skills2_nb.contract import blobs
from skills2_nb.contract.errors import JournalError
from skills2_nb.contract.state import Call, RunState

Line = Mapping[str, Any]
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")


@dataclass(frozen=True)
class Integrity:
    """What a journal's bytes prove.

    Attributes:
        holds: False is ``tampered``; None where nobody looked.
        level: the evidence level reached without a gap: ``L0`` chain whole; ``L1`` every record's
            MAC verified; ``L2`` prompt and session vouched by a hook, and the head of the ended
            run in the ledger. ``none`` without a whole chain.
        held: every level whose own conditions hold, gap or not.
        findings: what is broken, changed or healed.
        records: how many lines were looked at.
        verified: how many of them bear a MAC that verifies.
    """

    holds: bool | None
    level: str = "none"
    held: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    records: int = 0
    verified: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values."""
        return {
            "holds": self.holds,
            "level": self.level,
            "held": list(self.held),
            "findings": [item.to_dict() for item in self.findings],
            "records": self.records,
            "verified": self.verified,
        }


#: Nobody looked at the journal.
UNVERIFIED = Integrity(
    None, findings=(finding("NOT_VERIFIED", "the chain of the journal was not verified"),)
)
#: There is no journal, so there is nothing to be broken.
NO_JOURNAL = Integrity(True)


def examine(
    path: Path,
    *,
    digest: str | None = None,
    live: str | None = None,
    installed: str | None = None,
    earlier: Sequence[Line] = (),
) -> tuple[Integrity, RunState]:
    """Read a journal once: what its bytes prove, and the run as far as it can be read.

    Args:
        path: the journal.
        digest: digest of the package as it is on disk now; None for a live kernel.
        live: digest of a live kernel's sources now.
        installed: digest of the package as it was installed, where that is recorded.
        earlier: ledger lines of this run, each with its ``count`` and ``head``.

    Raises:
        JournalError: the file cannot be read at all.
    """
    read = Reading(path, earlier)
    found = [*_chain(read), *_named(path, read), *read.macs.findings(), *_end(read)]
    found += [
        *_ledger(read, earlier),
        *_values(read.state),
        *_package(read.state, digest, live, installed),
    ]
    found += _healed(read)
    holds = not any(item.vetoes for item in found)
    held = _held(read, holds, earlier)
    macs = read.macs
    whole = Integrity(holds, _level(held), held, tuple(found), macs.lines, macs.verified)
    return whole, read.state


def inspect(path: Path, *, earlier: Sequence[Line] = ()) -> Integrity:
    """What a journal's bytes prove by themselves, whatever package it ran with."""
    return examine(path, earlier=earlier)[0]


def _chain(read: Reading) -> Iterator[Finding]:
    for fault in read.faults:
        yield finding("CHAIN_BROKEN", f"line {fault.line} of the journal: {fault.message}")
    if read.more:
        yield finding("CHAIN_BROKEN", f"{read.more} more lines of the journal are broken")
    if read.stopped and not read.faults:
        yield finding("CHAIN_BROKEN", read.stopped)
    if read.torn:
        yield finding(
            "JOURNAL_HEALED",
            f"line {read.torn} of the journal is not complete: its writer died within it",
            note=True,
        )


def _named(path: Path, read: Reading) -> Iterator[Finding]:
    """A copy under another run's name would have a ledger of its own."""
    run = read.state.run
    if run and run != path.stem and _RUN_ID.fullmatch(path.stem):
        yield finding("CHAIN_BROKEN", f"the journal is named {path.stem} and is that of run {run}")


def _values(state: RunState) -> Iterator[Finding]:
    """Tables kept aside whose bytes are others now; one that is gone is only not recomputed."""
    for sha in sorted({sha for call in state.last.values() for sha in _tables(call)}):
        try:
            if blobs.path(sha).is_file():
                blobs.get(sha)
        except JournalError as error:
            yield finding("CHAIN_BROKEN", str(error))


def _tables(call: Call) -> Iterator[str]:
    """The digests of the tables among a call's arguments and fields."""
    fields = call.output if isinstance(call.output, Mapping) else {"": call.output}
    for value in (*call.args.values(), *fields.values(), fields):
        sha = value.get(blobs.TABLE_TAG) if isinstance(value, Mapping) else None
        if isinstance(sha, str):
            yield sha


def _end(read: Reading) -> Iterator[Finding]:
    end = read.end
    if end is None:
        return
    if end.count != end.before:
        yield finding(
            "END_MISMATCH",
            f"the end of the run counts {end.count} records, and {end.before} stand before it",
        )
    if end.before and end.head != end.hash:
        yield finding(
            "END_MISMATCH", "the end of the run names another head than the record before it has"
        )
    for record in read.late:
        yield finding(
            "RECORD_AFTER_END",
            f"record {record.get('seq')} ({record.get('kind')}) follows the end of the run",
            step=record.get("step"),
        )


def _ledger(read: Reading, earlier: Sequence[Line]) -> Iterator[Finding]:
    for line in earlier:
        if not read.holds(line):
            saw = "the run ended with" if "by" in line else "an earlier audit saw"
            yield finding(
                "LEDGER_MISMATCH",
                f"{saw} {line.get('count')} records, the last being "
                f"{str(line.get('head'))[:12]}, and this journal has {read.count} and not that one",
            )


def _package(
    state: RunState, digest: str | None, live: str | None, installed: str | None
) -> Iterator[Finding]:
    """The package may change between run and audit; edited since its install it proves nothing."""
    ran, ran_live = state.digest, state.live
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


def _healed(read: Reading) -> Iterator[Finding]:
    for record in read.state.healed:
        yield finding(
            "JOURNAL_HEALED",
            f"record {record['seq']}: {record.get('bytes')} bytes of a line that was never "
            "finished were moved aside",
            note=True,
        )


def _held(read: Reading, holds: bool, earlier: Sequence[Line]) -> tuple[str, ...]:
    if not holds or not read.count:
        return ()
    reached = {
        "L1": read.macs.all_verified,
        "L2": _is_bound(read.state) and _is_kept(read, earlier),
    }
    return ("L0", *(level for level, is_held in reached.items() if is_held))


def _is_bound(state: RunState) -> bool:
    """Whether a hook says which prompt of which session the run is of."""
    return state.vouched == "hook" and None not in (state.session, state.prompt_id)


def _is_kept(read: Reading, earlier: Sequence[Line]) -> bool:
    """Whether the ledger has a head of the run at its end or behind it."""
    before = read.end.before if read.end is not None else None
    return before is not None and any(
        line["count"] > before for line in earlier if read.holds(line)
    )


def _level(held: Sequence[str]) -> str:
    """The highest level below which none is wanting."""
    reached = "none"
    for level in ("L0", "L1", "L2"):
        if level not in held:
            break
        reached = level
    return reached
