"""What the command line prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check, RunState
from skills2_nb.views import evidence, headline
from skills2_nb.views.findings import Group, grouped
from skills2_nb.views.lines import BOLD, DIM, GREEN, RED, WIDTH, joined, paint, word, wrap
from skills2_nb.views.notes import typed_notes
from skills2_nb.views.rows import Argument, StepRow, fields, rows
from skills2_nb.views.values import counted, duration, one_line, short

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.audit.finding import Finding
    from skills2_nb.audit.steps import StepView
    from skills2_nb.contract.trial import Trial

#: Columns that a line of results needs to stand beside its step, not below it.
_ROOM = 34
#: Columns below which the table of steps leaves their times out.
_TIMED = 48
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
        table = rows(skill, state, audit.steps)
        parts.append(steps(table, audit.steps, width=width, color=color))
    parts.append(profiles(audit, skill, width=width, color=color))
    parts.append(findings(audit, cells=cells, width=width, color=color))
    return "\n".join(part for part in parts if part)


def steps(
    table: Sequence[StepRow],
    judged: Sequence[StepView] = (),
    *,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """The steps as a table; results stand in the last column, or below where that is narrow.

    Args:
        judged: the audit's steps: what was typed stands below each, with what is against it.
    """
    if not table:
        return "The skill has no steps.\n"
    timed = width >= _TIMED
    name = min(max(len(row.id) for row in table), max(width - (36 if timed else 25), 12))
    time = f"  {'time':>7}" if timed else ""
    head = f"{'#':>3}  {'step':<{name}}  {'status':<10}{time}  checks"
    beside = width - len(head) - 2 >= _ROOM
    lines = [paint(f"{head}  result" if beside else head, BOLD, color)]
    views = {view.step: view for view in judged}
    for row in table:
        lines += _step_lines(row, name, len(head), width, beside=beside, color=color)
        for note in typed_notes(row, views.get(row.id), table):
            tone = RED if note.tone == "bad" else DIM
            lines += [paint(line, tone, color) for line in wrap(note.text, width, " " * 5, 2)]
    return joined(lines)


def profiles(
    audit: Audit, skill: Skill | None = None, *, width: int = WIDTH, color: bool = False
) -> str:
    """Both profiles side by side, what was asked again, and what neither could check."""
    both = (audit.strict, audit.classic)
    lines = [paint(f"{'':<12}{'strict':>10}{'classic':>10}", BOLD, color)]
    for key in ("score", *_AXES):
        lines.append(f"{key:<12}" + "".join(f"{getattr(p, key):>10.2f}" for p in both))
    verdicts = "".join(" " * (10 - len(p.verdict)) + word(p.verdict, color) for p in both)
    lines.append(f"{'verdict':<12}{verdicts}")
    again = evidence.line(audit, skill)
    lines += wrap(again, width, "") if again else []
    lines += _unchecked(audit, width)
    return joined(lines)


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
    lines = [paint(counted(count, "finding"), BOLD, color)]
    for group in groups:
        lines += _group_lines(group, cells or {}, width, color)
    return joined(lines)


def explain(
    step: str, table: Sequence[Argument], *, width: int = WIDTH, color: bool = False
) -> str:
    """Where each argument of a step came from, or would come from."""
    lines = [paint(step, BOLD, color)]
    if not table:
        lines.append("  takes no arguments")
    name = max((len(a.name) for a in table), default=0)
    for argument in table:
        value = f" = {short(argument.value, 60)}" if argument.known else ""
        by = f" (by {argument.by})" if argument.by in ("bind", "ref") else ""
        told = f"{argument.name:<{name}} <- {argument.told}{by}{value}"
        lines += wrap(told, width, "  ", name + 4)
        if argument.behind:
            lines += wrap(f"which came from {argument.behind}", width, " " * (name + 6))
    return joined(lines)


def result(spec: StepSpec, output: Any, checks: Sequence[Check] = (), *, width: int = WIDTH) -> str:
    """A plain call of a step: its result as a plain value, its invariants."""
    lines = [spec.id]
    pairs = fields(output)
    name = max((len(key) for key, _ in pairs), default=0)
    for key, item in pairs:
        lines += wrap(f"{key:<{name}}  {short(item, 160)}", width, "  ", name + 2)
    for check in checks:
        said = f": {check.message}" if check.message else ""
        told = "holds" if check.ok else f"does not hold{said}"
        lines += wrap(f"{'✓' if check.ok else '✗'} {check.name} {told}", width, "  ", 2)
    return joined(lines)


def trial(done: Trial, *, width: int = WIDTH, color: bool = False) -> str:
    """One case with its tick or cross."""
    mark = paint("✓", GREEN, color) if done.ok else paint("✗", RED, color)
    detail = f": {done.detail}" if done.detail else ""
    told = wrap(f"{done.label}{detail}", width - 2, "")
    return joined([f"{mark} {told[0]}", *(f"  {line}" for line in told[1:])])


def _title(audit: Audit, state: RunState | None, width: int, color: bool) -> str:
    version = f" {state.version}" if state is not None and state.version else ""
    run = f"run {audit.run}" if audit.run else "no run"
    told = " · ".join(
        f"{name} {word(each.verdict.upper(), color)} {each.score:.2f}"
        for name, each in headline.verdicts(audit)
    )
    head = f"{audit.skill}{version}, {run}, evidence {audit.level}"
    return joined([told, *wrap(head, width, "")])


def _step_lines(
    row: StepRow, name: int, left: int, width: int, *, beside: bool, color: bool
) -> list[str]:
    took = duration(row.us) if row.us is not None else "-"
    time = f"  {took:>7}" if width >= _TIMED else ""
    checks = f"{row.passed}/{len(row.declared)}" if row.declared else "-"
    status = word(row.status, color) + " " * (10 - len(row.status))
    line = f"{row.number:>3}  {one_line(row.id, name):<{name}}  {status}{time}  {checks:>6}"
    told = row.error or ", ".join(f"{key} {short(item, 40)}" for key, item in row.figures)
    if row.status == "stale":
        sources = dict.fromkeys(ref.partition("#")[0] for ref in row.stale_sources)
        told = f"{told}; changed since: {', '.join(sources)}"
    if not told:
        return [line]
    if not beside:
        return [line, *wrap(told, width, " " * 5)]
    first, *rest = wrap(told, width - left - 2, "")
    return [f"{line}  {first}", *(" " * (left + 2) + more for more in rest)]


def _unchecked(audit: Audit, width: int) -> list[str]:
    lines: list[str] = []
    for label, profile in (("strict", audit.strict), ("classic", audit.classic)):
        if profile.not_checked:
            told = "; ".join(profile.not_checked)
            lines += wrap(f"not checked ({label}): {told}", width, "", 2)
    return lines


def _group_lines(group: Group, cells: Mapping[str, int], width: int, color: bool) -> list[str]:
    style = RED if group.counts else DIM
    lines = [f"  {paint(group.code, style, color)} ({group.axis}{group.where})"]
    for finding in group.findings:
        place = _place(finding, cells)
        lines += wrap(f"{place}{finding.message}", width, "    ", 2)
        lines += wrap(f"Mend: {finding.mend}", width, " " * 6, 2) if finding.mend else []
    return lines


def _place(finding: Finding, cells: Mapping[str, int]) -> str:
    """The step and its cell, where the message does not begin with the step itself."""
    if finding.step is None:
        return ""
    cell = f"[cell {cells[finding.step]}] " if finding.step in cells else ""
    return cell if finding.message.startswith(finding.step) else f"{cell}{finding.step}: "
