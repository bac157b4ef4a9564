"""`pytest --skills2`, in real pytest processes."""

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.conftest import ADD, CASES, TELL
from tests.evals.small_skill import packaged

MODULE = "skills2_nb.evals.pytest_plugin"
#: An installed kit brings its plugin by itself, and pytest takes none twice.
IS_INSTALLED = any(entry.value == MODULE for entry in entry_points(group="pytest11"))
PLUGIN = () if IS_INSTALLED else ("-p", MODULE)
WRONG = TELL.replace("a total of {total}.", "a total of {total}, of 77 in all.")


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A folder with `skills/trial-skill`, and nothing around it that pytest reads."""
    packaged(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def run(folder: Path, *words: str, plugin: bool = True, **env: str) -> subprocess.CompletedProcess:
    """pytest in a process of its own, in `folder`; its words sorted out of its output."""
    given = PLUGIN if plugin else ()
    return subprocess.run(
        [sys.executable, "-m", "pytest", *given, "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def outcomes(done: subprocess.CompletedProcess) -> dict[str, str]:
    found = re.findall(r"^(?:\[gw\d\] \[ *\d+%\] )?(\S+::.+?) (\w+) ", f"{done.stdout}", re.M)
    other = re.findall(r"^\[gw\d\] \[ *\d+%\] (\w+) (\S+::.+?) *$", done.stdout, re.M)
    return dict(found) | {node: word for word, node in other}


NODE = "skills/trial-skill/skill.toml::{}"
ALL = {NODE.format(case): "PASSED" for case in ("add-1", "case-1", "case-2")}


def test_one_item_a_case_and_no_warning(skills, home):
    done = run(skills, "--skills2", "skills", "-v", "-W", "error", "--strict-markers",
               "--strict-config")  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == ALL
    assert "warning" not in done.stdout and done.stderr == ""
    assert not home.exists(), "an item has a home of its own"


def test_two_workers_share_the_items(skills):
    pytest.importorskip("xdist", reason="the items are handed to two workers")
    done = run(skills, "--skills2", "skills", "-v", "-n", "2")
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == ALL


def test_a_failure_says_what_and_why_and_how_to_see_it_again(skills):
    packaged(skills, tell=WRONG)
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1
    assert outcomes(done) == {**ALL, NODE.format("case-1"): "FAILED"}
    report = done.stdout.partition("= FAILURES =")[2]
    for line in (
        "trial-skill, case case-1: What is the sum of 20, 30 and 41?\n",
        "  - the verdict is fail, not pass (F1_LOW, UNSUPPORTED)\n",
        "Findings (strict):\n  F1_LOW ",
        "    Mend: ",
        f"Again, alone: pytest --skills2 {NODE.format('case-1')}\n",
        "In full: skills2 run skills/trial-skill --case case-1\n",
    ):
        assert line in report
    assert "Traceback" not in done.stdout and "play.py" not in done.stdout
    again = run(skills, "--skills2", NODE.format("case-1"), "-v")
    assert outcomes(again) == {NODE.format("case-1"): "FAILED"}


def test_trials_that_do_not_hold_are_counted(skills):
    packaged(skills, tell=WRONG, cases=CASES.replace(', must_call=["add"]', ", trials=2"))
    done = run(skills, "--skills2", NODE.format("case-1"))
    assert "2 of 2 trials do not hold; the first of them:" in done.stdout


def test_a_package_that_does_not_load_is_an_error_and_others_go_on(skills, tmp_path):
    other = skills / "skills" / "other"
    (skills / "skills" / "trial-skill").rename(other)
    broken = packaged(skills)
    with (broken / "runtime" / "skill.py").open("a") as file:
        file.write("\nraise RuntimeError('no way')\n")
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1
    words = outcomes(done)
    assert {words[NODE.format(case)] for case in ("add-1", "case-1", "case-2")} == {"ERROR"}
    assert words["skills/other/skill.toml::case-1"] == "PASSED"
    assert "trial-skill does not load" in done.stdout and "no way" in done.stdout


CASES_GONE = {
    "no JSON": ("{\n", "not JSON"),
    "no case": ("", "there is no case, so nothing is shown"),
    "an unknown key": ('{"prompt": "Hi", "must_cal": []}\n', "must_call"),
}


@pytest.mark.parametrize(("text", "said"), CASES_GONE.values(), ids=CASES_GONE)
def test_cases_that_cannot_be_played_are_an_error_and_no_silence(skills, text, said):
    (skills / "skills/trial-skill/evals/cases.jsonl").write_text(text)
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1
    assert outcomes(done) == {NODE.format("package"): "ERROR"}
    assert said in done.stdout


def test_a_manifest_without_a_skill_beside_it_is_an_error(skills):
    (skills / "skills/trial-skill/SKILL.md").unlink()
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1 and "there is no SKILL.md" in done.stdout


LEAVES = "import os\n    os.chdir('/')\n    os.environ['LEFT'] = 'x'\n    "
ENDS = "import os\n    os._exit(0)\n    "


def test_a_step_that_ends_the_process_fails_and_the_others_are_played(skills):
    packaged(skills, add=ADD.replace("return Sum", f"{ENDS}return Sum"))
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1, "the exit code of success, and nothing was judged"
    assert outcomes(done)[NODE.format("case-1")] == "FAILED"
    assert "os._exit(0) would end the process that judges it" in done.stdout


def test_an_import_that_ends_the_process_is_an_error(skills):
    broken = skills / "skills" / "trial-skill" / "runtime" / "skill.py"
    broken.write_text(f"{broken.read_text()}\nimport os\n\nos._exit(0)\n")
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1
    assert set(outcomes(done).values()) == {"ERROR"}


def test_what_a_step_does_to_folder_and_environment_goes_with_it(skills):
    packaged(skills, add=ADD.replace("return Sum", f"{LEAVES}return Sum"))
    (skills / "z_test.py").write_text(
        "import os, pathlib\n\n\ndef test_here():\n"
        "    assert pathlib.Path.cwd() == pathlib.Path(__file__).parent\n"
        "    assert 'LEFT' not in os.environ\n"
    )
    done = run(skills, "--skills2", "skills", "z_test.py", "-v")
    assert done.returncode == 0, done.stdout


def test_what_a_case_says_is_one_line_that_no_build_obeys(skills):
    asked = '"What is\\n::error::it\\x1b[2J?"'
    text = CASES.replace('"What is the sum of 20, 30 and 41?"', asked)
    assert text != CASES
    packaged(skills, tell=WRONG, cases=text)
    done = run(skills, "--skills2", "skills", "-v")
    assert done.returncode == 1
    assert "What is\\n::error::it\\x1b[2J?" in done.stdout
    assert "\n::error" not in done.stdout and "\x1b" not in done.stdout


def test_tags_are_words_that_k_finds(skills):
    packaged(skills, cases=CASES.replace(', must_call=["add"]', ', tags=["golden"]'))
    done = run(skills, "--skills2", "skills", "-v", "-k", "golden")
    assert outcomes(done) == {NODE.format("case-1"): "PASSED"}


def test_without_the_option_nothing_happens(skills):
    (skills / "test_other.py").write_text(
        "import sys\n\n\ndef test_light():\n"
        "    kit = {n for n in sys.modules if n.startswith('skills2_nb')}\n"
        "    assert kit == {'skills2_nb', 'skills2_nb.evals', 'skills2_nb.evals.pytest_plugin'}\n"
        "    assert 'pydantic' not in sys.modules\n"
    )
    done = run(skills, "-v", "-p", "no:hypothesispytest")
    assert done.returncode == 0, done.stdout
    assert outcomes(done) == {"test_other.py::test_light": "PASSED"}


def test_the_entry_point_brings_it_and_no_skills2_keeps_it_away(skills, tmp_path):
    """As an installed kit is found: by the entry points of its metadata."""
    import tomllib

    root = Path(__file__).resolve().parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, module),) = project["entry-points"]["pytest11"].items()
    info = tmp_path / "site" / "plug-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    (info / "RECORD").write_text("skills2_nb/__init__.py,,\nskills2_nb/evals/pytest_plugin.py,,\n")
    path = os.pathsep.join([str(info.parent), str(root)])
    done = run(skills, "--skills2", "skills", "-v", "-W", "error", plugin=False, PYTHONPATH=path)
    assert outcomes(done) == ALL
    away = run(skills, "-p", "no:skills2", "--skills2", "skills", plugin=False, PYTHONPATH=path)
    assert away.returncode == 4 and "unrecognized arguments: --skills2" in away.stderr
