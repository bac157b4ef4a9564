"""Numbers written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.audit.number_words import spelled

SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
LARGE = "twenty thirty forty fifty sixty seventy eighty ninety"
KLEIN = """
    null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    sechzehn siebzehn achtzehn neunzehn
"""
GROSS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
ONES, TENS, EINER, ZEHNER = (words.split() for words in (SMALL, LARGE, KLEIN, GROSS))


def english(number):
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" and {english(number % size)}" if number % size else ""
            return f"{english(number // size)} {name}{rest}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")


def german(number):
    for size, name in ((1000, "tausend"), (100, "hundert")):
        if number >= size:
            rest = german(number % size) if number % size else ""
            return f"{german(number // size)}{name}{rest}"
    if number < 20:
        return EINER[number]
    return (f"{EINER[number % 10]}und" if number % 10 else "") + ZEHNER[number // 10 - 2]


@given(st.integers(13, 99_999), st.sampled_from([english, german]))
def test_what_is_written_out_is_read(number, dress):
    text = f"It was {dress(number)}, so."
    (found,) = spelled(text)
    assert (found.value, found.percent) == (number, False)
    assert text[found.start : found.end] == dress(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two hundred and forty customers", [(240, False)]),
        ("twelve percent", [(12, True)]),
        ("vierunddreißig Prozent", [(34, True)]),
        ("Thirty-four per cent", [(34, True)]),
        ("one million two hundred thousand", [(1_200_000, False)]),
        ("hundertzwei", [(102, False)]),
        # small ones claim nothing, and a hundred alone is a manner of speaking
        ("ten steps and twelve checks", []),
        ("a hundred times", []),
        ("hundert Gründe, tausend Dank", []),
        ("a hundred percent", []),
        # words that only look like it
        ("einzig, Leipzig, someone, often, forty-winks", []),
        ("the twenty-first of May, a twenty-four-hour day", []),
        ("two three four", []),
        ("", []),
    ],
)
def test_spelled(text, expected):
    assert [(item.value, item.percent) for item in spelled(text)] == expected
