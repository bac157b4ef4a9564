"""What a server is lent: an audit, in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skills2_nb.errors import RefusedError, SetupError
from skills2_nb.library.activation import Contract
from skills2_nb.library.resources import located
from skills2_nb.sandbox import executor

#: Seconds that an audit with its replay may take.
AUDIT_SECONDS = 300.0


async def judge(run: str, folder: Path) -> Mapping[str, Any]:
    """What ``skills2 audit RUN --json`` says of both profiles.

    The package is imported and its steps are replayed, so it is done outside the server.

    Raises:
        RefusedError: the audit could not be made; the message is its own sentence.
        SetupError: it took too long.
    """
    start = "from skills2_nb.cli.main import main; main()"
    words = ("audit", "--json", "--skill", str(folder), "--", run)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        start,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: text for name, text in os.environ.items() if name != "SKILLS2_TOKEN"},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(AUDIT_SECONDS):
            told, wrong = await process.communicate()
    except TimeoutError:
        raise SetupError(f"the audit of {run} takes longer than {AUDIT_SECONDS:g} s") from None
    finally:
        with contextlib.suppress(AttributeError, ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its replays too; Windows has no groups
    try:
        return dict(json.loads(told)["audit"])
    except (ValueError, KeyError, TypeError):
        last = wrong.decode("utf-8", "replace").strip().split("\n")[-1]
        raise RefusedError(last or f"the audit of {run} said nothing") from None


async def run_script(made: Contract, path: str, words: Sequence[str]) -> dict[str, Any]:
    """Run a file of a skill's ``scripts/`` folder, within bounds."""
    folder = made.card.folder
    place = located(folder, path)
    ran = await asyncio.to_thread(executor.run, folder, place, words)
    return {**dataclasses.asdict(ran), "path": path}
