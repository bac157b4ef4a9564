"""%load_ext skills2_nb: the magic, and results made visible."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from IPython.core.display_functions import publish_display_data
from IPython.core.error import UsageError as IPythonUsageError

from skills2_nb.audit.auditor import audit_journal
from skills2_nb.contract import step, trial
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check
from skills2_nb.errors import Skills2Error
from skills2_nb.evals.checks import amiss, standing
from skills2_nb.evals.runners import readout
from skills2_nb.lab.results import Results
from skills2_nb.lab.session import Session, open_session
from skills2_nb.lab.verbs import VERBS, Memory, perform
from skills2_nb.views import render


class Extension:
    """What one IPython shell has loaded: the magic, its memory and the results it shows."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.memory = Memory(shell=shell)
        self.results = Results()

    def load(self) -> None:
        """Register the magic and the hooks."""
        self.shell.register_magic_function(self.line, "line", "skills2")
        self.shell.register_magic_function(self.line, "cell", "skills2")
        self.shell.set_hook("complete_command", self.complete, re_key="%skills2")
        self.results.attach(self.shell.display_formatter)
        step.observers.append(self.observe)
        trial.show.append(self.show)
        trial.judge.append(self.judge)
        trial.collect.append(self.collect)

    def unload(self) -> None:
        """Stop the server and take the hooks out again; the magic goes with the shell."""
        if self.memory.serving is not None:
            self.memory.serving.stop()
        self.results.detach(self.shell.display_formatter)
        step.observers.remove(self.observe)
        trial.show.remove(self.show)
        trial.judge.remove(self.judge)
        trial.collect.remove(self.collect)

    def line(self, line: str, cell: str | None = None) -> None:
        """``%skills2 <verb> ...``; ``%skills2 help`` lists the verbs."""
        try:
            words = shlex.split(line)
            session = self.session(_notebook(words))
            shown = perform(words, session, self.memory, cell)
        except ValueError as error:
            raise IPythonUsageError(f"%skills2 {line}: {error}") from None
        except Skills2Error as error:
            raise IPythonUsageError(str(error)) from None
        if shown is not None:
            _publish(shown)

    def complete(self, _: Any, event: Any) -> list[str]:
        """The verbs, for the tab key."""
        return [word for word in VERBS if word.startswith(getattr(event, "symbol", ""))]

    def observe(
        self, spec: StepSpec, inputs: Mapping[str, Any], output: Any, checks: tuple[Check, ...]
    ) -> None:
        """Keep a plain call, so that its result is shown with its invariants."""
        self.results.keep(spec, inputs, output, checks)

    def show(self, done: trial.Trial) -> None:
        """Show a case's tick at once, wherever it stands in its cell."""
        _publish(render.trial(done).data)

    def judge(self, skill: Skill, run: Run, case: Mapping[str, Any]) -> tuple[bool, str]:
        """End a case's run, audit it and hold it against what the case expects."""
        session = self.session()
        run.end(by="cli", answer=readout(run, session.basis().body))
        judged = audit_journal(session.basis(), run.path)
        wrong = amiss(case, judged, run.state)
        told = f"score {judged.strict.score:.2f}, {standing(judged)}"
        if case.get("expected_audit") == "fail":
            told += ", as it should"
        return not wrong, "; ".join(wrong) if wrong else told

    def collect(self, _: Mapping[str, Any]) -> Skill:
        """The kernel's steps as the notebook orders them."""
        return self.session().skill()

    def session(self, notebook: str | None = None) -> Session:
        """The kernel and its notebook as they are now."""
        session = open_session(self.shell.user_ns, notebook, self.memory.earlier)
        self.memory.earlier.update(session.cells)
        return session


_LOADED: dict[int, Extension] = {}


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext skills2_nb``."""
    if id(shell) not in _LOADED:
        _LOADED[id(shell)] = Extension(shell)
        _LOADED[id(shell)].load()


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext skills2_nb``."""
    extension = _LOADED.pop(id(shell), None)
    if extension is not None:
        extension.unload()


def _publish(bundle: Mapping[str, Any]) -> None:
    publish_display_data(dict(bundle))  # type: ignore[no-untyped-call]  # IPython leaves it bare


def _notebook(words: list[str]) -> str | None:
    """The path behind ``--notebook``, which is wanted before the verb is read."""
    for at, word in enumerate(words):
        if word == "--notebook" and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--notebook="):
            return word.partition("=")[2]
    return None
