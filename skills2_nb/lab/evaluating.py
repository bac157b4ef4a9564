"""What the notebook of evals does: evaluate, then show.

``notebooks/evals/skill.ipynb`` is written for its reader. Each of its cells calls one thing here,
by hand in JupyterLab as under papermill.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.home import elsewhere
from skills2_nb.convert.exporter import export
from skills2_nb.errors import UsageError
from skills2_nb.evals.chosen import Chosen
from skills2_nb.evals.comparable import OWN, earlier
from skills2_nb.evals.evaluation import Settings, evaluate
from skills2_nb.evals.play import RUNNERS
from skills2_nb.evals.progress import teller
from skills2_nb.evals.replayed import HOME, Recorded, bring, recorded
from skills2_nb.formats.package import read_package
from skills2_nb.lab import evaluating_parts as parts
from skills2_nb.library.discovery import Target, find
from skills2_nb.views.render import AUDIT_MIMETYPE, Bundle


@dataclass(frozen=True)
class Report:
    """An evaluation, to be shown part by part.

    Attributes:
        told: the evaluation as one skill of results.json.
        place: the folder whose ``home`` keeps the runs.
        baseline: an earlier evaluation of the skill, else None.
        printed: what the skill printed meanwhile.
    """

    told: Mapping[str, Any]
    place: Path
    baseline: Mapping[str, Any] | None = None
    printed: str = ""

    @property
    def journals(self) -> str:
        """The folder of the journals."""
        return (self.place / HOME / "runs").as_posix()

    def verdict(self) -> Any:
        """The verdict, the score, and what stands in the way of a pass."""
        return _views().gauge(self.told)

    def axes(self) -> Any:
        """The score by axis."""
        return _views().axes(self.told)

    def cases(self) -> Any:
        """Every case."""
        return _views().cases(self.told, self.journals)

    def timeline(self) -> Any:
        """The steps of each run in time."""
        return _views().timelines(self.told)

    def distribution(self) -> Any:
        """How many runs score how much."""
        return _views().distribution(self.told)

    def failures(self) -> Bundle:
        """Each case that does not hold: calls, findings, mends, journal."""
        return parts.failures(self.told, self.journals)

    def against(self) -> Bundle:
        """The change since the baseline, where there is one."""
        return parts.against_baseline(self.told, self.baseline)

    def versions(self) -> Bundle:
        """What the contract is worth beside prose and stubs."""
        return parts.versions(self.told)

    def audit(self) -> Bundle:
        """The evaluation itself, for programs: what ``skills2 eval`` and CI read."""
        cases = len(self.told["cases"])
        said = f"{self.told['skill']}: {self.told['verdict']} over {cases} results, as JSON."
        return Bundle({"text/plain": said, AUDIT_MIMETYPE: dict(self.told)})


def evaluated(
    skill: str,
    *,
    runner: str = "chain",
    profile: str | None = None,
    threshold: float | None = None,
    baseline: str | None = None,
    trials: int | None = None,
    out: str | None = None,
    only: str = "",
    recorded: str | None = None,
) -> Report:
    """Evaluate a skill: the parameters of the notebook, and of ``skills2 eval``.

    Args:
        skill: a package, a notebook, or a name; a name is sought from here upwards.
        runner: who plays the model: ``chain``, ``null``, ``replay``.
        profile: ``strict`` or ``classic``; None = as the skill says.
        threshold: the score a pass needs; None = as the skill says.
        baseline: a baseline.json or results.json to compare with; None = the skill's own, if any.
        trials: how often a run case is tried; None = as each case says.
        out: the folder that keeps the runs; None = one that goes with the kernel.
        only: some cases, such as ``"tag:classic split:holdout"``; empty = all.
        recorded: the folder of an earlier eval, for the runner ``replay``.

    Raises:
        Skills2Error: a parameter is wrong, or the skill cannot be read or loaded.
    """
    _raise_on_failed_commands()
    if runner not in RUNNERS:
        raise UsageError(f"there is no runner {runner!r}; it is one of {', '.join(RUNNERS)}")
    settings = Settings(runner, profile, threshold, trials, versions=runner != "replay")
    chosen = Chosen.parse(only or "")
    target = _sought(skill)
    place = Path(out or tempfile.mkdtemp(prefix="skills2-eval-")).absolute()
    try:
        report = _evaluated(target, place, settings, chosen, recorded, baseline)
    except BaseException:
        if not out:
            shutil.rmtree(place, ignore_errors=True)
        raise
    if not out:
        weakref.finalize(report, shutil.rmtree, place, ignore_errors=True)
    return report


def _evaluated(
    target: Target,
    place: Path,
    settings: Settings,
    chosen: Chosen,
    recorded_in: str | None,
    baseline: str | None,
) -> Report:
    """Evaluate; whatever is wrong with a parameter is found before the first case."""
    place.mkdir(parents=True, exist_ok=True)
    folder = _package(target, place)
    before = _baseline(baseline, folder)
    runs = _recorded(recorded_in, folder, place) if settings.runner == "replay" else None
    said = io.StringIO()
    with (
        elsewhere(place / HOME),
        tempfile.TemporaryDirectory(prefix="skills2-stubs-") as stubs,
        contextlib.redirect_stdout(said),  # what the skill prints is no part of the report
        contextlib.redirect_stderr(said),
    ):
        done = evaluate(
            folder,
            Path(stubs),
            settings,
            told=teller(sum(map(chosen.wants, read_package(folder).cases))),
            chosen=chosen,
            recorded=runs,
        )
    return Report(done.to_dict(), place, before, said.getvalue())


def _views() -> Any:
    """Widgets where there are any; else the same without them."""
    try:
        from skills2_nb.views import widgets
    except ModuleNotFoundError:
        from skills2_nb.views import panels

        return panels
    return widgets


def _sought(skill: str) -> Target:
    """The skill of that name, from the working folder upwards: JupyterLab works beside a notebook.

    Raises:
        UsageError: there is none; the message speaks of the working folder.
    """
    if not skill:
        raise UsageError(
            "no skill is named; set the parameter `skill` to a name, folder or notebook"
        )
    here = Path.cwd()
    try:
        return find(skill)
    except UsageError:
        for folder in here.parents:
            with contextlib.suppress(UsageError):
                return find(skill, folder)
        raise


def _package(target: Target, place: Path) -> Path:
    """The skill's package; a notebook's is exported beside the runs, where its files stay."""
    if target.kind == "package":
        return target.path
    return export(target.path, place / "package", verify=False, force=True).folder


def _recorded(folder: str | None, package: Path, place: Path) -> Recorded:
    """The runs of an earlier eval, brought to where this one keeps its own."""
    if not folder:
        raise UsageError("the runner replay needs the folder of an earlier eval; say which one")
    found = recorded(Path(folder).absolute(), read_package(package).manifest.name)
    bring(found.home, place / HOME)
    return found


def _baseline(path: str | None, package: Path) -> Mapping[str, Any] | None:
    """What the skill is compared with."""
    own = package / OWN
    return earlier([Path(path)] if path else [own] if own.is_file() else [])


def _raise_on_failed_commands() -> None:
    """Have a failed ``!command`` raise, where IPython can: else it goes by unseen."""
    shell: Any = getattr(builtins, "get_ipython", lambda: None)()
    if hasattr(shell, "system_raise_on_error"):
        shell.system_raise_on_error = True
