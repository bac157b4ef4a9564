"""A real kernel through the bridge: cells run again, a restart, the end."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="a kernel comes with Jupyter")
pytest.importorskip("jupyter_client", reason="a kernel comes with Jupyter")

from mcp.client import Client

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from tests.conftest import notebook_dict
from tests.lab.kernels import kernel
from tests.serve.packages import SUMS, write_package
from tests.serve.test_bridge import START, over_stdio

pytestmark = pytest.mark.filterwarnings("ignore:.*")  # jupyter_client's own

ADD, _, TELL = SUMS.strip().partition("\n\nclass Told")
TELL = f"class Told{TELL}"
CELLS = [
    ("front", '---\nname: sums\ndescription: "Adds up. Use it for sums."\n---'),
    ("prose", "# sums\n\nProse."),
    ("setup", "from pydantic import BaseModel\n\nfrom skills2_nb import step"),
    ("setup", 'class Sum(BaseModel):\n    total: int\n    label: str = "sum"'),
    ("step", ADD),
    ("step", TELL),
]


def notebook_of_sums(folder: Path) -> Path:
    """The notebook that the package `sums` might have come from."""
    path = folder / "sums.ipynb"
    path.write_text(json.dumps(notebook_dict(CELLS)), encoding="utf-8")
    return path


async def listed(client: Client) -> dict[str, Any]:
    done = await client.call_tool("list_skills", {})
    (item,) = done.structured_content["skills"]
    return dict(item)


def test_a_session_with_a_kernel(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    write_package(tmp_path / "skills", "sums", SUMS)
    notebook = notebook_of_sums(tmp_path)

    async def work(running: Any) -> None:
        async with Client(over_stdio(tmp_path / "skills", home, runtime)) as client:

            async def call(verb: str, **arguments: Any) -> dict[str, Any]:
                done = await client.call_tool(f"sums__{verb}", arguments)
                return dict(done.structured_content)

            run = (await call("start_run", **START))["run_id"]
            writers = {line["writer"].partition(":")[0] for line in read(find(run))}
            assert "worker" not in writers
            assert (await call("add"))["total"] == 3
            async with client.listen(tools_list_changed=True) as events:
                said = TELL.replace("total: int", "total: int, tone: str = 'dry'").replace(
                    "gives a total of", "makes, live,"
                )
                assert (await asyncio.to_thread(running.run, said)).error is None
                async with asyncio.timeout(15):
                    await anext(events)
            (tool,) = [
                tool
                for tool in (await client.list_tools(cache_mode="bypass")).tools
                if tool.name == "sums__tell"
            ]
            assert "tone" in tool.input_schema["properties"]
            # Steps that were run again make another skill of it: a run is of one.
            assert (await call("tell"))["kind"] == "package_changed"
            await call("start_run", **START)
            await call("add")
            told = await call("tell", tone="gay")
            assert told["readout"] == "Adding up makes, live, 3."
            await asyncio.to_thread(running.restart)
            lost = await call("tell")
            assert (lost["kind"], lost["next"]) == ("package_changed", ["sums__start_run"])
            begun = await call("start_run", **START)
            assert begun["notices"][0].startswith("the kernel of sums.ipynb is gone; this ran")
            await call("add")
            assert "total of 3" in (await call("tell"))["readout"]
            await asyncio.to_thread(running.serve)
            async with asyncio.timeout(15):
                while "live" not in (await listed(client)):
                    await asyncio.sleep(0.1)
            again = await call("start_run", **START)
            assert not any("this ran from" in each for each in again["notices"])
            writers = {line["writer"].partition(":")[0] for line in read(find(again["run_id"]))}
            assert "worker" not in writers

    with kernel(notebook) as running:
        running.serve()
        asyncio.run(work(running))
