"""An evaluation in GitHub Actions: step summary, annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.views import eval_grids as grids
from skills2_nb.views import eval_markdown
from skills2_nb.views import evaluation as said
from skills2_nb.views.evaluation import Evaluation
from skills2_nb.views.lines import clean

#: Bytes of a step summary; GitHub drops one of more than a mebibyte whole.
MOST_BYTES = 1_000_000
#: Annotations of one level that a step shows; the rest is dropped without a word.
MOST_ANNOTATIONS = 10
_CUT = "\n\nThe rest is left out, for GitHub takes no longer summary; the HTML report has it all.\n"


def summary(
    results: Mapping[str, Any],
    baseline: Mapping[str, Any] | None = None,
    journals: str = "",
    *,
    limit: int = MOST_BYTES,
) -> str:
    """The report as Markdown of at most ``limit`` bytes, cut at a line's end where it is longer.

    Nothing that a case, a prompt or a finding says is HTML or a link in it.
    """
    text = eval_markdown.report(results, baseline, journals)
    told = text.encode()
    if len(told) <= limit:
        return text
    kept = told[: max(limit - len(_CUT.encode()), 0)].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1].rstrip("\n") + _CUT


def annotate(
    results: Mapping[str, Any],
    files: Mapping[str, str] | None = None,
    lines: Mapping[tuple[str, str], int] | None = None,
    journals: str = "",
) -> str:
    """A workflow command a case that does not hold, and a warning a case that shows nothing.

    Where there are more than GitHub shows, the last one counts the others.

    Args:
        files: each skill's file of cases, as a path in the repository.
        lines: the line of each case in it, by skill and case.
        journals: the folder of the journals as the reader knows it.

    Returns:
        Lines to print on standard output; none for results with nothing to say.
    """
    made: list[str] = []
    for level, found in (("error", _failures(results, journals)), ("warning", _idle(results))):
        told = [_placed(each, files or {}, lines or {}) for each in found]
        if len(told) > MOST_ANNOTATIONS:
            more = f"and {len(told) - MOST_ANNOTATIONS + 1} more; the report names them all"
            told = [*told[: MOST_ANNOTATIONS - 1], ({}, more)]
        made += [command(level, message, **properties) for properties, message in told]
    return "".join(f"{line}\n" for line in made)


def command(level: str, message: str, **properties: object) -> str:
    """One workflow command with everything in it escaped that the runner would obey."""
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level}{f' {told}' if told else ''}::{_data(message)}"


_Found = tuple[str, str, str, str]


def _failures(results: Mapping[str, Any], journals: str) -> Iterator[_Found]:
    """Skill, case, title and message of each case that does not hold, and each other reason."""
    for each in said.skills(results):
        rows = [row for row in said.rows(each) if not row.ok]
        for row in rows:
            told = "\n".join(grids.faults(each, row, journals))
            yield each["skill"], row.case["case"], f"{each['skill']}: {row.name}", told
        if each["verdict"] != "pass" and not rows:
            yield each["skill"], "", f"{each['skill']}: {each['verdict']}", _why(each)


def _idle(results: Mapping[str, Any]) -> Iterator[_Found]:
    for each in said.skills(results):
        for name in each.get("undiscriminating", ()):
            told = f"{name} holds without a single step being called, and so shows nothing"
            yield each["skill"], name, f"{each['skill']}: {name}", told


def _why(evaluation: Evaluation) -> str:
    return "; ".join(evaluation["why"]) or said.summary(evaluation)


def _placed(
    found: _Found, files: Mapping[str, str], lines: Mapping[tuple[str, str], int]
) -> tuple[dict[str, object], str]:
    skill, case, title, message = found
    place: dict[str, object] = {}
    if skill in files:
        place["file"] = files[skill]
        if (skill, case) in lines:
            place["line"] = lines[skill, case]
    return {**place, "title": title}, message


def _data(text: object) -> str:
    # Line ends and tabs stay through `clean`; the runner reads the three below and nothing else.
    told = clean(str(text))
    return told.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: object) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
