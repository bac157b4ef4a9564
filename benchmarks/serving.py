"""P5 and P6: a server's cold start, and a call of a tool."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import live, over_http
from benchmarks.export import beside
from benchmarks.table import Row
from benchmarks.timing import Contender, measure

COLD = "cold start at most 1.1 times bare FastMCP with 1 skill, 1.3 times with 200"
CALLS = "in-process parts at most 1.05 times bare FastMCP, through the worker 1.5 times"
THROUGH = "at most 1.3 times a call of bare FastMCP"
ROUNDS, LOOPS, MANY = 7, 100, 200
SKILL = Path(__file__).resolve().parents[1] / "skills" / "growth-accounting"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ARGUMENTS = {"quick_ratio": 1.53}
BARE = '''
from typing import Any, Literal
from fastmcp import FastMCP
from pydantic import BaseModel

mcp = FastMCP("bare")

class GrowthClass(BaseModel):
    growth_class: Literal["shrinking", "steady", "growing", "surging", "undefined"]
    cut_low: float | None
    cut_high: float | None

@mcp.tool
def classify_growth(quick_ratio: float | None) -> GrowthClass:
    """The class that a quick ratio falls into."""
    return GrowthClass(growth_class="growing", cut_low=1.5, cut_high=4.0)

@mcp.tool
def list_skills() -> dict[str, Any]:
    """List the skills."""
    return LISTED
'''
OTHER = '''
@mcp.tool
def step_{number}(previous: int = 0, new: int = 0, period: str = "") -> dict[str, Any]:
    """A step with three arguments."""
    return {{"total": previous + new, "period": period}}
'''
PROXY = """
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.server import create_proxy
from skills2_nb.serve.registry import registered

(entry,) = registered()
headers = {"Authorization": f"Bearer {entry.token}"}
create_proxy(Client(StreamableHttpTransport(entry.url, headers=headers))).run(show_banner=False)
"""
LISTED = {
    "skills": [{"name": "one", "version": "0.1.0", "description": "x" * 400, "steps": 10}],
    "broken": [],
}
TOOLS = 15


def bare_script(folder: Path) -> Path:
    """A server of as many functions, with nothing around them."""
    script = folder / "bare.py"
    text = f"{bare_code()}\nif __name__ == '__main__':\n    mcp.run(show_banner=False)\n"
    script.write_text(text, encoding="utf-8")
    return script


def bare_code() -> str:
    """What both bare servers serve, on stdio and over HTTP."""
    others = "".join(OTHER.format(number=number) for number in range(TOOLS - 2))
    return f"LISTED = {LISTED!r}\n{BARE}{others}"


def many(folder: Path) -> Path:
    """A folder of `MANY` skills."""
    root = folder / "many"
    for number in range(MANY):
        name = f"skill-{number:03}"
        shutil.copytree(SKILL, root / name, ignore=shutil.ignore_patterns("assets", "evals"))
        for file in ("SKILL.md", "skill.toml"):
            place = root / name / file
            text = place.read_text(encoding="utf-8")
            place.write_text(text.replace(SKILL.name, name), encoding="utf-8")
    return root


def cold_rows(folder: Path) -> list[Row]:
    """P5: from the start of a process to its first answer to `tools/list`, on stdio."""

    def started(*words: str) -> Callable[[], object]:
        def run() -> None:
            with client(*words) as ask:
                assert ask("tools/list")["result"]["tools"]

        return run

    serve = beside("skills2")
    samples = measure(
        [
            Contender("skills2 serve, 1 skill", started(serve, "serve", str(SKILL))),
            Contender("skills2 connect, 1 skill", started(serve, "connect", str(SKILL))),
            Contender(
                "bare FastMCP, 15 functions", started(sys.executable, str(bare_script(folder)))
            ),
        ],
        ROUNDS,
    )
    crowd = measure(
        [
            Contender(f"skills2 serve, {MANY} skills", started(serve, "serve", str(many(folder)))),
            Contender(
                "bare FastMCP, 15 functions", started(sys.executable, str(bare_script(folder)))
            ),
        ],
        ROUNDS,
    )
    return [
        Row("P5", "cold start, one", COLD, samples, {"bare FastMCP": 1.1}),
        Row("P5", "cold start, many", "", crowd, {"bare FastMCP": 1.3}),
    ]


def call_rows(folder: Path) -> list[Row]:
    """P6: one `tools/call`, in memory and on stdio, each beside the same in bare FastMCP."""
    os.environ["SKILLS2_HOME"] = str(folder / "home")
    step, listing = on_stdio(folder)
    served = over_http.rows(single(folder), bare_code(), ARGUMENTS, folder)
    return [
        Row("P6", "list_skills, in memory", CALLS, in_memory(folder), {"bare FastMCP": 1.05}),
        Row("P6", "list_skills, on stdio", "", listing, {"bare FastMCP": 1.05}),
        Row("P6", "a step, on stdio", "", step, {"bare FastMCP": 1.5}),
        *served,
        *live.rows(folder / "live"),
        Row(
            "P6",
            "a live step through connect",
            THROUGH,
            through_connect(folder),
            {"bare FastMCP": 1.3},
        ),
    ]


def in_memory(folder: Path) -> Any:
    """A tool that the server answers itself."""
    from fastmcp import Client

    from skills2_nb.library.catalog import Catalog
    from skills2_nb.serve.server import Options, Server
    from skills2_nb.serve.sessions import Transport

    async def judge(run: str, skill: Path) -> dict[str, Any]:
        raise NotImplementedError

    bare_script(folder)
    sys.path.insert(0, str(folder))
    bare = importlib.import_module("bare")
    sys.path.remove(str(folder))
    options = Options(judge, Transport("bench", "process"), watch=False)
    ours = Server(Catalog([SKILL]), options).mcp
    loop = asyncio.new_event_loop()
    clients: list[Any] = [Client(ours), Client(bare.mcp)]
    for each in clients:
        loop.run_until_complete(each.__aenter__())

    def calling(at: int) -> Callable[[], object]:
        return lambda: loop.run_until_complete(clients[at].call_tool("list_skills", {}))

    try:
        return measure(
            [
                Contender("skills2: list_skills", calling(0), LOOPS),
                Contender("bare FastMCP: the same answer", calling(1), LOOPS),
            ],
            ROUNDS,
        )
    finally:
        for each in clients:
            loop.run_until_complete(each.__aexit__(None, None, None))
        loop.close()


def on_stdio(folder: Path) -> Any:
    """A step through the worker, journalled, beside a function that returns the same."""
    words = (beside("skills2"), "serve", str(single(folder)))
    with client(*words) as ours, client(sys.executable, str(bare_script(folder))) as bare:
        answer = ours("tools/call", name="one__classify_growth", arguments=ARGUMENTS)
        assert not answer["result"]["isError"], answer
        step = [
            Contender(
                "skills2: a step, journalled",
                lambda: ours("tools/call", name="one__classify_growth", arguments=ARGUMENTS),
                LOOPS,
            ),
            Contender(
                "bare FastMCP: the function alone",
                lambda: bare("tools/call", name="classify_growth", arguments=ARGUMENTS),
                LOOPS,
            ),
        ]
        listing = [
            Contender(name, partial(ask, "tools/call", name="list_skills", arguments={}), LOOPS)
            for name, ask in (("skills2", ours), ("bare FastMCP: the same answer", bare))
        ]
        return measure(step, ROUNDS), measure(listing, ROUNDS)


def proxy_script(folder: Path) -> Path:
    """FastMCP's own proxy to the one registered kernel."""
    script = folder / "proxy.py"
    script.write_text(PROXY, encoding="utf-8")
    return script


