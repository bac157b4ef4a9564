"""The index of triggers, read without being parsed.

``index/triggers.tsv`` is one file, so that it is replaced whole and nobody can read two states of
it. Its parts, each found by the numbers in the first line:

- the head: ``#skills2``, layout, skills, lowest threshold of all, end of the stems, end of the
  table, bytes of the file; padded to ``HEAD`` bytes;
- the stems, sorted: ``stem``, tab, then groups such as ``9240:7.0 9.2`` (a third, in parts of
  ``WHOLE``, of the phrases 0 of row 7 and 2 of row 9), ``2/7:7.1`` (a text of the second of three
  parts of phrase 1 of row 7 begins with it) and ``k:7`` (a keyword of row 7 does); ``=name``, tab,
  gives the rows of a skill by its name;
- the table: where each row lies, ``ROW`` bytes each;
- the rows, by name: the columns of :class:`Row`, separated by tabs;
- the texts that are told.

A prompt costs a binary search a word. What the stems can give at most says which rows are worth
reading, the best first. Claude Code waits for this, so nothing is imported that is not there
already; a file that is absent, cut or of another layout holds no skill.
"""

from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.hooks.system import calls

TYPE_CHECKING = False  # `typing` is dear
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = "triggers.tsv"
LAYOUT = 2
HEAD = 128
#: Bytes of a line of the table: offset and length, with a space and a line feed.
ROW = 20
#: A whole phrase; every number of words up to twelve divides it.
WHOLE = 27_720
#: So many skills are told of a prompt.
MOST_TOLD = 3
#: So many rows are read for a prompt, those with the best prospects.
MOST_READ = 64
_NEAR = 2_048
#: Words of a phrase are counted above its share, in one sum.
_WORD, _SHARE = 1 << 40, (1 << 40) - 1


class Told:
    """A skill to tell of.

    Attributes:
        name: the skill's.
        score: 0 to 1.
        checklist: the text to be told, facts alone.
        restrict: whether the skill holds other tools back during a run.
        allowed: the rules of its ``allowed-tools``, where it does.
    """

    __slots__ = ("allowed", "checklist", "name", "restrict", "score")

    def __init__(self, row: "Row", score: float, checklist: str) -> None:
        self.name = row.name
        self.score = score
        self.checklist = checklist
        self.restrict = row.restrict
        self.allowed = row.allowed


class Row:
    """What the index says of a skill.

    Attributes:
        name: the skill's.
        root: the project's folder; empty for a skill of the user's own places.
        folder: where the package lies; in a plugin's index as seen from the index's folder.
        threshold: the least score.
        restrict: whether the skill holds other tools back during a run.
        allowed: the rules of its ``allowed-tools``, where it does.
        text: offset and length of what is told.
    """

    __slots__ = (
        "_entries", "allowed", "folder", "name", "restrict", "root", "text", "threshold",
    )  # fmt: skip

    def __init__(self, line: bytes) -> None:
        self.name, self.root, self.folder, threshold, flags, allowed, at, length, *self._entries = (
            line.decode("utf-8", "surrogateescape").removesuffix("\n").split("\t")
        )
        self.threshold = float(threshold)
        self.restrict = "r" in flags
        self.allowed = tuple(allowed.split("|")) if allowed else ()
        self.text = int(at), int(length)

    # Taking the entries apart costs more than all else, so it is done one by one, as they are asked
    # for: the first phrase that occurs is the last one needed.
    @property
    def phrases(self) -> "Iterator[rule.Entry]":
        """Each phrase; the skill's name is one where it has two words or more."""
        return _entries(self._entries[0])

    @property
    def keywords(self) -> "Iterator[rule.Entry]":
        """Each keyword."""
        return _entries(self._entries[1])

    @property
    def negatives(self) -> "Iterator[rule.Entry]":
        """Each ``not`` entry."""
        return _entries(self._entries[2])


