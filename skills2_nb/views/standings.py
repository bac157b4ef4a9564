"""What a contract is worth, as a table: text, Markdown, HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skills2_nb.views.lines import BOLD, DIM, GREEN, RED, joined, paint, wrap
from skills2_nb.views.markdown import grid, plain
from skills2_nb.views.markup import Html, table, tag
from skills2_nb.views.page_style import SCOPE, sheet
from skills2_nb.views.values import clean

WIDTH = 80
#: What the first two versions score follows from the formula, and is said wherever they stand.
FORMULA = (
    "The prose calls no step and is answered with itself, so it has all anchor terms and nothing "
    "else: 0.25 x 1. Stubs are all called in order and prove nothing: 0.25 + 0.40 x 0.7 = 0.53. "
    "Both follow from the formula once the answers are fixed; only the contract's figure had to "
    "be earned."
)
#: What the two come to with the usual weights.
_USUAL: Mapping[str, float] = {"v1": 0.25, "stubs": 0.53}
VERSIONS: Mapping[str, str] = {
    "v1": "v1, the prose alone",
    "stubs": "stubs, read from it",
    "contract": "the contract",
}
_HEADS = ("cases", "held", "classic", "strict")
Row = Mapping[str, Any]


def formula(rows: Sequence[Row]) -> str:
    """Where the first two figures come from; empty where a skill has weights of its own."""
    seen = [(row["classic"], _USUAL[row["version"]]) for row in rows if row["version"] in _USUAL]
    usual = all(made is not None and abs(made - said) < 0.005 for made, said in seen)
    return FORMULA if usual else ""


def text(rows: Sequence[Row], *, width: int = WIDTH, color: bool = False) -> str:
    """The rows for a terminal, a blank line between skills.

    Args:
        rows: as ``evals.standings`` makes them; with ``case`` in each for single cases.
    """
    names = [_name(row) for row in rows]
    left = max([len(name) for name in names] + [12]) + 2
    heads = "".join(f"{head:>9}" for head in _HEADS)
    lines = [paint(f"{'':{left}}{heads}", BOLD, color)]
    before = ""
    for row, name in zip(rows, names, strict=True):
        if _group(row) != before:
            before = _group(row)
            lines += ["", paint(before, BOLD, color)]
        told = "".join(f"{cell:>9}" for cell in _cells(row))
        lines.append(f"{name:<{left}}" + paint(told, _style(row), color))
    return joined(["", *lines, "", *wrap(formula(rows), width, "")])


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a pipe table, and where the first two figures come from."""
    single = any("case" in row for row in rows)
    heads = ["skill", *(["case"] if single else []), "version", *_HEADS]
    lines = [
        [
            plain(str(row["skill"])),
            *([plain(str(row["case"]))] if single else []),
            VERSIONS[row["version"]],
            *_cells(row),
        ]
        for row in rows
    ]
    return f"{grid(heads, lines)}\n\n{formula(rows)}".rstrip("\n") + "\n"


def page(rows: Sequence[Row], title: str) -> str:
    """A whole HTML document: no script, no network."""
    return document(title, [rows_table(rows, title), tag("p", formula(rows), cls="mute")])


def rows_table(rows: Sequence[Row], caption: str) -> Html:
    """The rows as a part of a page, its caption for screen readers alone."""
    single = any("case" in row for row in rows)
    heads = ["skill", *(["case"] if single else []), "version", *_HEADS]
    body = [
        [
            row["skill"],
            *([row["case"]] if single else []),
            VERSIONS[row["version"]],
            *(_scored(cell, row) if at > 1 else cell for at, cell in enumerate(_cells(row))),
        ]
        for row in rows
    ]
    first = len(heads) - len(_HEADS)
    return table(caption, heads, body, hide_caption=True, numeric=range(first, len(heads)))


def symptoms_text(seen: Sequence[Row], *, width: int = WIDTH, color: bool = False) -> str:
    """Each symptom and what the three judges say of it, for a terminal."""
    lines = wrap(SYMPTOMS, width, "")
    for each in seen:
        code, verdict = each["contract"]["code"], each["contract"]["verdict"]
        lines += ["", paint(clean(each["symptom"]), BOLD, color)]
        lines += wrap(each["says"], width, "  ")
        for judge in ("prose", "output_checks"):
            lines.append(f"  {judge.replace('_', ' '):<15}{_passes(each[judge]['passes'], color)}")
        named = code or "missed"
        told = paint(named, GREEN if code else RED, color)
        lines.append(f"  {'contract':<15}{told} (verdict {verdict})")
        lines += [
            paint(line, DIM, color) for line in wrap(each["contract"]["message"], width, " " * 17)
        ]
    return joined(lines)


def symptoms_markdown(seen: Sequence[Row]) -> str:
    """The same as a pipe table."""
    heads = ["symptom", "what happens", "prose", "output checks", "contract", "verdict"]
    lines = [[plain(s["symptom"]), plain(s["says"]), *_judges(s, _coded)] for s in seen]
    return f"{grid(heads, lines)}\n\n{SYMPTOMS}\n"


def symptoms_page(seen: Sequence[Row], title: str) -> str:
    """The same as a whole HTML document."""
    heads = ["symptom", "what happens", "prose", "output checks", "contract", "verdict", "words"]
    body = [[s["symptom"], s["says"], *_judges(s, _marked), s["contract"]["message"]] for s in seen]
    made = table(title, heads, body, hide_caption=True)
    return document(title, [made, tag("p", SYMPTOMS, cls="mute")])


#: What the two judges beside the contract are.
SYMPTOMS = (
    "Prose: the answer has every anchor term, which is all that a skill of prose can be held to. "
    "Output checks: it has the figures of an honest run and a growth class and a dominant flow. "
    "Contract: the finding of the audit. An unsourced figure is named and lowers the score, and "
    "does not fail a run by itself."
)


def document(title: str, parts: Sequence[Any]) -> str:
    """A whole page with one heading, in the style of the pages of runs."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(sheet())),
    )
    main = tag("main", tag("section", parts))
    body = tag("body", tag("header", tag("h1", title)), main, cls=SCOPE)
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _group(row: Row) -> str:
    return clean(str(row["skill"]))


def _name(row: Row) -> str:
    version = VERSIONS[row["version"]]
    return f"  {clean(str(row['case']))}, {row['version']}" if "case" in row else f"  {version}"


def _cells(row: Row) -> tuple[str, str, str, str]:
    return (
        str(row["cases"]),
        f"{row['pass_rate']:.0%}",
        _score(row["classic"]),
        _score(row["strict"]),
    )


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _style(row: Row) -> str:
    return GREEN if row["version"] == "contract" and row["pass_rate"] == 1 else ""


def _scored(cell: str, row: Row) -> Html:
    good = row["version"] == "contract" and row["pass_rate"] == 1
    return tag("span", cell, cls="good word" if good else None)


def _passes(passes: bool, color: bool) -> str:
    return paint("passes", RED, color) if passes else paint("objects", GREEN, color)


def _judges(each: Row, coded: Callable[[str], Any]) -> list[Any]:
    told: list[Any] = [
        "passes" if each[judge]["passes"] else "objects" for judge in ("prose", "output_checks")
    ]
    code, verdict = each["contract"]["code"], each["contract"]["verdict"]
    return [*told, coded(code) if code else "misses", verdict]


def _coded(code: str) -> str:
    return f"`{code}`"


def _marked(code: str) -> Html:
    return tag("span", tag("code", code), cls="good nowrap")
