"""What the command line prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check, RunState
from skills2_nb.views import headline
from skills2_nb.views.findings import Group, grouped
from skills2_nb.views.rows import Argument, StepRow, fields, rows
from skills2_nb.views.values import clean, counted, duration, one_line, short

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.audit.finding import Finding
    from skills2_nb.contract.trial import Trial
    from skills2_nb.convert.exporter import Export
    from skills2_nb.formats.problem import Problem

WIDTH = 80
#: Columns that a line of results needs to stand beside its step, not below it.
_ROOM = 34
#: Columns below which the table of steps leaves their times out.
_TIMED = 48
_BOLD, _RED, _GREEN, _YELLOW, _DIM = "1", "31", "32", "33", "2"
_STYLE = {
    "pass": _GREEN,
    "ok": _GREEN,
    "fail": _RED,
    "failed": _RED,
    "rejected": _RED,
    "tampered": _RED,
    "error": _RED,
    "unproven": _YELLOW,
    "stale": _YELLOW,
    "not called": _YELLOW,
    "warning": _YELLOW,
    "not due": _DIM,
    "note": _DIM,
}
_AXES = ("coverage", "consistency", "anchoring")


def report(
    audit: Audit,
    skill: Skill | None = None,
    state: RunState | None = None,
    *,
    cells: Mapping[str, int] | None = None,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """An audited run: its steps, both profiles, what was found.

    Args:
        skill: the skill as judged; without it the table of steps is left out.
        state: the run's state, None where there was no run.
        cells: the notebook's cell number of each step, where there is a notebook.
        width: columns to wrap at, 40 or more.
        color: whether to colour; callers honour ``NO_COLOR`` and pipes.

    Returns:
        Text that ends with a line end.
    """
    parts = [_title(audit, state, width, color)]
    if skill is not None:
        parts.append(steps(rows(skill, state, audit.steps), width=width, color=color))
    parts.append(profiles(audit, width=width, color=color))
    parts.append(findings(audit, cells=cells, width=width, color=color))
    return "\n".join(part for part in parts if part)


def steps(table: Sequence[StepRow], *, width: int = WIDTH, color: bool = False) -> str:
    """The steps as a table; results stand in the last column, or below where that is narrow."""
    if not table:
        return "The skill has no steps.\n"
    timed = width >= _TIMED
    name = min(max(len(row.id) for row in table), max(width - (36 if timed else 25), 12))
    time = f"  {'time':>7}" if timed else ""
    head = f"{'#':>3}  {'step':<{name}}  {'status':<10}{time}  checks"
    beside = width - len(head) - 2 >= _ROOM
    lines = [_paint(f"{head}  result" if beside else head, _BOLD, color)]
    for row in table:
        lines += _step_lines(row, name, len(head), width, beside=beside, color=color)
    return _text(lines)


def profiles(audit: Audit, *, width: int = WIDTH, color: bool = False) -> str:
    """Both profiles side by side, and what neither could check."""
    both = (audit.strict, audit.classic)
    lines = [_paint(f"{'':<12}{'strict':>10}{'classic':>10}", _BOLD, color)]
    for key in ("score", *_AXES):
        lines.append(f"{key:<12}" + "".join(f"{getattr(p, key):>10.2f}" for p in both))
    verdicts = "".join(" " * (10 - len(p.verdict)) + _word(p.verdict, color) for p in both)
    lines.append(f"{'verdict':<12}{verdicts}")
    lines += _unchecked(audit, width)
    return _text(lines)


def findings(
    audit: Audit,
    *,
    cells: Mapping[str, int] | None = None,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """What was found, one code after the other; nothing found = an empty text."""
    groups = grouped(audit)
    if not groups:
        return ""
    count = sum(len(group.findings) for group in groups)
    lines = [_paint(counted(count, "finding"), _BOLD, color)]
    for group in groups:
        lines += _group_lines(group, cells or {}, width, color)
    return _text(lines)


def problems(found: Iterable[Problem], *, width: int = WIDTH, color: bool = False) -> str:
    """Lint problems, each with place, code, sentence and mend, and a count at the end."""
    listed = list(found)
    lines: list[str] = []
    for problem in listed:
        level = _word(problem.level, color)
        lines.append(f"{clean(problem.where)}: {problem.code} {level}")
        lines += _wrap(problem.message, width, "    ")
        if problem.mend:
            lines += _wrap(f"Mend: {problem.mend}", width, "    ")
    return _text([*lines, tally(listed)])


def tally(found: Iterable[Problem]) -> str:
    """How many problems of each level, in words: ``2 errors, 1 warning``."""
    levels = [problem.level for problem in found]
    told = [
        counted(levels.count(level), level)
        for level in ("error", "warning", "note")
        if level in levels
    ]
    return ", ".join(told) or "no problems"


def explain(
    step: str, table: Sequence[Argument], *, width: int = WIDTH, color: bool = False
) -> str:
    """Where each argument of a step came from, or would come from."""
    lines = [_paint(step, _BOLD, color)]
    if not table:
        lines.append("  takes no arguments")
    name = max((len(a.name) for a in table), default=0)
    for argument in table:
        value = f" = {short(argument.value, 60)}" if argument.known else ""
        by = f" (by {argument.by})" if argument.by in ("bind", "ref") else ""
        told = f"{argument.name:<{name}} <- {argument.told}{by}{value}"
        lines += _wrap(told, width, "  ", name + 4)
        if argument.behind:
            lines += _wrap(f"which came from {argument.behind}", width, " " * (name + 6))
    return _text(lines)


def result(spec: StepSpec, output: Any, checks: Sequence[Check] = (), *, width: int = WIDTH) -> str:
    """A plain call of a step: its result as a plain value, its invariants."""
    lines = [spec.id]
    pairs = fields(output)
    name = max((len(key) for key, _ in pairs), default=0)
    for key, item in pairs:
        lines += _wrap(f"{key:<{name}}  {short(item, 160)}", width, "  ", name + 2)
    for check in checks:
        said = f": {check.message}" if check.message else ""
        told = "holds" if check.ok else f"does not hold{said}"
        lines += _wrap(f"{'✓' if check.ok else '✗'} {check.name} {told}", width, "  ", 2)
    return _text(lines)


def trial(done: Trial, *, width: int = WIDTH, color: bool = False) -> str:
    """One case with its tick or cross."""
    mark = _paint("✓", _GREEN, color) if done.ok else _paint("✗", _RED, color)
    detail = f": {done.detail}" if done.detail else ""
    told = _wrap(f"{done.label}{detail}", width - 2, "")
    return _text([f"{mark} {told[0]}", *(f"  {line}" for line in told[1:])])


def exported(done: Export, *, folder: str | None = None, width: int = WIDTH) -> str:
    """What an export did, file by file, and how much it left as it was.

    Args:
        folder: the folder as the reader knows it; left out, as the export names it.
    """
    lines = _wrap(f"{folder or done.folder}: {change(done)}", width, "", 2)
    for verb, names in moves(done):
        lines += [f"  {verb} {clean(name)}" for name in names]
    return _text(lines)


def change(done: Export) -> str:
    """An export in a few words: ``3 files written, 9 unchanged``."""
    told = f"{counted(len(done.written), 'file')} {'to write' if done.checked else 'written'}"
    removed = f"{len(done.removed)} {'to remove' if done.checked else 'removed'}"
    edited = f"{len(done.edited)} edited since"
    return ", ".join(
        [
            told,
            *([removed] if done.removed else []),
            *([edited] if done.edited else []),
            f"{len(done.unchanged)} unchanged",
        ]
    )


def moves(done: Export) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What became of which files, or would with a check."""
    verbs = ("to write", "to remove") if done.checked else ("wrote", "removed")
    return (
        (verbs[0], done.written),
        (verbs[1], done.removed),
        ("edited since", done.edited),
    )


