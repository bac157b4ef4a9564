"""A skill in three versions: the figures come from what is run, and move with it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.evals.standings import case_rows, table
from skills2_nb.evals.versions import arms_of, stubs_of
from tests.conftest import ADD, CASES, FRONT, MANIFEST, PROSE, SETUP, TELL

#: The flow as a reader would write it, so that the stubs have the contract's ids.
STEPS = "## Steps\n\n1. `add`: Add up.\n2. `tell`: Say it."
HONEST = """case("What is the sum of 20, 30 and 41?", inputs={"values": [20, 30, 41]},
     must_call=["add", "tell"], tags=["classic"])"""


@pytest.fixture
def rows(make_notebook: Callable[..., Path], tmp_path: Path) -> Callable[..., dict[str, float]]:
    """Export the skill with a change and give the classic figure of each version."""

    def made(add: str = ADD, manifest: str = MANIFEST, prose: str = PROSE) -> dict[str, float]:
        cells = [("front", FRONT), ("prose", prose), ("prose", STEPS), ("manifest", manifest)]
        cells += [("setup", SETUP), ("step", add), ("step", TELL), ("cases", HONEST)]
        folder = export(make_notebook(cells), tmp_path / "skills", force=True).folder
        place = tmp_path / f"stubs{len(list(tmp_path.iterdir()))}"
        arms = arms_of(folder, place)
        assert [row["version"] for row in table("trial-skill", arms)] == ["v1", "stubs", "contract"]
        return {row["version"]: row["classic"] for row in table("trial-skill", arms)}

    return made


def test_the_three_figures(rows):
    """The first two follow from the formula: 0.25 of anchors, and 0.7 x 0.40 for stubs."""
    assert rows() == pytest.approx({"v1": 0.25, "stubs": 0.25 + 0.7 * 0.40, "contract": 1.0})


def test_the_figures_move_with_what_they_measure(rows):
    half = MANIFEST.replace('"adding up"]', '"Adding up", "and nothing else"]')
    anchored = rows(manifest=half)
    assert anchored["contract"] == pytest.approx(1 - 0.25 / 3, abs=1e-3)  # one of three is unsaid
    assert anchored["v1"] == 0.25  # the prose holds them all
    wrong = rows(add=ADD.replace("total=sum(values),", "total=sum(values) + 1,"))
    assert wrong["contract"] < 0.8
    assert wrong["v1"] == 0.25


def test_single_cases_have_a_row_for_the_prose_and_one_for_the_contract(
    make_notebook: Callable[..., Path], tmp_path: Path
):
    cells = [("front", FRONT), ("prose", PROSE), ("prose", STEPS), ("manifest", MANIFEST)]
    cells += [("setup", SETUP), ("step", ADD), ("step", TELL), ("cases", CASES)]
    folder = export(make_notebook(cells), tmp_path / "skills").folder
    heard: list[tuple[str, str]] = []
    arms = arms_of(folder, tmp_path / "stubs", told=lambda *words: heard.append(words))
    rows = case_rows("trial-skill", arms)  # no case of the author's is tagged
    assert [(row["version"], row["case"]) for row in rows] == [
        (version, f"classic-{number}") for number in (1, 2, 3) for version in ("v1", "stubs")
    ]
    assert [row["classic"] for row in rows] == pytest.approx([0.25, 0.53] * 3)
    assert ("contract", "case-1") in heard


def test_the_stubs_bear_the_names_of_the_contract(
    make_notebook: Callable[..., Path], tmp_path: Path
):
    cells = [("front", FRONT), ("prose", PROSE), ("prose", STEPS)]
    folder = export(make_notebook(cells), tmp_path / "skills").folder
    code = (stubs_of(folder, tmp_path / "place") / "runtime/skill.py").read_text()
    assert re.findall(r"def (\w+)\(\) -> dict", code) == ["add", "tell"]
    assert code.count("# skills2: stub") == 2
