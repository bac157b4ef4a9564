"""The files that travel along."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from skills2_nb.convert.prose import attachments, unquoted, with_files
from skills2_nb.formats.files import sha256
from skills2_nb.formats.paths import clashes, is_safe_path
from skills2_nb.formats.problem import Problem, found
from skills2_nb.formats.roles import Assignment

#: What export makes itself; a file of the notebook's folder may not take its place.
MADE = ("SKILL.md", "skill.toml", "export.lock", "schemas.json", "evals/cases.jsonl")
_MADE_ALSO = ("evals/baseline.json",)


def is_made(path: str) -> bool:
    """Whether a path of the package is one that export, or the gate, fills itself."""
    return path in MADE or path in _MADE_ALSO or path.startswith("runtime/")


@dataclass
class Shelf:
    """Collects files from the notebook's folder, from cells and from attachments.

    Attributes:
        folder: the files of the notebook's folder, by relative path.
        files: what has been collected, by path in the package.
    """

    folder: Mapping[str, bytes]
    file: str
    stem: str
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _made_by: dict[str, Assignment] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path, data in sorted(self.folder.items()):
            if is_made(path):
                self.problems.append(
                    found(
                        "A802",
                        f"{self.stem}/{path} takes the place of a file that export makes",
                        "move it to references/, scripts/ or assets/, or delete it",
                        file=f"{self.stem}/{path}",
                    )
                )
            else:
                self.files[path] = data

    def add(self, assignment: Assignment) -> None:
        """Put a cell's text into its target; the same target twice is appended in order."""
        path = f"{assignment.role.feeds}{assignment.target}"
        up = "../" * path.count("/")
        text = self.attach(assignment, up) if _is_markdown(assignment) else assignment.text
        data = (text + "\n").encode("utf-8")
        if path in self._made_by:
            gap = b"\n" if path.endswith(".md") else b""
            data = self.files[path] + gap + data
        elif path in self.files and self.files[path] != data:
            self.problems.append(
                assignment.problem(
                    "A802",
                    f"{path} also lies in the folder {self.stem}/, with other content",
                    "delete that file, or give the cell another target",
                )
            )
        self._made_by[path] = assignment
        self.files[path] = data

    def attach(self, assignment: Assignment, up: str = "") -> str:
        """The cell's text with its images pointing at files under assets/."""
        if "attachment:" not in assignment.text:
            return assignment.text
        paths: dict[str, str] = {}
        for name, line in attachments(assignment.text):
            bundle = assignment.cell.attachments.get(name) or assignment.cell.attachments.get(
                unquoted(name)
            )
            data = _decoded(bundle)
            if data is None:
                self.problems.append(_missing(assignment, name, line, bundle is None))
            else:
                paths[name] = up + self._place(name, data)
        return with_files(assignment.text, paths)

    def check(self) -> None:
        """Note paths that do not fit on one disk: in letter case, or a file above a file."""
        for one, other in clashes({*MADE, "runtime/skill.py", *self.files}):
            self.problems.append(
                found(
                    "A805",
                    f"{one} and {other} cannot lie on one disk",
                    "rename one of them",
                    file=self.file,
                )
            )

    def _place(self, name: str, data: bytes) -> str:
        """A path under assets/ of its own for each content."""
        clean = re.sub(r"[^A-Za-z0-9._-]+", "-", unquoted(name)).strip("-.") or "image"
        clean = clean if is_safe_path(clean) else f"image-{sha256(clean.encode())[:8]}"
        pure = PurePosixPath(clean)
        path = f"assets/{clean}"
        if self._taken(path, data):
            path = f"assets/{pure.stem}-{sha256(data)[:8]}{pure.suffix}"
        self.files[path] = data
        return path

    def _taken(self, path: str, data: bytes) -> bool:
        twin = next((p for p in self.files if p.casefold() == path.casefold()), None)
        return twin is not None and (twin != path or self.files[twin] != data)


def _is_markdown(assignment: Assignment) -> bool:
    return assignment.cell.kind == "markdown"


def _decoded(bundle: Any) -> bytes | None:
    """The bytes of ``{mime type: base64}``; the first type by name."""
    if not isinstance(bundle, Mapping) or not bundle:
        return None
    value = bundle[min(bundle)]
    text = "".join(value) if isinstance(value, list) else value
    if not isinstance(text, str):
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _missing(assignment: Assignment, name: str, line: int, absent: bool) -> Problem:
    if absent:
        return assignment.problem(
            "A801",
            f"the image attachment:{name} is not attached to this cell",
            "paste the image into this cell again",
            line=line,
        )
    return assignment.problem(
        "A804", f"the attachment {name!r} is not base64", "paste the image again", line=line
    )
