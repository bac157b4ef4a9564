"""The tables that a cell and a page share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skills2_nb.contract.state import Check
from skills2_nb.views.findings import grouped
from skills2_nb.views.headline import verdicts
from skills2_nb.views.markup import Html, esc, join, table, tag
from skills2_nb.views.notes import Note, typed_notes
from skills2_nb.views.rows import MARKS, TONES, Argument, StepRow
from skills2_nb.views.values import (
    Head,
    counted,
    digest,
    duration,
    exact,
    head_of,
    is_scalar,
    number,
    one_line,
    records_of,
    short,
    withheld,
)

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Audit
    from skills2_nb.audit.sourcing import Argument as Judged
    from skills2_nb.audit.steps import StepView

#: Characters of one value that a page shows; the rest is named by its digest.
LONG = 400
_MOST_ROWS = 8
_MOST_ITEMS = 24
#: Characters of a name that is never broken, and of one that is broken where room is short.
_SHORT_NAME, _LONG_NAME = 19, 64
VERDICTS: Mapping[str, tuple[str, str]] = {
    "pass": ("✓", "good"),
    "fail": ("✗", "bad"),
    "unproven": ("?", "warn"),
    "tampered": ("✗", "bad"),
}
_AXES = ("score", "coverage", "consistency", "anchoring")
_REMARKS: Mapping[str, tuple[str, str]] = {
    "sourced": ("mute", "typed, and equal to a value that the run knows"),
    "unvouched": ("warn", "known from what the client alone vouches for"),
    "unsourced": ("bad", "✗ typed, and from nowhere the run knows"),
    "retyped": ("bad", "✗ typed, where the run offers another value"),
    "rewired": ("bad", "✗ a reference to another value than the one the run offers"),
}
Link = Callable[[str], Html]


def verdict(word: str) -> Html:
    """A verdict as a badge, with its mark."""
    mark, tone = VERDICTS[word]
    return tag("span", f"{mark} {word}", cls=f"badge {tone}")


def headline(audit: Audit) -> Html:
    """Both verdicts as badges, each with its profile's name and score."""
    badges = []
    for name, each in verdicts(audit):
        mark, tone = VERDICTS[each.verdict]
        told = f"{mark} {name} {each.verdict} {each.score:.2f}"
        badges.append(tag("span", told, cls=f"badge {tone}"))
    return tag("span", join(badges, " "), cls="verdicts")


def status(row: StepRow) -> Html:
    """A step's status with its mark."""
    return tag("span", f"{MARKS[row.status]} {row.status}", cls=f"word {TONES[row.status]}")


def scores(audit: Audit) -> Html:
    """Both profiles by axis, each score as a number beside its bar."""
    both = (audit.strict, audit.classic)
    rows = [[key, *(bar(getattr(profile, key)) for profile in both)] for key in _AXES]
    rows.append(["verdict", *(verdict(profile.verdict) for profile in both)])
    return table("Scores", ["", "strict", "classic"], rows, cls="scores")


def bar(score: float) -> Html:
    """A score from 0 to 1 as a bar for the eye and a number for everybody."""
    width = f"width:{max(0.0, min(1.0, score)) * 100:.0f}%"
    return join(
        [
            tag("span", tag("span", style=width), cls="bar", aria_hidden="true"),
            tag("span", f"{score:.2f}", cls="n"),
        ]
    )


def unchecked(audit: Audit) -> Html | None:
    """What was not checked, profile by profile."""
    told = []
    for name, profile in (("strict", audit.strict), ("classic", audit.classic)):
        if profile.not_checked:
            said = f"{'; '.join(profile.not_checked)}."
            told.append(tag("p", tag("strong", f"Not checked ({name}): "), said))
    return tag("div", told, cls="unchecked") if told else None


