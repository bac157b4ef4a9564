"""What prose offers: triggers, anchors, images."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import repeat

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_BOLD = re.compile(r"\*\*([^*\n]+?)\*\*|__([^_\n]+?)__")
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.*)$")
_QUOTED = re.compile(r"[\"“”]([^\"“”\n]{3,80})[\"“”]")
_WHEN = re.compile(r"(?i)\b(?:when|whenever|if)\b[^.;:]*?\b(?:asks?|wants?|needs?)\b[^.;]*")
#: Between two things that a user may ask for.
_OR = re.compile(
    r",\s*(?:(?:or|and)\b)?|\bor\b(?=\s+(?:an?|the|for|to|about|if|how|what|when|where|whether|which|who|why)\b)"
)
_LEAD = re.compile(r"^(?:(?:about|for|if|whether|says?)\s+)+", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.?!;])\s+")
_NOT_FOR = re.compile(r"(?:not\b|never\b|do not\b|don't\b)", re.IGNORECASE)
_TO_USE = re.compile(r"(?i)when(ever)? (not )?to use\b")
_WORD = re.compile(r"[^\W\d_][\w-]*\w")
_ATTACHED = re.compile(
    r"(?P<open>\]\([ \t]*<?|\bsrc[ \t]*=[ \t]*[\"']?|^ {0,3}\[[^\]]+\]:[ \t]*<?)"
    r"attachment:(?P<name>[^\s)\"'>]+)"
)
_LOOSE = re.compile(r"(\]\([ \t]*<?)attachment:([^)\"'>\n]+?)(?=>?[ \t]*[\")])")
_LINK = re.compile(r"\]\([ \t]*<?(?:\./)?((?:references|scripts|assets)/[^\s)>#?]+)")
_NO_PROSE = re.compile(r"[#>|<]|!\[|[-*+][ \t]|\d+[.)][ \t]|\[[^\]]+\]:|[-*_=]{3,}$")
#: A longer line is data, and no term is sought in it.
_LONGEST_LINE = 10_000
MOST_ANCHORS = 24
MOST_KEYWORDS = 24
MOST_PHRASES = 12
_STOP_WORDS = """
a about above after all also an and any are as at be because been before being below between
both but by can did do does doing done down during each else every few for from further get
gets give given gives had has have having he her here hers him his how i if in into is it its
just like make makes many may me might more most much must my need needs needed no nor not now
of off on once one only or other our out over own per same see set several shall she should
show shows so some such than that the their them then there these they this those through to
too two under until up upon us use used user users uses using via want wants was we were what
when whenever where whether which while who whom why will with within without would you your
skill skills task tasks
"""
_STOP = frozenset(_STOP_WORDS.split())
#: Words that half of all prompts have; no skill is known by them.
_EVERYDAY_WORDS = """
able across actual add against ago almost along already always analyse analysis analyze another
answer anything apply around ask asked asks available away back bad based become before beforehand
behind best better big bring call called calls change changed changes check checked checks choose
clear close come comes common compare complete correct count create customer customers data date
dates day days decide describe detail details different difference directly early easy end enough
even event events every everything example expected explain explains explained far fast fell file
files find finds first fit follow follows form found full general given go goes going good great
group groups grow half hand handle happen happened hard help helps high hold holds hour hours
however idea important include information input instead item items keep key kind know large last
late later lead least less let level like line list little log long look looks lot low main
matter mean means minute minutes month months move moved moves name new newer next nobody number
numbers observe observed offer ok old older open order ordinary output part people per perhaps
period person place plain plan please point possible problem process produce project provide
purpose put quarter question questions quick quite rate rather read reads ready real really reason
report request result results return returns right rise rose row run said save say says second
seem send series shall side simple simply since single size small somebody someone something
specific standard start state stated stay step steps still stop such sum support sure system take
takes talk team tell test tests text thing things think third time times today together told top
turn turns two type understand user users valid value values various version walk way week weeks
well went whole win word words work works worst write year years yes yesterday yet
"""
_EVERYDAY = _STOP | frozenset(_EVERYDAY_WORDS.split())


def outside_fences(body: str) -> Iterator[str]:
    """The lines of a text that are no fenced code."""
    for line, fenced in _lines(body):
        if not fenced:
            yield line


def anchors(body: str) -> tuple[str, ...]:
    """Headings, bold text and code spans, in order, each once, at most 24."""
    found: dict[str, str] = {}
    for line in outside_fences(body):
        for term in _terms(line):
            if 3 <= len(term) <= 60 and term in body:
                found.setdefault(term.casefold(), term)
        if len(found) >= MOST_ANCHORS:
            break
    return tuple(found.values())[:MOST_ANCHORS]


def terms(body: str) -> Iterator[tuple[str, int]]:
    """Headings, bold text and code spans as they stand, each with its 1-based line."""
    for number, (line, fenced) in enumerate(_lines(body), 1):
        if not fenced:
            for term in _terms(line):
                yield term, number


def phrases(description: str, body: str) -> tuple[str, ...]:
    """What a user may say: quoted texts, "when the user asks ..." and items of "When to use"."""
    found: dict[str, str] = {}
    section = when_to_use(body)
    for text in (description, *section):
        for quoted in _QUOTED.findall(text):
            _keep(found, quoted)
    for clause in _WHEN.findall(description):
        asked = re.split(r"\b(?:asks?|wants?|needs?)\b", clause, maxsplit=1)[-1]
        things = _OR.split(asked)
        for one in things:
            if len(things) == 1 or _speaks(one):
                _keep(found, _LEAD.sub("", one.strip()))
    for line in section:
        item = _ITEM.match(line)
        for one in _SENTENCE.split(item.group(1)) if item else ():
            if _speaks(one):
                _keep(found, one)
    return tuple(found.values())[:MOST_PHRASES]


def _speaks(text: str) -> bool:
    """Whether a part of a sentence stands alone: two words, and not only everyday's."""
    words = {word for word in _WORD.findall(text.lower()) if word not in _STOP}
    return len(words) > 1 and not words <= _EVERYDAY


