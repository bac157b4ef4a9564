"""One walk through a cell against what the compiler itself says."""

import ast
import inspect
import symtable
import sys
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.convert import dialect
from skills2_nb.convert.scope_walk import scopes_of

AT_ONCE = ("listcomp", "setcomp", "dictcomp", "genexpr")
OLDER = sys.version_info < (3, 12)  # from then on comprehensions share a table (PEP 709)

#: What the parser takes and the compiler does not; a walk that calls one of these plain is wrong.
UNPLAIN = [
    "return 1",
    "yield 1",
    "x = yield",
    "await x",
    "[i async for i in x]",
    "break",
    "if x:\n    continue",
    "class C:\n    return 1",
    "def f(a, a): ...",
    "def f(a, *, a): ...",
    "lambda a, a: a",
    "f(a=1, a=2)",
    "class C(a=1, a=2): ...",
    "x = *a",
    "*a, *b = x",
    "def f():\n    x = 1\n    global x",
    "x = 1\nglobal x",
    "nonlocal x",
    "def f():\n    from a import *",
    "x = 1\nfrom __future__ import annotations",
    "from __future__ import nothing",
    "try: ...\nexcept: ...\nexcept ValueError: ...",
    "[x := 1 for x in y]",
    "class C:\n    [x := 1 for y in z]",
    "def f(x: (yield)): ...",
    "match x:\n    case a: ...\n    case b: ...",
    "match x:\n    case {'a': 1, 'a': 2}: ...",
    "async def f():\n    yield 1\n    return 1",
    "async with x: ...",
    "".join(f"{' ' * n}for i in x:\n" for n in range(22)) + " " * 22 + "pass",
]


@pytest.mark.parametrize("text", UNPLAIN)
def test_what_the_compiler_refuses_is_never_plain(text: str) -> None:
    assert dialect.compiles(text) is not None
    for lazy in (False, True):
        assert not scopes_of(ast.parse(text), lazy_annotations=lazy).plain


PLAIN = [
    "import a\nfrom b import c as d\nx = a.b(c=1)[2:3]",
    "def f(a: int, *b, c=1, **d) -> 'int':\n    return [i for i in a if i]",
    "class C(B, metaclass=M):\n    x: int = 1\n    def m(self): return super().m()",
    "for i in x:\n    print(f'{i:>{n}}')\nelse:\n    y = {1: 2, **z}",
    "try:\n    pass\nexcept E as e:\n    raise F from e\nfinally:\n    del x",
    "with a as b, c:\n    assert b, 'c'\nwhile not d: e += 1",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_written_every_day_is_plain(text: str) -> None:
    assert dialect.compiles(text) is None
    assert scopes_of(ast.parse(text)).plain


def defined(module: object) -> list[str]:
    """The functions and classes of a module of the standard library, as texts."""
    text = inspect.getsource(module)  # type: ignore[arg-type]
    parts = [ast.get_source_segment(text, node) for node in ast.parse(text).body]
    return [text, *filter(None, parts)]


SOURCES = [text for module in (dialect, inspect, symtable, warnings) for text in defined(module)]


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from tables(child)


def read(table: symtable.SymbolTable, *, now: bool) -> set[str]:
    """What the compiler's own tables say is read of the module."""
    module = table.get_type() == "module"
    found = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    found = {n for n in found if module or table.lookup(n).is_global()}
    for child in table.get_children():
        if not now or child.get_type() == "class" or child.get_name() in AT_ONCE:
            found |= read(child, now=now)
    return found


def bound(top: symtable.SymbolTable) -> set[str]:
    found = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    for table in tables(top):
        symbols = (s for s in table.get_symbols() if s.is_declared_global())
        found |= {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}
    return found


def agree(text: str) -> None:
    top = symtable.symtable(text, "<cell>", "exec")
    lazy = "from __future__ import annotations\n" in text
    found = scopes_of(ast.parse(text), lazy_annotations=lazy)
    assert found.bound() == bound(top)
    assert found.used() == (read(top, now=False), read(top, now=True))


@pytest.mark.skipif(not OLDER, reason="comprehensions have tables of their own up to 3.11 alone")
@pytest.mark.parametrize("text", SOURCES, ids=range(len(SOURCES)))
def test_names_of_code_are_those_of_the_symbol_table(text: str) -> None:
    agree(text)


NAMES = st.sampled_from(["a", "b", "c", "__p", "len"])
EXPRESSIONS = st.recursive(
    NAMES | st.just("1"),
    lambda inner: st.one_of(
        st.builds("[{} for {} in {}]".format, inner, NAMES, inner),
        st.builds("(lambda {}: {})".format, NAMES, inner),
        st.builds("{}({}={})".format, NAMES, NAMES, inner),
    ),
    max_leaves=5,
)
LINES = st.one_of(
    st.builds("{} = {}".format, NAMES, EXPRESSIONS),
    st.builds("def {}({}={}): return {}".format, NAMES, NAMES, EXPRESSIONS, EXPRESSIONS),
    st.builds("class {}({}): {} = {}".format, NAMES, NAMES, NAMES, EXPRESSIONS),
    st.builds("for {} in {}: {}".format, NAMES, EXPRESSIONS, EXPRESSIONS),
    st.builds("def {}():\n    global {}\n    {} = {}".format, NAMES, NAMES, NAMES, EXPRESSIONS),
    st.builds(
        "class {}:\n    def {}(self):\n        def {}(): return {}\n        {} = 1".format,
        NAMES,
        NAMES,
        NAMES,
        EXPRESSIONS,
        NAMES,
    ),
)


@pytest.mark.skipif(not OLDER, reason="comprehensions have tables of their own up to 3.11 alone")
@given(st.lists(LINES, min_size=1, max_size=4).map("\n".join))
def test_names_of_any_cell_are_those_of_the_symbol_table(text: str) -> None:
    if dialect.compiles(text) is None:
        agree(text)
