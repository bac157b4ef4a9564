"""Some of a skill's cases."""

import pytest

from skills2_nb.errors import UsageError
from skills2_nb.evals.chosen import Chosen
from skills2_nb.formats.cases import RunCase, StepCase

CASES = (
    StepCase("adds", "add"),
    RunCase("march", "What of March?", tags=("classic", "month"), split="test"),
    RunCase("april", "What of April?", tags=("month",), split="train"),
    RunCase("a word", "Odd", tags=("odd one",)),
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ["adds", "march", "april", "a word"]),
        ("case:adds", ["adds"]),
        ("case:april case:adds", ["adds", "april"]),
        ("tag:classic", ["march"]),
        ("tag:month", ["march", "april"]),
        ("tag:month split:train", ["april"]),
        ("split:test split:train", ["march", "april"]),
        ("'case:a word'", ["a word"]),
        ("'tag:odd one'", ["a word"]),
    ],
)
def test_each_word_narrows_the_choice(text, ids):
    chosen = Chosen.parse(text)
    assert [case.id for case in chosen.of(CASES)] == ids
    assert Chosen.parse(str(chosen)) == chosen
    assert bool(chosen) is bool(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("march", "'march' chooses no case"),
        ("tag:", "'tag:' chooses no case"),
        ("name:march", "chooses no case; write case:ID"),
        ("case:marsh", "no case has the id 'marsh'; did you mean march?"),
        ("tag:x", "no case has the tag 'x'; there is classic, month, odd one"),
        ("split:x", "no case has the split 'x'; there is test, train"),
        ("case:adds tag:month", "no case is chosen by case:adds tag:month"),
    ],
)
def test_a_word_that_fits_nothing_is_refused(text, said):
    with pytest.raises(UsageError, match=said):
        Chosen.parse(text).of(CASES)


def test_without_cases_nothing_can_be_chosen():
    with pytest.raises(UsageError, match="there is none"):
        Chosen.parse("tag:x").of(())
