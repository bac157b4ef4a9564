"""What is an answer, and what is talk."""

import pytest

from skills2_nb.evals.dialogue import asks_back, claims, is_talk

# text; claims; asks back; is talk
SAID = [
    ("Which month do you mean?", False, True, True),
    ("I found logs for 1997 and 1998. Which one do you mean?", False, True, True),
    ("There are 3 files here. Which one is the log?", True, False, True),
    ("**Shall I go on?**", False, True, True),
    ("Done.", False, False, True),
    ("Users grow because new users come.", False, False, True),
    ("There are 91 in all.", True, False, False),
    ("There are 91 in all. Shall I plot it?", True, False, False),
    ("There are 4,200 in 1998-03. Anything else?", True, False, False),
    ("The total is 12 %", True, False, False),
    ("Is it 91, or 92?", False, True, True),
    ("It is 3.", True, False, False),
    ("", False, False, True),
]


@pytest.mark.parametrize(("text", "figures", "asking", "talk"), SAID)
def test_messages(text, figures, asking, talk):
    assert (claims(text), asks_back(text), is_talk(text)) == (figures, asking, talk)


def test_what_was_given_is_no_claim_of_ones_own():
    said = "I have 20, 30 and 41 from you. Is that all?"
    assert claims(said) and not claims(said, ["What is the sum of 20, 30 and 41?"])
    assert asks_back(said, ["20, 30 and 41"])
    assert claims("They give 91.", ["20, 30 and 41"])
