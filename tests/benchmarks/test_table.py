import pytest

from benchmarks.table import Row, duration, markdown, versions
from benchmarks.timing import Contender, Sample, measure


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (8.4e-6, "8.40 us"),
        (24.53e-3, "24.5 ms"),
        (0.355, "355 ms"),
        (2.0, "2.00 s"),
        (5e-7, "0.50 us"),
        (-0.119, "-119 ms"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_ratios_are_taken_round_by_round() -> None:
    ours, floor = Sample("ours", (2.0, 8.0, 3.0)), Sample("floor", (1.0, 2.0, 3.0))
    assert ours.over(floor) == (1.0, 2.0, 4.0)
    assert ours.spread == (2.0, 3.0, 8.0)


def test_every_contender_works_once_a_round_in_turn() -> None:
    calls: list[str] = []
    contenders = [
        Contender("a", lambda: calls.append("a")),
        Contender("b", lambda: calls.append("b"), loops=2),
    ]
    samples = measure(contenders, rounds=2)
    assert calls == ["a", "b", *["a", "b", "b"] * 2]
    assert [len(sample.times) for sample in samples] == [2, 2]


def test_markdown_has_a_line_for_each_contender_and_the_goal() -> None:
    samples = (Sample("ours", (2e-3,)), Sample("floor", (1e-3,)))
    head, rule, ours, floor, _, goal = markdown([Row("P0", "a task", "be quick", samples)]).split(
        "\n"
    )
    assert len({len(head), len(rule), len(ours), len(floor)}) == 1
    assert [cell.strip() for cell in ours.split("|")][1:5] == ["P0", "a task", "ours", "2.00 ms"]
    assert [cell.strip() for cell in floor.split("|")][-4:-1] == ["2.00"] * 3
    assert goal == "- P0, a task: be quick"


def test_versions_say_what_is_absent() -> None:
    said = versions(["pytest", "no-such-library"])
    assert f"pytest {pytest.__version__}" in said
    assert said.endswith("no-such-library absent")


def test_a_goal_that_is_missed_says_so() -> None:
    samples = (Sample("ours", (2.0,)), Sample("floor: bare", (1.0,)), Sample("peer", (4.0,)))
    row = Row("P0", "a task", "be quick", samples, {"floor": 1.5, "peer": 0.5})
    told = markdown([row]).splitlines()[-1]
    assert told == ("- P0, a task: be quick; floor 2.00 of 1.5, **missed**; peer 0.50 of 0.5, met")
