"""What a cell is for: a closed list of roles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache

from skills2_nb.formats.frontmatter import is_fenced
from skills2_nb.formats.notebook import Cell, Kind
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.formats.problem import Edit, Problem, found


class Role(Enum):
    """A role: its word, the file it feeds, the kinds of cell that may have it, one sentence."""

    FRONT = ("front", "SKILL.md", ("raw", "markdown"), "The front matter, verbatim.")
    PROSE = ("prose", "SKILL.md", ("markdown",), "The body, verbatim; nothing in it is read.")
    STEP = ("step", "runtime/skill.py", ("code",), "One `@step` function and what it needs.")
    SETUP = ("setup", "runtime/skill.py", ("code",), "Imports, constants, helpers, models.")
    CASES = ("cases", "evals/cases.jsonl", ("code", "raw"), "Cases, run at once in the kernel.")
    MANIFEST = ("manifest", "skill.toml", ("raw",), "The hand-written part of the manifest.")
    REFERENCE = ("reference", "references/", ("markdown", "raw", "code"), "A file to read.")
    SCRIPT = ("script", "scripts/", ("markdown", "raw", "code"), "A file to run.")
    ASSET = ("asset", "assets/", ("markdown", "raw", "code"), "A file to use.")
    SKIP = ("skip", "", ("markdown", "raw", "code"), "Not exported.")

    def __init__(self, word: str, feeds: str, kinds: tuple[Kind, ...], says: str) -> None:
        self.word = word
        self.feeds = feeds
        self.kinds = kinds
        self.says = says

    @property
    def has_file(self) -> bool:
        """Whether the role is written ``word:<file>``."""
        return self.feeds.endswith("/")


#: Other words for `setup`.
SETUP_WORDS = ("setup", "model", "invariant", "helper")
_WORDS: dict[str, Role] = {
    **{role.word: role for role in Role if role is not Role.FRONT},
    **dict.fromkeys(SETUP_WORDS, Role.SETUP),
}
_NONE = ("", "none")
_KIT = "skills2"
_CODE_LINE = re.compile(r"(?i)[ \t]*#+[ \t]*skills2[ \t]*:[ \t]*(\S.*?)?[ \t]*$")
_PROSE_LINE = re.compile(r"(?:#[ \t]+|<!--[ \t]*)skills2:[ \t]*(\S.*?)?[ \t]*(?:-->)?[ \t]*$")
#: A comment in a step that says it was generated and is still to be written.
STUB_LINE = re.compile(r"^[ \t]*#[ \t]*skills2:[ \t]*stub\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one cell is for.

    Attributes:
        role: the role; SKIP for a cell that no role exports.
        word: the word the author used (``model`` says ``setup``); empty for none.
        target: the file of ``reference:``, ``script:``, ``asset:``, relative with ``/``.
        text: the cell's LF text without its directive line and edge newlines.
        offset: lines of the cell before the first line of ``text``.
        explicit: whether a tag or directive says it.
        problems: what is wrong with tags and directive.
        file: the notebook's name, for messages.
    """

    cell: Cell
    role: Role
    word: str
    target: str
    text: str
    offset: int
    explicit: bool
    problems: tuple[Problem, ...] = ()
    file: str = ""

    def problem(
        self,
        code: str,
        message: str,
        mend: str = "",
        *,
        line: int | None = None,
        edit: Edit | None = None,
    ) -> Problem:
        """A problem of this cell; ``line`` counts the lines of ``text``."""
        at = None if line is None else line + self.offset
        return _at(self.cell, self.file, code, message, mend, line=at, edit=edit)

    def with_text(self, text: str) -> str:
        """The cell's source with other text in the place of ``text``."""
        before = self.cell.text.split("\n")[: self.offset]
        return "\n".join([*before, text])


def role_of(cell: Cell, *, first: bool = False, file: str = "") -> Assignment:
    """Read a cell's role from its tags, else from its first line, else from its kind.

    The directive is ``# skills2: <role>`` as the first line of a cell; in markdown
    ``<!-- skills2: <role> -->`` says the same and stays out of sight. Foreign tags are left
    alone; an empty role or ``none`` is no role.

    Args:
        cell: the cell.
        first: whether it is the notebook's first, where the front matter may stand.
        file: the notebook's name, for messages.
    """
    problems: list[Problem] = []
    tagged = _tagged(cell, problems, file)
    line, text = _directive(cell, tagged, problems, file)
    said = tagged or line
    if tagged and line and _parse(tagged) != _parse(line):
        problems.append(
            _at(
                cell,
                file,
                "R201",
                f"the tag says {tagged!r} and the first line says {line!r}",
                "keep one of the two",
                line=1,
            )
        )
    if not said:
        problems += _late(cell, text, file)
    role, word, target = _parse(said) if said else (_implied(cell, first), "", "")
    if said and cell.kind not in role.kinds:
        problems.append(_wrong_kind(cell, role, word, file))
        role = Role.SKIP
    if role.has_file:
        problems += _check_target(cell, role, target, file)
    body = text.lstrip("\n")
    offset = len(text) - len(body)
    if text is not cell.source:
        offset += cell.text.count("\n") - text.count("\n")
    return Assignment(
        cell, role, word, target, body.rstrip("\n"), offset, bool(said), tuple(problems), file
    )


