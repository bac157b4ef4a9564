"""Pictures that say nothing which the words beside them do not."""

import pytest

from skills2_nb.views import charts
from tests.views.suites import BAD, GOOD, HOSTILE, run, skill

SUMS, STEPS = BAD["skills"]


def pictures(tree):
    return [node for node in tree.all() if node.attributes.get("aria-hidden") == "true"]


@pytest.mark.parametrize("draw", [charts.gauge, charts.axes, charts.distribution])
@pytest.mark.parametrize("each", [SUMS, STEPS, GOOD["skills"][0], HOSTILE["skills"][0]])
def test_no_picture_has_words_of_its_own(draw, each, read):
    for node in pictures(read(draw(each))):
        assert node.text == ""


def test_gauge_says_verdict_score_threshold(read):
    told = read(charts.gauge(SUMS)).text
    assert told == "✗ fail0.61 median scorethreshold 0.80, profile strict"
    assert "– no case was scored" in read(charts.gauge(STEPS)).text


@pytest.mark.parametrize(("score", "share"), [(0.0, None), (0.5, 0.5), (1.0, 1.0)])
def test_the_arc_is_as_long_as_the_score(score, share, read):
    each = SUMS | {"axes": SUMS["axes"] | {"score": score}}
    lengths = [
        tuple(map(float, node.attributes["stroke-dasharray"].split()))
        for node in read(charts.gauge(each)).all("path")
        if "stroke-dasharray" in node.attributes
    ]
    assert [round(part / whole, 2) for part, whole in lengths] == ([] if share is None else [share])


def test_axes(read):
    rows = [[cell.text for cell in row.children] for row in read(charts.axes(SUMS)).all("tr")]
    assert rows[1:] == [
        ["score, threshold 0.80", "0.61"],
        ["coverage", "0.62"],
        ["consistency", "0.97"],
        ["anchoring", "0.63"],
    ]


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([], []),
        ([1.0], [("0.9 to 1.0", 1, 0)]),
        ([0.0], [("0.0 to 0.1", 1, 0)]),
        ([0.3, 0.29], [("0.3 to 0.4", 1, 0), ("0.2 to 0.3", 1, 0)]),
        ([0.95, 0.75], [("0.9 to 1.0", 1, 0), ("0.8 to 0.9", 0, 0), ("0.7 to 0.8", 1, 0)]),
    ],
    ids=str,
)
def test_classes(scores, told):
    each = skill("s", [run(f"c{at}", score) for at, score in enumerate(scores)])
    assert charts.classes(each) == told


def test_cases_that_expect_another_verdict_are_counted_apart(read):
    each = skill("s", [run("a"), run("b", 0.95), run("c", 0.97, "fail", expected="fail")])
    assert charts.classes(each) == [("0.9 to 1.0", 2, 1)]
    (row,) = read(charts.distribution(each)).all("tbody")[0].all("tr")
    assert [cell.text for cell in row.children] == ["0.9 to 1.0", "2", "1", "3"]


def test_timeline_has_each_step_and_each_call(read):
    tree = read(charts.timeline(SUMS["cases"][-1]))
    rows = [[cell.text for cell in row.children] for row in tree.all("tr")]
    assert rows[1:] == [
        ["1", "add", "✗ failed, 2 calls", "0 of 2", "2.0 ms"],
        ["2", "tell", "○ not called", "0 of 2", "–"],
    ]
    assert "2 calls, 2.0 ms in all" in tree.all("caption")[0].text


def test_bars_of_a_timeline_lie_end_to_end(read):
    styles = [
        node.attributes["style"]
        for node in read(charts.timeline(run("x"))).all("span")
        if node.attributes.get("style")
    ]
    assert styles == ["left:0.00%;width:75.00%", "left:75.00%;width:25.00%"]
    assert "no time to show" in read(charts.timeline(STEPS["cases"][0])).text
