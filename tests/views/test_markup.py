import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.views.markup import Html, esc, join, table, tag


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("<b>", "&lt;b&gt;"),
        ("\"'", "&quot;&#x27;"),
        ("&amp;", "&amp;amp;"),
        ("\x1b\x00", "\\x1b\\x00"),
        (3, "3"),
        (Html("<b>"), "<b>"),
    ],
)
def test_esc(text: object, safe: str) -> None:
    assert esc(text) == safe


def test_tag() -> None:
    made = tag(
        "a", "<", None, ["b", tag("i", "c")], cls="x", href="#y", aria_label='"', hidden=True
    )
    assert made == ('<a class="x" href="#y" aria-label="&quot;" hidden>&lt;b<i>c</i></a>')
    assert tag("br", id=None, hidden=False) == "<br>"
    assert isinstance(made, Html)


def test_join_between_parts() -> None:
    assert join(["<", None, Html("<i>")], ", ") == "&lt;, <i>"


@given(st.text(), st.text())
def test_no_text_breaks_out(text, attribute) -> None:
    made = tag("p", text, title=attribute)
    inside = made.removeprefix("<p").removesuffix("</p>")
    assert made.count("<") == 2
    assert inside.count('"') == 2


def test_table_has_caption_and_scopes(read) -> None:
    tree = read(table("Scores <1>", ["a", "b"], [["x", 1], ["y", 2]], numeric=(1,), ids=["r1"]))
    assert tree.all("caption")[0].text == "Scores <1>"
    assert [n.attributes["scope"] for n in tree.all("th")] == ["col", "col", "row", "row"]
    assert [n.attributes.get("id") for n in tree.all("tr")] == [None, "r1", None]
    assert [n.classes for n in tree.all("td")] == [["n"], ["n"]]
