"""Yesterday's run for today's question."""

import pytest

from skills2_nb.audit.asked import Asked
from skills2_nb.audit.auditor import audit
from skills2_nb.audit.integrity import Integrity
from skills2_nb.contract.state import RunState

NOTHING = ()


def ran(prompt="Why did actives move?", session="s1", prompt_id="p1", answers=()):
    return RunState(
        run="r",
        prompt=prompt,
        session=session,
        prompt_id=prompt_id,
        answers=[{"text": "x", "prompt_id": id_, "seq": 9} for id_ in answers],
    )


def codes(found):
    return [(item.code, item.counts) for item in found]


OTHER, UNSAID = [("OTHER_PROMPT", True)], [("OTHER_PROMPT", False)]


@pytest.mark.parametrize(
    ("asked", "state", "expected"),
    [
        (Asked(), ran(), []),
        (Asked(), ran(None, None, None), []),
        (Asked("Why did actives move?"), ran(), []),
        (Asked("  why DID\n actives\u00a0move? "), ran(), []),
        (Asked("Warum fa\u0308llt es?"), ran("Warum f\u00e4llt es?"), []),
        (Asked("And in April?"), ran(), OTHER),
        (Asked("And in April?"), ran(session=None, prompt_id=None), OTHER),
        (Asked("And in April?"), ran(None), UNSAID),
        (Asked("And in April?", prompt_id="p1"), ran(), []),
        (Asked(session="s1", prompt_id="p1"), ran(), []),
        (Asked(session="s2", prompt_id="p1"), ran(), OTHER),
        (Asked("Why did actives move?", session="s2"), ran(), OTHER),
        (Asked(session="s2"), ran(session=None), []),
        (Asked(prompt_id="p2"), ran(), OTHER),
        (Asked(prompt_id="p2"), ran(prompt_id=None), []),
        # A question after the answer, in the same session: the run goes on to answer for it.
        (Asked("And as a ratio?", "s1", "p2"), ran(answers=["p1", "p2"]), []),
        (Asked("And as a ratio?", "s1", "p2"), ran(answers=["p1"]), OTHER),
        (Asked("And as a ratio?", None, "p2"), ran(answers=["p2"]), OTHER),
        (Asked("And as a ratio?", "s2", "p2"), ran(answers=["p2"]), OTHER),
    ],
)
def test_the_question_asked_and_the_one_run(asked, state, expected):
    assert codes(asked.differs(state)) == expected


def test_the_message_names_both_and_is_short():
    (found,) = Asked("And in\nApril? " + "x" * 200).differs(ran())
    assert found.message.startswith("asked was question “And in April? xxx")
    assert found.message.endswith("… and the run is of “Why did actives move?”") is False
    assert "“Why did actives move?”" in found.message
    assert len(found.message) < 200
    assert (found.axis, found.vetoes) == ("integrity", True)


def test_strict_fails_and_the_journal_is_sound(basis, honest):
    whole = Integrity(True, "L1", ("L0", "L1"))
    right = audit(basis, honest.state, integrity=whole, asked=Asked(honest.state.prompt))
    wrong = audit(basis, honest.state, integrity=whole, asked=Asked("And in April?"))
    assert right.strict.findings == ()
    assert (wrong.strict.verdict, wrong.strict.findings[0].code) == ("fail", "OTHER_PROMPT")
    assert (wrong.classic, wrong.level) == (right.classic, "L1")
    (none,) = audit(basis, None, asked=Asked("And in April?")).strict.findings
    assert none.code == "NO_ANSWER", "no run is of no question"
