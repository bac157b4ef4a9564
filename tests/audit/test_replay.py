"""Recorded results, run again: what agrees, what does not, and what cannot be known."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.audit import replay as replaying
from skills2_nb.audit.integrity import examine
from skills2_nb.audit.replay import Replayed, replay
from skills2_nb.contract import blobs
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.loader import load
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.evals.proof import prove
from skills2_nb.library.discovery import Target
from skills2_nb.sandbox import wall

ROOT = Path(__file__).resolve().parents[2]
GROWTH = ROOT / "skills" / "growth-accounting"
HEAD = """import math, os, random, socket, subprocess, sys, tempfile, time
from datetime import date, datetime
from pathlib import Path
from pydantic import BaseModel
from skills2_nb import Table, step
"""
Make = Callable[..., Skill]


@pytest.fixture(params=["bubblewrap", "hooks"])
def stands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each wall in turn; bubblewrap where it works."""
    if request.param == "hooks":
        monkeypatch.setattr(wall, "_bubblewrap", lambda: None)
    elif wall.standing() != "bubblewrap":
        pytest.skip("bubblewrap is not here, or user namespaces are denied")
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A package whose ``runtime/steps.py`` has the text given."""

    def made(code: str, runtime: str = "", head: str = HEAD) -> Skill:
        folder = tmp_path / "package"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "runtime").mkdir(parents=True)
        (folder / "skill.toml").write_text(f'[skill]\nname = "trial"\n[runtime]\n{runtime}')
        text = head + textwrap.dedent(code)
        (folder / "runtime" / "steps.py").write_text(text, encoding="utf-8")
        return load(folder)

    return made


def ran(skill: Skill, *calls: tuple[str, dict[str, Any]]) -> RunState:
    """The run of some calls, as its journal has it."""
    run = Run.start(skill)
    try:
        for id_, args in calls:
            run.call(id_, args)
    finally:
        run.close()
    return examine(run.path)[1]


def forged(state: RunState, step: str, **values: Any) -> RunState:
    """The run with another result in its newest success of a step."""
    call = state.last[step]
    output = {**call.output, **values} if isinstance(call.output, dict) else values["result"]
    state.last[step] = call._replace(output=output)
    state.calls.replace(call.seq, state.last[step])
    return state


def results(replayed: Replayed) -> list[str]:
    return [call.result for call in replayed.calls]


def once(skill: Skill, **args: Any) -> Replayed:
    """A run of the one step of a skill, replayed."""
    (id_,) = skill.ids
    return replay(skill, ran(skill, (id_, args)))


PURE = """
class Sum(BaseModel):
    total: float
    parts: list[int]

@step
def add(values: list[int]) -> Sum:
    return Sum(total=float(sum(values)), parts=values)

@step
async def twice(total: float) -> float:
    import asyncio
    await asyncio.sleep(0)
    return await asyncio.to_thread(lambda: 2 * total)

@step
def through(values: list[int]) -> float:
    return add(values).total