def steps(
    rows: Sequence[StepRow],
    link: Link,
    judged: Sequence[StepView] = (),
    *,
    hide_caption: bool = False,
) -> Html:
    """The steps of a run, one row each.

    Args:
        judged: the audit's steps: what was typed stands at each, with what is against it.
    """
    views = {view.step: view for view in judged}
    body = [
        [
            row.number,
            link(row.id),
            status(row),
            "–" if row.us is None else duration(row.us),
            f"{row.passed} of {len(row.declared)}" if row.declared else "none",
            _outcome(row, typed_notes(row, views.get(row.id), rows)),
        ]
        for row in rows
    ]
    heads = ["#", "step", "status", "time", "invariants", "result"]
    return table("Steps", heads, body, numeric=(0, 3), hide_caption=hide_caption, cls="steps")


def findings(
    audit: Audit, link: Link, cells: Mapping[str, int] | None = None
) -> list[list[list[Html | None]]]:
    """What was found as rows of :func:`findings_table`, what counts first."""
    body: list[list[list[Html | None]]] = []
    for group in grouped(audit):
        tone = "mono nowrap bad" if group.counts else "mono nowrap"
        axis = tag("span", f" {group.axis}{group.where}", cls="mute")
        code = tag("span", group.code, cls=tone)
        for finding in group.findings:
            mend = tag("div", f"Mend: {finding.mend}") if finding.mend else None
            place = _place(finding.step, link, cells or {})
            body.append([[code, axis, place], [tag("div", finding.message), mend]])
    return body


def findings_table(
    rows: Sequence[Sequence[Any]], caption: Any, *, hide_caption: bool = False
) -> Html:
    """The rows of :func:`findings` under their heads."""
    return table(caption, ["finding", "what, and what to do"], rows, hide_caption=hide_caption)


def arguments(
    rows: Sequence[Argument],
    link: Link,
    caption: Any,
    judged: Mapping[str, Judged] | None = None,
) -> Html:
    """Where each argument came from.

    Args:
        judged: what the audit says of each argument, where there was one.
    """
    body = [
        [
            name(row.name),
            _taken(row),
            [source(row, link), _by(row), _remark((judged or {}).get(row.name), link)],
        ]
        for row in rows
    ]
    return table(caption, ["argument", "value", "from"], body)


def source(row: Argument, link: Link) -> Html:
    """The source of an argument, as a link where it is a reference."""
    if not row.origin or not row.known:
        return tag("span", row.told)
    whole = tag("span", ", the whole result", cls="mute") if row.source.endswith("#") else None
    return join([link(row.source.removesuffix("#")), whole])


def name(text: str) -> Html:
    """A name as code that may break after its underscores and its ``#/``."""
    if len(text) <= _SHORT_NAME:
        return tag("code", text, cls="nowrap")
    told = Html(esc(text).replace("_", "_<wbr>").replace("#/", "#/<wbr>"))
    return tag("code", told, cls="id" if len(text) <= _LONG_NAME else None)


def checks(declared: Sequence[str], seen: Sequence[Check]) -> Html | None:
    """The invariants with their outcomes; those never asked are named too."""
    if not declared and not seen:
        return None
    asked = {check.name: check for check in seen}
    names = dict.fromkeys([*declared, *asked])
    return tag("ul", [_check(name, asked.get(name)) for name in names], cls="checks")


def fields(
    named: Sequence[tuple[str, Any]], caption: Any, *, head: str = "field", **options: Any
) -> Html:
    """Named values, such as the fields of a result; options are those of ``markup.table``."""
    body = [[name(key), value(item)] for key, item in named]
    return table(caption, [head, "value"], body, **options)


def value(item: Any) -> Html:
    """A plain value: tables by size and head, small lists of records as tables, text as text."""
    kept = withheld(item)
    if kept is not None:
        return tag("span", f"not kept here, sha256 {kept[:12]}…", cls="mute")
    head = head_of(item)
    if head is not None:
        return _head(head)
    if is_scalar(item):
        return _scalar(item)
    records = records_of(item)
    if records is not None:
        return _records(*records)
    if isinstance(item, dict) and item and all(map(_is_part, item.values())):
        pairs = [[tag("code", key), _part(part)] for key, part in item.items()]
        return table("parts", ["part", "value"], pairs, hide_caption=True, cls="inner")
    return _part(item)


def _place(step: str | None, link: Link, cells: Mapping[str, int]) -> Html:
    if step is None:
        return tag("div", "the run as a whole", cls="mute")
    cell = tag("span", f"cell {cells[step]}", cls="mute nowrap") if step in cells else None
    return tag("div", link(step), " ", cell)


