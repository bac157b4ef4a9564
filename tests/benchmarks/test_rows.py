"""The rows run: each contender does its work once, whatever it takes."""

from pathlib import Path

import pytest

from benchmarks import notebook, step_call


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
