"""What each word of %skills2 does."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from skills2_nb.audit.weakness import by_step
from skills2_nb.contract.inputs import typed
from skills2_nb.contract.skill import Skill
from skills2_nb.convert.exporter import export as export_notebook
from skills2_nb.convert.fixes import fix
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import ContractError, RefusedError, UsageError
from skills2_nb.evals.proof import Proof, judge, proven
from skills2_nb.evals.runners import chain
from skills2_nb.evals.strength import of_kernel
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.problem import Problem
from skills2_nb.lab import serving_verbs
from skills2_nb.lab.serving import Serving
from skills2_nb.lab.session import Session
from skills2_nb.library.index import renew
from skills2_nb.views import fragment, headline, render, rows
from skills2_nb.views import strength as strengths
from skills2_nb.views.markup import Html, table, tag

Bundle = Mapping[str, Any]


@dataclass
class Memory:
    """What one kernel remembers between its magics.

    Attributes:
        proof: the newest run and its audit.
        shell: the kernel's IPython.
        serving: the server of its skill.
        earlier: the steps that stood in the notebook's file at some time.
    """

    proof: Proof | None = None
    shell: Any = None
    serving: Serving | None = None
    earlier: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Verb:
    """One word of the magic.

    Attributes:
        says: one line of help.
        example: a line that works.
        arguments: adds the word's options to a parser.
        do: does it, and gives what is shown; None where it has shown it.
    """

    says: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], Any]
    do: Callable[[argparse.Namespace, Session, Memory, str | None], Bundle | None]


class Parser(argparse.ArgumentParser):
    """An argument parser that raises where the standard one would end the kernel."""

    def error(self, message: str) -> NoReturn:
        """Raise the parser's own sentence."""
        raise UsageError(f"{self.prog}: {message}; see %skills2 help")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """``--help`` has printed its text; there is nothing more to do."""
        raise _ShownError


class _ShownError(UsageError):
    def __init__(self) -> None:
        super().__init__("")


def perform(
    words: list[str], session: Session, memory: Memory, body: str | None = None
) -> Bundle | None:
    """Do what a magic's line says.

    Args:
        words: the line, split.
        body: the cell's text below a ``%%skills2`` line.

    Returns:
        What to show, by MIME type; None where it was shown.

    Raises:
        UsageError: the line cannot be read, or names what is not there.
        RefusedError: a check said no.
    """
    word, rest = (words[0], words[1:]) if words else ("help", [])
    if word in ("help", "-h", "--help"):
        return _help()
    if word not in VERBS:
        raise UsageError(f"%skills2 has no {word!r}; it has {', '.join(VERBS)}")
    parser = Parser(prog=f"%skills2 {word}", description=VERBS[word].says)
    VERBS[word].arguments(parser)
    try:
        options = parser.parse_args(rest)
    except _ShownError:
        return None
    return VERBS[word].do(options, session, memory, body)


def _run(options: argparse.Namespace, session: Session, memory: Memory, _: str | None) -> Bundle:
    basis = session.basis()
    if not basis.skill.steps:
        raise UsageError("there is no step in this kernel yet: run the step cells first")
    case = _case(session, options.case)
    given = _pairs(options.inputs, basis.skill)
    taken = None if given else case
    session.keep_sources()
    outcome = chain(
        basis.skill,
        given if taken is None else dict(taken.inputs),
        prompt=options.prompt or (taken.prompt if taken is not None else None),
        # The saved case vouches for what is its own; what was typed beside it nobody vouches for.
        vouched="case" if taken is not None and not options.prompt else "client",
        writer="kernel",
        folders=session.folders(),
        body=basis.body,
    )
    memory.proof = proven(basis, outcome)
    return _shown(memory.proof, session)


def _audit(
    options: argparse.Namespace, session: Session, memory: Memory, body: str | None
) -> Bundle:
    run = options.run or (memory.proof.run if memory.proof is not None else None)
    if run is None:
        raise UsageError("there is no run in this kernel yet: %skills2 run makes one")
    memory.proof = judge(session.basis(), run, answer=body.strip() if body else None)
    return _shown(memory.proof, session)


