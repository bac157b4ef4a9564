"""The rows run: each contender does its work once, whatever it takes."""

import re
from pathlib import Path

import pytest

from benchmarks import evals, importing, judging, notebook, opening, step_call


def test_step_call_journals_what_the_floor_journals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_call, "ROUNDS", 1)
    monkeypatch.setattr(step_call, "LOOPS", 1)
    monkeypatch.setattr(step_call, "LONG_RUN", 3)
    (row,) = step_call.rows(tmp_path)
    assert [sample.name.split()[0].strip(":,") for sample in row.samples[:3]] == [
        "skills2",
        "floor",
        "skills2",
    ]
    (journal,) = (tmp_path / "home-0").rglob("*.jsonl")
    ours, floor = journal.read_bytes(), (tmp_path / "floor").read_bytes()
    assert len(ours.splitlines()[-1]) == pytest.approx(len(floor.splitlines()[-1]), rel=0.1)


def test_a_run_is_opened_as_its_journal_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "ROUNDS", 1)
    monkeypatch.setattr(opening, "CALLS", 70)
    (row,) = opening.rows(tmp_path)
    assert len(row.samples) == 4


def test_the_notebook_measured_with_exports_cleanly(tmp_path: Path) -> None:
    pytest.importorskip("jupytext", reason="the peers are for developers")
    from benchmarks import export

    cells = 30
    source = notebook.write(tmp_path / "bench-skill.ipynb", cells)
    export.ours(source, tmp_path / "ours")
    export.floor(source, tmp_path / "floor")
    shipped = (tmp_path / "ours" / "bench-skill" / "runtime" / "skill.py").read_text()
    assert shipped.count("@step(") == (tmp_path / "floor" / "skill.py").read_text().count("@step(")
    assert shipped.count("@step(") == cells // 2 - 1


def test_a_step_is_called_as_the_bare_function_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jupytext", reason="the peers are for developers")
    from benchmarks import serving

    monkeypatch.setattr(serving, "ROUNDS", 1)
    monkeypatch.setattr(serving, "LOOPS", 1)
    monkeypatch.setenv("SKILLS2_HOME", str(tmp_path / "home"))
    step, listing = serving.on_stdio(tmp_path)
    assert len(step) == len(listing) == 2
    (journal,) = (tmp_path / "home").rglob("*.jsonl")
    assert journal.read_text().count('"kind":"step_ok"') == 3
    assert len(list(serving.many(tmp_path).iterdir())) == serving.MANY


def test_both_servers_answer_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jupytext", reason="the peers are for developers")
    from benchmarks import over_http, serving

    monkeypatch.setattr(over_http, "ROUNDS", 1)
    monkeypatch.setattr(over_http, "LOOPS", 1)
    monkeypatch.setenv("SKILLS2_HOME", str(tmp_path / "home"))
    package, bare = serving.single(tmp_path), serving.bare_code()
    listing, step = over_http.rows(package, bare, serving.ARGUMENTS, tmp_path)
    assert len(listing.samples) == len(step.samples) == 2
    (journal,) = (tmp_path / "home").rglob("*.jsonl")
    assert journal.read_text().count('"kind":"step_ok"') == 2


def test_an_audit_is_measured_beside_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    monkeypatch.setattr(judging, "ROUNDS", 1)
    monkeypatch.setenv("SKILLS2_HOME", str(tmp_path / "home"))
    (row,) = judging.rows(tmp_path)
    assert [sample.name.split(":")[0] for sample in row.samples] == ["skills2", "floor"]
    assert re.search(r"; -?[0-9.]+ (us|ms|s) here, ", row.goal), row.goal


def test_skills_are_imported_and_exported_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "ROUNDS", 1)
    monkeypatch.setattr(importing, "SKILLS", 3)
    (row,) = importing.rows(tmp_path)
    assert [sample.name.partition(":")[0] for sample in row.samples] == ["skills2", "floor"]
    ours = sorted((tmp_path / "made" / "skills").glob("*/SKILL.md"))
    assert [path.parent.name for path in ours] == ["skill-0000", "skill-0001", "skill-0002"]


def test_cases_are_judged_recorded_and_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evals, "CASE_ROUNDS", 1)
    row = evals.cases(tmp_path)
    assert len(row.samples) == 3
    judged, recorded, called = (sample.spread[1] for sample in row.samples)
    assert called < recorded < judged
