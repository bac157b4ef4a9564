"""What an audit finds, each with a code and a mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Axis = Literal["coverage", "consistency", "anchoring", "integrity"]
#: Checks that ``strict`` does not make yet; each keeps its verdict at ``unproven`` at best.
NOT_YET = ("replay", "strength")


@dataclass(frozen=True)
class Rule:
    """One kind of finding.

    Attributes:
        axis: what it speaks of.
        says: the kind in one sentence.
        mend: a template of what to do about it.
        veto: whether ``strict`` fails on it whatever the score.
    """

    axis: Axis
    says: str
    mend: str
    veto: bool = False


CODES: dict[str, Rule] = {
    # coverage
    "NO_RUN": Rule(
        "coverage",
        "There is an answer, and no run: none of the owed steps was called.",
        "Start a run of {skill} and call its steps in order, beginning with {first}.",
        veto=True,
    ),
    "STEP_MISSING": Rule(
        "coverage",
        "An owed step was never called.",
        "Call {step} before the run ends; {after}.",
        veto=True,
    ),
    "STEP_FAILED": Rule(
        "coverage",
        "An owed step was called and never succeeded.",
        "Mend what the message names and call {step} again.",
        veto=True,
    ),
    "OUT_OF_ORDER": Rule(
        "coverage",
        "A step succeeded before the steps it stands on.",
        "Call {missing} first, then {step} again.",
    ),
    "STALE": Rule(
        "coverage",
        "A step consumed a value that has changed since.",
        "Call {step} again, so that it takes the new value of {sources}.",
        veto=True,
    ),
    "UNSOURCED_NUMBER": Rule(
        "coverage",
        "A number among a step's inputs comes from nowhere the run knows.",
        "Leave {parameter} out, so that it is bound, or pass it by refs; a number of your own "
        "belongs in the prompt or in the run's vouched inputs.",
        veto=True,
    ),
    "RETYPED": Rule(
        "coverage",
        "A value was typed by hand where an earlier step gives another.",
        'Leave {parameter} out, or pass refs={{"{parameter}": "{reference}"}}.',
        veto=True,
    ),
    "INPUT_UNVOUCHED": Rule(
        "coverage",
        "A number comes from the run's inputs or prompt, and nobody but the client vouches for it.",
        "Start the run from the command line or a case, or install the hooks so that the prompt "
        "vouches for {parameter}.",
    ),
    "GUARD_UNPROVEN": Rule(
        "coverage",
        "A guard reads a value that is not sourced, so its step stays owed.",
        "Call {source} again with bound inputs; if the guard of {step} is still false, the step "
        "is not owed.",
    ),
    "NOT_SUBSTANTIVE": Rule(
        "coverage",
        "A step's output proves nothing: it is a stub or its schema requires no field.",
        "Write the body of {step} and give its result a model with at least one required field.",
    ),
    "NOT_CAPTURED": Rule(
        "coverage",
        "Values were kept only as digests and cannot be judged.",
        'Run again with capture = "full" and without redacting what the audit needs.',
    ),
    "RUN_OPEN": Rule(
        "coverage",
        "The run is still open.",
        "End it with end_run, giving the answer.",
    ),
    "ORDER_REJECTED": Rule(
        "coverage", "A step was called too early; it was rejected.", "Call {missing} first."
    ),
    "GUARD_REJECTED": Rule(
        "coverage",
        "A step was called whose guard is false; it was rejected.",
        "Leave {step} out: this run does not owe it.",
    ),
    "CALL_AFTER_END": Rule(
        "coverage",
        "A step was called after the run had ended; it was rejected.",
        "Start a new run and call {step} there.",
    ),
    "UNKNOWN_STEP": Rule(
        "coverage",
        "A step was called that the skill does not have; it was rejected.",
        "The skill's steps are {steps}.",
    ),
    "INPUT_REJECTED": Rule(
        "coverage",
        "A call's arguments did not fit the step's types.",
        "Leave out what is bound, mend the rest, and call {step} again.",
    ),
    "AMBIGUOUS_BINDING": Rule(
        "coverage",
        "An argument was left out, and earlier steps give different values for it.",
        "Call {step} with refs that name one of {references}, or set bind= in the step.",
    ),
    "OUTPUT_REJECTED": Rule(
        "coverage",
        "A step returned what its output schema refuses.",
        "Mend the body or the model of {step}, then call it again.",
    ),
    "STEP_RAISED": Rule(
        "coverage",
        "A step raised an error.",
        "Mend the body of {step} or its inputs, then call it again.",
    ),
    "STEP_TIMEOUT": Rule(
        "coverage",
        "A step ran longer than it may.",
        "Make {step} quicker, or raise timeout under [runtime] in skill.toml.",
    ),
    # consistency
    "INVARIANT_FAILED": Rule(
        "consistency",
        "An invariant does not hold.",
        "Look at the values {invariant} saw, mend the inputs or the body of {step}, and call it "
        "again.",
    ),
    "INVARIANT_DISAGREES": Rule(
        "consistency",
        "The auditor asked an invariant again and got another answer than the journal says.",
        "Make {invariant} depend on the step's inputs and output alone; if it does, the journal "
        "or the package was changed.",
        veto=True,
    ),
    "NOT_RECOMPUTED": Rule(
        "consistency",
        "The invariants of a step could not be asked again.",
        "Audit the run with the package it ran with, and keep the run's blobs.",
    ),
    "NO_INVARIANT": Rule(
        "consistency",
        "A required step has no invariant, so nothing says that its result is right.",
        "Give {step} an invariant that ties its output to its inputs.",
    ),
    # anchoring
    "NO_ANSWER": Rule(
        "anchoring",
        "There is no answer to judge yet.",
        "End the run with the answer, or pass it to the audit.",
    ),
    "ANSWER_EARLY": Rule(
        "anchoring",
        "A step succeeded after the answer was given, so that answer is not judged.",
        "Answer again after the last step.",
    ),
    "ANCHOR_MISSING": Rule(
        "anchoring",
        "Words that the skill's prose lives by are not in the answer.",
        "Name them where the answer speaks of them: {terms}.",
    ),
    "NO_ANCHORS": Rule(
        "anchoring",
        "The skill has no anchor terms.",
        "Give the SKILL.md headings, bold words or code spans, or list terms under [anchors].",
    ),
    "NO_REPORT": Rule(
        "anchoring",
        "No owed step names a field that the answer must carry.",
        'Name the fields that matter: @step(report=["..."]).',
    ),
    "REPORT_UNFIT": Rule(
        "anchoring",
        "A report field cannot be sought in an answer.",
        "Report a scalar, or a list of at most 24 values, in place of {field}.",
    ),
    "CONTRADICTED": Rule(
        "anchoring",
        "Beside a report field's name stands another value than the run's.",
        "Write {value} for {field}, or take the claim out.",
        veto=True,
    ),
    "DIRECTION": Rule(
        "anchoring",
        "A rise is told of figures that fall, or a fall of figures that rise.",
        "Write the word that the two figures ask for in place of “{word}”, or put them in order.",
        veto=True,
    ),
    "OMITTED": Rule(
        "anchoring",
        "A report field is not in the answer.",
        "Add the sentence: {name} is {value}.",
        veto=True,
    ),
    "UNSUPPORTED": Rule(
        "anchoring",
        "A figure of the answer comes from nowhere the run knows.",
        "Take {text} out, or compute it in a step and report it.",
    ),
    "F1_LOW": Rule(
        "anchoring",
        "Too few of the answer's figures are the run's, or too few of the run's are in it.",
        "Carry every report field and leave out figures that no step gives.",
        veto=True,
    ),
    # integrity
    "CHAIN_BROKEN": Rule(
        "integrity",
        "The journal's chain of hashes is broken.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "END_MISMATCH": Rule(
        "integrity",
        "The count or head that the end of the run names is not that of the records before it.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "RECORD_AFTER_END": Rule(
        "integrity",
        "A record follows the end of the run that may not follow it.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "LEDGER_MISMATCH": Rule(
        "integrity",
        "An earlier audit saw other records in this journal.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "PACKAGE_TAMPERED": Rule(
        "integrity",
        "The package on disk is neither the one that ran nor the one that was installed.",
        "Export or install the skill again, then run it again.",
        veto=True,
    ),
    "PACKAGE_CHANGED": Rule(
        "integrity",
        "The package is another one than at the start of the run.",
        "Run the skill again to judge it by the contract as it is now.",
    ),
    "JOURNAL_HEALED": Rule(
        "integrity",
        "A writer died within a line; its bytes were moved aside.",
        "Nothing is lost but the call that was being written; call that step again.",
    ),
    "NOT_VERIFIED": Rule(
        "integrity",
        "The journal's chain was not verified.",
        "Audit the run by its journal.",
    ),
}


@dataclass(frozen=True)
class Finding:
    """One thing an audit found.

    Attributes:
        code: a key of ``CODES``.
        step: the step it is about, else None.
        message: what is wrong here, one sentence with place and values.
        mend: what to do about it, one sentence.
        counts: False for a note: something that happened and was overcome.
    """

    code: str
    axis: Axis
    step: str | None
    message: str
    mend: str
    counts: bool = True

    @property
    def vetoes(self) -> bool:
        """Whether ``strict`` fails on it whatever the score."""
        return self.counts and CODES[self.code].veto

    def to_dict(self) -> dict[str, Any]:
        """The fixed shape of a finding."""
        return {
            "code": self.code,
            "axis": self.axis,
            "step": self.step,
            "message": self.message,
            "mend": self.mend,
        }


def finding(
    code: str, message: str, *, step: str | None = None, note: bool = False, **facts: object
) -> Finding:
    """A finding whose mend is filled in from the facts.

    Args:
        code: a key of ``CODES``.
        message: what is wrong here.
        step: the step it is about.
        note: whether it was overcome and only worth telling.
        **facts: what the mend's template names.
    """
    rule = CODES[code]
    mend = rule.mend.format(step=step, **facts)
    return Finding(code, rule.axis, step, message, mend, counts=not note)


def listed(items: Iterable[object]) -> str:
    """Items in words: ``a``, ``a and b``, ``a, b and c``."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
