"""Other tools over a notebook: its package keeps every byte."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export

GROWTH = Path(__file__).resolve().parents[2] / "notebooks/growth-accounting.ipynb"


def tool(*words, cwd):
    """Run a tool as its user does: a process of its own, in the notebook's folder."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        # nbstripout and jupytext read settings from the user's home, which is empty here
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def stripped(path):
    pytest.importorskip("nbstripout")
    tool("nbstripout", path.name, cwd=path.parent)


def through_percent(path):
    pytest.importorskip("jupytext")
    tool("jupytext", "--to", "py:percent", path.name, cwd=path.parent)
    path.unlink()
    tool("jupytext", "--to", "ipynb", path.with_suffix(".py").name, cwd=path.parent)
    path.with_suffix(".py").unlink()


def executed(path):
    pytest.importorskip("nbclient")
    tool("nbconvert", "--to", "notebook", "--inplace", "--execute", path.name, cwd=path.parent)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert any(cell.get("outputs") for cell in cells)


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(params=["small", "growth-accounting"])
def notebook(request, skill_notebook, tmp_path):
    """A notebook of one's own, with its folder."""
    if request.param == "small":
        raw = json.loads(skill_notebook.read_text(encoding="utf-8"))
        load = {"cell_type": "code", "metadata": {"tags": ["skip"]}, "outputs": []}
        load |= {"execution_count": 7, "source": "%load_ext skills2_nb", "id": "load"}
        raw["cells"].insert(2, load)
        try_ = {**load, "source": "add([1, 2])", "id": "try"}
        raw["cells"].append({**try_, "outputs": [
            {"output_type": "stream", "name": "stdout", "text": "old"}]})  # fmt: skip
        skill_notebook.write_text(json.dumps(raw), encoding="utf-8")
        return skill_notebook
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    folder = tmp_path / "notebooks"
    shutil.copytree(GROWTH.with_suffix(""), folder / GROWTH.stem)
    shutil.copyfile(GROWTH, folder / GROWTH.name)
    return folder / GROWTH.name


@pytest.mark.parametrize(
    "change", [stripped, through_percent, executed], ids=["nbstripout", "jupytext", "running"]
)
def test_the_same_bytes_after(notebook, tmp_path, change):
    before = export(notebook, tmp_path / "one").folder
    text = notebook.read_bytes()
    change(notebook)
    assert notebook.read_bytes() != text, "the tool did nothing"
    after = export(notebook, tmp_path / "two").folder
    assert files(after) == files(before)
