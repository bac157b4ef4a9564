"""Lint of front matter, prose and manifest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from skills2_nb.convert.context import Context
from skills2_nb.convert.document import LONGEST_DESCRIPTION, line_of, slug
from skills2_nb.formats.frontmatter import is_fenced
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.formats.problem import Problem, found
from skills2_nb.formats.roles import Assignment, Role

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 64


def name_is_a_path(context: Context) -> Iterator[Problem]:
    """F310: the name is a folder's name, never a way to another folder."""
    name = context.manifest.name
    if _is_path(name):
        yield _at_front(
            context,
            "F310",
            f"the name {name!r} is a path, or no folder can be called so",
            f"write name: {slug(name)}",
            "name",
        )


def name_rule(context: Context) -> Iterator[Problem]:
    """F304, F305: lower-case words joined by hyphens, at most 64 characters."""
    name = context.manifest.name
    if _is_path(name) or (NAME.fullmatch(name) and len(name) <= LONGEST_NAME):
        return
    code = "F304" if context.steps else "F305"
    yield _at_front(
        context,
        code,
        f"the name {name!r} is not lower-case words joined by hyphens (64 characters at most)",
        f"write name: {slug(name)}",
        "name",
    )


def front_fields(context: Context) -> Iterator[Problem]:
    """F303, F306 to F308: a name; a description that is there, short, and free of tags."""
    document = context.document
    if document.front is not None and document.fields and "name" not in document.fields:
        yield _at_front(
            context,
            "F303",
            f"the front matter has no name; the notebook's stem gives {document.name!r}",
            f"write name: {document.name}",
        )
    description = document.description
    if not description and (document.front is None or document.fields):
        said = document.fields.get("description")
        if document.front is not None and (said is None or isinstance(said, str)):
            yield _at_front(
                context,
                "F306",
                "there is no description, by which an agent would find the skill",
                "write description: what it does, and when to use it",
            )
        return
    if len(description) > LONGEST_DESCRIPTION:
        yield _at_front(
            context,
            "F307",
            f"the description has {len(description)} characters",
            f"cut it to {LONGEST_DESCRIPTION}",
            "description",
        )
    if "<" in description or ">" in description:
        yield _at_front(
            context,
            "F308",
            "the description holds an angle bracket, which uploads refuse",
            "write the word instead of the sign",
            "description",
        )


def late_front(context: Context) -> Iterator[Problem]:
    """F309: front matter anywhere but in the first cell."""
    for assignment in context.assignments[1:]:
        raw = assignment.cell.kind == "raw" and assignment.role is Role.SKIP
        if raw and not assignment.explicit and is_fenced(assignment.text):
            yield assignment.problem(
                "F309",
                "the cell looks like front matter and is not the first",
                "move it to the top",
            )


def anchors_occur(context: Context) -> Iterator[Problem]:
    """M704: an anchor term that the prose does not hold can never be anchored."""
    terms = context.hand.get("anchors", {}).get("terms", ())
    body = context.document.body.casefold()
    for term in terms:
        if term.casefold() not in body:
            yield _at_manifest(
                context,
                "M704",
                f"the anchor term {term!r} does not occur in the prose",
                "write it in the prose, or drop it",
            )


def one_name(context: Context) -> Iterator[Problem]:
    """M703: manifest and front matter agree on the name."""
    said = context.hand.get("skill", {}).get("name")
    front = context.document.fields.get("name")
    if said and front and said != front:
        yield _at_manifest(
            context,
            "M703",
            f"$.skill.name is {said!r}, and the front matter says {front!r}",
            "keep it in the front matter alone",
        )


def _is_path(name: str) -> bool:
    return "/" in name or not is_safe_path(name) or name.startswith((".", "~"))


def _at_front(context: Context, code: str, message: str, mend: str, key: str = "") -> Problem:
    front = context.document.front
    if front is not None:
        return front.problem(code, message, mend, line=line_of(front, key) if key else None)
    cells = context.notebook.cells
    return found(
        code,
        message,
        mend,
        file=context.file,
        cell=cells[0].number if cells else None,
        cell_id=cells[0].id if cells else None,
    )


def _at_manifest(context: Context, code: str, message: str, mend: str) -> Problem:
    cell: Assignment | None = next(
        (a for a in context.assignments if a.role is Role.MANIFEST), None
    )
    if cell is None:
        return found(code, message, mend, file=context.file)
    return cell.problem(code, message, mend)


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (
    name_is_a_path,
    name_rule,
    front_fields,
    late_front,
    anchors_occur,
    one_name,
)
