"""Is the journal the one that was written?"""

from __future__ import annotations

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
    found = [*_chain(read), *_end(read), *_ledger(read, earlier)]
    found += [*_values(read.state), *_package(read.state, digest, live, installed)]
    found += _healed(read)
    holds = not any(item.vetoes for item in found)
    held = _held(read, holds, earlier)
    return Integrity(holds, _level(held), held, tuple(found)), read.state


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
            yield finding(
                "LEDGER_MISMATCH",
                f"an earlier audit saw {line.get('count')} records ending in "
                f"{str(line.get('head'))[:12]}, and this journal has {read.count}",
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
    vouched = read.state.vouched == "hook"
    return ("L0", "L2") if vouched and any(map(read.holds, earlier)) else ("L0",)


def _level(held: Sequence[str]) -> str:
    """The highest level below which none is wanting. L1 needs the key, which is not here yet."""
    reached = "none"
    for level in ("L0", "L1", "L2"):
        if level not in held:
            break
        reached = level
    return reached
