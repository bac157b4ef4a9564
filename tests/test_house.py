"""The rules of the house, read from CONTRIBUTING.md and held against the code."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "skills2_nb"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BANNED = PYPROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
MODULES = sorted(PACKAGE.rglob("*.py"))
STDLIB_ALONE = ("journal", "state", "canonical")
MOST_LINES, MOST_FUNCTION_LINES, CAPTION_LENGTH = 400, 60, 60


@dataclass(frozen=True)
class Row:
    """One row of the table that opens CONTRIBUTING.md."""

    floor: int
    name: str  # "contract" or "errors"
    is_folder: bool
    files: frozenset[str]
    caption: str
    doors: dict[str, frozenset[str]]  # library -> file names; empty = every file of the folder


def parse_doors(cell: str) -> dict[str, frozenset[str]]:
    doors = {}
    for part in filter(None, (piece.strip() for piece in cell.split(";"))):
        library, _, files = part.partition(":")
        doors[library] = frozenset(re.findall(r"`([\w.]+)`", files))
    return doors


def parse_row(line: str) -> Row:
    floor, place, caption, doors = (cell.strip() for cell in line.strip("|\n").split("|"))
    name, *files = place.split("`")[1:3]
    listed = frozenset(word.strip() for word in files[0].split(",") if word.strip())
    stem = name.removesuffix("/").removesuffix(".py")
    return Row(int(floor), stem, name.endswith("/"), listed, caption, parse_doors(doors))


def table() -> dict[str, Row]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [parse_row(line) for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    return {row.name: row for row in rows}


HOUSE = table()


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    """The folder (or the single file) of the package that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Each imported dotted name with its line, at module level and inside functions alike."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{where(path)}:{node.lineno}: relative import; write it out"
            module = node.module or ""
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def test_the_table_is_the_tree() -> None:
    on_disk = {room(path) for path in MODULES} - {"__init__"}
    assert on_disk == set(HOUSE), "the table of CONTRIBUTING.md and skills2_nb/ differ"


@pytest.mark.parametrize("row", HOUSE.values(), ids=HOUSE)
def test_the_table_names_every_file(row: Row) -> None:
    if row.is_folder:
        files = {path.stem for path in (PACKAGE / row.name).rglob("*.py")} - {"__init__"}
        mend = f"`{row.name}/` {', '.join(sorted(files))}"
        assert files == row.files, f"the row in CONTRIBUTING.md has to read: | {mend} |"


def test_import_linter_has_the_same_floors() -> None:
    layers = PYPROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    floors: dict[int, set[str]] = {}
    for row in HOUSE.values():
        floors.setdefault(row.floor, set()).add(row.name)
    from_top = [floors[floor] for floor in sorted(floors, reverse=True)]
    assert [set(layer.split(" | ")) for layer in layers] == from_top


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_arrows_run_down(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    for line, name in imports(path):
        if not name.startswith("skills2_nb."):  # `import skills2_nb` asks where it lies, no name
            continue
        there = name.split(".")[1]
        assert there in HOUSE, f"{where(path)}:{line}: import from the folder, not from the face"
        down = there == here or HOUSE[there].floor < HOUSE[here].floor
        assert down, f"{where(path)}:{line}: {here}/ may not import {there}/; arrows run down"


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_heavy_libraries_have_one_door(path: Path) -> None:
    row = HOUSE.get(room(path))
    for line, name in imports(path):
        library = name.partition(".")[0].removesuffix("_core")  # pydantic_core is pydantic
        if library not in BANNED:
            continue
        open_here = row is not None and library in row.doors
        doors = row.doors[library] if open_here else frozenset()
        at_door = open_here and (not doors or path.name in doors)
        assert at_door, f"{where(path)}:{line}: {BANNED[library]['msg']}"


def test_every_door_in_the_table_is_known_to_ruff() -> None:
    unknown = {library for row in HOUSE.values() for library in row.doors} - set(BANNED)
    assert not unknown, f"add to banned-api in pyproject.toml: {sorted(unknown)}"


HEAVY = sorted({*BANNED, "asyncio", "nbconvert", "nbformat", "numpy", "tomli_w"})


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("skills2_nb", HEAVY),
        *[(f"skills2_nb.contract.{name}", HEAVY) for name in STDLIB_ALONE],
        ("skills2_nb.errors", HEAVY),
        ("skills2_nb.cli.main", sorted(set(HEAVY) - {"click"})),
    ],
)
def test_light_imports(module: str, absent: list[str]) -> None:
    probe = f"import sys, {module}; print(*(n for n in {absent!r} if n in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"import {module} also loads {done.stdout.split()}"


