import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.anchoring import Status, ValueMatch
from skills2_nb.views.answer import STATUSES, legend, linked, marked, pieces, told


def figure(text: str, start: int, status: str = "reported", source: str | None = "s#/x", value=1):
    return ValueMatch(text, start, start + len(text), status, source, value)


def test_every_status_has_a_meaning() -> None:
    assert set(STATUSES) == set(Status.__args__)


def test_pieces_put_together_are_the_answer() -> None:
    cut = list(pieces("a 12 b 34", [figure("34", 7), figure("12", 2)]))
    assert cut == [("a ", None), ("12", 1), (" b ", None), ("34", 0)]


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40))))
def test_pieces_lose_nothing_whatever_the_places(answer, places) -> None:
    values = [ValueMatch("", start, end, "traced", None, None) for start, end in places]
    cut = list(pieces(answer, values))
    assert "".join(text for text, _ in cut) == answer
    numbers = [number for _, number in cut if number is not None]
    assert len(numbers) == len(set(numbers))


def test_each_figure_is_one_link(read) -> None:
    answer = "<b>12</b> & 34"
    values = [figure("12", 3), figure("34", 12, "unsupported", None, 34)]
    tree = read(linked(answer, values, lambda number: f"to-{number}"))
    links = tree.all("a")
    assert [link.attributes["href"] for link in links] == ["#to-0", "#to-1"]
    assert [link.classes for link in links] == [["fig", "reported"], ["fig", "unsupported"]]
    assert [link.text for link in links] == ["12", "34?"]
    tips = {node.attributes.get("id"): node.text for node in tree.all("span")}
    assert [tips[link.attributes["aria-describedby"]] for link in links] == [
        "s#/x = 1 (reported)",
        "unsupported: from nowhere the run knows",
    ]


def test_marked_has_no_links(read) -> None:
    tree = read(marked("it is 12", [figure("12", 6, "contradicted", "s#/x", 11)]))
    assert not tree.all("a")
    (mark,) = [node for node in tree.all("span") if "fig" in node.classes]
    assert (mark.text, mark.attributes["title"]) == ("12≠", "s#/x = 11 (contradicted)")


@pytest.mark.parametrize("status", ["unsupported", "contradicted"])
def test_what_is_wrong_bears_a_sign_beside_its_colour(status) -> None:
    assert STATUSES[status][0]


def test_legend_names_what_occurs_alone(read) -> None:
    tree = read(legend([figure("1", 0), figure("2", 2, "prompt"), figure("3", 4)]))
    assert [item.text.split()[0] for item in tree.all("li")] == ["reported", "prompt"]
    assert legend([]) is None


def test_told_without_a_value() -> None:
    assert told(figure("x", 0, "prompt", "prompt", None)) == "prompt (prompt)"
