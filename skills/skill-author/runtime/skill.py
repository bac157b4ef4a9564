# Made from skill-author.ipynb. Edit the notebook and export it again.


# %% setup Verdict
import ast
import hashlib
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from skills2_nb import case, step
from skills2_nb.contract.home import elsewhere
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import Plan, plan_path
from skills2_nb.evals.play import Stage, play
from skills2_nb.evals.proof import basis_of
from skills2_nb.formats.cases import RunCase
from skills2_nb.formats.codes import CODES

Verdict = Literal["pass", "fail", "unproven", "tampered"]

CODE, ANY = ("code",), ("markdown", "raw", "code")
KINDS = {
    **dict.fromkeys(("step", "setup", "model", "invariant", "helper"), CODE),
    **dict.fromkeys(("reference", "script", "asset", "skip"), ANY),
    "cases": ("code", "raw"),
    "manifest": ("raw",),
    "prose": ("markdown",),
}
WITH_FILE = ("reference", "script", "asset")
DIRECTIVE = {
    "markdown": r"(?:#[ \t]+|<!--[ \t]*)skills2:[ \t]*(\S.*?)?[ \t]*(?:-->)?[ \t]*",
    "code": r"(?i:[ \t]*#+[ \t]*skills2[ \t]*:[ \t]*)(\S.*?)?[ \t]*",
}


# %% helper file_digest
def file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def planned(path: str, notebook_digest: str) -> Plan:
    """The package in memory; refused where the file is no longer the one that was read."""
    plan = plan_path(Path(path))
    if file_digest(path) != notebook_digest:
        raise ValueError(
            f"The notebook '{path}' is not the one that read_notebook saw. "
            "It was saved meanwhile, or its digest was typed: call read_notebook again."
        )
    return plan


def is_honest(row: object) -> bool:
    return isinstance(row, RunCase) and row.expected_audit == "pass"


def nothing_blocks(blocking):
    return blocking == 0


def can_be_scored(blocking, honest_cases=0):
    return blocking == 0 and honest_cases > 0


def is_the_file_that_was_read(path, notebook_digest):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() == notebook_digest


# %% helper look
def look(path: str) -> list[tuple[str, str, str]]:
    """Kind, role and text of each cell by the file's JSON alone: the second look of the checks."""
    found = []
    for index, cell in enumerate(json.loads(Path(path).read_bytes())["cells"]):
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        text = source.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
        kind, tags = cell["cell_type"], cell.get("metadata", {}).get("tags", [])
        words = [word_of(tag) for tag in tags if word_of(tag)]
        said = re.fullmatch(
            DIRECTIVE["markdown" if kind == "markdown" else "code"], first_line(text)
        )
        word = words[0] if words else word_of(said[1] or "") if said else ""
        found.append((kind, role_of(index, kind, text, word), text))
    return found


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def word_of(said: str) -> str:
    """The role that a tag or a first line names; nothing where it names none."""
    head, colon, _ = said.partition(":")
    known = head.strip() if head.strip() in KINDS else ""
    return "" if colon and known not in WITH_FILE else known


def role_of(index: int, kind: str, text: str, word: str) -> str:
    if word:
        return word if kind in KINDS[word] else "skip"
    if index == 0 and kind == "raw":
        return "front" if text.strip() else "skip"
    return "prose" if kind == "markdown" else "skip"


def verdicts_in(path: str) -> list[str | None]:
    """What each case expects, in the order of the cells; None for a step case."""
    found: list[str | None] = []
    for kind, role, text in look(path):
        if role == "cases" and kind == "raw":
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
            found += [
                row.get("expected_audit", "pass") if "prompt" in row else None for row in rows
            ]
        elif role == "cases":
            calls = [node.value for node in ast.parse(text).body]
            found += [verdict_of(call) for call in calls if isinstance(call, ast.Call)]
    return found


def verdict_of(call: ast.Call) -> str | None:
    if ast.unparse(call.func) not in ("case", "skills2_nb.case"):
        return None
    said = {each.arg: each.value for each in call.keywords}.get("expected_audit")
    return "pass" if said is None else ast.unparse(said).strip("'")