@pytest.mark.parametrize("name", STDLIB_ALONE)
def test_the_record_stands_on_the_standard_library(name: str) -> None:
    path = PACKAGE / "contract" / f"{name}.py"
    foreign = {
        imported.partition(".")[0]
        for _, imported in imports(path)
        if imported.partition(".")[0] not in sys.stdlib_module_names | {"skills2_nb"}
    }
    assert not foreign, f"{where(path)} imports {sorted(foreign)}"


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_captions(path: Path) -> None:
    docstring = ast.get_docstring(tree(path))
    assert docstring, f"{where(path)} has no docstring"
    caption = docstring.splitlines()[0]
    assert len(caption) < CAPTION_LENGTH, f"{where(path)}: {len(caption)} characters: {caption!r}"
    assert "this module" not in caption.lower(), f"{where(path)}: {caption!r}"


@pytest.mark.parametrize("row", HOUSE.values(), ids=HOUSE)
def test_captions_of_the_table(row: Row) -> None:
    path = PACKAGE / row.name / "__init__.py" if row.is_folder else PACKAGE / f"{row.name}.py"
    caption = (ast.get_docstring(tree(path)) or "").splitlines()[0]
    assert caption == row.caption


def test_folders_open_with_a_docstring_alone() -> None:
    for path in PACKAGE.glob("*/__init__.py"):
        assert len(tree(path).body) == 1, f"{where(path)}: code in a folder's __init__"


def lines_of_code(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From `def` to the end, less the docstring: explaining more is never a fault."""
    first = node.body[0]
    spoken = 0
    if ast.get_docstring(node) is not None:
        spoken = (first.end_lineno or first.lineno) - first.lineno + 1
    return (node.end_lineno or node.lineno) - node.lineno + 1 - spoken


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_lengths(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{where(path)} has {lines} lines; split it by noun"
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            long = lines_of_code(node)
            assert long <= MOST_FUNCTION_LINES, (
                f"{where(path)}:{node.lineno}: {node.name} has {long} lines"
            )


def test_face() -> None:
    pytest.importorskip("IPython", reason="the face has the magics")
    face = importlib.import_module("skills2_nb")
    assert list(face.__all__) == sorted(face.__all__)
    assert set(face.__all__) <= set(dir(face))
    for name in face.__all__:
        assert getattr(face, name).__doc__, f"skills2_nb.{name} has no docstring"
    with pytest.raises(AttributeError, match="no_such_name"):
        face.no_such_name  # noqa: B018


# What belongs to one machine, or to one registry's address, is nobody else's business.
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.])/(?:root|work)/",
            r"/tmp/(?:venv|w)/",
            r"\bpypi\.org\b",
            r"pythonhosted\.org",
            r"registry\.(?:npmjs|yarnpkg)\.",
        ]
    )
)


def tracked() -> list[Path]:
    """Every file that git knows or would add; generated and ignored ones are left out."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout: no list of tracked files")
    names = filter(None, listing.stdout.decode().split("\0"))
    return [path for path in map(ROOT.joinpath, names) if path.is_file()]


def test_no_file_names_a_machine_or_a_registry() -> None:
    faults = []
    for path in tracked():
        if path == Path(__file__):
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        for match in MACHINE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            faults.append(f"{where(path)}:{line}: {match.group()}")
    assert not faults, "\n".join(faults)


def test_constraints_are_plain_pins() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    odd = [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)]
    assert not odd, f"only name==version lines: {odd}"
    names = [re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines]
    assert names == sorted(names)
    assert len(names) == len(set(names))


def test_constraints_pin_every_direct_dependency() -> None:
    project = PYPROJECT["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[\[<>=! ]", want)[0]).lower() for want in wanted}
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]) for line in pins.splitlines()}
    assert names - {"skills2-nb"} <= pinned
