"""The judgement of a run: three axes, two profiles."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skills2_nb.audit import integrity as intact
from skills2_nb.audit.anchoring import Anchoring, anchor
from skills2_nb.audit.asked import Asked
from skills2_nb.audit.attempts import attempt_notes
from skills2_nb.audit.consistency import Consistency, Judged, ask_again, weigh
from skills2_nb.audit.coverage import Coverage, cover
from skills2_nb.audit.finding import Finding, finding, listed
from skills2_nb.audit.integrity import Integrity
from skills2_nb.audit.known import known_sources, owed_fields
from skills2_nb.audit.let_through import let_through
from skills2_nb.audit.page import word_set
from skills2_nb.audit.profile import AGAIN, Audit, Basis, Profile, Verdict
from skills2_nb.audit.replay import Replayed
from skills2_nb.audit.siblings import siblings as siblings_of
from skills2_nb.audit.sources import is_hidden
from skills2_nb.audit.steps import StepView, step_views
from skills2_nb.audit.strength import Strength
from skills2_nb.contract.state import RunState
from skills2_nb.contract.table import remembered

__all__ = ["Audit", "Basis", "Dossier", "Profile", "audit", "audit_journal", "prepare"]

#: Codes that only ``strict`` asks about.
STRICT_ONLY = word_set(
    """
    STALE UNSOURCED_NUMBER RETYPED REWIRED INPUT_UNVOUCHED GUARD_UNPROVEN INVARIANT_DISAGREES
    NOT_RECOMPUTED CONTRADICTED DIRECTION OMITTED UNSUPPORTED F1_LOW NO_REPORT
    INVARIANT_INEFFECTIVE NO_EFFECTIVE_INVARIANT REPORT_UNCHECKED
    REPORT_UNFIT NOT_CAPTURED OTHER_PROMPT OTHER_RUNS LET_THROUGH
    REPLAY_DIFFERS SOURCE_CHANGED NOT_REPLAYABLE EFFECTS_DECLARED
    """
)


def audit_journal(
    basis: Basis,
    path: Path,
    *,
    answer: str | None = None,
    installed: str | None = None,
    earlier: Sequence[Mapping[str, Any]] = (),
    asked: Asked | None = None,
    siblings: Sequence[RunState] = (),
    replayed: Replayed | None = None,
    strength: Strength | None = None,
) -> Audit:
    """Audit a run by its journal.

    Args:
        basis: what it is judged by.
        path: the journal.
        answer: the answer, where it is not in the journal.
        installed: digest of the package as installed, where it is recorded.
        earlier: ledger lines of this run (``audit.ledger.sound``).
        asked: as in :func:`audit`, and so are ``siblings``, ``replayed`` and ``strength``.

    Raises:
        JournalError: there is no such file. One that breaks off or was changed is ``tampered``
            and judged as far as it can be read.
    """
    skill = basis.skill
    whole, state = intact.examine(
        path, digest=skill.digest, live=skill.live, installed=installed, earlier=earlier
    )
    return audit(
        basis,
        state,
        answer=answer,
        integrity=whole,
        asked=asked,
        siblings=siblings,
        replayed=replayed,
        strength=strength,
    )


def audit(
    basis: Basis,
    state: RunState | None,
    *,
    answer: str | None = None,
    integrity: Integrity | None = None,
    asked: Asked | None = None,
    siblings: Sequence[RunState] = (),
    replayed: Replayed | None = None,
    strength: Strength | None = None,
) -> Audit:
    """Judge a run in both profiles. Pure but for blobs that an invariant reads.

    ``pass`` in ``classic`` asks for integrity, the score, and no owed step missing; in ``strict``
    also for no veto: nothing stale, unsourced, failed, contradicted or omitted, and F1 at the
    floor. ``fail`` needs an answer, or an ended run that left an owed step undone (or, in
    ``strict``, did one wrong): before that the run may still get there. ``unproven``: no answer
    yet, run still open, integrity not verified, or a check not made. Broken integrity is
    ``tampered`` in both.

    Args:
        basis: contract, prose, anchors and settings.
        state: the run, or None where there was none.
        answer: the answer; left out, the run's newest one after its last step.
        integrity: what the journal's bytes prove; left out, nobody looked, which leaves the
            verdict ``unproven`` at best.
        asked: what the answer is for, as far as the caller knows it.
        siblings: runs that may be of the same question; those that are not are passed over.
        replayed: what came of running the steps again; left out, ``strict`` has not checked it.
        strength: what the invariants notice; left out, ``strict`` has not checked it.
    """
    made = prepare(basis, state, answer=answer, integrity=integrity, asked=asked, siblings=siblings)
    return made.judged(replayed, strength)


def prepare(
    basis: Basis,
    state: RunState | None,
    *,
    answer: str | None = None,
    integrity: Integrity | None = None,
    asked: Asked | None = None,
    siblings: Sequence[RunState] = (),
) -> Dossier:
    """What :func:`audit` does before it looks at what was run again; the same arguments."""
    run = state if state is not None else RunState(skill=basis.skill.name)
    whole = integrity or (intact.UNVERIFIED if state is not None else intact.NO_JOURNAL)
    text = answer if answer is not None else run.answer
    views = step_views(basis.skill, run)
    with remembered():
        return Dossier(
            basis,
            None if state is None else run,
            text,
            whole,
            views,
            cover(views),
            ask_again(basis.skill, run, views),
            anchor(
                text,
                owed_fields(basis.skill, views),
                known_sources(basis.skill, run, basis.body, basis.constants),
                basis.anchors,
                (basis.skill.name,),
            ),
            _digest_only(views),
            () if state is None else _question(basis, state, text, asked, siblings),
        )


@dataclass(frozen=True)
class Dossier:
    """What is known of a run before it is judged.

    Attributes:
        again: the invariants of owed steps, asked again.
        digests: the values that were kept only as digests.
        replayed, strength: as in :class:`Audit`.
    """

    basis: Basis
    run: RunState | None
    answer: str | None
    integrity: Integrity
    views: tuple[StepView, ...]
    coverage: Coverage
    again: tuple[Judged, ...]
    anchoring: Anchoring
    digests: tuple[str, ...]
    question: tuple[Finding, ...]
    replayed: Replayed | None = None
    strength: Strength | None = None

    def judged(self, replayed: Replayed | None, strength: Strength | None) -> Audit:
        """The audit, by what was run again behind the wall."""
        made = replace(self, replayed=replayed, strength=strength)
        run, anchoring = self.run, self.anchoring
        return Audit(
            run=run.run if run is not None else None,
            skill=self.basis.skill.name,
            classic=_classic(made),
            strict=_strict(made),
            level=self.integrity.level,
            answer=self.answer,
            steps=self.views,
            values=anchoring.values,
            held=self.integrity.held,
            provenance="none" if run is None else "live" if run.live else "package",
            recall=anchoring.recall,
            precision=anchoring.precision,
            f1=anchoring.f1,
            by=self.basis.settings.profile,
            replayed=replayed,
            strength=strength,
        )

    @functools.cached_property
    def consistency(self) -> Consistency:
        """How many invariants hold, by what they notice."""
        return weigh(self.basis.skill, self.again, self.strength)

    def score(self, coverage: float, consistency: float, anchoring: float) -> float:
        """The weighted sum; four decimals, so that 0.53 is 0.53."""
        axes = (coverage, consistency, anchoring)
        pairs = zip(self.basis.settings.weights, axes, strict=True)
        return round(sum(weight * axis for weight, axis in pairs), 4)

    @property
    def is_open(self) -> bool:
        """Whether steps may still be called."""
        return self.run is not None and self.run.is_open

    def common(self) -> list[Finding]:
        """The findings that both profiles share but for those only strict asks about."""
        return [
            *self.integrity.findings,
            *_no_run(self),
            *(() if self.run is None else self.coverage.findings),
            *(() if self.run is None else self.consistency.findings),
            *_state_findings(self),
            *_terms(self),
            *self.anchoring.findings,
            *(() if self.run is None else attempt_notes(self.basis.skill, self.run)),
        ]


def _classic(parts: Dossier) -> Profile:
    coverage, consistency = parts.coverage.classic, parts.consistency.classic
    score = parts.score(coverage, consistency, parts.anchoring.terms)
    found = [item for item in parts.common() if item.code not in STRICT_ONLY]
    bad = bool(parts.coverage.missing)
    return Profile(
        score,
        round(coverage, 4),
        round(consistency, 4),
        round(parts.anchoring.terms, 4),
        _verdict(parts, score, bad, unchecked=()),
        _ranked(found),
        _unverified(parts),
    )


def _strict(parts: Dossier) -> Profile:
    coverage, consistency = parts.coverage.strict, parts.consistency.strict
    anchoring = parts.anchoring.strict
    score = parts.score(coverage, consistency, anchoring)
    replayed = parts.replayed
    again = () if replayed is None else replayed.findings
    found = [*parts.common(), *parts.question, *again, *_floors(parts)]
    unchecked = (
        *_unverified(parts),
        *parts.digests,
        *parts.coverage.not_checked,
        *parts.consistency.not_checked,
        *parts.anchoring.not_checked,
        *(() if replayed is None else replayed.not_checked),
        *_unasked(parts),
        *_unbound(parts),
        *_unbacked(parts),
    )
    bad = bool(parts.coverage.missing) or any(_vetoes(item) for item in found)
    return Profile(
        score,
        round(coverage, 4),
        round(consistency, 4),
        round(anchoring, 4),
        _verdict(parts, score, bad, unchecked),
        _ranked(found),
        tuple(dict.fromkeys(unchecked)),
    )


def _verdict(parts: Dossier, score: float, bad: bool, unchecked: Sequence[str]) -> Verdict:
    if parts.integrity.holds is False:
        return "tampered"
    if parts.answer is None:
        return "fail" if bad and parts.run is not None and not parts.is_open else "unproven"
    if bad or score < parts.basis.settings.threshold:
        return "fail"
    if parts.is_open or parts.integrity.holds is None or unchecked:
        return "unproven"
    return "pass"


def _vetoes(item: Finding) -> bool:
    """An invariant that fails at the newest attempt of an owed step is a veto too."""
    return item.vetoes or (item.code == "INVARIANT_FAILED" and item.counts)


def _ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Vetoes first, then what lowers the score, then notes; otherwise in the order found."""
    unique = dict.fromkeys(found)
    return tuple(sorted(unique, key=lambda item: (not item.counts, not _vetoes(item))))


