"""What the invariants of a skill notice, made visible."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from skills2_nb.audit.weakness import FieldStrength, InvariantStrength, StepStrength
from skills2_nb.views import markdown, tables
from skills2_nb.views.fragment import card
from skills2_nb.views.markup import Html, join, table, tag
from skills2_nb.views.render import Bundle
from skills2_nb.views.values import clean, counted, one_line

WIDTH = 80
_BOLD, _RED, _GREEN, _YELLOW, _DIM = "1", "31", "32", "33", "2"
#: Columns at the left of the words beside a heading such as ``unnoticed``.
_HANG = 16
#: A blank that no line is broken at.
_GLUE = "\u00a0"


def bundle(skill: str, steps: Sequence[StepStrength], over: str) -> Bundle:
    """All forms a notebook may ask for.

    Args:
        skill: its name.
        steps: what was measured, step by step.
        over: what it was measured over, such as ``run 2026…`` or ``3 cases``.
    """
    return Bundle(
        {
            "text/plain": text(skill, steps, over),
            "text/markdown": marked(skill, steps, over),
            "text/html": str(fragment(skill, steps, over)),
        }
    )


def headline(skill: str, steps: Sequence[StepStrength]) -> str:
    """The whole in one sentence."""
    invariants = [item for step in steps for item in step.invariants]
    effective = sum(item.effective for item in invariants)
    fields = [item for step in steps for item in step.fields if item.report]
    checked = sum(item.killed > 0 for item in fields)
    return (
        f"{skill}: {effective} of {counted(len(invariants), 'invariant')} effective, "
        f"{checked} of {counted(len(fields), 'report field')} checked"
    )


def basis(steps: Sequence[StepStrength], over: str) -> str:
    """How many mutants the figures rest on, and of what."""
    made, calls = sum(step.made for step in steps), sum(step.calls for step in steps)
    return f"{counted(made, 'mutant')} of {counted(calls, 'call')}: {over}."


def text(
    skill: str,
    steps: Sequence[StepStrength],
    over: str,
    *,
    width: int = WIDTH,
    color: bool = False,
) -> str:
    """Every step with its invariants, its fields, and what went unnoticed.

    Args:
        width: columns to wrap at, 40 or more.
        color: whether to colour; callers honour ``NO_COLOR`` and pipes.

    Returns:
        Text that ends with a line end.
    """
    paint = _paint if color else _plain
    lines = [
        *(paint(line, _BOLD) for line in _wrap(one_line(headline(skill, steps)), width, "")),
        *_wrap(one_line(basis(steps, over)), width, ""),
        "",
    ]
    longest = max((len(item.name) for step in steps for item in step.invariants), default=0)
    for step in steps:
        lines += _step(step, longest, width, color)
    if any(_reported(step) for step in steps):
        lines += ["", paint("* report field", _DIM)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def fragment(skill: str, steps: Sequence[StepStrength], over: str) -> Html:
    """The same for a notebook: one table by step and invariant, one of what went unnoticed."""
    weak = [step for step in steps if _remarks(step)]
    return card(
        tag("div", tag("strong", headline(skill, steps)), cls="head"),
        tag("p", basis(steps, over), cls="mute"),
        _invariants(steps),
        _unnoticed(weak) if weak else None,
        _fields(steps),
    )


def marked(skill: str, steps: Sequence[StepStrength], over: str) -> str:
    """The same as Markdown with pipe tables; ends with a line end."""
    body = [
        [
            f"`{step.step}`",
            markdown.plain(item.name),
            f"{item.killed}/{item.made}",
            _verdict(step, item),
        ]
        for step in steps
        for item in step.invariants
    ]
    told = [
        f"- `{step.step}`: {markdown.plain(f'{head} {words}')}"
        for step in steps
        for head, words, _ in _remarks(step)
    ]
    parts = [
        f"**{markdown.plain(headline(skill, steps))}**",
        markdown.plain(basis(steps, over)),
        markdown.grid(["step", "invariant", "killed", ""], body),
        "\n".join(told),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _step(step: StepStrength, longest: int, width: int, color: bool) -> list[str]:
    paint = _paint if color else _plain
    tone = _RED if step.is_weak else _YELLOW if _is_half(step) else _GREEN
    told = f"{step.effective} of {len(step.invariants)} effective"
    room = width - len(told) - 7
    name = one_line(step.step, room)
    lines = [f"{step.order:>3}  {name:<{room}}  {paint(told, tone)}"]
    for item in step.invariants:
        mark = paint("✓", _GREEN) if item.effective else paint("✗", tone)
        share = f"{item.killed}/{item.made}"
        label = one_line(item.name, width - 17)
        lines.append(f"     {mark} {label:<{min(longest, width - 17)}}  {share:>7}")
        if item.killed and not item.effective:
            lines.append("       notices a truth value alone")
    for side, head in (("output", "output"), ("inputs", "inputs")):
        shares = [_share(item) for item in step.fields if item.side == side]
        if shares:
            lines += _labelled(head, ", ".join(shares), width, paint(head, _DIM))
    for head, words, bad in _remarks(step):
        painted = paint(head, _RED if bad else _YELLOW)
        lines += _labelled(head, one_line(words), width, painted)
    return lines


def _remarks(step: StepStrength) -> list[tuple[str, str, bool]]:
    """What is to be said of a step beside its figures: heading, words, whether it is bad."""
    told = [
        ("unchecked", f"report field {n}: no invariant notices another value.", True)
        for n in step.unchecked
    ]
    if step.reason:
        told.append(("not measured", f"{step.reason}.", step.required))
    if step.unread:
        told.append(
            ("unread", f"{', '.join(step.unread)}: no invariant of the step looks there.", False)
        )
    return [*told, *(("unnoticed", words, False) for words in step.survivors)]


def _share(item: FieldStrength) -> str:
    return f"{one_line(item.name)}{'*' if item.report else ''}{_GLUE}{item.killed}/{item.made}"


def _verdict(step: StepStrength, item: InvariantStrength) -> str:
    if item.effective:
        return "effective"
    if item.killed:
        return "not effective: notices a truth value alone"
    return "not effective" if step.calls else "not measured"


def _is_half(step: StepStrength) -> bool:
    return bool(step.reason) or step.effective < len(step.invariants)


def _reported(step: StepStrength) -> bool:
    return any(item.report for item in step.fields)


def _invariants(steps: Sequence[StepStrength]) -> Html:
    body = []
    for step in steps:
        for at, item in enumerate(step.invariants):
            tone = "good" if item.effective else "bad" if step.calls else "warn"
            word = f"{'✓' if item.effective else '✗'} {_verdict(step, item)}"
            place = tables.name(step.step) if at == 0 else tag("span", step.step, cls="unseen")
            share = f"{item.killed} of {item.made}"
            badge = tag("span", word, cls=f"word {tone}")
            body.append([place, tables.name(item.name), share, badge])
        if not step.invariants:
            tone = "bad" if step.required else "mute"
            body.append([tables.name(step.step), tag("span", "none", cls=tone), "–", ""])
    heads = ["step", "invariant", "mutants refused", "verdict"]
    return table("Invariants", heads, body, numeric=(2,))


def _fields(steps: Sequence[StepStrength]) -> Html:
    body = [
        [tables.name(step.step), _shares(step, "output"), _shares(step, "inputs")]
        for step in steps
        if step.fields
    ]
    made = table("Fields", ["step", "output", "inputs"], body, hide_caption=True)
    return tag("details", tag("summary", "Mutants noticed, by field (report fields in bold)"), made)


def _shares(step: StepStrength, side: str) -> Html:
    shown = [item for item in step.fields if item.side == side]
    told = []
    for at, item in enumerate(shown):
        tone = ("bad" if item.report else "warn") if item.is_unchecked and side == "output" else ""
        name = tag("strong", item.name) if item.report else item.name
        said = tag("span", " (report)", cls="unseen") if item.report else None
        share = f" {item.killed}/{item.made}{',' if at < len(shown) - 1 else ''}"
        told.append(tag("span", name, said, share, cls=f"pair {tone}".strip()))
    return join(told, " ")


def _unnoticed(steps: Sequence[StepStrength]) -> Html:
    body = []
    for step in steps:
        for head, words, bad in _remarks(step):
            tone = "bad" if bad else "warn"
            body.append(
                [tables.name(step.step), tag("span", head, cls=f"nowrap {tone}"), clean(words)]
            )
    return table("What goes unnoticed", ["step", "what", "where"], body)


def _labelled(head: str, words: str, width: int, painted: str) -> list[str]:
    lines = [line.replace(_GLUE, " ") for line in _wrap(words, width, " " * (_HANG + 5))]
    first = lines[0][5 + _HANG :] if lines else ""
    pad = " " * max(_HANG - len(head) - 2, 1)
    return [f"       {painted}{pad}{first}", *lines[1:]]


def _wrap(words: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        words,
        max(width, len(indent) + 16),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _paint(words: str, style: str) -> str:
    return f"\x1b[{style}m{words}\x1b[0m"


def _plain(words: str, _: str) -> str:
    return words