"""


def test_an_honest_run_gives_the_same(make: Make, stands: str) -> None:
    skill = make(PURE)
    state = ran(skill, ("add", {"values": [1, 2]}), ("twice", {}), ("through", {"values": [3]}))
    replayed = replay(skill, state)
    assert results(replayed) == ["same", "same", "same"]
    assert (replayed.wall, replayed.fault) == (stands, None)
    assert replayed.findings == () and replayed.not_checked == ()
    assert json.loads(json.dumps(replayed.to_dict()))["calls"][0]["step"] == "add"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"total": 4.0}, "total is 4.0 in the record and 3.0 when it is run again"),
        ({"parts": [1, 3]}, "parts.1 is 3 in the record and 2"),
        ({"parts": [1]}, "parts is 1 long in the record and 2 long"),
        ({"more": 1}, "more is 1 in the record and absent"),
        ({"total": {"$float": "nan"}}, "total is {'$float': 'nan'} in the record"),
    ],
)
def test_a_forged_result_differs(make: Make, values: dict[str, Any], says: str) -> None:
    skill = make(PURE)
    state = forged(ran(skill, ("add", {"values": [1, 2]})), "add", **values)
    replayed = replay(skill, state)
    assert results(replayed) == ["differs"]
    (found,) = replayed.findings
    assert found.code == "REPLAY_DIFFERS" and found.vetoes and says in found.message
    assert not replayed.agrees and replayed.not_checked == ()


def test_an_older_forged_result_counts_too(make: Make) -> None:
    skill = make(PURE)
    state = ran(skill, ("add", {"values": [1]}), ("add", {"values": [2]}), ("add", {"values": [1]}))
    first = state.calls[0]
    state.calls.replace(first.seq, first._replace(output={"total": 7.0, "parts": [1]}))
    replayed = replay(skill, state)
    assert results(replayed) == ["differs", "same", "same"]


def test_a_last_digit_is_no_difference(make: Make) -> None:
    skill = make(PURE)
    state = forged(ran(skill, ("add", {"values": [1, 2]})), "add", total=3.0 * (1 + 1e-12))
    assert results(replay(skill, state)) == ["same"]


@pytest.mark.parametrize(
    "body",
    [
        'return set("abcdefgh")',
        'return {"nan": math.nan, "inf": math.inf, "text": "ü"}',
        "return random.Random(7).random()",
        "return sum({0.1, 0.2, 0.3, 1e9})",
    ],
)
def test_what_a_canonical_form_evens_out_is_the_same(make: Make, body: str) -> None:
    kind = "set[str]" if "set(" in body else "dict[str, object] | float"
    skill = make(f"@step\ndef one() -> {kind}:\n    {body}\n")
    assert results(once(skill)) == ["same"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('return "".join(set("abcdefghij"))', "another result in each process"),
        ("return str(random.random())", "another result in each process"),
        ("return str(time.time_ns())", "another result in each process"),
        ("return str(os.getpid() * time.time_ns())", "another result in each process"),
        ('return str(os.environ.get("SKILLS2_TRIAL_REGION", "eu"))', "reads the environment"),
        (
            'return str(date.today().year - (1 if "pytest" in sys.modules else 0))',
            "reads the clock",
        ),
        (
            'return str(int(time.time() > 0) + ("pytest" in sys.modules))',
            "reads the clock",
        ),
    ],
)
def test_chance_order_and_clock_are_no_fraud(
    make: Make, body: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLS2_TRIAL_REGION", "us")
    replayed = once(make(f"@step\ndef one() -> str:\n    {body}\n"))
    assert results(replayed) == ["unsteady"]
    (found,) = replayed.findings
    assert found.code == "NOT_REPLAYABLE" and not found.vetoes and says in found.message
    assert replayed.not_checked == (f"replay of one: {replayed.calls[0].why}",)


TRIPS = [
    ('Path("/tmp/skills2-trip").write_text("x")', "writes /tmp/skills2-trip"),
    ("tempfile.mkstemp()", "makes a temporary file"),
    ("tempfile.TemporaryDirectory()", "makes a temporary file"),
    ('os.open("/tmp/skills2-trip", os.O_CREAT | os.O_RDWR)', "writes /tmp/skills2-trip"),
    ('os.remove(os.environ["PATH"])', "removes "),
    ("socket.socket()", "opens a socket"),
    ('socket.getaddrinfo("localhost", 80)', "opens a socket"),
    ('socket.socket(socket.AF_UNIX).connect("/tmp/none")', "opens a socket"),
    ('subprocess.run(["true"])', "starts a process"),
    ('os.system("true")', "starts a process"),
    ("os.fork()", "starts a process"),
    ("os.kill(os.getpid(), 0)", "sends a signal"),
    ("__import__('ctypes').CDLL(None).getpid()", "loads native code"),
]


def test_what_trips_is_not_replayable(make: Make, stands: str) -> None:
    """A refusal that the step swallows is known all the same."""
    steps = [
        f"""
@step(requires=[])
def step_{number}(quiet: bool = False) -> int:
    if "pytest" not in sys.modules:
        try:
            {expression}
        except BaseException:
            if not quiet:
                raise
    return 1
