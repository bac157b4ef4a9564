"""``list`` and ``show``: skills as they lie on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import aside, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.cli.sheet import Sheet


@verb("list")
def list_skills(as_json: bool) -> None:
    """List the skills in ./skills, ./.claude/skills and ~/.claude/skills.

    The first folder that has a name wins. Nothing of a skill is run to
    list it; `skills2 doctor` also loads them.
    """
    from skills2_nb.cli.sheet import glance
    from skills2_nb.library.discovery import listed, places

    found = [glance(target) for target in listed()]
    if as_json:
        put_json({"skills": [item.to_dict() for item in found]})
    elif not found:
        looked = ", ".join(str(place) for place in places())
        put(f"No skills in {looked}.\nMake one: skills2 new weekly-numbers")
    else:
        put("\n".join(_listing(found)))


@verb("show")
@click.argument("skill")
def show(skill: str, as_json: bool) -> None:
    """Show what SKILL promises.

    Its steps in order, with what they stand on, what is checked and what
    an answer must report; the inputs a run starts from; anchors and cases.
    """
    from skills2_nb.cli.sheet import sheet
    from skills2_nb.library.discovery import find

    with aside():
        made = sheet(find(skill))
    if as_json:
        put_json(made.to_dict())
    else:
        put("\n".join(_page(made)))


def _listing(found: list[Any]) -> Iterator[str]:
    name = max(len("skill"), *(len(item.name) for item in found))
    yield click.style(f"{'skill':<{name}}  {'version':<8} {'steps':>5}  where", bold=True)
    for item in found:
        yield f"{item.name:<{name}}  {item.version:<8} {item.steps:>5}  {item.place}"
        for fault in item.faults:
            yield from _wrapped(fault, "    ")


def _page(made: Sheet) -> Iterator[str]:
    yield click.style(f"{made.name} {made.version}", bold=True) + f"  {made.place}"
    yield from _wrapped(made.description, "")
    yield from _section("Faults", [line for fault in made.faults for line in _wrapped(fault, "  ")])
    yield from _section("Steps", [line for step in made.steps for line in _step(step)])
    yield from _section("Inputs of a run", _inputs(made))
    yield from _section("Anchors", _wrapped(", ".join(made.anchors), "  "))
    yield from _section("Cases", [line for case in made.cases for line in _case(case)])


def _section(title: str, lines: list[str]) -> list[str]:
    lines = [line for line in lines if line.strip()]
    return ["", click.style(title, bold=True), *lines] if lines else []


def _step(step: dict[str, Any]) -> Iterator[str]:
    note = "" if step["required"] else " (only when due)" if step["when"] else " (optional)"
    stub = " [stub]" if step["stub"] else ""
    yield f"  {step['number']:>2}  {click.style(step['id'], bold=True)}{note}{stub}"
    yield from _wrapped(step["summary"], " " * 6)
    for label in ("requires", "invariants", "report", "effects"):
        if step[label]:
            yield from _wrapped(f"{label}: {', '.join(step[label])}", " " * 6)


def _inputs(made: Sheet) -> list[str]:
    name = max((len(item["name"]) for item in made.inputs), default=0)
    return [
        f"  {item['name']:<{name}}  {item['type']}{'' if item['required'] else ', has a default'}"
        f"  (for {', '.join(item['steps'])})"
        for item in made.inputs
    ]


def _case(case: dict[str, Any]) -> Iterator[str]:
    from skills2_nb.views.values import one_line

    yield f"  {case['id']}: {one_line(case['says'], max(width() - len(case['id']) - 4, 20))}"


def _wrapped(text: str, indent: str) -> list[str]:
    import textwrap

    from skills2_nb.views.values import clean

    return textwrap.wrap(
        clean(text),
        width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
