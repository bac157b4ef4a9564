"""A journal in words a reader can follow."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from skills2_nb.contract.state import RunState
from skills2_nb.library.rundiff import Difference
from skills2_nb.views.rows import arguments, fields
from skills2_nb.views.values import clean, counted, duration, one_line, short

_INDENT = "      "
_MOST_FIELDS = 12
#: Characters of a name that stands in a line with other things.
_LONGEST = 40
_ENDS = {"tool": "by the caller", "cli": "by the command line", "stop": "by the stop hook"}
_HEADINGS = {
    "skill": "The skill",
    "inputs": "What it started from",
    "steps": "Results",
    "verdict": "What a verdict sees",
}


def told(records: Sequence[Mapping[str, Any]], state: RunState, width: int) -> str:
    """The records of a run, one after the other."""
    lines = [*_head(state, width)]
    for record in records:
        form = _FORMS.get(str(record["kind"]), _other)
        lines += ["", *form(record, state, width)] if record["seq"] > 1 else []
    return "\n".join(lines)


def told_differences(a: str, b: str, found: Sequence[Difference], width: int) -> str:
    """Differences part by part, each with the value of either run below the other."""
    if not found:
        return f"{a} and {b} are the same: skill, inputs, results and what a verdict sees."
    lines = [click.style(f"a  {a}", bold=True), click.style(f"b  {b}", bold=True)]
    for part in dict.fromkeys(item.part for item in found):
        lines += ["", click.style(_HEADINGS[part], bold=True)]
        for item in (each for each in found if each.part == part):
            room = width - 7
            lines += [f"  {clean(item.where)}"]
            lines += [f"    a  {_side(item.a, room)}", f"    b  {_side(item.b, room)}"]
    return "\n".join([*lines, "", f"{counted(len(found), 'difference')}."])


def _side(value: Any, room: int) -> str:
    return "(nothing)" if value is None else short(value, room)


def _head(state: RunState, width: int) -> Iterator[str]:
    yield click.style(f"{state.skill} {state.version}, run {state.run}", bold=True)
    yield f"started {_time(state.started, whole=True)}, vouched for by {_voucher(state.vouched)}"
    yield _code(state)
    if state.prompt is not None:
        yield from _wrap(f'prompt: "{state.prompt}"', width, "")
    if state.inputs:
        names = {key: one_line(key, _LONGEST) for key in state.inputs}
        wide = max(map(len, names.values()))
        yield "inputs:"
        for key, item in state.inputs.items():
            yield f"  {names[key]:<{wide}}  {short(item, max(width - wide - 4, 20))}"


def _code(state: RunState) -> str:
    if state.live:
        return f"code: a live kernel's, {state.live[:12]}"
    return f"code: package {state.digest[:12]}" if state.digest else "code: of no package"


def _called(record: Mapping[str, Any], state: RunState, width: int) -> Iterator[str]:
    call = state.by_seq[record["seq"]]
    checks = f", {_checks(record)}" if record.get("invariants") else ""
    time = f", {duration(call.us)}" if call.us else ""
    status = "ok" if call.status == "ok" else f"{call.status}: {call.reason}"
    color = "green" if call.status == "ok" else "red"
    yield _line(
        record, f"{one_line(call.step, _LONGEST)}  {click.style(status, fg=color)}{checks}{time}"
    )
    for item in arguments(call):
        value = short(item.value, 48) if item.known else "?"
        yield from _wrap(f"{item.name} <- {item.told}: {value}", width, _INDENT)
    if call.error:
        yield from _wrap(str(call.error.get("message", "")), width, _INDENT)
    yield from _output(call.output, width)


def _output(output: Any, width: int) -> Iterator[str]:
    if output is None:
        return
    named = fields(output)
    for name, item in named[:_MOST_FIELDS]:
        told = one_line(name, _LONGEST)
        yield f"{_INDENT}=> {told}: {short(item, max(width - len(told) - 11, 20))}"
    if len(named) > _MOST_FIELDS:
        yield f"{_INDENT}=> … and {len(named) - _MOST_FIELDS} more fields"


def _checks(record: Mapping[str, Any]) -> str:
    asked = record["invariants"]
    broken = [item["name"] for item in asked if not item["ok"]]
    held = f"{len(asked) - len(broken)} of {counted(len(asked), 'check')} held"
    return f"{held} ({', '.join(broken)} did not)" if broken else held


def _ended(record: Mapping[str, Any], _: RunState, width: int) -> Iterator[str]:
    by = str(record.get("by"))
    yield _line(record, f"run ended {_ENDS.get(by, f'by {by}')}")


def _answered(record: Mapping[str, Any], _: RunState, width: int) -> Iterator[str]:
    yield _line(record, "answer")
    yield from _wrap(str(record.get("text")), width, _INDENT, hang=0)


def _noted(record: Mapping[str, Any], _: RunState, width: int) -> Iterator[str]:
    yield _line(record, "note")
    yield from _wrap(str(record.get("text")), width, _INDENT, hang=0)


def _healed(record: Mapping[str, Any], _: RunState, width: int) -> Iterator[str]:
    yield _line(record, f"healed: {record.get('bytes')} bytes of a torn line were moved aside")


def _other(record: Mapping[str, Any], _: RunState, width: int) -> Iterator[str]:
    yield _line(record, clean(str(record["kind"])))


_FORMS: dict[str, Callable[[Mapping[str, Any], RunState, int], Iterator[str]]] = {
    "step_ok": _called,
    "step_failed": _called,
    "rejected": _called,
    "run_ended": _ended,
    "answer": _answered,
    "note": _noted,
    "healed": _healed,
}


def _line(record: Mapping[str, Any], text: str) -> str:
    return f"{record['seq']:>4}  {_time(str(record['ts']))}  {text}"


def _time(ts: str, *, whole: bool = False) -> str:
    """``2026-03-01T09:15:22.123456Z`` as ``09:15:22``, or with its day."""
    return f"{ts[:10]} {ts[11:19]} UTC" if whole else ts[11:19]


def _voucher(word: str) -> str:
    return {"cli": "the command line", "case": "a case", "hook": "a hook"}.get(word, f"the {word}")


def _wrap(text: str, width: int, indent: str, hang: int = 2) -> list[str]:
    return [
        line
        for part in clean(text).splitlines() or [""]
        for line in textwrap.wrap(
            part,
            max(width, len(indent) + 20),
            initial_indent=indent,
            subsequent_indent=indent + " " * (hang if len(text.splitlines()) < 2 else 0),
            break_on_hyphens=False,
        )
        or [""]
    ]
