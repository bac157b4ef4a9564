"""What is done when an answer is given."""

import shutil

import pytest

from skills2_nb.audit import ledger
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.journal import read
from skills2_nb.contract.state import fold
from skills2_nb.evals.live_skill import live_skill
from skills2_nb.evals.proof import audit_run
from skills2_nb.evals.stop_event import read_event
from skills2_nb.evals.stopped import ASKED_BACK, settle
from skills2_nb.library import index
from skills2_nb.library.discovery import Target
from tests.conftest import ADD, SETUP, TELL
from tests.evals.small_skill import packaged
from tests.evals.stops import ASKED, SESSION, SKILL, job, run, run_of, session

GOOD = "Adding up gives a total of 91."


@pytest.fixture
def package(tmp_path):
    return packaged(tmp_path)


def stop(folder, package, answer=GOOD, **facts):
    return settle(read_event(job(folder, answer, package.parents[1], **facts)))


def kinds(made):
    return [record["kind"] for record in read(made.path)]


def codes(line):
    return set(line["codes"])


def test_an_honest_run_passes_with_the_prompt_vouched_by_the_hook(package):
    folder = session()
    made = run(folder, package)
    done = stop(folder, package)
    assert not done.faults
    assert [item.title for item in done.briefs] == ["trial-skill: pass, score 1.00, evidence L2."]
    assert kinds(made)[-2:] == ["run_ended", "answer"]
    (line,) = ledger.lines(made.id)
    assert (line["level"], line["session"], line["prompt_id"]) == ("L2", SESSION, ASKED)
    assert line["strict"] == {"score": 1.0, "verdict": "pass"}
    again = audit_run(made.id, Target(SKILL, "package", package)).audit
    assert (again.strict.verdict, again.level) == ("pass", "L2")


def test_the_same_answer_again_is_not_written_again(package):
    folder = session()
    made = run(folder, package)
    stop(folder, package)
    count = len(kinds(made))
    stop(folder, package, stop_hook_active=True)
    assert len(kinds(made)) == count
    stop(folder, package, "It is 92 in total, adding up.")
    assert kinds(made)[count:] == ["answer"]
    assert [line["strict"]["verdict"] for line in ledger.lines(made.id)] == ["pass", "pass", "fail"]


def test_a_run_that_the_model_ended_itself(package):
    folder = session()
    made = run(folder, package)
    made.end("tool", GOOD)
    stop(folder, package, GOOD)
    assert kinds(made)[-2:] == ["run_ended", "answer"]
    (line,) = ledger.lines(made.id)
    assert (line["strict"]["verdict"], line["level"]) == ("pass", "L2")


def test_what_is_missing_and_changed_is_told(package):
    folder = session()
    run(folder, package, ["add"])
    (told,) = stop(folder, package, "Adding up gives a total of 97.").briefs
    assert told.facts[0] == "Owed and not called: tell."
    assert any("add#/total is 91, and the answer says 97" in fact for fact in told.facts)
    assert [mend.partition(" ")[0] for mend in told.mends] == ["a", "an"]


# answer; whether it is judged, with no run at all
ALONE = [
    ("It is 91.", True),
    ("Which values do you mean?", False),
    ("There are 3 lists. Which one is it?", False),
    ("I can add up numbers; send them.", False),
    ("I would add 20, 30 and 41.", False),
    ("It is 91. Shall I go on?", True),
]


@pytest.mark.parametrize(("answer", "judged"), ALONE)
def test_a_skill_that_was_told_and_not_run(answer, judged, package):
    folder = session()
    done = stop(folder, package, answer)
    lines = ledger.lines()
    assert (len(lines), len(done.briefs)) == (judged, judged)
    for line in lines:
        assert (line["run"], line["skill"], line["session"]) == (None, SKILL, SESSION)
        assert line["strict"]["verdict"] == "fail" and "NO_RUN" in codes(line)
        assert done.briefs[0].title.startswith("trial-skill: fail") and "no run" in (
            done.briefs[0].title
        )


@pytest.mark.parametrize("is_indexed", [False, True])
def test_an_answer_alone_runs_nothing_that_a_repository_brought(
    is_indexed, package, tmp_path, monkeypatch
):
    """Nobody allowed a call: its code is neither imported nor executed, told or not."""
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    for path in package.rglob("*.py"):
        path.write_text(trap + path.read_text())
    (package.parents[1] / "sitecustomize.py").write_text(trap)
    if is_indexed:
        index.refresh([package.parents[1]])
    monkeypatch.chdir(package.parents[1])
    (told,) = stop(session(), package, "It is 91.").briefs
    assert "no run" in told.title and "NO_RUN" in codes(ledger.lines()[0])
    assert not (tmp_path / "ran").exists()


