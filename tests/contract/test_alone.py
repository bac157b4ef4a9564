"""The steps of a skill from a shell."""

import io
import json
from pathlib import Path

import pytest

from skills2_nb.contract.alone import USAGE, main
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from tests.serve.packages import ROGUES, SUMS, write_package


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    return write_package(tmp_path, "sums", SUMS)


def told(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict, str]:
    code = main(folder, words)
    out, err = capsys.readouterr()
    return code, json.loads(out or "{}"), err


def test_a_run_from_inputs_to_answer(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, err = told(sums, capsys, "run", '{"values": [1, 2]}')
    assert (code, err) == (0, "")
    assert found["steps"] == {
        "add": {"total": 3, "label": "sum"},
        "tell": {"readout": "Adding up gives a total of 3."},
    }
    assert found["answer"] == "Adding up gives a total of 3."
    kinds = [record["kind"] for record in read(find(found["run"]))]
    assert kinds == ["run_started", "step_ok", "step_ok", "run_ended", "answer"]


def test_step_by_step_over_processes(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, begun, _ = told(sums, capsys, "start", '{"values": [4]}', "What is the sum?")
    run = begun["run"]
    assert begun["next"] == ["add"]
    code, early, err = told(sums, capsys, "call", run, "tell")
    assert (code, early["error"]["missing"]) == (1, ["add"])
    assert "add" in err
    assert told(sums, capsys, "call", run, "add", '{"values": [4, 5]}')[1]["output"]["total"] == 9
    _, ended, _ = told(sums, capsys, "end", run, "It is 9.")
    assert ended == {"run": run, "ended": True, "missing": ["tell"]}
    records = list(read(find(run)))
    assert (records[0]["prompt"], records[-1]["text"]) == ("What is the sum?", "It is 9.")
    assert told(sums, capsys, "call", run, "tell")[0] == 1


def test_the_list_says_what_a_step_takes(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found, _ = told(sums, capsys, "list")
    assert [(s["step"], list(s["input"]["properties"])) for s in found["steps"]] == [
        ("add", ["values"]),
        ("tell", ["total"]),
    ]


def test_a_broken_contract_ends_the_run_and_says_where(
    sums: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found, _ = told(sums, capsys, "run", '{"values": "x"}')
    assert (code, found["error"]["step"], found["error"]["kind"]) == (1, "add", "invalid")
    assert [r["kind"] for r in read(find(found["run"]))][-1] == "run_ended"


def test_inputs_may_come_by_stdin(
    sums: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"values": [7]}'))
    assert told(sums, capsys, "run", "-")[1]["steps"]["add"]["total"] == 7


WRONG = [
    ((), 2, ""),
    (("zap",), 2, "there is no command 'zap'"),
    (("call", "x"), 2, "call takes other words"),
    (("run", "{}", "more"), 2, "run takes other words"),
    (("run", "nonsense"), 2, "is no JSON"),
    (("run", "[1]"), 2, "is no JSON object"),
    (("call", "nix", "add"), 1, "there is no run 'nix'"),
    (("end", "../../x"), 1, "there is no run"),
]


@pytest.mark.parametrize(("words", "code", "said"), WRONG)
def test_what_is_wrong_is_said_on_stderr(
    words: tuple[str, ...], code: int, said: str, sums: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(sums, words) == code
    assert said in capsys.readouterr().err


def test_help_is_good(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(sums, ["--help"]) == 0
    assert capsys.readouterr().out == f"{USAGE}\n"


def test_whatever_a_step_raises_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rogues = write_package(tmp_path, "rogues", ROGUES)
    _, begun, _ = told(rogues, capsys, "start")
    code, _, err = told(rogues, capsys, "call", begun["run"], "quits")
    assert (code, err) == (1, "SystemExit: 3\n")


def test_a_missing_library_is_the_environments_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_package(tmp_path, "sums", SUMS)
    module = folder / "runtime" / "skill.py"
    module.write_text("import no_such_library\n" + module.read_text())
    code, _, err = told(folder, capsys, "list")
    assert (code, err.count("\n")) == (4, 1)
    assert "no_such_library" in err
