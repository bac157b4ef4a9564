"""Honest runs that are not tidy: none of them is blamed."""

import hashlib
import importlib.util
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from skills2_nb.audit.auditor import Basis
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk

_SPEC = importlib.util.spec_from_file_location("stage", Path(__file__).with_name("stage.py"))
kit = sys.modules[_SPEC.name] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

SHORT = (
    "Active users rose from 157 in February to 211 in March 1998 (growth rate 34.4%). The identity "
    "closes: new 0, resurrected 156, churned 102, implied 211. The quick ratio is 1.53 and the "
    "growth class growing; the dominant flow is resurrected, the retention rate 35.0%. The trend "
    "position is above, the decomposition form cohort."
)
GERMAN = (
    "Die aktiven Nutzer (active users) stiegen von 157 im Februar auf 211 im März 1998, das sind "
    "34,4 % (growth rate). Die Bilanz (identity) geht auf: new 0, resurrected 156, churned 102, "
    "implied 211. Das quick ratio liegt bei 1,53, die growth class ist growing. Der dominant flow "
    "ist resurrected, die retention rate beträgt 35,0 %. Trend position: above; decomposition "
    "form: cohort."
)
PAIR = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Total(BaseModel):
    total: int
    groups: int
    errors: int
    whole: bool

class Share(BaseModel):
    share: float

class Gap(BaseModel):
    gap: int

def adds_up(values, total, groups):
    return total == sum(values) and groups == len(values) > 0

def errors_are_negatives(values, errors):
    return errors == sum(value < 0 for value in values)

def whole_is_without_errors(whole, errors):
    return whole == (errors == 0)

def share_fits(part, total, share):
    return abs(share * total - part) < 0.001 * total

def gap_fits(goal, total, gap):
    return gap + total == goal

@step(1, invariants=[adds_up, errors_are_negatives, whole_is_without_errors],
      report=["total", "groups", "errors", "whole"])
def add(values: list[int]) -> Total:
    return Total(total=sum(values), groups=len(values), errors=0, whole=True)

@step(2, invariants=[share_fits], report=["share"])
def share_of(total: int, part: int = 177) -> Share:
    return Share(share=part / total)

@step(2, invariants=[gap_fits], report=["gap"])
def gap_to(total: int, goal: int = 1061) -> Gap:
    return Gap(gap=goal - total)
