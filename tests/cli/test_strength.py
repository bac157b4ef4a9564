"""skills2 strength."""

import json
import os
import subprocess
import sys

import pytest

from skills2_nb.library import runs

WEAK = """def total_takes_every_day(total, average, daily):
    return isinstance(total, int)
"""


def test_the_starter_is_strong(desk, skills2, home):
    done = skills2("strength", "weekly-numbers")
    assert (done.code, done.err) == (0, "")
    assert "5 of 5 invariants effective, 4 of 4 report fields checked" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert runs.journals() == []
    (kept,) = (home / "index" / "strength").iterdir()
    assert json.loads(kept.read_text())["strength"]["tallies"]


def test_a_notebook_is_measured_too_and_nothing_is_kept(desk, skills2, home):
    done = skills2("strength", "weekly-numbers.ipynb", "--json")
    assert done.code == 0
    assert list(done.json) == ["skill", "over", "steps"]
    first = done.json["steps"][0]
    assert (first["step"], first["required"], first["calls"]) == ("add_up_week", True, 1)
    assert all(item["effective"] for step in done.json["steps"] for item in step["invariants"])
    assert not (home / "index").exists()


def test_over_one_run(desk, skills2):
    ran = skills2("run", "weekly-numbers", "--json").json["run"]
    done = skills2("strength", "weekly-numbers", "--run", ran, "--json")
    assert (done.code, done.json["over"]) == (0, f"run {ran}")


def weaken(desk):
    path = desk / "weekly-numbers.ipynb"
    raw = json.loads(path.read_text())
    for cell in raw["cells"]:
        text = "".join(cell["source"])
        if "def total_takes_every_day" in text:
            start = text.index("def average_leads_back_to_total")
            begin = text.index("def total_takes_every_day")
            cell["source"] = text[:begin] + WEAK + "\n\n" + text[start:]
    path.write_text(json.dumps(raw))


def test_a_weak_step_gives_one(desk, skills2):
    weaken(desk)
    done = skills2("strength", "weekly-numbers.ipynb")
    assert "✗ total_takes_every_day" in done.out
    assert done.code == 0, "another invariant of the step still notices"
    text = (desk / "weekly-numbers.ipynb").read_text()
    assert "invariants=[total_takes_every_day, average_leads_back_to_total]" in text
    (desk / "weekly-numbers.ipynb").write_text(
        text.replace(
            "[total_takes_every_day, average_leads_back_to_total]", "[total_takes_every_day]"
        )
    )
    done = skills2("strength", "weekly-numbers.ipynb")
    assert done.code == 1
    assert "report field total: no invariant notices another value" in done.out


def test_no_call_gives_three(desk, skills2):
    (desk / "skills" / "weekly-numbers" / "evals" / "cases.jsonl").write_text("")
    done = skills2("strength", "weekly-numbers")
    assert done.code == 3
    assert "no case could be run" in done.out and "no call of it succeeded" in done.out


BAD = [
    (["strength"], "Missing argument"),
    (["strength", "nobody"], "no skill 'nobody'"),
    (["strength", "weekly-numbers", "--run", "19990101"], "no run '19990101'"),
    (["strength", "weekly-numbers", "--run", ""], "run"),
    (["strength", "weekly-numbers", "--what"], "--what"),
    (["strength", "broken.ipynb"], "broken.ipynb"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_wrong_use_is_one_sentence_and_two(desk, home, words, said):
    """Through the real process, as a shell sees it."""
    (desk / "broken.ipynb").write_text("{")
    done = subprocess.run(
        [sys.executable, "-c", "from skills2_nb.cli.main import main; main()", *words],
        cwd=desk,
        env={**os.environ, "SKILLS2_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr


def test_the_run_of_another_skill_is_refused(desk, skills2):
    ran = skills2("run", "weekly-numbers", "--json").json["run"]
    assert skills2("new", "other-numbers").code == 0
    done = skills2("strength", "other-numbers.ipynb", "--run", ran)
    assert done.code == 2
    assert f"run {ran} is of weekly-numbers, not of other-numbers" in done.err
