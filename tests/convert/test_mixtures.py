"""Any mixture of cells: what ships runs as the kernel did, or is refused with a place."""

import asyncio
import codeop
import sys
import uuid
from types import ModuleType

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

from skills2_nb.contract.loader import load
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import RefusedError, Skills2Error

BASE = (
    "setup",
    "import asyncio\nimport functools\nfrom typing import Literal\n\n"
    "from pydantic import BaseModel, Field\n\nfrom skills2_nb import step",
)
FRONT = ("front", "---\nname: trial-skill\ndescription: Tries. Use to try.\n---")


def names(kind):
    """Names of definitions, of few enough that cells meet, and clash."""
    return st.integers(0, 3).map(lambda n: f"{kind}{n}")


CONST, HELPER, MODEL, CHECK = names("C"), names("h"), names("M"), names("ok")
NUMBER = st.integers(-9, 9)


def text(template, **parts):
    return st.builds(lambda **given: template.format(**given), **parts)


VALUE = st.one_of(
    NUMBER.map(str),
    text("{c} + {n}", c=CONST, n=NUMBER),
    text("[i * {n} for i in range({c} % 5)]", c=CONST, n=NUMBER),
    text("{{i: {h}(i) for i in range(3)}}", h=HELPER),
    text("(lambda x, y={c}: x + y)({n})", c=CONST, n=NUMBER),
    text("{h}({n})", h=HELPER, n=NUMBER),
    text("[w := {n}, {{{n}}}, f'{{{c}!r:>5}}']", c=CONST, n=NUMBER),
    st.just('"""# %% step x\n# skills2: step\n\n@step\n"""'),
)
SETUPS = st.one_of(
    text("{c} = {v}", c=CONST, v=VALUE),
    text("{c}: int = {v}; _ = {c}", c=CONST, v=VALUE),
    text("def {h}(x):\n    return x + {n} if not isinstance({c}, int) else x * {c}",
         h=HELPER, c=CONST, n=NUMBER),
    text("def {h}(x):\n    global {c}\n    {c} = {n}\n    return x", h=HELPER, c=CONST, n=NUMBER),
    text("def {h}(x, n={c}):\n    def inner(x):\n        return {g}(x) if x > 99 else n\n"
         "    return inner(x)", h=HELPER, g=HELPER, c=CONST),
    text("{h} = functools.partial(max, {c})", h=HELPER, c=CONST),
    text("class {m}(BaseModel):\n    a: int\n    b: 'list[int]' = Field(default_factory=list)",
         m=MODEL),
    text("class {m}({k}):\n    c: Literal[1, 2] = 1", m=MODEL, k=MODEL),
    text("def {o}(x):\n    return x == x and {c} == {c}", o=CHECK, c=CONST),
    text("try:\n    import no_such_thing as {h}\nexcept ImportError:\n    {h} = abs", h=HELPER),
    text("if {c}:\n    def {h}(x): return x\nelse:\n    {h} = abs", c=CONST, h=HELPER),
    text("for i in range(2):\n    {c} = i", c=CONST),
    text("match {n}:\n    case int(found):\n        {c} = found", n=NUMBER, c=CONST),
    text("from __future__ import annotations\n{c} = {n}", c=CONST, n=NUMBER),
    text('"""Doc."""\nfrom __future__ import annotations; {c} = {n}', c=CONST, n=NUMBER),
    st.sampled_from([
        "import math as h0", "from math import floor as h1, ceil as h2", "# only a comment", "",
        "import os, os.path", "name_with_é = ' \\N{BULLET} '", "x = 1\\\n  + 2\ny = (\n  x)",
    ]),
)  # fmt: skip
BROKEN = st.sampled_from([
    "def f(:", "%time x = 1", "!ls", "x = (", "from . import a", "from math import *",
    "display(1)", "await asyncio.sleep(0)", "return 1", "  x = 1\n  y = 2", "x = 1\0", "print?",
    "s = step", "f = step(abs)", "if True:\n    @step\n    def f(x: int) -> int:\n        return x",
    "from __future__ import braces", "nonlocal x", "def f(x, x): pass", "x = 1 +\r\n 2",
])  # fmt: skip
DECORATED = st.sampled_from(
    ["@step", "@step()", "@step(order={n})", "@step(invariants=[{o}])", "@step({n}, report=[])",
     "@step(requires=[s0])", "@step(requires='s1')", "@step(when={o})",
     "@step(bind={{'x': 's0#'}})", "@step(id='t{n}')", "@step(nope=1)", "@step(order={c})",
     "@step(invariants={o})", "@step(output_schema={m})", "@step(effects='files')"]
)  # fmt: skip
BODIES = st.sampled_from([
    ("int", "return x + 1"),
    ("int", "return {h}(x) if isinstance({h}(x), int) else x"),
    ("int", "return sum(i for i in range(x % 7))"),
    ("object", "return {c}"),
    ("{m}", "return {m}(a=x)"),
    ("'{m}'", "return {m}(a=x, b=[{n}])"),
    ("list[int]", "return [j for j in [x, {n}] if j == j]"),
    ("int", "raise ValueError(x)"),
    ("str", "return f'{{x}} {{{c}}}'"),
])  # fmt: skip


