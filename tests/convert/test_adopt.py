"""Ten notebooks of ten habits, and what becomes of them."""

import ast
import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest

from skills2_nb.convert.adopt import propose, refused
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import plan
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.notebook import parse_notebook

HABITS = Path(__file__).parent / "adopted"
#: Notebook: its steps in the order of calls, and some of their invariants.
STEPS = {
    "functions": (
        ["load_sales", "keep_real", "summarise"],
        ["total_is_at_least_own", "share_lies_between", "share_leads_back"],
    ),
    "globals": (["compute_celsius", "cold", "average", "gap"], ["output_is_positive"]),
    "chains": (
        ["load_the_export", "keep_what_was_sold", "revenue"],
        ["rows_never_grow", "total_is_positive", "per_day_leads_back"],
    ),
    "plots": (["load", "smooth", "spread"], ["rows_stay", "spread_leads_back"]),
    "magics": (["words", "compute_top", "compute_n_words"], ["ratio_leads_back"]),
    "sql": (["query", "compute_n_tickets"], ["n_open_is_at_most_n_tickets"]),
    "classes": (
        ["compute_cost_and_payment", "compute_total_paid_and_over"],
        ["over_is_positive", "over_leads_back"],
    ),
    "scratch": (["totals", "compute_best_and_best_day"], ["best_is_the_highest"]),
    "reruns": (["basket"], ["net_adds_up"]),
}


def every(proposal):
    return [change.key for change in proposal.changes]


def cells_of(text):
    return json.loads(text)["cells"]


def source(cell):
    return "".join(cell["source"])


@pytest.fixture
def habit(tmp_path):
    """A copy of one of the ten, with the data beside it."""

    def copy(name):
        shutil.copytree(HABITS, tmp_path, dirs_exist_ok=True)
        return tmp_path / f"{name}.ipynb"

    return copy


def test_there_are_ten_habits():
    assert {path.stem for path in HABITS.glob("*.ipynb")} == {*STEPS, "looking"}


@pytest.mark.parametrize("name", STEPS)
def test_a_habit_gets_the_steps_it_calls(name):
    proposal = propose(HABITS / f"{name}.ipynb")
    steps, invariants = STEPS[name]
    offered = {check.name for checks in proposal.checks.of_step.values() for check in checks}
    assert list(proposal.steps) == steps
    assert set(invariants) <= offered


@pytest.mark.parametrize("name", STEPS)
def test_lint_lets_it_pass_and_it_exports(name, tmp_path):
    proposal = propose(HABITS / f"{name}.ipynb")
    path = tmp_path / f"{name}-skill.ipynb"
    path.write_text(proposal.accepted(every(proposal)), encoding="utf-8")
    done = plan(parse_notebook(path.read_bytes(), path))
    assert [p for p in done.problems if p.level == "error"] == []
    assert [step.id for step in done.steps] == [*proposal.steps, "write_readout"]
    package = export(path, tmp_path / "skills", verify=False)
    assert (package.folder / "runtime/skill.py").is_file()
    assert 'id="as-in-the-notebook"' not in (package.folder / "runtime/skill.py").read_text()


@pytest.mark.parametrize("name", STEPS)
def test_nothing_of_the_original_is_lost(name):
    path = HABITS / f"{name}.ipynb"
    proposal = propose(path)
    before = cells_of(path.read_text(encoding="utf-8"))
    after = cells_of(proposal.accepted(every(proposal)))
    changed = {number for change in proposal.changes for number in change.cells}
    by_id = {cell["id"]: cell for cell in after}
    assert len(by_id) == len(after)
    for number, cell in enumerate(before, 1):
        if number not in changed:
            assert by_id[cell["id"]] == cell
        else:
            assert by_id[cell["id"]]["outputs"] == cell["outputs"]
    order = [cell["id"] for cell in after if cell["id"] in {c["id"] for c in before}]
    assert order == [cell["id"] for cell in before]


@pytest.mark.parametrize("name", STEPS)
def test_accepting_nothing_gives_the_same_bytes(name):
    path = HABITS / f"{name}.ipynb"
    assert propose(path).accepted([]).encode() == path.read_bytes()


@pytest.mark.parametrize("name", STEPS)
def test_any_step_with_what_it_needs_stands_alone(name, tmp_path):
    proposal = propose(HABITS / f"{name}.ipynb")
    added = [key for key in every(proposal) if key.startswith("+")]
    for step in proposal.steps:
        text = proposal.accepted([*proposal.closed([step]), *added])
        assert refused(text, tmp_path / "part.ipynb") == ()
        assert f"def {step}(" in text


def test_what_is_refused_takes_along_what_needs_it():
    proposal = propose(HABITS / "functions.ipynb")
    kept = proposal.kept(key for key in every(proposal) if key != "load_sales")
    assert not kept & {"load_sales", "keep_real", "summarise"}


def test_a_notebook_that_only_looks_is_told_why():
    with pytest.raises(RefusedError, match=r"cell 2: it makes `df`, a table with an index") as said:
        propose(HABITS / "looking.ipynb")
    assert str(said.value).count(". ") == 0