"""
        for number, (expression, _) in enumerate(TRIPS)
    ]
    skill = make("".join(steps))
    state = ran(skill, *((id_, {"quiet": quiet}) for id_ in skill.ids for quiet in (False, True)))
    replayed = replay(skill, state)
    assert set(results(replayed)) == {"tripped"} and replayed.wall == stands
    assert len(replayed.findings) == len(replayed.not_checked) == len(TRIPS)
    for number, (found, (_, says)) in enumerate(zip(replayed.findings, TRIPS, strict=True)):
        assert found.code == "NOT_REPLAYABLE" and f"step_{number}: {says}" in found.message
    assert not Path("/tmp/skills2-trip").exists()


def test_declared_effects_are_told_and_owe_nothing(make: Make) -> None:
    skill = make('@step(effects=["network", "clock"])\ndef one() -> float:\n    return time.time()')
    replayed = once(skill)
    (found,) = replayed.findings
    assert results(replayed) == ["declared"] and replayed.not_checked == ()
    assert (found.code, found.counts) == ("EFFECTS_DECLARED", False)
    assert "declares network and clock" in found.message
    assert replayed.wall is None


READS = """
@step
def read(path: str) -> int:
    return len(Path(path).read_text())
"""


@pytest.mark.parametrize("how", ["changed", "removed", "renamed"])
def test_a_file_that_is_another_now_is_no_fraud(make: Make, tmp_path: Path, how: str) -> None:
    skill, data = make(READS), tmp_path / "data.csv"
    data.write_text("a,b\n")
    state = ran(skill, ("read", {"path": str(data)}))
    assert results(replay(skill, state)) == ["same"]
    if how == "changed":
        data.write_text("a,b,c\n")
    elif how == "removed":
        data.unlink()
    else:
        data.rename(tmp_path / "other.csv")
    replayed = replay(skill, state)
    (found,) = replayed.findings
    assert results(replayed) == ["changed"] and found.code == "SOURCE_CHANGED"
    assert str(data) in found.message and not found.vetoes
    assert ("another file" if how == "changed" else "is gone") in found.message
    assert replayed.not_checked


def test_a_file_read_natively_is_known_by_its_path(make: Make, tmp_path: Path) -> None:
    import sqlite3

    data = tmp_path / "data.db"
    for number in (1, 2):
        with sqlite3.connect(data) as base:
            base.execute("create table if not exists t (n int)")
            base.execute("insert into t values (1)")
        base.close()
        if number == 1:
            skill = make(
                """
                import sqlite3

                @step
                def read(path: str) -> int:
                    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
                    try:
                        return base.execute("select count(*) from t").fetchone()[0]
                    finally:
                        base.close()
                """
            )
            state = ran(skill, ("read", {"path": str(data)}))
            assert results(replay(skill, state)) == ["same"]
    assert results(replay(skill, state)) == ["changed"]


def test_a_file_as_it_was_excuses_nothing(make: Make, tmp_path: Path) -> None:
    skill, data = make(READS), tmp_path / "data.csv"
    data.write_text("a,b\n")
    state = forged(ran(skill, ("read", {"path": str(data)})), "read", result=5)
    os.utime(data)
    assert results(replay(skill, state)) == ["differs"]


def test_a_changed_file_that_changes_nothing_is_the_same(make: Make, tmp_path: Path) -> None:
    skill, data = make(READS), tmp_path / "data.csv"
    data.write_text("abcd")
    state = ran(skill, ("read", {"path": str(data)}))
    data.write_text("dcba")
    assert results(replay(skill, state)) == ["same"]


FRAMES = """
import pandas as pd

@step
def frame(scale: float) -> Table:
    return pd.DataFrame({"x": [1.0 * scale, math.nan], "name": ["a", None]})

@step
def total(table: Table) -> float:
    return float(table["x"].sum())
