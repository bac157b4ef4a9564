"""A run and its audit, from a skill to a verdict."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from skills2_nb.audit import ledger
from skills2_nb.audit.asked import Asked
from skills2_nb.audit.auditor import Audit, Basis, audit, prepare
from skills2_nb.audit.constants import constants_in
from skills2_nb.audit.integrity import examine
from skills2_nb.contract import journal
from skills2_nb.contract.chain import scan
from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.contract.home import folder as kept_folder
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import find
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.convert.exporter import export
from skills2_nb.convert.folder import folder_of
from skills2_nb.errors import SetupError, UsageError
from skills2_nb.evals.evidence import gathered
from skills2_nb.evals.listed_skill import listed_basis
from skills2_nb.evals.runners import Outcome, chain
from skills2_nb.evals.siblings import siblings_of
from skills2_nb.evals.surroundings import unending
from skills2_nb.formats.files import write_atomic
from skills2_nb.formats.package import read_package
from skills2_nb.library.audits import place_of
from skills2_nb.library.discovery import Target
from skills2_nb.library.discovery import find as find_skill
from skills2_nb.library.installed import installed_digest
from skills2_nb.views.brief import brief


@dataclass(frozen=True)
class Proof:
    """What a run has shown.

    Attributes:
        run: the run's id; None where an answer was judged alone.
        basis: what it was judged by.
        state: the run as it was judged.
        outputs: the results by step, plain.
        error: what stopped the run, else None.
        step: the step that stopped it.
    """

    run: str | None
    skill: Skill
    basis: Basis
    state: RunState | None
    audit: Audit
    outputs: Mapping[str, Any] = field(default_factory=dict)
    answer: str | None = None
    error: BaseException | None = None
    step: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """``{"run", "skill", "steps", "answer", "audit"}``, the fixed shape of ``run --json``."""
        return {
            "run": self.run,
            "skill": self.skill.name,
            "steps": dict(self.outputs),
            "answer": self.answer,
            "audit": self.audit.to_dict(),
        }


def prove(
    target: Target,
    inputs: Mapping[str, Any] | None = None,
    *,
    prompt: str | None = None,
    answer: str | None = None,
    vouched: str = "cli",
    on_step: Callable[[str], None] | None = None,
) -> Proof:
    """Run a skill by the chain, end the run, audit it and note the audit in the ledger.

    Args:
        target: a package, or a notebook, which is exported to a temporary folder first.
        inputs: the run's inputs; relative paths are sought here, then in the package.
        prompt: what the user asked.
        answer: an answer to judge in place of the chain's own.
        vouched: who vouches for inputs and prompt, ``cli`` or ``case``.
        on_step: is told each step's id before it is called.

    Raises:
        Skills2Error: the skill cannot be exported, loaded or journalled. What a step raises is
            no error of the proof: it is in ``error``.
    """
    with opened(target) as folder:
        basis = basis_of(folder)
        with unending():
            outcome = chain(
                basis.skill,
                inputs,
                prompt=prompt,
                folders=(Path.cwd(), *_beside(target), folder),
                body=basis.body,
                answer=answer,
                vouched=vouched,
                on_step=on_step,
            )
        return proven(basis, outcome)


def audit_run(
    run: str,
    target: Target | None = None,
    *,
    answer: str | None = None,
    asked: Asked | None = None,
) -> Proof:
    """Judge a run by its journal, and note the audit in the ledger.

    Args:
        run: the run's id.
        target: the skill; left out, it is sought by the name in the journal.
        answer: an answer to judge in place of the journal's.
        asked: what the answer is for; a run of another question fails.

    Raises:
        UnknownRunError: no journal has that id.
        UsageError: the run is another skill's.
    """
    named = _skill_named(find(run))
    if not named and target is None:
        raise UsageError(
            f"the start of run {run} cannot be read, so its skill is not known; say which it is"
        )
    with opened(target if target is not None else find_skill(named)) as folder:
        basis = basis_of(folder)
        if named and basis.skill.name != named:
            raise UsageError(f"run {run} is of {named}, not of {basis.skill.name}")
        return judge(basis, run, answer=answer, asked=asked)


def proven(basis: Basis, outcome: Outcome) -> Proof:
    """The proof of a run that a runner has brought to its end."""
    proof = judge(basis, outcome.run.id)
    return replace(proof, error=outcome.error, step=outcome.step)


def judge(
    basis: Basis,
    run: str,
    *,
    answer: str | None = None,
    asked: Asked | None = None,
    alone: bool = False,
) -> Proof:
    """Audit a run by its journal on a basis that is there, and note it in the ledger.

    Its steps are run again behind the wall, and the other runs of its question that are on record
    are looked at too. What needs no process behind the wall is done while one starts.

    Args:
        alone: leave the other runs out: a case is tried as often as its author wants.

    Raises:
        UnknownRunError: no journal has that id.
    """
    skill = basis.skill
    whole, state = examine(
        find(run),
        digest=skill.digest,
        live=skill.live,
        installed=installed_digest(skill.folder) if skill.folder is not None else None,
        earlier=ledger.sound(run),
    )
    dossier = functools.cache(
        lambda: prepare(
            basis,
            state,
            answer=answer,
            integrity=whole,
            asked=asked,
            siblings=() if alone else siblings_of(state),
        )
    )
    seen = gathered(skill, state, find(run), basis.cases, _folders(skill), meanwhile=dossier)
    judged = dossier().judged(*seen)
    ledger.append({**ledger.entry(judged, state, journal.now()), "run": run})
    if not alone:
        _keep_text(run, brief(judged, basis.settings.threshold).text())
    outputs = {id_: call.output for id_, call in state.last.items()}
    return Proof(run, basis.skill, basis, state, judged, outputs, judged.answer)


def _keep_text(run: str, text: str) -> None:
    """Keep what the newest audit of a run found; where that cannot be, the ledger has its codes."""
    with contextlib.suppress(OSError, SetupError):
        kept_folder("pages")
        write_atomic(place_of(run), f"{text}\n".encode(), mode=PRIVATE_FILE)


def _folders(skill: Skill) -> tuple[Path, ...]:
    """Where a case's files are sought: here, then in the skill's folder."""
    return (Path.cwd(), *([skill.folder] if skill.folder is not None else []))


def _skill_named(path: Path) -> str:
    """The skill that a journal's first line names; empty where it cannot be read."""
    record, _ = next(scan(path))
    name = (record or {}).get("skill")
    return name if isinstance(name, str) else ""


