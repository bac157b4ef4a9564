import pytest

MODEL = "class M(BaseModel):\n    total: int\n\n\n"
GOOD_STEP = (
    "step",
    MODEL + "def holds(a, total):\n    return total == a\n\n\n"
    '@step(invariants=[holds], report=["total"])\ndef f(a: int) -> M:\n    return M(total=a)',
)
SETUP = ("setup", "from pydantic import BaseModel\n\nfrom skills2_nb import step")
FRONT = ("front", "---\nname: trial-skill\ndescription: Counts.\n---")


def step(arguments="", name="g", signature="b: int", result="int", body="return b"):
    call = f"({arguments})" if arguments else ""
    return ("step", f"@step{call}\ndef {name}({signature}) -> {result}:\n    {body}")


def lint(planned, *cells):
    plan = planned([FRONT, SETUP, GOOD_STEP, *cells])
    return [p for p in plan.problems if p.cell and p.cell > 3 and p.code != "S521"]


NO_STRAYS = {
    "a parameter": "def h(step):\n    return [step for step in range(step)]",
    "a local": "def h(n):\n    for step in range(n):\n        n += step\n    return n",
    "a lambda": "h = lambda step: step",
    "an annotation": "from typing import Any\nH: 'step | None' = None",
}


@pytest.mark.parametrize("source", NO_STRAYS.values(), ids=NO_STRAYS)
def test_the_word_step_may_mean_something_else(planned, source):
    assert "S523" not in [problem.code for problem in lint(planned, ("setup", source))]


def test_scratch_and_skipped_cells_may_use_step_as_they_like(planned):
    block = "if 1:\n    @step\n    def g(): ..."
    assert lint(planned, ("skip", block), ("code", "help(step)"), ("code", "x = step")) == []


def test_half_a_character_in_a_docstring_is_told_by_rule_or_compiler(planned):
    """From Python 3.13 on the compiler itself cannot take it."""
    problems = lint(planned, step(body='"\\udfff"\n    return b'))
    assert [p.code for p in problems if p.code in ("C401", "C418")] != []
    assert all(problem.blocks for problem in problems if problem.level == "error")


def test_an_empty_step_cell_is_skipped_and_told_once(planned):
    assert [problem.code for problem in lint(planned, ("step", ""))] == ["R207"]


def test_a_good_step_has_no_fault(planned):
    assert planned([FRONT, SETUP, GOOD_STEP]).problems == ()


