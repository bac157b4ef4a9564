"""skill.toml back into the manifest cell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import tomli_w

from skills2_nb.convert.back import Back
from skills2_nb.convert.board import Slot
from skills2_nb.convert.merge import Verdict
from skills2_nb.convert.plan import Plan
from skills2_nb.convert.toml_text import with_value
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.manifest import to_tables
from skills2_nb.formats.manifest_keys import check
from skills2_nb.formats.roles import Assignment, Role

MANIFEST = "skill.toml"
#: Values with another source than the manifest cell.
_ELSEWHERE = {
    "schema": "it is the kit's own number",
    "steps": "[[steps]] is made from the code; edit `@step(...)` in runtime/skill.py",
    "skill.name": "the name is that of the front matter; edit `name:` in SKILL.md",
}


def carry(back: Back) -> None:
    """Put changed values of skill.toml into the manifest cell, one key at a time."""
    text = back.text(MANIFEST)
    there = None if text is None else _read(back, text)
    if text is None or there is None:
        return
    made = to_tables(back.plan.manifest)
    changed = list(_changed(made, there))
    if changed:
        _tell_comments(back, text, there)
    elif not back.is_base(MANIFEST, text.encode("utf-8")):
        back.leave(
            MANIFEST,
            "it differs in comments or layout alone, which export does not keep",
            "write the comment into the manifest cell",
        )
    moved = back.both_moved(MANIFEST)
    for key, ours, theirs in changed:
        if key in _ELSEWHERE and moved:
            continue  # the notebook's own change
        if key in _ELSEWHERE:
            back.leave(MANIFEST, f"{key} was changed, and {_ELSEWHERE[key]}", "edit it there")
            continue
        found: Verdict = "conflict" if moved else "take"
        if back.settle(found, MANIFEST, key, _said(key, ours), _said(key, theirs)) == "take":
            _set(back, key, theirs)
    if changed:
        back.carried.append(MANIFEST)


def _read(back: Back, text: str) -> dict[str, Any] | None:
    """The tables of an edited skill.toml; None, and told, where they are not what they must be."""
    try:
        there = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        back.leave(MANIFEST, f"it is not TOML: {error}", "correct it")
        return None
    problems = check(there, MANIFEST)[1]
    if problems:
        back.leave(MANIFEST, problems[0].message, problems[0].mend)
        return None
    return there


def _tell_comments(back: Back, text: str, there: Mapping[str, Any]) -> None:
    """Name the comments beside changed values: a line with ``#`` that no value has."""
    plain = tomli_w.dumps(there).split("\n")
    if any("#" in line and line not in plain for line in text.split("\n")):
        back.leave(
            MANIFEST, "export does not keep its comments", "write them into the manifest cell"
        )


def _changed(made: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Key, our value and theirs, of each value that differs; None for an absent one."""
    for table in dict.fromkeys((*made, *there)):
        ours, theirs = made.get(table), there.get(table)
        if ours == theirs:
            continue
        if not isinstance(ours, dict) or not isinstance(theirs, dict):
            yield table, ours, theirs
            continue
        for key in dict.fromkeys((*ours, *theirs)):
            if ours.get(key) != theirs.get(key):
                yield f"{table}.{key}", ours.get(key), theirs.get(key)


def _said(key: str, value: Any) -> str | None:
    """A value as the line that says it."""
    return None if value is None else tomli_w.dumps({key.rpartition(".")[2]: value}).rstrip()


def _set(back: Back, key: str, value: Any) -> None:
    table, _, name = key.partition(".")
    if value is None or not name:
        back.leave(MANIFEST, f"{key} is gone", "take it out of the manifest cell, if it is there")
        return
    slot = _slot(back, table)
    held = slot.draft.source if slot.draft is not None else _text(slot)
    text = with_value(held, table, name, value)
    if text is None:
        back.leave(MANIFEST, f"{key} was changed", f"write `{_said(key, value)}` under [{table}] "
                   "in the manifest cell")  # fmt: skip
        return
    if slot.draft is not None:
        slot.draft = Draft("raw", text, slot.draft.tags)
        if slot not in back.board.slots:
            back.board.slots.insert(_front(back), slot)
    else:
        back.board.write(slot, text, MANIFEST)
    back.promises.append(lambda plan: _lacking(plan, table, name, value))


def _slot(back: Back, table: str) -> Slot:
    """The manifest cell that has the table, else the last one, else a new one."""
    new = [s for s in back.board.slots if s.draft is not None and s.draft.tags == ("manifest",)]
    cells = [s for s in back.board.slots if s.cell is not None and s.cell.role is Role.MANIFEST]
    having = [slot for slot in cells if f"[{table}]" in _text(slot)]
    found = [*having[-1:], *cells[-1:], *new]
    return found[0] if found else Slot(draft=Draft("raw", "", ("manifest",)), why=MANIFEST)


def _text(slot: Slot) -> str:
    assert isinstance(slot.cell, Assignment)  # new cells are asked for their draft
    return slot.cell.text if slot.text is None else slot.text


def _front(back: Back) -> int:
    """The place after the front matter."""
    fronts = [at for at, s in enumerate(back.board.slots) if s.cell and s.cell.role is Role.FRONT]
    return fronts[0] + 1 if fronts else 0


def _lacking(plan: Plan, table: str, key: str, value: Any) -> str:
    """A value that the new notebook does not give."""
    made = to_tables(plan.manifest).get(table, {}).get(key)
    return "" if made == value else f"{MANIFEST}: {table}.{key} cannot be set in the manifest cell"