def _tagged(cell: Cell, problems: list[Problem], file: str) -> str:
    """The role among the tags, else the empty string."""
    if not cell.tags:
        return ""
    roles = [tag for tag in dict.fromkeys(cell.tags) if _is_role(tag)]
    if len({_parse(tag) for tag in roles}) > 1:
        problems.append(
            _at(
                cell,
                file,
                "R202",
                f"it has the roles {' and '.join(repr(tag) for tag in roles)}",
                "keep one of the tags",
            )
        )
    if not roles:
        problems += _typos(cell, file)
    return roles[0] if roles else ""


def _typos(cell: Cell, file: str) -> Iterable[Problem]:
    for tag in cell.tags:
        word = _near(tag)
        if word is not None:
            mended = tuple(word if other == tag else other for other in cell.tags)
            yield _at(
                cell,
                file,
                "R203",
                f"the tag {tag!r} is no role",
                f"write {word!r}, if that is meant",
                edit=Edit(cell.number, tags=mended),
            )


def _near(tag: str) -> str | None:
    """The role a tag is one typo away from, in the letters of that role."""
    head, colon, rest = tag.partition(":")
    plain = head.strip().lower().lstrip("#|@ ")
    close = get_close_matches(plain, _WORDS, n=1, cutoff=0.6)
    best = plain if plain in _WORDS else close[0] if close and _one_edit(plain, close[0]) else None
    if best is None or _WORDS[best].has_file != bool(colon and rest):
        return None
    return f"{best}:{rest.strip()}" if rest else best


def _one_edit(a: str, b: str) -> bool:
    """Whether one letter added, dropped or changed, or two swapped, make ``b`` of ``a``."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1:
        return False
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) != len(b):
        return a[same:] == b[same + 1 :]
    swapped = a[:same] + a[same + 1 : same + 2] + a[same : same + 1] + a[same + 2 :]
    return a[same + 1 :] == b[same + 1 :] or swapped == b


def _directive(cell: Cell, tagged: str, problems: list[Problem], file: str) -> tuple[str, str]:
    """The role on the first line, and the text that is left without that line."""
    text = cell.text
    if tagged and _parse(tagged)[0] is Role.PROSE:
        return "", text
    head, _, rest = text.lstrip("\n").partition("\n")
    if _KIT not in head.casefold():
        return "", text
    pattern = _PROSE_LINE if cell.kind == "markdown" else _CODE_LINE
    match = pattern.fullmatch(head)
    if match is None or STUB_LINE.match(head):
        return "", text
    said = (match.group(1) or "").strip()
    if _is_role(said):
        return said, rest
    if said.lower() in _NONE:
        return "", rest
    if cell.kind == "markdown" and head.startswith("#"):
        return "", text
    problems.append(
        _at(
            cell,
            file,
            "R205",
            f"the first line asks for the role {said!r}, which is none",
            f"write {_near(said)!r}" if _near(said) else f"write one of {', '.join(_WORDS)}",
            line=1,
        )
    )
    return "", rest


def _late(cell: Cell, text: str, file: str) -> Iterable[Problem]:
    """A directive below other comments, where nobody reads it."""
    lines = text.split("\n") if cell.kind == "code" and _KIT in text.casefold() else []
    before = cell.text.count("\n") - text.count("\n")
    for number, line in enumerate(lines, before + 1):
        if line.strip() and not line.lstrip().startswith("#"):
            return
        match = _CODE_LINE.fullmatch(line)
        if match and not STUB_LINE.match(line) and _is_role((match.group(1) or "").strip()):
            message = f"the line `{line.strip()}` is not the first, so the cell has no role"
            mend = "move it to the top, or delete it"
            yield _at(cell, file, "R208", message, mend, line=number)
            return


@lru_cache(maxsize=256)
def _is_role(word: str) -> bool:
    role, _, target = _parse(word)
    return role is not Role.FRONT and (role.has_file or not target)


@lru_cache(maxsize=256)
def _parse(word: str) -> tuple[Role, str, str]:
    """Role, word and target of what an author wrote; FRONT stands for no role at all."""
    head, colon, rest = word.partition(":")
    role = _WORDS.get(head.strip())
    if role is None or (colon and not role.has_file):
        return Role.FRONT, "", ""
    return role, head.strip(), rest.strip()


def _implied(cell: Cell, first: bool) -> Role:
    if first and (is_fenced(cell.text) if cell.kind == "markdown" else cell.kind == "raw"):
        return Role.FRONT if cell.text.strip() else Role.SKIP
    return Role.PROSE if cell.kind == "markdown" else Role.SKIP


def _wrong_kind(cell: Cell, role: Role, word: str, file: str) -> Problem:
    return _at(
        cell,
        file,
        "R204",
        f"a {cell.kind} cell cannot be {word!r}",
        f"make it a {' or '.join(role.kinds)} cell, or take the role away",
    )


def _check_target(cell: Cell, role: Role, target: str, file: str) -> Iterable[Problem]:
    if not target:
        message = f"the role {role.word!r} names no file"
    elif not is_safe_path(target):
        message = f"the file {target!r} leaves {role.feeds}, or cannot exist on every system"
    else:
        return
    yield _at(cell, file, "R206", message, f"write {role.word}:name.md, relative to {role.feeds}")


def _at(
    cell: Cell,
    file: str,
    code: str,
    message: str,
    mend: str,
    *,
    line: int | None = None,
    edit: Edit | None = None,
) -> Problem:
    return found(
        code,
        message,
        mend,
        file=file,
        cell=cell.number,
        cell_id=cell.id,
        line=line,
        edit=edit,
    )
