"""From a notebook to a package in memory; nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skills2_nb.convert import rules
from skills2_nb.convert.case_calls import CaseReader
from skills2_nb.convert.context import Context
from skills2_nb.convert.decorator import read_steps
from skills2_nb.convert.definitions import definitions_of
from skills2_nb.convert.document import Document, document_of
from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.in_place import own_files
from skills2_nb.convert.inference import manifest_of
from skills2_nb.convert.module import Module, assemble, handing_on, headline
from skills2_nb.convert.prose import links
from skills2_nb.convert.shelf import Shelf
from skills2_nb.convert.source import Code, is_checked, look, script_problems
from skills2_nb.convert.steps import Step, step_aliases, steps_in
from skills2_nb.formats.cases import Case
from skills2_nb.formats.cases import dump as dump_cases
from skills2_nb.formats.manifest import Manifest, parse_tables
from skills2_nb.formats.manifest import dump as dump_manifest
from skills2_nb.formats.notebook import Notebook, read_notebook
from skills2_nb.formats.paths import is_safe_path
from skills2_nb.formats.problem import Edit, Problem, in_order
from skills2_nb.formats.roles import Assignment, Role, role_of
from skills2_nb.formats.skill_md import join

#: The exported cells as one module.
SKILL = "runtime/skill.py"


@dataclass(frozen=True)
class Plan:
    """A package before it is written.

    Attributes:
        notebook: what it is made from.
        name: the skill's name, which is the package's folder.
        body: the prose of SKILL.md, LF.
        files: path to bytes, without schemas.json and export.lock.
        manifest: skill.toml as a value.
        cases: evals/cases.jsonl as values.
        steps: the steps in cell order.
        module: ``runtime/skill.py`` with the cell behind each line.
        assignments: every cell with its role.
        problems: what is wrong, by place.
    """

    notebook: Notebook
    name: str
    body: str
    files: Mapping[str, bytes]
    manifest: Manifest
    cases: tuple[Case, ...]
    steps: tuple[Step, ...]
    module: Module
    assignments: tuple[Assignment, ...]
    problems: tuple[Problem, ...] = field(default=())

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """The problems that keep the package from being written."""
        return tuple(problem for problem in self.problems if problem.blocks)


def plan_path(path: Path) -> Plan:
    """The plan of a notebook file and the folder of its stem; what ``lint`` looks at.

    Raises:
        UnreadableError: the file is no notebook.
    """
    notebook = read_notebook(path)
    files, problems = read_folder(folder_of(path))
    return plan(notebook, files, problems)


def plan(
    notebook: Notebook,
    folder: Mapping[str, bytes] | None = None,
    problems: Iterable[Problem] = (),
) -> Plan:
    """The package that a notebook makes, and everything that is wrong with it.

    Pure: same notebook and files, same bytes. Cell ids, outputs, counts and metadata of others
    change nothing.

    Args:
        notebook: the notebook, as read.
        folder: the files of the folder of its stem, by relative path.
        problems: what reading that folder found.
    """
    file = notebook.name
    assignments = tuple(
        role_of(cell, first=index == 0, file=file) for index, cell in enumerate(notebook.cells)
    )
    targets = [f"{a.role.feeds}{a.target}" for a in assignments if a.role.has_file]
    own = own_files(folder or {}, notebook.name, targets)
    shelf = Shelf(own, notebook.name, notebook.stem)
    pieces = [_piece(a, shelf) for a in assignments if a.role is Role.PROSE]
    document = document_of(assignments, pieces, notebook.stem, notebook.name)
    codes = look(assignments)
    aliases = step_aliases(codes)
    exported = [code for code in codes if code.exported]
    known = definitions_of(exported)
    steps = read_steps(exported, aliases, known)
    hand, hand_problems = _hand(assignments)
    manifest = manifest_of(document, exported, steps, notebook.python, hand)
    context = Context(notebook, assignments, codes, aliases, known, steps, document, manifest, hand)
    reader = _cases(assignments, codes, context)
    _fill(shelf, assignments)
    module = assemble(exported, _headlines(exported, context), notebook.name)
    made = _files(document, manifest, reader.cases, module, context)
    every = (
        *notebook.problems,
        *problems,
        *_cell_problems(assignments),
        *document.problems,
        *hand_problems,
        *(problem for code in codes for problem in code.problems),
        *(problem for step in steps for problem in step.problems),
        *reader.problems,
        *shelf.problems,
        *_links(assignments, shelf.files),
        *rules.check(context),
    )
    return Plan(
        notebook=notebook,
        name=manifest.name,
        body=document.body,
        files=dict(sorted({**shelf.files, **made}.items())),
        manifest=manifest,
        cases=tuple(reader.cases),
        steps=steps,
        module=module,
        assignments=assignments,
        problems=in_order((*every, *rules.whole(module, every, notebook.name))),
    )


def _piece(assignment: Assignment, shelf: Shelf) -> str:
    """A markdown cell's text; a cell tagged ``prose`` is left as it stands."""
    return assignment.text if assignment.explicit else shelf.attach(assignment)


