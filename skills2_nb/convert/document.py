"""The prose side of a notebook: front matter, body, layout."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.convert.prose import first_paragraph
from skills2_nb.errors import UnreadableError
from skills2_nb.formats.frontmatter import (
    FrontMatterError,
    cut,
    inside,
    is_fenced,
    mended,
    parse,
)
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.formats.problem import Edit, Problem, found
from skills2_nb.formats.roles import Assignment, Role
from skills2_nb.formats.skill_md import Layout, SkillMd, layout_of, still_fits

LONGEST_DESCRIPTION = 1024


@dataclass(frozen=True, slots=True)
class Document:
    """SKILL.md before it is written.

    Attributes:
        name: the skill's name: front matter, else the notebook's stem as a name.
        description: front matter, else the first prose paragraph.
        front: the assignment of the front matter cell, if there is one.
        fields: the front matter's mapping.
        skill_md: front, pieces and layout.
        problems: what is wrong with these.
    """

    name: str
    description: str
    front: Assignment | None
    fields: dict[str, Any]
    skill_md: SkillMd
    problems: tuple[Problem, ...] = ()

    @property
    def body(self) -> str:
        """The prose, LF."""
        return self.skill_md.body


@dataclass
class _Builder:
    stem: str
    file: str
    problems: list[Problem] = field(default_factory=list)


def document_of(
    assignments: Sequence[Assignment], pieces: Sequence[str], stem: str, file: str
) -> Document:
    """The document of a notebook's cells.

    Args:
        assignments: every cell.
        pieces: the markdown cells' texts, images already pointing at files.
        stem: the notebook's stem, from which a name is made where none is given.
        file: the notebook's name, for messages.
    """
    builder = _Builder(stem, file)
    front = next((a for a in assignments if a.role is Role.FRONT), None)
    fields = _fields(front, builder)
    layout = _layout(assignments, builder)
    body = "\n\n".join(piece for piece in pieces if piece)
    name = _text_field(fields, "name", front, builder) or slug(stem)
    description = _text_field(fields, "description", front, builder)
    made = front.text if front else None
    if front is None and not layout.front:
        name, description = _leniently(body, name)
    if front is None and layout.front:
        description = description or _made_description(body, name)
        made = f"---\nname: {name}\ndescription: {_quoted(description)}\n---"
        fields = {"name": name, "description": description}
        builder.problems.append(_no_front(assignments, name, description, file))
    document = SkillMd(made, tuple(pieces), layout)
    if not still_fits(document):
        builder.problems.append(
            found(
                "F312",
                "the line ends kept for SKILL.md no longer fit its text; it is written with LF",
                "delete `line_ends` and `of` in the first cell's `skills2` metadata",
                file=file,
                cell=assignments[0].cell.number,
                cell_id=assignments[0].cell.id,
            )
        )
    return Document(name, description, front, fields, document, tuple(builder.problems))


def kept_front(body: str) -> str | None:
    """The YAML of a front matter that does not parse and was left at the head of the prose."""
    found = cut(body)
    return inside(found[0]) if found is not None else None


def slug(stem: str) -> str:
    """A name that keeps the name rule, made of a file's stem."""
    made = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:64].strip("-") or "skill"
    return made if is_safe_path(made) else f"{made}-skill"


def _fields(front: Assignment | None, builder: _Builder) -> dict[str, Any]:
    if front is None:
        return {}
    if not is_fenced(front.text):
        builder.problems.append(_no_mapping(front, "is not held between two `---` lines"))
        return {}
    text = inside(front.text)
    try:
        fields = parse(text)
        if not fields:
            builder.problems.append(_no_mapping(front, "holds no `key: value` line"))
        return fields
    except FrontMatterError as error:
        better = mended(text)
        edit = None
        if better is not None:
            whole = front.text.replace(text, better, 1)
            edit = Edit(front.cell.number, source=front.with_text(whole))
        line = error.line + 1 if error.line else None
        builder.problems.append(
            front.problem(
                "F302",
                f"the front matter: {error}",
                error.mend or "correct it",
                line=line,
                edit=edit,
            )
        )
        return {}


def _no_mapping(front: Assignment, why: str) -> Problem:
    return front.problem(
        "F302",
        f"the raw first cell is the front matter, and it {why}",
        "write `---`, name: ..., description: ..., `---`, and nothing else; or tag the cell `skip`",
        line=1,
    )


def _text_field(
    fields: dict[str, Any], key: str, front: Assignment | None, builder: _Builder
) -> str:
    value = fields.get(key)
    if value is None or front is None:
        return ""
    if not isinstance(value, str):
        builder.problems.append(
            front.problem(
                "F311",
                f"{key} is {value!r}, which is no text",
                f"put it in quotes: {key}: {_quoted(str(value))}",
                line=line_of(front, key),
            )
        )
        return ""
    return value.strip()


def _leniently(body: str, name: str) -> tuple[str, str]:
    """Name and description as agents read them that mend the usual fault, else the name given."""
    text = kept_front(body)
    better = mended(text) if text is not None else None
    fields = parse(better) if better is not None else {}
    said, description = fields.get("name"), fields.get("description")
    if isinstance(said, str) and slug(said) == said:
        name = said
    return name, (description if isinstance(description, str) else "").strip()


def line_of(front: Assignment, key: str) -> int | None:
    """The line of the front matter cell on which a field stands."""
    for number, line in enumerate(front.text.split("\n"), 1):
        if line.startswith(f"{key}:"):
            return number
    return None


def _layout(assignments: Sequence[Assignment], builder: _Builder) -> Layout:
    keys = set(Layout.__slots__)
    for assignment in assignments:
        kept = assignment.cell.layout
        if assignment.role is Role.SKIP or not keys & set(kept):
            continue
        try:
            return layout_of(kept)
        except (UnreadableError, TypeError) as error:
            builder.problems.append(
                assignment.problem("F313", str(error), "delete the cell's `skills2` metadata")
            )
    return Layout()


def _made_description(body: str, name: str) -> str:
    words = first_paragraph(body).replace("<", "").replace(">", "")
    if len(words) > LONGEST_DESCRIPTION:
        words = words[: LONGEST_DESCRIPTION - 3].rsplit(" ", 1)[0] + "..."
    return words or f"{name.replace('-', ' ').capitalize()}."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _no_front(assignments: Sequence[Assignment], name: str, description: str, file: str) -> Problem:
    first = assignments[0].cell if assignments else None
    shown = description if len(description) <= 60 else description[:57] + "..."
    return found(
        "F301",
        f"there is no front matter; the name is {name!r}, the description {shown!r}",
        "make the first cell raw: `---`, name: ..., description: ..., `---`",
        file=file,
        cell=first.number if first else None,
        cell_id=first.id if first else None,
    )
