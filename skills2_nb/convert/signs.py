"""By what a skill is found, and its answers are known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from skills2_nb.convert import prose
from skills2_nb.convert.asking import questions
from skills2_nb.convert.blocks import blocks
from skills2_nb.convert.candidates import unnumbered
from skills2_nb.convert.flow import Flow
from skills2_nb.convert.flow_words import is_about, names_flow
from skills2_nb.convert.titles import plain
from skills2_nb.formats.skill_md import SkillMd

MOST_ANCHORS = 12
MOST_AGAINST = 6
_LONGEST_ANCHOR = 40
_LONGEST_PHRASE = 120
#: A term that occurs more often than this says no more for it.
_OFTEN = 9
_STEP_BONUS = 4
#: So many terms are weighed; a long text has said by then what it is about.
_ENOUGH = 400
_NOT_FOR = re.compile(
    r"\b(?:not for|don'?t use (?:it |this )?(?:for|when|if)|do not use (?:it |this |this skill )?"
    r"(?:for|when|if))\s+([^.;()]{3,120})",
    re.IGNORECASE,
)
_NEVER = re.compile(r"when (?:not to|to avoid|to skip)\b|(?:do not|don'?t) use\b", re.IGNORECASE)
_LABEL = re.compile(r"\*\*[^*]+:\*\*|\*\*[^*]+\*\*:|__[^_]+:__|__[^_]+__:")
_WORD = re.compile(r"[^\W_]")
_COMMON = """
quick start, quickstart, getting started, best practices, common pitfalls, pitfalls, red flags,
remember, report, output, output format, usage, common workflows, before starting, critical,
important, always, never, must, none, true, false, null, all, any, not, now, new, old, before,
after, yes, and, only, also, optional, required, warning, tip, goal, result, issue, solution,
problem, cause, fix, input, name, high, medium, low, the, key principles, core principles, summary,
checklist, communication, rules
"""
#: What any skill may say.
_ANYWHERE = frozenset(" ".join(_COMMON.split()).split(", "))


@dataclass(frozen=True, slots=True)
class Signs:
    """What the prose says of when the skill is asked for.

    Attributes:
        phrases: things a user may say.
        keywords: single words that speak for it.
        against: what it is not for.
        anchors: terms that an answer of it would mention.
        prompts: three things a user might ask for.
    """

    phrases: tuple[str, ...]
    keywords: tuple[str, ...]
    against: tuple[str, ...]
    anchors: tuple[str, ...]
    prompts: tuple[str, ...]


def signs_of(document: SkillMd, flow: Flow, name: str) -> Signs:
    """The signs of a skill: from its description, its "When to use", its headings and marked words.

    Args:
        document: SKILL.md, cut.
        flow: its steps, whose titles say more than other words.
        name: the skill's name.
    """
    said, body = document.fields.get("description"), document.body
    description = said if isinstance(said, str) else prose.first_paragraph(body)
    return Signs(
        prose.phrases(description, body),
        prose.keywords(name, description, body),
        against(description, body),
        anchors(body, (step.title for step in flow.steps)),
        questions(name, description, body),
    )


def against(description: str, body: str) -> tuple[str, ...]:
    """What the skill is not for, by description and "When not to use", at most six phrases."""
    found: dict[str, str] = {}
    for text in _NOT_FOR.findall(description):
        _keep(found, text)
    inside = False
    for block in blocks(body):
        if block.kind == "heading":
            inside = bool(_NEVER.match(plain(block.text)))
        elif inside and block.kind == "item":
            _keep(found, plain(block.text))
    return tuple(found.values())[:MOST_AGAINST]


def anchors(body: str, titles: Iterable[str] = ()) -> tuple[str, ...]:
    """Headings, bold text and code spans that tell this skill from others, at most twelve.

    What the prose comes back to most often is taken, and given in the order of the prose. Headings
    that any skill could have, and labels such as "Note:", are left out.

    Args:
        body: the prose; each term occurs in it.
        titles: the steps' titles.
    """
    low = body.casefold()
    told = {title.casefold() for title in titles}
    lines = body.split("\n")
    found: dict[str, str] = {}
    for said, number in prose.terms(body):
        term = unnumbered(said)
        key = term.casefold()
        if key not in found and _characterises(term, lines[number - 1]) and key in low:
            found[key] = term
        if len(found) >= _ENOUGH:
            break
    places = {key: place for place, key in enumerate(found)}
    weights = {key: _weight(key, low, told) for key in found}
    ranked = sorted(found, key=lambda key: (-weights[key], places[key]))
    return tuple(found[key] for key in sorted(ranked[:MOST_ANCHORS], key=places.__getitem__))


def _characterises(term: str, line: str) -> bool:
    """Whether a term says something of this skill."""
    if not 3 <= len(term) <= _LONGEST_ANCHOR or not _WORD.search(term) or term.isdigit():
        return False
    label = _LABEL.search(line)
    if label and term in label[0]:
        return False
    if is_about(term) or names_flow(term) > 1 or term.casefold() in _ANYWHERE:
        return False
    return not (term.endswith("/") or any(sign in term for sign in "[]{}|<>\\"))


def _weight(key: str, low: str, told: set[str]) -> int:
    """How much a term says: how often the prose has it, and whether a step is called so."""
    return min(low.count(key), _OFTEN) + (_STEP_BONUS if key in told else 0)


def _keep(found: dict[str, str], text: str) -> None:
    phrase = " ".join(text.split()).strip(" .,:;!-\"'")
    if phrase and len(phrase) <= _LONGEST_PHRASE:
        found.setdefault(phrase.casefold(), phrase)
