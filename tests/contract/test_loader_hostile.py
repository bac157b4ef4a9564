"""Packages that were edited, moved, or written to make trouble."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.errors import PackageError
from skills2_nb.contract.loader import load, package_digest

from .test_loader import CODE, TOML, package

STATE = CODE.replace(
    'def add(values: list[int]) -> Sum:\n    """Add up."""\n',
    'def add(values: list[int]) -> Sum:\n    """Add up."""\n'
    "    SEEN.extend(values)\n    values = SEEN\n",
).replace("class Sum", "SEEN = []\n\nclass Sum")


def total(skill: Any, *values: int) -> int:
    return int(skill.steps[0].fn(list(values)).total)


def test_two_versions_share_no_state_and_one_version_is_loaded_once(tmp_path: Path) -> None:
    one = package(tmp_path / "one", code=STATE)
    two = package(tmp_path / "two", code=STATE + "\nVERSION = 2\n")
    first, second = load(one), load(two)
    assert (total(first, 1), total(first, 2), total(second, 5)) == (1, 3, 5)
    assert total(load(one), 4) == 7
    assert load(one).steps[0].fn is first.steps[0].fn


def test_an_edit_is_seen_whatever_a_compiled_copy_says(tmp_path: Path) -> None:
    """A copy made in the same second, of a text of the same length, is the old text's."""
    place = package(tmp_path, shift=1)
    code = place / "runtime" / "skill.py"
    before = load(place)
    stamp = code.stat()
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(place / "runtime")], check=True)
    assert list((place / "runtime" / "__pycache__").glob("skill.*.pyc"))
    code.write_text(code.read_text().replace("+ 1", "+ 7"))
    os.utime(code, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    after = load(place)
    assert (total(before, 0), total(after, 0)) == (1, 7)
    assert before.digest != after.digest


def test_late_imports_write_nothing_either(tmp_path: Path) -> None:
    code = CODE.replace(
        "    return Sum(total=sum(values) + {shift})",
        "    from .late import SHIFT\n    return Sum(total=sum(values) + SHIFT)",
    )
    place = package(tmp_path, code=code)
    (place / "runtime/late.py").write_text("SHIFT = 0\n")
    skill = load(place)
    assert total(skill, 2) == 2
    assert not list(place.rglob("__pycache__"))


def test_caches_that_cannot_be_written_are_not_wanted(tmp_path: Path) -> None:
    place = package(tmp_path)
    (place / "runtime" / "__pycache__").write_text("a file where the folder would be")
    assert total(load(place), 1) == 1


def test_the_same_bytes_from_a_place_that_is_gone(tmp_path: Path) -> None:
    code = CODE + "\nfrom pathlib import Path\nHERE = Path(__file__).parent\n"
    gone = package(tmp_path / "first", code=code)
    load(gone)
    second = package(tmp_path / "second", code=code)
    gone.rename(tmp_path / "moved")
    skill = load(second)
    assert skill.steps[0].fn.__globals__["HERE"] == second / "runtime"
    assert total(skill, 3) == 3


@pytest.mark.parametrize("name", ["3d-plots", "a.b.c", "Ünï-çode", "with blank", "a" * 100, "..x"])
def test_any_name_is_one_module(tmp_path: Path, name: str) -> None:
    place = package(tmp_path)
    (place / "skill.toml").write_text(TOML.format(name=name), encoding="utf-8")
    skill = load(place)
    assert skill.name == name
    assert skill.steps[0].fn.__module__.count(".") == 3
    assert total(skill, 1, 2) == 3


TROUBLE = [
    ("raise SystemExit(3)", r"skill.py, line 5: SystemExit: 3"),
    ("import sys; sys.exit('bye')", "SystemExit: bye"),
    ("from adds_up import step", "ModuleNotFoundError"),
    ("from runtime.skill import add", "ModuleNotFoundError"),
    ("from .steps import add", "circular import|partially initialized"),
    ("from .circle import x", "circular import|partially initialized"),
    ("def f(): f()\nf()", "RecursionError"),
    ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "does not import"),
    ("raise BaseException('odd')", "BaseException: odd"),
]


@pytest.mark.parametrize(("line", "says"), TROUBLE)
def test_code_that_makes_trouble_is_one_sentence(tmp_path: Path, line: str, says: str) -> None:
    code = CODE.replace("from skills2_nb import step", f"from skills2_nb import step\n{line}")
    place = package(tmp_path, code=code)
    (place / "runtime/circle.py").write_text("from .skill import add\nx = 1\n")
    before = set(sys.modules)
    with pytest.raises(PackageError, match=says):
        load(place)
    assert not [name for name in set(sys.modules) - before if name.startswith("_skills2.")]


def test_code_that_prints_and_starts_threads_loads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = "import threading\nt = threading.Thread(target=print, args=('hi',))\n"
    started += "t.start()\nt.join()\nprint('ho')"
    code = CODE.replace("from skills2_nb import step", f"from skills2_nb import step\n{started}")
    assert total(load(package(tmp_path, code=code)), 1) == 1
    assert capsys.readouterr().out == "hi\nho\n"


def test_threads_load_at_once(tmp_path: Path) -> None:
    places = [package(tmp_path / str(n), f"adds-{n}", shift=n) for n in range(6)]
    bad = package(tmp_path / "bad", "bad", code="1 / 0")
    start = threading.Barrier(24)
    found: list[tuple[int, int]] = []
    faults: list[str] = []

    def work(number: int) -> None:
        start.wait()
        try:
            load(bad)
        except PackageError as error:
            faults.append(error.kind)
        found.append((number % 6, total(load(places[number % 6]), 0)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == ["package"] * 24
    assert sorted(found) == sorted((n % 6, n % 6) for n in range(24))
    modules = {load(place).steps[0].fn.__module__ for place in places}
    assert len(modules) == 6


@pytest.mark.parametrize(
    "text",
    [
        'steps = "x"\n[skill]\nname = "a"',
        '[[steps]]\nfn = "a"\n[skill]\nname = "a"',
        '[[steps]]\nid = 3\n[skill]\nname = "a"',
        '[[steps]]\nid = "add"\norder = "1"\n[skill]\nname = "a"',
        'skill = "a"',
        'runtime = 3\n[skill]\nname = "a"',
        '[skill]\nname = "a"\n[runtime]\ntimeout = "soon"',
        '[skill]\nname = "a"\n[runtime]\nredact = 3',
        "steps = [1, 2]",
    ],
)
def test_a_manifest_of_another_shape_is_one_sentence(tmp_path: Path, text: str) -> None:
    place = package(tmp_path)
    (place / "skill.toml").write_text(text)
    with pytest.raises(PackageError):
        load(place)


@pytest.mark.skipif(os.name == "nt", reason="names are bytes on POSIX alone")
def test_odd_files_are_digested_or_typed(tmp_path: Path) -> None:
    place = package(tmp_path)
    before = package_digest(place)
    odd = Path(os.fsdecode(os.fsencode(place) + b"/assets-\xff.bin"))
    try:
        odd.write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    assert package_digest(place) != before
    assert total(load(place), 1) == 1