@st.composite
def steps(draw):
    words = {
        key: draw(kind)
        for key, kind in {
            "c": CONST,
            "h": HELPER,
            "m": MODEL,
            "o": CHECK,
            "n": NUMBER,
            "s": names("s"),
        }.items()
    }
    returns, body = draw(BODIES)
    extra = draw(st.sampled_from(["", "", ", y: int = 2", ", y: int = {c}", ", *, y: int = 1"]))
    head = draw(st.sampled_from(["def", "def", "async def"]))
    if head == "async def" and "return" in body:
        body = "await asyncio.sleep(0)\n    " + body
    before = draw(st.sampled_from(["", "", "LOCAL_{s} = 3\n\n\n", "# note\n"]))
    source = f"{before}{draw(DECORATED)}\n{head} {{s}}(x: int{extra}) -> {returns}:\n    {body}"
    return source.format(**words)  # fmt: skip


CELLS = st.one_of(
    st.tuples(st.just("setup"), SETUPS),
    st.tuples(st.just("setup"), SETUPS),
    st.tuples(st.just("step"), steps()),
    st.tuples(st.just("step"), steps()),
    st.tuples(st.sampled_from(["setup", "step"]), BROKEN),
    st.tuples(st.sampled_from(["code", "skip", "setup"]), steps()),
    st.tuples(st.sampled_from(["prose", "raw"]), st.sampled_from(["# T\n\n---", "x", "", "@step"])),
    st.tuples(st.just("code"), st.sampled_from(["%time 1", "scratch = 1", "D0 = 5", "!ls"])),
    st.tuples(st.just("setup"), st.just("def use(x):\n    return D0")),
    st.tuples(st.sampled_from(["helper", "model", "Setup", "reference:a.md"]), SETUPS),
)


TWIN = ("step", "@step()\ndef s0(x: int) -> int:\n    return x")
LATER = ("setup", "class M0(BaseModel):\n    a: int")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mixtures")


def kernel(plan):
    """One namespace in which the exported cells were run in order; None if one of them fails.

    As in IPython, a ``__future__`` import holds for the cells after it too.
    """
    compiler = codeop.Compile()
    module = ModuleType(f"kernel_{uuid.uuid4().hex}")
    sys.modules[module.__name__] = module
    for assignment in plan.assignments:
        if assignment.role.feeds == "runtime/skill.py":
            try:
                exec(compiler(assignment.cell.source, "<cell>", "exec"), module.__dict__)
            except Exception:
                return None
    return module.__dict__


def outcome(fn, x):
    """What a call gives, or how it fails."""
    try:
        made = fn(x=x)
        made = asyncio.run(made) if asyncio.iscoroutine(made) else made
    except Exception as error:
        return type(error).__name__
    return repr(made.model_dump() if hasattr(made, "model_dump") else made)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(CELLS, max_size=8))
@example(
    [("setup", "C0 = 1"), ("step", "@step\ndef s0(x: int, y: int = C0) -> int:\n    return y")]
)
@example([("step", "@step\ndef s0(x: int) -> 'M0':\n    return M0(a=x)"), LATER])
@example([("setup", "from __future__ import annotations as C1\nC0 = C1.optional[0]")])
@example([("setup", "C0 = C0 + 0")])
@example([("step", "@step(requires='s0')\ndef s0(x: int) -> int:\n    return x"), TWIN])
def test_what_ships_runs_as_the_kernel_did(folder, make_notebook, cells):
    path = make_notebook([FRONT, BASE, *cells], folder / "notebooks/trial-skill.ipynb")
    plan = plan_path(path)
    if plan.blocking:
        with pytest.raises(RefusedError):
            export(path, verify=False)
        assert all(problem.cell for problem in plan.blocking), plan.blocking
        return
    package = export(path, folder / "skills", verify=False).folder
    compile((package / "runtime/skill.py").read_text(encoding="utf-8"), "skill.py", "exec")
    ran = kernel(plan)
    try:
        skill = load(package)
    except Skills2Error as error:
        # Only what fails in the kernel too may fail here, and export says where.
        assert ran is None, error
        with pytest.raises(RefusedError) as refused:
            export(path, folder / "skills")
        assert refused.value.problems[-1].code
        return
    if ran is None:  # annotations of cells above a `__future__` import, which are then not read
        assert any("__future__" in source for _, source in cells)
        return
    assert skill.ids == tuple(entry.id for entry in plan.manifest.steps)
    for step in plan.steps:
        for x in (-3, 0, 4):
            assert outcome(skill.step(step.id).fn, x) == outcome(ran[step.name].__step__.fn, x)


def test_the_mixtures_are_of_every_kind(folder, make_notebook):
    """The law above would hold of nothing: see that it is tried on whole skills and on faults."""
    seen = set()

    @settings(max_examples=120, database=None, derandomize=True)
    @given(cells=st.lists(CELLS, min_size=2, max_size=8))
    def count(cells):
        plan = plan_path(make_notebook([FRONT, BASE, *cells], folder / "notebooks/count.ipynb"))
        seen.update(problem.code for problem in plan.blocking)
        if not plan.blocking and plan.steps:
            seen.add("a skill with steps")

    count()
    assert seen >= {"a skill with steps", "C401", "C402", "C408", "C410", "C411", "S501", "S523"}
