"""One skill in three versions: prose, stubs, contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skills2_nb.audit.auditor import Basis
from skills2_nb.convert.transform import transform
from skills2_nb.errors import PackageError
from skills2_nb.evals.chosen import Chosen
from skills2_nb.evals.play import Stage, play
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.result import Result
from skills2_nb.evals.standings import Arm, Version
from skills2_nb.formats.cases import Case, RunCase

#: Is told the version and the case's id before a case is played.
Told = Callable[[str, str], None]


def arms_of(
    folder: Path,
    place: Path,
    *,
    contract: Arm | None = None,
    told: Told | None = None,
    chosen: Chosen | None = None,
) -> tuple[Arm, ...]:
    """A skill's cases on its three versions, and the cases that a program reads from its prose.

    The prose is the SKILL.md alone, answered with itself. The stubs are what ``transform`` makes
    of that SKILL.md, walked in order; where the prose names the steps as the contract does, the
    author's cases find them. The contract is the package as it is.

    Args:
        folder: the package.
        place: an empty folder for the stubs.
        contract: the contract's arm, where it was played before.
        told: hears of each case.
        chosen: which cases; left out, all.

    Raises:
        PackageError: the package does not load, or its prose gives no step.
    """
    basis = basis_of(folder)
    folders = (Path.cwd(), folder)
    wanted = (chosen or Chosen()).wants
    own = [case for case in basis.cases if isinstance(case, RunCase) and wanted(case)]
    made = stubs_of(folder, place)
    stubs = basis_of(made)
    read = [case for case in stubs.cases if isinstance(case, RunCase) and wanted(case)]
    return (
        _arm("v1", basis, folders, own, told),
        _arm("stubs", stubs, (*folders, made), own, told),
        contract or _arm("contract", basis, folders, own, told),
        _arm("v1", stubs, (made,), read, told, generated=True),
        _arm("stubs", stubs, (made,), read, told, generated=True),
    )


def null_arm(folder: Path, told: Told | None = None, chosen: Chosen | None = None) -> Arm:
    """The author's cases answered with the prose: what shows which of them show nothing."""
    basis, wanted = basis_of(folder), (chosen or Chosen()).wants
    own = [case for case in basis.cases if isinstance(case, RunCase) and wanted(case)]
    return _arm("v1", basis, (Path.cwd(), folder), own, told)


def stubs_of(folder: Path, place: Path) -> Path:
    """The package of stubs that ``transform`` reads from a skill's SKILL.md.

    Args:
        folder: the skill.
        place: where it goes, an empty folder.

    Raises:
        PackageError: the prose gives no package.
    """
    plain = place / "prose" / folder.resolve().name
    plain.mkdir(parents=True)
    (plain / "SKILL.md").write_bytes((folder / "SKILL.md").read_bytes())
    done = transform(plain, place / "stubs")
    if done.package is None:
        raise PackageError(
            f"no stubs could be made of {folder / 'SKILL.md'}: {done.plan.blocking[0].sentence()}"
        )
    return done.package.folder


def played(
    stage: Stage, cases: Sequence[Case], told: Callable[[str], None] | None = None
) -> Iterator[Result]:
    """The results of cases in order, each announced before it is played."""
    for case in cases:
        if told is not None:
            told(case.id)
        yield from play(stage, case)


def _arm(
    version: Version,
    basis: Basis,
    folders: tuple[Path, ...],
    cases: Sequence[Case],
    told: Told | None,
    *,
    generated: bool = False,
) -> Arm:
    stage = Stage(basis, folders, "null" if version == "v1" else "chain")
    heard = None if told is None else (lambda case: told(version, case))
    return Arm(version, tuple(played(stage, cases, heard)), generated)
