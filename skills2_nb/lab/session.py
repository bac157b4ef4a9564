"""The notebook that a kernel runs, as saved and as run."""

from __future__ import annotations

import difflib
import functools
import hashlib
import linecache
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.audit.auditor import Basis
from skills2_nb.audit.constants import constants_of
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.skill import Runtime, Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.convert.folder import folder_of
from skills2_nb.convert.plan import Plan, plan_path
from skills2_nb.errors import Skills2Error
from skills2_nb.formats.notebook import read_notebook
from skills2_nb.formats.problem import Problem
from skills2_nb.formats.roles import Assignment, Role
from skills2_nb.lab.sources import sources_of

#: How alike two cells are when one is the other after an edit.
ALIKE = 0.6
_EXPORTED = (Role.STEP, Role.SETUP)


@dataclass(frozen=True)
class Session:
    """A kernel's names and history beside the notebook on disk.

    Attributes:
        namespace: the kernel's names.
        history: the cells as they were run, in order.
        plan: the notebook as saved; None where no file is found.
        earlier: steps that stood in the file at some time in this kernel's life.
    """

    namespace: Mapping[str, Any]
    history: tuple[str, ...]
    plan: Plan | None
    earlier: frozenset[str] = frozenset()

    @property
    def cells(self) -> dict[str, int]:
        """The cell number of each step."""
        if self.plan is None:
            return {}
        return {step.id: step.code.number for step in self.plan.steps}

    @property
    def name(self) -> str:
        """The skill's name, ``notebook`` where no file is found."""
        return self.plan.name if self.plan is not None else "notebook"

    def skill(self) -> Skill:
        """The steps as the kernel holds them, in the order of their cells.

        A step whose cell is gone, or now defines another one, is a ghost and is left out.
        """
        names = {name: value for name, value in self.namespace.items() if not self._is_ghost(value)}
        if self.plan is None:
            return Skill.collect(names, self.name, live=self.sources())
        settings = self.plan.manifest.runtime
        return Skill.collect(
            names,
            self.name,
            sequence=[step.id for step in self.plan.steps],
            stubs=[entry.id for entry in self.plan.manifest.steps if entry.stub],
            version=self.plan.manifest.version,
            live=self.sources(),
            folder=folder_of(self.plan.notebook.path),
            runtime=Runtime(
                settings.timeout, settings.memory_mb, settings.capture, settings.redact
            ),
        )

    def basis(self) -> Basis:
        """What runs of the live skill are judged by: its steps, and the prose as saved."""
        if self.plan is None:
            return Basis(self.skill())
        manifest = self.plan.manifest
        try:
            constants = constants_of(self.plan.module.text)
        except SyntaxError:
            constants = ()
        return Basis(
            self.skill(),
            self.plan.body,
            manifest.anchors,
            manifest.audit,
            constants,
            self.plan.cases,
        )

    def folders(self) -> tuple[Path, ...]:
        """Where relative paths among run inputs are sought."""
        if self.plan is None:
            return (Path.cwd(),)
        path = self.plan.notebook.path
        return (Path.cwd(), path.parent, folder_of(path))

    def sources(self) -> str:
        """Digest of the skill's cells as they were run; nothing is stored."""
        return hashlib.sha256(self._sources()).hexdigest()

    def keep_sources(self) -> None:
        """Store the skill's cells as they were run, for the run that names their digest."""
        blobs.put(self._sources())

    def _sources(self) -> bytes:
        """The cells that make the skill, so that its runs can be replayed.

        Scratch cells and magics are none of it, so running one changes nothing here.
        """
        exported = [a.cell.source for a in self._exported()]
        live = [_cell_text(s) for s in _specs(self.namespace) if not self._is_ghost_spec(s)]
        return encode({"cells": sources_of(self.history, exported, live)}).encode("ascii")

    def ghosts(self) -> list[str]:
        """Steps in the kernel whose cell is gone, or now defines another one."""
        return sorted(spec.id for spec in _specs(self.namespace) if self._is_ghost_spec(spec))

    def unsaved(self) -> list[Problem]:
        """Where the kernel and the file differ, so that an export would not be what was run."""
        if self.plan is None:
            return []
        saved = {_text(a.cell.source) for a in self.plan.assignments}
        ran = {_text(text) for text in self.history}
        found = [
            self._differs(None, f"step {spec.id} was run from text that is not in the file")
            for spec in _specs(self.namespace)
            if _cell_text(spec) not in saved and not self._is_ghost_spec(spec)
        ]
        for assignment in self._exported():
            text = _text(assignment.cell.source)
            if text not in ran and self._variant(text) is not None:
                found.append(self._differs(assignment, "it was run with another text"))
        return found

    def not_run(self) -> list[int]:
        """Numbers of the exported cells that this kernel has not run as saved."""
        ran = {_text(text) for text in self.history}
        return [a.cell.number for a in self._exported() if _text(a.cell.source) not in ran]

    def _exported(self) -> Iterable[Assignment]:
        if self.plan is None:
            return ()
        return (a for a in self.plan.assignments if a.role in _EXPORTED)

    def _variant(self, text: str) -> str | None:
        """The newest cell of the history that looks like ``text`` after an edit."""
        lately = [_text(item) for item in reversed(self.history)]
        saved = {_text(a.cell.source) for a in self.plan.assignments} if self.plan else set()
        return next((item for item in lately if item not in saved and _alike(item, text)), None)

    def _differs(self, assignment: Assignment | None, message: str) -> Problem:
        assert self.plan is not None
        return Problem(
            code="L301",
            level="error",
            file=self.plan.notebook.name,
            cell=assignment.cell.number if assignment else None,
            cell_id=assignment.cell.id if assignment else None,
            line=None,
            message=message,
            mend="save first (Ctrl-S), then export; run the cell again if the file is right",
        )

    def _is_ghost(self, value: Any) -> bool:
        spec = getattr(value, "__step__", None)
        return isinstance(spec, StepSpec) and self._is_ghost_spec(spec)

    def _is_ghost_spec(self, spec: StepSpec) -> bool:
        if self.plan is None or spec.id in self.cells:
            return False
        if spec.id in self.earlier:
            return True
        text = _cell_text(spec)
        others = (_text(step.code.assignment.cell.source) for step in self.plan.steps)
        return any(_alike(text, other) and not self._is_later(text, other) for other in others)

    def _is_later(self, one: str, other: str) -> bool:
        """Whether ``one`` was run after ``other``: a rename that is not saved yet, no ghost."""
        ran = {_text(text): place for place, text in enumerate(self.history)}
        return other in ran and ran.get(one, -1) > ran[other]


