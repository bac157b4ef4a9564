"""papermill and real kernels: nothing that goes wrong looks green."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.errors import SetupError
from skills2_nb.evals import suite
from skills2_nb.evals.executed import Executed
from skills2_nb.evals.suite import Job, executed, judged
from tests.conftest import notebook_dict

PARAMETERS = 'skill = "x"\nrunner = "chain"'
AUDIT = """from IPython.display import display
told = {"skill": skill, "runner": runner, "verdict": "pass", "why": [],
        "cases": [{"case": "one", "kind": "run", "ok": True}]}
display({"application/vnd.skills2.audit+json": told, "text/plain": "pass"}, raw=True)"""
# What a cell does, and what is said of it: the exit code and a piece of the sentence.
TRAPS: dict[str, tuple[str, str | None, int, str]] = {
    "green": ("a = 1", None, 0, ""),
    "exit": ("import sys; sys.exit(0)", None, 1, "called sys.exit(0), which ended the notebook"),
    "killed": (
        "import os; os.kill(os.getpid(), 9)",
        None,
        3,
        "the kernel died while it was at cell 2",
    ),
    "command": ("!false", None, 1, "the command false failed with exit code 1"),
    "raised": ("1 / 0", "raises-exception", 1, "raised ZeroDivisionError"),
    "skipped": ("a = 1", "skip-execution", 3, "cell 2 was not"),
    "slow": ("import time; time.sleep(60)", None, 3, "took longer than 5 s"),
    "other": ('runner = "null"', None, 3, "'chain' was asked for"),
}


def written(place: Path, name: str, source: str, tag: str | None = None, audit: str = AUDIT) -> Job:
    cells = [(["parameters"], PARAMETERS, "code"), ([tag] if tag else None, source, "code")]
    cells += [(None, audit, "code")] if audit else []
    folder = place / name
    folder.mkdir()
    path = folder / "source.ipynb"
    path.write_text(json.dumps(notebook_dict(cells)), "utf-8")
    return Job(name, path, folder, {"skill": name, "runner": "chain"}, timeout=5)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Job, Executed]]:
    """Every trap, sprung by a kernel of its own, two at a time."""
    pytest.importorskip("papermill")
    pytest.importorskip("ipykernel")
    place = tmp_path_factory.mktemp("traps")
    jobs = [written(place, name, trap[0], trap[1]) for name, trap in TRAPS.items()]
    jobs.append(written(place, "silent", "a = 1", audit=""))
    told: list[int] = []
    done = {job.name: (job, came) for job, came in executed(jobs, 2, lambda: told.append(1))}
    assert len(done) == len(jobs) and told
    return done


@pytest.mark.parametrize("name", TRAPS)
def test_each_is_told_as_what_it_is(outcomes, name):
    *_, code, said = TRAPS[name]
    done = outcomes[name][1]
    assert done.code == code, done.why
    assert said in " ".join(done.why)
    assert done.is_green is (name == "green")


def test_a_notebook_without_an_audit_proves_nothing(outcomes):
    done = outcomes["silent"][1]
    assert (done.code, done.evaluation) == (3, None)


def test_the_executed_notebook_stays_and_has_the_parameters(outcomes):
    job, done = outcomes["green"]
    assert done.evaluation is not None and done.evaluation["skill"] == "green"
    assert sorted(path.name for path in job.folder.iterdir()) == ["eval.ipynb", "source.ipynb"]
    for name in ("exit", "killed"):
        assert (outcomes[name][0].folder / "eval.ipynb").is_file()


def test_a_kernel_that_does_not_start_is_the_environments(tmp_path):
    pytest.importorskip("papermill")
    pytest.importorskip("ipykernel")
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 'No module named ipykernel' >&2\nexit 1\n")
    fake.chmod(0o755)
    job = written(tmp_path, "none", "a = 1")
    ((_, done),) = executed([Job(**{**vars(job), "python": str(fake)})])
    assert done.code == 4
    assert "no kernel could be started" in done.why[0]
    assert "No module named ipykernel" in done.why[0]


def test_missing_libraries_are_told_with_the_install_line(monkeypatch):
    monkeypatch.setattr(suite.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        SetupError, match=r"papermill and ipykernel.*pip install 'skills2-nb\[lab\]'"
    ):
        next(executed([]))


def test_a_caller_that_stops_leaves_no_process(tmp_path, monkeypatch):
    pytest.importorskip("papermill")
    pytest.importorskip("ipykernel")
    started: list[Any] = []
    begun = suite._begun

    def kept(job: Job) -> Any:
        started.append(begun(job))
        return started[-1]

    monkeypatch.setattr(suite, "_begun", kept)
    flag = tmp_path / "pid"
    wrote = f"pathlib.Path({str(flag)!r}).write_text(str(os.getpid()))"
    sleeper = f"import os, pathlib, time; {wrote}; time.sleep(60)"
    job = Job(**{**vars(written(tmp_path, "sleeper", sleeper)), "timeout": None})

    def until_it_sleeps() -> None:
        if flag.exists() and flag.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(executed([job], 1, until_it_sleeps))
    assert all(not process.is_alive() for _, process in started)
    if sys.platform == "linux":
        state = Path(f"/proc/{flag.read_text()}/stat")
        assert not state.exists() or state.read_text().split(") ")[1][0] == "Z"


@pytest.mark.parametrize(
    ("word", "raw", "code", "said"),
    [
        ({"kind": "OSError", "message": "x cannot be written: the disk is full."}, {}, 4, "full"),
        ({"kind": "NoSuchKernel", "message": "No such kernel named r"}, {}, 4, "named r"),
        ({"kind": "ValueError", "message": "odd"}, None, 3, "executed nothing (ValueError: odd)"),
        ({"kind": "DeadKernelError", "message": ""}, {"cells": []}, 3, "at the first cell"),
        ({"kind": "PapermillExecutionError", "message": ""}, "green", 3, "papermill broke off"),
        ({"kind": "ValueError", "message": "odd"}, "green", 3, "papermill broke off"),
    ],
)
def test_what_papermill_raised_counts(outcomes, word, raw, code, said):
    job = outcomes["green"][0]
    shown = json.loads((job.folder / "eval.ipynb").read_bytes()) if raw == "green" else raw
    done = judged(word, shown, job)
    assert done.code == code
    assert said in done.why[0]


def test_a_process_that_is_killed_takes_no_other_along(tmp_path, monkeypatch):
    pytest.importorskip("papermill")
    pytest.importorskip("ipykernel")
    real: Callable[[Job], None] = suite._papermill

    def deadly(job: Job) -> None:
        if job.name == "first":
            import os

            os.kill(os.getpid(), 9)
        real(job)

    monkeypatch.setattr(suite, "_papermill", deadly)
    jobs = [written(tmp_path, name, "a = 1") for name in ("first", "second")]
    done = {job.name: came for job, came in executed(jobs)}
    assert done["first"].code == 3 and "SIGKILL" in done["first"].why[0]
    assert done["second"].is_green
