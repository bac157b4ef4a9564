"""skills2 cases import."""

import json

import pytest

EVALS = {
    "skill_name": "weekly-numbers",
    "evals": [
        {"id": 1, "prompt": "How did the week go?", "expectations": ["The total is 115"]},
        {"id": 2, "prompt": "And last week?", "files": ["week.csv"], "expected_output": "A total"},
    ],
}


@pytest.fixture
def evals(bare):
    (bare / "evals").mkdir()
    (bare / "evals" / "evals.json").write_text(json.dumps(EVALS))
    return bare


def test_the_cell_is_printed_and_what_is_left_stands_beside_it(evals, skills2):
    done = skills2("cases", "import", "evals/evals.json")
    assert done.code == 0
    assert done.out == (
        'case("How did the week go?", id="eval-1")\n'
        'case("And last week?", files=["week.csv"], id="eval-2")\n'
    )
    assert "Not carried over (2):\n  eval-1, expectations: The total is 115\n" in done.err
    assert "What to do:\n  expectations: no program can check a sentence" in done.err


def test_the_cell_exports_as_the_cases_of_a_skill(desk, skills2):
    (desk / "evals.json").write_text(json.dumps(EVALS))
    cell = skills2("cases", "import", "evals.json").out
    path = desk / "weekly-numbers.ipynb"
    notebook = json.loads(path.read_text())
    tagged = next(c for c in notebook["cells"] if "cases" in c["metadata"].get("tags", ()))
    tagged["source"] = [cell]
    path.write_text(json.dumps(notebook))
    (desk / "week.csv").write_text("day,count\n")
    done = skills2("export", str(path), "-o", "skills", "--no-verify")
    assert done.code == 0, done.err
    lines = (desk / "skills/weekly-numbers/evals/cases.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["eval-1", "eval-2"]


def test_a_skill_folder_and_json_lines(evals, skills2):
    done = skills2("cases", "import", ".", "-o", "cases.jsonl")
    assert (done.code, done.out) == (0, "Wrote cases.jsonl: 2 cases.\n")
    rows = [json.loads(line) for line in (evals / "cases.jsonl").read_text().splitlines()]
    assert rows == [
        {"id": "eval-1", "prompt": "How did the week go?"},
        {"id": "eval-2", "prompt": "And last week?", "files": ["week.csv"]},
    ]
    again = skills2("cases", "import", ".", "-o", "cases.jsonl")
    assert again.code == 1 and "is there already" in again.err
    assert skills2("cases", "import", ".", "-o", "cases.jsonl", "--force").code == 0


def test_json(evals, skills2):
    done = skills2("cases", "import", "evals/evals.json", "--json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == {"skill", "cases", "left", "written"}
    assert (done.json["skill"], done.json["written"]) == ("weekly-numbers", None)
    assert [item["what"] for item in done.json["left"]] == ["expectations", "expected_output"]


def test_nothing_left_is_said_too(evals, skills2):
    (evals / "plain.json").write_text('[{"prompt": "Hi"}]')
    assert skills2("cases", "import", "plain.json").err == "Everything came along.\n"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("none.json", None, "there is no such file"),
        ("bad.json", b"{", "is not JSON"),
        ("latin.json", b'[{"prompt": "\xe9"}]', "is not UTF-8 (byte offset 13)"),
        ("other.json", b'{"cases": []}', "has no list of evals"),
    ],
)
def test_what_cannot_be_read_is_two(bare, skills2, name, data, said):
    if data is not None:
        (bare / name).write_bytes(data)
    done = skills2("cases", "import", name)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
