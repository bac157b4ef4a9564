import ast

import pytest

from skills2_nb.convert.names import names_of

BINDS = {
    "assignment": ("a = b = 1\nc: int = 2\nd += 1", {"a", "b", "c", "d"}),
    "definitions": ("def f(x): y = 1\nclass C:\n    z = 1\nasync def g(): ...", {"f", "C", "g"}),
    "imports": ("import a.b\nimport c as d\nfrom e import f, g as h", {"a", "d", "f", "h"}),
    "blocks": ("try:\n    import x\nexcept ImportError as e:\n    x = None", {"x", "e"}),
    "global": ("def f():\n    global G\n    G = 1", {"f", "G"}),
    "comprehension": ("[i for i in range(3)]", set()),
    "walrus": ("(n := 3)", {"n"}),
    "unpacking": ("(a, [b, *c]) = x", {"a", "b", "c"}),
    "future": ("from __future__ import annotations\nx = 1", {"x"}),
    "match": ("match x:\n    case [p, *q]: pass", {"p", "q"}),
}


def look(text, **options):
    return names_of(ast.parse(text), **options)


@pytest.mark.parametrize(("text", "names"), BINDS.values(), ids=BINDS)
def test_names_bound(text, names):
    assert set(look(text).binds) == names
    assert set(look(text, lazy_annotations=True).binds) == names


USES = {
    "calls": ("def f():\n    return g(x)", {"g", "x"}),
    "locals": ("def f(a):\n    b = a\n    return [c for c in b]", set()),
    "closure": ("def f():\n    y = 1\n    def g():\n        return y + z\n    return g", {"z"}),
    "class": ("class C(B):\n    x = y\n    def m(self): return x", {"B", "y", "x"}),
    "annotation": ("def f(a: A, *b: B, **c: C) -> D: ...", {"A", "B", "C", "D"}),
    "text annotation": ("def f(a: 'list[A]') -> 'B | None': ...", {"A", "B", "list"}),
    "no annotation": ("def f(a: 'not a name!') -> 'x y': ...", set()),
    "labels": ("def f(a: Literal['x', 'y'], b: \"t.Literal['z']\"): ...", {"Literal", "t"}),
    "metadata": ("def f(a: Annotated['A', 'note', F('x')]): ...", {"Annotated", "A", "F"}),
    "attribute": ("import a\na.b.c()", {"a"}),
    "decorator": ("@d(1)\ndef f(x=e): ...", {"d", "e"}),
    "deleted": ("del x", set()),
}


@pytest.mark.parametrize(("text", "names"), USES.values(), ids=USES)
def test_names_used(text, names):
    assert set(look(text).uses) == names
    if "annotation" in text or "->" in text:
        assert set(look(text, lazy_annotations=True).uses) == names


NOW = {
    "body": ("x = y\nz()", {"y", "z"}),
    "function body": ("def f():\n    return g()", set()),
    "default": ("def f(a=b): ...", {"b"}),
    "decorator": ("@d\ndef f(): ...", {"d"}),
    "class body": ("class C(B):\n    x = y\n    def m(self): return later", {"B", "y"}),
    "comprehension": ("x = [f(i) for i in y]", {"f", "y"}),
    "lambda": ("f = lambda: later", set()),
    "annotation": ("def f(a: A): ...", {"A"}),
}


@pytest.mark.parametrize(("text", "names"), NOW.values(), ids=NOW)
def test_names_used_at_once(text, names):
    assert set(look(text).now) == names


def test_lazy_annotations_are_used_later():
    assert set(look("def f(a: A): ...", lazy_annotations=True).now) == set()


def test_lines():
    found = look("import a\n\nb = a\n\n\ndef f():\n    return c")
    assert (found.binds, found.uses) == ({"a": 1, "b": 3, "f": 6}, {"a": 3, "c": 7})


def test_loops_are_told_from_definitions():
    assert look("for i in x:\n    j = i\nwith y as k: pass").loops == {"i", "k"}
    assert look("for i in x: pass\ni = 3").loops == set()


def test_imports_for_type_checkers_alone():
    text = (
        "from t import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import B, C\nelse:\n    C = 1"
    )
    assert look(text).typing_only == {"B", "C"}
    assert look("import B\n" + text).typing_only == {"C"}


@pytest.mark.parametrize(
    "text",
    ["import a", "import a.b", "import a.b as c", "from a import b", "from ..a import b as c"],
)
def test_an_import_is_told_as_written(text):
    (item,) = look(text).imports
    assert item.text == text
