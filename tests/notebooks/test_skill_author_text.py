"""The script of skill-author: a skill notebook as plain text, and back."""

import importlib.util
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NOTEBOOK = NOTEBOOKS / "skill-author.ipynb"
ASSETS = NOTEBOOKS / "skill-author" / "assets"
SCRIPT = NOTEBOOKS / "skill-author" / "scripts" / "make_notebook.py"
TEXT = "# %% front\n---\nname: a\n---\n\n# %% prose hello\n# A\n\n# %% step one\n@step\n"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_notebook_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_text_of_each_notebook_makes_that_notebook_again(script):
    for path in [*NOTEBOOKS.glob("*.ipynb"), *ASSETS.glob("*.ipynb")]:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        again = script.notebook_of(script.text_of(notebook))
        assert again["cells"] == [{**c, "outputs": []} if "outputs" in c else c
                                  for c in notebook["cells"]], path  # fmt: skip


LINES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]))
SOURCES = st.lists(LINES.filter(lambda s: not s.startswith("# %%")), min_size=1).map("\n".join)
ROLES = ["prose", "note", "step", "skip", "manifest", "reference:a.md", "script:a.py"]
PARTS = st.lists(st.tuples(st.sampled_from(ROLES), SOURCES))


@settings(max_examples=60, deadline=None)
@given(PARTS)
def test_a_text_comes_back_word_for_word(script, parts):
    text = "# %% front\n---\nname: a\n---\n" + "".join(f"# %% {r}\n{s}\n" for r, s in parts)
    made = script.notebook_of(text)
    again = script.notebook_of(script.text_of(made))
    kept = [(c["cell_type"], c["metadata"], "".join(c["source"])) for c in made["cells"]]
    assert kept[1:] == [(c["cell_type"], c["metadata"], "".join(c["source"]))
                        for c in again["cells"]][1:]  # fmt: skip
    assert [source.strip("\n") for _, source in parts] == [s for _, _, s in kept[1:]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the text has no cell"),
        ("hello\n", "line 1: text above the first marker"),
        ("# %% prose\n# A\n", "the first cell is `# %% front`"),
        (f"{TEXT}# %% stpe\n", "line 11: 'stpe' is no role"),
        (f"{TEXT}# %%step\n", "line 11: '# %%step' is no marker"),
        (f"{TEXT}# %% step one\n", "line 11: a cell named 'one' stands above"),
        (f"{TEXT}# %% script:\n", "'script:' is no role"),
    ],
)
def test_a_text_that_is_no_notebook_says_why(text, says, script):
    with pytest.raises(script.WrongText) as told:
        script.notebook_of(text)
    assert says in str(told.value)


def test_the_text_in_the_reference_is_one(script):
    listed = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    told = next("".join(c["source"]) for c in listed if c["id"] == "reference-notebook-format")
    sample = textwrap.dedent(told.partition("```text\n")[2].partition("```")[0])
    made = script.notebook_of(sample)
    roles = [(c["metadata"].get("tags") or [c["cell_type"]])[0] for c in made["cells"]]
    assert roles == ["raw", "markdown", "setup", "step", "manifest", "cases"]


def test_the_script_runs_by_itself_and_writes_over_nothing(tmp_path):
    draft, out = tmp_path / "draft.txt", tmp_path / "a.ipynb"
    draft.write_text(TEXT, encoding="utf-8")
    command = [sys.executable, "-I", str(SCRIPT), str(draft), "-o", str(out)]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0
    before = out.read_bytes()
    assert json.loads(before)["cells"][2]["metadata"] == {"tags": ["step"]}
    again = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert (again.returncode, "--force" in again.stderr) == (2, True)
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ipynb", "draft.txt"]


def test_a_notebook_with_an_image_is_not_turned_into_text(script):
    cell = {"cell_type": "markdown", "metadata": {}, "source": "x", "attachments": {"a.png": {}}}
    with pytest.raises(script.WrongText, match="cell 1 holds an image"):
        script.text_of({"cells": [cell]})
