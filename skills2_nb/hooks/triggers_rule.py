"""When a prompt calls for a skill: words and score.

A prompt and the entries of a skill's ``[triggers]`` become words in one way: small letters, without
signs, without words that say nothing (``the``, ``why``, ``our``), each cut to its stem. A text
*occurs* where its words stand in the prompt in their order, with at most ``GAP`` others between two
of them; an entry ``a | b + c`` where one text of each part does, the parts within ``STRETCH`` words
of one another. The score is

    1 for a phrase that occurs, else ``PART`` x the best share of a plain phrase's words that stand
    near one another (two or more, of three or more); plus ``KEY`` for each keyword that occurs and
    whose words belong to no other one that does; at most 1.

A skill is told where the score reaches its threshold and none of its ``not`` entries occurs.

Nothing is imported here: Claude Code waits for this at each prompt.
"""

TYPE_CHECKING = False  # `typing` is dear
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Words that may stand between two words of an entry.
GAP = 2
#: Words of a phrase that occurs in part lie within so many of one another.
STRETCH = 12
#: What a phrase gives of which a part occurs, times the share.
PART = 0.5
#: What a keyword gives.
KEY = 0.25
#: A longer prompt is read so far from its beginning and its end: there people say what they want.
READ = 2_000
#: Of a word that stands often, so many places count.
MOST_PLACES = 16

_SAY_NOTHING = (
    "a an the is are was were be been being am do does did done doing have has had having of in on"
    " at to for from by with about into and or but nor so than then that this these those it its i"
    " me my we us our ours you your yours he she they them their who whom whose which what when"
    " where why how can could would should will shall may might must just only also very too please"
    " tell show give let get got there here if because as some any all each every s t re ve ll d m"
    " don didn doesn isn wasn aren weren der das und ist sind wie warum wir uns unser unsere von"
    " mit für den dem ein eine einen einer im zu"
)
_STOP = frozenset(_SAY_NOTHING.split())
_IRREGULAR = {
    "fell": "fal", "fallen": "fal", "rose": "ris", "risen": "ris", "won": "win", "lost": "los",
    "grew": "grow", "grown": "grow", "shrank": "shrink", "shrunk": "shrink", "sank": "sink",
    "sunk": "sink", "came": "com", "went": "go", "gone": "go", "goes": "go", "broke": "break",
    "broken": "break", "wrote": "writ", "written": "writ", "began": "begin", "begun": "begin",
    "kept": "kep", "keep": "kep", "bought": "buy", "sold": "sel", "paid": "pay", "made": "mak",
}  # fmt: skip


def _pairs(plain: str, whole: str) -> "dict[str, str]":
    return {sign: whole[at] for at, sign in enumerate(plain)}