def test_front_matter_and_case_speak_of_the_notebook():
    proposal = propose(HABITS / "functions.ipynb")
    cells = cells_of(proposal.accepted(every(proposal)))
    assert cells[0]["cell_type"] == "raw"
    assert source(cells[0]).split("\n")[2] == (
        'description: "How much each region sold in the first week of March, and what share the '
        'north has of it. Based on the till export."'
    )
    assert '"path": "data/sales.csv", "min_units": 1, "region": "north"' in source(cells[-1])
    assert cells[-1]["metadata"]["tags"] == ["cases"]


def test_a_cell_of_magics_and_definitions_is_cut_where_it_stands():
    proposal = propose(HABITS / "magics.ipynb")
    cells = cells_of(proposal.accepted(every(proposal)))
    cut = next(cell for cell in cells if cell["id"] == "magi-01")
    assert source(cut).startswith("%load_ext autoreload")
    assert "tags" not in cut["metadata"]


def test_asserts_stay_where_they_stand():
    proposal = propose(HABITS / "functions.ipynb")
    text = "\n".join(map(source, cells_of(proposal.accepted(every(proposal)))))
    assert 'assert 0 <= result["share"] <= 1' in text
    assert "    assert total >= own\n" in text


def test_an_assert_over_two_steps_is_held_by_the_readout():
    proposal = propose(HABITS / "classes.ipynb")
    readout = next(change for change in proposal.changes if change.key == "+readout")
    assert "def abs_over_cost_is_below_1(cost, over):" in readout.after


NOTES = {
    "reruns": [
        (4, "`count_up` changes a global"),
        (4, "`log` takes arguments without a name of their own"),
        (5, "it cannot stand alone: `clean` is bound more than once (cell 3 and 6)"),
        (7, "it was run before a cell above it; it is read from top to bottom"),
        (8, "`drop_dear` changes its argument `table` in place"),
    ],
    "plots": [
        (2, "only IPython understands `%matplotlib inline`"),
        (3, "`draw` returns nothing, so there is nothing to check"),
    ],
    "magics": [(4, "`top_words` returns a mapping whose keys the text does not tell")],
}


@pytest.mark.parametrize("name", NOTES)
def test_what_stays_as_it_is_has_its_reason(name):
    assert set(NOTES[name]) <= set(propose(HABITS / f"{name}.ipynb").notes)