def keywords(name: str, description: str, body: str) -> tuple[str, ...]:
    """Single words of name, description and "When to use" that say something, at most 24."""
    does = " ".join(one for one in _SENTENCE.split(description) if not _NOT_FOR.match(one))
    texts = [name.replace("-", " "), *_WHEN.findall(does), *when_to_use(body), does]
    found: dict[str, None] = {}
    for text in texts:
        for word in _WORD.findall(text.lower()):
            if len(word) > 2 and word not in _EVERYDAY:
                found.setdefault(word)
    return tuple(found)[:MOST_KEYWORDS]


@lru_cache(maxsize=4)
def when_to_use(body: str) -> tuple[str, ...]:
    """The lines of the section whose heading says when to use the skill."""
    inside = False
    found = []
    for line in outside_fences(body):
        heading = _HEADING.match(line) if "#" in line else None
        if heading:
            inside = bool(_TO_USE.match(_plain(heading.group(1))))
            inside = inside and "not to use" not in heading.group(1).lower()
        elif inside:
            found.append(line)
    return tuple(found)


def first_paragraph(body: str) -> str:
    """The first prose lines that are no heading, list, quote or image, on one line."""
    words: list[str] = []
    for line in outside_fences(body):
        plain = line.strip()
        if words and not plain:
            break
        if plain and not _NO_PROSE.match(plain):
            words.append(plain)
        elif words:
            break
    return _plain(" ".join(words))


def attachments(text: str) -> list[tuple[str, int]]:
    """Each attachment that a markdown text shows, with its 1-based line."""
    found = []
    for number, (line, fenced) in enumerate(_lines(text), 1):
        if not fenced:
            found += [(name, number) for name in _attached(line)]
    return found


def links(text: str) -> list[tuple[str, int]]:
    """Each file of the package that a markdown text links to, with its 1-based line."""
    if "](" not in text:
        return []
    return [
        (unquoted(path), number)
        for number, (line, fenced) in enumerate(_lines(text), 1)
        if not fenced
        for path in _LINK.findall(_SPAN.sub("", line))
    ]


def unquoted(text: str) -> str:
    """A path as its file is called: ``a%20b`` is ``a b``."""
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def with_files(text: str, files: dict[str, str]) -> str:
    """The text with ``attachment:<name>`` replaced by the path of its file."""
    made = []
    for line, fenced in _lines(text):
        made.append(line if fenced else _replaced(line, files))
    return "\n".join(made)


def _lines(body: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a fenced block."""
    if "```" not in body and "~~~" not in body:
        yield from zip(body.split("\n"), repeat(False))
        return
    fence = ""
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            yield line, True
            closes = mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif mark and not (mark.group(1)[0] == "`" and "`" in line[mark.end() :]):
            fence = mark.group(1)
            yield line, True
        else:
            yield line, False


def _terms(line: str) -> Iterable[str]:
    if len(line) > _LONGEST_LINE:
        return
    heading = _HEADING.match(line)
    if heading and not re.search(r"[*_`\[<]", heading.group(1)):
        yield heading.group(1).strip()
    for bold in _BOLD.findall(line) if "**" in line or "__" in line else ():
        yield _trim(bold[0] or bold[1])
    for span in _SPAN.findall(line) if "`" in line else ():
        yield _trim(span)


def _trim(term: str) -> str:
    return term.strip().rstrip(":.,;").strip()


def _plain(text: str) -> str:
    """Inline markdown as its words."""
    text = re.sub(r"!?\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)", r"\1", text)
    return re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text).strip()


def _keep(found: dict[str, str], text: str) -> None:
    phrase = re.sub(r"[\"“”]|\s+", " ", _plain(text))
    phrase = " ".join(phrase.split()).strip(" .,:;!-'")
    if 2 <= len(phrase.split()) <= 14:
        found.setdefault(phrase.casefold(), phrase)


def _attached(line: str) -> list[str]:
    code = [match.span() for match in _SPAN.finditer(line)]
    matches = [*_ATTACHED.finditer(line), *_LOOSE.finditer(line)]
    found = {
        m.start(): m.groups()[1]
        for m in sorted(matches, key=lambda m: len(m.groups()[1]))
        if not any(a <= m.start() < b for a, b in code)
    }
    return [found[start] for start in sorted(found)]


def _replaced(line: str, files: dict[str, str]) -> str:
    for name in sorted(set(_attached(line)), key=len, reverse=True):
        path = files.get(name) or files.get(unquoted(name))
        if path:
            line = line.replace(f"attachment:{name}", path)
    return line