#: How decomposed letters are put together; a clipboard of macOS has them.
_MARKS = {
    0x300: _pairs("aeiou", "àèìòù"),
    0x301: _pairs("aeiouy", "áéíóúý"),
    0x302: _pairs("aeiou", "âêîôû"),
    0x303: _pairs("ano", "ãñõ"),
    0x308: _pairs("aeiouy", "äëïöüÿ"),
    0x30A: {"a": "å"},
    0x327: {"c": "ç"},
}
_ASCII = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_UNSEEN = frozenset((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_MOST_SIGNS = 4_096


class _Signs(dict[int, str]):
    """What each sign beyond ASCII becomes: itself, a space, or nothing."""

    def __missing__(self, code: int) -> str:
        made = _sign(code)
        if len(self) < _MOST_SIGNS:
            self[code] = made
        return made


def _sign(code: int) -> str:
    if 0xFF01 <= code <= 0xFF5E:  # the wide forms of East Asian keyboards
        code -= 0xFEE0
    if code in _UNSEEN:
        return ""
    sign = chr(code)
    if not sign.isalnum():
        return " "
    if 0x0E00 <= code <= 0x0EFF or 0x3040 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF:
        return f" {sign} "  # no spaces between words there: each sign is one
    return sign.lower()


_SIGNS = _Signs()


def words(text: str) -> list[str]:
    """The stems of a text in order; of a long one, those of its beginning and its end."""
    if len(text) > 2 * READ:
        text = f"{text[:READ]} {text[-READ:]}"
    if text.isascii():
        text = text.lower().translate(_ASCII)
    else:
        text = _composed(text.casefold()).translate(_SIGNS)
    found = text.split()
    stems = {word: stem(word) for word in set(found) if word not in _STOP}
    return [stems[word] for word in found if word in stems]


def _composed(text: str) -> str:
    for mark, pairs in _MARKS.items():
        sign = chr(mark)
        if sign in text:
            for plain, whole in pairs.items():
                text = text.replace(plain + sign, whole)
    return text


def stem(word: str) -> str:
    """A word without English endings; letters that stand twice count once.

    Words with other letters than a to z have no ending taken off.
    """
    found = _IRREGULAR.get(word)
    if found is not None:
        return found
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    if word.endswith("ing") and _has_vowel(word[:-3]):
        word = word[:-3]
    elif word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed") and _has_vowel(word[:-2]):
        word = word[:-2]
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return _once(word)


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


def _has_vowel(word: str) -> bool:
    return len(word) > 2 and any(sign in word for sign in "aeiouy")


def _once(word: str) -> str:
    before, made = "", []
    for sign in word:
        if sign != before:
            made.append(sign)
        before = sign
    return "".join(made)


#: The places of each stem in a prompt.
Places = dict[str, list[int]]
#: The stems of a plain text, in order.
Words = tuple[str, ...]
#: Texts of which one is enough.
Part = tuple[Words, ...]
#: A phrase, a keyword or a ``not`` entry: all of its parts have to stand there.
Entry = tuple[Part, ...]


def entry(text: str) -> Entry:
    """What an author wrote: parts with `` + `` between them, each of texts with `` | ``.

    A part that says nothing never occurs, so an entry with one is none.
    """
    parts = [
        tuple(dict.fromkeys(made for one in part.split(" | ") if (made := tuple(words(one)))))
        for part in " ".join(text.split()).split(" + ")
    ]
    return tuple(parts) if all(parts) else ()


def is_plain(entry: Entry) -> bool:
    """Whether it is one text, without parts or others in its place."""
    return len(entry) == 1 and len(entry[0]) == 1


def places(stems: list[str]) -> Places:
    """Where each stem of a prompt stands."""
    found: Places = {}
    for at, word in enumerate(stems):
        known = found.setdefault(word, [])
        if len(known) < MOST_PLACES:
            known.append(at)
    return found


def occurs(prompt: Places, wanted: Entry) -> bool:
    """Whether every part of an entry stands there, within ``STRETCH`` words, in any order."""
    found = []
    for part in wanted:
        at = _stands(prompt, part)
        if not at:
            return False
        found.append(at)
    return len(found) == 1 or bool(found and _near(found) == len(found))


def _stands(prompt: Places, part: Part) -> list[int]:
    """Where one of some texts ends."""
    found: list[int] = []
    for one in part:
        if one[0] in prompt:
            found += prompt[one[0]] if len(one) == 1 else _ends(prompt, one)
    return found


def _ends(prompt: Places, text: Words) -> list[int]:
    """Where a text ends whose words stand there in their order, close together."""
    ends = prompt[text[0]]
    for word in text[1:]:
        if not ends or word not in prompt:
            return []
        ends = [at for at in prompt[word] if any(0 < at - end <= GAP + 1 for end in ends)]
    return ends


def _near(found: list[list[int]]) -> int:
    """How many of some parts stand in one stretch, at most; two at one place are one."""
    starts = {at for places in found for at in places}
    if max(starts) - min(starts) < STRETCH:
        return min(len(found), len(starts))
    return max(
        min(
            sum(any(start <= at < start + STRETCH for at in places) for places in found),
            sum(start <= at < start + STRETCH for at in starts),
        )
        for start in starts
    )


def share(prompt: Places, phrase: Entry) -> float:
    """The largest share of a plain phrase's words that stand within a stretch of the prompt.

    One word is no part of a phrase, and two words in no order are no phrase.
    """
    if not is_plain(phrase):
        return 0.0
    wanted = set(phrase[0][0])
    found = [prompt[word] for word in wanted if word in prompt]
    if len(wanted) < 3 or len(found) < 2:
        return 0.0
    most = _near(found)
    return most / len(wanted) if most > 1 else 0.0


def worth(prompt: Places, phrase: Entry) -> float:
    """What a phrase gives: 1 where it occurs, else ``PART`` of the share that does."""
    return 1.0 if occurs(prompt, phrase) else PART * share(prompt, phrase)


def score(prompt: Places, phrases: "Iterable[Entry]", keywords: "Iterable[Entry]") -> float:
    """How much speaks for a skill, 0 to 1."""
    best = 0.0
    for phrase in phrases:
        best = max(best, worth(prompt, phrase))
        if best == 1.0:
            return best  # there is no more to have
    return rounded(best + KEY * len(counted(prompt, keywords)))


def counted(prompt: Places, keywords: "Iterable[Entry]") -> list[Entry]:
    """The keywords that occur, without those whose words belong to another one that does."""
    found = [keyword for keyword in keywords if occurs(prompt, keyword)]
    if len(found) < 2:
        return found
    said = [_said(prompt, keyword) for keyword in found]
    return [
        keyword
        for at, keyword in enumerate(found)
        if not any(said[at] < other for other in said) and said[at] not in said[:at]
    ]


def _said(prompt: Places, keyword: Entry) -> set[str]:
    """The words of a keyword that make it occur."""
    return {word for part in keyword for text in part if _stands(prompt, (text,)) for word in text}


def rounded(value: float) -> float:
    """A score as it is compared: at most 1, six digits."""
    return min(1.0, round(value, 6))


def denied(prompt: Places, negatives: "Iterable[Entry]") -> bool:
    """Whether something occurs that takes the skill out."""
    return any(occurs(prompt, entry) for entry in negatives)
