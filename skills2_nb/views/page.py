"""One page of a run, from each figure back to its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.views import evidence, headline, tables
from skills2_nb.views.answer import STATUSES, legend, linked
from skills2_nb.views.flow import picture
from skills2_nb.views.markup import Html, table, tag
from skills2_nb.views.page_style import sheet
from skills2_nb.views.rows import StepRow, rows, strangers
from skills2_nb.views.steps import Targets, section
from skills2_nb.views.values import counted, short

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit

_PARTS: Sequence[tuple[str, str]] = (
    ("verdict", "Verdict"),
    ("question", "Question"),
    ("answer", "Answer"),
    ("findings", "Findings"),
    ("inputs", "Run inputs"),
    ("flow", "Flow of data"),
    ("steps", "Steps"),
    ("record", "Record"),
)
#: What a mark of the picture means, by the words of the picture that carry it.
_MARKS_TOLD: Mapping[str, str] = {
    "<rect": "A square is a value that the caller typed.",
    " missed": "A dotted arc is a value that was not taken, and should have been.",
    " old": "A dashed arc is a value that has changed since.",
}
_TONES: Mapping[str, str] = {"unsupported": "warn", "contradicted": "bad"}
#: What each evidence level adds to the one before it.
_LEVELS: Mapping[str, str] = {
    "L0": "the chain of hashes is whole",
    "L1": "each record bears the MAC of a key of this home",
    "L2": "a hook vouches for session and prompt",
}
#: Characters of a figure that stay on one line.
_BRIEF = 24
_VOUCHERS: Mapping[str, str] = {
    "hook": "vouched for by a hook that saw the prompt",
    "cli": "given on the command line",
    "case": "given by a case",
    "client": "given by the client, who alone vouches for it",
}


@dataclass(frozen=True)
class _Run:
    """All that the page is made of."""

    audit: Audit
    skill: Skill
    state: RunState | None
    rows: tuple[StepRow, ...]
    targets: Targets
    cells: Mapping[str, int]
    journal: str | None


def page(
    audit: Audit,
    skill: Skill,
    state: RunState | None,
    *,
    journal: str | None = None,
    cells: Mapping[str, int] | None = None,
    language: str = "en",
) -> str:
    """A whole HTML document: no script, no network, good in print and in both themes.

    Args:
        skill: the skill as judged.
        state: the run's state, None where there was no run.
        journal: the journal's path as the reader knows it.
        cells: the notebook's cell number of each step.
        language: of skill and answer, as a BCP 47 tag.

    Returns:
        The same bytes for the same arguments.
    """
    listed = rows(skill, state, audit.steps)
    inputs = tuple(state.inputs) if state is not None else ()
    run = _Run(audit, skill, state, listed, Targets(listed, inputs), cells or {}, journal)
    title = f"{audit.skill}: {headline.plain(audit)}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(sheet())),
    )
    body = tag("body", _skip(), _header(run), _nav(), tag("main", _sections(run)), cls="s2p")
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang=language)}\n"


def _sections(run: _Run) -> list[Html]:
    makers = (_verdict, _question, _answer, _findings, _inputs, _flow, _steps, _record)
    return [
        tag(
            "section",
            tag("h2", name, id=f"{id_}-title"),
            make(run),
            id=id_,
            aria_labelledby=f"{id_}-title",
        )
        for (id_, name), make in zip(_PARTS, makers, strict=True)
    ]


def _skip() -> Html:
    return tag("a", "Skip to the answer", href="#answer", cls="skip")


def _header(run: _Run) -> Html:
    state = run.state
    facts = [f"version {state.version}"] if state is not None and state.version else []
    facts.append(f"run {run.audit.run}" if run.audit.run else "no run")
    facts.append(f"evidence {run.audit.level}")
    return tag(
        "header",
        tag("h1", run.audit.skill, " ", tables.headline(run.audit)),
        tag("p", ", ".join(facts), cls="mute"),
    )


def _nav() -> Html:
    links = [tag("li", tag("a", name, href=f"#{id_}")) for id_, name in _PARTS]
    return tag("nav", tag("ul", links), aria_label="Contents")


def _verdict(run: _Run) -> list[Any]:
    audit = run.audit
    told = (
        f"Of the figures that the answer has to carry, {audit.recall:.0%} are in it; of the "
        f"figures in it, {audit.precision:.0%} come from the run (F1\u00a0{audit.f1:.2f})."
    )
    measured = tag("p", told) if audit.answer is not None and run.state is not None else None
    again = evidence.line(audit, run.skill)
    return [
        tables.scores(audit),
        measured,
        tag("p", again) if again else None,
        tables.unchecked(audit),
    ]


def _question(run: _Run) -> list[Any]:
    if run.state is None or run.state.prompt is None:
        return [tag("p", "No question was recorded.", cls="mute")]
    vouched = _VOUCHERS.get(run.state.vouched, run.state.vouched)
    return [
        tag("div", run.state.prompt, cls="text quote", id="prompt"),
        tag("p", f"Question and inputs: {vouched}.", cls="mute"),
    ]


def _answer(run: _Run) -> list[Any]:
    text, values = run.audit.answer, run.audit.values
    if text is None:
        return [tag("p", "There is no answer yet.", cls="mute")]

    def target(number: int) -> str:
        source = values[number].source
        place = run.targets.find(source) if source else None
        return place or f"figure-{number + 1}"

    return [linked(text, values, target), legend(values), _figures(run)]


def _figures(run: _Run) -> Html | None:
    values = run.audit.values
    if not values:
        return None
    body = []
    for value in values:
        source = run.targets.link(value.source) if value.source else tag("span", "–")
        known = "–" if value.source is None or value.value is None else short(value.value)
        figure = tag("span", value.text, cls="nowrap" if len(value.text) <= _BRIEF else None)
        body.append([figure, _standing(value.status), source, known])
    made = table(
        "Where each figure comes from",
        ["figure", "status", "source", "value there"],
        body,
        hide_caption=True,
        ids=[f"figure-{number}" for number in range(1, len(values) + 1)],
    )
    return tag("div", tag("h3", "Where each figure comes from"), made, cls="sources")


def _standing(status: str) -> list[Html]:
    """What a figure is; a narrow page leaves its meaning to the legend."""
    sign, meaning = STATUSES[status]
    word = tag("span", f"{sign} {status}".strip(), cls=f"nowrap {_TONES.get(status, '')}".strip())
    return [word, tag("span", f", {meaning}", cls="meaning")]


def _findings(run: _Run) -> Any:
    found = tables.findings(run.audit, run.targets.link, run.cells)
    if not found:
        return tag("p", "✓ Nothing was found.", cls="good")
    return tables.findings_table(found, counted(len(found), "finding"))


def _inputs(run: _Run) -> Any:
    if run.state is None or not run.state.inputs:
        return tag("p", "The run was given no inputs.", cls="mute")
    ids = [run.targets.input_id(name) for name in run.state.inputs]
    pairs = list(run.state.inputs.items())
    return tables.fields(pairs, "Inputs of the run", head="input", hide_caption=True, ids=ids)


def _flow(run: _Run) -> Any:
    if not any(row.arguments for row in run.rows):
        return tag("p", "No step took an argument.", cls="mute")
    drawn = picture(run.rows, run.targets.find, run.audit.steps)
    told = (
        "Each arc is one or more arguments, from the step that gave them to the one that took them."
    )
    marks = [text for word, text in _MARKS_TOLD.items() if word in drawn]
    return [tag("p", " ".join([told, *marks]), cls="mute"), tag("div", drawn, cls="wide")]


def _steps(run: _Run) -> list[Any]:
    judged = {view.step: view for view in run.audit.steps}
    made: list[Any] = [
        tables.steps(run.rows, run.targets.link, run.audit.steps, hide_caption=True)
        if run.rows
        else None
    ]
    made += [section(row, run.targets, judged.get(row.id), run.cells) for row in run.rows]
    unknown = strangers(run.skill, run.state)
    if unknown:
        named = ", ".join(dict.fromkeys(call.step for call in unknown))
        made.append(tag("p", f"Also called, and no step of this skill: {named}.", cls="warn"))
    return made


def _record(run: _Run) -> Html:
    pairs = [("evidence level", _evidence(run.audit)), ("what ran", run.audit.provenance)]
    state = run.state
    if state is not None:
        pairs += [
            ("journal", run.journal or "not named"),
            ("records", str(state.count)),
            ("head", state.head),
            ("package digest", state.digest or "none"),
            ("live sources", state.live or "none"),
            ("started", state.started),
            ("ended", _ended(state)),
            ("lines healed", str(len(state.healed))),
        ]
        pairs += [("note", text) for text in state.notes]
    entries = [[tag("dt", name), tag("dd", text, cls="text")] for name, text in pairs]
    return tag("dl", entries)


def _evidence(audit: Audit) -> str:
    """The level with all that it rests on, and those that hold above a gap."""
    names = list(_LEVELS)
    reached = names[: names.index(audit.level) + 1] if audit.level in names else []
    told = "; ".join(_LEVELS[name] for name in reached)
    above = [name for name in audit.held if name not in reached]
    also = f"; {', '.join(above)} by itself" if above else ""
    return f"{audit.level}{f': {told}' if told else ''}{also}"


def _ended(state: RunState) -> str:
    if state.ended is None:
        return "still open"
    return f"{state.ended.get('ts', '')} by {state.ended.get('by', 'nobody named')}"