def _entries(text: str) -> "Iterator[rule.Entry]":
    return map(_entry, text.split("|")) if text else iter(())


def _entry(text: str) -> rule.Entry:
    if "+" not in text and "/" not in text:
        return ((tuple(text.split(" ")),),)
    return tuple(
        [tuple([tuple(one.split(" ")) for one in part.split("/")]) for part in text.split("+")]
    )


class Index:
    """An index that is open.

    Raises:
        OSError: there is none.
        ValueError: it is cut, or of another layout.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._file = open(f"{folder}/{FILE}", "rb", buffering=0)  # noqa: PTH123, SIM115
        try:
            self._open()
        except BaseException:
            self._file.close()
            raise

    def _open(self) -> None:
        mark, layout, skills, lowest, stems, table, size = self._take(0, HEAD).split()
        if mark != b"#skills2" or int(layout) != LAYOUT or self._file.seek(0, 2) != int(size):
            raise ValueError("no index of triggers")
        data = self._take(HEAD, int(table) - HEAD)
        self.skills, self.lowest = int(skills), float(lowest)
        self._stems, self._table = data[: int(stems) - HEAD], data[int(stems) - HEAD :]

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _take(self, at: int, length: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(length) or b""
        while len(data) < length:
            more = self._file.read(length - len(data))
            if not more:
                raise ValueError("the index is cut")
            data += more
        return data

    def posting(self, key: str) -> list[bytes]:
        """What stands behind a stem or ``=name``; empty where nobody speaks of it."""
        data, wanted = self._stems, b"\n" + key.encode() + b"\t"
        low, high = 0, len(data)  # the line begins at low or after, and before high
        while high - low > _NEAR:
            middle = (low + high) // 2
            line = data.find(b"\n", middle, high)
            if line < 0:
                high = middle
            elif data[line : line + len(wanted)] <= wanted:
                low = line
            else:
                high = middle
        at = data.find(wanted, low, high + len(wanted))
        if at < 0:
            return []
        at += len(wanted)
        return data[at : data.find(b"\n", at)].split(b",")

    def row(self, number: int) -> Row:
        """The row of that number."""
        at, length = self._table[number * ROW : number * ROW + ROW].split()
        row = Row(self._take(int(at), int(length)))
        if row.folder.startswith("../"):
            row.folder = f"{self.folder}/{row.folder}"
        return row

    def text(self, row: Row) -> str:
        """What is told of a skill."""
        return self._take(*row.text).decode("utf-8")

    def rows(self) -> list[Row]:
        """Every row, by name."""
        return [self.row(number) for number in range(self.skills)]


def prospects(index: Index, prompt: rule.Places) -> list[tuple[float, int]]:
    """The rows that may reach the lowest threshold: minus the most they can have, and number."""
    parts: dict[bytes, int] = {}
    keywords: dict[bytes, int] = {}
    lacking: dict[bytes, int] = {}
    for word in prompt:
        for group in index.posting(word):
            part, _, places = group.partition(b":")
            if part == b"k":
                _add(keywords, 1, places)
            elif b"/" in part:
                _cross_out(lacking, part, places)
            else:
                _add(parts, _WORD + int(part), places)
    most = {place.partition(b".")[0]: 1.0 for place, left in lacking.items() if not left}
    for phrase, found in parts.items():
        if found & _SHARE >= WHOLE:
            value = 1.0
        elif found >= 2 * _WORD:
            value = rule.PART * (found & _SHARE) / WHOLE
        else:
            continue  # one word is no part of a phrase
        row = phrase.partition(b".")[0]
        if value > most.get(row, 0.0):
            most[row] = value
    for row, number in keywords.items():
        most[row] = most.get(row, 0.0) + rule.KEY * number
    able = [(-rule.rounded(value), int(row)) for row, value in most.items()]
    able = [item for item in able if -item[0] >= index.lowest]
    able.sort()
    return able[:MOST_READ]


def _cross_out(lacking: dict[bytes, int], part: bytes, places: bytes) -> None:
    """Note that a part of some phrases may stand there: its bit, and those of all parts."""
    bit, _, whole = part.partition(b"/")
    there, full = ~int(bit), int(whole)
    for place in places.split(b" "):
        lacking[place] = lacking.get(place, full) & there


def _add(sums: dict[bytes, int], value: int, places: bytes) -> None:
    for place in places.split(b" "):
        sums[place] = sums.get(place, 0) + value


def matched(index: str, prompt: str, cwd: str) -> list[Told]:
    """The skills that a prompt calls for, the best first, at most three.

    Args:
        index: the folder of the index.
        prompt: what the user wrote.
        cwd: the folder of the session; skills of another project are left out.
    """
    try:
        with Index(index) as opened:
            return [
                Told(row, -minus, opened.text(row))
                for minus, _, row in best(opened, rule.places(rule.words(prompt)), cwd)
            ]
    except (OSError, ValueError, IndexError, TypeError):
        return []


def best(index: Index, prompt: rule.Places, cwd: str) -> list[tuple[float, int, Row]]:
    """Minus the score, number and row of the skills to tell, the best first, ties by name."""
    found: list[tuple[float, int, Row]] = []
    for minus, number in prospects(index, prompt):
        if len(found) == MOST_TOLD and (minus, number) > found[-1][:2]:
            break  # nobody behind can have more
        row = index.row(number)
        score = rule.score(prompt, row.phrases, row.keywords)
        if not score or score < row.threshold or rule.denied(prompt, row.negatives):
            continue
        if is_told(index, row, cwd):
            found.append((-score, number, row))
            found.sort(key=_order)
            del found[MOST_TOLD:]
    return found


def _order(item: tuple[float, int, Row]) -> tuple[float, int]:
    return item[:2]


def named(index: str, skill: str, cwd: str) -> "Told | None":
    """The skill of that name; None where there is none for this folder."""
    try:
        with Index(index) as opened:
            row = nearest(opened, skill, cwd)
            return None if row is None else Told(row, 1.0, opened.text(row))
    except (OSError, ValueError, IndexError, TypeError):
        return None


def nearest(index: Index, skill: str, cwd: str) -> "Row | None":
    """The copy of a skill that counts in a folder: of the innermost project, else the user's."""
    if not skill or "\n" in skill or "\t" in skill:
        return None
    best = None
    for number in index.posting(f"={skill}"):
        row = index.row(int(number))
        if is_here(row, cwd) and (best is None or len(row.root) > len(best.root)):
            best = row
    return best