def decorators_in(path: str) -> dict[str, dict[str, ast.expr]]:
    """Each step function with the arguments of its decorator, unread."""
    found = {}
    for _, role, text in look(path):
        for node in ast.parse(text).body if role == "step" else ():
            for mark in getattr(node, "decorator_list", ()):
                given = mark.keywords if isinstance(mark, ast.Call) else []
                if ast.unparse(getattr(mark, "func", mark)).split(".")[-1] == "step":
                    found[node.name] = {each.arg: each.value for each in given}
    return found


def written_out(found: dict[str, dict[str, ast.expr]], argument: str) -> int | None:
    """How many items the lists of an argument hold; None where one is not written out."""
    lists = [given[argument] for given in found.values() if argument in given]
    plain = all(isinstance(each, (ast.List, ast.Tuple)) for each in lists)
    return sum(len(each.elts) for each in lists) if plain else None


# %% step read_notebook
class NotebookRead(BaseModel):
    notebook: str
    notebook_digest: str
    cell_count: int = Field(title="cells in all")
    prose_cells: int
    step_cells: int
    case_cells: int
    unexported_cells: int


def cells_recounted(path, cell_count, prose_cells, step_cells, case_cells, unexported_cells):
    roles = Counter(role for _, role, _ in look(path))
    told = {"prose": prose_cells, "step": step_cells, "cases": case_cells, "skip": unexported_cells}
    return cell_count == roles.total() and all(roles[role] == told[role] for role in told)


def name_is_the_files(path, notebook):
    return re.split(r"[/\\]", path)[-1] == notebook


@step(
    invariants=[cells_recounted, name_is_the_files, is_the_file_that_was_read],
    report=["cell_count", "prose_cells", "case_cells", "unexported_cells"],
)
def read_notebook(path: str) -> NotebookRead:
    """Read a skill notebook and count its cells by role."""
    if not Path(path).is_file():
        raise ValueError(
            f"There is no notebook '{path}'. Give the path of an .ipynb file, "
            "or write one with `skills2 new NAME`."
        )
    plan = plan_path(Path(path))
    if plan.notebook.raw.get("nbformat") != 4:
        raise ValueError(f"The notebook '{path}' has an old format. Save it in Jupyter first.")
    roles = Counter(assignment.role.word for assignment in plan.assignments)
    return NotebookRead(
        notebook=Path(path).name,
        notebook_digest=file_digest(path),
        cell_count=len(plan.assignments),
        prose_cells=roles["prose"],
        step_cells=roles["step"],
        case_cells=roles["cases"],
        unexported_cells=roles["skip"],
    )


# %% step lint_notebook
class Found(BaseModel):
    code: str
    level: Literal["error", "warning", "note"]
    cell: int | None
    line: int | None
    message: str
    mend: str


class Lint(BaseModel):
    found: list[Found]
    errors: int
    warnings: int
    notes: int
    blocking: int
    fixable: int
    lint_codes: list[str]


def levels_add_up(found, errors, warnings, notes, blocking):
    by_table = [CODES[each.code] for each in found]
    levels = Counter(entry.level for entry in by_table)
    return (errors, warnings, notes) == (levels["error"], levels["warning"], levels["note"]) and (
        blocking == sum(entry.level == "error" and entry.blocks for entry in by_table)
    )


def codes_and_places_are_real(path, found, fixable, lint_codes):
    cells = [text.count("\n") + 1 for _, _, text in look(path)]
    placed = all(each.cell is None or 1 <= each.cell <= len(cells) for each in found)
    mendable = sum(CODES[each.code].fixable for each in found)
    distinct = {each.code for each in found}
    return placed and 0 <= fixable <= mendable and lint_codes == sorted(distinct)


@step(
    invariants=[levels_add_up, codes_and_places_are_real, is_the_file_that_was_read],
    report=["errors", "warnings"],
)
def lint_notebook(path: str, notebook_digest: str) -> Lint:
    """Say what keeps the notebook from a package; nothing is run."""
    problems = planned(path, notebook_digest).problems
    rows = [
        Found(code=p.code, level=p.level, cell=p.cell, line=p.line, message=p.message, mend=p.mend)
        for p in problems
    ]
    return Lint(
        found=rows,
        errors=sum(row.level == "error" for row in rows),
        warnings=sum(row.level == "warning" for row in rows),
        notes=sum(row.level == "note" for row in rows),
        blocking=sum(problem.blocks for problem in problems),
        fixable=sum(problem.edit is not None for problem in problems),
        lint_codes=sorted({row.code for row in rows}),
    )


