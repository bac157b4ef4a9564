"""Three questions that a user of a skill might ask."""

from __future__ import annotations

import re

from skills2_nb.convert import prose
from skills2_nb.convert.blocks import blocks
from skills2_nb.convert.titles import heading_title, plain

COUNT = 3
_LONGEST = 80
_LEAST = 10
_WORD = re.compile(r"[^\W_]")
_ASKS = re.compile(
    r"(?:how|what|why|when|where|who|which|is|are|can|could|do|does|did|should|will|would|has|"
    r"have)\b",
    re.IGNORECASE,
)
#: "Use when ...", "Use this skill for ...": what follows, up to the end of the clause.
_USE = re.compile(
    r"\buse (?:it |this |this skill |the skill )?(?:when(?:ever)?|for|if|to)\s+([^.;\n]{6,160})",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"^(?:the )?(?:users?|you|someone|people) "
    r"(?:asks?|wants?|needs?|requests?|mentions?|says?)(?: you)?(?: for| about)?\s+",
    re.IGNORECASE,
)
_HAVING = re.compile(r"(?:the user|user|you|someone) (?:have|has)\b", re.IGNORECASE)
_GERUND = re.compile(
    r"(?!existing|missing|something|anything|everything|nothing)[a-z]{2,}ing\b", re.IGNORECASE
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|needs?|wants?|must|can|should|applies|apply|requires?|"
    r"fails?|stuck|exists?)\b"
)
_VERBS = """
add adjust analyse analyze apply assess automate build calculate choose classify clean collect
combine compare compute configure convert create debug define deploy detect develop diagnose
evaluate explain explore extract fetch find fix generate identify implement improve inspect
integrate install interpret investigate make manage merge migrate optimise optimize organise
organize predict prepare prioritise prioritize produce refactor reproduce resize rewrite select
simulate solve summarise summarize teach transform translate upgrade validate verify visualise
visualize write
"""
#: Verbs that are hardly ever nouns: a phrase that begins with one asks to do something.
_DOING = frozenset(_VERBS.split())
_SMALL = "a an the of for to and or in on at by with from before after as that"
#: What a phrase that was cut does not end with.
_LOOSE = frozenset(["", *_SMALL.split()])


def questions(name: str, description: str, body: str) -> tuple[str, ...]:
    """Three different things a user might ask for, from the words of the skill itself.

    Args:
        name: the skill's name, for prose that says little.
        description: what the front matter says of it.
        body: the prose.
    """
    made: dict[str, str] = {}
    for text in (*prose.phrases(description, body), *_USE.findall(description)):
        asked = _asked(text)
        if asked:
            made.setdefault(asked.casefold(), asked)
    for asked in _openings(name, body):
        made.setdefault(asked.casefold(), asked)
    return tuple(made.values())[:COUNT]


def _openings(name: str, body: str) -> tuple[str, ...]:
    """What any skill can be asked, for prose that does not say when it is wanted."""
    heading = next((b for b in blocks(body) if b.kind == "heading" and plain(b.text)), None)
    subject = heading_title(heading.text) if heading else ""
    subject = subject if _WORD.search(subject) else name.replace("-", " ").strip()
    subject = _shortened(subject or "this")
    return (
        f"Can you help me with {subject}?",
        f"How do I start with {subject}?",
        f"What does {subject} need from me?",
    )


def _asked(text: str) -> str:
    """A phrase of the prose as a user would say it; empty where it holds no word."""
    lead, colon, rest = text.partition(": ")
    text = rest if colon and rest.endswith("?") else lead
    phrase = _shortened(" ".join(_ADDRESS.sub("", text).split()).strip(" .,;:-"))
    if not _WORD.search(phrase):
        return ""
    if phrase.endswith("?") or _ASKS.match(phrase):
        return f"{_upper(phrase).rstrip('?')}?"
    own = _HAVING.match(phrase)
    if own:
        return f"I have {phrase[own.end() :].strip()}. Can you help?"
    opening, _, rest = phrase.partition(" ")
    if opening.lower() == "to" and rest:
        return f"Can you {rest}?"
    if opening[:1].isupper() and opening[1:].islower():
        phrase = f"{opening.lower()} {rest}".strip()
    if opening.lower() in _DOING:
        return f"Can you {phrase}?"
    if not _GERUND.match(phrase) and _STATES.search(phrase):
        return f"{_upper(phrase)}. Can you help?"
    return f"Can you help me with {phrase}?"


def _upper(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _shortened(text: str) -> str:
    """A text that a user could type: its first clause, or its first words, where it is long."""
    if len(text) <= _LONGEST:
        return text
    clause = re.split(r"[,;:(—–]", text, maxsplit=1)[0].strip()
    if _LEAST <= len(clause) <= _LONGEST:
        return clause
    words = text[:_LONGEST].rsplit(" ", 1)[0].split()
    while len(words) > 1 and words[-1].strip(",;:(-—–").lower() in _LOOSE:
        words.pop()
    return " ".join(words).strip(" ,;:(-—–") or text[:_LONGEST]
