"""The code, cases and manifest of a package as cells."""

from __future__ import annotations

import ast
import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tomli_w

from skills2_nb.convert.arranging import Parts, arranged, planned
from skills2_nb.convert.case_cells import as_lines, case_cells
from skills2_nb.convert.markers import Piece, cut, merged
from skills2_nb.convert.modules import hands_on, taken_in
from skills2_nb.convert.plan import SKILL, Plan
from skills2_nb.formats.cases import parse_cases
from skills2_nb.formats.draft import Draft
from skills2_nb.formats.files import over_lf
from skills2_nb.formats.manifest import Manifest, parse_tables, to_tables
from skills2_nb.formats.package import LOCK, parse_lock

MANIFEST = "skill.toml"
CASES = "evals/cases.jsonl"
SCHEMAS = "schemas.json"
_CODE = (SKILL, "runtime/steps.py")


@dataclass(frozen=True, slots=True)
class Packaged:
    """A package as the cells of a notebook.

    Attributes:
        parts: the cells.
        plan: the package that they make, without the files beside them.
        rest: the files that are in no cell.
        changed: the files that export would make otherwise than they are.
    """

    parts: Parts
    plan: Plan
    rest: dict[str, bytes]
    changed: tuple[str, ...] = ()


def is_package(files: Mapping[str, bytes]) -> bool:
    """Whether a skill's files hold a contract: a manifest, or steps in ``runtime/``."""
    return MANIFEST in files or any(b"@step" in files.get(path, b"") for path in _CODE)


def packaged(prose: Sequence[Draft], files: Mapping[str, bytes], file: str) -> Packaged:
    """The cells of a package, such that an export of them makes its files again.

    Args:
        prose: the cells of SKILL.md.
        files: the other files of the package.
        file: what the notebook is to be called.
    """
    texts = {path: over_lf(data) for path, data in files.items()}
    pieces, taken = _code(prose, texts, file)
    parts, first = _with_ids(prose, pieces, file)
    parts = replace(parts, manifest=_manifest(texts, first.manifest))
    parts, made = _with_cases(parts, first, texts, file)
    changed = [path for path in made.files if path in texts and texts[path] != made.files[path]]
    changed = [path for path in changed if path != "SKILL.md"]
    gone = {path for path in texts if _is_again(path, texts, made, taken)}
    rest = {path: data for path, data in files.items() if path not in gone}
    return Packaged(parts, made, rest, tuple(sorted(changed)))


def _code(
    prose: Sequence[Draft], texts: Mapping[str, bytes], file: str
) -> tuple[list[Piece], frozenset[str]]:
    """The cells of the code, and the files that they hold."""
    pieces = cut(_decoded(texts.get(SKILL, b"")))
    if not pieces:
        taken = taken_in(texts)
        return list(taken.pieces), taken.paths
    fewer = _fewer(prose, pieces, file)
    if fewer and _module(prose, fewer, file) == texts[SKILL]:
        pieces = fewer
    return pieces, frozenset({SKILL})


def _fewer(prose: Sequence[Draft], pieces: Sequence[Piece], file: str) -> list[Piece]:
    """The pieces without those that only looked like cells; empty where every one is a cell."""
    origins = _plan(prose, pieces, file).module.origins
    said = [origin.name for origin in origins]
    if len(said) != len(pieces) or all(
        now == piece.said for now, piece in zip(said, pieces, strict=True)
    ):
        return []
    return merged(pieces, said)


def _module(prose: Sequence[Draft], pieces: Sequence[Piece], file: str) -> bytes:
    return _plan(prose, pieces, file).files.get(SKILL, b"")


def _plan(prose: Sequence[Draft], pieces: Sequence[Piece], file: str) -> Plan:
    return planned([*prose, *(piece.draft() for piece in pieces)], file)


def _with_ids(prose: Sequence[Draft], pieces: Sequence[Piece], file: str) -> tuple[Parts, Plan]:
    """The cells of code with the ids of their steps, and the plan that tells them."""
    first = _plan(prose, pieces, file)
    ids = {step.code.number - len(prose) - 1: step.id for step in first.steps}
    return Parts(prose, pieces, [ids.get(n, "") for n in range(len(pieces))]), first


def _manifest(texts: Mapping[str, bytes], inferred: Manifest) -> Draft | None:
    """What the manifest says otherwise than the notebook would by itself."""
    tables, _ = parse_tables(_decoded(texts.get(MANIFEST, b"")), MANIFEST)
    base = to_tables(inferred)
    hand: dict[str, dict[str, Any]] = {}
    for name, table in tables.items():
        if name == "steps" or not isinstance(table, Mapping):
            continue
        own = {key: value for key, value in table.items() if _differs(value, base[name].get(key))}
        hand |= {name: own} if own else {}
    return Draft("raw", tomli_w.dumps(hand).strip("\n"), ("manifest",)) if hand else None


def _differs(value: Any, other: Any) -> bool:
    """Whether two values of TOML are written otherwise: ``1`` and ``1.0`` are."""
    return repr(value) != repr(other)


def _with_cases(
    parts: Parts, first: Plan, texts: Mapping[str, bytes], file: str
) -> tuple[Parts, Plan]:
    """The cases as calls where these say the same, byte for byte; else as they stand."""
    text = texts.get(CASES, b"")
    if not text.strip():
        return parts, planned(arranged(parts), file)
    cases, problems = parse_cases(_decoded(text), CASES)
    cells = case_cells(cases, first.steps, imported=_imports_case(parts.code))
    typed = replace(parts, cases=cells)
    made = planned(arranged(typed), file)
    if not problems and made.files.get(CASES) == text:
        return typed, made
    plain = replace(parts, cases=[("", as_lines(_decoded(text)))])
    return plain, planned(arranged(plain), file)


def _imports_case(pieces: Sequence[Piece]) -> bool:
    """Whether a cell of the skill brings ``case`` into the notebook."""
    for piece in pieces:
        if "case" not in piece.text:
            continue
        try:
            tree = ast.parse(piece.text)
        except (SyntaxError, ValueError):
            continue
        if any(_brings_case(node) for node in tree.body):
            return True
    return False


def _brings_case(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.module != "skills2_nb":
        return False
    return any(alias.name == "case" and not alias.asname for alias in node.names)


def _is_again(path: str, texts: Mapping[str, bytes], made: Plan, taken: frozenset[str]) -> bool:
    """Whether a file need not be kept: it is in cells, or an export makes it again."""
    if path == LOCK:
        return bool(parse_lock(_decoded(texts[path])))
    if path == SCHEMAS:
        return bool(made.steps)
    if path == CASES or path in taken:
        return True
    same = made.files.get(path) == texts[path].removeprefix(codecs.BOM_UTF8)
    return same or (path.startswith("runtime/") and path.endswith(".py") and hands_on(texts[path]))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").removeprefix("\ufeff")