# %% step plan_package
class PlannedFile(BaseModel):
    path: str
    size: int
    sha256: str


class Package(BaseModel):
    skill: str
    files: list[PlannedFile]
    planned_files: int
    planned_bytes: int
    content_digest: str


def listing_adds_up(files, planned_files, planned_bytes):
    rest = planned_bytes
    for file in files:
        rest -= file.size
    paths = {file.path for file in files}
    return rest == 0 and planned_files == len(paths) == len(files) and "SKILL.md" in paths


def digest_covers_listing(files, content_digest):
    covered = hashlib.sha256()
    for file in files:
        covered.update(f"{file.path} {file.sha256}\n".encode())
    return covered.hexdigest() == content_digest


def skill_is_named_in_the_notebook(path, skill):
    named = [Path(path).stem]
    for index, (_, role, text) in enumerate(look(path)):
        lines = re.findall("(?m)^[ \t]*name[ \t]*[:=].*", text)
        named += (
            re.split("[\\s\"':=]+", " ".join(lines)) if index == 0 or role == "manifest" else []
        )
    return skill in named and skill != ""


@step(
    when=nothing_blocks,
    invariants=[
        listing_adds_up,
        digest_covers_listing,
        skill_is_named_in_the_notebook,
        is_the_file_that_was_read,
    ],
    report=["skill"],
)
def plan_package(path: str, notebook_digest: str) -> Package:
    """Plan the package in memory: which files, how large, with which digest."""
    plan = planned(path, notebook_digest)
    files = [
        PlannedFile(path=name, size=len(data), sha256=hashlib.sha256(data).hexdigest())
        for name, data in plan.files.items()
    ]
    listing = "".join(f"{file.path} {file.sha256}\n" for file in files)
    return Package(
        skill=plan.name,
        files=files,
        planned_files=len(files),
        planned_bytes=sum(file.size for file in files),
        content_digest=hashlib.sha256(listing.encode()).hexdigest(),
    )


# %% step export_package
class Exported(BaseModel):
    exported: list[PlannedFile]
    exported_files: int
    written_to: str


def exported_is_planned_and_the_lock(files, exported, exported_files):
    planned_ones = {file.path: (file.sha256, file.size) for file in files}
    made = {"export.lock", *(["schemas.json"] if "runtime/skill.py" in planned_ones else [])}
    rest = {file.path: (file.sha256, file.size) for file in exported if file.path not in made}
    return rest == planned_ones and exported_files == len(exported) == len(rest) + len(made)


def lies_where_it_was_asked(out, written_to, exported):
    lost = [file for file in exported if out and not any(Path(out).glob(f"*/{file.path}"))]
    return written_to == out and lost == []


@step(
    when=nothing_blocks,
    effects=("files", "process"),
    invariants=[
        exported_is_planned_and_the_lock,
        lies_where_it_was_asked,
        is_the_file_that_was_read,
    ],
    report=["exported_files"],
)
def export_package(
    path: str, notebook_digest: str, files: list[PlannedFile], out: str = ""
) -> Exported:
    """Write the package, to a scratch folder or to `out`, and read it back."""
    planned(path, notebook_digest)
    with tempfile.TemporaryDirectory(prefix="skills2-") as scratch:
        made = export(Path(path).absolute(), Path(out or scratch).absolute())
        there = [made.folder / name for name in {*made.written, *made.unchanged}]
        exported = [
            PlannedFile(
                path=file.relative_to(made.folder).as_posix(),
                size=file.stat().st_size,
                sha256=file_digest(str(file)),
            )
            for file in sorted(there)
        ]
    return Exported(exported=exported, exported_files=len(exported), written_to=out)


# %% step check_contract
class StepContract(BaseModel):
    step: str
    invariants: int
    report_fields: int
    typed: bool
    stub: bool


class Contract(BaseModel):
    contract: list[StepContract]
    functions: int
    invariant_count: int = Field(title="invariants")
    report_count: int = Field(title="report fields")
    stubs: int
    case_count: int = Field(title="cases in all")
    honest_cases: int
    failure_cases: int