def _question(
    basis: Basis,
    state: RunState,
    answer: str | None,
    asked: Asked | None,
    others: Sequence[RunState],
) -> tuple[Finding, ...]:
    """Whether the run is of the question asked, and what other runs of it came to."""
    differs = () if asked is None else asked.differs(state)
    return (*differs, *siblings_of(basis.skill, state, others, answer))


def _no_run(parts: Dossier) -> list[Finding]:
    if parts.run is not None or parts.answer is None or not parts.coverage.missing:
        return []
    missing = parts.coverage.missing
    return [
        finding(
            "NO_RUN",
            f"there is an answer and no run; {listed(missing)} were owed",
            skill=parts.basis.skill.name,
            first=missing[0],
        )
    ]


def _state_findings(parts: Dossier) -> list[Finding]:
    found = []
    if parts.is_open:
        found.append(finding("RUN_OPEN", "the run has not ended"))
    if parts.answer is None:
        code = "ANSWER_EARLY" if parts.run is not None and parts.run.answers else "NO_ANSWER"
        say = {
            "ANSWER_EARLY": "a step succeeded after the answer was given",
            "NO_ANSWER": "there is no answer yet",
        }
        found.append(finding(code, say[code]))
    found += [finding("NOT_CAPTURED", item) for item in parts.digests]
    return [*found, *let_through(parts.run)]


