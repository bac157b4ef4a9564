"""What the eval notebook takes from outside."""

import json
from pathlib import Path

import pytest

from skills2_nb.errors import UnreadableError, UsageError
from skills2_nb.evals import parameters
from skills2_nb.evals.parameters import NAMES, given, read

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "notebooks" / "evals" / "skill.ipynb"


def test_our_notebook_takes_what_is_documented():
    found = read(OURS)
    assert tuple(found) == NAMES
    assert (found["skill"], found["runner"], found["profile"]) == (
        "growth-accounting",
        "chain",
        None,
    )
    assert set(NAMES) >= {"skill", "runner", "profile", "threshold", "baseline", "trials", "out"}


def test_our_notebook_is_clean():
    raw = json.loads(OURS.read_text("utf-8"))
    code = [cell for cell in raw["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert set(raw["metadata"]) == {"kernelspec", "language_info"}
    assert raw["metadata"]["kernelspec"]["name"] == "python3"
    assert len({cell["id"] for cell in raw["cells"]}) == len(raw["cells"])


def test_papermill_reads_the_same_parameters():
    papermill = pytest.importorskip("papermill")
    told = papermill.inspect_notebook(str(OURS))
    assert set(told) == set(NAMES)
    assert all(each["help"] for each in told.values())


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("code", "a = 1")], "no code cell is tagged `parameters`"),
        ([(["parameters"], "a = 1", "code")], "does not set skill, runner, profile"),
        ([(["parameters"], "a = = 1", "code")], "is no Python \\(line 1"),
        ([(["parameters"], "a = 1", "code")] * 2, "2 code cells are tagged `parameters`"),
    ],
)
def test_a_notebook_that_takes_other_parameters_is_refused(make_notebook, cells, said):
    with pytest.raises(UnreadableError, match=said):
        read(make_notebook(cells))


def test_a_default_that_is_computed_is_still_known(make_notebook):
    source = "\n".join(f"{name} = None" for name in NAMES) + "\nmore: int = 2 * 2\nprint(1)"
    found = read(make_notebook([(["parameters"], source, "code")]))
    assert list(found) == [*NAMES, "more"] and found["more"] is None


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("threshold=0.9", 0.9),
        ("trials=3", 3),
        ("profile=classic", "classic"),
        ("profile=null", None),
        ("only=tag:a=b", "tag:a=b"),
        ("only=", ""),
        ('only="007"', "007"),
    ],
)
def test_values_are_json_or_text(word, value):
    assert given((word,), dict.fromkeys(NAMES)) == {word.partition("=")[0]: value}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("treshold=1",), "no parameter 'treshold'; did you mean threshold"),
        (("zzz=1",), "no parameter 'zzz'; it is one of skill, runner"),
        (("trials",), "written NAME=VALUE"),
        (("trials=1", "trials=2"), "given twice"),
    ],
)
def test_unknown_parameters_are_refused(words, said):
    with pytest.raises(UsageError, match=said):
        given(words, dict.fromkeys(parameters.NAMES))