def steps_recounted(path, contract, functions):
    found = decorators_in(path)
    ids = {
        ast.literal_eval(given["id"]) if "id" in given else name for name, given in found.items()
    }
    return functions == len(found) == len(contract) and {row.step for row in contract} == ids


def checks_recounted(path, contract, invariant_count, report_count, stubs):
    found = decorators_in(path)
    for argument, told in (("invariants", invariant_count), ("report", report_count)):
        if written_out(found, argument) not in (None, told):
            return False
    return (invariant_count, report_count, stubs) == (
        sum(row.invariants for row in contract),
        sum(row.report_fields for row in contract),
        len([row for row in contract if row.stub]),
    )


def cases_recounted(path, case_count, honest_cases, failure_cases):
    verdicts = verdicts_in(path)
    return (case_count, honest_cases, failure_cases) == (
        len(verdicts),
        verdicts.count("pass"),
        verdicts.count("fail"),
    )


@step(
    when=nothing_blocks,
    invariants=[
        steps_recounted,
        checks_recounted,
        cases_recounted,
        is_the_file_that_was_read,
    ],
    report=[
        "functions",
        "invariant_count",
        "report_count",
        "stubs",
        "honest_cases",
        "failure_cases",
    ],
)
def check_contract(path: str, notebook_digest: str) -> Contract:
    """Count what the contract declares: invariants, report fields, types, stubs, cases."""
    plan = planned(path, notebook_digest)
    loose = {problem.cell for problem in plan.problems if problem.code == "S525"}
    cells = {each.id: each.code.number for each in plan.steps}
    rows = [
        StepContract(
            step=each.id,
            invariants=len(each.invariants),
            report_fields=len(each.report),
            typed=each.output is not None and cells[each.id] not in loose,
            stub=each.stub,
        )
        for each in plan.manifest.steps
    ]
    verdicts = [getattr(each, "expected_audit", None) for each in plan.cases]
    return Contract(
        contract=rows,
        functions=len(rows),
        invariant_count=sum(row.invariants for row in rows),
        report_count=sum(row.report_fields for row in rows),
        stubs=sum(row.stub for row in rows),
        case_count=len(plan.cases),
        honest_cases=sum(is_honest(each) for each in plan.cases),
        failure_cases=verdicts.count("fail"),
    )


# %% step score_case
class ScoreFinding(BaseModel):
    code: str
    step: str | None
    message: str
    mend: str
    vetoes: bool


class Axes(BaseModel):
    coverage: float
    consistency: float
    anchoring: float
    veto_count: int
    left_open: int


class Score(BaseModel):
    scored_case: str
    case_holds: bool
    complaints: list[str]
    classic_score: float
    classic_verdict: Verdict
    strict_score: float
    strict_verdict: Verdict
    classic: Axes
    strict: Axes
    weights: list[float]
    threshold: float
    score_findings: list[ScoreFinding]


def scores_are_weighted_axes(classic_score, strict_score, classic, strict, weights):
    rest = []
    for score, axes in ((classic_score, classic), (strict_score, strict)):
        for weight, part in zip(
            weights, (axes.coverage, axes.consistency, axes.anchoring), strict=True
        ):
            score -= weight * part
        rest.append(abs(score))
    return max(rest) < 0.0002


def verdicts_follow(
    classic_score, classic_verdict, strict_score, strict_verdict, classic, strict, threshold
):
    for score, verdict, axes in (
        (classic_score, classic_verdict, classic),
        (strict_score, strict_verdict, strict),
    ):
        clean = score >= threshold and axes.veto_count == 0 and axes.left_open == 0
        if (verdict == "pass") != clean or (verdict == "fail" and clean):
            return False
        if verdict == "unproven" and axes.veto_count:
            return False
    return True


def findings_bear_the_verdict(strict, score_findings, case_holds, complaints):
    vetoes = [each for each in score_findings if each.vetoes]
    return len(vetoes) == strict.veto_count and case_holds == (complaints == [])


def case_is_in_the_notebook(path, case_id, scored_case):
    written = "\n".join(text for _, role, text in look(path) if role == "cases")
    known = f'"{scored_case}"' in written.replace("'", '"') or scored_case[:5] == "case-"
    return known and case_id in ("", scored_case)