def _terms(parts: Dossier) -> list[Finding]:
    if not parts.basis.anchors:
        return [finding("NO_ANCHORS", "the skill has no anchor terms")]
    if parts.answer is None or not parts.anchoring.missing:
        return []
    terms = listed(f"“{term}”" for term in parts.anchoring.missing)
    return [finding("ANCHOR_MISSING", f"the answer does not name {terms}", terms=terms)]


def _floors(parts: Dossier) -> list[Finding]:
    found = []
    skill = parts.basis.skill
    if not any(spec.report for spec in skill.steps):
        found.append(finding("NO_REPORT", f"no step of {skill.name} names a report field"))
    floor, anchoring = parts.basis.settings.f1_floor, parts.anchoring
    if parts.answer is not None and anchoring.f1 < floor:
        found.append(
            finding(
                "F1_LOW",
                f"F1 of values is {anchoring.f1:.2f} (recall {anchoring.recall:.2f}, precision "
                f"{anchoring.precision:.2f}), below {floor:.2f}",
            )
        )
    return found


def _unasked(parts: Dossier) -> Iterator[str]:
    """The checks behind the wall that nobody asked for; without a run there is nothing to ask."""
    if parts.run is not None:
        for name, made in zip(AGAIN, (parts.replayed, parts.strength), strict=True):
            if made is None:
                yield name


def _unbacked(parts: Dossier) -> Iterator[str]:
    """Results that are neither run again nor signed: anybody may have written them."""
    if parts.replayed is None or not parts.integrity.holds or parts.integrity.level != "L0":
        return
    owed = {view.step for view in parts.views if view.owed}
    for call in parts.replayed.calls:
        if call.result == "declared" and call.step in owed:
            yield f"replay of {call.step}: {call.why}, and no MAC vouches for its record"


def _unbound(parts: Dossier) -> Iterator[str]:
    """A question was named, and the run names none that could be held against it."""
    if any(item.code == "OTHER_PROMPT" and not item.counts for item in parts.question):
        yield "question: the run does not say which one it is of"


def _unverified(parts: Dossier) -> tuple[str, ...]:
    return ("integrity",) if parts.integrity.holds is None else ()


def _digest_only(views: Sequence[StepView]) -> tuple[str, ...]:
    return tuple(
        f"values of {view.step}: kept only as digests" for view in views if is_hidden(view.output)
    )
