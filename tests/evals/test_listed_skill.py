"""What an answer without a run is judged by: the same as with the code, but for the code."""

import dataclasses
import shutil
import sys
from pathlib import Path

import pytest

from skills2_nb.audit.auditor import audit
from skills2_nb.contract.loader import ROOT as LOADED
from skills2_nb.errors import PackageError
from skills2_nb.evals.listed_skill import listed_basis
from skills2_nb.evals.proof import basis_of
from tests.conftest import ROOT
from tests.evals.small_skill import GUARDED, packaged

SHIPPED = [path.parent for path in sorted((ROOT / "skills").glob("*/skill.toml"))]
ANSWER = "The total is 91, and adding up took 3 steps; 12.5 % more than the 80 of last week."


def facts(basis):
    found = audit(basis, None, answer=ANSWER)
    return dataclasses.replace(found, steps=()).to_dict(), [view.step for view in found.steps]


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda path: path.name)
def test_it_is_judged_as_by_the_code(folder: Path) -> None:
    pytest.importorskip("pandas")
    listed = listed_basis(folder)
    loaded = basis_of(folder)
    assert facts(listed) == facts(loaded)
    assert (listed.skill.name, listed.skill.version) == (loaded.skill.name, loaded.skill.version)
    assert (listed.skill.digest, listed.skill.ids) == (loaded.skill.digest, loaded.skill.ids)


def test_a_step_with_a_guard_is_owed(tmp_path: Path) -> None:
    package = packaged(tmp_path, tell=GUARDED)
    assert facts(listed_basis(package)) == facts(basis_of(package))
    assert [step.required for step in listed_basis(package).skill.steps] == [True, True]


def test_nothing_is_imported_and_nothing_can_be_called(tmp_path: Path) -> None:
    package = packaged(tmp_path)
    (package / "runtime" / "__init__.py").write_text("raise SystemExit(7)\n")
    (package / "runtime" / "steps.py").write_text("raise SystemExit(7)\n")
    before = {name for name in sys.modules if name.startswith(LOADED)}
    skill = listed_basis(package).skill
    with pytest.raises(PackageError, match="only read"):
        skill.steps[0].fn()
    assert {name for name in sys.modules if name.startswith(LOADED)} == before


def test_no_package(tmp_path: Path) -> None:
    package = packaged(tmp_path)
    shutil.rmtree(package)
    with pytest.raises(PackageError):
        listed_basis(package)