def audit_answer(target: Target, answer: str) -> Proof:
    """Judge an answer that no run stands behind: the package is read, and its code not imported."""
    with opened(target) as folder:
        basis = listed_basis(folder)
        judged = audit(basis, None, answer=answer)
        return Proof(None, basis.skill, basis, None, judged, answer=answer)


@contextmanager
def opened(target: Target) -> Iterator[Path]:
    """The folder of a skill's package; a notebook's is made for the while and then removed."""
    if target.kind == "package":
        yield target.path
        return
    with tempfile.TemporaryDirectory(prefix="skills2-") as place:
        yield export(target.path, Path(place), verify=False).folder


def basis_of(folder: Path) -> Basis:
    """What runs of an exported package are judged by.

    Raises:
        PackageError: the folder is no package, or does not import.
    """
    package = read_package(folder)
    with unending():
        skill = load(folder)
    return Basis(
        skill=skill,
        body=package.body,
        anchors=package.manifest.anchors,
        settings=package.manifest.audit,
        constants=constants_in(folder),
        cases=package.cases,
    )


def _beside(target: Target) -> tuple[Path, ...]:
    """A notebook's folder and the folder of its stem, where its files lie."""
    if target.kind == "package":
        return ()
    return (target.path.parent, folder_of(target.path))
