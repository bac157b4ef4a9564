"""Strength over the cases of a skill, run once and kept."""

import dataclasses
import json
from pathlib import Path

import pytest

from skills2_nb.audit.strength import Strength, effective_names, open_steps
from skills2_nb.contract.run import Run
from skills2_nb.contract.walk import walk
from skills2_nb.convert.exporter import export
from skills2_nb.evals import strength
from skills2_nb.evals.proof import basis_of
from skills2_nb.formats.cases import RunCase, StepCase
from skills2_nb.formats.package import read_package
from skills2_nb.library import runs

PACKAGE = Path(__file__).parents[2] / "skills" / "growth-accounting"


@pytest.fixture
def skill(skill_notebook, tmp_path):
    return basis_of(export(skill_notebook, tmp_path / "out", verify=False).folder).skill


SUM = RunCase("sum", "Sum?", {"values": [20, 30, 41]})
DULL = RunCase("dull", "Sum?", {"values": []})
ADD = StepCase("add", "add", {"values": [1, 2]})
WRONG = StepCase("wrong", "add", {"values": "x"}, fails="input")
EARLY = RunCase("early", "Tell.", {"values": [1]}, calls=({"step": "tell"}, {"step": "add"}))


def told(skill, *cases):
    used = []
    found = strength.of_cases(skill, cases, told=used.append)
    return used, open_steps(found, skill)


def test_cases_are_run_until_nothing_is_open(skill, home):
    assert told(skill, EARLY, ADD, SUM, DULL) == (["sum"], ())
    assert told(skill, ADD) == (["add"], ("tell",))
    assert told(skill, WRONG) == ([], ("add", "tell"))
    assert told(skill, EARLY) == (["early"], ("tell",))
    assert told(skill) == ([], ("add", "tell"))


def test_nothing_is_left_behind(skill, home):
    strength.of_cases(skill, [SUM, ADD], thorough=True)
    assert runs.journals() == []


def test_a_skill_that_keeps_only_digests_is_measured_all_the_same(skill, home):
    hiding = dataclasses.replace(skill.runtime, capture="digest")
    found = strength.of_cases(dataclasses.replace(skill, runtime=hiding), [SUM])
    assert open_steps(found, skill) == () and not found.unmeasured


def test_only_the_steps_asked_about(skill, home):
    found = strength.of_cases(skill, [SUM], steps=["tell"])
    assert {tally.step for tally in found.tallies.values()} == {"tell"}


def cache(home, skill):
    return home / "index" / "strength" / f"{skill.digest}.json"


def test_what_the_cases_showed_is_kept(skill, home, monkeypatch):
    first = strength.cached(skill, [SUM])
    assert cache(home, skill).stat().st_mode & 0o077 == 0
    monkeypatch.setattr(strength, "of_cases", lambda *_, **__: pytest.fail("run again"))
    assert strength.cached(skill, [SUM]) == first != Strength()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"v": 1}', '{"v": 0, "cases": "", "strength": {}}', "\x00\xff", "[" * 9999],
    ids=range(7),
)
def test_a_broken_file_is_made_anew(skill, home, text):
    good = strength.cached(skill, [SUM])
    cache(home, skill).write_text(text, encoding="utf-8")
    assert strength.cached(skill, [SUM]) == good
    assert Strength.from_dict(json.loads(cache(home, skill).read_text())["strength"]) == good


def test_other_cases_are_measured_anew(skill, home):
    assert strength.cached(skill, []) == Strength()
    assert strength.cached(skill, [SUM]) != Strength()


def test_a_home_that_cannot_be_written_keeps_nothing(skill, home):
    home.mkdir(exist_ok=True)
    (home / "index").write_text("a file stands here")
    assert effective_names(strength.cached(skill, [SUM]), "add") == {"total_is_sum"}


def test_a_skill_with_effects_is_not_run_for_an_audit(skill, home):
    steps = (dataclasses.replace(skill.steps[0], effects=("network",)), *skill.steps[1:])
    risky = dataclasses.replace(skill, steps=steps)
    assert strength.cached(risky, [SUM]) == Strength()
    strength.keep(risky, [SUM], strength.of_cases(risky, [SUM]))
    assert strength.cached(risky, [SUM]) != Strength()


def test_the_cases_are_asked_only_where_the_run_leaves_something_open(skill, home):
    def judged(values, cases):
        run = Run.start(skill, {"values": values})
        assert walk(run).error is None
        return strength.strength_of(skill, run.state, cases)

    assert open_steps(judged([1, 2], []), skill) == ()
    assert not cache(home, skill).exists()
    assert open_steps(strength.strength_of(skill, None, [SUM]), skill) == ()


def test_a_kernel_is_judged_by_its_run_then_by_its_cases(skill, home):
    run = Run.start(skill, {"values": [20, 30]})
    walk(run)
    found, over = strength.of_kernel(skill, run.state, [SUM])
    assert over == f"run {run.id}" and open_steps(found, skill) == ()
    assert strength.of_kernel(skill, None, [SUM])[1] == "case sum"
    assert strength.of_kernel(skill, None, [])[1] == "no run and no case could be used"
    only, _ = strength.of_kernel(skill, run.state, [], step="tell")
    assert {tally.step for tally in only.tallies.values()} == {"tell"}


def test_every_invariant_of_growth_accounting_is_effective(home):
    pytest.importorskip("pandas", reason="the skill needs pandas")
    skill, cases = basis_of(PACKAGE).skill, read_package(PACKAGE).cases
    found = strength.of_cases(skill, cases, (PACKAGE,))
    assert open_steps(found, skill) == ()
    assert sum(len(effective_names(found, id_)) for id_ in skill.ids) == 26
