"""Two real kernels on one skill, and one that is started anew in the middle of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from skills2_nb.contract.chain import verify
from skills2_nb.contract.journal import read
from skills2_nb.contract.state import RunState, fold

KernelManager = pytest.importorskip("jupyter_client", reason="a kernel").KernelManager
pytest.importorskip("ipykernel", reason="comes with Jupyter")
pytestmark = pytest.mark.filterwarnings("ignore:.*")  # jupyter_client's own

CALLS = 40
BEGIN = """
from skills2_nb import Run, Skill
skill = Skill.collect(globals(), name="trial-skill")
"""
MANY = f"""
for number in range({CALLS}):
    run.call("add", {{"values": [mark, number]}})
"""
SEEN = "run = Run.resume(skill, run.id)\n[len(run.state.calls), run.state.last['add'].seq]"


class Kernel:
    """A kernel in which the cells of a notebook were run."""

    def __init__(self, notebook: Path) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.notebook = notebook
        self.manager.start_kernel(cwd=str(notebook.parent))
        self._connect()

    def _connect(self) -> None:
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run("%load_ext skills2_nb")
        for cell in json.loads(self.notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                self.run("".join(cell["source"]))
        self.run(BEGIN)

    def send(self, code: str) -> str:
        """Begin a cell and give the message's id."""
        return str(self.client.execute(code))

    def get(self, sent: str) -> str:
        """Wait for a cell to end and give what it shows as its value."""
        told = ""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != sent:
                continue
            content = message["content"]
            assert message["msg_type"] != "error", content
            if message["msg_type"] == "execute_result":
                told = content["data"]["text/plain"]
            elif content.get("execution_state") == "idle":
                return told

    def run(self, code: str) -> str:
        return self.get(self.send(code))

    def restart(self) -> None:
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self._connect()

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@contextmanager
def kernels(notebook: Path, count: int) -> Iterator[list[Kernel]]:
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            made.append(Kernel(notebook))
            stack.callback(made[-1].close)
        yield made


def whole(path: Path) -> RunState:
    """The state of a journal whose chain holds."""
    assert verify(path) == []
    return fold(read(path))


def test_two_kernels_keep_runs_of_their_own_and_share_one(skill_notebook: Path, home: Path) -> None:
    with kernels(skill_notebook, 2) as pair:

        def at_once(code: str) -> list[str]:
            sent = [kernel.send(code) for kernel in pair]
            return [kernel.get(id_) for kernel, id_ in zip(pair, sent, strict=True)]

        for mark, kernel in enumerate(pair):
            kernel.run(f"mark = {mark}\nrun = Run.start(skill, {{'values': [mark]}})")
        at_once(MANY)
        own = [Path(kernel.run("str(run.path)").strip("'\"")) for kernel in pair]

        shared = Path(pair[0].run("run = Run.start(skill)\nstr(run.path)").strip("'\""))
        pair[1].run(f"run = Run.resume(skill, {shared.stem!r})")
        at_once(MANY)
        seen = at_once(SEEN)

    for mark, path in enumerate(own):
        state = whole(path)
        assert state.inputs == {"values": [mark]}
        assert [call.args["values"] for call in state.calls] == [[mark, n] for n in range(CALLS)]
        assert len({record["writer"] for record in read(path)}) == 1

    state = whole(shared)
    given = [tuple(call.args["values"]) for call in state.calls]
    assert Counter(given) == Counter((mark, n) for mark in (0, 1) for n in range(CALLS))
    for mark in (0, 1):  # each kernel's own calls stand in the order in which it made them
        assert [pair for pair in given if pair[0] == mark] == [(mark, n) for n in range(CALLS)]
    assert len({record["writer"] for record in read(shared)}) == 2
    assert {json.loads(text)[0] for text in seen} == {2 * CALLS}
    assert {json.loads(text)[1] for text in seen} == {state.last["add"].seq}


def test_a_kernel_started_anew_goes_on_with_the_run(skill_notebook: Path, home: Path) -> None:
    with kernels(skill_notebook, 1) as (kernel,):
        kernel.run("run = Run.start(skill, {'values': [20, 30, 41]})\nrun.call('add')")
        path = Path(kernel.run("str(run.path)").strip("'\""))
        kernel.restart()
        kernel.run(f"run = Run.resume(skill, {path.stem!r})\nrun.call('tell')\nrun.end()")
    state = whole(path)
    assert [call.step for call in state.calls] == ["add", "tell"]
    assert state.last["tell"].output == {"readout": "Adding up gives a total of 91."}
    assert len({record["writer"] for record in read(path)}) == 2
    assert [record["kind"] for record in read(path)][-1] == "run_ended"
