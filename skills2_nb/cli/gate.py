"""``gate``: whether an evaluation may go on, by its baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.guard import GOOD, REFUSED, UNPROVEN
from skills2_nb.cli.screen import has_color, place, put, put_json, typed, width

if TYPE_CHECKING:
    from skills2_nb.evals.gate import Decision
    from skills2_nb.evals.kept import Kept

_CODES = {"pass": GOOD, "fail": REFUSED, "inconclusive": UNPROVEN}


@verb("gate")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The baseline of all skills; left out: skills/<name>/evals/baseline.json of each.",
)
@click.option("--accept", is_flag=True, help="Write the baseline from these results.")
@click.option(
    "--because",
    metavar="TEXT",
    help="Accept even results that fail; the reason is kept in the baseline.",
)
@click.option("--ablate", is_flag=True, help="Fail on cases that the null arm passes too.")
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="RATE",
    help="The pass rate that trials must show where chance has a part; left out: 0.80.",
)
def gate(
    results: Path,
    baseline: Path | None,
    accept: bool,
    because: str | None,
    ablate: bool,
    rate: float | None,
    as_json: bool,
) -> None:
    """Hold RESULTS, a results.json or the folder of an eval, against a baseline.

    Shows what changed and decides: a case that held must hold, nothing may
    ask for less than before, and a new version needs a pass. --accept writes
    the baseline; commit it with the change that it accepts.

    Exit code: 0 pass, 1 fail, 2 results or baseline that cannot be read,
    3 inconclusive, also where there is no baseline yet.
    """
    from skills2_nb.errors import UsageError
    from skills2_nb.evals import baseline as file
    from skills2_nb.evals.gate import Rules
    from skills2_nb.evals.gate import gate as gated
    from skills2_nb.evals.statistics import RATE

    if because is not None and not (accept and because.strip()):
        raise UsageError("--because says why results are accepted; add --accept and a reason")
    now = file.results(results)
    places = {each.skill: baseline or _own(each.skill) for each in now}
    before = {name: file.read(path).get(name) for name, path in places.items()}
    known = {name: kept for name, kept in before.items() if kept is not None}
    if baseline and not accept:
        known = file.read(baseline)
        places = {**dict.fromkeys(known, baseline), **places}
    decisions = gated(now, known, Rules(ablate, RATE if rate is None else rate))
    if accept:
        _accept(now, decisions, places, because, as_json=as_json)
        return
    _told(now, decisions, places, results, as_json=as_json)


def _own(name: str) -> Path:
    return Path("skills") / name / "evals" / "baseline.json"


def _told(
    now: Sequence[Kept],
    decisions: Sequence[Decision],
    places: Mapping[str, Path],
    results: Path,
    *,
    as_json: bool,
) -> None:
    """Show the decisions, and leave by the worst of them."""
    from skills2_nb.evals.gate import unfit, worst
    from skills2_nb.views import gating

    word = worst(decisions)
    value = _value(word, decisions, places)
    if as_json:
        put_json(value)
    else:
        put(gating.text(value, width=width(), color=has_color()))
        if not decisions:
            put(f"{place(results)} holds no skill, an empty capture: nothing was evaluated.")
        if word != "pass":
            reason = ' --because "..."' if any(map(unfit, now)) else ""
            accept = f"skills2 gate {typed(results)} --accept{reason}"
            put(f"Mend what is named, or accept it: {accept}")
    click.get_current_context().exit(_CODES[word])


def _value(word: str, decisions: Sequence[Decision], places: Mapping[str, Path]) -> dict[str, Any]:
    skills = [{**each.to_dict(), "baseline": place(places[each.skill])} for each in decisions]
    return {"decision": word, "skills": skills}


def _accept(
    now: Sequence[Kept],
    decisions: Sequence[Decision],
    places: Mapping[str, Path],
    because: str | None,
    *,
    as_json: bool,
) -> None:
    """Write the baselines and show what they change; all of them or none.

    Raises:
        RefusedError: the results fail, and no reason was given.
        UsageError: a skill has no folder here.
    """
    from skills2_nb.evals import baseline as file

    _check(now, places, because)
    reasons = {each.skill: (because or "").strip() for each in now}
    fresh = {each.skill: replace(each, reason=reasons[each.skill]) for each in now}
    by_path: dict[Path, dict[str, Kept]] = {}
    for name, path in places.items():
        by_path.setdefault(path, file.read(path))[name] = fresh[name]
    written = [path for path, kept in by_path.items() if file.read(path) != kept]
    for path in written:
        file.write(path, by_path[path])
    if as_json:
        skills = _value("pass", decisions, places)["skills"]
        put_json({"written": [place(path) for path in written], "skills": skills})
        return
    _shown(decisions)
    for path, kept in by_path.items():
        told = ", ".join(f"{each.skill} {each.version}" for each in kept.values())
        put(f"{'Wrote' if path in written else 'Unchanged:'} {place(path)}: {told}.")


def _check(now: Sequence[Kept], places: Mapping[str, Path], because: str | None) -> None:
    from skills2_nb.errors import RefusedError, UsageError
    from skills2_nb.evals.gate import unfit

    if not now:
        raise RefusedError("the results hold no skill, so there is nothing to accept")
    wrong = [f"{each.skill}: {why}" for each in now for why in unfit(each)]
    broken = [each.skill for each in now if each.broken]
    if broken or (wrong and because is None):
        mend = "Mend the skill" if broken else "Mend it, or say why with --because TEXT"
        raise RefusedError(f"the results are not fit for a baseline: {wrong[0]}. {mend}.")
    for name, path in places.items():
        if path == _own(name) and not path.parent.parent.is_dir():
            raise UsageError(f"there is no {path.parent.parent} here; name the file by --baseline")


def _shown(decisions: Sequence[Decision]) -> None:
    """What the new baseline takes for good, skill by skill."""
    from skills2_nb.views import gating

    for each in decisions:
        told = gating.table(each.to_dict(), width=width(), color=has_color())
        if each.before is not None and told:
            put(f"{each.skill}: what is accepted\n{told}")
