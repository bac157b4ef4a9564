"""A notebook as a value, read by our own checks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeGuard, cast

from skills2_nb.errors import UnreadableError
from skills2_nb.formats import json_text
from skills2_nb.formats.files import read_bytes, write_atomic
from skills2_nb.formats.paths import shown
from skills2_nb.formats.problem import Problem, found

Kind = Literal["markdown", "code", "raw"]

_KINDS = ("markdown", "code", "raw")
_MARKER = re.compile(r"^(<{7} |={7}$|>{7} |\|{7} )", re.MULTILINE)
_OTHER_KERNEL = re.compile(r"(?i)^(ir\d*|julia|bash|javascript|deno|sos|xcpp|rust|scala|\.net)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, without its outputs.

    Attributes:
        number: 1-based place in the notebook; what messages name it by.
        id: the id in the file, never an invented one.
        kind: ``markdown``, ``code`` or ``raw``.
        source: the text as the file has it, carriage returns included.
        tags: ``metadata.tags``, else none.
        metadata: the cell's metadata, as read.
        attachments: name to ``{mime type: base64 text}``.
    """

    number: int
    id: str | None
    kind: Kind
    source: str
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The source with every line end as LF."""
        source = self.source
        return source.replace("\r\n", "\n").replace("\r", "\n") if "\r" in source else source

    @property
    def layout(self) -> dict[str, Any]:
        """What the kit keeps in this cell's metadata; empty where it keeps nothing."""
        kept = self.metadata.get("skills2")
        return kept if isinstance(kept, dict) else {}


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook read from a file.

    Attributes:
        path: where it was read.
        cells: its cells in order.
        metadata: the notebook's own metadata.
        python: the kernel's Python version, such as ``3.11.7``, where the file says it.
        problems: what is odd about the file and does not stop the reading.
        raw: the JSON value as read.
        text: the file's text, without a BOM.
    """

    path: Path
    cells: tuple[Cell, ...]
    metadata: dict[str, Any]
    python: str | None
    problems: tuple[Problem, ...]
    raw: dict[str, Any]
    text: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The file's name, by which messages and headers call it, on one line."""
        return shown(self.path.name)

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


def read_notebook(path: Path) -> Notebook:
    """Read a notebook of nbformat 3 or 4; outputs are left where they are.

    Raises:
        UnreadableError: the file is no such notebook; one sentence with place and mend.
    """
    return parse_notebook(read_bytes(path), path)


def parse_notebook(data: bytes, path: Path) -> Notebook:
    """The notebook of a file's bytes; see :func:`read_notebook`."""
    name = shown(path.name)
    text = _decode(data, name)
    raw = _load(text, name)
    cells = tuple(_cell(value, number, name) for number, value in enumerate(_cells(raw, name), 1))
    metadata = _mapping(raw.get("metadata"), name, "the notebook's metadata")
    python = _python(metadata, name)
    return Notebook(path, cells, metadata, python, _oddities(raw, cells, name), raw, text)


def write_notebook(path: Path, raw: dict[str, Any]) -> None:
    """Write a notebook at once, as Jupyter lays it out: sorted keys, indent 1, UTF-8, LF.

    Raises:
        SetupError: the place is not writable or the disk is full.
    """
    write_atomic(path, notebook_bytes(raw))


