import pytest

from skills2_nb.library.rundiff import differences


def where(a, b):
    return [(item.part, item.where) for item in differences(a.state, b.state)]


def test_the_same_inputs_are_the_same(make_run):
    a, b = make_run(), make_run()
    assert a.id != b.id
    assert differences(a.state, b.state) == ()


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (
            {"daily": [1, 2]},
            {"daily": [1, 3]},
            [("inputs", "inputs#/daily"), ("steps", "add#/total"), ("steps", "spread#/words")],
        ),
        ({"answer": "3"}, {"answer": "4"}, [("verdict", "answer")]),
        ({}, {"open": True}, [("verdict", "ended")]),
        (
            {"daily": [1, 2]},
            {"daily": [13]},
            [
                ("inputs", "inputs#/daily"),
                ("steps", "add"),
                ("steps", "spread"),
                ("verdict", "add status"),
                ("verdict", "add checks failed"),
                ("verdict", "spread status"),
            ],
        ),
    ],
)
def test_what_differs_is_named(a, b, found, make_run):
    first, second = make_run(**a), make_run(**b)
    assert where(first, second) == found
    assert where(second, first) == found, "whichever comes first"


def test_each_side_is_shown(make_run):
    item = differences(make_run([1]).state, make_run([13]).state)[-2]
    assert item.to_dict() == {"part": "verdict", "where": "add checks failed", "a": [],
                              "b": ["is_the_sum"]}  # fmt: skip


def test_a_stale_result_is_a_difference(make_run):
    a, b = make_run(open=True), make_run(open=True)
    b.call("add", {"daily": [5]})
    found = {item.where: (item.a, item.b) for item in differences(a.state, b.state)}
    assert found["spread status"] == ("ok", "stale")
