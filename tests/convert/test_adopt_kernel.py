"""An adopted notebook does in a kernel what it did before."""

import shutil
import sys
import warnings
from pathlib import Path

import pytest

from skills2_nb.convert.adopt import propose

pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

HABITS = Path(__file__).parent / "adopted"
NEEDS = {"chains": ["pandas"], "plots": ["pandas", "matplotlib"], "sql": ["pandas"]}
#: Cells whose output is a time.
TIMED = {"magi-02", "magi-04"}


def outputs(path: Path) -> dict[str, list[object]]:
    """What each code cell shows, by its id, run in a fresh kernel in the notebook's folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notebook = nbformat.read(path, 4)
        client = nbclient.NotebookClient(
            notebook, timeout=60, resources={"metadata": {"path": str(path.parent)}}
        )
        client.execute()
    return {cell.id: shown(cell) for cell in notebook.cells if cell.cell_type == "code"}


def shown(cell):
    texts = [o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout"]
    data = [o.data.get("text/plain", "") for o in cell.outputs if o.output_type != "stream"]
    return ["".join(texts), *data]


@pytest.mark.skipif(sys.platform == "win32", reason="one of the ten lists files by `ls`")
@pytest.mark.parametrize(
    "name",
    ["functions", "globals", "chains", "plots", "magics", "sql", "classes", "scratch", "reruns"],
)
@pytest.mark.filterwarnings("ignore")
def test_it_shows_what_it_showed(name, tmp_path):
    for library in NEEDS.get(name, ()):
        pytest.importorskip(library)
    shutil.copytree(HABITS, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{name}.ipynb"
    proposal = propose(path)
    after = tmp_path / f"{name}-skill.ipynb"
    text = proposal.accepted(change.key for change in proposal.changes)
    after.write_text(text, encoding="utf-8")
    was, now = outputs(path), outputs(after)
    assert {i: now[i] for i in was if i not in TIMED} == {
        i: said for i, said in was.items() if i not in TIMED
    }
    case = list(now.values())[-1]
    every = len(proposal.steps) + 1
    assert case[0].strip().endswith(f"{every} of {every} steps ran")
