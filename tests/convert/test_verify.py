import json

import pytest

from skills2_nb.convert.verify import belongs, schemas, verify

FAULTS = {
    "missing library": (("setup", "import no_such_library_here"), "ModuleNotFoundError", 5, 1),
    "hidden name": (("setup", "x = [gone]"), "NameError", 5, 1),
    "exit": (("setup", "import os\n\nos._exit(3)"), "ended early", None, None),
    "system exit": (("setup", "import sys\n\nsys.exit('bye')"), "SystemExit: bye", 5, 3),
    "in a call": (("setup", "def f():\n    return 1 / 0\n\n\nf()"), "ZeroDivisionError", 5, 2),
    "half a character": (
        (
            "step",
            "from pydantic import Field\n\n\n"
            "class H(BaseModel):\n    a: int = Field(description='\\ud800')\n\n\n"
            "@step\ndef g(b: int) -> H:\n    return H(a=b)",
        ),
        "half a character",
        None,
        None,
    ),
    "type": (
        ("step", "@step\ndef g(b: 'Gone') -> int:\n    return b"),
        "Gone",
        5,
        1,
    ),
}


@pytest.mark.parametrize(("cell", "words", "number", "line"), FAULTS.values(), ids=FAULTS)
def test_a_package_that_does_not_import(planned, good, cell, words, number, line):
    data, problem = verify(planned([*good, cell]))
    assert data is None
    assert problem.code == "X901"
    assert words in problem.message
    assert (problem.cell, problem.line) == (number, line)
    assert problem.mend


@pytest.mark.parametrize("default", ["float('inf')", "float('nan')", "'\\u2028'", "10**400"])
def test_odd_defaults_have_a_schema(planned, good, default):
    cell = ("step", f"@step\ndef g(b: object = {default}) -> int:\n    return 1")
    data, problem = verify(planned([*good, cell]))
    assert problem is None
    assert json.loads(data)["steps"]["g"]["input"]["properties"]["b"] is not None


def test_a_hang_ends(planned, good):
    plan = planned([*good, ("setup", "import time\n\ntime.sleep(60)")])
    _, problem = verify(plan, timeout=2)
    assert "longer than 2 s" in problem.message


def test_the_code_gets_no_input_and_its_output_is_dropped(planned, good, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.setenv("PYTHONSTARTUP", "/gone.py")
    cell = ("setup", "import sys\n\nprint('noise')\nREST = sys.stdin.read()\nassert REST == ''")
    data, problem = verify(planned([*good, cell]))
    assert problem is None
    assert b'"count"' in data
    assert capfd.readouterr().out == ""


def test_schemas_belong_to_their_code(planned, good):
    plan, other = planned(good), planned([*good, ("setup", "X = 1")])
    data = schemas(plan, {})
    assert belongs(data, plan)
    assert not belongs(data, other)
    assert not belongs(b"[", plan)
    assert not belongs(b"[]", plan)
