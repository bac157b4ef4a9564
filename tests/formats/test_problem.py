import re
from pathlib import Path

import pytest

import skills2_nb
from skills2_nb.formats.codes import CODES
from skills2_nb.formats.problem import found, in_order

SOURCES = sorted(Path(skills2_nb.__file__).parent.rglob("*.py"))


def test_a_problem_is_one_sentence_with_place_and_mend():
    problem = found(
        "S501", "it is a step", "tag it", file="nb.ipynb", cell=3, cell_id="ab12", line=2
    )
    assert problem.sentence() == (
        "nb.ipynb: cell 3 (id ab12), line 2: S501 error: it is a step. Mend: tag it."
    )
    assert problem.to_dict() == {
        "code": "S501",
        "level": "error",
        "file": "nb.ipynb",
        "cell": 3,
        "line": 2,
        "message": "it is a step",
        "mend": "tag it",
    }


@pytest.mark.parametrize(("code", "blocks"), [("S501", True), ("S517", False), ("R203", False)])
def test_what_blocks(code, blocks):
    assert found(code, "m").blocks is blocks


def test_problems_stand_by_place_and_once():
    late, early = found("C401", "a", file="n", cell=2), found("S501", "b", file="n", cell=1)
    assert in_order([late, early, late]) == (early, late)


def test_every_code_is_used_and_every_code_used_is_in_the_table():
    used = set()
    for path in SOURCES:
        if path.name != "codes.py":
            used |= set(re.findall(r'"([NRFCSKMAXL]\d{3})"', path.read_text(encoding="utf-8")))
    assert used == set(CODES)


def test_every_code_says_a_sentence():
    for code in CODES.values():
        assert code.says.endswith("."), code
