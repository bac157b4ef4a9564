"""Seven ways a run goes wrong behind a good answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from skills2_nb.audit.anchoring import term_share
from skills2_nb.contract.run import Run
from skills2_nb.contract.state import RunState
from skills2_nb.contract.walk import walk
from skills2_nb.errors import PackageError, UsageError
from skills2_nb.evals.mentioned import mentioned_amiss
from skills2_nb.evals.play import Stage
from skills2_nb.evals.proof import Proof, judge
from skills2_nb.evals.runners import readout
from skills2_nb.formats.cases import RunCase

#: A call: the step, and the arguments typed in place of what binding finds.
Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Symptom:
    """One way to go wrong.

    Attributes:
        name: in a word or two.
        says: what is done, one sentence.
        calls: the calls made, of the steps in their order.
        told: the answer, of the honest one.
        code: the finding that names it.
    """

    name: str
    says: str
    calls: Callable[[Sequence[str]], list[Call]]
    told: Callable[[str], str]
    code: str


@dataclass(frozen=True)
class Seen:
    """What three judges say of a symptom.

    Attributes:
        prose: the share of the prose's anchor terms that the answer has: all a prose skill can
            be held to.
        output_checks: what a check of the answer finds wrong, sentences.
        proof: the audit of the run by the contract.
    """

    symptom: Symptom
    prose: float
    output_checks: tuple[str, ...]
    proof: Proof

    @property
    def named(self) -> str:
        """What the contract says of it: the message of its finding; empty where it is missed."""
        audit = self.proof.audit
        found = (f for f in audit.strict.findings if f.code == self.symptom.code)
        return next((finding.message for finding in found), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values."""
        return {
            "symptom": self.symptom.name,
            "says": self.symptom.says,
            "prose": {"passes": self.prose == 1.0, "anchors": self.prose},
            "output_checks": {
                "passes": not self.output_checks,
                "wrong": list(self.output_checks),
            },
            "contract": {
                "verdict": self.proof.audit.strict.verdict,
                "code": self.symptom.code if self.named else None,
                "message": self.named,
            },
        }


#: The skill whose steps are named here.
SKILL = "growth-accounting"


def _all(steps: Sequence[str]) -> list[Call]:
    return [(step, {}) for step in steps]


def _without(lost: str) -> Callable[[Sequence[str]], list[Call]]:
    return lambda steps: [(step, {}) for step in steps if step != lost]


def _typed(at: str, args: Mapping[str, Any]) -> Callable[[Sequence[str]], list[Call]]:
    return lambda steps: [(step, args if step == at else {}) for step in steps]


def _first(early: str) -> Callable[[Sequence[str]], list[Call]]:
    return lambda steps: [(early, {}), *((step, {}) for step in steps if step != early)]


def _again(step: str, args: Mapping[str, Any]) -> Callable[[Sequence[str]], list[Call]]:
    return lambda steps: [*_all(steps), (step, args)]


def _as_is(answer: str) -> str:
    return answer


def _swapped(text: str, other: str) -> Callable[[str], str]:
    def told(answer: str) -> str:
        if text not in answer:
            raise PackageError(f"the readout does not say {text!r}, which a symptom changes")
        return answer.replace(text, other)

    return told


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom(
        "skipped step",
        "compute_rates is never called; the answer gives its rates from memory.",
        _without("compute_rates"),
        _as_is,
        "STEP_MISSING",
    ),
    Symptom(
        "reordered steps",
        "compute_quick_ratio is called before the flows are counted, and never again.",
        _first("compute_quick_ratio"),
        _as_is,
        "ORDER_REJECTED",
    ),
    Symptom(
        "retyped number",
        "classify_growth is given a quick ratio of 4.2 in place of the one computed.",
        _typed("classify_growth", {"quick_ratio": 4.2}),
        _as_is,
        "RETYPED",
    ),
    Symptom(
        "wrong label",
        "Every step runs; the answer names another dominant flow than they found.",
        _all,
        _swapped("dominant flow is churned", "dominant flow is resurrected"),
        "CONTRADICTED",
    ),
    Symptom(
        "stale input",
        "The flows are counted again for another month, and the old answer stands.",
        _again("count_flows", {"period": "1998-03"}),
        _as_is,
        "STALE",
    ),
    Symptom(
        "swallowed failure",
        "The books do not close on a typed figure; the answer says that they do.",
        _typed("compute_single_period_identity", {"churned": 800}),
        _as_is,
        "INVARIANT_FAILED",
    ),
    Symptom(
        "unsourced figure",
        "Every step runs; the answer adds a loss in dollars that nobody computed.",
        _all,
        lambda answer: f"{answer} That is a loss of about $48,700 in the month.",
        "UNSUPPORTED",
    ),
)


#: What a check of the answer looks for: the figures of an honest run, and the words of the skill.
CHECKS: tuple[Any, ...] = (
    {"value": "count_flows#/prev_mau"},
    {"value": "count_flows#/new"},
    {"value": "count_flows#/resurrected"},
    {"value": "count_flows#/churned"},
    {"value": "count_flows#/current_mau"},
    {"value": "compute_quick_ratio#/quick_ratio"},
    {"regex": "growth class is [a-z]+"},
    {"regex": "dominant flow is [a-z]+"},
)


def seen(stage: Stage, case: RunCase, symptoms: Sequence[Symptom] = SYMPTOMS) -> Iterator[Seen]:
    """Each symptom as the prose, a check of the answer and the contract see it.

    Args:
        stage: the skill.
        case: an honest case; every answer here gives the figures of its run.

    Raises:
        UsageError: the skill is not the one whose steps the symptoms name.
        PackageError: the honest run does not come to its end.
    """
    ids = stage.basis.skill.ids
    if stage.basis.skill.name != SKILL or any(not _fits(symptom, ids) for symptom in symptoms):
        raise UsageError(f"the symptoms name steps of {SKILL}; {stage.basis.skill.name} has others")
    honest, answer = _honest(stage, case)
    for symptom in symptoms:
        yield _seen(stage, case, symptom, honest, answer)


def _fits(symptom: Symptom, ids: Sequence[str]) -> bool:
    return {step for step, _ in symptom.calls(ids)} <= set(ids)


def _honest(stage: Stage, case: RunCase) -> tuple[RunState, str]:
    run = _opened(stage, case)
    try:
        walked = walk(run)
        if walked.error is not None:
            raise PackageError(f"case {case.id!r} stops at {walked.step}: {walked.error}")
        return run.state, readout(run, "")
    finally:
        run.close()


def _seen(stage: Stage, case: RunCase, symptom: Symptom, honest: RunState, answer: str) -> Seen:
    run = _opened(stage, case)
    try:
        for step, args in symptom.calls(stage.basis.skill.ids):
            _call(run, step, args)
        spoken = symptom.told(readout(run, answer))
        run.end(by="cli", answer=spoken)
    finally:
        run.close()
    proof = judge(stage.basis, run.id, alone=True)
    share, _ = term_share(spoken, stage.basis.anchors)
    wrong = mentioned_amiss({"must_mention": CHECKS}, proof.audit, honest)
    return Seen(symptom, share, tuple(wrong), proof)


def _opened(stage: Stage, case: RunCase) -> Run:
    return Run.start(
        stage.basis.skill,
        case.inputs,
        prompt=case.prompt,
        vouched="case",
        writer="cli",
        folders=stage.folders,
    )


def _call(run: Run, step: str, args: Mapping[str, Any]) -> None:
    """Call a step as somebody does who does not look at what comes back."""
    with suppress(Exception, SystemExit):
        run.call(step, args)
