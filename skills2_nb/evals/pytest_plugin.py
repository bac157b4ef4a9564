"""``pytest --skills2``: the cases of packages.

It is loaded by every pytest of an environment, so it imports nothing of the kit before
``--skills2`` is given, and does nothing without it.
"""

from __future__ import annotations

import contextlib
import shlex
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from skills2_nb.audit.auditor import Basis
    from skills2_nb.evals.result import Result
    from skills2_nb.formats.cases import Case

_MANIFEST = "skill.toml"
#: The item that stands for a package whose cases cannot be played.
_WHOLE = "package"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer ``--skills2``."""
    parser.getgroup("skills2", "cases of skills").addoption(
        "--skills2",
        action="store_true",
        default=False,
        help="Collect each case of the skill packages (skill.toml) below the given paths.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A package is collected by its manifest."""
    if file_path.name != _MANIFEST or not parent.config.getoption("skills2", False):
        return None
    made: pytest.Collector = PackageFile.from_parent(parent, path=file_path)
    return made


class DoesNotHold(Exception):
    """A case that does not hold; ``args[0]`` is the whole report."""


class PackageFile(pytest.File):
    """The manifest of a package; its items are the package's cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item a case; one that fails where the package cannot be read or has none."""
        from skills2_nb.contract.errors import Skills2Error
        from skills2_nb.formats.package import read_package

        try:
            package = read_package(self.path.parent)
        except Skills2Error as error:
            yield self._wrong(str(error))
            return
        faults = [problem for problem in package.problems if problem.level == "error"]
        if faults:
            yield self._wrong("\n".join(problem.sentence() for problem in faults))
        elif package.manifest.steps and not package.cases:
            told = "there is no case, so nothing is shown; add a cell with the tag `cases`"
            yield self._wrong(told)
        seen: dict[str, int] = {}
        for case in package.cases:
            name = _line(case.id)
            seen[name] = seen.get(name, 0) + 1
            name = name if seen[name] == 1 else f"{name} ({seen[name]})"
            item: CaseItem = CaseItem.from_parent(self, name=name, case=case)
            yield item

    def _wrong(self, told: str) -> pytest.Item:
        item: WrongItem = WrongItem.from_parent(self, name=_WHOLE, told=told)
        return item


class WrongItem(pytest.Item):
    """A package that has no cases to play, and why."""

    def __init__(self, *, told: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.told = told

    def setup(self) -> None:
        """Say the reason here already: there is nothing to test, which is an error."""
        self.runtest()

    def runtest(self) -> None:
        """Say why no case can be played.

        Raises:
            DoesNotHold: always.
        """
        raise DoesNotHold(f"{self.path.parent.name}: {self.told}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report alone, without a traceback of the kit."""
        return _report(self, excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The manifest and the package's name."""
        return self.path, None, f"{self.path.parent.name}: {self.name}"


class CaseItem(pytest.Item):
    """One case, played in a home of its own."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.case = case
        self.basis: Basis | None = None
        self.extra_keyword_matches.update(getattr(case, "tags", ()))

    def setup(self) -> None:
        """Load the package.

        Raises:
            DoesNotHold: it does not load.
        """
        from skills2_nb.contract.errors import Skills2Error
        from skills2_nb.evals.proof import basis_of

        folder = self.path.parent
        try:
            with _quiet():
                self.basis = basis_of(folder)
        except Skills2Error as error:
            raise DoesNotHold(f"{folder.name} does not load: {error}") from error

    def teardown(self) -> None:
        """Let go of the package: a thousand items would hold a thousand of them."""
        self.basis = None

    def runtest(self) -> None:
        """Play the case: every trial of it must hold.

        Raises:
            DoesNotHold: one does not.
        """
        from skills2_nb.contract.home import elsewhere
        from skills2_nb.evals.play import Stage, play

        assert self.basis is not None
        stage = Stage(self.basis, (self.config.invocation_params.dir, self.path.parent))
        with _scratch() as home, elsewhere(home), _quiet():
            failed = [each for each in play(stage, self.case) if not each.ok]
        if failed:
            raise DoesNotHold(self._told(failed))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What does not hold, and what to do; a fault of the kit with its traceback."""
        return _report(self, excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file of the cases, and ``skill: case``."""
        return self.path.parent / "evals/cases.jsonl", None, f"{self.path.parent.name}: {self.name}"

    def _told(self, failed: list[Result]) -> str:
        case, first = self.case, failed[0]
        trials = getattr(case, "trials", 1)
        asked = getattr(case, "prompt", "") or f"step {getattr(case, 'step', '')}"
        lines = [f"{self.path.parent.name}, case {_line(case.id)}: {_line(asked)}"]
        if trials > 1:
            lines.append(f"{len(failed)} of {trials} trials do not hold; the first of them:")
        lines += [f"  - {_line(wrong)}" for wrong in first.wrong]
        lines += _findings(first)
        node = shlex.quote(f"{(self._place() / self.path.name).as_posix()}::{self.name}")
        return "\n".join([*lines, f"Again, alone: pytest --skills2 {node}", *self._run()])

    def _run(self) -> Iterator[str]:
        """How to see the run of it with everything in it."""
        if getattr(self.case, "prompt", "") and not getattr(self.case, "calls", ()):
            folder, case = shlex.quote(str(self._place())), shlex.quote(self.case.id)
            yield f"In full: skills2 run {folder} --case {_line(case)}"

    def _place(self) -> Path:
        here, folder = self.config.invocation_params.dir, self.path.parent
        return folder.relative_to(here) if folder.is_relative_to(here) else folder


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What a skill's libraries warn of is no error of the tests that run beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A home for one item's records, gone after it."""
    with tempfile.TemporaryDirectory(prefix="skills2-") as place:
        yield Path(place)


def _findings(result: Result) -> Iterator[str]:
    """The findings that count, each with its mend."""
    if result.audit is None:
        return
    counted = [found for found in result.audit.profile(result.audit.by).findings if found.counts]
    if counted:
        yield f"Findings ({result.audit.by}):"
    for found in counted:
        yield f"  {found.code} {_line(found.message)}"
        if found.mend:
            yield f"    Mend: {_line(found.mend)}"


def _report(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], style: Any) -> Any:
    if isinstance(excinfo.value, DoesNotHold):
        return str(excinfo.value)
    return pytest.Item.repr_failure(item, excinfo, style)


def _line(text: str) -> str:
    """A text as one line: what a terminal or a build would obey is shown by its code."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