def notebook_bytes(raw: Mapping[str, Any]) -> bytes:
    """A notebook as :func:`write_notebook` lays it out."""
    text = json.dumps(raw, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return text.encode("utf-8")


def _refuse(message: str) -> NoReturn:
    raise UnreadableError(message)


def _decode(data: bytes, name: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        _refuse(f"{name} is UTF-16 or UTF-32; save it as UTF-8.")
    if not data.strip():
        _refuse(f"{name} is empty; open it in Jupyter and save it again.")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        _refuse(
            f"{name} is not UTF-8: byte {data[error.start]:#04x} at offset {error.start}; "
            "save it as UTF-8."
        )


def _load(text: str, name: str) -> dict[str, Any]:
    try:
        raw = json_text.read(text, lenient=True)
    except json.JSONDecodeError as error:
        _refuse(_not_json(text, error, name))
    except RecursionError:
        _refuse(f"{name} is nested too deeply to be a notebook; save it in Jupyter again.")
    except json_text.DuplicateKeyError as error:
        _refuse(f"{name}: {error}; keep one of them.")
    if not isinstance(raw, dict):
        _refuse(f"{name} is JSON but not a notebook: its top is no object.")
    return cast("dict[str, Any]", raw)


def _not_json(text: str, error: json.JSONDecodeError, name: str) -> str:
    marker = _MARKER.search(text.replace("\r\n", "\n"))
    if marker is not None:
        line = text.replace("\r\n", "\n").count("\n", 0, marker.start()) + 1
        return f"{name} has merge conflict markers at line {line}; resolve the merge first."
    return (
        f"{name} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); "
        "open it in Jupyter and save it again."
    )


def _cells(raw: dict[str, Any], name: str) -> list[Any]:
    version = raw.get("nbformat")
    if version == 3:
        return _cells_of_3(raw, name)
    if not isinstance(version, int) or isinstance(version, bool):
        _refuse(f"{name} is JSON but not a notebook: it has no nbformat number.")
    if version != 4:
        _refuse(f"{name} has nbformat {version}; save it as nbformat 4.")
    cells = raw.get("cells")
    if not isinstance(cells, list):
        _refuse(f"{name}: `cells` is no list; open the file in Jupyter and save it again.")
    return cells


def _cells_of_3(raw: dict[str, Any], name: str) -> list[Any]:
    """The cells of an nbformat 3 notebook, as nbformat 4 has them."""
    sheets = raw.get("worksheets")
    if not isinstance(sheets, list) or not all(
        isinstance(sheet, dict) and isinstance(sheet.get("cells"), list) for sheet in sheets
    ):
        _refuse(f"{name}: `worksheets` is no list of objects with `cells`; save it as nbformat 4.")
    cells = [cell for sheet in sheets for cell in sheet["cells"]]
    return [_cell_of_3(cell) if isinstance(cell, dict) else cell for cell in cells]


def _cell_of_3(cell: dict[str, Any]) -> dict[str, Any]:
    kind = cell.get("cell_type")
    made = {"cell_type": kind, "metadata": cell.get("metadata", {})}
    if kind == "code":
        return _in_language(made, cell.get("language")) | {"source": cell.get("input")}
    source = cell.get("source")
    if kind != "heading":
        return made | {"source": source}
    lines = [source] if isinstance(source, str) else source
    if not _are_texts(lines):
        return made | {"cell_type": "markdown", "source": source}
    level = cell.get("level")
    mark = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
    return made | {"cell_type": "markdown", "source": f"{mark} {' '.join(''.join(lines).split())}"}


def _in_language(made: dict[str, Any], language: Any) -> dict[str, Any]:
    """A code cell of another language says so where nbformat 4 has it."""
    if not isinstance(language, str) or _is_python(language):
        return made
    metadata = made["metadata"] if isinstance(made["metadata"], dict) else {}
    return made | {"metadata": {**metadata, "vscode": {"languageId": language}}}


def _are_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and set(map(type, value)) <= {str}


def _cell(value: Any, number: int, name: str) -> Cell:
    if not isinstance(value, dict):
        _refuse(f"{name}: cell {number} is no object; delete it in a text editor.")
    ident = value.get("id")
    where = _Place(name, number, ident)
    kind = value.get("cell_type")
    if kind not in _KINDS:
        _refuse(f"{where} has cell_type {kind!r}; it is markdown, code or raw.")
    metadata = _mapping(value.get("metadata"), where, "its metadata")
    tags = metadata.get("tags")
    if tags is not None and not _are_texts(tags):
        _refuse(f"{where}: its tags are {tags!r}, which is no list of strings; write them anew.")
    return Cell(
        number=number,
        id=ident if isinstance(ident, str) else None,
        kind=cast("Kind", kind),
        source=_source(value.get("source"), where),
        tags=tuple(tags or ()),
        metadata=metadata,
        attachments=_mapping(value.get("attachments"), where, "its attachments"),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell as a refusal names it, put into words only then."""

    name: str
    number: int
    ident: Any

    def __str__(self) -> str:
        ident = f" (id {shown(self.ident)})" if isinstance(self.ident, str) else ""
        return f"{self.name}: cell {self.number}{ident}"


def _source(value: Any, where: _Place) -> str:
    if _are_texts(value):
        value = "".join(value)
    if not isinstance(value, str):
        shown = "null" if value is None else type(value).__name__
        _refuse(f"{where}: its source is {shown}, not text; type it again or delete the cell.")
    if not value.isascii() and _SURROGATE.search(value):
        _refuse(f"{where}: its source holds half a character (a lone surrogate); type it again.")
    return value


def _mapping(value: Any, where: object, what: str) -> dict[str, Any]:
    """An object; one that is missing or null is empty."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        _refuse(f"{where}: {what} is no object; open the file in Jupyter and save it again.")
    return cast("dict[str, Any]", value)


def _python(metadata: dict[str, Any], name: str) -> str | None:
    """The kernel's Python version where the file tells it; any other language is refused."""
    info = metadata.get("language_info")
    spec = metadata.get("kernelspec")
    info = info if isinstance(info, dict) else {}
    spec = spec if isinstance(spec, dict) else {}
    language = info.get("name") or spec.get("language")
    if isinstance(language, str) and not _is_python(language):
        _refuse(f"{name} is written in {language}; a skill notebook needs a Python kernel.")
    kernel = spec.get("name")
    if not language and isinstance(kernel, str) and _OTHER_KERNEL.match(kernel):
        _refuse(f"{name} runs on the kernel {kernel!r}; a skill notebook needs a Python kernel.")
    version = info.get("version")
    return version if isinstance(version, str) and version else None


def _is_python(language: str) -> bool:
    return language.lower().startswith(("python", "ipython"))


def _oddities(raw: dict[str, Any], cells: tuple[Cell, ...], name: str) -> tuple[Problem, ...]:
    minor = raw.get("nbformat_minor", 0)
    needs_ids = raw.get("nbformat") == 4 and isinstance(minor, int) and minor >= 5
    without = [str(cell.number) for cell in cells if cell.id is None]
    problems = []
    if needs_ids and without:
        problems.append(
            found(
                "N101",
                f"no id in cell {', '.join(without)}",
                "save the notebook in Jupyter; nothing exported depends on ids",
                file=name,
            )
        )
    first: dict[str, int] = {}
    for cell in cells:
        if cell.id is not None and first.setdefault(cell.id, cell.number) != cell.number:
            problems.append(
                found(
                    "N102",
                    f"the id is that of cell {first[cell.id]} too",
                    "save the notebook in Jupyter; nothing exported depends on ids",
                    file=name,
                    cell=cell.number,
                    cell_id=cell.id,
                )
            )
    return tuple(problems)
