"""kit.py finds the kit, or says in one sentence that there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert import launcher

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
HIT = '#!/bin/sh\necho "$0 $@"\n'


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """kit.py in a folder of its own."""
    return Path(shutil.copy(launcher.__file__, tmp_path / "kit.py"))


def program(place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(HIT)
    place.chmod(0o755)
    return place


def started(
    kit: Path, *words: str, flags: tuple[str, ...] = ("-S",), **environ: str
) -> subprocess.CompletedProcess[str]:
    """kit.py in a Python that has no kit, unless the flags say otherwise."""
    return subprocess.run(
        [sys.executable, *flags, str(kit), *words],
        env={"PATH": "/nowhere", "HOME": str(kit.parent), **environ},
        cwd=kit.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("flags", [("-S",), ("-I", "-S")])
def test_without_a_kit_one_sentence_says_how_to_get_it(kit: Path, flags: tuple[str, ...]) -> None:
    done = started(kit, "serve", flags=flags, SKILLS2_HOME=str(kit.parent))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "this plugin needs skills2-nb, and no Python here has it; install it for Python 3.11 or "
        "newer (python3 -m pip install skills2-nb), or name a Python that has it in "
        "SKILLS2_PYTHON.\n"
    )


@pytest.mark.parametrize("flags", [(), ("-I",)])
def test_the_python_it_runs_in_comes_before_the_path(kit: Path, flags: tuple[str, ...]) -> None:
    program(kit.parent / "bin" / "skills2")
    done = started(kit, "--version", flags=flags, PATH=str(kit.parent / "bin"))
    assert (done.returncode, done.stdout[:8], done.stderr) == (0, "skills2 ", "")


def test_then_the_path_then_the_environment_in_the_data_folder(kit: Path) -> None:
    data = kit.parent / "data"
    python = program(data / "venv" / "bin" / "python")
    found = {"SKILLS2_HOME": str(data)}
    assert started(kit, "a b", **found).stdout == f"{python} -P -m skills2_nb.cli.main a b\n"
    isolated = started(kit, "a", flags=("-I", "-S"), **found).stdout
    assert isolated == f"{python} -I -m skills2_nb.cli.main a\n"
    script = program(kit.parent / "bin" / "skills2")
    done = started(kit, "a", "b c", PATH=str(script.parent), **found)
    assert done.stdout == f"{script} a b c\n"


def test_what_the_user_names_comes_first(kit: Path) -> None:
    python = program(kit.parent / "mine" / "python")
    done = started(kit, "serve", flags=(), SKILLS2_PYTHON=str(python))
    assert done.stdout == f"{python} -P -m skills2_nb.cli.main serve\n"
    done = started(kit, "serve", flags=(), SKILLS2_PYTHON="/no/python")
    assert done.returncode == 4
    assert done.stderr.startswith("SKILLS2_PYTHON is /no/python, and there is no such file; ")
    python.chmod(0o644)
    done = started(kit, "serve", flags=(), SKILLS2_PYTHON=str(python))
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "cannot be started" in done.stderr


def test_what_lies_in_the_working_folder_is_not_imported(kit: Path) -> None:
    (kit.parent / "click.py").write_text("raise SystemExit('a stranger was imported')")
    done = started(kit, "--version", flags=())
    assert (done.returncode, done.stdout[:8]) == (0, "skills2 ")


def test_the_part_of_the_kit_that_a_skill_carries_is_no_kit(kit: Path) -> None:
    place = kit.parent / "skills2_nb"
    place.mkdir()
    (place / "__init__.py").write_text("")
    assert started(kit, "serve").returncode == 4


def test_exit_codes_come_through(kit: Path) -> None:
    assert started(kit, "nonsense", flags=()).returncode == 2