def open_session(
    namespace: Mapping[str, Any], notebook: str | None = None, earlier: Iterable[str] = ()
) -> Session:
    """Look at the kernel's names, its history and the notebook on disk.

    Args:
        namespace: the kernel's names; ``In`` is its history.
        notebook: the notebook's path, where the author says it.
        earlier: the steps that stood in the file at some time in this kernel's life.

    Raises:
        UnreadableError: the notebook is there and cannot be read.
    """
    history = tuple(text for text in namespace.get("In", ()) if text)
    path = _expanded(notebook) if notebook else locate(namespace, history)
    plan = plan_path(path) if path is not None else None
    return Session(namespace, history, plan, frozenset(earlier))


def _expanded(notebook: str) -> Path:
    """The path with ``~`` read; as it is where there is no such user."""
    try:
        return Path(notebook).expanduser()
    except RuntimeError:
        return Path(notebook)


def locate(
    namespace: Mapping[str, Any], history: Sequence[str], cwd: Path | None = None
) -> Path | None:
    """The notebook's file: named by the front end, else the one here whose cells were run."""
    here = Path.cwd() if cwd is None else cwd
    for told in (namespace.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")):
        if isinstance(told, str) and told.endswith(".ipynb"):
            for path in (Path(told), here / Path(told).name):
                if path.is_file():
                    return path
    found = [(_shared(path, history), path) for path in sorted(here.glob("*.ipynb"))]
    best = max(found, key=lambda item: item[0], default=(0, None))
    return best[1] if best[0] > 0 else None


def _shared(path: Path, history: Sequence[str]) -> int:
    """How many cells of a notebook were run in this kernel, to the letter."""
    try:
        there = path.stat()
        cells = _code_of(path, there.st_mtime_ns, there.st_size)
    except (Skills2Error, OSError):
        return 0
    return len(cells & {_text(text) for text in history})


@functools.lru_cache(maxsize=64)
def _code_of(path: Path, changed: int, size: int) -> frozenset[str]:
    """The code cells of a notebook as it stood then; a case asks for those of a whole folder."""
    cells = read_notebook(path).cells
    return frozenset(_text(cell.source) for cell in cells if cell.kind == "code")


def _specs(namespace: Mapping[str, Any]) -> list[StepSpec]:
    found = {}
    for value in namespace.values():
        spec = getattr(value, "__step__", None)
        if isinstance(spec, StepSpec):
            found[spec.id] = spec
    return list(found.values())


def _cell_text(spec: StepSpec) -> str:
    """The cell that defined a step, as the kernel compiled it."""
    return _text("".join(linecache.getlines(spec.fn.__code__.co_filename)))


def _text(source: str) -> str:
    return source.replace("\r\n", "\n").strip()


def _alike(one: str, other: str) -> bool:
    matcher = difflib.SequenceMatcher(None, one, other)
    return matcher.real_quick_ratio() > ALIKE and matcher.ratio() > ALIKE