@step(
    when=can_be_scored,
    effects=("files", "process"),
    invariants=[
        scores_are_weighted_axes,
        verdicts_follow,
        findings_bear_the_verdict,
        case_is_in_the_notebook,
        is_the_file_that_was_read,
    ],
    report=["classic_score", "classic_verdict", "strict_score", "strict_verdict"],
)
def score_case(path: str, notebook_digest: str, case_id: str = "") -> Score:
    """Run one case of the notebook in a scratch home, and audit it."""
    plan = planned(path, notebook_digest)
    runs = [each for each in plan.cases if isinstance(each, RunCase)]
    chosen = [each for each in runs if each.id == case_id or (not case_id and is_honest(each))]
    if not chosen:
        raise ValueError(
            f"The notebook has no run case '{case_id}'. Its cases are: "
            f"{', '.join(each.id for each in runs)}. Name one of them, or none."
        )
    here = Path(path).absolute()
    with tempfile.TemporaryDirectory(prefix="skills2-") as place, elsewhere(Path(place, "home")):
        package = export(here, Path(place, "skills"), verify=False).folder
        basis = basis_of(package)
        folders = (Path.cwd(), here.parent, here.with_suffix(""), package)
        result = next(iter(play(Stage(basis, folders), chosen[0])))
    if result.audit is None:
        raise ValueError(f"The case '{chosen[0].id}' cannot be played: {'; '.join(result.wrong)}")
    classic, strict = result.audit.classic, result.audit.strict
    return Score(
        scored_case=chosen[0].id,
        case_holds=result.ok,
        complaints=list(result.wrong),
        classic_score=classic.score,
        classic_verdict=classic.verdict,
        strict_score=strict.score,
        strict_verdict=strict.verdict,
        classic=axes_of(classic),
        strict=axes_of(strict),
        weights=list(basis.settings.weights),
        threshold=basis.settings.threshold,
        score_findings=[
            ScoreFinding(
                code=each.code,
                step=each.step,
                message=each.message,
                mend=each.mend,
                vetoes=is_veto(each),
            )
            for each in strict.findings
            if each.counts
        ],
    )


def is_veto(found) -> bool:
    return found.vetoes or (found.code == "INVARIANT_FAILED" and found.counts)


def axes_of(profile) -> Axes:
    return Axes(
        coverage=profile.coverage,
        consistency=profile.consistency,
        anchoring=profile.anchoring,
        veto_count=sum(is_veto(each) for each in profile.findings),
        left_open=len(profile.not_checked),
    )


# %% step find_next_mend
class Mend(BaseModel):
    next_mend: Literal[
        "error",
        "step",
        "stub",
        "type",
        "invariant",
        "report",
        "case",
        "finding",
        "hold",
        "warning",
        "export",
    ]
    mend_subject: str
    mend_text: str
    mend_figures: list[float]


def lint_books_agree(found, errors, warnings, blocking):
    levels = [each.level for each in found]
    return blocking <= errors == levels.count("error") and warnings == levels.count("warning")


def mend_is_the_first_due(
    next_mend, errors, warnings, contract, honest_cases, score_findings, complaints
):
    rows = contract or []
    owed = {
        "error": errors > 0,
        "step": len(rows) == 0,
        "stub": any(row.stub for row in rows),
        "type": not all(row.typed for row in rows),
        "invariant": any(row.invariants == 0 for row in rows),
        "report": sum(row.report_fields for row in rows) == 0,
        "case": honest_cases == 0,
        "finding": len(score_findings or []) > 0,
        "hold": len(complaints or []) > 0,
        "warning": warnings > 0,
        "export": True,
    }
    return next(kind for kind in owed if owed[kind]) == next_mend


def text_comes_from_its_source(
    next_mend,
    mend_subject,
    mend_text,
    mend_figures,
    notebook,
    found,
    contract,
    score_findings,
    complaints,
):
    sources = {
        "error": {(row.code, told(row)) for row in found if row.level == "error"},
        "warning": {(row.code, told(row)) for row in found if row.level == "warning"},
        "finding": {(row.code, f"{row.code}: {row.mend}") for row in score_findings or ()},
        "hold": {(line, f"A case does not hold: {line}.") for line in complaints or ()},
        "export": {(notebook, TASKS["export"].format(notebook))},
    }
    tasks = {
        (row.step, TASKS[next_mend].format(row.step))
        for row in contract or ()
        if next_mend in TASKS
    }
    whole = {("notebook", TASKS[next_mend].format(notebook))} if next_mend in TASKS else set()
    quoted = all(f"{figure:.10g}" in mend_text for figure in mend_figures)
    return quoted and (mend_subject, mend_text) in sources.get(next_mend, tasks | whole)


