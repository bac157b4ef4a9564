"""An audit in a few facts."""

import re

import pytest

from skills2_nb.audit.finding import finding
from skills2_nb.audit.profile import Audit, Profile
from skills2_nb.views.brief import MOST, Brief, brief, together, unaudited

CONTRADICTED = finding(
    "CONTRADICTED", "a#/x is 3, and the answer says 4 (line 1)", step="a", field="x", value=3
)
MISSING = finding("STEP_MISSING", "b is owed and was never called", step="b", after="it is last")
OMITTED = [
    finding("OMITTED", f"a#/{name} is {value}, and the answer does not say so (beside …)",
            name=name, value=value)
    for name, value in (("y", 5), ("z", 6))
]  # fmt: skip


def audited(verdict="fail", score=0.5, found=(), run="r", unchecked=()):
    profile = Profile(score, 1, 1, 1, verdict, tuple(found), tuple(unchecked))
    return Audit(run, "s", profile, profile, "L2", "x", (), ())


def test_a_pass_is_one_line():
    author = finding("NO_ANCHORS", "the skill has no anchor terms")
    told = brief(audited("pass", 0.95, [author])).text()
    assert told == "s: pass, score 0.95, evidence L2."


def test_what_is_wrong_and_what_the_journal_has():
    told = brief(audited(found=[*OMITTED, CONTRADICTED, MISSING])).text()
    assert told == (
        "s: fail, score 0.50 (a pass needs 0.80), evidence L2.\n"
        "- Owed and not called: b.\n"
        "- a#/x is 3, and the answer says 4 (line 1).\n"
        "- Not in the answer: a#/y is 5; a#/z is 6.\n"
        "  Mended by: a new run of s in which every owed step succeeds in order.\n"
        "  Mended by: an answer that carries the values of the journal, each by its name, "
        "and no other."
    )


def test_notes_are_left_out_and_vetoes_have_their_mend():
    note = finding("KEY_UNKNOWN", "not in keys", note=True)
    forged = finding("CHAIN_BROKEN", "line 3 of the journal: it was changed")
    told = brief(audited("tampered", found=[note, forged])).text()
    assert "KEY" not in told and "- line 3 of the journal: it was changed." in told
    assert told.endswith("(CHAIN_BROKEN) Do not use this run; run the skill again.")


def test_what_was_let_through_comes_first():
    passed = finding("LET_THROUGH", "let through after two blocks: b")
    told = "The answer was sent back twice and let through the third time."
    assert brief(audited(found=[MISSING, passed])).facts[0] == told


def test_no_run_and_not_checked():
    none = finding("NO_RUN", "there is an answer and no run; a was owed", skill="s", first="a")
    told = brief(audited(found=[none], run=None)).text()
    assert ", no run.\n- there is an answer and no run; a was owed." in told
    told = brief(audited("unproven", 0.9, unchecked=["replay", "strength"])).text()
    assert told == "s: unproven, score 0.90, evidence L2.\n- Not checked: replay; strength."
    assert unaudited("s", "No package\nis there.").text() == "s: not audited. No package is there."


def test_a_value_writes_no_lines_of_its_own():
    odd = finding("CONTRADICTED", "a is 3,\n\x1b[31mand\u202e 4", step="a", field="x", value=3)
    told = brief(audited(found=[odd])).text()
    assert len(told.splitlines()) == 3 and "\x1b" not in told and "\u202e" not in told


@pytest.mark.parametrize("room", [40, 120, 300, 1_000, MOST])
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_there_is_a_bound(room, count):
    facts = tuple("x" * 100 for _ in range(50))
    each = Brief("s: fail, score 0.10.", facts, ("a new run.", "an answer."))
    text = together([each] * count, room)
    assert len(text) <= room and text.startswith(
        "s: fail, score 0.10."[: max(1, room // count - 1)]
    )


@pytest.mark.parametrize("room", [1_000, MOST])
def test_what_is_left_out_is_counted(room):
    each = Brief("s: fail, score 0.10.", ("x" * 100,) * 50, ("a new run.", "an answer."))
    for shown in (each.text(room), together([each], room)):
        left = int(re.search(r"and (\d+) more", shown)[1])
        assert shown.count("- x") + left == 50 and "Mended by: an answer." in shown
