"""Packages: loaded under names of their own, and clear about what is wrong."""

import sys
from pathlib import Path

import pytest

from skills2_nb.contract.errors import DefinitionError, PackageError
from skills2_nb.contract.loader import describe, files, load, package_digest
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

CODE = '''
from pydantic import BaseModel

from skills2_nb import step

class Sum(BaseModel):
    total: int

def is_sum(values, total):
    return total == sum(values)

@step(invariants=["runtime.validators:is_sum"], report=["total"])
def add(values: list[int]) -> Sum:
    """Add up."""
    return Sum(total=sum(values) + {shift})
'''
TOML = """
schema = 1
[skill]
name = "{name}"
version = "1.2.3"
[runtime]
timeout = 5
redact = ["x"]
[[steps]]
id = "add"
order = 1
fn = "runtime.steps:add"
"""


def package(folder: Path, name: str = "adds-up", code: str = CODE, shift: int = 0) -> Path:
    place = folder / name
    (place / "runtime").mkdir(parents=True)
    (place / "SKILL.md").write_text(f"---\nname: {name}\n---\n")
    (place / "skill.toml").write_text(TOML.format(name=name))
    (place / "runtime/__init__.py").write_text("")
    (place / "runtime/skill.py").write_text(code.replace("{shift}", str(shift)))
    (place / "runtime/steps.py").write_text("from .skill import add\n")
    return place


def test_a_package_runs(tmp_path: Path) -> None:
    skill = load(package(tmp_path))
    assert (skill.name, skill.version, skill.ids) == ("adds-up", "1.2.3", ("add",))
    assert (skill.runtime.timeout, skill.runtime.redact) == (5.0, ("x",))
    assert skill.digest == package_digest(tmp_path / "adds-up")
    run = Run.start(skill, {"values": [1, 2]})
    assert walk(run).outputs["add"].total == 3
    assert run.state.digest == skill.digest


def test_many_packages_and_two_states_of_one_live_side_by_side(tmp_path: Path) -> None:
    skills = [load(package(tmp_path / str(n), f"adds-{n}", shift=n)) for n in range(40)]
    place = package(tmp_path / "again", "adds-1", shift=1)
    (place / "references").mkdir()
    (place / "references/new.md").write_text("x")
    skills.append(load(place))
    names = {skill.steps[0].fn.__module__ for skill in skills}
    assert len(names) == 41
    assert all(name.startswith("_skills2.adds_") for name in names)
    totals = [skill.steps[0].fn([0]).total for skill in skills]
    assert totals == [*range(40), 1]
    assert "runtime" not in sys.modules


def test_loading_leaves_no_trace_in_the_package(tmp_path: Path) -> None:
    place = package(tmp_path)
    before = sorted(p.name for p in place.rglob("*"))
    load(place)
    assert sorted(p.name for p in place.rglob("*")) == before


def test_the_digest_is_of_all_but_evals_and_caches(tmp_path: Path) -> None:
    place = package(tmp_path)
    before = package_digest(place)
    for name in ("evals/cases.jsonl", "runtime/__pycache__/x.pyc"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text("x")
    assert package_digest(place) == before
    assert "evals/cases.jsonl" not in files(place)
    (place / "assets").mkdir()
    (place / "assets/a.txt").write_text("x")
    assert package_digest(place) != before


def test_what_export_wants_to_know(tmp_path: Path) -> None:
    told = describe(package(tmp_path))["steps"]["add"]
    assert told["input"]["required"] == ["values"]
    assert told["output"]["properties"]["total"]["type"] == "integer"


@pytest.mark.parametrize(
    ("old", "new", "error", "says"),
    [
        ("return Sum", "return Nothing(", PackageError, r"skill.py, line 15: SyntaxError"),
        ("from skills2_nb", "from gone", PackageError, "skill.py, line 4: ModuleNotFound"),
        ("class Sum", "1 / 0\nclass Sum", PackageError, "skill.py, line 6: ZeroDivision"),
        ("class Sum", "raise SystemExit\nclass Sum", PackageError, "skill.py, line 6: SystemExit"),
        ("def add", "def more", PackageError, "does not import"),
        ('is_sum"]', 'is_gone"]', DefinitionError, "no 'is_gone' beside it"),
        ('report=["total"]', 'report=["sum"]', DefinitionError, "reports 'sum', which is no field"),
        ("report=", 'bind={"z": "a#/b"}, report=', DefinitionError, "binds 'z'"),
        ("report=", 'bind={"values": "b#/c"}, report=', DefinitionError, "no result of a step"),
        ("list[int])", "'Gone')", DefinitionError, "annotation that nothing defines"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, old: str, new: str, error: type, says: str) -> None:
    place = package(tmp_path, code=CODE.replace(old, new, 1))
    with pytest.raises(error, match=says):
        describe(place)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("skill.toml", None, "no skill.toml"),
        ("skill.toml", "x = [", "cannot be read"),
        ("runtime/steps.py", None, "no runtime/steps.py"),
        ("skill.toml", TOML.replace('id = "add"', 'id = "plus"'), "disagree about add, plus"),
    ],
)
def test_a_folder_that_is_no_package_says_why(tmp_path, name, text, says) -> None:
    place = package(tmp_path)
    if text is None:
        (place / name).unlink()
    else:
        (place / name).write_text(text)
    with pytest.raises(PackageError, match=says):
        load(place)


def test_a_package_that_failed_can_be_loaded_once_mended(tmp_path: Path) -> None:
    place = package(tmp_path, code="1 / 0")
    with pytest.raises(PackageError):
        load(place)
    (place / "runtime/skill.py").write_text(CODE.replace("{shift}", "0"))
    assert load(place).ids == ("add",)