def _export(options: argparse.Namespace, session: Session, *_: Any) -> Bundle:
    plan = _saved(session)
    unsaved = session.unsaved()
    if unsaved and not options.as_saved:
        places = "; ".join(_told(problem) for problem in unsaved)
        raise RefusedError(
            f"save first (Ctrl-S), then export (L301): {places}; if the file is right, run its "
            "cells again",
            tuple(unsaved),
        )
    done = export_notebook(
        plan.notebook.path,
        Path(options.out) if options.out else None,
        verify=not options.no_verify,
        force=options.force,
    )
    renew(lambda _: None, [done.folder])  # a home that cannot be written is no matter of a cell's
    return render.exported(done, folder=_near(done.folder)).data


def _lint(options: argparse.Namespace, session: Session, *_: Any) -> Bundle:
    path = _saved(session).notebook.path
    if options.fix:
        fix(path)
    found = [*session.unsaved(), *plan_path(path).problems]
    return render.problems(found, file=path.name).data


def _explain(
    options: argparse.Namespace, session: Session, memory: Memory, _: str | None
) -> Bundle:
    skill = session.skill()
    spec = skill.step(options.step)
    state = memory.proof.state if memory.proof is not None else None
    call = state.newest(spec.id) if state is not None else None
    told = rows.arguments(call, state) if call is not None else rows.expected(skill, spec)
    return render.explain(spec.id, told).data


def _strength(
    options: argparse.Namespace, session: Session, memory: Memory, _: str | None
) -> Bundle:
    skill = session.skill()
    if options.step:
        skill.step(options.step)
    state = memory.proof.state if memory.proof is not None else None
    cases = session.plan.cases if session.plan is not None else ()
    found, over = of_kernel(skill, state, cases, session.folders(), options.step)
    steps = [each for each in by_step(skill, found) if options.step in (None, each.step)]
    return strengths.bundle(skill.name, steps, over).data


def _status(_: argparse.Namespace, session: Session, memory: Memory, __: str | None) -> Bundle:
    skill = session.skill()
    cells = session.cells
    lines = [
        ("notebook", str(session.plan.notebook.path) if session.plan else "not found on disk"),
        ("skill", f"{skill.name} {skill.version}"),
        *(("step", f"{spec.id}{_place(cells, spec.id)}") for spec in skill.steps),
        *(("ghost", f"{id_}: no cell defines it any more") for id_ in session.ghosts()),
        *(("unsaved", problem.sentence()) for problem in session.unsaved()),
        *(("not run", f"cell {number} as saved") for number in session.not_run()),
        ("newest run", _newest(memory)),
        *(memory.serving.lines() if memory.serving is not None else [("served", "not yet")]),
    ]
    text = "\n".join(f"{name:<12} {value}" for name, value in lines)
    return {"text/html": str(_facts("Status", lines)), "text/plain": text}


def _help() -> Bundle:
    lines = [[word, verb.says, tag("code", verb.example)] for word, verb in VERBS.items()]
    made = fragment.card(table("%skills2", ["verb", "what it does", "example"], lines))
    text = "\n".join(f"{word:<8} {verb.says}: {verb.example}" for word, verb in VERBS.items())
    return {"text/html": str(made), "text/plain": text}


def _shown(proof: Proof, session: Session) -> Bundle:
    shown = render.audit(proof.audit, proof.skill, proof.state, cells=session.cells).data
    told = [*_stopped(proof), *_unplaced(proof.skill, session)]
    if not told:
        return shown
    card = fragment.card(*(tag("p", line, cls="bad") for line in told))
    return {
        **shown,
        "text/html": f"{card}{shown['text/html']}",
        "text/plain": "\n".join([*told, str(shown["text/plain"])]),
    }


def _stopped(proof: Proof) -> list[str]:
    if proof.error is None:
        return []
    sentence = _sentence(proof.error).removeprefix(f"{proof.step}: ")
    return [f"stopped at {proof.step}: {sentence}"]


def _unplaced(skill: Skill, session: Session) -> list[str]:
    """What to do about steps whose place is not known, since the file has no step cell for them."""
    absent = [id_ for id_ in skill.ids if id_ not in session.cells]
    if session.plan is None or not absent:
        return []
    names = ", ".join(absent)
    return [
        f"no step cell in the saved file, so put last: {names}; tag it `step` and save (Ctrl-S)"
    ]


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, ContractError) else f"{type(error).__name__}: {error}"


