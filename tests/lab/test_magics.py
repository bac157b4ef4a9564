"""In a real kernel: results, ticks and verdicts under the cell."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="a kernel comes with Jupyter")
NotebookClient = pytest.importorskip("nbclient").NotebookClient

pytestmark = pytest.mark.filterwarnings(
    # jupyter_client's own; nothing of ours opens a kernel without encryption elsewhere.
    "ignore:.*",
)


@pytest.fixture
def executed(skill_notebook: Path) -> Callable[..., list[dict[str, Any]]]:
    """Run the notebook and then more cells; give the outputs of the cells added."""

    def run(cells: Iterable[str], before: Iterable[str] = ()) -> list[dict[str, Any]]:
        notebook = nbformat.read(skill_notebook, 4)
        first = [nbformat.v4.new_code_cell(text) for text in ["%load_ext skills2_nb", *before]]
        last = [nbformat.v4.new_code_cell(text) for text in cells]
        notebook.cells = [*first, *notebook.cells, *last]
        client = NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            allow_errors=True,
            resources={"metadata": {"path": str(skill_notebook.parent)}},
        )
        client.execute()
        failed = [
            output["evalue"]
            for cell in notebook.cells[: len(notebook.cells) - len(last)]
            for output in cell.get("outputs", ())
            if output["output_type"] == "error"
        ]
        assert failed == []
        return [flat(cell) for cell in notebook.cells[len(notebook.cells) - len(last) :]]

    return run


def flat(cell: Any) -> dict[str, Any]:
    """A cell's outputs: printed text, shown bundles and error."""
    told: dict[str, Any] = {"text": "", "shown": [], "error": None}
    for output in cell.outputs:
        if output.output_type == "stream":
            told["text"] += output.text
        elif output.output_type == "error":
            told["error"] = f"{output.ename}: {output.evalue}"
        else:
            told["shown"].append(dict(output.data))
    return told


def test_the_walk_of_an_author(executed: Callable[..., Any], skill_notebook: Path) -> None:
    run, again, plain, explain, lint, status, export, bad = executed(
        [
            "%skills2 run",
            "%%skills2 audit\nThe total is 90.",
            "add([1, 2])",
            "%skills2 explain tell",
            "%skills2 lint",
            "%skills2 status",
            "%skills2 export",
            "%skills2 explain nobody",
        ]
    )
    (shown,) = run["shown"]
    assert {"text/html", "text/markdown", "text/plain"} < set(shown)
    assert shown["application/vnd.skills2.audit+json"]["classic"]["verdict"] == "pass"
    assert "classic" in shown["text/plain"] and "1.00" in shown["text/plain"]
    assert "cell 5" in str(again["shown"]) or "cell" in str(again["shown"])
    assert "CONTRADICTED" in again["shown"][0]["text/plain"]
    assert "PACKAGE_CHANGED" not in again["shown"][0]["text/plain"]
    assert "LEDGER_MISMATCH" not in again["shown"][0]["text/plain"]
    assert "total_is_sum" in plain["shown"][0]["text/html"]
    assert "Sum(total=3" in plain["shown"][0]["text/plain"]
    assert "add#/total" in explain["shown"][0]["text/plain"]
    assert "no problems" in lint["shown"][0]["text/plain"].casefold() or (
        "0" in lint["shown"][0]["text/plain"]
    )
    assert "trial-skill" in status["shown"][0]["text/plain"]
    assert (skill_notebook.parent.parent / "skills/trial-skill/SKILL.md").is_file()
    assert export["error"] is None
    assert "../skills/trial-skill" in export["shown"][0]["text/plain"]
    assert str(skill_notebook.parent.parent) not in json.dumps(export["shown"])
    assert "no step 'nobody'" in bad["text"]
    assert "Traceback" not in bad["text"]


def test_cases_show_their_ticks(executed: Callable[..., Any]) -> None:
    (cells,) = executed(
        [
            'add.case([1], expect={"total": 2})\n'
            'add.case([1], expect={"total": 1})\n'
            'case("Sum?", inputs={"values": [1, 2]})\n'
            'case("Sum?", inputs={"values": "x"})\n'
            'case("Sum?", inputs={"values": [1]}, must_mention=["ratio"])\n'
            'case("Sum?", inputs={"values": "x"}, expected_audit="fail", '
            'expect={"findings": ["STEP_FAILED"]})\n'
            'case("Sum?", inputs={"values": "x"}, expected_audit="fail")'
        ]
    )
    ticks = [bundle["text/plain"][0] for bundle in cells["shown"]]
    assert ticks == ["✗", "✓", "✓", "✗", "✗", "✓", "✗"]
    assert "score 1.00, pass" in cells["shown"][2]["text/plain"]
    assert "does not mention 'ratio'" in cells["shown"][4]["text/plain"]
    assert "fail, as it should" in cells["shown"][5]["text/plain"]
    assert "names no finding" in cells["shown"][6]["text/plain"]


