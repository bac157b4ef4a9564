"""A kernel's skill, seen anew after each cell and save."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import told
from skills2_nb.contract.spec import StepSpec
from skills2_nb.convert.plan import Plan, plan_path
from skills2_nb.errors import Skills2Error, UsageError
from skills2_nb.formats.frontmatter import FrontMatterError, cut, inside, parse
from skills2_nb.lab.session import Session
from skills2_nb.serve.live import Live, contract_of


class Watch:
    """What a kernel holds and its notebook says, as a server needs it.

    Cells are looked at on the kernel's own thread, between two of them. A save is looked at from
    the server's thread, with the names that the kernel held after the newest cell.

    Args:
        namespace: the kernel's names.
        session: the kernel and its notebook now.
        earlier: the steps that stood in the file at some time; added to at each save.

    Attributes:
        session: as the skill was seen last.
        live: the skill then; where the steps make none, its last form and what is wrong.

    Raises:
        UsageError: there is no step yet.
        Skills2Error: the steps make no skill.
    """

    def __init__(self, namespace: Mapping[str, Any], session: Session, earlier: set[str]) -> None:
        self._namespace = namespace
        self._earlier = earlier
        self._lock = threading.Lock()
        self._in_cell = False
        self.open(session)

    def open(self, session: Session) -> None:
        """Begin anew with another look at the kernel, such as one that has found the file."""
        with self._lock:
            self._plan = session.plan
            self._path = session.plan.notebook.path if session.plan is not None else None
            self._mark = _mark(self._path)
            seen = self._session(*_held(self._namespace))
            live = _live(seen, None)
            if not live.skill.steps:
                raise UsageError("there is no step in this kernel yet: run the step cells first")
            self.session, self.live, self._signs = seen, live, _signs(seen)

    def begin(self, *_: Any) -> None:
        """A cell is about to run: its names come one by one, so nothing is looked at."""
        self._in_cell = True

    def end(self) -> bool:
        """A cell has run; whether the skill is another now."""
        self._in_cell = False
        with self._lock:
            return self._take(*_held(self._namespace))

    def look(self) -> None:
        """See whether the notebook was saved; called from the server's thread."""
        if not self._in_cell and _mark(self._path) != self._mark:
            with self._lock:
                self._take(self.session.namespace, self.session.history)

    def _take(self, names: Mapping[str, Any], history: tuple[str, ...]) -> bool:
        mark = _mark(self._path)
        if mark != self._mark and self._path is not None:
            with contextlib.suppress(Skills2Error, OSError):  # it is moved, or half written
                self._plan = plan_path(self._path)
                self._mark = mark
        session = self._session(names, history)
        signs = _signs(session)
        if signs == self._signs:
            return False
        self.session, self._signs = session, signs
        try:
            self.live = _live(session, self.live)
        except Skills2Error as error:
            self.live = self.live.broken(error.message)
        except Exception as error:  # types and names of the author's, asked for their schemas
            self.live = self.live.broken(told(error))
        return True

    def _session(self, names: Mapping[str, Any], history: tuple[str, ...]) -> Session:
        session = Session(names, history, self._plan, frozenset(self._earlier))
        self._earlier.update(session.cells)
        return session


def _held(namespace: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The steps among the kernel's names, and its history."""
    names = {
        name: value
        for name, value in list(namespace.items())
        if callable(value) and isinstance(getattr(value, "__step__", None), StepSpec)
    }
    return names, tuple(text for text in namespace.get("In", ()) if text)


def _signs(session: Session) -> tuple[Any, ...]:
    """What changes when the skill does; the session keeps alive what is known by identity."""
    steps = [id(value.__step__) for value in session.namespace.values()]
    return (sorted(steps), id(session.plan), session.sources())


def _live(session: Session, before: Live | None) -> Live:
    """The skill of a session.

    Raises:
        Skills2Error: its steps make none.
    """
    skill, plan = session.skill(), session.plan
    path = plan.notebook.path if plan is not None else None
    contract = contract_of(
        skill,
        _description(plan),
        path.name if path is not None else "notebook",
        tuple(session.ghosts()),
        before,
    )
    return Live(skill, contract, session.keep_sources, session.folders(), path)


def _description(plan: Plan | None) -> str:
    text = plan.files.get("SKILL.md", b"").decode("utf-8", "replace") if plan is not None else ""
    front = cut(text)
    try:
        found = parse(inside(front[0])).get("description") if front else None
    except FrontMatterError:
        return ""
    return " ".join(found.split()) if isinstance(found, str) else ""


def _mark(path: Path | None) -> tuple[int, int, int] | None:
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