def _told(problem: Problem) -> str:
    return problem.message if problem.cell is None else f"cell {problem.cell}: {problem.message}"


def _case(session: Session, id_: str | None) -> RunCase | None:
    """The run case to take inputs and prompt from: the one named, else the first that passes."""
    cases = [c for c in (session.plan.cases if session.plan else ()) if isinstance(c, RunCase)]
    if id_ is None:
        honest = [c for c in cases if c.expected_audit == "pass" and not c.calls]
        return next(iter(honest or cases), None)
    found = next((c for c in cases if c.id == id_), None)
    if found is None:
        raise UsageError(f"there is no run case {id_!r}; there is {', '.join(c.id for c in cases)}")
    return found


def _pairs(words: list[str], skill: Skill) -> dict[str, Any]:
    given: dict[str, str] = {}
    for word in words:
        name, mark, text = word.partition("=")
        if not mark or not name.isidentifier():
            raise UsageError(f"{word!r} is no input: write name=value")
        given[name] = text
    return typed(given, [each for spec in skill.steps for each in spec.parameters])


def _saved(session: Session) -> Any:
    if session.plan is None:
        raise UsageError(
            "the notebook's file is not found: start the kernel in its folder, or give it with "
            "--notebook PATH"
        )
    return session.plan


def _facts(caption: str, lines: list[tuple[str, str]]) -> Html:
    return fragment.card(table(caption, ["what", "value"], [list(line) for line in lines]))


def _near(folder: Path) -> str:
    """A folder as seen from here, so that no notebook keeps a path of the machine it ran on."""
    return Path(os.path.relpath(folder)).as_posix()


def _place(cells: Mapping[str, int], step: str) -> str:
    return f" (cell {cells[step]})" if step in cells else " (not in the file yet)"


def _newest(memory: Memory) -> str:
    if memory.proof is None:
        return "none in this kernel"
    return f"{memory.proof.run}: {headline.plain(memory.proof.audit)}"


def _nothing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notebook", help="the notebook's path, where it is not found")


def _run_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("inputs", nargs="*", metavar="name=value", help="run inputs")
    parser.add_argument("--case", help="take inputs and prompt from this case")
    parser.add_argument("--prompt", help="what the user asks")


def _audit_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("run", nargs="?", help="a run's id; left out, the newest run here")


def _export_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("-o", "--out", help="the folder that holds skills")
    parser.add_argument("--force", action="store_true", help="overwrite edited files")
    parser.add_argument("--no-verify", action="store_true", help="do not import the package")
    parser.add_argument("--as-saved", action="store_true", help="export the file as it is")


def _lint_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("--fix", action="store_true", help="mend what has one right mend")


def _explain_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("step", help="a step's id")


def _strength_options(parser: argparse.ArgumentParser) -> None:
    _nothing(parser)
    parser.add_argument("step", nargs="?", help="a step's id; left out, every step")


VERBS: dict[str, Verb] = {
    "run": Verb("Walk the steps by binding and judge the run", "%skills2 run", _run_options, _run),
    "audit": Verb(
        "Judge the newest run again, or an answer written below %%skills2 audit",
        "%skills2 audit",
        _audit_options,
        _audit,
    ),
    "explain": Verb(
        "Show where a step's arguments come from",
        "%skills2 explain STEP",
        _explain_options,
        _explain,
    ),
    "strength": Verb(
        "Show which invariants notice a changed result, and which do not",
        "%skills2 strength STEP",
        _strength_options,
        _strength,
    ),
    "lint": Verb(
        "Show what keeps the notebook from a package", "%skills2 lint", _lint_options, _lint
    ),
    "export": Verb("Write the package", "%skills2 export", _export_options, _export),
    "status": Verb(
        "Show the notebook, its steps, the newest run and the server",
        "%skills2 status",
        _nothing,
        _status,
    ),
    "serve": Verb(
        "Let agents call the steps of this kernel over MCP",
        "%skills2 serve",
        serving_verbs.serve_options,
        serving_verbs.serve,
    ),
    "stop": Verb("End the server", "%skills2 stop", _nothing, serving_verbs.stop),
    "reload": Verb(
        "Forget steps whose cell is gone, and look at the notebook anew",
        "%skills2 reload",
        _nothing,
        serving_verbs.reload,
    ),
}