def _hand(assignments: Sequence[Assignment]) -> tuple[dict[str, Any], list[Problem]]:
    """The tables of the manifest cells, with problems that name the cell."""
    tables: dict[str, Any] = {}
    problems: list[Problem] = []
    for assignment in assignments:
        if assignment.role is not Role.MANIFEST:
            continue
        found, faults = parse_tables(assignment.text, assignment.file)
        problems += [assignment.problem(p.code, p.message, p.mend, line=p.line) for p in faults]
        if found.pop("steps", None) is not None:
            problems.append(
                assignment.problem(
                    "M705",
                    "[[steps]] is made from the code",
                    "delete it here, and say it in `@step(...)`",
                )
            )
        for name, table in found.items():
            tables[name] = {**tables.get(name, {}), **table}
    return tables, problems


def _cell_problems(assignments: Sequence[Assignment]) -> Iterable[Problem]:
    """Problems of roles, of line ends and of empty cells."""
    for assignment in assignments:
        yield from assignment.problems
        exported = assignment.role is not Role.SKIP
        if exported and "\r" in assignment.cell.source:
            yield assignment.problem(
                "N104",
                "the cell holds carriage returns (CR), which editors garble",
                "keep LF alone as line end",
                edit=Edit(assignment.cell.number, source=assignment.cell.text),
            )
        if exported and not assignment.text.strip() and not assignment.cell.layout:
            yield assignment.problem("R207", "the cell is empty", "delete it, or write it")
        if assignment.cell.kind == "code" and assignment.role.has_file and is_checked(assignment):
            yield from script_problems(assignment)


def _cases(
    assignments: Sequence[Assignment], codes: Sequence[Code], context: Context
) -> CaseReader:
    by_number = {code.number: code for code in codes}
    reader = CaseReader(context.steps, context.known)
    for assignment in assignments:
        if assignment.role is Role.CASES:
            reader.read(assignment, by_number.get(assignment.cell.number))
    return reader


def _fill(shelf: Shelf, assignments: Sequence[Assignment]) -> None:
    for assignment in assignments:
        if assignment.role.has_file and assignment.text and is_safe_path(assignment.target):
            shelf.add(assignment)
    shelf.check()


def _links(assignments: Sequence[Assignment], files: Mapping[str, bytes]) -> Iterable[Problem]:
    """Links of the prose to files that do not go along."""
    for assignment in assignments:
        for path, line in links(assignment.text) if assignment.role is Role.PROSE else ():
            if path not in files and not any(name.startswith(f"{path}/") for name in files):
                yield assignment.problem(
                    "F314",
                    f"the prose links to {path}, which the package does not have",
                    f"put it into {Path(assignment.file).stem}/, or take the link away",
                    line=line,
                )


def _headlines(codes: Sequence[Code], context: Context) -> list[str]:
    ids = {step.function: step.id for step in context.steps}
    return [
        headline(code, [ids[node] for node in steps_in(code, context.aliases)]) for code in codes
    ]


def _files(
    document: Document,
    manifest: Manifest,
    cases: Sequence[Case],
    module: Module,
    context: Context,
) -> dict[str, bytes]:
    texts = {"skill.toml": dump_manifest(manifest)}
    if context.exported:
        texts |= _runtime(module, context)
    if cases:
        texts["evals/cases.jsonl"] = dump_cases(cases)
    made = {path: text.encode("utf-8") for path, text in texts.items()}
    return {**made, "SKILL.md": join(document.skill_md)}


def _runtime(module: Module, context: Context) -> dict[str, str]:
    predicates = {name for step in context.steps for name in step.invariants}
    predicates |= {step.when for step in context.steps if step.when}
    models = [name for name, item in context.known.items() if item.is_class]
    name = context.manifest.name
    return {
        "runtime/__init__.py": f'"""The steps of {name}."""\n',
        SKILL: module.text,
        "runtime/steps.py": handing_on((s.name for s in context.steps), f"Steps of {name}."),
        "runtime/validators.py": handing_on(predicates, f"Invariants and guards of {name}."),
        "runtime/models.py": handing_on(models, f"Models of {name}."),
    }