FAULTS = {
    "untagged": ("S501", [("code", "@step\ndef g(b: int) -> int:\n    return b")], "no role"),
    "untagged and unreadable": (
        "S501",
        [("code", "%%time\n@step\ndef g(): ...")],
        "cannot be read",
    ),
    "in setup": ("S501", [("setup", "@step\ndef g(b: int) -> int:\n    return b")], "`setup`"),
    "no step": ("S502", [("step", "x = 1")], "no `@step` function"),
    "two steps": (
        "S503",
        [("step", step()[1] + "\n\n\n@step\ndef h(b: int) -> int:\n    return b")],
        "'h'",
    ),
    "under if": ("S523", [("code", "if 1:\n    @step\n    def g(): ...")], "inside a block"),
    "under try": ("S523", [("step", "try:\n    @step\n    def g(): ...\nfinally: ...")], "'g'"),
    "in a class": ("S523", [("setup", "class A:\n    @step\n    def g(self): ...")], "'g'"),
    "in a function": ("S523", [("setup", "def h():\n    @step\n    def g(): ...")], "'g'"),
    "in another step": (
        "S523",
        [step(body="return b\n\n    @step\n    def inner(): ...")],
        "'inner'",
    ),
    "called": ("S523", [("setup", "def g(): ...\n\n\ng = step(g)")], "`step` is used"),
    "called twice": ("S523", [("step", "def g(): ...\n\n\ng = step(order=2)(g)")], "`step`"),
    "another name": ("S523", [("setup", "mark = step")], "`step`"),
    "partly": (
        "S523",
        [("setup", "import functools\nmark = functools.partial(step, 1)")],
        "`step`",
    ),
    "by another decorator": ("S523", [("setup", "@print(step)\ndef g(): ...")], "`step`"),
    "by its module": ("S523", [("setup", "import skills2_nb as k\nmark = k.step")], "`k.step`"),
    "half a character": ("C418", [step('report=["\\ud800"]')], "report holds half"),
    "dunder": ("S509", [step(name="__all__")], "for Python itself"),
    "dunder id": ("S509", [step('id="__name__"')], "for Python itself"),
    "blank name": ("S509", [step(name="_")], "for Python itself"),
    "configuration": ("S512", [step(signature="model_config: int")], "'model_config'"),
    "call": ("S504", [step("invariants=[make()]")], "`make()`"),
    "lambda": ("S504", [step("invariants=[lambda b: b]")], "`lambda b: b`"),
    "f-string": ("S504", [step('report=[f"{x}"]')], "report"),
    "option": ("S505", [step("requires_=[f]")], "'requires_'"),
    "two positions": ("S505", [step("1, 2")], "only `order`"),
    "order": ("S506", [step('order="1"')], "order is '1'"),
    "order flag": ("S506", [step("order=True")], "order is True"),
    "required": ("S506", [step("required=1")], "required is 1"),
    "effects": ("S506", [step("effects=[1]")], "effects"),
    "bind": ("S506", [step("bind=['a']")], "bind"),
    "requires": ("S507", [step("requires=['ff']")], "'ff'"),
    "requires a function": ("S507", [step("requires=[holds]")], "'holds'"),
    "invariant": ("S508", [step("invariants=['hold']")], "'hold'"),
    "address": ("S508", [step("invariants=['runtime.validators:gone']")], "'gone'"),
    "guard": ("S508", [step("when='gone'")], "'gone'"),
    "schema": ("S508", [step("output_schema='Gone'")], "'Gone'"),
    "schema is a function": ("S508", [step("output_schema=holds")], "no class"),
    "invariant is a class": ("S508", [step("invariants=[M]")], "no function"),
    "reserved": ("S509", [step(name="end_run")], "the kit's own"),
    "no name": ("S509", [step("id='a-b'")], "no Python name"),
    "keyword": ("S509", [step("id='class'")], "no Python name"),
    "same id": ("S510", [step("id='f'")], "cell 3"),
    "long": ("S511", [step(name="g" * 60)], "87 characters"),
    "star": ("S512", [step(signature="*b")], "*args"),
    "double star": ("S512", [step(signature="**b")], "**kwargs"),
    "positional": ("S512", [step(signature="b, /")], "positional-only"),
    "itself": ("S513", [step("requires=['g']")], "waits for itself"),
    "circle": ("S513", [step("requires=['h']"), step("requires=[g]", "h")], "waits for itself"),
    "higher": (
        "S513",
        [step("1, requires=['h']"), step("9, requires=[]", "h")],
        "'h', whose order is higher",
    ),
    "forgotten return": (
        "S514",
        [("setup", "def empty(b):\n    b == 1"), step("invariants=[empty]")],
        "only return None",
    ),
    "value": (
        "S515",
        [("setup", "def odd(b, totall):\n    return b"), step("invariants=[odd]", result="M")],
        "'totall'",
    ),
    "report": ("S516", [step("report=['totl']", result="M")], "'totl'"),
    "report of a number": ("S516", [step("report=['b']")], "int has no field"),
    "bound parameter": ("S522", [step("bind={'c': 'f#/total'}")], "'c'"),
    "bound step": ("S522", [step("bind={'b': 'ff#/total'}")], "'ff#/total'"),
    "bound field": ("S522", [step("bind={'b': 'f#/totl'}")], "'totl'"),
}