TASKS = {
    "step": "Write the first step in {}: one @step function in a cell tagged step.",
    "stub": "Write the body of {} and delete its stub comment.",
    "type": "Give {} a return type with at least one required field.",
    "invariant": "Give {} an invariant that reaches its result by another way.",
    "report": "Name in {} what an answer must carry: report=[...] of a step.",
    "case": "Write a case with real inputs in {} that expects to pass.",
    "export": "Export {} and ask how strong its invariants are.",
}


def told(row: Found) -> str:
    place = "" if row.cell is None else f" in cell {row.cell}"
    return f"{row.code}{place}: {row.message}. To mend: {row.mend}."


def figures_of(text: str) -> list[float]:
    """The figures that a text quotes, so that an answer which quotes it can be traced."""
    found = re.findall(r"(?<![\w.-])-?[0-9]{1,9}(?:\.[0-9]{1,4})?(?![\w.]*[0-9A-Za-z])", text)
    return sorted({float(each) for each in found})[:24]


def due_in_contract(contract, honest_cases):
    """What the contract lacks: kind and subject, the most urgent first."""
    if not contract:
        yield "step", "notebook"
    yield from (("stub", row.step) for row in contract if row.stub)
    yield from (("type", row.step) for row in contract if not row.typed)
    yield from (("invariant", row.step) for row in contract if not row.invariants)
    if not any(row.report_fields for row in contract):
        yield "report", "notebook"
    if not honest_cases:
        yield "case", "notebook"


def due(notebook, found, contract, honest_cases, score_findings, complaints):
    """All that is due: kind, subject and text, the most urgent first."""
    yield from (("error", row.code, told(row)) for row in found if row.level == "error")
    for kind, subject in due_in_contract(contract, honest_cases):
        named = notebook if subject == "notebook" else subject
        yield kind, subject, TASKS[kind].format(named)
    yield from (("finding", row.code, f"{row.code}: {row.mend}") for row in score_findings)
    yield from (("hold", line, f"A case does not hold: {line}.") for line in complaints)
    yield from (("warning", row.code, told(row)) for row in found if row.level == "warning")
    yield "export", notebook, TASKS["export"].format(notebook)


@step(
    invariants=[lint_books_agree, mend_is_the_first_due, text_comes_from_its_source],
    report=["next_mend", "mend_text"],
)
def find_next_mend(
    notebook: str,
    found: list[Found],
    errors: int,
    warnings: int,
    blocking: int,
    contract: list[StepContract] | None = None,
    honest_cases: int = 0,
    score_findings: list[ScoreFinding] | None = None,
    complaints: list[str] | None = None,
) -> Mend:
    """Name the one thing to do next, by rule."""
    kind, subject, text = next(
        due(notebook, found, contract or [], honest_cases, score_findings or [], complaints or [])
    )
    return Mend(next_mend=kind, mend_subject=subject, mend_text=text, mend_figures=figures_of(text))


# %% step write_readout
class Readout(BaseModel):
    readout: str


A_MEND = {"error": "an error", "invariant": "an invariant", "export": "the export"}


def of_cells(read: NotebookRead) -> str:
    return (
        f"The notebook {read.notebook} has {read.cell_count} cells in all "
        f"(prose cells: {read.prose_cells}, case cells: {read.case_cells}, "
        f"unexported cells: {read.unexported_cells})."
    )


def of_lint(lint: Lint) -> str:
    return (
        f"Lint finds errors: {lint.errors}, warnings: {lint.warnings} "
        f"(blocking: {lint.blocking}, fixable: {lint.fixable})."
    )


def of_package(package: Package, exported: Exported, contract: Contract) -> str:
    return (
        f"As a package it is the skill {package.skill} with exported files: "
        f"{exported.exported_files}. The contract has functions: {contract.functions}, "
        f"invariants: {contract.invariant_count}, report fields: {contract.report_count}, "
        f"stubs: {contract.stubs}; beside it stand honest cases: {contract.honest_cases}, "
        f"failure cases: {contract.failure_cases}."
    )


