"""Rises and falls against their own figures."""

import pytest

from skills2_nb.audit.direction import turned_sizes, turns
from skills2_nb.audit.numbers import NumberFigure, figures
from skills2_nb.audit.page import Page
from skills2_nb.audit.sources import Source


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Actives rose from 211 to 157.", "rose from 211 to 157"),
        ("It fell from 157 in 1998-02 to 211.", "fell from 157 in 1998-02 to 211"),
        ("It rose by 54, from 211 to 157", "rose by 54, from 211 to 157"),
        ("It grew 34.4% from 211 to 157", "grew 34.4% from 211 to 157"),
        ("It **fell** slightly, from 948 to **981**", "fell** slightly, from 948 to **981"),
        ("dropped from about 981 (Feb) to 990", "dropped from about 981 (Feb) to 990"),
        ("Sie stiegen von 211 im März 1998 auf 157", "stiegen von 211 im März 1998 auf 157"),
        ("Sie sank von 3,5 % auf 4,5 %", "sank von 3,5 % auf 4,5 %"),
        # as it is
        ("It fell from 211 to 157; it rose by 54, from 157 to 211; up from 157 to 211", None),
        ("It rose from 1998-02 to 1998-03.", None),
        ("Losses fell, lifting actives from 157 to 211.", None),
        ("It rose from -5 to -3, and fell from −3 to −5.", None),
        ("It rose from 157.", None),
        ("It fell. From 157 to 211 in one month.", None),
        # what is in doubt accuses nobody: a percent may be a share, 1.234 a thousand
        ("It rose from 3.4% to 0.04", None),
        ("It rose from 1.234 to 1.3", None),
        ("", None),
    ],
)
def test_turns(text, told):
    numbers = [f for f in figures(text) if isinstance(f, NumberFigure) and f.claims]
    found = [text[turn.start : turn.end] for turn in turns(Page(text), numbers)]
    assert found == ([told] if told else [])


GREW = Source("rates#/growth_rate", "result", 0.344, ("growth rate",))
FELL = Source("rates#/growth_rate", "result", -0.034, ("growth rate",))
OTHER = Source("rates#/share", "result", 0.344, ("share",))


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        ("A decline of 34.4%.", GREW, "decline of 34.4%"),
        ("It shrank by 34.4 %.", GREW, "shrank by 34.4 %"),
        ("Ein Rückgang um 34,4 %.", GREW, "Rückgang um 34,4 %"),
        ("It grew by 3.4%.", FELL, "grew by 3.4%"),
        ("Ein Anstieg von 3,4 %.", FELL, "Anstieg von 3,4 %"),
        # as it is, or about something else
        ("A growth of 34.4%.", GREW, None),
        ("A growth rate of -3.4%, a decline of 3.4%.", FELL, None),
        ("A decline of 34.4%.", OTHER, None),
        ("A decline of 34.", GREW, None),
        ("A decline of 12%.", GREW, None),
    ],
)
def test_the_size_of_a_change_is_told_its_way(text, source, told):
    numbers = [f for f in figures(text) if isinstance(f, NumberFigure) and f.claims]
    found = [text[turn.start : turn.end] for turn in turned_sizes(Page(text), numbers, [source])]
    assert found == ([told] if told else [])