@pytest.mark.parametrize(("code", "cells", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_step(planned, code, cells, words):
    found = [p for p in lint(planned, *cells) if p.code == code]
    assert found
    assert any(words in problem.message for problem in found), found
    assert all(problem.mend and (problem.line or code == "S502") for problem in found)
    assert all(problem.blocks for problem in found)


SOFT = {
    "long form": ("S519", [step(signature="b")], "note"),
    "no result": ("S519", [("step", "@step\ndef g(b: int):\n    return b")], "note"),
    "stub": ("S520", [step(body="...")], "warning"),
    "stub by pass": ("S520", [step(body='"""Doc."""\n    pass')], "warning"),
    "stub by its mark": ("S520", [step(body="# skills2: stub\n    return 1")], "warning"),
    "stub by its first line": (
        "S520",
        [("step", "# skills2: stub\n@step\ndef g(b: int) -> int:\n    return 1")],
        "warning",
    ),
    "stub that raises": ("S520", [step(body="raise NotImplementedError")], "warning"),
    "ambiguous": (
        "S518",
        [step(name="g", result="M"), step(name="h", signature="total: int")],
        "warning",
    ),
}


@pytest.mark.parametrize(("code", "cells", "level"), SOFT.values(), ids=SOFT)
def test_what_is_only_said(planned, code, cells, level):
    (problem,) = [p for p in lint(planned, *cells) if p.code == code]
    assert problem.level == level
    assert not problem.blocks


FINE = {
    "plain": [step()],
    "async": [("step", "@step\nasync def g(b: int) -> int:\n    return b")],
    "order": [step("2.5")],
    "by function": [step("requires=[f], invariants=[holds2]"), ("setup", "x = 1")],
    "by name": [step("requires=['f'], invariants=['holds2'], when='holds2'")],
    "by address": [step("requires='f', invariants='runtime.validators:holds2'")],
    "constants": [
        ("setup", "WANTED = ['total']\n\n\ndef holds3(total):\n    return total"),
        step("report=WANTED, invariants=['holds3']", result="M"),
    ],
    "optional": [step("required=False, effects='network', id='other'")],
    "nothing": [step("requires=None, when=None, invariants=()")],
    "bound": [step("bind={'b': 'f#/total'}")],
    "bound to an input": [step("bind={'b': 'inputs#/b'}")],
    "whole names": [
        ("setup", "def w(inputs, output, run):\n    assert run"),
        step("invariants=[w]"),
    ],
    "default": [("setup", "def w(b, c=1):\n    return b"), step("invariants=[w]", result="M")],
    "raises": [("setup", "def w(b):\n    if b:\n        raise ValueError"), step("invariants=[w]")],
    "said which": [
        step(name="g", result="M"),
        step("bind={'total': 'g#/total'}", "h", "total: int", body="return total"),
    ],
    "scratch": [("skip", "@step\ndef g(b: int) -> int:\n    return b")],
}


@pytest.mark.parametrize("cells", FINE.values(), ids=FINE)
def test_what_is_right(planned, cells):
    helper = ("setup", "def holds2(b):\n    return b > 0")
    assert [p for p in lint(planned, helper, *cells) if p.code != "C411"] == []


def test_no_report_field_at_all_is_an_error_that_lets_the_export_be(planned):
    plan = planned([FRONT, SETUP, step()])
    (problem,) = [p for p in plan.problems if p.code == "S517"]
    assert (problem.level, problem.blocks) == ("error", False)
    stub = planned([FRONT, SETUP, step(body="...")])
    assert "S517" not in [p.code for p in stub.problems]


@pytest.mark.parametrize(
    "imports",
    [
        "import skills2_nb\nM = skills2_nb.step",
        "import skills2_nb as kit",
        "from skills2_nb import step as contract",
        "from skills2_nb.contract.step import step",
    ],
)
def test_step_by_any_name(planned, imports):
    word = {"M =": "skills2_nb.step", "as kit": "kit.step", "as contract": "contract"}
    mark = next((w for key, w in word.items() if key in imports), "step")
    plan = planned([("setup", imports), ("step", f"@{mark}\ndef f() -> int:\n    return 1")])
    assert [s.id for s in plan.steps] == ["f"]


def test_a_step_of_another_library_is_none(planned):
    plan = planned([("setup", "from behave import step"), ("code", "@step\ndef f(): ...")])
    assert plan.steps == ()
    assert "S501" not in [p.code for p in plan.problems]


def test_a_long_name_of_a_skill_is_told_once(planned):
    front = ("front", f"---\nname: {'a' * 50}\ndescription: Counts.\n---")
    plan = planned([front, SETUP, step()])
    assert [p.code for p in plan.problems if p.code == "S511"]
