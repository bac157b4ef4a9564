"""What the ledger saw of a run, at its end and at each audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills2_nb.audit.profile import Audit
from skills2_nb.contract import ledger
from skills2_nb.contract.state import RunState

Line = Mapping[str, Any]
AUDITS = "audits"


def entry(audit: Audit, state: RunState, ts: str) -> dict[str, Any]:
    """The ledger's line for an audit of a run.

    Args:
        audit: the judgement.
        state: the run as it was judged; its count and head bind the line to the journal.
        ts: the time of the audit in UTC, as a journal writes it.
    """
    return {
        "ts": ts,
        "run": state.run,
        "skill": audit.skill,
        "version": state.version,
        "digest": state.digest,
        "count": state.count,
        "head": state.head,
        "session": state.session,
        "prompt_id": state.prompt_id,
        "level": audit.level,
        "classic": {"score": audit.classic.score, "verdict": audit.classic.verdict},
        "strict": {"score": audit.strict.score, "verdict": audit.strict.verdict},
        "profile": audit.by,
        "codes": sorted({item.code for item in audit.profile(audit.by).findings if item.counts}),
    }


def append(line: Line) -> None:
    """Add a line to ``ledger/audits.jsonl``.

    Raises:
        JournalError: the ledger cannot be written.
    """
    ledger.append(AUDITS, line)


def sound(run: str) -> tuple[dict[str, Any], ...]:
    """The lines that a journal has to agree with: its end, and audits that found it whole.

    What was seen of a journal already broken is no yardstick: put back as it was, it is whole.
    """
    return (*heads(run), *(line for line in lines(run) if _verdict(line) != "tampered"))


def _verdict(line: Line) -> Any:
    profile = line.get("strict")
    return profile.get("verdict") if isinstance(profile, Mapping) else None


def lines(run: str | None = None) -> tuple[dict[str, Any], ...]:
    """The lines of audits in order, of one run or of all."""
    return _lines(AUDITS, run)


def heads(run: str | None = None) -> tuple[dict[str, Any], ...]:
    """What the process that ended a run said of its head, of one run or of all."""
    return _lines(ledger.HEADS, run)


def _lines(name: str, run: str | None) -> tuple[dict[str, Any], ...]:
    return tuple(line for line in ledger.read(name, run) if run in (None, line.get("run")))
