"""Steps of a running kernel, called by a real client over HTTP."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="a kernel comes with Jupyter")
pytest.importorskip("jupyter_client", reason="a kernel comes with Jupyter")

from skills2_nb.contract.chain import verify
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.serve.registry import registered
from tests.conftest import CELLS, ROOT, notebook_dict
from tests.lab.kernels import Caller, Shown, client, kernel

pytestmark = pytest.mark.filterwarnings("ignore:.*")  # jupyter_client's own

GROWTH = ROOT / "notebooks" / "growth-accounting"
FRONT = "---\nname: noisy\ndescription: Steps that behave badly.\n---"
SETUP = "import logging; logging.basicConfig(level=logging.DEBUG)\nfrom skills2_nb import step"
LOUD = '''@step
def loud(rounds: int = 10) -> str:
    """Print and show."""
    import sys, time, warnings
    from IPython.display import HTML, display
    for number in range(rounds):
        print("STEP", number)
        print("STEP", number, file=sys.stderr)
        time.sleep(0.02)
    display(HTML("STEP"))
    warnings.warn("STEP warns")
    logging.getLogger("own").warning("STEP logs")
    return "done"'''
LEAVE = '''@step
def leave(how: str = "well") -> str:
    """End in some way."""
    import os, sys, time
    from pathlib import Path
    if how == "exit":
        sys.exit(3)
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "raise":
        raise ValueError("no")
    if how.startswith("hang"):
        time.sleep(2)
        Path(how.partition(":")[2]).write_text("over")
    if how == "wait":
        time.sleep(0.4)
    return how'''
NOISY = [
    ("front", FRONT),
    ("prose", "# Noise\n\nSteps that print and end badly."),
    ("manifest", "[runtime]\ntimeout = 1"),
    ("setup", SETUP),
    ("step", LOUD),
    ("step", LEAVE),
]


def write(path: Path, pairs: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook_dict(pairs)), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def runtime(tmp_path_factory: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One runtime folder and one home for all kernels of this file."""
    base = tmp_path_factory.getbasetemp() / "serving"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(base / "runtime"))
    monkeypatch.setenv("SKILLS2_HOME", str(base / "home"))
    return base / "runtime"


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A kernel whose steps behave badly, served; and its registration."""
    with pytest.MonkeyPatch.context() as patch:
        base = tmp_path_factory.getbasetemp() / "serving"
        patch.setenv("JUPYTER_RUNTIME_DIR", str(base / "runtime"))
        patch.setenv("SKILLS2_HOME", str(base / "home"))
        with kernel(write(tmp_path_factory.mktemp("noisy") / "noisy.ipynb", NOISY)) as made:
            entry, shown = made.serve()
            yield made, entry, shown


def test_a_run_over_a_live_kernel_holds_like_that_of_a_package(tmp_path: Path) -> None:
    notebook = tmp_path / "growth-accounting.ipynb"
    shutil.copy(GROWTH.with_suffix(".ipynb"), notebook)
    shutil.copytree(GROWTH, tmp_path / GROWTH.name)
    lines = (ROOT / "skills/growth-accounting/evals/cases.jsonl").read_text().splitlines()
    case = next(found for line in lines if "inputs" in (found := json.loads(line)))

    async def work(entry: Any, mode: str) -> tuple[str, dict[str, Any]]:
        async with client(entry, mode) as made:
            assert len((await made.list_tools()).tools) == 15
            call = Caller(made, "growth-accounting")
            started = await call.good("start_run", prompt=case["prompt"], inputs=case["inputs"])
            run, tool = started["run_id"], started["next"][0]
            result: dict[str, Any] = {}
            while tool != started["finish"]:
                result = await call.good(tool)
                tool = result["next"][0]
            assert (await call.good("end_run", answer=result["readout"]))["missing"] == []
            return run, await call.good("audit_run") if mode == "auto" else {}

    with kernel(notebook) as made:
        entry, _ = made.serve()
        done = [asyncio.run(work(entry, mode)) for mode in ("auto", "legacy")]
    judged = done[0][1]
    assert judged["provenance"] == "live"
    for profile in ("classic", "strict"):
        assert (judged[profile]["score"], judged[profile]["verdict"]) == (1.0, "pass")
    assert judged["strict"]["not_checked"] == [], "the replay of the stored cells agrees"
    for run, _ in done:
        records = list(read(find(run)))
        assert verify(find(run)) == []
        assert [r["kind"] for r in records].count("step_ok") == 10
        assert records[0]["live"] and records[0]["digest"] is None
        assert {r["writer"].partition(":")[0] for r in records} == {"kernel"}


NEW = LEAVE.replace('how: str = "well"', 'how: str = "well", times: int = 1').replace(
    "return how", "return how * times"
)


def test_a_step_that_is_run_again_is_called_in_its_new_form(noisy: Any) -> None:
    made, entry, _ = noisy

    async def work() -> None:
        async with client(entry) as one, one.listen(tools_list_changed=True) as heard:
            call = Caller(one, "noisy")
            await call.good("start_run")
            await call.good("loud", rounds=1)
            before = {tool.name: tool for tool in (await one.list_tools()).tools}
            assert "times" not in before["noisy__leave"].input_schema["properties"]
            assert (await asyncio.to_thread(made.run, NEW)).error is None
            async with asyncio.timeout(10):
                await anext(heard)
            after = {tool.name: tool for tool in (await one.list_tools()).tools}
            assert "times" in after["noisy__leave"].input_schema["properties"]
            assert set(after) == set(before)
            changed = await call.bad("leave", times=2)
            assert changed["kind"] == "package_changed"
            assert changed["next"] == ["noisy__start_run"]
            await call.good("start_run")
            await call.good("loud", rounds=1)
            assert (await call.good("leave", times=2))["result"] == "wellwell"
            assert (await asyncio.to_thread(made.run, "scratch = 1")).error is None
            assert (await call.good("leave"))["result"] == "well", "scratch changes no skill"
        await asyncio.to_thread(made.run, LEAVE)

    asyncio.run(work())


def test_what_a_step_prints_and_shows_is_its_callers(noisy: Any) -> None:
    made, entry, _ = noisy

    async def work() -> Shown:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            await call.good("start_run")
            sent = made.send(
                "import time\nfor number in range(10):\n"
                "    print('CELL', number)\n    time.sleep(0.02)\n"
                "import warnings; warnings.warn('own')"
            )
            loud = await call.good("loud")
            for words in ("STEP 0\nSTEP 0\n", "STEP 9", "STEP warns", "STEP logs"):
                assert words in loud["printed"]
            assert "CELL" not in loud["printed"]
            quiet = await call.good("leave")
            assert "printed" not in quiet
            return await asyncio.to_thread(made.get, sent)

    shown = asyncio.run(work())
    assert shown.text.count("CELL") == 10 and shown.error is None
    assert "STEP" not in shown.text and shown.data == []
    for word in ("uvicorn", "mcp", "asyncio", "DEBUG", "INFO"):
        assert word not in shown.text
    after = made.run("print('CELL')")
    assert after.text == "CELL\n" and after.data == []


@pytest.mark.parametrize(
    ("how", "says"),
    [("exit", "SystemExit: 3"), ("interrupt", "KeyboardInterrupt"), ("raise", "ValueError: no")],
)
def test_whatever_a_step_raises_is_an_answer(noisy: Any, how: str, says: str) -> None:
    made, entry, _ = noisy

    async def work() -> None:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            await call.good("loud", rounds=1)
            wrong = await call.bad("leave", how=how)
            assert wrong["kind"] == "exception" and says in wrong["message"]
            assert (await call.good("leave"))["next"] == ["noisy__end_run"]

    asyncio.run(work())
    assert made.value("1 + 1") == "2"


def test_a_step_that_hangs_is_given_up_and_never_a_success(noisy: Any, tmp_path: Path) -> None:
    _, entry, _ = noisy
    over = tmp_path / "over"

    async def work() -> str:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            await call.good("loud", rounds=1)
            begun = time.monotonic()
            wrong = await call.bad("leave", how=f"hang:{over}")
            assert wrong["kind"] == "timeout" and "given up" in wrong["message"]
            assert not over.exists(), time.monotonic() - begun
            async with asyncio.timeout(10):
                while not over.exists():
                    await asyncio.sleep(0.05)
            await asyncio.sleep(0.2)
            assert (await call.good("leave"))["result"] == "well"
            return str(wrong["run_id"])

    run = asyncio.run(work())
    told = [(r["kind"], r.get("step"), r.get("reason")) for r in read(find(run))][2:]
    assert told == [("step_failed", "leave", "timeout"), ("step_ok", "leave", None)]
    assert verify(find(run)) == []


def test_a_fifth_call_at_once_is_told_so(noisy: Any) -> None:
    _, entry, _ = noisy

    async def work() -> None:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            await call.good("loud", rounds=1)
            done = await asyncio.gather(*(call("leave", how="wait") for _ in range(7)))
            kinds = [d.structured_content.get("kind", "ok") for d in done]
            assert kinds.count("ok") == 4 and kinds.count("busy") == 3
            assert (await call.good("leave"))["result"] == "well"

    asyncio.run(work())


def test_calls_go_on_while_a_cell_computes_and_is_interrupted(noisy: Any) -> None:
    made, entry, _ = noisy

    async def work() -> None:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            await call.good("loud", rounds=1)
            sent = made.send("while True:\n    pass")
            for _ in range(5):
                await call.good("leave")
            made.manager.interrupt_kernel()
            assert (await asyncio.to_thread(made.get, sent)).error == "KeyboardInterrupt: "
            sent = made.send("sum(x * x for x in range(200_000)); sorted(range(10 ** 6, 0, -1))[0]")
            await call.good("leave")
            assert (await asyncio.to_thread(made.get, sent)).plain == "1"

    asyncio.run(work())
    assert made.value("1 + 1") == "2"


def test_the_card_tells_of_calls_and_hides_the_token(noisy: Any) -> None:
    made, entry, shown = noisy
    (first,) = shown.data
    assert "noisy is served live from noisy.ipynb" in first["text/plain"]
    assert entry.url in first["text/html"] and "skills2 connect" in first["text/html"]

    async def work() -> str:
        async with client(entry) as one:
            call = Caller(one, "noisy")
            run = (await call.good("start_run"))["run_id"]
            await call.good("loud", rounds=1)
            for _ in range(40):
                await call.good("leave")
            return str(run)

    begun = time.monotonic()
    run = asyncio.run(work())
    wait = lambda seen: seen.updates and run in text(seen.updates[-1])  # noqa: E731
    seen = made.until(wait)
    newest = seen.updates[-1]
    assert "leave" in text(newest) and "ok" in text(newest) and "mcp" in text(newest)
    assert newest["transient"]["display_id"].startswith("skills2-")
    assert len(seen.updates) <= 4 * (time.monotonic() - begun) + 8
    assert entry.token not in json.dumps([shown.data, seen.updates])
    assert entry.token not in made.run("%skills2 status").plain


def text(update: dict[str, Any]) -> str:
    return str(update["data"]["text/plain"])


def test_serving_twice_says_where_and_stopping_leaves_the_kernel_as_it_was(
    noisy: Any, runtime: Path
) -> None:
    made, entry, _ = noisy
    assert entry.url in made.run("%skills2 serve").plain
    assert f"serves at {entry.url} already" in made.run("%skills2 serve --port 9").text
    assert "no longer served" in made.run("%skills2 stop").plain
    assert entry not in registered() and not entry.path.exists()
    assert "serves nothing" in made.run("%skills2 stop").text
    streams = "import sys, threading\nf'{type(sys.stdout)} {type(sys.stderr)}'"
    assert made.value(streams).count("ipykernel.iostream.OutStream") == 2
    names = made.value("[t.name for t in threading.enumerate()]")
    assert "skills2" not in names
    assert made.value("sys.getswitchinterval()") == "0.005"
    assert made.run("print('plain')").text == "plain\n"
    again, _ = made.serve(f"--port {entry.url.rsplit(':', 1)[1].split('/')[0]}")
    assert again.url == entry.url and again.token != entry.token
    assert again.path.stat().st_mode & 0o777 == 0o600
    assert made.run("%unload_ext skills2_nb").error is None
    assert again not in registered()


def test_a_step_whose_cell_is_gone_is_a_ghost_until_reload(tmp_path: Path) -> None:
    notebook = write(tmp_path / "trial-skill.ipynb", CELLS)
    with kernel(notebook) as made:
        entry, _ = made.serve()

        async def listed() -> tuple[set[str], dict[str, Any]]:
            async with client(entry) as one:
                names = {tool.name for tool in (await one.list_tools()).tools}
                steps = await one.call_tool("list_steps", {"skill": "trial-skill"})
                return names, dict(steps.structured_content)

        names, steps = asyncio.run(listed())
        assert "trial-skill__tell" in names and steps["live"] == notebook.name
        write(notebook, [pair for pair in CELLS if "def tell" not in pair[1]])
        end = time.monotonic() + 10
        while "trial-skill__tell" in names and time.monotonic() < end:
            names, steps = asyncio.run(listed())  # no cell is run: the save alone is noticed
        assert "trial-skill__tell" not in names and steps["ghosts"] == ["tell"]
        assert "tell: no cell defines it any more" in made.run("%skills2 status").plain
        assert "forgotten: tell" in made.run("%skills2 reload").plain
        names, steps = asyncio.run(listed())
        assert "ghosts" not in steps and "trial-skill__add" in names
        assert made.run("tell").error == "NameError: name 'tell' is not defined"

        assert made.run("@step(requires=['nobody'])\ndef lost() -> int: ...").error is None

        async def broken() -> dict[str, Any]:
            async with client(entry) as one:
                return await Caller(one, "trial-skill").bad("start_run")

        wrong = asyncio.run(broken())
        assert wrong["kind"] == "broken" and "nobody" in wrong["message"]
        made.run("del lost")

        async def mended() -> None:
            async with client(entry) as one:
                await Caller(one, "trial-skill").good("start_run", inputs={"values": [1]})

        asyncio.run(mended())


def test_two_kernels_one_skill_and_a_restart(tmp_path: Path) -> None:
    one = write(tmp_path / "one.ipynb", CELLS)
    two = write(tmp_path / "two.ipynb", [*CELLS, ("prose", "## The other")])
    with kernel(one) as first, kernel(two) as second:
        named = first.run("%skills2 serve --notebook one.ipynb")
        assert "two kernels" not in named.plain
        both = second.run("%skills2 serve --notebook two.ipynb").plain
        assert "trial-skill is served from two kernels: two.ipynb" in both
        assert "one.ipynb" in both
        entries = [e for e in registered() if e.skills == ("trial-skill",)]
        assert [Path(e.notebook or "").name for e in entries] == ["two.ipynb", "one.ipynb"]
        assert len({e.url for e in entries}) == len({e.token for e in entries}) == 2

        async def crossed() -> None:
            async with client(entries[0]) as ours, client(entries[1]) as theirs:
                run = await Caller(ours, "trial-skill").good("start_run", inputs={"values": [1]})
                other = Caller(theirs, "trial-skill")
                done = await other.good("add", run_id=run["run_id"])
                assert done["total"] == 1, "the same cells, so the run goes on in either kernel"

        asyncio.run(crossed())
        first.restart()
        assert [e.notebook for e in registered() if e.skills == ("trial-skill",)] == [str(two)]
        assert not entries[1].path.exists()
        assert "serves nothing" in first.run("%skills2 stop").text
        second.close(now=False)
        assert not entries[0].path.exists()
