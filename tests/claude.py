"""The real Claude Code client in a home of its own, with a script in the model's place."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CLAUDE = os.environ.get("SKILLS2_CLAUDE", "")
needs_claude = pytest.mark.skipif(not CLAUDE, reason="set SKILLS2_CLAUDE to the client's program")

#: A wildcard for a server has to be literal in its name.
TOOLS = ("mcp__skills2__*", "mcp__plugin_growth-accounting_s__*")

Turn = list[dict[str, Any]]
#: The model would call before the server is there, and not every client has a tool that waits.
PATIENCE: list[Turn] = [
    [{"type": "tool_use", "name": "Bash", "input": {"command": "sleep 4", "description": "Wait"}}]
] * 3


def calls(name: str, given: dict[str, Any] | None = None) -> Turn:
    """A turn in which the model calls one tool."""
    return [{"type": "tool_use", "name": name, "input": given or {}}]


def says(text: str) -> Turn:
    """A turn in which the model answers."""
    return [{"type": "text", "text": text}]


#: What keeps the client off the network, and patient with a server on a busy machine.
QUIET = {
    "ANTHROPIC_API_KEY": "none",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "MCP_TIMEOUT": "90000",
}


@contextmanager
def model(shared: Path, turns: Sequence[Turn], log: Path) -> Iterator[str]:
    """The address of a model that takes these turns and keeps what it was sent.

    Args:
        shared: the folder that holds the stand-in for it.
        turns: content blocks, a list a turn.
        log: the file of every request; the script lies beside it.
    """
    script = log.with_suffix(".script.json")
    script.write_text(json.dumps(list(turns)), encoding="utf-8")
    text = (shared / "tools" / "scripted_messages_api.py").read_text(encoding="utf-8")
    program = log.with_suffix(".model.py")  # whose calls have ids of their own, as real ones do
    program.write_text(text.replace("toolu_", f"toolu_{secrets.token_hex(6)}_"), "utf-8")
    command = [sys.executable, str(program), str(script), "--log", str(log), "--port", "0"]
    api = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert api.stdout is not None
    try:
        yield f"http://127.0.0.1:{api.stdout.readline().strip()}"
    finally:
        api.kill()
        api.wait()
        api.stdout.close()


@dataclass
class Desk:
    """A user's home and project, and the client that is started there.

    Attributes:
        home: what HOME is to the client.
        project: where it is started.
        shared: the folder that holds the stand-in for the model.
        environ: more variables.
    """

    home: Path
    project: Path
    shared: Path
    environ: dict[str, str] = field(default_factory=dict)

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of every process started here; nothing of this machine's own."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(self.home), "PATH": path, **self.environ, **more}

    def skills2(self, *words: str) -> str:
        """What a command of the kit prints."""
        done = subprocess.run(
            [sys.executable, "-m", "skills2_nb.cli.main", *words],
            cwd=self.project,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def start(self, prompt: str, address: str, *options: str) -> "subprocess.Popen[str]":
        """Start the client with a prompt."""
        command = [CLAUDE, "-p", prompt, "--output-format", "json", *options]
        command += ["--allowedTools", *TOOLS, "Bash"]
        return subprocess.Popen(
            command,
            cwd=self.project,
            env=self.variables(ANTHROPIC_BASE_URL=address, **QUIET),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, prompt: str, turns: Sequence[Turn], *options: str) -> "Talk":
        """One prompt from its beginning to its end."""
        log = self.project / f"api-{len(list(self.project.glob('api-*.jsonl')))}.jsonl"
        with model(self.shared, turns, log) as address:
            return Talk.of(self.start(prompt, address, *options), log)


@dataclass(frozen=True)
class Talk:
    """What came of a prompt.

    Attributes:
        session: the client's id of it.
        result: the last answer.
        requests: the bodies that the model was sent, in order.
    """

    session: str
    result: str
    requests: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, client: "subprocess.Popen[str]", log: Path) -> "Talk":
        """Wait for a client that was started."""
        try:
            out, err = client.communicate(timeout=110)
        finally:
            client.kill()
        assert client.returncode == 0, (out, err)
        told = json.loads(out)
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        bodies = (line["body"] for line in lines if line["path"].startswith("/v1/messages"))
        offered = tuple(body for body in bodies if body.get("tools"))
        return cls(told["session_id"], told["result"], offered)

    def sent(self, number: int) -> str:
        """All text of one request's messages."""
        return json.dumps(self.requests[number]["messages"], ensure_ascii=False)

    def since(self, prompt: str) -> str:
        """What the first request holds of the newest prompt: the prompt and what goes with it."""
        texts = [json.dumps(each, ensure_ascii=False) for each in self.requests[0]["messages"]]
        at = max(number for number, text in enumerate(texts) if prompt in text)
        return "\n".join(texts[at:])
