"""An audit as Markdown, for summaries and README files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.views import evidence, headline
from skills2_nb.views.findings import grouped
from skills2_nb.views.notes import taken
from skills2_nb.views.rows import MARKS, StepRow, rows
from skills2_nb.views.tables import VERDICTS
from skills2_nb.views.values import counted, duration, one_line, short

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit

_AXES = ("score", "coverage", "consistency", "anchoring")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&@!])")


def audit(
    audit: Audit,
    skill: Skill | None = None,
    state: RunState | None = None,
    *,
    cells: Mapping[str, int] | None = None,
) -> str:
    """An audited run: verdict, scores, findings, steps.

    Args:
        skill: the skill as judged; without it the table of steps is left out.
        state: the run's state, None where there was no run.
        cells: the notebook's cell number of each step.

    Returns:
        Markdown with pipe tables that ends with a line end. No HTML is in it, and none gets in.
    """
    again = plain(evidence.line(audit, skill) or "")
    parts = [_head(audit), _scores(audit), again, _unchecked(audit), _findings(audit, cells or {})]
    if skill is not None:
        parts.append(_steps(rows(skill, state, audit.steps), audit))
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    """``text`` on one line with nothing in it that Markdown would obey."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("://", ":\u200b//")


def grid(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A pipe table; cells are Markdown already."""
    made = [heads, ["---"] * len(heads), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in made)


def _head(audit: Audit) -> str:
    run = f"run {audit.run}" if audit.run else "no run"
    told = " · ".join(
        f"{VERDICTS[each.verdict][0]} {name} {each.verdict} {each.score:.2f}"
        for name, each in headline.verdicts(audit)
    )
    facts = f"{plain(audit.skill)}, {plain(run)}, evidence {plain(audit.level)}"
    return f"**{told}** ({facts})"


def _scores(audit: Audit) -> str:
    both = (audit.strict, audit.classic)
    lines = [[key, *(f"{getattr(profile, key):.2f}" for profile in both)] for key in _AXES]
    lines.append(["verdict", *(f"**{profile.verdict}**" for profile in both)])
    return grid(["", "strict", "classic"], lines)


def _unchecked(audit: Audit) -> str:
    told = []
    for name, profile in (("strict", audit.strict), ("classic", audit.classic)):
        if profile.not_checked:
            told.append(f"Not checked ({name}): {'; '.join(map(plain, profile.not_checked))}.")
    return "\n\n".join(told)


def _findings(audit: Audit, cells: Mapping[str, int]) -> str:
    lines = []
    for group in grouped(audit):
        for finding in group.findings:
            cell = cells.get(finding.step or "")
            place = f" (cell {cell})" if cell is not None else ""
            step = f"{plain(finding.step)}{place}" if finding.step else "the run"
            mend = f" *Mend:* {plain(finding.mend)}" if finding.mend else ""
            code = f"{plain(finding.code)}{'' if group.counts else ' (note)'}"
            lines.append([code, step, f"{plain(finding.message)}{mend}"])
    if not lines:
        return ""
    heads = ["code", "step", "what, and what to do"]
    return f"**{counted(len(lines), 'finding')}**\n\n{grid(heads, lines)}"


def _steps(table: Sequence[StepRow], audit: Audit) -> str:
    views = {view.step: view for view in audit.steps}
    lines = [
        [
            str(row.number),
            plain(row.id),
            f"{MARKS[row.status]} {row.status}",
            "–" if row.us is None else plain(duration(row.us)),
            f"{row.passed}/{len(row.declared)}" if row.declared else "none",
            plain(taken(row, views.get(row.id), table) or "–"),
            plain(row.error or ", ".join(f"{key} {short(it, 40)}" for key, it in row.figures)),
        ]
        for row in table
    ]
    heads = ["#", "step", "status", "time", "invariants", "took", "result"]
    return grid(heads, lines) if lines else ""
