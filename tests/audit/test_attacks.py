"""The table of attacks: what classic makes of each, and how strict knows it."""

import importlib.util
import sys
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("attacks", Path(__file__).with_name("attacks.py"))
kit = importlib.util.module_from_spec(_SPEC)
sys.modules["attacks"] = kit
_SPEC.loader.exec_module(kit)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    return kit.Stage(tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="module")
def audits(stage):
    """The audit of each attack by its id, made when it is first asked for."""
    made = {}

    def audit(id_):
        if id_ not in made:
            made[id_] = kit.judge(kit.ATTACKS[id_].make(stage))
        return made[id_]

    return audit


def test_the_honest_run_is_whole(stage, sound):
    for period in kit.QUESTIONS:
        audit = kit.judge(kit.Made(stage.basis, stage.honest(period), home=stage.home))
        assert (audit.classic.score, audit.classic.verdict) == (1.0, "pass")
        assert (audit.strict.score, audit.strict.verdict) == (1.0, sound)
        assert audit.strict.findings == ()


@pytest.mark.parametrize("id_", kit.ATTACKS)
def test_classic_gives_it_the_score_of_the_formula(id_, audits):
    classic, attack = audits(id_).classic, kit.ATTACKS[id_]
    assert (classic.score, classic.verdict == "pass") == (attack.classic, attack.fooled)


@pytest.mark.parametrize("id_", kit.ATTACKS)
def test_strict_does_not_pass_it(id_, audits):
    assert audits(id_).strict.verdict != "pass"


@pytest.mark.parametrize("id_", kit.ATTACKS)
def test_strict_says_by_what_it_is_known(id_, audits):
    found = {item.code for item in audits(id_).strict.findings if item.counts}
    assert kit.ATTACKS[id_].code in found, found


@pytest.mark.parametrize("period", kit.QUESTIONS)
def test_words_without_values_do_not_pass(period, stage):
    """The sum of the axes alone would: recall is what fails it."""
    made = kit.Made(stage.basis, stage.honest(period), answer=kit.WORDS, home=stage.home)
    audit = kit.judge(made)
    assert (audit.strict.score, audit.strict.verdict, audit.recall) == (0.8, "fail", 0.0)
