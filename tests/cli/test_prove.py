"""run, audit, explain."""

import json

import pytest

from skills2_nb.library import runs

WEEK = [12, 9, 14, 11, 20, 31, 18]
PROFILE = ["score", "coverage", "consistency", "anchoring", "verdict", "findings", "not_checked"]


def asked(home):
    path = home / "ledger" / "unknown.jsonl"
    return (
        [json.loads(line)["asked"] for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


def newest():
    return runs.newest("weekly-numbers").run


def test_run_json_has_the_fixed_shape(desk, skills2):
    (desk / "in.json").write_text(json.dumps({"daily": WEEK}))
    done = skills2("run", "weekly-numbers", "--inputs", "in.json", "--json")
    assert (done.code, done.err) == (0, "")
    assert list(done.json) == ["run", "skill", "steps", "answer", "audit"]
    assert done.json["skill"] == "weekly-numbers"
    assert done.json["run"] == newest()
    assert done.json["steps"]["add_up_week"] == {"total": 115, "average": 16.4}
    assert done.json["steps"]["write_readout"]["readout"] == done.json["answer"]
    for profile in ("classic", "strict"):
        assert list(done.json["audit"][profile]) == PROFILE
        assert done.json["audit"][profile]["verdict"] == "pass"
        assert done.json["audit"][profile]["not_checked"] == []


def test_run_reads_stdin_and_pairs_win(desk, skills2):
    words = ["--inputs", "-", "-i", "daily=[1,1,1,1,1,1,1]", "--json"]
    done = skills2("run", "weekly-numbers", *words, input=json.dumps({"daily": WEEK}))
    assert done.json["steps"]["add_up_week"]["total"] == 7


def test_run_prints_answer_steps_and_both_profiles(desk, skills2):
    done = skills2("run", "weekly-numbers", "-i", f"daily={WEEK}")
    assert done.code == 0
    for said in ("Answer", "The week came to a total of 115", "add_up_week", "strict", "classic",
                 "calls run again", "5 of 5 invariants can fail."):  # fmt: skip
        assert said in done.out
    assert "\x1b" not in done.out
    assert done.err == ""


def test_without_inputs_the_first_case_is_run(desk, skills2):
    done = skills2("run", "weekly-numbers")
    assert done.out.startswith("Case a-full-week: How did the week go?")
    assert "total of 115" in done.out
    assert "How did the week go?" in runs.state(runs.find(newest())).prompt


def test_a_case_gives_what_was_not_given(desk, skills2):
    done = skills2("run", "weekly-numbers", "--case", "a-part-of-a-week", "--json")
    assert done.code == 1
    assert done.json["answer"] is None
    assert "STEP_FAILED" in {item["code"] for item in done.json["audit"]["classic"]["findings"]}
    done = skills2("run", "weekly-numbers", "--case", "a-part-of-a-week", "-i", f"daily={WEEK}",
                   "--prompt", "Again?", "--json")  # fmt: skip
    assert done.code == 0
    assert runs.state(runs.find(newest())).prompt == "Again?"


def test_a_step_that_fails_is_a_verdict_and_no_crash(desk, skills2):
    done = skills2("run", "weekly-numbers", "-i", "daily=[1,2]")
    assert done.code == 1
    assert "A week has seven daily counts and here are 2" in done.out
    assert "Traceback" not in done.out + done.err


def test_a_notebook_runs_as_it_is(desk, skills2):
    done = skills2("run", "weekly-numbers.ipynb", "--json")
    assert done.code == 0
    assert skills2("audit", "weekly-numbers.ipynb", "--json").json["run"] == done.json["run"]


def test_html_is_a_page_of_the_run(desk, skills2):
    done = skills2("run", "weekly-numbers", "--html", "pages/a.html")
    assert done.out.splitlines()[-1] == f"Page: {desk / 'pages' / 'a.html'}"
    text = (desk / "pages" / "a.html").read_text()
    assert newest() in text
    assert "<script" not in text


def test_audit_of_a_run_by_its_beginning(desk, skills2):
    first = skills2("run", "weekly-numbers", "--json").json["run"]
    done = skills2("audit", first[:-2], "--json")
    assert done.code == 0
    assert done.json["run"] == first
    assert list(done.json["audit"]["strict"]) == PROFILE


def test_audit_of_a_skill_takes_the_newest_run_and_says_so(desk, skills2):
    skills2("run", "weekly-numbers")
    second = skills2("run", "weekly-numbers", "-i", "daily=[1,2]", "--json").json["run"]
    done = skills2("audit", "weekly-numbers")
    assert done.code == 1
    assert done.out.startswith(f"The newest run of weekly-numbers: {second}.\n")


def test_audit_judges_another_answer(desk, skills2):
    skills2("run", "weekly-numbers")
    (desk / "a.md").write_text("The total was 999, the average 16.4, the busiest Saturday (31).")
    done = skills2("audit", "weekly-numbers", "--answer", "a.md", "--json")
    codes = {item["code"] for item in done.json["audit"]["strict"]["findings"]}
    assert "CONTRADICTED" in codes
    assert done.json["answer"].startswith("The total was 999")


def test_prose_alone_is_a_quarter(desk, skills2):
    done = skills2("audit", "weekly-numbers", "--no-run", "--answer",
                   "skills/weekly-numbers/SKILL.md", "--json")  # fmt: skip
    assert done.code == 1
    assert done.json["run"] is None
    classic = done.json["audit"]["classic"]
    assert (classic["score"], classic["verdict"]) == (0.25, "fail")
    assert runs.journals() == [], "judging an answer makes no run"


def test_every_audit_of_a_run_is_in_the_ledger(desk, skills2, home):
    skills2("run", "weekly-numbers")
    skills2("audit", "weekly-numbers")
    lines = (home / "ledger" / "audits.jsonl").read_text().splitlines()
    assert [json.loads(line)["run"] for line in lines] == [newest()] * 2


def test_a_journal_rewritten_after_an_audit_is_tampered(desk, skills2):
    skills2("run", "weekly-numbers")
    path = runs.find(newest())
    path.write_bytes(path.read_bytes().replace(b'"total":115', b'"total":116', 1))
    done = skills2("audit", "weekly-numbers", "--json")
    assert done.code == 1
    assert done.json["audit"]["classic"]["verdict"] == "tampered"


def test_an_open_run_is_unproven(desk, skills2):
    from skills2_nb.contract.loader import load
    from skills2_nb.contract.run import Run

    run = Run.start(load(desk / "skills" / "weekly-numbers"), {"daily": WEEK}, vouched="cli")
    for step in ("add_up_week", "find_busiest_day", "write_readout"):
        run.call(step)
    run.close()
    done = skills2("audit", run.id, "--json")
    assert (done.code, done.json["audit"]["classic"]["verdict"]) == (3, "unproven")


@pytest.mark.parametrize("word", ["20200101-000000-00000000", "nothing", "2020", "x" * 250])
def test_asking_for_an_unknown_run_is_kept(word, desk, skills2, home):
    assert skills2("audit", word).code == 2
    assert asked(home) == [word[:200]]


def test_a_word_that_no_file_can_be_named_is_wrong_use(desk, skills2):
    done = skills2("audit", "x" * 5000)
    assert (done.code, done.out) == (2, "")
    assert "File name too long" in done.err


def test_an_unknown_run_is_2_even_where_the_ledger_cannot_be_written(desk, skills2, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file")
    assert skills2("audit", "20200101").code == 2


def test_a_run_whose_skill_is_not_found_asks_where_it_is(desk, bare, skills2):
    notebook = desk / "weekly-numbers.ipynb"
    run = skills2("run", notebook, "--json").json["run"]
    done = skills2("audit", run)
    assert done.code == 2
    assert "--skill NOTEBOOK" in done.err
    assert skills2("audit", run, "--skill", notebook).code == 0


def test_a_run_of_another_skill_is_not_judged_by_this_one(desk, skills2):
    run = skills2("run", "weekly-numbers", "--json").json["run"]
    skills2("new", "other")
    done = skills2("audit", run, "--skill", "other.ipynb")
    assert done.code == 2
    assert "is of weekly-numbers, not of other" in done.err


def test_explain_before_and_after_a_run(desk, skills2):
    before = skills2("explain", "weekly-numbers", "write_readout")
    assert before.out.startswith("No run yet")
    assert "total         <- add_up_week#/total\n" in before.out
    skills2("run", "weekly-numbers")
    after = skills2("explain", "weekly-numbers", "write_readout")
    assert f"Run {newest()}, record 4: ok." in after.out
    assert "total         <- add_up_week#/total = 115" in after.out


def test_explain_json_and_a_run_of_ones_own(desk, skills2):
    first = skills2("run", "weekly-numbers", "--json").json["run"]
    skills2("run", "weekly-numbers", "-i", "daily=[1,2]")
    done = skills2("explain", "weekly-numbers", "add_up_week", "--run", first, "--json")
    assert done.json == {
        "skill": "weekly-numbers",
        "step": "add_up_week",
        "run": first,
        "record": 2,
        "status": "ok",
        "arguments": [
            {"name": "daily", "from": "inputs#/daily", "by": None, "value": WEEK, "via": []}
        ],
    }
    never = skills2("explain", "weekly-numbers", "write_readout")
    assert "never called write_readout" in never.out


CHATTY = """
print("imported")
from pydantic import BaseModel
from skills2_nb import step

class Done(BaseModel):
    readout: str

@step
def talk() -> Done:
    print("called")
    return Done(readout="done")
"""


@pytest.mark.parametrize("words", [("run",), ("show",), ("explain", "talk")])
def test_what_a_skill_prints_does_not_spoil_the_result(words, make_notebook, skills2):
    name = f"chatty-{words[0]}"  # a module of its own for each: one is imported once
    front = f"---\nname: {name}\ndescription: It talks.\n---"
    path = make_notebook([("front", front), ("step", CHATTY)])
    done = skills2(words[0], path, *words[1:], "--json")
    assert done.json["skill"] == name
    assert "imported" in done.err
    assert ("called" in done.err) == (words == ("run",))


@pytest.mark.parametrize(
    "words",
    [("run", "P"), ("explain", "P", "x"), ("audit", "P", "--no-run", "--answer", "a.md")],
)
def test_prose_alone_has_nothing_to_run(words, desk, make_notebook, skills2):
    (desk / "a.md").write_text("An answer.")
    front = "---\nname: prose\ndescription: It says.\n---"
    path = make_notebook([("front", front), ("prose", "# A")])
    done = skills2(*[path if word == "P" else word for word in words])
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("trial-skill.ipynb has no step, so there is nothing to run")
    assert skills2("show", path, "--json").json["steps"] == []
    skills2("export", path, "-o", desk / "skills")
    found = {item["check"]: item for item in skills2("doctor", "--json").json["checks"]}
    assert found["skill prose"]["message"] == "prose alone, no steps"


LEAVING = """
import sys
from pydantic import BaseModel
from skills2_nb import step

class Done(BaseModel):
    readout: str

@step
def leave() -> Done:
    sys.exit(0)
"""


def test_a_step_cannot_end_the_program_with_0(make_notebook, skills2):
    front = "---\nname: leaving\ndescription: It leaves.\n---"
    path = make_notebook([("front", front), ("step", LEAVING)])
    done = skills2("run", path)
    assert done.code == 1
    assert "Traceback" not in done.err
    assert runs.entry(runs.find(runs.newest("leaving").run)).failed == 1


# --- hostile journals, inputs and skills --------------------------------------------------------


def test_a_run_whose_start_cannot_be_read_is_tampered_not_an_error(desk, skills2):
    skills2("run", "weekly-numbers")
    path = runs.find(newest())
    path.write_bytes(b"\0\xff" * 40 + b"\n" + path.read_bytes().partition(b"\n")[2])
    alone = skills2("audit", path.stem)
    assert alone.code == 2
    assert "the start of run" in alone.err
    assert "--skill FOLDER" in alone.err
    told = skills2("audit", path.stem, "--skill", "weekly-numbers", "--json")
    assert (told.code, told.json["audit"]["strict"]["verdict"]) == (1, "tampered")


@pytest.mark.parametrize("text", ["", '{"a":' * 5000 + "1" + "}" * 5000 + "\n", "[]\n", "\r\n"])
def test_no_journal_is_a_fault_of_ours(desk, skills2, text):
    skills2("run", "weekly-numbers")
    path = runs.find(newest())
    path.write_text(text)
    done = skills2("audit", path.stem, "--skill", "weekly-numbers", "--json")
    assert (done.code, done.json["audit"]["classic"]["verdict"]) == (1, "tampered")
    assert skills2("audit", path.stem).code == 2
    assert skills2("runs", "list").code == 0


def test_a_number_too_long_to_read_is_told_plainly(desk, skills2):
    done = skills2("run", "weekly-numbers", "--inputs", "-", input='{"a":' + "9" * 5000 + "}")
    assert done.code == 2
    assert "a number in it has more digits than can be read" in done.err


def test_no_run_takes_its_skill_first(desk, skills2):
    (desk / "a.md").write_text("All is well.")
    words = ["--no-run", "--answer", "a.md", "--skill", "weekly-numbers"]
    done = skills2("audit", "weekly-numbers", *words)
    assert done.code == 2
    assert "leave it out" in done.err


def test_a_pair_is_read_as_its_step_takes_it(bare, make_notebook, skills2):
    make_notebook(
        [
            (
                "front",
                "---\nname: spans\ndescription: Measures texts for a test. Use it for one.\n---",
            ),
            (None, "# Spans\n\nTells the **total**."),
            (
                "step",
                "from pydantic import BaseModel\n\nfrom skills2_nb import step\n\n\n"
                "class Out(BaseModel):\n    total: int\n    seen: str\n\n\n"
                "def is_length(period: str, total: int) -> bool:\n    return total == len(period)\n"
                "\n\n@step(invariants=[is_length], report=['total'])\n"
                "def measure(period: str, k: int, tags: list[str], word: str = '') -> Out:\n"
                '    """Measure."""\n'
                "    return Out(total=len(period), seen=repr((period, k, tags, word)))\n",
            ),
        ],
        bare / "spans.ipynb",
    )
    words = ["-i", "period=1997", "-i", "k=5", "-i", 'tags=["a"]', "-i", "word=NaN"]
    done = skills2("run", "spans.ipynb", *words, "--json")
    assert done.json["steps"]["measure"]["seen"] == "('1997', 5, ['a'], 'NaN')"


def test_a_pair_of_a_skill_that_does_not_import_leaves_the_error_to_the_run(desk, skills2):
    code = desk / "skills" / "weekly-numbers" / "runtime" / "skill.py"
    code.write_text(code.read_text() + "\nraise ValueError('boom')\n")
    done = skills2("run", "weekly-numbers", "-i", "daily=[1]")
    assert done.code == 2
    assert "ValueError: boom" in done.err


def test_audit_knows_what_was_asked(desk, skills2):
    run = skills2(
        "run", "weekly-numbers", "-i", f"daily={WEEK}", "--prompt", "Last week?", "--json"
    )
    same = skills2("audit", run.json["run"], "--prompt", "last WEEK?", "--json")
    other = skills2("audit", run.json["run"], "--prompt", "And in May?", "--json")
    assert same.json["audit"]["strict"]["findings"] == []
    assert other.json["audit"]["strict"]["verdict"] == "fail"
    assert [item["code"] for item in other.json["audit"]["strict"]["findings"]] == ["OTHER_PROMPT"]