def _outcome(row: StepRow, notes: Sequence[Note]) -> list[Any]:
    typed = [tag("div", note.text, cls=note.tone, title=note.title) for note in notes]
    if row.error:
        return [tag("span", row.error, cls="bad"), typed]
    last = len(row.figures)
    told: list[Any] = [
        tag("span", tag("code", name), f" {short(item, 40)}{',' * (at < last)}", cls="pair")
        for at, (name, item) in enumerate(row.figures, 1)
    ]
    made: list[Any] = [join(told, " "), *typed]
    if row.stale_sources:
        changed = ", ".join(dict.fromkeys(ref.partition("#")[0] for ref in row.stale_sources))
        made.append(tag("div", f"stands on what has changed since: {changed}", cls="warn"))
    return made


def _taken(row: Argument) -> Html:
    """An argument's value; a whole result in short, for its own section has it in full."""
    if not row.known:
        return tag("span", "not yet known", cls="mute")
    if isinstance(row.value, dict) and head_of(row.value) is None and withheld(row.value) is None:
        return tag("span", short(row.value, 120))
    return value(row.value)


def _remark(judged: Judged | None, link: Link) -> Html | None:
    """What an audit says of an argument that was typed."""
    if judged is None:
        return None
    offer = [": ", link(judged.offer)] if judged.offer else None
    tone, told = _REMARKS.get(judged.sourced, ("", ""))
    return tag("div", told, offer, cls=tone) if told else None


def _is_part(item: Any) -> bool:
    return is_scalar(item) or (isinstance(item, list) and all(map(is_scalar, item)))


def _part(item: Any) -> Html:
    if is_scalar(item):
        return _scalar(item)
    told = short(item, LONG) if isinstance(item, list) and len(item) <= _MOST_ITEMS else ""
    return _long(told if told.startswith("[") else exact(item), item)


def _by(row: Argument) -> list[Html]:
    by = {"bind": "by bind", "ref": "by reference"}.get(row.by or "")
    made = [tag("div", by, cls="mute")] if by else []
    if row.behind:
        made.append(tag("div", f"which came from {row.behind}", cls="mute"))
    return made


def _check(name: str, check: Check | None) -> Html:
    if check is None:
        return tag("li", tag("span", "○ ", cls="mute"), tag("code", name), " not asked")
    mark, tone, word = ("✓", "good", "holds") if check.ok else ("✗", "bad", "does not hold")
    said = f": {check.message}" if check.message else ""
    return tag("li", tag("span", f"{mark} ", cls=tone), tag("code", name), f" {word}{said}")


def _scalar(item: Any) -> Html:
    if isinstance(item, str):
        return _long(exact(item), item) if item else tag("span", "empty text", cls="mute")
    told = number(item) if isinstance(item, float) else short(item)
    full = exact(item)
    return tag("span", told, cls="num", title=full if full != told else None)


def _long(text: str, item: Any) -> Html:
    if len(text) <= LONG:
        return tag("span", text, cls="text")
    rest = f"… {counted(len(text), 'character')} in all, sha256 {digest(item)}…"
    return join([tag("span", text[:LONG], cls="text"), tag("span", rest, cls="mute")])


def _head(head: Head) -> Html:
    stored = f", sha256 {head.digest[:12]}…" if head.digest else ""
    told = tag("div", tag("strong", str(head)), tag("span", stored, cls="mute"))
    if not head.head or not head.columns:
        return told
    name = f"The first {len(head.head)} of {counted(head.rows, 'row')}"
    rows = [[one_line(short(cell, 40)) for cell in row] for row in head.head]
    return join([told, table(name, head.columns, rows, cls="inner", hide_caption=True)])


def _records(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Html:
    shown = [[short(cell, 40) for cell in row] for row in rows[:_MOST_ROWS]]
    made = table(counted(len(rows), "row"), names, shown, cls="inner", hide_caption=True)
    more = len(rows) - len(shown)
    rest = tag("div", f"and {counted(more, 'row')} more", cls="mute") if more else None
    return join([made, rest])
