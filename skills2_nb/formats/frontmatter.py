"""YAML between `---` lines, read strictly."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from skills2_nb.errors import UnreadableError

if TYPE_CHECKING:
    import yaml

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"^([A-Za-z][\w-]*):[ \t]+(\S.*?)[ \t]*$")
#: A line about which every reader of YAML agrees: the value is just that text.
_PLAIN = re.compile(r"([A-Za-z][\w-]{0,99}): ([A-Za-z](?:[ -~]*[!-~])?)", re.ASCII)
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_QUOTED = ("'", '"', "|", ">", "[", "{", "&", "*", "!")


class FrontMatterError(UnreadableError):
    """Front matter that cannot be read.

    Attributes:
        line: 1-based line within the YAML text, where it is known.
        mend: what to do about it.
    """

    def __init__(self, message: str, line: int | None = None, mend: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.mend = mend


@lru_cache(maxsize=1)
def _loader() -> type[yaml.SafeLoader]:
    """YAML as agents read it: dates stay text. Loaded only where a line is not plain."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a PyYAML may lack libyaml
    kept = {
        first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith(":timestamp")]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    return type("_Loader", (base,), {"yaml_implicit_resolvers": kept})


def parse(text: str) -> dict[str, Any]:
    """The mapping that a front matter's YAML says.

    Keys are strings and stand once; anchors and aliases are refused, since not every reader
    knows them; dates stay text.

    Args:
        text: what stands between the two fences, LF.

    Raises:
        FrontMatterError: with the line and, where one is likely, the mend.
    """
    fields = _plain(text)
    if fields is not None:
        return fields
    import yaml

    loader = _loader()(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}
        _check(node, set())
        value = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        raise _unreadable(text, error) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FrontMatterError(f"not YAML: {_first_line(error)}") from None
    finally:
        loader.dispose()
    if not isinstance(value, dict):
        raise FrontMatterError("it is no list of `key: value` lines", 1)
    return value


def _plain(text: str) -> dict[str, Any] | None:
    """The mapping of a text in which every line is plain; None where one is not."""
    fields: dict[str, Any] = {}
    for line in text.split("\n"):
        match = _PLAIN.fullmatch(line)
        if match is None:
            return None
        key, value = match.groups()
        odd = ": " in value or " #" in value or value.endswith(":") or key in fields
        if odd or value.lower() in _WORDS or key.lower() in _WORDS:
            return None
        fields[key] = value
    return fields


def is_fenced(text: str) -> bool:
    """Whether a cell's text is front matter and nothing else, fence to fence."""
    stripped = text.strip("\n")
    opening = _OPEN.match(stripped)
    if opening is None:
        return False
    closing = _CLOSE.search(stripped, opening.end())
    return closing is not None and closing.end() == len(stripped)


def inside(text: str) -> str:
    """The YAML of a cell for which :func:`is_fenced` holds."""
    return text.strip("\n").partition("\n")[2].rpartition("\n")[0]


def cut(text: str) -> tuple[str, str] | None:
    """A SKILL.md's front matter (fences included) and what follows it; None if it has none.

    It opens at the very start with ``---`` and closes with the next line ``---`` or ``...``.
    """
    opening = _OPEN.match(text)
    closing = _CLOSE.search(text, opening.end()) if opening else None
    if closing is None:
        return None
    return text[: closing.end()], text[closing.end() :]


def mended(text: str) -> str | None:
    """The YAML with plain values that hold ``: `` or `` #`` put in quotes, if that reads."""
    made = "\n".join(_quoted(line) for line in text.split("\n"))
    if made == text:
        return None
    try:
        parse(made)
    except FrontMatterError:
        return None
    return made


def _quoted(line: str) -> str:
    field = _FIELD.match(line)
    if field is None:
        return line
    key, value = field.groups()
    if value.startswith(_QUOTED) or not (": " in value or " #" in value or value.endswith(":")):
        return line
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}: "{escaped}"'


def _check(node: yaml.Node, seen: set[int]) -> None:
    """Refuse what readers of front matter disagree about."""
    import yaml

    if id(node) in seen:
        raise FrontMatterError(
            "it has an alias (*name)", _line(node), "write the value out in both places"
        )
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(item, seen)
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise FrontMatterError(
                    "a key is no plain word", _line(key), "put the key in quotes"
                )
            if key.value in keys:
                raise FrontMatterError(
                    f"the key {key.value!r} stands twice", _line(key), "keep one of the two"
                )
            keys.add(key.value)
            _check(value, seen)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _unreadable(text: str, error: yaml.MarkedYAMLError) -> FrontMatterError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else None
    problem = error.problem or _first_line(error)
    if mended(text) is not None:
        return FrontMatterError(
            "a value holds a colon and is not in quotes",
            line,
            'put the value in quotes: key: "value: more"',
        )
    return FrontMatterError(f"not YAML: {problem}", line, "correct that line")


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
