import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.convert.dialect import compiles, faults

PLAIN = [
    "",
    "x = 1",
    "x = 7 \\\n% 2",
    "y=(x\n%d)",
    's = """\n%a\n!b\n"""',
    "ls -la",
    "# %%capture\nx = 1",
    "# !ls",
    'x = "a?"',
    "x = a if b else c  # why?",
    "f'{x!r}'",
    "x = y != z",
    "async def f():\n    await g()",
    "\\\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_python_is_never_taken_for_ipython(text):
    if compiles(text) is None:
        assert faults(text) == ([], text)


SPECIAL = {
    "cell magic": ("%%time\nx = 1", [("ipython", 1)]),
    "cell magic without a body": ("%%capture", [("ipython", 1)]),
    "line magic": ("%matplotlib inline\nx = 1", [("ipython", 1)]),
    "three lines": ("%a\nx = 1\n!b\ny = 2\nz?", [("ipython", 1), ("ipython", 3), ("ipython", 5)]),
    "in a function": ("def f():\n    %time g()\n    return 1", [("ipython", 2)]),
    "alone in a function": ("def f():\n    !ls", [("ipython", 2)]),
    "shell to a name": ("files = !ls *.csv\nx = files", [("ipython", 1)]),
    "magic to a name": ("t = %timeit -o f()", [("ipython", 1)]),
    "help": ("print?", [("ipython", 1)]),
    "more help": ("?print\nprint??", [("ipython", 1), ("ipython", 2)]),
    "call": ("/f 1", [("ipython", 1)]),
    "quoted call": (",f a b", [("ipython", 1)]),
    "continued": ("!ls \\\n  -la\nx = 1", [("ipython", 1), ("ipython", 2)]),
    "and a syntax error": ("%a\ndef f(:\n  pass", [("ipython", 1), ("syntax", 2)]),
    "prompts": (">>> x = 1\n1", [("ipython", 1)]),
    "sql": ("%sql\nSELECT 1", [("language", 1)]),
    "bash": ("%%bash\nls", [("language", 1)]),
    "await": ("await f()", [("syntax", 1)]),
    "return": ("x = 1\nreturn x", [("syntax", 2)]),
    "open bracket": ("x = (1\ny", [("syntax", 1)]),
    "nul": ("x = 1\0", [("syntax", 1)]),
    "indent": ("  x = 1\n  y = 2", [("indent", 1)]),
}


@pytest.mark.parametrize(("text", "wanted"), SPECIAL.values(), ids=SPECIAL)
def test_what_is_no_module_and_where(text, wanted):
    found, _ = faults(text)
    assert [(fault.kind, fault.line) for fault in found] == wanted
    assert all(fault.mend for fault in found)


def test_the_rest_of_a_cell_stays_readable():
    _, text = faults("import os\nfiles = !ls\n%time f()\n\n\ndef g():\n    !ls")
    assert text == "import os\nfiles = None\npass\n\n\ndef g():\n    pass"


def test_an_indented_cell_has_its_mend():
    (fault,), _ = faults("    x = 1\n    if x:\n        y = 2")
    assert fault.mended == "x = 1\nif x:\n    y = 2"


def test_a_deep_nest_is_no_crash():
    (fault,), _ = faults("(" * 100_000)
    assert fault.kind == "syntax"


@given(
    st.lists(st.sampled_from([*"%!?=()\"'#\\\n \t", "x", "def f():", "\n    ", "1"])).map("".join)
)
def test_it_always_ends_and_agrees_with_the_compiler(text):
    found, rest = faults(text)
    assert (not found) == (compiles(text) is None)
    assert compiles(rest) is None


@pytest.mark.parametrize(
    "text", [text for text, wanted in SPECIAL.values() if {k for k, _ in wanted} == {"ipython"}]
)
def test_ipython_itself_understands_what_is_called_ipythons(text):
    manager = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager()
    assert compiles(manager.transform_cell(text)) is None
