"""Two hundred packages, some of which are broken."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from skills2_nb.contract.journal import Record, read
from skills2_nb.contract.run import find
from skills2_nb.library.catalog import Catalog
from skills2_nb.serve.bridge import Bridge
from skills2_nb.serve.desk import Desk
from skills2_nb.serve.pool import Pool
from skills2_nb.serve.server import Options
from skills2_nb.serve.sessions import Session, Transport
from skills2_nb.serve.surface import Surface, once
from tests.serve.conftest import no_audit
from tests.serve.packages import write_package

ME = Session("me", "bridge")
UNREAD, UNIMPORTED = {"p010", "p011", "p012"}, {"p013", "p014", "p021"}


def spread(root: Path) -> None:
    """Write one package, and copy it: the others differ by their names."""
    first = write_package(root, "p000")
    texts = {name: (first / name).read_text() for name in ("SKILL.md", "skill.toml")}
    for at in range(1, 200):
        folder = shutil.copytree(first, root / f"p{at:03}")
        for name, text in texts.items():
            (folder / name).write_text(text.replace("p000", folder.name))
    (root / "p010" / "skill.toml").write_text("[[")
    (root / "p011" / "schemas.json").write_text(
        '{"steps": {"add": {"input": {"properties": [1]}}}}'
    )
    (root / "p012" / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    for name, code in (
        ("p013", "raise ValueError('no')"),
        ("p014", "def ("),
        ("p020", "import time\ntime.sleep(30)"),
        ("p021", "import os\nos._exit(3)"),
    ):
        (root / name / "runtime" / "skill.py").write_text(code)


def test_the_broken_are_named_once_and_hold_nobody_up(tmp_path: Path) -> None:
    spread(tmp_path)
    said: list[str] = []
    say = once(said.append)

    async def work() -> None:
        catalog, pool = Catalog([tmp_path]), Pool()
        surface = Surface(catalog, lazy=False, scripts=False, say=say)
        surface.change(set())
        assert surface.lazy and len(surface.listed) == 4
        desk = Desk(catalog, pool, no_audit, lazy=True, say=say)

        async def call(skill: str) -> dict[str, Any]:
            given = {"skill": skill, "step": "add", "arguments": {"values": [7]}}
            return (await desk.answer("", "call_step", given, ME)).body

        try:
            slow = asyncio.ensure_future(call("p020"))
            bad = await asyncio.gather(*map(call, sorted(UNREAD | UNIMPORTED)))
            assert {body["kind"] for body in bad} == {"broken"}
            good = await asyncio.gather(*(call(f"p{at:03}") for at in range(100, 106)))
            assert [body["total"] for body in good] == [7] * 6
            assert not slow.done()
            listed = (await desk.answer("", "list_skills", {}, ME)).body
            assert len(listed["skills"]) == 200 - len(UNREAD | UNIMPORTED)
            assert {item["name"] for item in listed["broken"]} == UNREAD | UNIMPORTED
        finally:
            slow.cancel()
            await pool.close()

    asyncio.run(work())
    assert sorted(line.split()[0] for line in said) == sorted(UNREAD | UNIMPORTED)


def test_sixteen_sessions_of_connect_mix_nothing(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a bridge of its own over the same folder; two and two use one skill."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    root = tmp_path / "skills"
    spread(root)
    turns = 5

    async def session(at: int) -> tuple[int, str]:
        transport = Transport(f"session-{at}", "environment")
        bridge = Bridge(Catalog([root]), Options(no_audit, transport, say=lambda sentence: None))
        async with Client(bridge.mcp._mcp_server) as client:

            async def call(step: str, **given: Any) -> dict[str, Any]:
                words = {"skill": f"p{100 + at // 2}", "step": step, "arguments": given}
                done = await client.call_tool("call_step", words)
                assert done.structured_content is not None and not done.is_error, done
                return dict(done.structured_content)

            run = (await call("start_run", prompt=f"Add {at}.", inputs={}))["run_id"]
            for turn in range(turns):
                done = await call("add", values=[at, turn])
                assert (done["total"], done["run_id"]) == (at + turn, run)
            told = await call("tell")
            await call("end_run", answer=told["readout"])
        return at, run

    async def all_of_them() -> list[tuple[int, str]]:
        return await asyncio.gather(*map(session, range(16)))

    made = asyncio.run(all_of_them())
    assert len({run for _, run in made}) == 16
    for at, run in made:
        first, *rest = read(find(run))
        assert (first["session"], first["skill"]) == (f"session-{at}", f"p{100 + at // 2}")
        assert [given(record) for record in rest if record.get("step") == "add"] == [
            [at, turn] for turn in range(turns)
        ]
        assert [record["kind"] for record in rest[turns:]] == ["step_ok", "run_ended", "answer"]


def given(record: Record) -> Any:
    return record["args"]["values"]