"""


def test_tables_are_compared_by_what_they_hold(make: Make) -> None:
    pytest.importorskip("pandas", reason="the steps hand a frame on")
    skill = make(FRAMES)
    run = Run.start(skill)
    run.call("frame", {"scale": 3.0})
    run.call("total", {}, {"table": "frame#"})
    run.close()
    state = examine(run.path)[1]
    assert results(replay(skill, state)) == ["same", "same"]

    packed = json.loads(blobs.get(state.last["frame"].output["$table"]))
    for value, result in ((3.0 * (1 + 1e-12), "same"), (4.0, "differs")):
        packed["data"][0][0] = value
        other = blobs.put(json.dumps(packed).encode())
        forged(state, "frame", **{"$table": other})
        replayed = replay(skill, state)
        assert results(replayed) == [result, "same"]
    assert "data.0.0 is 4.0" in replayed.calls[0].why


@pytest.mark.parametrize(
    ("body", "result", "says"),
    [
        ("while True: pass", "not checked", "takes longer than 1 s"),
        ("time.sleep(60)", "not checked", "takes longer than 1 s"),
        ("bytearray(6_000_000_000)", "not checked", "runs out of memory"),
        ("os._exit(0)", "not checked", "ends its process"),
        ("os.abort()", "not checked", "ends its process"),
        ("sys.exit(3)", "raised", "raises SystemExit: 3"),
        ("1 / 0", "raised", "raises ZeroDivisionError"),
        (
            "\n        while True:\n            try:\n                time.sleep(60)\n"
            "            except BaseException:\n                pass",
            "not checked",
            "ends its process",
        ),
    ],
)
def test_a_step_that_does_not_come_back_is_not_checked(
    make: Make, body: str, result: str, says: str
) -> None:
    skill = make(
        f"""
@step
def first() -> int:
    return 1

@step
def one() -> int:
    if "pytest" not in sys.modules:
        {body}
    return 1

@step
def last() -> int:
    return 1
