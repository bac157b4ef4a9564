"""The server of a plugin that holds one skill: `s`, and tools by their steps' ids."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve import tools
from skills2_nb.serve.server import Options, Server
from tests.serve.conftest import no_audit
from tests.serve.packages import SUMS
from tests.serve.servers import START, environment

NAMES = ["start_run", "add", "tell", "end_run", "audit_run"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_name_that_a_client_sees_is_short(
    mode: Any, package: Callable[..., Path], home: Path
) -> None:
    folder = package("sums", SUMS)
    server = stdio_client(
        StdioServerParameters(
            command=START[0], args=[*START[1:], "--plugin", str(folder)], env=environment(home)
        )
    )

    async def work() -> None:
        async with Client(server, mode=mode) as client:
            assert client.server_info.name == "s"
            assert "Begin with start_run(prompt, inputs)" in (client.instructions or "")
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == NAMES
            seen: list[Any] = [client.instructions, [tool.description for tool in listed]]

            async def call(name: str, **given: Any) -> dict[str, Any]:
                told = await client.call_tool(name, given)
                seen.append(told.structured_content)
                return dict(told.structured_content or {})

            early = await call("tell")
            assert (early["kind"], early["missing"], early["next"]) == ("order", ["add"], ["add"])
            begun = await call("start_run", prompt="Add 1 and 2.", inputs={"values": [1, 2]})
            assert [step["tool"] for step in begun["steps"]] == ["add", "tell"]
            assert (begun["finish"], begun["next"]) == ("end_run", ["add"])
            assert (await call("add"))["next"] == ["tell"]
            told = await call("tell")
            assert told["next"] == ["end_run"]
            ended = await call("end_run", answer=told["readout"])
            assert (ended["missing"], ended["next"]) == ([], ["audit_run"])
            judged = await call("audit_run")
            assert judged["strict"]["coverage"] == judged["strict"]["consistency"] == 1.0
            assert "sums__" not in json.dumps(seen)
            kinds = [record["kind"] for record in read(find(begun["run_id"]))]
            assert kinds == ["run_started", "step_ok", "step_ok", "run_ended", "answer"]

    asyncio.run(work())


def alone(folder: Path, **settings: Any) -> Server:
    return Server(Catalog([folder]), Options(no_audit, alone=True, watch=False, **settings))


def test_a_step_that_is_called_as_a_tool_of_the_kit(package: Callable[..., Path]) -> None:
    code = SUMS.replace("def tell", "def list_steps")
    server = alone(package("sums", code))
    assert list(server.surface.listed) == ["start_run", "add", "list_steps", *NAMES[3:]]
    assert server.surface.listed["list_steps"].skill == "sums"


def test_signs_that_clients_refuse_are_replaced_and_told(package: Callable[..., Path]) -> None:
    said: list[str] = []
    long = "add_" + "x" * 60
    code = SUMS.replace("def add", "def größe").replace("def tell", f"def {long}")
    server = alone(package("sums", code), say=said.append)
    names = list(server.surface.listed)[1:3]
    assert [len(name) <= tools.tool_names.LONGEST for name in names] == [True, True]
    assert all(name.isascii() for name in names)
    assert [told.partition(" is called ")[0] for told in said] == [
        "sums: the tool of größe",
        f"sums: the tool of {long}",
    ]


def test_scripts_are_run_where_that_is_allowed(package: Callable[..., Path]) -> None:
    async def script(*_: Any) -> dict[str, Any]:
        raise AssertionError("nobody asked for a script")

    server = alone(package("sums", SUMS), scripts=script)
    assert list(server.surface.listed) == [*NAMES, "read_skill_resource", "run_skill_script"]


def test_more_steps_than_a_list_takes(package: Callable[..., Path]) -> None:
    steps = "".join(
        f"@step()\ndef s{n}() -> Sum:\n    return Sum(total={n})\n\n" for n in range(70)
    )
    server = alone(package("many", steps))
    assert list(server.surface.listed) == list(tools.FIXED)


WRONG = [
    ((), "serves one package"),
    (("one", "two"), "serves one package"),
    (("none",), "serves one package"),
    (("one", "--lazy"), "leave --lazy out"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_one_package_is_served_and_no_folder_of_many(
    words: tuple[str, ...],
    said: str,
    package: Callable[..., Path],
    skills: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from click.testing import CliRunner

    from skills2_nb.cli.main import main

    package("one", SUMS)
    package("two", SUMS)
    monkeypatch.chdir(skills)
    done = CliRunner().invoke(main, ["serve", "--plugin", *words])
    assert done.exit_code == 2
    assert said in done.stderr
