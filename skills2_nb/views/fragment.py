"""What a notebook shows under a cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check, RunState
from skills2_nb.views import evidence, exporting, tables
from skills2_nb.views.answer import legend, marked
from skills2_nb.views.markup import Html, table, tag
from skills2_nb.views.rows import Argument, rows
from skills2_nb.views.theme import style
from skills2_nb.views.values import counted, shown

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.contract.trial import Trial
    from skills2_nb.convert.exporter import Export
    from skills2_nb.formats.problem import Problem

SCOPE = "s2v"
_MOST_FINDINGS = 8
_LAYOUT = """
§{padding:10px 14px;border:1px solid var(--s2-line);border-radius:6px;max-width:1000px;\
margin:4px 0;box-sizing:border-box;container-type:inline-size;\
contain-intrinsic-inline-size:640px}
§>*+*{margin-top:14px!important}
§>style+*{margin-top:0!important}
§ .head{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
§ .head strong{font-size:15px}
§ .checks{list-style:none}
§ .checks li{margin:0}
§ .pair{display:inline-block}
§ .inner{font-size:12px;margin-top:2px}
§ .legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 20px;font-size:12px;\
color:var(--s2-mute);margin-top:6px}
§ .answer{padding:8px 12px;background:var(--s2-soft);border-left:3px solid var(--s2-line)}
§ details>*+*{margin-top:8px}
§ p.label{font-weight:600;font-size:13px;margin-bottom:4px}
"""


def result(
    spec: StepSpec, inputs: Mapping[str, Any], output: Any, checks: Sequence[Check] = ()
) -> Html:
    """A plain call of a step: its result, its inputs, its invariants.

    Args:
        inputs: the typed arguments.
        output: the typed result; tables are shown by size and head and are not stored.
    """
    kept = shown(output)
    named = list(kept.items()) if isinstance(kept, dict) and "$table" not in kept else None
    declared = tables.checks([check.name for check in checks], checks)
    given = [(name, shown(item)) for name, item in inputs.items()]
    return card(
        _head(tag("strong", spec.id), tag("span", spec.summary, cls="mute")),
        tables.fields(named if named is not None else [("result", kept)], "Result"),
        _labelled("Invariants", declared or tag("span", "none declared", cls="warn")),
        _folded("Inputs", tables.fields(given, "Inputs", hide_caption=True)) if given else None,
    )


def audit(
    audit: Audit,
    skill: Skill | None = None,
    state: RunState | None = None,
    *,
    cells: Mapping[str, int] | None = None,
) -> Html:
    """An audited run, its verdict first.

    Args:
        skill: the skill as judged; without it the table of steps is left out.
        state: the run's state, None where there was no run.
        cells: the notebook's cell number of each step.
    """
    run = f"run {audit.run}" if audit.run else "no run"
    told = f"{audit.skill}, {run}, evidence {audit.level}"
    there = audit.answer is not None
    again = evidence.line(audit, skill)
    return card(
        _head(tables.headline(audit), tag("strong", told)),
        tables.scores(audit),
        tag("p", again) if again else None,
        tables.unchecked(audit),
        _findings(audit, cells),
        _answer(audit) if there else None,
        tables.steps(rows(skill, state, audit.steps), _plain, audit.steps)
        if skill is not None
        else None,
    )


def problems(found: Iterable[Problem], *, file: str | None = None) -> Html:
    """Lint problems as a table, or one line that says there are none."""
    listed = list(found)
    name = f"{file}: " if file else ""
    if not listed:
        return card(tag("span", f"✓ {name}no problems", cls="word good"))
    body = [
        [
            [tag("span", p.code, cls="mono nowrap"), tag("div", _level(p.level))],
            _place(p, file),
            [p.message, tag("div", f"Mend: {p.mend}") if p.mend else None],
        ]
        for p in listed
    ]
    heads = ["code", "where", "what, and what to do"]
    return card(table(f"{name}{exporting.tally(listed)}", heads, body))


def explain(step: str, arguments: Sequence[Argument]) -> Html:
    """Where each argument of a step came from, or would come from."""
    if not arguments:
        return card(tag("strong", step), tag("p", "takes no arguments"))
    return card(tables.arguments(arguments, _plain, f"Arguments of {step}"))


def trial(done: Trial) -> Html:
    """One case with its tick or cross."""
    mark, tone, word = ("✓", "good", "holds") if done.ok else ("✗", "bad", "does not hold")
    detail = tag("span", f": {done.detail}", cls="mute" if done.ok else tone)
    said = tag("span", word, cls="unseen")
    line = [tag("span", f"{mark} ", cls=f"word {tone}"), said, " ", tag("code", done.label)]
    return _scoped("div", tag("p", line, detail if done.detail else None), f"{SCOPE} line")


def exported(done: Export, *, folder: str | None = None) -> Html:
    """What an export did, or with a check would do, and how many problems it has.

    Args:
        folder: the folder as the reader knows it.
    """
    body = [[tag("code", name), verb] for verb, names in exporting.moves(done) for name in names]
    files = table("Files", ["file", "what"], body, hide_caption=True)
    told = f"{folder or done.folder}: {exporting.change(done)}"
    return card(
        _head(tag("strong", told if done.checked else f"✓ {told}")),
        _folded("Files", files) if body else None,
        tag("p", exporting.tally(done.problems)) if done.problems else None,
    )


def card(*parts: Any) -> Html:
    """Parts one below the other, with the style sheet they need."""
    return _scoped("div", list(parts), SCOPE)


def sheet() -> Html:
    """The style sheet of everything that has the class of cards."""
    told = style(SCOPE) + _LAYOUT.replace("§", f".{SCOPE}.{SCOPE}")
    line = f".{SCOPE}.line{{padding:0 4px;border:0;margin:0}}\n"
    return tag("style", Html(told + line))


def _scoped(name: str, inside: Any, cls: str) -> Html:
    return tag(name, sheet(), inside, cls=cls)


def _plain(name: str) -> Html:
    return tables.name(name)


def _head(*parts: Any) -> Html:
    return tag("div", list(parts), cls="head")


def _labelled(name: str, part: Any) -> Html:
    return tag("div", tag("p", name, cls="label"), part)


def _folded(name: str, part: Any) -> Html:
    return tag("details", tag("summary", name), part)


def _answer(audit: Audit) -> Html:
    return tag(
        "div",
        tag("p", "Answer", cls="label"),
        marked(audit.answer or "", audit.values),
        legend(audit.values),
    )


def _findings(audit: Audit, cells: Mapping[str, int] | None) -> list[Html]:
    """The first findings in the open, the rest folded away."""
    made = tables.findings(audit, _plain, cells)
    if len(made) <= _MOST_FINDINGS:
        return _found(made, counted(len(made), "finding"))
    rest = counted(len(made) - _MOST_FINDINGS, "more finding")
    told = f"The first {_MOST_FINDINGS} of {counted(len(made), 'finding')}"
    more = tables.findings_table(made[_MOST_FINDINGS:], rest, hide_caption=True)
    return [*_found(made[:_MOST_FINDINGS], told), _folded(rest, more)]


def _found(rows: Sequence[Sequence[Any]], caption: str) -> list[Html]:
    return [tables.findings_table(rows, caption)] if rows else []


def _level(word: str) -> Html:
    tone = {"error": "bad", "warning": "warn"}.get(word, "mute")
    return tag("span", word, cls=f"nowrap {tone}")


def _place(problem: Problem, file: str | None) -> list[Any]:
    told = []
    if problem.file and problem.file != file:
        told.append(tag("div", problem.file))
    if problem.cell is not None:
        told.append(tag("div", f"cell {problem.cell}", cls="nowrap"))
    if problem.line is not None:
        told.append(tag("div", f"line {problem.line}", cls="nowrap"))
    return told
