"""``skills2 triggers``: when Claude is told of a skill."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import SETTINGS, LazyGroup, verb
from skills2_nb.cli.guard import say
from skills2_nb.cli.screen import put, put_json
from skills2_nb.cli.values import read_text
from skills2_nb.cli.verbs import VERBS

if TYPE_CHECKING:
    from skills2_nb.library.index_bytes import Listed
    from skills2_nb.library.labelled import Outcome
    from skills2_nb.library.triggered import Evidence, Explained

#: So many entries are shown that came near and gave nothing.
_NEAR = 3

triggers = LazyGroup(
    "triggers",
    verb=VERBS["triggers"],
    short_help=VERBS["triggers"].says,
    context_settings=SETTINGS,
    help=(
        "Say when Claude is told of a skill, and why.\n\n"
        "The hooks hold each prompt against an index of every skill's triggers. "
        "docs/triggers.md has the rule."
    ),
)


@verb("triggers test")
@click.argument("prompt", required=False)
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@click.option("--prompts", metavar="FILE", help="Score labelled prompts (JSON Lines) instead.")
@click.option("--split", metavar="NAME", help="Of FILE, only the lines of this split.")
def testing(
    prompt: str | None,
    skills: tuple[str, ...],
    prompts: str | None,
    split: str | None,
    as_json: bool,
) -> None:
    """Say which skills PROMPT calls for, and what made each score.

    Left out, the skills are those of the index that count in this folder, as
    the hooks see them. A SKILL that is named is read from its package or
    notebook, and needs no index. With --prompts every word is a SKILL, and
    precision and recall are told of each.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.library.triggered import explained

    if prompts is not None:
        _score(prompts, split, [word for word in (prompt, *skills) if word], as_json=as_json)
        return
    if split is not None:
        raise UsageError("--split belongs to --prompts FILE")
    if prompt is None:
        raise UsageError("give a PROMPT in quotes, or --prompts FILE")
    with _skills(skills) as known:
        found = explained(known, prompt)
    if as_json:
        put_json({"prompt": prompt, "skills": [item.to_dict() for item in found]})
    else:
        put("\n".join(_told(found, everything=bool(skills))))


@verb("triggers list")
def listing(as_json: bool) -> None:
    """List the skills of the index, and whether each counts in this folder.

    A skill of a project counts in that project alone; one whose folder is
    gone counts nowhere.
    """
    from skills2_nb.library.index import index_folder, stale

    count, rest = _indexed()
    behind = stale()
    if as_json:
        rows = [_row(skill, here=True) for skill in count] + [_row(s, here=False) for s in rest]
        put_json({"index": index_folder(), "stale": behind, "skills": rows})
        return
    put("\n".join(_listing(count, rest)))
    if behind:
        say("The index is older than the skills; make it anew: skills2 triggers refresh")


@verb("triggers refresh")
def refreshing(as_json: bool) -> None:
    """Make the index anew of every package, those of this folder too.

    Export, install and the server keep it up to date by themselves; this is
    for packages that came by other ways.
    """
    from skills2_nb.library.index import index_folder, refresh

    done = refresh([Path.cwd()], whole=True)
    for fault in done.faults:
        say(f"{fault.name} has no triggers: {fault.message}")
    if as_json:
        put_json(
            {
                "index": index_folder(),
                "changed": done.changed,
                "skills": list(done.skills),
                "faults": [
                    {"skill": f.name, "folder": str(f.folder), "message": f.message}
                    for f in done.faults
                ],
            }
        )
    else:
        number = len(done.skills)
        put(f"{number} {'skill' if number == 1 else 'skills'} in {index_folder()}")


@contextlib.contextmanager
def _skills(words: Sequence[str]) -> Iterator[list[Listed]]:
    """The skills named, their packages open; without a word those of the index."""
    if not words:
        yield _indexed()[0]
        return
    from skills2_nb.evals.proof import opened
    from skills2_nb.library.discovery import find
    from skills2_nb.library.index_bytes import listed

    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(opened(find(word))) for word in dict.fromkeys(words)]
        yield [listed(folder, "") for folder in folders]


def _indexed() -> tuple[list[Listed], list[Listed]]:
    from skills2_nb.errors import UnreadableError
    from skills2_nb.library.index import index_folder
    from skills2_nb.library.triggered import here

    try:
        return here(index_folder(), os.getcwd())  # noqa: PTH109  # as a hook is told it
    except (OSError, ValueError, IndexError):
        raise UnreadableError(
            f"there is no index of triggers in {index_folder()}; make it: skills2 triggers "
            "refresh, or name a SKILL"
        ) from None