def test_an_edit_that_is_not_saved_is_not_exported(
    executed: Callable[..., Any], skill_notebook: Path
) -> None:
    source = json.loads(skill_notebook.read_text())["cells"][4]["source"]
    edited = "".join(source).replace('"""Add up."""', '"""Add them all up."""')
    _, refused, status, forced = executed(
        [edited, "%skills2 export", "%skills2 status", "%skills2 export --as-saved"]
    )
    assert "save first" in refused["text"]
    assert "step add" in refused["text"]
    assert "unsaved" in status["shown"][0]["text/plain"]
    assert forced["error"] is None and forced["shown"]


def test_a_renamed_step_leaves_a_ghost_that_no_run_calls(
    executed: Callable[..., Any], skill_notebook: Path
) -> None:
    new = "".join(json.loads(skill_notebook.read_text())["cells"][5]["source"])
    old = new.replace("def tell(", "def utter(")
    _, _, status, run = executed([old, new, "%skills2 status", "%skills2 run"])
    assert "ghost" in status["shown"][0]["text/plain"]
    assert "utter" not in run["shown"][0]["text/plain"]


def test_a_rename_that_is_not_saved_is_not_exported(
    executed: Callable[..., Any], skill_notebook: Path
) -> None:
    old = "".join(json.loads(skill_notebook.read_text())["cells"][5]["source"])
    _, refused = executed([old.replace("def tell(", "def utter("), "%skills2 export"])
    assert "save first" in refused["text"]
    assert "step utter" in refused["text"]


def test_a_step_without_a_saved_cell_is_named(executed: Callable[..., Any]) -> None:
    added = (
        "@step\ndef count(values: list[int], total: int) -> int:\n"
        '    """Count."""\n    raise ValueError("no count")\n'
    )
    run, _, again = executed(["%skills2 run", added, "%skills2 run"])
    assert "no step cell" not in run["shown"][0]["text/plain"]
    first, second = again["shown"][0]["text/plain"].splitlines()[:2]
    assert first.startswith("stopped at count: ") and first.count("count:") == 1
    assert "put last: count; tag it `step` and save" in second


def test_a_case_vouches_for_its_own_inputs_alone(executed: Callable[..., Any]) -> None:
    own, typed, asked = executed(
        ["%skills2 run", '%skills2 run "values=[7, 8]"', "%skills2 run --prompt Sum"]
    )
    shown = [json.dumps(each) for each in (own, typed, asked)]
    unvouched = ["INPUT_UNVOUCHED" in each for each in shown]
    assert unvouched == [False, True, True]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%skills2 fly", "has no 'fly'; it has run, audit"),
        ("%skills2 run values", "write name=value"),
        ("%skills2 run --case nope", "no run case 'nope'"),
        ("%skills2 audit", "no run in this kernel yet"),
        ("%skills2 audit nope", "there is no run 'nope'"),
        ("%skills2 run --speed 3", "unrecognized arguments"),
        ('%skills2 run "', "No closing quotation"),
        ("%skills2 lint --notebook gone.ipynb", "gone.ipynb"),
        ("%skills2 lint --notebook ~nobody-here/x.ipynb", "no such file"),
        ("%skills2 export --notebook .", "is a folder"),
        ("%skills2 serve --port 70000", "'70000' is no port; give a number from 1 to 65535"),
        ("%skills2 stop", "this kernel serves nothing"),
    ],
)
def test_a_wrong_line_gets_one_sentence(
    shared_kernel: Callable[[str], dict[str, Any]], line: str, says: str
) -> None:
    told = shared_kernel(line)
    assert says in told["text"]
    assert "Traceback" not in told["text"]
    assert told["text"].strip().count("\n") == 0


@pytest.fixture(scope="module")
def shared_kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One kernel with the extension loaded, for lines that change nothing."""
    notebook = nbformat.v4.new_notebook()
    client = NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("kernel"))}},
    )

    def tell(line: str) -> dict[str, Any]:
        notebook.cells.append(nbformat.v4.new_code_cell(line))
        client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
        return flat(notebook.cells[-1])

    define = (
        "from skills2_nb import step\n"
        "@step\ndef add(values: list) -> int:\n    return sum(values)\n"
    )
    with client.setup_kernel():
        assert tell("%load_ext skills2_nb")["error"] is None
        assert tell(define)["error"] is None
        yield tell


def test_a_result_of_no_step_keeps_its_form(shared_kernel: Callable[[str], dict[str, Any]]) -> None:
    told = shared_kernel("from pydantic import BaseModel\nclass P(BaseModel):\n    x: int\nP(x=1)")
    assert told["shown"] == [{"text/plain": "P(x=1)"}]


def test_help_lists_the_verbs(shared_kernel: Callable[[str], dict[str, Any]]) -> None:
    text = shared_kernel("%skills2")["shown"][0]["text/plain"]
    for verb in ("run", "audit", "export", "lint", "explain", "status"):
        assert f"%skills2 {verb}" in text


def test_only_a_run_keeps_the_cells(executed: Callable[..., Any], home: Path) -> None:
    executed(["%skills2 status", "secret = 'hush'", "%skills2 explain tell"])
    assert not (home / "blobs").exists()
    executed(["secret = 'hush'", "%skills2 run"])
    (kept,) = (home / "blobs").iterdir()
    assert b"def add" in kept.read_bytes()
    assert b"hush" not in kept.read_bytes()
