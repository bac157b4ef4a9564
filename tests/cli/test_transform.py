"""`skills2 transform`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs/transforming.md"
SKILL = """---
name: review
description: Reviews a change. Use when someone asks to review a change.
---

# Review

## Workflow

1. **Read the change** - all of it
2. Run the tests
"""


@pytest.fixture
def review(bare):
    folder = bare / "from" / "review"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return folder


def test_it_says_what_it_found_and_what_comes_next(skills2, review):
    done = skills2("transform", review, "-o", "drafts")
    assert done.code == 0
    assert done.out.startswith("review: 2 steps, read from the list below 'Workflow' (line 10)\n")
    assert "  line   11  run_the_tests    Run the tests\n" in done.out
    assert done.out.endswith("  skills2 export drafts/review.ipynb\n")
    assert skills2("lint", "drafts/review.ipynb").code == 0
    assert skills2("run", "drafts/review.ipynb").code == 1
    assert skills2("export", "drafts/review.ipynb", "--check").code == 0


def test_the_same_as_json(skills2, review):
    made = skills2("transform", review, "--json").json
    assert made["skill"] == "review"
    assert (made["notebook"], made["package"]) == ("review.ipynb", "review")
    assert made["flow"] == {
        "found": True,
        "source": "the list below 'Workflow' (line 10)",
        "line": 10,
    }
    assert made["steps"][0] == {"id": "read_the_change", "title": "Read the change", "line": 10}
    assert len(made["cases"]) == 3
    assert made["findings"] == []


def test_a_section_a_step_is_told(skills2, review):
    (review / "SKILL.md").write_text("# X\n\n## Colors\n\na\n\n## Fonts\n\nb\n", encoding="utf-8")
    done = skills2("transform", review)
    assert "T001 warning" in done.out
    assert "F301 warning" not in done.out


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda folder: (folder / "skill.toml").write_text("schema = 1\n"), 1, "skills2 import"),
        (lambda folder: (folder / "SKILL.md").unlink(), 2, "no SKILL.md"),
        (lambda folder: (folder / "SKILL.md").write_bytes(b"\xff"), 2, "not UTF-8"),
        (lambda folder: Path("review.ipynb").write_text("{}"), 1, "--force"),
    ],
)
def test_what_is_refused_is_refused_in_a_sentence(review, change, code, said):
    change(review)
    done = subprocess.run(
        [sys.executable, "-m", "skills2_nb.cli.main", "transform", str(review)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("review").exists()


def test_a_name_that_breaks_the_rule_is_told(skills2, review):
    text = SKILL.replace("name: review", "name: Code Review")
    (review / "SKILL.md").write_text(text, encoding="utf-8")
    done = skills2("transform", review)
    assert done.code == 1
    assert "F304 error" in done.out
    assert "no package" in done.out


@pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are for a POSIX shell")
def test_the_example_of_the_page(skills2, bare):
    shell, prints = re.findall(r"```\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[:2]
    make, _, command = shell.rpartition("skills2 ")
    subprocess.run(["sh", "-c", make], check=True)
    assert skills2(*command.split()).out == prints
