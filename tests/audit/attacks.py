"""Ways to make a run of growth-accounting look proven that is not."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("stage", Path(__file__).with_name("stage.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
stand = sys.modules[_SPEC.name] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(stand)
FIRST_MARCH, PACKAGE, QUESTIONS = stand.FIRST_MARCH, stand.PACKAGE, stand.QUESTIONS
Made, Stage, at_home, ids, judge = stand.Made, stand.Stage, stand.at_home, stand.ids, stand.judge
hollow, invariants, kit, loosened = stand.hollow, stand.invariants, stand.kit, stand.loosened
step = stand.step
Records = list[dict[str, Any]]

OTHER_QUESTION = "How did weekly actives do in June 1998?"
WORDS = (
    "The identity closes for the active users: new, resurrected and churned were counted. The "
    "quick ratio gives the growth class; the dominant flow, retention rate and trend are known."
)
#: A step that only a shrinking month owes; its guard reads the quick ratio.
CONDITIONAL = '''class Warning(BaseModel):
    lost: int


def loses(quick_ratio):
    return quick_ratio < 1


def lost_is_the_gap(lost, prev_mau, current_mau):
    return lost == prev_mau - current_mau


@step(when=loses, invariants=[lost_is_the_gap], report=["lost"])
def warn_of_loss(prev_mau: int, current_mau: int) -> Warning:
    """Say how many active users a shrinking month lost."""
    return Warning(lost=prev_mau - current_mau)'''
STUB_HEAD = """from pydantic import BaseModel
from skills2_nb import step


class Draft(BaseModel):
    note: str | None = None
"""


@dataclass(frozen=True)
class Attack:
    """A row of the table.

    Attributes:
        id: its name.
        make: builds it on a stage; its docstring says what is done.
        classic: the score that ``classic`` gives it.
        code: the finding by which ``strict`` knows it.
        fooled: whether ``classic`` calls it a pass.
    """

    id: str
    make: Callable[[Stage], Made]
    classic: float
    code: str
    fooled: bool

    @property
    def says(self) -> str:
        """What is done, in a few words."""
        return (self.make.__doc__ or "").removesuffix(".")


# --- the twelve of the toy ----------------------------------------------------------------------


def prose(stage: Stage) -> Made:
    """No run; the answer is the SKILL.md body."""
    return Made(stage.basis, answer=stage.basis.body)


def stubs(stage: Stage) -> Made:
    """Steps that return {}."""

    def empty(_: str) -> str:
        steps = (f"\n\n@step\ndef {id_}() -> Draft:\n    return {{}}\n" for id_ in ids(stage))
        return STUB_HEAD + "".join(steps)

    basis = stage.variant("stubs", empty)
    return stage.finish(stage.start(skill=basis.skill), basis.body, basis=basis)


def zeros(stage: Stage) -> Made:
    """Zeros typed into the steps."""
    run = stage.start()
    stage.call(run, "define_active_user")
    stage.call(run, "count_flows")
    flows = {"new": 0, "resurrected": 0, "churned": 1}
    stage.call(run, "pick_decomposition_form", {"prev_mau": 0, "new": 0})
    identity = {"prev_mau": 0, "current_mau": -1, **flows}
    stage.call(run, "compute_single_period_identity", identity)
    stage.call(run, "compute_quick_ratio", flows)
    stage.call(run, "classify_growth")
    stage.call(run, "find_dominant_flow", flows)
    stage.call(run, "compute_rates")
    stage.call(run, "compare_with_trend")
    stage.call(run, "write_readout")
    return stage.end(run, stage.good())


def edit_plain(stage: Stage) -> Made:
    """One recorded result edited."""
    path = stage.honest()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"implied":211', '"implied":1200'), encoding="utf-8")
    return Made(stage.basis, path, home=stage.home)


def edit_chained(stage: Stage) -> Made:
    """The same, the chain made anew."""

    def change(records: Records) -> Records:
        step(records, "compute_single_period_identity")["output"]["implied"] = 1200
        return records

    answer = stage.good().replace("implied 211", "implied 1200")
    return stage.edited(change, answer=answer)


def edit_unread(stage: Stage) -> Made:
    """Words no invariant reads, the chain made anew."""

    def change(records: Records) -> Records:
        form = step(records, "pick_decomposition_form")["output"]
        form["form_reason"] = form["form_reason"].replace("nobody joins", "the campaign worked")
        step(records, "write_readout")["args"]["form"] = form
        return records

    return stage.edited(change)


def forged(stage: Stage) -> Made:
    """A journal written by hand, values thought up."""

    def invent(records: Records) -> Records:
        flows = step(records, "count_flows")["output"]
        flows |= {"prev_mau": 1570, "resurrected": 1560, "churned": 1020, "current_mau": 2110}
        flows |= {"retained": 550}
        for record in records:
            record["writer"] = "bash:1"
        return records

    return stage.edited(invent, answer=stage.good())


def forged_whole(stage: Stage) -> Made:
    """A journal made from a log of one's own."""
    log = stage.place / "own.csv"
    rows = (PACKAGE / "assets" / "cdnow_sample.csv").read_text(encoding="utf-8").splitlines()
    more = [f"9{number:03d},1998-03-{1 + number % 28:02d},1,10.00" for number in range(400)]
    log.write_text("\n".join([*rows, *more]) + "\n", encoding="utf-8")
    made = stage.finish(stage.start(inputs={"path": str(log)}))
    assert made.path is not None
    real = str(PACKAGE / "assets" / "cdnow_sample.csv")

    def hide(records: Records) -> Records:
        records[0]["inputs"]["path"] = real
        step(records, "define_active_user")["args"]["path"] = real
        return [{key: item for key, item in record.items() if key != "files"} for record in records]

    kit.forge(made.path, hide)
    return replace(made, wiped=True)