REFUSED = {
    "no code": ([(None, "# Words")], "has no code"),
    "its own step": ([("code", "step = 3\nx = step * 2\nprint(x)")], "rename it and adopt"),
    "a skill already": (
        [
            ("setup", "from skills2_nb import step"),
            ("step", "@step\ndef f() -> int:\n    return 1"),
        ],
        "is a skill notebook already",
    ),
    "plots only": ([("code", "import matplotlib.pyplot as plt\nplt.plot([1, 2])")], "no cell"),
    "await": ([("code", "x = await f()\nprint(x)")], "cell 1"),
    "cell magic": ([("code", "%%sql\nselect 1")], "cell 1: the cell is not Python"),
    "a guard": (
        [("code", 'def main():\n    print(1)\n\nif __name__ == "__main__":\n    main()')],
        "`main` returns nothing",
    ),
    "input": (
        [("code", "def ask():\n    return input()\n\nname = ask()\nprint(name)")],
        "asks for input",
    ),
    "star": (
        [("code", "from math import *\nx = floor(2.5)\ny = x + 1\nprint(x, y)")],
        "may come from the star import in cell 1",
    ),
    "an argument handed back": (
        [("code", "def same(x):\n    return x\n\na = [1]\nb = same(a)\nb.append(2)\nprint(a)")],
        "hands back its argument `x`|changes with the other",
    ),
    "generator": (
        [("code", "def g(n: int):\n    yield n\n\nx = g(3)\nprint(list(x))")],
        "yields; return a list",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_adopted_is_told_in_one_sentence(name, make_notebook):
    pairs, reason = REFUSED[name]
    with pytest.raises(RefusedError, match=reason) as said:
        propose(make_notebook(pairs))
    assert "\n" not in str(said.value)


def test_a_function_that_changes_a_list_of_the_notebook_is_no_step(make_notebook):
    codes = (
        "def total(values):\n    return sum(values)",
        "n = total([1, 2])",
        "seen = []\ndef add(x):\n    seen.append(x)\n    return len(seen)",
        "m = add(1)\nprint(m, n, seen)",
    )
    proposal = propose(make_notebook([("code", code) for code in codes]))
    assert "add" not in proposal.steps
    assert (3, "`add` changes a global") in proposal.notes


def test_a_notebook_of_an_old_format_is_unreadable(tmp_path):
    path = tmp_path / "old.ipynb"
    path.write_text('{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}')
    with pytest.raises(UnreadableError, match="save it in Jupyter"):
        propose(path)


def adopted(make_notebook, *codes):
    proposal = propose(make_notebook([("code", code) for code in codes]))
    return proposal, "\n".join(map(source, cells_of(proposal.accepted(every(proposal)))))


def test_the_order_of_calls_is_written_where_cells_stand_otherwise(make_notebook):
    _, text = adopted(
        make_notebook,
        "def second(x):\n    return x + 1\n\n\ndef first():\n    return 2",
        "a = first()\nb = second(a)\nprint(b)",
    )
    assert "@step(order=1)\ndef first() -> int:" in text
    second = '@step(order=2, invariants=[output_leads_back], bind={"x": "first#"})'
    assert f"{second}\ndef second(x: int) -> int:" in text
    assert "order=3" in text


def test_two_values_under_one_name_are_two_inputs(make_notebook):
    _, text = adopted(
        make_notebook,
        "def one(n):\n    return n + 1\n\ndef two(n):\n    return n + 2",
        "a = one(1)\nb = two(5)\nprint(a + b)",
    )
    assert 'bind={"n": "inputs#/two_n"}' in text
    assert 'inputs={"n": 1, "two_n": 5}' in text


def test_an_assert_on_one_of_two_calls_is_no_invariant(make_notebook):
    proposal, text = adopted(
        make_notebook,
        "def half(n):\n    return n / 2",
        "a = half(4)\nassert a > 1\nb = half(1)\nprint(a, b)",
    )
    assert "invariants=[output_leads_back]" in text
    assert (2, "`a > 1` is said of one call, and half is called again") in proposal.notes


def test_texts_of_several_lines_keep_their_lines(make_notebook):
    code = 'n = 3\nn += 1\nquery = f"""\n  select {n}\n"""\nsize = len(query)\nprint(query, size)'
    _, text = adopted(make_notebook, code)
    assert '    query = f"""\n  select {n}\n"""\n    size = len(query)\n' in text


def test_no_cell_gets_an_id_where_the_format_has_none(make_notebook):
    path = make_notebook([("code", "x = [1, 2]\ny = sum(x)\nprint(y)")])
    raw = json.loads(path.read_text(encoding="utf-8"))
    for cell in raw["cells"]:
        del cell["id"]
    path.write_text(json.dumps(raw | {"nbformat_minor": 4}), encoding="utf-8")
    proposal = propose(path)
    assert all("id" not in cell for cell in cells_of(proposal.accepted(every(proposal))))


@pytest.mark.parametrize(
    ("parameter", "given"), [("n", "2"), ("n, m=2", "2"), ("n,", "2"), ("*, n", "n=2"), ("", "")]
)
def test_a_function_without_annotations_that_reads_a_value_made_above(
    parameter, given, make_notebook
):
    """Both the annotation and the new parameter go where the last parameter ends."""
    body = "    return {'value': first['total'] + " + ("n" if given else "1") + "}"
    proposal, _ = adopted(
        make_notebook,
        "def start(values):\n    return {'total': sum(values)}",
        "first = start([1, 2, 3])",
        f"def more({parameter}):\n{body}",
        f"second = more({given})\nprint(second)",
    )
    step = next(change for change in proposal.changes if change.key == "more")
    ast.parse(step.after)
    assert "first: StartResult) ->" in step.after


def printed(codes):
    """What cells print, one after the other, in one module."""
    space, said = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(said):
        for code in codes:
            exec(compile(code, "cell", "exec", dont_inherit=True), space)
    return said.getvalue()


ROWS = "rows = [{'n': 1}, {'n': 2}]"
#: Notebooks in which one name holds the value of another, or a part of it, and changes it.
SHARED = {
    "a part by its place": (ROWS, "top = rows[0]\ntop['n'] = 9\nprint(rows)"),
    "each part in a loop": (
        ROWS, "for row in rows:\n    row['n'] += 1\nn = len(rows)", "print(rows, n)",
    ),
    "with its number": (ROWS, "for at, row in enumerate(rows):\n    row['at'] = at\nprint(rows)"),
    "another name": (ROWS, "more = rows\nmore.append(3)\nprint(rows)"),
    "a function that hands it back": (
        "def same(x):\n    return x", ROWS, "more = same(rows)\nmore.append(3)\nprint(rows)",
    ),
    "a function that changes a part": (
        "def mark(rows):\n    for row in rows:\n        row['n'] = 0\n    return len(rows)",
        ROWS, "n = mark(rows)\nprint(rows, n)",
    ),
    "a global that a function changes": (
        "seen = []", "def add(x):\n    seen.append(x)\n    return len(seen)",
        "n = add(4)\nprint(seen, n)",
    ),
}  # fmt: skip
SUM = ("def total(values):\n    return {'sum': sum(values)}", "s = total([1, 2])\nprint(s)")


@pytest.mark.parametrize("name", SHARED)
def test_what_one_name_changes_the_other_still_shows(name, make_notebook):
    codes = [*SUM, *SHARED[name]]
    proposal = propose(make_notebook([("code", code) for code in codes]))
    cells = cells_of(proposal.accepted(every(proposal)))
    made = [
        source(cell)
        for cell in cells
        if cell["cell_type"] == "code" and "cases" not in cell["metadata"].get("tags", ())
    ]
    assert "total" in proposal.steps
    assert printed(made) == printed(codes)
