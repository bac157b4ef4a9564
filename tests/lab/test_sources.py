"""Which cells a live skill is made of."""

from pathlib import Path

import pytest

from skills2_nb.audit.integrity import examine
from skills2_nb.audit.replay import replay
from skills2_nb.contract.cells import load_cells
from skills2_nb.contract.skill import Skill
from skills2_nb.lab.sources import sources_of

SETUP = "from skills2_nb import step\nimport math"
BASE = "BASE = 2"
ADD = "@step\ndef add(n: int) -> int:\n    return n + BASE"
TWICE = "@step\ndef twice(n: int) -> int:\n    return 2 * add(n)"
SCRATCH = "rows = [1, 2]\nprint(rows)"


@pytest.mark.parametrize(
    ("history", "exported", "steps", "wanted"),
    [
        # the notebook as saved
        ([SETUP, BASE, ADD], [SETUP, BASE, ADD], [ADD], [SETUP, BASE, ADD]),
        # scratch, magics and another order of running change nothing
        ([BASE, SETUP, SCRATCH, ADD, SETUP, "%run"], [SETUP, BASE, ADD], [ADD], [SETUP, BASE, ADD]),
        # no file: what the steps use is found in the history, and nothing else
        ([SETUP, SCRATCH, BASE, ADD], [], [ADD], [SETUP, BASE, ADD]),
        # a constant typed in a cell that is not exported
        ([SETUP, BASE, ADD], [SETUP, ADD], [ADD], [BASE, SETUP, ADD]),
        # edited, run and not saved
        ([SETUP, BASE, "BASE = 3", ADD], [SETUP, BASE, ADD], [ADD], ["BASE = 3", SETUP, ADD]),
        # edited and put back
        ([SETUP, "BASE = 3", BASE, ADD], [SETUP, BASE, ADD], [ADD], [SETUP, BASE, ADD]),
        # one of two names bound anew
        (
            [SETUP, "BASE = 2\nREST = 1", ADD + " + REST", "BASE = 5"],
            [SETUP, "BASE = 2\nREST = 1", ADD + " + REST"],
            [ADD + " + REST"],
            [SETUP, "BASE = 2\nREST = 1", "BASE = 5", ADD + " + REST"],
        ),
        # the same import again in scratch is the same name
        ([SETUP, BASE, ADD, "import math"], [SETUP, BASE, ADD], [ADD], [SETUP, BASE, ADD]),
        # a step that calls another
        ([SETUP, BASE, ADD, TWICE], [], [TWICE], [SETUP, BASE, ADD, TWICE]),
        # a magic beside an import
        (
            ["%load_ext skills2_nb\nfrom skills2_nb import step", "BASE = 2", ADD],
            [],
            [ADD],
            ["from skills2_nb import step", "BASE = 2", ADD],
        ),
        # a name given as text
        (
            [SETUP, "class In: ...", "@step(input_schema='m:In')\ndef add(n): ..."],
            [],
            ["@step(input_schema='m:In')\ndef add(n): ..."],
            [SETUP, "class In: ...", "@step(input_schema='m:In')\ndef add(n): ..."],
        ),
        # a name out of everything
        (
            ["from skills2_nb import *", "from math import *", "@step\ndef a() -> float: ..."],
            [],
            ["@step\ndef a() -> float: ..."],
            ["from skills2_nb import *", "from math import *", "@step\ndef a() -> float: ..."],
        ),
        ([], [SETUP], [], []),
    ],
)
def test_sources(
    history: list[str], exported: list[str], steps: list[str], wanted: list[str]
) -> None:
    assert sorted(sources_of(history, exported, steps)) == sorted(wanted)


def test_the_order_is_the_notebooks_where_there_is_one() -> None:
    exported = [SETUP, BASE, ADD]
    for history in (exported, [BASE, SETUP, ADD, SETUP], [ADD, *exported]):
        assert sources_of(history, exported, [ADD]) == exported


def test_what_is_bound_later_runs_later() -> None:
    old, new = "BASE = 2\nREST = 1", "BASE = 5"
    text = ADD + " + REST"
    cells = sources_of([SETUP, old, text, new], [SETUP, old, text], [text])
    assert cells.index(old) < cells.index(new)
    assert load_cells(cells, "trial").step("add").fn(0) == 6


@pytest.mark.filterwarnings("ignore:.*")  # jupyter_client's own
def test_a_run_in_a_kernel_replays(skill_notebook: Path, home: Path) -> None:
    """Cells of a real kernel: cases beside steps, an edit not saved, a constant in scratch."""
    nbformat = pytest.importorskip("nbformat", reason="a kernel comes with Jupyter")
    nbclient = pytest.importorskip("nbclient", reason="a kernel comes with Jupyter")
    pytest.importorskip("ipykernel", reason="a kernel comes with Jupyter")
    notebook = nbformat.read(skill_notebook, 4)
    add = notebook.cells[4].source.replace("total=sum(values)", "total=sum(values) + NOTHING")
    extra = ["NOTHING = 1", f"{add}\nadd.case([1])", "NOTHING = 0", "%skills2 run"]
    first = nbformat.v4.new_code_cell("%load_ext skills2_nb\nimport os")
    notebook.cells = [first, *notebook.cells, *map(nbformat.v4.new_code_cell, extra)]
    nbclient.NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        resources={"metadata": {"path": str(skill_notebook.parent)}},
    ).execute()
    (journal,) = home.glob("runs/*/*.jsonl")
    _, state = examine(journal)
    assert state.live is not None and {"add", "tell"} == set(state.last)
    replayed = replay(Skill("trial-skill", (), live=state.live), state)
    assert [call.result for call in replayed.calls] == ["same", "same"], replayed