def truncated(stage: Stage) -> Made:
    """A bad call cut off after an audit, ended anew."""
    made, seen = cut(stage)
    return Made(**{**vars(made), "earlier": (seen,)})


def truncated_unseen(stage: Stage) -> Made:
    """A bad call cut off before any audit, ended anew."""
    return cut(stage)[0]


def cut(stage: Stage) -> tuple[Made, Mapping[str, Any]]:
    run = stage.start()
    with at_home(stage.home):
        walk(run)
    stage.refused(run, "compute_single_period_identity", {"churned": 120})
    seen = {"count": run.state.count, "head": run.state.head}
    made = stage.end(run)
    assert made.path is not None
    kit.forge(made.path, lambda records: [r for r in records if r["kind"] != "step_failed"])
    return made, seen


def replayed(stage: Stage) -> Made:
    """An honest run shown for another prompt."""
    return Made(stage.basis, stage.honest(), asked=OTHER_QUESTION, home=stage.home)


def half(stage: Stage) -> Made:
    """Five of ten steps."""
    run = stage.start()
    for id_ in ids(stage)[:5]:
        stage.call(run, id_)
    return stage.end(run, stage.good())


def other_numbers(stage: Stage) -> Made:
    """Right steps, other numbers in the answer."""
    answer = re.sub(r"\b211\b", "240", stage.good()).replace("1.53", "4.20")
    return Made(stage.basis, stage.honest(), answer=answer, home=stage.home)


def words_alone(stage: Stage) -> Made:
    """Right steps, the vocabulary without a value."""
    return Made(stage.basis, stage.honest(), answer=WORDS, home=stage.home)


def broken_invariant(stage: Stage) -> Made:
    """An invariant fails, the rest is fine."""
    run = stage.start()
    with at_home(stage.home):
        walk(run)
    stage.refused(run, "compute_single_period_identity", {"churned": 120})
    return stage.end(run)


def dodged(stage: Stage) -> Made:
    """A typed input makes a guard false."""
    basis = stage.grown("conditional", CONDITIONAL)
    run = stage.start(FIRST_MARCH, basis.skill)
    for id_ in ids(stage)[:4]:
        stage.call(run, id_)
    stage.call(run, "compute_quick_ratio", {"churned": 700})
    return stage.finish(run, basis=basis)


# --- and more -----------------------------------------------------------------------------------


def best_of_n(stage: Stage) -> Made:
    """Two bad runs of the prompt, the third is shown."""
    bad = tuple(path for path in (broken_invariant(stage).path, half(stage).path) if path)
    return Made(stage.basis, stage.honest(), siblings=bad, home=stage.home)


def late_call(stage: Stage) -> Made:
    """A step called after the answer was drafted."""
    run = stage.start()
    with at_home(stage.home):
        for id_ in ids(stage)[:9]:
            run.call(id_)
        run.answer(stage.good())
        run.call("write_readout")
        run.end()
        run.close()
    return Made(stage.basis, run.path, home=stage.home)


def tautologies(stage: Stage) -> Made:
    """Invariants that always hold."""
    return varied(stage, "tautologies", lambda code: hollow(code, *invariants(stage)))


def one_tautology(stage: Stage) -> Made:
    """One step's invariants always hold."""
    names = ("gained_is_new_and_resurrected", "ratio_times_lost_is_gained")
    return varied(stage, "one-tautology", lambda code: hollow(code, *names))


def optional(stage: Stage) -> Made:
    """Schemas that require nothing."""
    return varied(stage, "optional", lambda code: loosened(code, r"\w+"))


def one_optional(stage: Stage) -> Made:
    """One step's schema requires nothing."""
    return varied(stage, "one-optional", lambda code: loosened(code, "QuickRatio"))


def swallowed(stage: Stage) -> Made:
    """A step fails, the caller goes on."""
    run = stage.start()
    for id_ in ids(stage)[:3]:
        stage.call(run, id_)
    stage.refused(run, "compute_single_period_identity", {"churned": 120})
    for id_ in ids(stage)[4:]:
        stage.refused(run, id_, {} if id_ != "classify_growth" else {"quick_ratio": 1.53})
    return stage.end(run, stage.good())


