"""The cells of a kernel, run again for the steps that they define."""

import pytest

from skills2_nb.contract.cells import load_cells
from skills2_nb.contract.errors import PackageError

SETUP = "from skills2_nb import case, step\nBASE = 2"
ADD = "@step\ndef add(n: int) -> int:\n    return n + BASE"
TELL = "@step(requires=[add])\ndef tell(n: int) -> 'Told':\n    return Told(n=n)"
MODEL = "from pydantic import BaseModel\nclass Told(BaseModel):\n    n: int"


@pytest.mark.parametrize(
    "cells", [[SETUP, MODEL, ADD, TELL], [TELL, ADD, MODEL, SETUP], [ADD, SETUP, TELL, MODEL, ""]]
)
def test_cells_in_any_order_give_the_steps(cells: list[str]) -> None:
    skill = load_cells(cells, "trial")
    assert set(skill.ids) == {"add", "tell"} and skill.name == "trial"
    assert skill.step("add").fn(3) == 5
    assert skill.step("tell").output_type.__name__ == "Told"
    assert skill.requires("tell") == ("add",)


def test_cases_are_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    tries = 'add.case(1, expect=99)\ncase("Sum?", inputs={"n": 1}, must_call=["none"])'
    load_cells([SETUP, f"{ADD}\n{tries}"], "trial")
    assert capsys.readouterr().out == ""
    from skills2_nb.contract.trial import passed_over

    assert not passed_over.get()


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([SETUP, "1 / 0"], "cell 2 of the run does not run: ZeroDivisionError"),
        ([SETUP, "%matplotlib inline"], "cell 2 of the run does not run: SyntaxError"),
        ([SETUP, "import sys\nsys.exit(3)"], "cell 2 of the run does not run: SystemExit: 3"),
        ([SETUP, ADD, "display(1)"], "cell 3 of the run does not run: NameError"),
        ([SETUP, ADD, ADD.replace("add", "other").replace("step", "step(id='add')")], "two steps"),
    ],
)
def test_cells_that_do_not_run_are_named(cells: list[str], says: str) -> None:
    with pytest.raises(PackageError, match=says):
        load_cells(cells, "trial")