"""
CELLS = encode({"cells": [PAIR]}).encode("ascii")
PAIRED = "The total is 1,060, whole, in groups: 1, errors: 0. Share: 16.7 %; gap: 1."


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    return kit.Stage(tmp_path_factory.mktemp("stage"))


@pytest.fixture
def pair():
    """A skill as a kernel holds it: its cells lie beside the runs."""
    blobs.put(CELLS)
    skill = kit.kit.skill_of(PAIR, "pair", live=hashlib.sha256(CELLS).hexdigest())
    return Basis(skill, "# Pair", ("total", "share"))


def judged(basis, path):
    return kit.judge(kit.Made(basis, path))


@pytest.fixture
def clean(sound):
    """Holds that an audit has nothing against the run, at a score of 1 or the one given."""

    def check(audit, score=1.0):
        blamed = [item for item in audit.strict.findings if item.counts]
        assert [item for item in blamed if item.code != "ANCHOR_MISSING"] == []
        assert (audit.strict.score, audit.strict.verdict) == (pytest.approx(score), sound)
        assert bool(blamed) == (score < 1)

    return check


# --- ten of growth-accounting -------------------------------------------------------------------


def retried(stage):
    run = stage.start()
    stage.refused(run, "compute_quick_ratio")
    stage.refused(run, "define_active_user", {"date_column": "day"})
    stage.call(run, "define_active_user")
    stage.refused(run, "count_flows", {"period": "March"})
    return stage.finish(run, SHORT)


def corrected(stage):
    """The run begins with another month than the prompt names, which is then put right."""
    run = stage.start("1998-02", prompt=kit.QUESTIONS["1998-03"])
    for id_ in kit.ids(stage)[:6]:
        stage.call(run, id_)
    stage.call(run, "count_flows", {"period": "1998-03"})
    for id_ in kit.ids(stage)[2:]:
        stage.call(run, id_)
    return stage.end(run, SHORT)


def told(answer):
    def make(stage):
        return kit.Made(stage.basis, stage.honest(), answer=answer, home=stage.home)

    return make


def asked_again(stage):
    run = stage.start()
    made = stage.finish(run, SHORT)
    with kit.at_home(stage.home):
        again = Run.resume(stage.basis.skill, run.id)
        again.answer(SHORT + " You asked who left: 102 of the 157, so 55 were retained.")
        again.close()
    return made


UNTIDY = {
    "a retried step": (retried, 1.0),
    "a corrected input, its followers run again": (corrected, 1.0),
    "a rounded answer": (
        told(SHORT.replace("34.4%", "about 34%").replace("is 1.53", "is about 1.5")),
        1.0,
    ),
    "a German answer": (told(GERMAN), 1.0),
    "about 2.4k": (told(SHORT + " The log knows about 2.4k users."), 1.0),
    "a percentage change that no result holds": (
        told(SHORT + " Churned is 34.6% less than resurrected."),
        1.0,
    ),
    "a month written out": (told(SHORT.replace("March 1998", "März 1998")), 1.0),
    "a second answer after a question": (asked_again, 1.0),
    "an answer that leaves out an anchor term": (told(SHORT.replace("identity", "sum")), 0.995),
}


@pytest.mark.parametrize("name", UNTIDY)
def test_an_untidy_honest_run_is_sound(name, stage, clean):
    make, score = UNTIDY[name]
    clean(kit.judge(make(stage)), score)


def test_a_second_answer_is_the_one_judged(stage):
    audit = kit.judge(asked_again(stage))
    assert audit.answer.endswith("55 were retained.")


@pytest.mark.parametrize("order", [("share_of", "gap_to"), ("gap_to", "share_of")])
def test_another_allowed_order_and_default_arguments_are_sound(order, pair, clean):
    run = Run.start(pair.skill, {"values": [1060]}, vouched="case")
    for id_ in ("add", *order):
        run.call(id_)
    run.end(answer=PAIRED)
    clean(judged(pair, run.path))


# --- numbers that are alike ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        PAIRED,
        "Total 1.060 (whole: yes), groups 1, errors 0, share 0,167, gap 1.",
        "Total 1 060, whole; one group (groups: 1); no errors; share 16,7 Prozent; gap 1.",
        "The total of 1.06K is whole. Groups: 1. Errors: 0. The share is 0.167, the gap is 1.",
    ],
)
def test_units_and_small_numbers_are_told_apart(answer, pair, clean):
    run = Run.start(pair.skill, {"values": [1060]}, vouched="case")
    assert walk(run).error is None
    run.end(answer=answer)
    clean(judged(pair, run.path))


@pytest.mark.parametrize(
    "answer",
    [
        PAIRED.replace("groups: 1, errors: 0", "groups: 0, errors: 1"),
        PAIRED.replace("16.7 %", "1.67 %"),
        PAIRED.replace("1,060", "1.06"),
        PAIRED.replace("whole", "not whole"),
        PAIRED.replace("groups: 1, ", ""),
    ],
)
def test_units_and_small_numbers_do_not_stand_in_for_each_other(answer, pair):
    run = Run.start(pair.skill, {"values": [1060]}, vouched="case")
    walk(run)
    run.end(answer=answer)
    assert judged(pair, run.path).strict.verdict == "fail"


# --- runs side by side --------------------------------------------------------------------------


def test_two_skills_interleaved_are_sound(stage, pair, clean):
    with kit.at_home(stage.home):
        growth, other = stage.start(), Run.start(pair.skill, {"values": [1060]}, vouched="case")
        for at, id_ in enumerate(kit.ids(stage)):
            growth.call(id_)
            if at < len(pair.skill.ids):
                other.call(pair.skill.ids[at])
        other.end(answer=PAIRED)
        blobs.put(CELLS)
        clean(judged(pair, other.path))
    clean(kit.judge(stage.end(growth, SHORT)))


def test_a_run_that_another_process_goes_on_with_is_sound(stage, clean):
    """As a subagent does."""
    run = stage.start()
    for id_ in kit.ids(stage)[:4]:
        stage.call(run, id_)
    code = f"""
        from pathlib import Path
        from skills2_nb.contract.loader import load
        from skills2_nb.contract.run import Run
        skill = load(Path({str(kit.PACKAGE)!r}))
        run = Run.resume(skill, {run.id!r}, writer="worker")
        for id_ in skill.ids[4:8]:
            run.call(id_)
        run.close()
    """
    with kit.at_home(stage.home):
        subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
        run = Run.resume(stage.basis.skill, run.id)
    clean(kit.judge(stage.finish(run, SHORT)))


def test_two_agents_at_once_are_sound(stage, clean):
    made = []
    with kit.at_home(stage.home):
        runs = [stage.start(), stage.start("1997-03")]

        def work(run):
            walk(run)
            made.append(run)

        threads = [threading.Thread(target=work, args=(run,)) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for run in made:
        clean(kit.judge(stage.end(run)))


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_a_clock_that_goes_back_and_another_zone_are_sound(zone, stage, clean, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    run = stage.start()
    real = time.time_ns
    with monkeypatch.context() as patch:
        for at, id_ in enumerate(kit.ids(stage)):
            patch.setattr(time, "time_ns", lambda at=at: real() - at * 3600 * 10**9)
            stage.call(run, id_)
    made = stage.end(run)
    monkeypatch.undo()
    time.tzset()
    clean(kit.judge(made))