def _title(audit: Audit, state: RunState | None, width: int, color: bool) -> str:
    version = f" {state.version}" if state is not None and state.version else ""
    run = f"run {audit.run}" if audit.run else "no run"
    told = " · ".join(
        f"{name} {_word(each.verdict.upper(), color)} {each.score:.2f}"
        for name, each in headline.verdicts(audit)
    )
    head = f"{audit.skill}{version}, {run}, evidence {audit.level}"
    return _text([told, *_wrap(head, width, "")])


def _step_lines(
    row: StepRow, name: int, left: int, width: int, *, beside: bool, color: bool
) -> list[str]:
    took = duration(row.us) if row.us is not None else "-"
    time = f"  {took:>7}" if width >= _TIMED else ""
    checks = f"{row.passed}/{len(row.declared)}" if row.declared else "-"
    status = _word(row.status, color) + " " * (10 - len(row.status))
    line = f"{row.number:>3}  {one_line(row.id, name):<{name}}  {status}{time}  {checks:>6}"
    told = row.error or ", ".join(f"{key} {short(item, 40)}" for key, item in row.figures)
    if row.status == "stale":
        sources = dict.fromkeys(ref.partition("#")[0] for ref in row.stale_sources)
        told = f"{told}; changed since: {', '.join(sources)}"
    if not told:
        return [line]
    if not beside:
        return [line, *_wrap(told, width, " " * 5)]
    first, *rest = _wrap(told, width - left - 2, "")
    return [f"{line}  {first}", *(" " * (left + 2) + more for more in rest)]


def _unchecked(audit: Audit, width: int) -> list[str]:
    lines: list[str] = []
    for label, profile in (("strict", audit.strict), ("classic", audit.classic)):
        if profile.not_checked:
            why = headline.reason(audit) if label == "strict" else None
            told = f"{'; '.join(profile.not_checked)}{f'. {why}' if why else ''}"
            lines += _wrap(f"not checked ({label}): {told}", width, "", 2)
    return lines


def _group_lines(group: Group, cells: Mapping[str, int], width: int, color: bool) -> list[str]:
    style = _RED if group.counts else _DIM
    lines = [f"  {_paint(group.code, style, color)} ({group.axis}{group.where})"]
    for finding in group.findings:
        place = _place(finding, cells)
        lines += _wrap(f"{place}{finding.message}", width, "    ")
        lines += _wrap(f"Mend: {finding.mend}", width, "    ") if finding.mend else []
    return lines


def _place(finding: Finding, cells: Mapping[str, int]) -> str:
    """The step and its cell, where the message does not begin with the step itself."""
    if finding.step is None:
        return ""
    cell = f"[cell {cells[finding.step]}] " if finding.step in cells else ""
    return cell if finding.message.startswith(finding.step) else f"{cell}{finding.step}: "


def _word(word: str, color: bool) -> str:
    return _paint(word, _STYLE.get(word.lower(), ""), color)


def _paint(text: str, style: str, color: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if color and style else text


def _wrap(text: str, width: int, indent: str, hang: int = 0) -> list[str]:
    """``text`` in lines of ``width``, every line indented, later ones by ``hang`` more."""
    made: list[str] = []
    later = indent + " " * hang
    for line in clean(text).expandtabs(4).splitlines() or [""]:
        made += textwrap.wrap(
            line,
            max(width, len(later) + 20),
            initial_indent=later if made else indent,
            subsequent_indent=later,
            break_on_hyphens=False,
        ) or [""]
    return made


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)
