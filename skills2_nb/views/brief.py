"""An audit in a few facts, for the model.

It is read before the next prompt is answered: no orders, no times, nothing but what was found,
what the journal has, and what would mend it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from skills2_nb.audit.finding import Finding, listed
from skills2_nb.audit.page import word_set
from skills2_nb.audit.profile import Audit
from skills2_nb.hooks.prompts import MOST_AUDIT
from skills2_nb.views.values import one_line

#: All that is said of a session's answer, in characters: what a hook hands on.
MOST = MOST_AUDIT
_LONGEST = 320
_UNCALLED = word_set("STEP_MISSING")
_UNDONE = word_set("STEP_MISSING STEP_FAILED OUT_OF_ORDER STALE NO_RUN INVARIANT_FAILED")
_FIGURES = word_set("CONTRADICTED OMITTED UNSUPPORTED DIRECTION")
#: How the message of an omitted field goes on behind its value.
_UNSAID = ", and the answer does not say so"
#: Follows from what is told beside it.
_IMPLIED = word_set("F1_LOW ANCHOR_MISSING LET_THROUGH")


@dataclass(frozen=True)
class Brief:
    """What is to be said of one audit.

    Attributes:
        title: skill, verdict and score.
        facts: what was found, the weightiest first.
        mends: what would mend it.
    """

    title: str
    facts: tuple[str, ...] = ()
    mends: tuple[str, ...] = ()

    def text(self, room: int = MOST) -> str:
        """The brief in at most so many characters; what is left out is counted."""
        mends = [f"  Mended by: {item}" for item in self.mends]
        lines, left = [self.title[:room]], room - len(self.title)
        spare = sum(len(line) + 1 for line in mends[:1]) + 40
        facts = [f"- {fact}" for fact in self.facts]
        while facts and len(facts[0]) + 1 + spare <= left:
            lines.append(facts.pop(0))
            left -= len(lines[-1]) + 1
        more = f"- and {len(facts)} more, which `skills2 audits show` has"
        extra = [more, *mends] if facts else mends
        for line in extra:
            if len(line) + 1 <= left:
                lines.append(line)
                left -= len(line) + 1
        return "\n".join(lines)


def brief(audit: Audit, threshold: float = 0.80) -> Brief:
    """What is said of an audit.

    Args:
        threshold: the score that a pass needs.
    """
    profile = audit.profile(audit.by)
    title = f"{audit.skill}: {profile.verdict}, score {profile.score:.2f}"
    title += f" (a pass needs {threshold:.2f})" if profile.score < threshold else ""
    title += f", evidence {audit.level}" if audit.run else ", no run"
    is_good = profile.verdict == "pass"  # what is left then is for the skill's author
    counted = [item for item in profile.findings if item.counts and not is_good]
    facts = [*_facts(counted), *_unchecked(profile.verdict, profile.not_checked)]
    return Brief(f"{title}.", tuple(facts), tuple(_mends(audit.skill, counted)))


def unaudited(skill: str, why: str) -> Brief:
    """What is said of a run that could not be audited."""
    return Brief(f"{skill}: not audited. {one_line(why, _LONGEST)}")


def together(briefs: Sequence[Brief], room: int = MOST) -> str:
    """Several briefs in one text, each with its share of the room."""
    texts: list[str] = []
    for at, item in enumerate(briefs):
        left = room - sum(len(text) + 1 for text in texts)
        if left <= 0:
            break
        texts.append(item.text(left // (len(briefs) - at)))
    return "\n".join(texts)[:room]


def _facts(found: Sequence[Finding]) -> Iterator[str]:
    if any(item.code == "LET_THROUGH" for item in found):
        yield "The answer was sent back twice and let through the third time."
    uncalled = [item.step or "" for item in found if item.code in _UNCALLED]
    if uncalled:
        yield f"Owed and not called: {listed(uncalled)}."
    first = [item for item in found if item.code in _UNDONE - _UNCALLED]
    figures = [item for item in found if item.code in _FIGURES]
    named = _UNDONE | _FIGURES | _IMPLIED
    rest = [item for item in found if item.code not in named]
    vetoes = [item for item in rest if item.vetoes]
    others = [item for item in rest if not item.vetoes]
    for item in (*first, *vetoes, *(item for item in figures if item.code != "OMITTED")):
        yield _said(item)
    omitted = [item.message.partition(_UNSAID)[0] for item in figures if item.code == "OMITTED"]
    if omitted:
        yield f"Not in the answer: {one_line('; '.join(omitted), 2 * _LONGEST)}."
    yield from (_said(item) for item in others)
    if not (uncalled or first or figures or rest):
        yield from (_said(item) for item in found if item.code in _IMPLIED - {"LET_THROUGH"})


def _said(item: Finding) -> str:
    message = one_line(item.message, _LONGEST)
    return message + ("" if message.endswith((".", "…")) else ".")


def _unchecked(verdict: str, names: Sequence[str]) -> Iterator[str]:
    if verdict == "unproven" and names:
        yield f"Not checked: {one_line('; '.join(names), _LONGEST)}."


def _mends(skill: str, found: Iterable[Finding]) -> Iterator[str]:
    """What would mend it; the run has ended, so steps belong to another one."""
    codes = {item.code: item for item in found}
    if codes.keys() & _UNDONE:
        yield f"a new run of {skill} in which every owed step succeeds in order."
    if codes.keys() & (_FIGURES | {"F1_LOW"}):
        yield "an answer that carries the values of the journal, each by its name, and no other."
    for code, item in codes.items():
        if item.vetoes and code not in _UNDONE | _FIGURES | _IMPLIED:
            yield f"({code}) {one_line(item.mend, _LONGEST)}"