def of_score(score: Score) -> str:
    return (
        f"Case {score.scored_case} has a classic score of {score.classic_score:.2f} with the "
        f"classic verdict {score.classic_verdict}, and a strict score of {score.strict_score:.2f} "
        f"with the strict verdict {score.strict_verdict}."
    )


def counts_in(readout: str) -> dict[str, int]:
    """What the text counts, by the words before each colon."""
    told = re.findall(r"([a-z]+(?: (?:cells|files|fields|cases))?): ([0-9]+)(?=[,;.) ])", readout)
    return {name: int(count) for name, count in told}


def readout_carries_counts(readout, read, lint):
    told = counts_in(readout)
    cells = re.search(r"notebook (\S+) has ([0-9]+) cells in all", readout)
    return cells.groups() == (read.notebook, str(read.cell_count)) and (
        [told[each] for each in ("prose cells", "case cells", "unexported cells")]
        == [read.prose_cells, read.case_cells, read.unexported_cells]
        and (told["errors"], told["warnings"]) == (lint.errors, lint.warnings)
    )


def readout_carries_contract(readout, package, exported, contract):
    if package is None or exported is None or contract is None:
        return "there is no package, no contract is checked" in readout
    told = counts_in(readout)
    named = ("functions", "invariants", "report fields", "stubs", "honest cases", "failure cases")
    return f"skill {package.skill} with exported files: {exported.exported_files}." in readout and (
        [told[each] for each in named]
        == [
            contract.functions,
            contract.invariant_count,
            contract.report_count,
            contract.stubs,
            contract.honest_cases,
            contract.failure_cases,
        ]
    )


def readout_carries_score(readout, score):
    told = re.findall(
        r"(classic|strict) score of ([0-9.]+) with the (?:classic|strict) verdict ([a-z]+)", readout
    )
    if score is None:
        return told == [] and "no case gets a score" in readout
    return f"Case {score.scored_case} has" in readout and told == [
        ("classic", f"{score.classic_score:.2f}", score.classic_verdict),
        ("strict", f"{score.strict_score:.2f}", score.strict_verdict),
    ]


def readout_ends_with_mend(readout, mend):
    kind, text = re.search("The next mend is (?:an?|the) (.*?): (.*)", readout, re.DOTALL).groups()
    return (kind, text) == (mend.next_mend, mend.mend_text)


def readout_adds_no_figure(readout, read, lint, mend, package, exported, contract, score):
    named = [mend.mend_text, f"notebook {read.notebook} has"]
    known = [read.cell_count, read.prose_cells, read.case_cells, read.unexported_cells]
    known += [lint.errors, lint.warnings, lint.blocking, lint.fixable]
    if package is not None and exported is not None and contract is not None:
        named.append(f"skill {package.skill} with")
        counts = [value for _, value in contract if isinstance(value, int)]
        known += [exported.exported_files, *counts]
        known.remove(contract.case_count)
    if score is not None:
        named.append(f"Case {score.scored_case} has")
        known += [f"{score.classic_score:.2f}", f"{score.strict_score:.2f}"]
    for text in named:
        readout = readout.replace(text, "", 1)
    return sorted(re.findall(r"-?[0-9]+(?:\.[0-9]+)?", readout)) == sorted(map(str, known))


@step(
    invariants=[
        readout_carries_counts,
        readout_carries_contract,
        readout_carries_score,
        readout_ends_with_mend,
        readout_adds_no_figure,
    ]
)
def write_readout(
    read: NotebookRead,
    lint: Lint,
    mend: Mend,
    package: Package | None = None,
    exported: Exported | None = None,
    contract: Contract | None = None,
    score: Score | None = None,
) -> Readout:
    """Write the answer: what stands, what it scores, what to do next."""
    sentences = [of_cells(read), of_lint(lint)]
    if package is not None and exported is not None and contract is not None:
        sentences.append(of_package(package, exported, contract))
        sentences.append("As yet no case gets a score." if score is None else of_score(score))
    else:
        sentences.append(
            "While an error blocks the export there is no package, "
            "no contract is checked and no case gets a score."
        )
    kind = A_MEND.get(mend.next_mend, f"a {mend.next_mend}")
    return Readout(readout=" ".join([*sentences, f"The next mend is {kind}: {mend.mend_text}"]))
