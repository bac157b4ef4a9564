"""The demo, in a clone and elsewhere."""

import shutil
from pathlib import Path

import pytest

from skills2_nb.library import runs

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
pytest.importorskip("pandas", reason="growth accounting stands on pandas")


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The notebooks of the repository, where `skills/` may be written."""
    shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_demo_exports_runs_and_shows(clone, skills2, home):
    done = skills2("demo")
    assert done.code == 0, done.out + done.err
    run = runs.newest("growth-accounting").run
    order = [
        "notebooks/growth-accounting.ipynb exported to skills/growth-accounting.",
        "Case three-flows-month",
        "Answer",
        "719",
        "count_flows",
        "write_readout",
        "strict   classic",
        f"Page: {home / 'pages' / run}.html",
    ]
    places = [done.out.index(said) for said in order]
    assert places == sorted(places)
    assert max(map(len, done.out.splitlines()[:-1])) <= 80
    page = (home / "pages" / f"{run}.html").read_text()
    assert "813" in page
    assert done.err == "", "progress is for terminals"


def test_demo_json_and_a_page_of_ones_own_from_below(clone, skills2, monkeypatch):
    (clone / "docs").mkdir()
    monkeypatch.chdir(clone / "docs")
    done = skills2("demo", "--json", "--html", "demo.html")
    assert done.code == 0
    assert done.json["audit"]["classic"]["score"] == 1.0
    flows = done.json["steps"]["count_flows"]
    assert [flows[name] for name in ("prev_mau", "new", "resurrected", "churned")] == [
        981, 719, 61, 813,
    ]  # fmt: skip
    assert (clone / "docs" / "demo.html").is_file()


def test_demo_elsewhere_says_what_it_needs(bare, skills2):
    done = skills2("demo")
    assert (done.code, done.out) == (2, "")
    assert "clone of the skills2-nb repository" in done.err
    assert "skills2 new" in done.err


def test_demo_takes_a_skill_that_is_found(clone, bare, skills2, monkeypatch):
    monkeypatch.chdir(clone)
    assert skills2("export", "notebooks/growth-accounting.ipynb", "-o", bare / "skills").code == 0
    monkeypatch.chdir(bare)
    done = skills2("demo", "--json")
    assert (done.code, done.json["skill"]) == (0, "growth-accounting")
