"""Scripts of a skill, run with bounds."""

import os
import sys
from pathlib import Path

import pytest

from skills2_nb.errors import UsageError
from skills2_nb.sandbox import executor, wall

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill's folder with an empty `scripts/`."""
    (tmp_path / "skill" / "scripts").mkdir(parents=True)
    return tmp_path / "skill"


def script(skill: Path, text: str, name: str = "scripts/it.py", mode: int = 0o644) -> Path:
    path = skill / name
    path.write_text(text)
    path.chmod(mode)
    return path


def test_words_reach_the_program_as_they_are(skill: Path) -> None:
    path = script(skill, "import os, sys\nprint(sys.argv[1:], os.getcwd())\n")
    ran = executor.run(skill, path, ["a b", "$(touch x)", ";", "*"])
    assert (ran.ended, ran.exit_code) == ("exit", 0)
    assert ran.stdout == f"['a b', '$(touch x)', ';', '*'] {skill}\n"
    assert not (skill / "x").exists()


@pytest.mark.parametrize("stands", [True, False])
def test_bounds_hold_with_a_wall_and_without(
    stands: bool, skill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not stands:
        monkeypatch.setattr(wall, "_bubblewrap", lambda: None)
    late = script(skill, "import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    ran = executor.run(skill, late, seconds=1.5)
    assert (ran.ended, ran.exit_code, ran.stdout) == ("timeout", None, "begun\n")
    loud = script(skill, "while True:\n    print('x' * 1000)\n", "scripts/loud.py")
    ran = executor.run(skill, loud, output_bytes=5_000)
    assert ran.ended == "output" and len(ran.stdout) == 5_000
    failing = script(skill, "import sys\nsys.exit(3)\n", "scripts/fails.py")
    ran = executor.run(skill, failing)
    assert (ran.exit_code, ran.wall is not None) == (3, wall.standing() == "bubblewrap" and stands)


def test_other_programs_run_themselves(skill: Path) -> None:
    text = f"#!{sys.executable}\nprint('itself')\n"
    path = script(skill, text, "scripts/itself", 0o755)
    assert executor.run(skill, path).stdout == "itself\n"
    with pytest.raises(UsageError, match="make it executable"):
        executor.run(skill, script(skill, text, "scripts/plain"))


def test_only_scripts_are_run(skill: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("print('out')\n")
    (skill / "scripts" / "link.py").symlink_to(outside)
    for path in (outside, skill / "scripts" / "link.py", skill / "scripts" / "none.py"):
        with pytest.raises(UsageError, match="scripts/"):
            executor.run(skill, path)
    with pytest.raises(UsageError, match="scripts/"):
        executor.run(skill, script(skill, "", "other.py"))
