"""Every kind of finding, with its mend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Axis = Literal["coverage", "consistency", "anchoring", "integrity"]


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
    "REWIRED": Rule(
        "coverage",
        "A reference hands a parameter another value than the one that earlier steps give by its "
        "name.",
        'Leave {parameter} out, or pass refs={{"{parameter}": "{reference}"}}; if the other value '
        "is the right one, say so in the step by bind=.",
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
        veto=True,
    ),
    "EMPTY_RESULT": Rule(
        "coverage",
        "A step's result is empty.",
        "Look whether {step} was to find something; if nothing is a result too, let the model say "
        "so by a field, such as a count of 0.",
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
    "LET_THROUGH": Rule(
        "coverage",
        "The answer was sent back twice by a hook, and let through as it was the third time.",
        "Look at what the hook said; run the skill again and answer by that run.",
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
    "REPLAY_DIFFERS": Rule(
        "consistency",
        "A step was run again on its recorded inputs and gave another result than the journal "
        "says.",
        "Do not use this run; run the skill again. If {step} rests on a service or on chance, "
        "declare it: @step(effects=[...]).",
        veto=True,
    ),
    "SOURCE_CHANGED": Rule(
        "consistency",
        "A file that a step read is another one now or gone, so its result cannot be compared.",
        "Put the file back as it was, or run the skill again.",
    ),
    "NOT_REPLAYABLE": Rule(
        "consistency",
        "A step that declares no effects cannot be run again to the same result, read-only and "
        "offline.",
        "Make the step give one result for one input, or declare what it does beside: "
        "@step(effects=[...]) with network, files, process, clock, random or environment.",
    ),
    "EFFECTS_DECLARED": Rule(
        "consistency",
        "A step declares effects, so it was not run again.",
        "Nothing to do: the schema and the invariants of {step} speak for its result.",
    ),
    "NO_INVARIANT": Rule(
        "consistency",
        "A required step has no invariant, so nothing says that its result is right.",
        "Give {step} an invariant that ties its output to its inputs.",
    ),
    "INVARIANT_INEFFECTIVE": Rule(
        "consistency",
        "An invariant holds whatever is changed in the call, so it proves nothing.",
        "Let {invariant} compare the output with the inputs, or take it away.",
    ),
    "NO_EFFECTIVE_INVARIANT": Rule(
        "consistency",
        "No invariant of a required step notices any change of its call.",
        "Give {step} an invariant that ties its output to its inputs; `skills2 strength` shows "
        "what goes unnoticed.",
    ),
    "REPORT_UNCHECKED": Rule(
        "consistency",
        "A report field can be changed, and no invariant of its step notices.",
        "Let an invariant of {step} compute {field} in another way, or take it out of report.",
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
        "Name them where the answer speaks of them, or take them out of [anchors]: {terms}.",
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
        "The ledger saw other records in this journal.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "MAC_WRONG": Rule(
        "integrity",
        "A record does not bear the MAC of the key that its writer names.",
        "Do not use this run; run the skill again.",
        veto=True,
    ),
    "MAC_ABSENT": Rule(
        "integrity",
        "Some records bear a MAC and others none.",
        "Let every process that works on a run write below the home's keys.",
    ),
    "KEY_UNKNOWN": Rule(
        "integrity",
        "The key of a record's MAC is not in this home, so the MAC cannot be verified.",
        "Audit the run where it was written, before its key is removed.",
    ),
    "KEY_EXPOSED": Rule(
        "integrity",
        "A key can be read by others or is another user's, so its MACs prove nothing.",
        "Remove {places}; the next run makes a key of its own.",
    ),
    "OTHER_PROMPT": Rule(
        "integrity",
        "The run is of another question than the one that was asked.",
        "Run the skill for this question.",
        veto=True,
    ),
    "OTHER_RUNS": Rule(
        "integrity",
        "There are other runs of the same question; a note where none was left out.",
        "Look at `skills2 runs diff {here} {run}`; if the question is asked anew, answer by the "
        "one run there is then.",
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