""",
        runtime="timeout = 1\n",
    )
    replayed = replay(skill, ran(skill, ("first", {}), ("one", {}), ("last", {})))
    assert results(replayed) == ["same", result, "same"]
    assert says in replayed.calls[1].why


def test_the_time_for_all_steps_is_bounded(make: Make) -> None:
    skill = make(
        "@step\ndef one(n: int) -> int:\n    if 'pytest' not in sys.modules: time.sleep(30)\n"
        "    return n\n"
    )
    state = ran(skill, *(("one", {"n": n}) for n in range(4)))
    replayed = replay(skill, state, seconds=2.0)
    assert results(replayed) == ["not checked"] * 4


def test_what_a_step_prints_goes_nowhere(make: Make, capfd: pytest.CaptureFixture[str]) -> None:
    skill = make(
        """
        @step
        def one() -> int:
            if "pytest" not in sys.modules:
                print("loud" * 2_500_000)
                os.write(1, b'{"job": 0, "outcome": "value", "output": 7}\\n')
                print("louder", file=sys.stderr)
                sys.stdin.read()
            return 1
        """
    )
    assert results(once(skill)) == ["same"]
    out, err = capfd.readouterr()
    assert "loud" not in out + err


def test_a_result_too_long_is_not_checked(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skills2_nb.audit.jobs.MOST_SAID", 100_000)
    replayed = once(make("@step\ndef one() -> str:\n    return 'x' * 200_000\n"))
    assert "returns more than 100000 bytes" in replayed.calls[0].why


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('Path("/tmp/skills2-trip").write_text("x")', "the import of the skill writes /tmp/"),
        ("try: os.fork()\nexcept OSError: pass", "the import of the skill starts a process"),
        ("print('loud')\nsys.exit('no')", "SystemExit: no"),
        ("1 / 0", "line 7: ZeroDivisionError"),
        ("time.sleep(60)", "the import of the skill takes longer than 1 s"),
        ("os._exit(0)", "the import of the skill ends its process"),
    ],
)
def test_an_import_that_does_not_come_through_is_told_once(
    make: Make, line: str, says: str, stands: str
) -> None:
    guarded = "\n".join(f"    {part}" for part in line.split("\n"))
    code = f'if "pytest" not in sys.modules:\n{guarded}\n'
    code += "@step\ndef one(n: int) -> int:\n    return n\n"
    skill = make(code, runtime="timeout = 1\n")
    replayed = replay(skill, ran(skill, ("one", {"n": 1}), ("one", {"n": 2})))
    assert replayed.calls == () and replayed.fault is not None and says in replayed.fault
    (found,) = replayed.findings
    assert found.code == "NOT_REPLAYABLE" and found.step is None
    assert replayed.not_checked == (f"replay: {replayed.fault}",)


def test_values_kept_as_digests(make: Make) -> None:
    code = "@step\ndef one(n: int, secret: str = 's') -> dict[str, int]:\n    return {'n': n}\n"
    skill = make(code, runtime='capture = "digest"\n')
    assert "arguments were not kept" in once(skill, n=1).calls[0].why
    skill = make(code, runtime='redact = ["n"]\n')
    assert results(once(skill, n=1)) == ["not checked"]
    skill = make(
        "@step\ndef one(k: int) -> dict[str, int]:\n    return {'n': k}\n", runtime='redact = ["n"]'
    )
    state = ran(skill, ("one", {"k": 1}))
    assert results(replay(skill, state)) == ["same"]
    call = state.last["one"]
    state.calls.replace(call.seq, call._replace(output={"n": {"$digest": "0" * 64}}))
    replayed = replay(skill, state)
    assert results(replayed) == ["not checked"] and "digests" in replayed.calls[0].why


def test_another_package_is_not_the_one_that_ran(make: Make) -> None:
    code = "@step\ndef one(n: int) -> int:\n    return n\n"
    state = ran(make(code), ("one", {"n": 1}))
    replayed = replay(make(code.replace("return n", "return n + 1")), state)
    assert replayed.findings == ()
    assert replayed.not_checked == (
        "replay: the package is another one than at the start of the run",
    )


def test_without_a_wall_nothing_runs(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = make(PURE)
    state = ran(skill, ("add", {"values": [1]}))
    monkeypatch.setattr("skills2_nb.sandbox.wall.standing", lambda: None)
    replayed = replay(skill, state)
    assert replayed.wall is None and replayed.findings == ()
    assert replayed.not_checked[0].startswith("replay: no wall could be put up")


def test_a_run_without_successes_owes_no_replay(make: Make) -> None:
    assert replay(make(PURE), ran(make(PURE))).to_dict() == {
        "wall": None,
        "fault": None,
        "calls": [],
    }


def test_nothing_stays_behind(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    popen = subprocess.Popen

    def noted(*args: Any, **options: Any) -> Any:
        process = popen(*args, **options)
        started.append(process.pid)
        return process

    skill = make(PURE)
    state = forged(ran(skill, ("add", {"values": [1]})), "add", total=2.0)
    (tmp_path / "spare").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spare"))
    monkeypatch.setattr(subprocess, "Popen", noted)
    before = sorted(tmp_path.rglob("*"))
    replay(skill, state)
    assert len(started) >= 2
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)
    assert sorted(tmp_path.rglob("*")) == before


# --- growth-accounting, as a package and live -----------------------------------------------

INPUTS = {
    "path": "assets/cdnow_sample.csv",
    "user_column": "customer_id",
    "date_column": "date",
    "grain": "month",
    "period": "1998-03",
}


def test_growth_accounting_replays_the_same(stands: str) -> None:
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    proof = prove(Target("growth-accounting", "package", GROWTH), INPUTS, prompt="Why?")
    assert proof.state is not None
    replayed = replay(proof.skill, proof.state)
    assert results(replayed) == ["same"] * 10 and replayed.wall == stands
    assert [name for call in proof.state.calls for name in call.files] == [
        str(GROWTH / "assets" / "cdnow_sample.csv")
    ]


def test_a_live_run_replays_from_its_cells(load_notebook: Callable[[Path], Any]) -> None:
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    from skills2_nb.convert.plan import plan_path
    from skills2_nb.formats.roles import Role

    path = ROOT / "notebooks" / "growth-accounting.ipynb"
    assignments = plan_path(path).assignments
    cells = [a.cell.source for a in assignments if a.role in (Role.STEP, Role.SETUP)]
    live = blobs.put(encode({"cells": cells}).encode("ascii"))
    skill = Skill.collect(vars(load_notebook(path)), "growth-accounting", live=live)
    run = Run.start(skill, INPUTS, folders=(GROWTH,))
    from skills2_nb.contract.walk import walk

    assert walk(run).error is None
    run.close()
    state = examine(run.path)[1]
    assert results(replay(skill, state)) == ["same"] * 10
    forged(state, "count_flows", churned=1)
    assert results(replay(skill, state)).count("differs") == 1
    assert results(replay(load(GROWTH), state)).count("same") == 9  # the package is of these cells
    other = dataclasses.replace(skill, live="0" * 64)
    assert "other ones than at the start" in replay(other, state).not_checked[0]
    blobs.path(live).unlink()
    assert "were not kept" in replay(skill, state).not_checked[0]


def test_a_kernels_run_is_not_believed_for_its_own_cells(make: Make) -> None:
    """Whoever writes a journal can write the cells that give its results."""
    code = "@step\ndef one(n: int) -> int:\n    return n{}\n"
    skill = make(code.format(" + 1"))
    cells = {"cells": [HEAD + code.format("")]}
    live = blobs.put(encode(cells).encode("ascii"))
    kernel = dataclasses.replace(make(code.format("")), live=live, digest=None)
    state = ran(kernel, ("one", {"n": 1}))
    assert results(replay(kernel, state)) == ["same"]
    replayed = replay(make(code.format(" + 1")), state)
    assert results(replayed) == ["not checked"] and skill.digest is not None
    assert "the package is not what the kernel ran: the result is 1" in replayed.calls[0].why


def test_the_parent_runs_no_code_of_the_skill(make: Make) -> None:
    """A process that only has the journal and the folder imports nothing of the package."""
    skill = make(PURE)
    state = ran(skill, ("add", {"values": [1]}))
    before = set(sys.modules)
    replay(skill, state)
    assert not {name for name in set(sys.modules) - before if name.startswith("_skills2")}


def test_equal_calls_are_run_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    ask = replaying.ask

    def counted(source: Any, jobs: Any, *rest: Any) -> Any:
        asked.append(len(jobs))
        return ask(source, jobs, *rest)

    monkeypatch.setattr(replaying, "ask", counted)
    skill = make(PURE)
    state = ran(skill, *[("add", {"values": [1]})] * 5, ("add", {"values": [2]}))
    assert results(replay(skill, state)) == ["same"] * 6
    assert asked == [2]


MEMO = """@step
def one() -> int:
    memo = Path("memo.txt")
    if not memo.exists():
        time.sleep(0.05)  # file systems tell time by some milliseconds
        memo.write_text(str(random.randrange(10**9)))
    return int(memo.read_text())
"""


def test_a_result_put_by_is_not_proved_by_reading_it(
    make: Make, stands: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    replayed = once(make(MEMO))
    assert results(replayed) == ["unsteady"]
    assert "memo.txt, which was written while it ran" in replayed.findings[0].message


def test_the_records_of_runs_are_out_of_reach(make: Make, stands: str) -> None:
    body = """@step
def one() -> int:
    return len(os.listdir(Path(os.environ.get("SKILLS2_HOME", "")) / "runs"))
"""
    replayed = once(make(body))
    assert results(replayed) == ["tripped"]
    assert "reads the records of runs" in replayed.findings[0].message


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no place in memory")
def test_data_in_memory_is_seen_and_not_changed(make: Make, stands: str) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        data = Path(place) / "data.txt"
        data.write_text("12")
        body = f"@step\ndef one() -> int:\n    return int(Path({str(data)!r}).read_text())\n"
        assert results(once(make(body))) == ["same"]
        writes = body.replace("return", f"Path({place!r}, 'x').touch()\n    return")
        assert results(once(make(writes))) == ["tripped"]