def test_what_an_earlier_run_of_the_session_found_may_be_said_again(package):
    folder = session(prompt_id="p0")
    run(folder, package, prompt_id="p0")
    stop(folder, package, prompt_id="p0")
    session(prompt="What was the total again?")
    assert not stop(folder, package, "It was 91, as said.").briefs
    assert stop(folder, package, "It was 95, as said.").briefs
    assert [line["run"] is None for line in ledger.lines()] == [False, True]


def test_of_several_skills_that_were_told_one_run_is_enough(package):
    folder = session(["other-skill", SKILL])
    run(folder, package)
    assert len(stop(folder, package).briefs) == 1
    assert not stop(session(["gone-skill"]), package, "It is 5.", prompt_id=ASKED).faults


def test_who_asks_back_goes_on_with_the_run(package):
    folder = session()
    made = run(folder, package, ["add"])
    assert not stop(folder, package, "Shall I tell it in words?").briefs
    assert kinds(made)[-1] == "note" and fold(read(made.path)).notes == [ASKED_BACK]
    session(prompt_id="p2", prompt="Yes, please.")
    made.call("tell")
    (told,) = stop(folder, package, prompt_id="p2").briefs
    assert told.title == "trial-skill: pass, score 1.00, evidence L2."


def test_a_question_after_the_answer_is_no_answer(package):
    folder = session()
    made = run(folder, package)
    made.end("tool", GOOD)
    (told,) = stop(folder, package, "Anything else?").briefs
    assert "pass" in told.title and kinds(made)[-1] == "answer"


def test_a_run_that_was_left_for_something_else(package):
    folder = session()
    made = run(folder, package, ["add"])
    stop(folder, package, "Shall I go on?")
    session([], prompt_id="p2", prompt="Never mind. Tell me a joke.")
    assert not stop(folder, package, "Two numbers walk into a bar.", prompt_id="p2").briefs
    assert kinds(made)[-1] == "run_ended" and not ledger.lines()


def test_an_open_run_of_an_earlier_prompt_is_judged_by_an_answer_with_figures(package):
    folder = session()
    made = run(folder, package, ["add"])
    stop(folder, package, "Shall I go on?")
    session([], prompt_id="p2", prompt="Yes, go on.")
    (told,) = stop(folder, package, "It is 93 in total.", prompt_id="p2").briefs
    assert "fail" in told.title and kinds(made)[-2:] == ["run_ended", "answer"]


def test_runs_of_earlier_prompts_are_left_alone(package):
    folder = session(prompt_id="p0")
    made = run(folder, package, prompt_id="p0")
    stop(folder, package, prompt_id="p0")
    before = made.path.read_bytes()
    session([], prompt_id="p1", prompt="Now a joke.")
    assert not stop(folder, package, "Seven ate 9.", prompt_id="p1").briefs
    assert made.path.read_bytes() == before


def test_a_client_that_sends_no_prompt_id(package):
    folder = session(prompt_id=None)
    run(folder, package, prompt_id=None)
    (told,) = stop(folder, package, prompt_id=None).briefs
    assert told.title == "trial-skill: pass, score 1.00, evidence L1."


def test_two_skills_in_one_prompt(package):
    other = package.with_name("other-skill")
    shutil.copytree(package, other)
    for name in ("skill.toml", "SKILL.md"):
        text = (other / name).read_text().replace("trial-skill", "other-skill")
        (other / name).write_text(text)
    folder = session()
    first, second = run(folder, package), run(folder, other, ["add"])
    done = stop(folder, package)
    assert [item.title.partition(",")[0] for item in done.briefs] == [
        "trial-skill: pass",
        "other-skill: fail",
    ]
    assert all(ledger.lines(made.id) for made in (first, second))


def test_a_subagent_ends_nothing(package):
    folder = session()
    made = run(folder, package, ["add"])
    done = stop(
        folder, package, "It is 5.", hook_event_name="SubagentStop", agent_id="a", agent_type="Plan"
    )
    assert not done.briefs and kinds(made)[-1] == "note" and not ledger.lines()
    assert fold(read(made.path)).notes == ["subagent Plan: It is 5."]