def through_connect(folder: Path) -> Any:
    """A step of an idle kernel, by `connect` and without it; and what its pipes alone take."""
    words = (beside("skills2"), "connect", str(folder / "none"))
    bare_words = (sys.executable, str(bare_script(folder)))
    with (
        live.served(folder / "through") as (_, _, direct),
        client(*words) as ours,
        client(sys.executable, str(proxy_script(folder))) as proxy,
        client(*bare_words) as bare,
    ):
        tool = "notebook__double"
        while tool not in [item["name"] for item in ours("tools/list")["result"]["tools"]]:
            time.sleep(0.1)

        def through() -> None:
            answer = ours("tools/call", name=tool, arguments={"number": 21})
            assert answer["result"]["structuredContent"]["result"] == 42, answer

        return measure(
            [
                Contender("skills2 connect, to the kernel", through, LOOPS),
                Contender(
                    "FastMCP's proxy, to the kernel",
                    lambda: proxy("tools/call", name=tool, arguments={"number": 21}),
                    LOOPS // 20,
                ),
                Contender("the kernel itself, over HTTP", direct, LOOPS),
                Contender(
                    "bare FastMCP: a function, on stdio",
                    lambda: bare("tools/call", name="classify_growth", arguments=ARGUMENTS),
                    LOOPS,
                ),
            ],
            ROUNDS,
        )


ONE = '''from typing import Literal

from pydantic import BaseModel

from skills2_nb import step


class GrowthClass(BaseModel):
    growth_class: Literal["shrinking", "steady", "growing", "surging", "undefined"]
    cut_low: float | None
    cut_high: float | None


def fits(quick_ratio, growth_class):
    return growth_class == "growing" and quick_ratio > 1.5


@step(invariants=[fits])
def classify_growth(quick_ratio: float | None) -> GrowthClass:
    """The class that a quick ratio falls into."""
    return GrowthClass(growth_class="growing", cut_low=1.5, cut_high=4.0)
'''


def single(folder: Path) -> Path:
    """A package of one step that stands on nothing."""
    from skills2_nb.contract.loader import describe

    made = folder / "one"
    (made / "runtime").mkdir(parents=True, exist_ok=True)
    (made / "SKILL.md").write_text("---\nname: one\ndescription: One step.\n---\n\nProse.\n")
    step = '[[steps]]\nid = "classify_growth"\norder = 1\nfn = "runtime.steps:classify_growth"\n'
    (made / "skill.toml").write_text(f'schema = 1\n[skill]\nname = "one"\n{step}')
    (made / "runtime" / "__init__.py").write_text("")
    (made / "runtime" / "skill.py").write_text(ONE)
    (made / "runtime" / "steps.py").write_text("from .skill import classify_growth\n")
    (made / "schemas.json").write_text(json.dumps({"of": "", **describe(made)}))
    return made


@contextmanager
def client(*words: str) -> Iterator[Callable[..., Any]]:
    """A server on stdio, and what asks it: lines of JSON, with nothing around them."""
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    given, told = process.stdin, process.stdout
    assert given is not None and told is not None
    number = 0

    def ask(method: str, **params: Any) -> Any:
        nonlocal number
        number += 1
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        given.write(json.dumps(message | {"params": params | {"_meta": META}}).encode() + b"\n")
        given.flush()
        return json.loads(told.readline())

    try:
        yield ask
    finally:
        process.kill()
        process.wait()
        given.close()
        told.close()