def _told(found: list[Explained], *, everything: bool) -> Iterator[str]:
    if not found:
        yield "The index has no skill that counts here; read this folder: skills2 triggers refresh"
    for item in found:
        if not (everything or item.evidence):
            continue
        mark = "told" if item.is_told else "not told"
        yield click.style(f"{item.skill.name}  {item.score:.2f}", bold=True) + (
            f" of {item.skill.threshold:g}: {mark}" + (f", {item.reason}" if item.reason else "")
        )
        telling = [part for part in item.evidence if part.gives or _denies(part)]
        rest = [part for part in item.evidence if part not in telling]
        for part in [*telling, *rest[:_NEAR]]:
            yield _evidence(part)
        if len(rest) > _NEAR:
            yield f"  -         and {len(rest) - _NEAR} more of which a word stands there (--json)"
    quiet = sum(not item.evidence for item in found)
    if quiet and not everything:
        others = ("other" if quiet < len(found) else "skill") + ("" if quiet == 1 else "s")
        yield f"{quiet} {others}: no word of {'it' if quiet == 1 else 'them'} stands in the prompt"


def _evidence(part: Evidence) -> str:
    from skills2_nb.views.values import one_line

    gives = f"+{part.gives:.2f}" if part.gives else "taken out" if _denies(part) else "-"
    unit, gap = ("words", " ") if part.is_plain else ("parts", ", ")
    found = one_line(gap.join(part.found), 48)
    share = f"{len(set(part.found))} of {len(set(part.words))} {unit}: {found}"
    how = share if not part.occurs else "occurs" if part.is_plain else f"occurs: {found}"
    return f"  {gives:<9} {part.kind:<8} {one_line(part.text, 48)!r} ({how})"


def _denies(part: Evidence) -> bool:
    return part.kind == "not" and part.occurs


def _row(skill: Listed, *, here: bool) -> dict[str, Any]:
    return {
        "skill": skill.name,
        "folder": skill.folder,
        "project": skill.root,
        "here": here,
        "threshold": skill.threshold,
        "phrases": len(skill.entries.phrases),
        "keywords": len(skill.entries.keywords),
        "not": len(skill.entries.negatives),
    }


def _listing(count: list[Listed], rest: list[Listed]) -> Iterator[str]:
    if not count and not rest:
        yield "The index holds no skill. Make it anew: skills2 triggers refresh"
        return
    from skills2_nb.install.clients import Machine
    from skills2_nb.install.diff import place

    machine = Machine.here()
    name = max(len("skill"), *(len(skill.name) for skill in (*count, *rest)))
    yield click.style(f"{'skill':<{name}}  here  needs  phrases  keywords  not  where", bold=True)
    for skill in sorted((*count, *rest), key=lambda skill: (skill.name, skill.root)):
        row = _row(skill, here=skill in count)
        where = place(Path(skill.folder), machine)
        yield (
            f"{skill.name:<{name}}  {'yes' if row['here'] else 'no':<4}  {skill.threshold:<5g}  "
            f"{row['phrases']:>7}  {row['keywords']:>8}  {row['not']:>3}  {where}"
        )


def _score(file: str, split: str | None, words: list[str], *, as_json: bool) -> None:
    from skills2_nb.errors import UsageError
    from skills2_nb.library.labelled import outcomes, parse

    labels = [
        label for label in parse(read_text(file), file) if split is None or label.split == split
    ]
    with _skills(words) as skills:
        names = {skill.name for skill in skills}
    strange = sorted({label.skill for label in labels} - names)
    if words:  # a set for many skills may be held against one of them
        labels = [label for label in labels if label.skill in names]
    elif strange:
        raise UsageError(f"{file} speaks of {', '.join(strange)}, and the index has no such skill")
    if not labels:
        raise UsageError(f"{file} holds no prompt of {', '.join(sorted(names)) or 'any skill'}")
    found = outcomes(skills, labels)
    if as_json:
        put_json(_scored(found))
    else:
        put("\n".join(_scores(found)))


def _scored(found: list[Outcome]) -> dict[str, Any]:
    from skills2_nb.library.labelled import Tally, tallies

    counted = tallies(found)
    wrong = [item for item in found if item.told != item.label.should]
    return {
        "all": sum(counted.values(), Tally()).to_dict(),
        "skills": {name: tally.to_dict() for name, tally in counted.items()},
        "mistakes": [
            {"skill": item.label.skill, "prompt": item.label.prompt, "told": item.told}
            for item in wrong
        ],
    }


def _scores(found: list[Outcome]) -> Iterator[str]:
    from skills2_nb.library.labelled import Tally, tallies
    from skills2_nb.views.values import one_line

    counted = tallies(found)
    width = max(len("skill"), *(len(name) for name in counted))
    yield click.style(f"{'skill':<{width}}  precision  recall  told  prompts", bold=True)
    for name, tally in [*counted.items(), ("all", sum(counted.values(), Tally()))]:
        told = tally.right + tally.wrong
        number = told + tally.missed + tally.quiet
        yield (
            f"{name:<{width}}  {_share(tally.precision):>9}  {_share(tally.recall):>6}  "
            f"{told:>4}  {number:>7}"
        )
    for item in found:
        if item.told != item.label.should:
            what = "told" if item.told else "not told"
            yield f"  {item.label.skill} {what}: {one_line(item.label.prompt, 60)}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
