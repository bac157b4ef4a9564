"""What ``eval`` does: plan, execute, report."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from skills2_nb.cli.eval_bar import Bar
from skills2_nb.cli.screen import place
from skills2_nb.errors import SetupError, UsageError
from skills2_nb.evals import outfolder, parameters
from skills2_nb.evals.chosen import Chosen
from skills2_nb.evals.comparable import OWN, earlier
from skills2_nb.evals.evaluation import Settings, gathered
from skills2_nb.evals.executed import UNPROVEN, Executed, worst
from skills2_nb.evals.play import RUNNERS
from skills2_nb.evals.suite import Job, executed
from skills2_nb.formats.files import write_atomic
from skills2_nb.formats.package import read_package
from skills2_nb.library.discovery import Target

#: Where the notebook lies below a repository, and in the wheel.
_NOTEBOOK = Path("notebooks") / "evals" / "skill.ipynb"
_BUNDLED = Path("cli") / "sample" / "evals" / "skill.ipynb"
#: Parameters that the command sets by itself, and by which option the others are set.
_OWN = {"skill": "name the skill as an argument", "out": "use --out", "only": "use --case, --tag"}
Targets = Mapping[str, tuple[str, Target]]


@dataclass(frozen=True)
class Plan:
    """An eval as it was asked for.

    Attributes:
        targets: the word and the skill, by the name of its folder in ``out``.
        notebook: what is executed for each.
        given: the parameters that are the same for each.
        settings: the same as the kit reads them.
    """

    targets: Targets
    notebook: Path
    given: Mapping[str, Any]
    settings: Settings
    out: Path
    junit: Path | None = None
    jobs: int | None = None
    timeout: int | None = None

    @classmethod
    def made(
        cls,
        targets: Targets,
        words: tuple[str, ...],
        *,
        notebook: Path | None,
        out: Path,
        junit: Path | None,
        jobs: int | None,
        timeout: int | None,
        cases: tuple[str, ...],
        tags: tuple[str, ...],
        splits: tuple[str, ...],
        **options: Any,
    ) -> Plan:
        """The plan of a command line.

        Raises:
            UsageError: a parameter is unknown or wrong.
            UnreadableError: the notebook is none, or takes other parameters.
        """
        _check_out(out, targets)
        source = notebook or _notebook()
        known = parameters.read(source)
        more = parameters.given(words, known)
        for name in more.keys() & _OWN.keys():
            raise UsageError(f"-p {name} is not for you to set; {_OWN[name]}")
        asked = {name: known[name] if said is None else said for name, said in options.items()}
        only = str(Chosen(cases, tags, splits)) or known["only"] or ""
        given = {**asked, "only": only, **more}
        if given["runner"] not in RUNNERS:
            raise UsageError(
                f"there is no runner {given['runner']!r}; it is one of {', '.join(RUNNERS)}"
            )
        is_replay = given["runner"] == "replay"
        if is_replay:
            given["recorded"] = given["recorded"] or str(out)
        elif given["recorded"]:
            raise UsageError("--from names the runs that --runner replay judges; add it")
        settings = Settings(
            given["runner"],
            given["profile"],
            given["threshold"],
            given["trials"],
            versions=not is_replay,
        )
        return cls(targets, source, given, settings, out, junit, jobs, timeout)

    @property
    def keeps(self) -> bool:
        """Whether the runs in ``out`` are what is judged anew."""
        recorded = self.given.get("recorded")
        return recorded is not None and Path(recorded).resolve() == self.out.resolve()

    def compared(self) -> dict[str, Any] | None:
        """The baselines of all skills; None where there is none.

        Raises:
            UnreadableError, UsageError: one is no baseline.
        """
        named = self.given.get("baseline")
        own = [target.path / OWN for _, target in self.targets.values()]
        return earlier([Path(named)] if named else [path for path in own if path.is_file()])


def run(plan: Plan) -> tuple[dict[str, Any], int]:
    """Evaluate every skill and write results.json.

    When it is interrupted, what was finished is written, and the rest as not proven.

    Returns:
        results.json and the exit code: that of the worst skill.
    """
    outfolder.prepare(plan.out, keep=plan.keeps)
    done = dict.fromkeys(plan.targets, Executed(UNPROVEN, ("the eval was interrupted",)))
    try:
        with tempfile.TemporaryDirectory(prefix="skills2-eval-") as scratch:
            jobs = [_job(plan, name, Path(scratch)) for name in plan.targets]
            with Bar(jobs) as bar:
                for job, came in executed(jobs, _at_once(plan), bar.tell):
                    done[job.name] = _own(plan, job.name, came)
                    bar.ended(job)
    finally:
        told = [outfolder.skill_of(name, each, plan.settings) for name, each in done.items()]
        results = gathered(told, version("skills2-nb"))
        outfolder.write(plan.out, results)
    return results, worst([each.code for each in done.values()])


def _own(plan: Plan, name: str, came: Executed) -> Executed:
    """What a notebook says of the skill it was asked about; of another one it proves nothing."""
    target = plan.targets[name][1]
    if came.evaluation is None or target.kind != "package":
        return came
    wanted, seen = read_package(target.path).manifest.name, came.evaluation.get("skill")
    if seen == wanted:
        return came
    told = f"the notebook's audit is of the skill {seen!r}, and {wanted!r} was asked for"
    return Executed(UNPROVEN, (told,))


def reports(plan: Plan, results: Mapping[str, Any]) -> Path:
    """Write the page and the JUnit file, and tell GitHub where it listens.

    Returns:
        The page.
    """
    from skills2_nb.views import eval_page, github, junit

    compared, page = plan.compared(), plan.out / outfolder.REPORT
    write_atomic(page, eval_page.page(results, compared).encode())
    text = junit.document(results, place(plan.out)).encode()
    for path in filter(None, (plan.out / outfolder.JUNIT, plan.junit)):
        write_atomic(path, text)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(github.summary(results, compared, place(plan.out)))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        files, lines = _sources(plan, results)
        click.echo(github.annotate(results, files, lines, place(plan.out)), err=True, nl=False)
    return page


def _check_out(out: Path, targets: Targets) -> None:
    """See that nothing is written into what is evaluated: it would be another package each time.

    Raises:
        UsageError: the folder lies in a package.
    """
    for _, target in targets.values():
        if target.kind == "package" and out.resolve().is_relative_to(target.path):
            raise UsageError(
                f"{place(out)} lies in the package {place(target.path)}, which every eval would "
                "change; name a folder outside of it with --out"
            )


def _job(plan: Plan, name: str, scratch: Path) -> Job:
    folder = outfolder.folder_of(plan.out, name, keep=plan.keeps)
    said = {**plan.given, "skill": plan.targets[name][0], "out": str(folder)}
    given = {key: said[key] for key in sorted(said, key=_order)}
    seen = scratch / f"{name}.jsonl"
    return Job(name, plan.notebook, folder, given, seen, plan.timeout)


def _order(name: str) -> int:
    """The place in the notebook's own cell; the parameters of another notebook come last."""
    return parameters.NAMES.index(name) if name in parameters.NAMES else len(parameters.NAMES)


