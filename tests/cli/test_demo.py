"""The demo, in a clone and elsewhere."""

import re
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


def test_demo_elsewhere_goes_on_from_a_copy_that_it_names(bare, skills2):
    done = skills2("demo", "-o", "mine")
    assert done.code == 0, done.err
    assert "mine/notebooks/growth-accounting.ipynb exported to mine/skills/" in " ".join(
        done.out.split()
    )
    for part in ("growth-accounting.ipynb", "growth-accounting/assets/cdnow_sample.csv"):
        assert (bare / "mine/notebooks" / part).read_bytes() == (NOTEBOOKS / part).read_bytes()
    assert skills2("export", "mine/notebooks/growth-accounting.ipynb", "--check").code == 0
    assert skills2("demo", "-o", "mine", "--json").json["skill"] == "growth-accounting"


def test_demo_without_a_folder_makes_a_temporary_one_and_says_where(bare, skills2):
    done = skills2("demo", "--json")
    assert done.code == 0, done.err
    (place,) = re.findall(r"exported to (\S+)/skills/growth-accounting", done.err)
    assert (Path(place) / "notebooks/growth-accounting.ipynb").is_file()
    assert list(bare.iterdir()) == []
    shutil.rmtree(place)


def test_demo_writes_over_nothing_of_ones_own(bare, skills2):
    own = bare / "mine/notebooks/growth-accounting.ipynb"
    own.parent.mkdir(parents=True)
    own.write_text("{}")
    done = skills2("demo", "-o", "mine")
    assert (done.code, done.out) == (2, "")
    assert "is there already" in done.err
    assert own.read_text() == "{}"
    assert [path.name for path in own.parent.iterdir()] == [own.name]


def test_demo_where_nothing_can_be_written(bare, skills2):
    (bare / "mine").write_text("")
    done = skills2("demo", "-o", "mine/below")
    assert (done.code, done.out) == (4, "")
    assert "mine/below" in done.err
