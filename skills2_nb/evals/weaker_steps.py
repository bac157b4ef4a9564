"""What a skill asks of its steps, and asked before."""

from __future__ import annotations

from collections.abc import Iterator

from skills2_nb.evals.change import Change
from skills2_nb.evals.kept import Kept, KeptInvariant, KeptStep


def weaker_steps(before: Kept, now: Kept) -> Iterator[Change]:
    """Steps and invariants that are gone, or that ask for less."""
    here = {step.id: step for step in now.steps}
    for old in before.steps:
        new = here.get(old.id)
        if new is None:
            told = f"step {old.id} was removed, so nothing owes it any more"
            yield Change("fail", f"step {old.id}", told, "step", "gone")
        else:
            yield from _owed(old, new, set(here))
            yield from _reported(old, new)
            yield from _checked(old, new)
    known = {step.id for step in before.steps}
    for new in now.steps:
        if new.id not in known:
            yield Change("note", f"step {new.id}", f"step {new.id} is new", "", "step")


def _owed(old: KeptStep, new: KeptStep, here: set[str]) -> Iterator[Change]:
    about = f"step {old.id}"
    if old.required and not new.required:
        yield Change("fail", about, f"{about} is no longer required", "required", "optional")
    if new.when and new.when != old.when:
        always = not old.when
        was = "always" if always else f"when {old.when}"
        told = f"{about} is owed only when {new.when} holds, {was} before"
        yield Change("fail", about, told, was, f"when {new.when}")
    elif new.when and old.guard and new.guard != old.guard:
        told = f"{new.when}, which says whether {about} is owed, is written otherwise"
        yield Change("inconclusive", about, told, f"when {old.when}", "written otherwise")
    for other in old.requires:
        if other in here and other not in new.requires:
            told = f"{about} no longer requires {other}, so {other} can be skipped before it"
            yield Change("fail", about, told, f"after {other}", "in any order")
    if new.hollow and not old.hollow:
        told = f"{about} can prove nothing any more: it is a stub, or its schema requires nothing"
        yield Change("fail", about, told, "proves something", "hollow")


def _reported(old: KeptStep, new: KeptStep) -> Iterator[Change]:
    about = f"step {old.id}"
    for name in old.report:
        if name not in new.report:
            told = f"{about} no longer reports {name}, so the answer may leave it out"
            yield Change("fail", about, told, f"reports {name}", "does not")
        elif new.measured and name in new.unchecked and name not in old.unchecked:
            told = f"no invariant of {about} notices another {name} any more"
            yield Change("fail", about, told, f"{name} checked", f"{name} unchecked")


def _checked(old: KeptStep, new: KeptStep) -> Iterator[Change]:
    here = {item.name: item for item in new.invariants}
    if old.measured and not new.measured and new.invariants:
        told = f"no call of step {old.id} could be measured, so its invariants are not compared"
        yield Change("inconclusive", f"step {old.id}", told, "measured", "not measured")
    for was in old.invariants:
        about = f"invariant {was.name}"
        item = here.get(was.name)
        if item is None:
            told = f"invariant {was.name} of step {old.id} was removed"
            yield Change("fail", about, told, _share(was), "gone")
        else:
            yield from _compared(f"invariant {was.name} of step {old.id}", about, was, item)


def _compared(name: str, about: str, was: KeptInvariant, item: KeptInvariant) -> Iterator[Change]:
    before, after = _share(was), _share(item)
    if was.effective and item.effective is False:
        told = f"{name} is no longer effective: it notices {after or 'nothing'}, {before} before"
        if item.made and item.killed == item.made:
            told = f"{name} does not hold on the results as they are, changed or not"
        yield Change("fail", about, told, before, after)
    elif _notices_less(was, item):
        told = f"{name} was weakened: it notices {after}, {before} before"
        sure = was.text != item.text or was.made == item.made  # else other cases may be why
        yield Change("fail" if sure else "inconclusive", about, told, before, after)
    elif was.killed is not None and item.killed is None and item.effective is not None:
        told = f"how much {name} notices was not counted, {before} before"
        yield Change("inconclusive", about, told, before, after)
    elif was.text == item.text:
        return
    elif was.killed is None or item.killed is None:
        told = f"{name} is written otherwise, and how much it notices was not counted"
        yield Change("inconclusive", about, told, before, after)
    else:
        told = f"{name} is written otherwise and notices no less"
        yield Change("note", about, told, before, after)


def _notices_less(was: KeptInvariant, item: KeptInvariant) -> bool:
    """Fewer changes, and a smaller share of them: other cases alone change one of the two."""
    if was.killed is None or item.killed is None or not was.made or not item.made:
        return False
    return item.killed < was.killed and item.killed * was.made < was.killed * item.made


def _share(item: KeptInvariant) -> str:
    if item.killed is None:
        return {True: "effective", False: "nothing", None: ""}[item.effective]
    return f"{item.killed} of {item.made} changes"