def _at_once(plan: Plan) -> int:
    if plan.jobs is not None:
        return plan.jobs
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _notebook() -> Path:
    """The eval notebook: that of the repository around the working folder, else the kit's own.

    Raises:
        SetupError: the install lacks it.
    """
    import skills2_nb

    here = Path.cwd()
    package = Path(skills2_nb.__file__).parent
    places = [folder / _NOTEBOOK for folder in (here, *here.parents)]
    places += [package / _BUNDLED, package.parent / _NOTEBOOK]
    for path in places:
        if path.is_file():
            return path
    raise SetupError(
        "this install lacks the notebook of evals; install skills2-nb again from its wheel, or "
        "name one with --notebook"
    )


def _sources(
    plan: Plan, results: Mapping[str, Any]
) -> tuple[dict[str, str], dict[tuple[str, str], int]]:
    """The file of each skill's cases, and the line of each case, for annotations."""
    files: dict[str, str] = {}
    lines: dict[tuple[str, str], int] = {}
    pairs = zip(plan.targets.values(), results["skills"], strict=True)
    for (_, target), told in pairs:
        cases = target.path / "evals" / "cases.jsonl"
        files[told["skill"]] = place(cases if cases.is_file() else target.path)
        if cases.is_file():
            for number, line in enumerate(cases.read_text("utf-8").split("\n"), 1):
                with contextlib.suppress(ValueError, TypeError, KeyError):
                    lines[told["skill"], json.loads(line)["id"]] = number
    return files, lines
