"""The demo's tables: what a contract is worth."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.screen import aside, has_color, place, progress, put, put_json, width

if TYPE_CHECKING:
    from skills2_nb.evals.standings import Arm

#: How each table is called as a page.
TITLES = {
    "table": "Five skills: prose, stubs, contract",
    "rows": "Single cases: prose, and what came after it",
    "symptoms": "Seven symptoms and who sees them",
}
_Told = Callable[[Sequence[Mapping[str, Any]]], str]


@dataclass(frozen=True)
class Asked:
    """How a table is to be shown.

    Attributes:
        kind: a key of ``TITLES``.
        out: where notebooks outside a clone are copied to; None = a temporary folder.
        html: where to write it as a page too.
        into: a Markdown file that keeps the table between two marks.
        markdown: print Markdown in place of the terminal's table.
        as_json: print JSON.
    """

    kind: str
    out: Path | None = None
    html: Path | None = None
    into: Path | None = None
    markdown: bool = False
    as_json: bool = False


def show(asked: Asked) -> None:
    """Work out one of the tables and print it.

    Raises:
        UsageError: the file it goes into has no place for it.
    """
    from skills2_nb.formats.files import write_atomic
    from skills2_nb.views import standings

    kind, html = asked.kind, asked.html
    if asked.into is not None:
        _kept(asked.into, kind, "")  # before minutes of work, not after them
    with _copies(asked) as out:
        rows = _symptoms(out) if kind == "symptoms" else _rows(out, single=kind == "rows")
    text: Callable[..., str] = standings.symptoms_text if kind == "symptoms" else standings.text
    marked: _Told = standings.symptoms_markdown if kind == "symptoms" else standings.markdown
    page: Callable[..., str] = standings.symptoms_page if kind == "symptoms" else standings.page
    if html is not None:
        html.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(html, page(rows, TITLES[kind]).encode("utf-8"))
    if asked.into is not None:
        write_atomic(asked.into, _kept(asked.into, kind, marked(rows)))
    if asked.as_json:
        put_json({"symptoms" if kind == "symptoms" else "rows": rows})
    elif asked.markdown:
        put(marked(rows))
    else:
        put(text(rows, width=width(), color=has_color()))
        if html is not None:
            put(f"Page: {place(html.absolute())}")


@contextmanager
def _copies(asked: Asked) -> Iterator[Path | None]:
    """Where notebooks are copied to: nowhere in a clone, else a folder that goes afterwards."""
    from skills2_nb.cli.specimen import SKILL, SKILLS, of_clone

    names = (SKILL,) if asked.kind == "symptoms" else SKILLS
    if asked.out is not None or all(of_clone(name) for name in names):
        yield asked.out
        return
    with tempfile.TemporaryDirectory(prefix="skills2-demo-") as name:
        yield Path(name)


def _kept(path: Path, kind: str, table: str) -> bytes:
    """A Markdown file with the table between ``<!-- table: KIND -->`` and ``<!-- end -->``."""
    from skills2_nb.errors import UsageError
    from skills2_nb.formats.files import read_bytes

    text = read_bytes(path).decode("utf-8")
    opening, closing = f"<!-- table: {kind} -->", "<!-- end -->"
    before, found, rest = text.partition(opening)
    _, ended, after = rest.partition(closing)
    if not found or not ended:
        raise UsageError(
            f"{path} has no place for the table; write the lines {opening} and {closing} where it "
            "goes"
        )
    return f"{before}{opening}\n{table}{closing}{after}".encode()


def _rows(out: Path | None, *, single: bool) -> list[dict[str, Any]]:
    """The rows of every skill, or those of single cases."""
    from skills2_nb.evals.standings import case_rows, table

    rows: list[dict[str, Any]] = []
    for skill, arms in _all_arms(out, single=single):
        rows += case_rows(skill, arms) if single else table(skill, arms)
    return rows


def _all_arms(out: Path | None, *, single: bool) -> Iterator[tuple[str, tuple[Arm, ...]]]:
    from skills2_nb.evals.chosen import Chosen
    from skills2_nb.evals.standings import CLASSIC
    from skills2_nb.evals.versions import arms_of

    chosen = Chosen(tag=(CLASSIC,)) if single else None
    for folder in _exported(out):
        with _scratch() as scratch, aside():
            told = _teller(folder.name)
            yield folder.name, arms_of(folder, scratch / "stubs", told=told, chosen=chosen)


def _symptoms(out: Path | None) -> list[dict[str, Any]]:
    """Each symptom, on the honest case of the demo."""
    from skills2_nb.evals.play import Stage
    from skills2_nb.evals.proof import basis_of
    from skills2_nb.evals.symptoms import SKILL, SYMPTOMS, seen
    from skills2_nb.formats.cases import RunCase

    folder = next(each for each in _exported(out, (SKILL,)))
    made = []
    with _scratch(), aside():
        stage = Stage(basis_of(folder), (Path.cwd(), folder))
        case = next(
            case
            for case in stage.basis.cases
            if isinstance(case, RunCase) and case.expected_audit == "pass" and _shows_all(case)
        )
        for symptom in SYMPTOMS:
            progress(symptom.name)
            made += [each.to_dict() for each in seen(stage, case, (symptom,))]
    return made


def _shows_all(case: Any) -> bool:
    """The month in which all three flows move, which is the demo's."""
    from skills2_nb.cli.demo import PERIOD

    return bool(case.inputs.get("period") == PERIOD)


def _exported(out: Path | None, names: tuple[str, ...] | None = None) -> Iterator[Path]:
    """The packages of the demo's skills, made anew where their notebook changed."""
    from skills2_nb.cli.specimen import notebooks
    from skills2_nb.convert.exporter import export

    for notebook in notebooks(out, names):
        progress(f"export {notebook.stem}")
        yield export(notebook).folder


def _teller(skill: str) -> Callable[[str, str], None]:
    def told(version: str, case: str) -> None:
        progress(f"{skill}, {version}: {case}")

    return told


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for the while; runs are recorded in it and leave no trace."""
    from skills2_nb.contract.home import elsewhere

    with tempfile.TemporaryDirectory(prefix="skills2-demo-") as name:
        scratch = Path(name)
        with elsewhere(scratch / "home"):
            yield scratch


def chosen(flags: Mapping[str, bool]) -> str | None:
    """The one table asked for; None where none is.

    Raises:
        UsageError: more than one.
    """
    asked = [f"--{name}" for name, is_set in flags.items() if is_set and name != "table"]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(asked)} are two tables; ask for one at a time")
    if asked:
        return asked[0].removeprefix("--")
    return "table" if flags.get("table") else None
