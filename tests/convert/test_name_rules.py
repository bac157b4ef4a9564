import pytest

FAULTS = {
    "hidden import": ("C408", [("code", "import os"), ("setup", "x = os")], 2, "'os'"),
    "hidden function": ("C408", [("skip", "def g(): ..."), ("setup", "x = g()")], 2, "cell 1"),
    "hidden in a broken cell": (
        "C408",
        [("code", "%time\nimport os"), ("setup", "def f():\n    return os")],
        2,
        "'os'",
    ),
    "hidden annotation": (
        "C408",
        [("code", "class A: ..."), ("setup", "def f(a: 'A'): ...")],
        2,
        "'A'",
    ),
    "undefined": ("C409", [("setup", "def f():\n    return gone")], 1, "'gone'"),
    "twice": ("C410", [("setup", "def f(): ..."), ("setup", "\nf = 1")], 2, "'f'"),
    "twice by import": (
        "C410",
        [("setup", "from a import x"), ("setup", "from b import x")],
        2,
        "'x'",
    ),
    "twice by global": (
        "C410",
        [("setup", "N = 0"), ("setup", "def f():\n    global N\n    N = 1")],
        2,
        "'N'",
    ),
    "before": ("C411", [("setup", "x = later()"), ("setup", "def later(): ...")], 1, "cell 2"),
    "base before": ("C411", [("setup", "class A(B): ..."), ("setup", "class B: ...")], 1, "'B'"),
    "kit": ("C412", [("step", "@step\ndef f() -> int:\n    return 1")], 1, "'step'"),
    "main": ("C413", [("setup", 'if __name__ == "__main__":\n    x = 1')], 1, "guard"),
    "builtin": ("C416", [("setup", "list = 3")], 1, "'list'"),
    "typing only": (
        "C417",
        [
            ("setup", "from typing import TYPE_CHECKING\nfrom skills2_nb import step"),
            ("setup", "if TYPE_CHECKING:\n    from decimal import Decimal"),
            ("step", "@step\ndef f(a: 'Decimal') -> int:\n    return 1"),
        ],
        3,
        "'Decimal'",
    ),
    "relative": ("C405", [("setup", "from . import x")], 1, "relative"),
    "star": ("C406", [("setup", "from os import *")], 1, "os"),
    "together": (
        "C415",
        [("setup", "x = 1"), ("setup", "def f():\n    x: int\n    global x")],
        0,
        "",
    ),
}
FAULTS.pop("together")


@pytest.mark.parametrize(("code", "cells", "cell", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_name(planned, code, cells, cell, words):
    found = [p for p in planned(cells).problems if p.code == code]
    assert [p.cell for p in found] == [cell]
    assert words in found[0].message
    assert found[0].line and found[0].mend


FINE = {
    "same import": [("setup", "import os"), ("setup", "import os\nx = os")],
    "same from": [("setup", "from a import b as c"), ("setup", "from a import b as c")],
    "two modules of a package": [("setup", "import os.path"), ("setup", "import os\nx = os")],
    "loops": [("setup", "for i in []: pass"), ("setup", "for i in []: pass")],
    "forward in a body": [("setup", "def f():\n    return g()"), ("setup", "def g(): ...")],
    "forward annotation": [
        ("setup", "from __future__ import annotations\ndef f(a: A): ..."),
        ("setup", "class A: ..."),
    ],
    "future in another cell": [
        ("setup", "def f(a: A): ..."),
        ("setup", "from __future__ import annotations\nclass A: ..."),
    ],
    "bound inside": [("setup", "def f(x):\n    y = x\n    return [z for z in y]")],
    "exported beats hidden": [("code", "import os"), ("setup", "import os\nx = os.sep")],
    "display imported": [("setup", "from IPython.display import display\ndef f(x): display(x)")],
    "builtins": [("setup", "x = [len, print, Exception, __name__]")],
    "import under try": [("setup", "try:\n    import x\nexcept ImportError:\n    x = None")],
    "own type variables": [
        ("setup", "from typing import TypeVar\nT = TypeVar('T')\ndef f(a: T) -> T: ...")
    ],
}


@pytest.mark.parametrize("cells", FINE.values(), ids=FINE)
def test_what_is_right(planned, cells):
    assert [p for p in planned(cells).problems if p.code.startswith("C")] == []


def test_a_hidden_import_cell_is_offered_a_role_and_other_cells_are_not(planned):
    use = ("setup", "def f():\n    return os, X")
    plan = planned([("code", "import os"), ("code", "import sys\nX = 1"), use])
    edits = {p.message.split("'")[1]: p.edit for p in plan.problems if p.code == "C408"}
    assert edits["os"].tags == ("setup",)
    assert edits["X"] is None