def is_told(index: Index, row: Row, cwd: str) -> bool:
    """Whether the skill is there, belongs here, and no nearer copy takes its place."""
    if not is_here(row, cwd):
        return False
    if len(index.posting(f"={row.name}")) == 1:
        return True
    found = nearest(index, row.name, cwd)
    return found is not None and (found.root, found.folder) == (row.root, row.folder)


def is_here(row: Row, cwd: str) -> bool:
    """Whether the folder is there still, and ``cwd`` lies in the skill's project."""
    try:
        calls.stat(f"{row.folder}/SKILL.md")
    except (OSError, ValueError):
        return False
    return not row.root or _lies_in(cwd, row.root)


def _lies_in(cwd: str, root: str) -> bool:
    """Whether a folder is another or lies below it, links followed."""
    cwd = cwd.replace("\\", "/").rstrip("/")
    root = root.replace("\\", "/").rstrip("/")
    if cwd == root or cwd.startswith(f"{root}/"):
        return True
    try:
        wanted = calls.stat(root or "/")
        while cwd:
            here = calls.stat(cwd)
            if (here.st_ino, here.st_dev) == (wanted.st_ino, wanted.st_dev):
                return wanted.st_ino != 0
            cwd = cwd.rpartition("/")[0]
    except (OSError, ValueError):
        pass
    return False
