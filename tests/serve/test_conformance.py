"""The protocol's own suite and its inspector, against `skills2 serve`; optional, both need Node 22.

`SKILLS2_CONFORMANCE` names a folder whose `node_modules` hold `@modelcontextprotocol/conformance`,
`@modelcontextprotocol/inspector` and, where the system's is older, `node` 22; `.ci/conformance`
makes one.
"""

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.servers import Served, http_server

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(os.environ.get("SKILLS2_CONFORMANCE") or os.devnull) / "node_modules" / ".bin"
PATH = f"{PLACE}{os.pathsep}{os.environ.get('PATH', '')}"
pytestmark = pytest.mark.skipif(
    not (PLACE / "conformance").exists(),
    reason="SKILLS2_CONFORMANCE names no folder that .ci/conformance made",
)

#: How many checks of a scenario succeed, warn and are skipped: a scenario that checked nothing
#: is green too, so that green alone says nothing.
SCENARIOS = {
    "ping": (2, 0, 0),
    "tools-list": (3, 0, 0),
    "server-initialize": (2, 0, 0),
    "dns-rebinding-protection": (2, 0, 0),
    "caching": (8, 0, 0),
    "http-header-validation": (14, 0, 0),
    "sep-2164-resource-not-found": (4, 0, 0),
    "sep-2640-skills-enumeration": (32, 0, 0),
    # Warned of: a file's resource is called by its path, and FastMCP adds a key of its own.
    "sep-2640-skills-manifest": (4, 2, 0),
    # Skipped: `resources/directory/read` is optional, and the server does not say it has it.
    "sep-2640-skills-directory": (1, 0, 6),
}
#: Checks of `server-stateless` that no server passes without the suite's own tools.
FIXTURES = {
    # Both call `test_missing_capability`, a tool that asks the client for `sampling`. No tool here
    # asks a client for anything. The answer to the call of a tool that is not there is a result
    # with `isError`, which the first takes for a tool that ran.
    "sep-2575-server-rejects-undeclared-capability": "FAILURE",
    "sep-2575-missing-capability-http-400": "FAILURE",
    # These call `test_trigger_prompt_change` and `test_trigger_tool_change`, and wait to be told.
    # That a client that listens is told of a new export is a test of `test_http.py`.
    "sep-2575-server-sends-prompts-list-changed-on-subscription": "WARNING",
    "sep-2575-server-sends-tools-list-changed-on-subscription": "WARNING",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of growth-accounting that lets everybody of this machine in."""
    home = tmp_path_factory.mktemp("conformance") / "home"
    with http_server(ROOT / "skills" / "growth-accounting", home, "--no-token", token=None) as made:
        yield made


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which(words[0], path=PATH)
    assert program is not None
    return subprocess.run(
        [program, *words[1:]],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PATH": PATH},
    )


@pytest.fixture
def checks(served: Served, tmp_path: Path) -> Callable[[str], tuple[int, list[dict[str, Any]]]]:
    """The exit code of a scenario, and its checks."""

    def run(scenario: str) -> tuple[int, list[dict[str, Any]]]:
        words = ("server", "--url", served.url, "--scenario", scenario, "-o", str(tmp_path))
        done = ran("conformance", *words)
        (found,) = tmp_path.glob("*/checks.json")
        return done.returncode, json.loads(found.read_bytes())

    return run


@pytest.mark.parametrize(("scenario", "counts"), SCENARIOS.items(), ids=list(SCENARIOS))
def test_a_scenario_passes_with_so_many_checks(
    scenario: str, counts: tuple[int, int, int], checks: Callable[[str], Any]
) -> None:
    code, found = checks(scenario)
    told = Counter(check["status"] for check in found)
    wrong = [(c["id"], c.get("errorMessage")) for c in found if c["status"] == "FAILURE"]
    assert (code, wrong) == (0, [])
    assert (told["SUCCESS"], told["WARNING"], told["SKIPPED"]) == counts


def test_the_stateless_revision_fails_for_want_of_fixtures_alone(
    checks: Callable[[str], Any],
) -> None:
    _, found = checks("server-stateless")
    told = {check["id"]: check["status"] for check in found}
    assert {id_: status for id_, status in told.items() if status != "SUCCESS"} == FIXTURES
    assert sum(check["status"] == "SUCCESS" for check in found) == 26


def inspected(served: Served, method: str, *words: str) -> subprocess.CompletedProcess[str]:
    where = ("--cli", served.url, "--transport", "http", "--format", "json")
    return ran("mcp-inspector", *where, "--method", method, *words)


def test_the_inspector_lists_and_calls(served: Served) -> None:
    listed = inspected(served, "tools/list")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["result"]["tools"]) == 15
    start = ("--tool-name", "growth-accounting__start_run", "--tool-arg", "prompt=How many?")
    called = inspected(served, "tools/call", *start)
    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["result"]["structuredContent"]["steps"][0]["owed"] is True


def test_the_inspector_tells_an_error_of_a_tool(served: Served) -> None:
    called = inspected(served, "tools/call", "--tool-name", "growth-accounting__count_flows")
    assert called.returncode == 5
    assert "run_required" in called.stdout


def test_the_inspector_verifies_the_skills(served: Served) -> None:
    done = inspected(served, "skills/list", "--verify", "--protocol-era", "modern")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.strip().split("\n")[-1])
    assert told["outcome"] == "verified" if "outcome" in told else told["result"]
    assert "Verified 1 skill and 13 files" in done.stdout + done.stderr