def test_no_answer_leaves_the_run_unanswered(package):
    folder = session()
    made = run(folder, package)
    (told,) = stop(folder, package, None).briefs
    assert "unproven" in told.title and kinds(made)[-1] == "run_ended"


@pytest.mark.parametrize(
    ("enforce", "blocks", "answer", "found"),
    [("block", 2, "It is 97 in total.", True), ("advise", 2, "It is 97 in total.", False),
     ("block", 2, GOOD, False)],
)  # fmt: skip
def test_the_third_bad_answer_is_let_through_with_a_finding(
    enforce, blocks, answer, found, package
):
    folder = session()
    made = run(folder, package)
    (folder / f"{ASKED}.blocks").write_bytes(b"+" * blocks)
    done = stop(folder, package, answer, enforce=enforce)
    (line,) = ledger.lines(made.id)
    assert ("LET_THROUGH" in codes(line)) == found
    if found:
        assert "let through the third time" in done.briefs[0].facts[0]
        again = audit_run(made.id, Target(SKILL, "package", package)).audit
        (told,) = [item for item in again.strict.findings if item.code == "LET_THROUGH"]
        assert not told.vetoes and "add#/total is 91" in told.message
        assert not any(item.code == "LET_THROUGH" for item in again.classic.findings)


def test_a_package_that_is_gone(package, tmp_path):
    folder = session()
    made = run(folder, package)
    package.rename(tmp_path / "gone")
    done = stop(folder, package)
    assert [item.title.partition(".")[0] for item in done.briefs] == ["trial-skill: not audited"]
    assert kinds(made)[-2:] == ["run_ended", "answer"] and len(done.faults) == 1


@pytest.mark.parametrize("first", ["raise SystemExit(7)", "raise KeyboardInterrupt"])
def test_a_package_that_ends_the_process_or_raises(package, first):
    folder = session()
    made = run(folder, package)
    code = package / "runtime" / "skill.py"
    code.write_text(f"{first}\n" + code.read_text())
    done = stop(folder, package)
    assert "not audited" in done.briefs[0].title and kinds(made)[-1] == "answer"
    assert len(done.faults) == 1


def test_a_changed_journal_is_told_as_tampered_and_left(package):
    folder = session()
    made = run(folder, package)
    made.path.write_bytes(made.path.read_bytes().replace(b"30 and 41?", b"30 and 42?"))
    before = made.path.read_bytes()
    done = stop(folder, package)
    assert done.briefs[0].title.startswith("trial-skill: tampered")
    (line,) = ledger.lines(made.id)
    assert line["strict"]["verdict"] == "tampered"
    assert made.path.read_bytes().startswith(before)


def test_the_package_that_ran_is_found_among_several(package, tmp_path):
    folder = session()
    made = run(folder, package)
    first = tmp_path / "desk" / "skills" / SKILL
    shutil.copytree(package, first)
    (first / "SKILL.md").write_text((first / "SKILL.md").read_text() + "\nMore.\n")
    installed = tmp_path / "desk" / ".claude" / "skills" / SKILL
    shutil.copytree(package, installed)
    (told,) = settle(read_event(job(folder, GOOD, tmp_path / "desk"))).briefs
    assert "pass, score 1.00" in told.title
    assert "PACKAGE_CHANGED" not in codes(ledger.lines(made.id)[0])


def test_a_run_of_a_live_kernel_is_judged_by_its_cells(package):
    folder = session()
    data = encode({"cells": [SETUP, ADD, TELL]}).encode("ascii")
    state = fold([])
    state.skill, state.live, state.version = SKILL, blobs.put(data), "0.1.0"
    run_of(folder, live_skill(state), ("add", "tell"), writer="kernel")
    (told,) = stop(folder, package).briefs
    assert told.title == "trial-skill: pass, score 1.00, evidence L2."


def test_a_late_worker_of_a_client_without_ids_leaves_the_next_prompts_run_alone(package):
    folder = session(prompt_id=None)
    first = run(folder, package, prompt_id=None)
    late = job(folder, "The total is 90.", package.parents[1], prompt_id=None)
    session([], prompt_id=None, prompt="And of 1 and 2?")
    second = run(folder, package, inputs={"values": [1, 2]}, prompt_id=None)
    before = second.path.read_bytes()
    (told,) = settle(read_event(late)).briefs
    assert "the answer says 90" in told.text() and "is 91" in told.text()
    assert kinds(first)[-2:] == ["run_ended", "answer"]
    assert second.path.read_bytes() == before
