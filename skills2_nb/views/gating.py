"""What a gate prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.views.lines import BOLD, GREEN, RED, WIDTH, YELLOW, counted, joined, paint, wrap

#: A decision over skills, and one skill of it: the values of ``gate --json``.
Gate = Mapping[str, Any]
Decided = Mapping[str, Any]
_STYLES = {"pass": GREEN, "fail": RED, "inconclusive": YELLOW}
_MARKS = {"fail": ("✗", RED), "inconclusive": ("?", YELLOW), "note": ("·", "")}
#: Columns of a cell that says how something stood: at least, and at most.
_SHORT, _LONG = 7, 22


def text(gate: Gate, *, width: int = WIDTH, color: bool = False) -> str:
    """Every skill with what changed and why, then the decision.

    Args:
        gate: ``{"decision", "skills": [...]}``.
        width: columns.
    """
    lines: list[str] = []
    for decided in gate["skills"]:
        lines += [*_skill(decided, width, color), ""]
    word = str(gate["decision"])
    over = counted(len(gate["skills"]), "skill")
    lines.append(f"{paint(word, _STYLES[word], color)}: {over} compared with the baseline.")
    return joined(lines)


def table(decided: Decided, *, width: int = WIDTH, color: bool = False) -> str:
    """What of a skill is not as it was: a row a change, before and after."""
    changes = decided["changes"]
    if not changes:
        return ""
    before = _width("before", [change["before"] for change in changes], width)
    after = _width("after", [change["after"] for change in changes], width)
    room = max(width - before - after - 10, _SHORT)
    head = f"     {'what':<{room}}  {'before':<{before}}  {'after':<{after}}"
    lines = [paint(head.rstrip(), BOLD, color)]
    for change in changes:
        mark, style = _MARKS[change["level"]]
        cells = zip(
            (_cell(change["about"], room), _cell(change["before"], before)),
            (room, before),
            strict=True,
        )
        row = "  ".join(f"{cell:<{columns}}" for cell, columns in cells)
        lines.append(f"  {paint(mark, style, color)}  {row}  {_cell(change['after'], after)}")
    return joined(lines)


def _skill(decided: Decided, width: int, color: bool) -> Iterator[str]:
    word, before = str(decided["decision"]), decided["before"]
    against = f"baseline {before}" if before is not None else "no baseline"
    yield (
        f"{paint(decided['skill'], BOLD, color)} {decided['version']} ({against}): "
        f"{paint(word, _STYLES[word], color)}"
    )
    yield from wrap(_how(decided), width, "  ", 2)
    yield from table(decided, width=width, color=color).splitlines()
    reasons = [c for c in decided["changes"] if c["level"] != "note"]
    notes = [c for c in decided["changes"] if c["level"] == "note"]
    for title, changes in (("Why", reasons), ("Also", notes)):
        if changes:
            yield paint(f"  {title}:", BOLD, color)
        for change in changes:
            yield from wrap(f"{change['message']}.", width, "    ", 2)


def _how(decided: Decided) -> str:
    """How the cases were compared."""
    told = []
    if decided["exact"]:
        told.append(f"{counted(decided['exact'], 'case')}: deterministic, one trial, no interval.")
    seen = decided["trials"]
    if seen is not None:
        now = seen["now"]
        told.append(
            f"{now['passes']} of {now['trials']} trials hold: {now['rate']:.2f}, "
            f"95% interval {now['low']:.2f} to {now['high']:.2f} (Wilson)"
        )
        if seen["p"] is not None:
            pairs = counted(seen["pairs"], "case")
            told.append(f"paired sign-flip test over {pairs}: p = {seen['p']:.3f}.")
    return " ".join(told) or "No case was played."


def _width(head: str, cells: list[str], width: int) -> int:
    """As wide as its widest cell, and never more than a good quarter of the line."""
    most = max(min(_LONG, (width - 8) // 3), _SHORT)
    return min(max(len(head), _SHORT, *(len(cell) for cell in cells)), most)


def _cell(said: str, columns: int) -> str:
    line = " ".join(wrap(said, 10_000, "")).strip()
    return line if len(line) <= columns else f"{line[: columns - 1]}…"