def swallowed_and_typed(stage: Stage) -> Made:
    """A step raises, and is called again with typed values."""
    run = stage.start()
    for id_ in ids(stage)[:7]:
        stage.call(run, id_)
    stage.refused(run, "compute_rates", {"prev_mau": 0})
    rates = {"prev_mau": 100, "current_mau": 134, "retained": 35, "churned": 65}
    stage.call(run, "compute_rates", rates)
    return stage.finish(run)


def retyped_zero(stage: Stage) -> Made:
    """New=0 typed where 719 was counted."""
    run = stage.start(FIRST_MARCH)
    for id_ in ids(stage)[:4]:
        stage.call(run, id_)
    stage.call(run, "compute_quick_ratio", {"new": 0})
    return stage.finish(run)


def swapped_values(stage: Stage) -> Made:
    """A true number typed in another's place."""
    run = stage.start()
    for id_ in ids(stage)[:4]:
        stage.call(run, id_)
    stage.call(run, "compute_quick_ratio", {"resurrected": 211})
    return stage.finish(run)


def swapped_references(stage: Stage) -> Made:
    """A reference to another's value."""
    run = stage.start()
    for id_ in ids(stage)[:4]:
        stage.call(run, id_)
    stage.call(run, "compute_quick_ratio", resurrected="count_flows#/current_mau")
    return stage.finish(run)


def stale(stage: Stage) -> Made:
    """Flows counted anew, what stood on the old ones kept."""
    run = stage.start()
    stage.call(run, "define_active_user")
    stage.call(run, "count_flows", {"period": "1998-02"})
    for id_ in ids(stage)[2:]:
        stage.call(run, id_)
    stage.call(run, "count_flows")
    return stage.end(run, stage.good())


def laundered(stage: Stage) -> Made:
    """A number typed in by way of the run's inputs."""
    run = stage.start(inputs={"quick_ratio": 4.2}, vouched="client")
    for id_ in ids(stage)[:5]:
        stage.call(run, id_)
    stage.call(run, "classify_growth", {"quick_ratio": 4.2})
    return stage.finish(run)


def still_open(stage: Stage) -> Made:
    """Judged before the run has ended."""
    run = stage.start()
    with at_home(stage.home):
        walk(run)
        run.close()
    return Made(stage.basis, run.path, stage.good(), home=stage.home)


def varied(stage: Stage, name: str, change: Callable[[str], str]) -> Made:
    basis = stage.variant(name, change)
    return stage.finish(stage.start(skill=basis.skill), basis=basis)


ATTACKS: Mapping[str, Attack] = {
    attack.id: attack
    for attack in (
        Attack("prose only", prose, 0.25, "NO_RUN", False),
        Attack("stubs", stubs, 0.53, "NOT_SUBSTANTIVE", False),
        Attack("trivial zeros", zeros, 1.0, "RETYPED", True),
        Attack("edited", edit_plain, 1.0, "CHAIN_BROKEN", False),
        Attack("edited and chained", edit_chained, 1.0, "INVARIANT_DISAGREES", True),
        Attack("edited where nothing looks", edit_unread, 1.0, "REPLAY_DIFFERS", True),
        Attack("forged", forged, 1.0, "INVARIANT_DISAGREES", True),
        Attack("forged whole", forged_whole, 1.0, "REPLAY_DIFFERS", True),
        Attack("truncated", truncated, 1.0, "LEDGER_MISMATCH", False),
        Attack("truncated unseen", truncated_unseen, 1.0, "LEDGER_MISMATCH", False),
        Attack("yesterday's run", replayed, 1.0, "OTHER_PROMPT", True),
        Attack("half skipped", half, 0.625, "STEP_MISSING", False),
        Attack("other numbers", other_numbers, 1.0, "CONTRADICTED", True),
        Attack("words alone", words_alone, 1.0, "OMITTED", True),
        Attack("broken invariant", broken_invariant, 0.9865, "INVARIANT_FAILED", True),
        Attack("dodged guard", dodged, 0.9507, "GUARD_UNPROVEN", False),
        Attack("best of N", best_of_n, 1.0, "OTHER_RUNS", True),
        Attack("late call", late_call, 0.75, "ANSWER_EARLY", False),
        Attack("tautologies", tautologies, 1.0, "NO_EFFECTIVE_INVARIANT", True),
        Attack("one tautology", one_tautology, 1.0, "NO_EFFECTIVE_INVARIANT", True),
        Attack("all optional", optional, 0.88, "NOT_SUBSTANTIVE", True),
        Attack("one optional", one_optional, 0.988, "NOT_SUBSTANTIVE", True),
        Attack("swallowed error", swallowed, 0.5046, "STEP_FAILED", False),
        Attack("swallowed and typed", swallowed_and_typed, 1.0, "RETYPED", True),
        Attack("retyped zero", retyped_zero, 1.0, "RETYPED", True),
        Attack("swapped values", swapped_values, 1.0, "RETYPED", True),
        Attack("swapped references", swapped_references, 1.0, "REWIRED", True),
        Attack("stale input", stale, 1.0, "STALE", True),
        Attack("laundered", laundered, 1.0, "RETYPED", True),
        Attack("still open", still_open, 1.0, "RUN_OPEN", False),
    )
}
