"""Hooks and plugin in the real Claude Code client, seen in what it sends to the model."""

import json
import shutil
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.contract.journal import read
from tests.claude import PATIENCE, Desk, Talk, Turn, calls, model, needs_claude, says

pytestmark = [needs_claude, pytest.mark.timeout(400)]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "skills" / "growth-accounting"
SKILL = PACKAGE.name
PREFIX = f"mcp__skills2__{SKILL}__"
PROMPT = "Why did our monthly active users rise in 1998-03? The quick ratio too, please."
LATER = "Thank you. Anything else?"
FOUND = "What skills2 found of the last answer"
MANIFEST = tomllib.loads((PACKAGE / "skill.toml").read_text(encoding="utf-8"))
STEPS = [row["id"] for row in sorted(MANIFEST["steps"], key=lambda row: row["order"])]
CASE = next(
    row
    for line in (PACKAGE / "evals" / "cases.jsonl").read_text("utf-8").splitlines()
    if "inputs" in (row := json.loads(line)) and "calls" not in row
)


@pytest.fixture
def desk(tmp_path: Path, shared: Path) -> Desk:
    """A user with a project and nothing installed."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    shutil.copytree(PACKAGE, project / "package" / SKILL)
    return Desk(home, project, shared)


@pytest.fixture
def installed(desk: Desk) -> Desk:
    """The same, with the skill, the server and the hooks installed."""
    desk.skills2("install", str(desk.project / "package" / SKILL), "--yes")
    return desk


def records(desk: Desk) -> Path:
    return desk.home / ".claude" / "skills2"


def run_of(names: list[str], prefix: str = PREFIX, prompt: str = PROMPT) -> list[Turn]:
    start = calls(f"{prefix}start_run", {"prompt": prompt, "inputs": CASE["inputs"]})
    return [*PATIENCE, start, *(calls(prefix + name) for name in names)]


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the steps come to: the readout of a run."""
    folder = tmp_path_factory.mktemp("answer")
    (folder / "inputs.json").write_text(json.dumps(CASE["inputs"]))
    desk = Desk(folder, folder, folder, {"SKILLS2_HOME": str(folder / "records")})
    done = desk.skills2("run", str(PACKAGE), "--inputs", str(folder / "inputs.json"), "--json")
    return str(json.loads(done)["answer"])


def journals(home: Path) -> Iterator[list[dict[str, Any]]]:
    for path in sorted((home / "runs").rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
        yield [dict(record) for record in read(path)]


def audits(home: Path, count: int) -> list[dict[str, Any]]:
    """The ledger, as soon as the worker has put so many audits into it."""
    path, end = home / "ledger" / "audits.jsonl", time.monotonic() + 60
    while True:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        jobs = list((home / "sessions").glob("*/stop-*.json"))
        if len(lines) >= count and not jobs:
            return [json.loads(line) for line in lines]
        assert time.monotonic() < end, (lines, jobs, _log(home))
        time.sleep(0.2)


def _log(home: Path) -> str:
    path = home / "hooks.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_the_checklist_goes_in_and_the_score_is_kept(installed: Desk, answer: str) -> None:
    talk = installed.ask(PROMPT, [*run_of(STEPS), says(answer)])
    first = talk.sent(0)
    assert f"{PREFIX}start_run" in first and first.index(STEPS[0]) < first.index(STEPS[-1])
    (line,) = audits(records(installed), 1)
    assert (line["strict"]["score"], line["strict"]["verdict"]) == (1.0, "pass")
    assert (line["classic"]["score"], line["level"]) == (1.0, "L2")
    (journal,) = journals(records(installed))
    assert (journal[0]["prompt"], journal[0]["session"]) == (PROMPT, talk.session)
    assert journal[0]["vouched"] == "hook"
    assert [each["kind"] for each in journal][-2:] == ["run_ended", "answer"]
    assert _log(records(installed)) == ""


def test_what_is_wrong_is_named_in_the_next_turn_and_once(installed: Desk, answer: str) -> None:
    skipped, changed = STEPS[-2], answer.replace("211", "231")
    assert changed != answer
    bad = [name for name in STEPS if name != skipped]
    talk = installed.ask(PROMPT, [*run_of(bad[:-1]), says(changed)])
    assert audits(records(installed), 1)[0]["strict"]["verdict"] == "fail"
    later = installed.ask(LATER, [says("No.")], "--resume", talk.session)
    told = later.since(LATER)
    assert FOUND in told and skipped in told and "231" in told
    again = installed.ask(LATER + " Really?", [says("No.")], "--resume", talk.session)
    assert FOUND not in again.since(LATER + " Really?")


def test_a_skill_that_is_typed_brings_its_checklist_once(installed: Desk) -> None:
    talk = installed.ask(f"/{SKILL} please", [says("Which month?")])
    assert talk.sent(0).count(f"{PREFIX}start_run") == 1
    assert audits(records(installed), 0) == []


def test_what_is_off_says_nothing_and_audits(installed: Desk, answer: str) -> None:
    installed.skills2("hooks", "install", "--enforce", "off", "--yes")
    talk = installed.ask(PROMPT, [*run_of(STEPS[:-1]), says(answer)])
    assert f"{PREFIX}start_run" not in talk.sent(0)
    assert audits(records(installed), 1)[0]["strict"]["verdict"] == "fail"
    later = installed.ask(LATER, [says("No.")], "--resume", talk.session)
    assert FOUND not in later.since(LATER)


def test_block_sends_back_for_the_missing_step(installed: Desk, answer: str) -> None:
    installed.skills2("hooks", "install", "--enforce", "block", "--yes")
    missing = STEPS[-1]
    turns = [
        *run_of(STEPS[:-1]),
        says(answer),
        calls(PREFIX + missing),
        says(answer),
    ]
    talk = installed.ask(PROMPT, turns)
    assert talk.result == answer
    assert missing in talk.sent(-2) and "Stop hook" in talk.sent(-2)
    (line,) = audits(records(installed), 1)
    assert line["strict"]["verdict"] == "pass"


def test_a_third_bad_answer_is_let_through(installed: Desk, answer: str) -> None:
    installed.skills2("hooks", "install", "--enforce", "block", "--yes")
    turns = [*run_of(STEPS[:-1]), *[says(answer)] * 3, says("This is never said.")]
    talk = installed.ask(PROMPT, turns)
    assert talk.result == answer
    (line,) = audits(records(installed), 1)
    assert line["strict"]["verdict"] == "fail"
    later = installed.ask(LATER, [says("No.")], "--resume", talk.session)
    assert "let through" in later.since(LATER)
    assert "LET_THROUGH" in line["codes"]


def test_two_sessions_do_not_see_each_others_findings(installed: Desk, answer: str) -> None:
    wrong = answer.replace("211", "231")
    logs = [installed.project / "api-left.jsonl", installed.project / "api-right.jsonl"]
    turns = [[*run_of(STEPS), says(text)] for text in (answer, wrong)]
    with (
        model(installed.shared, turns[0], logs[0]) as left,
        model(installed.shared, turns[1], logs[1]) as right,
    ):
        both = [installed.start(PROMPT, address) for address in (left, right)]
        good, bad = (Talk.of(each, log) for each, log in zip(both, logs, strict=True))
    lines = {line["strict"]["verdict"] for line in audits(records(installed), 2)}
    assert lines == {"pass", "fail"} and good.session != bad.session
    told = installed.ask(LATER, [says("No.")], "--resume", good.session)
    assert f"{SKILL}: pass, score 1.00" in told.since(LATER) and "231" not in told.since(LATER)
    told = installed.ask(LATER, [says("No.")], "--resume", bad.session)
    assert "231" in told.since(LATER)


@pytest.mark.parametrize("both", [False, True], ids=["plugin alone", "plugin and settings"])
def test_a_plugin_does_the_same_and_both_do_it_once(desk: Desk, answer: str, both: bool) -> None:
    if both:
        desk.skills2("install", str(desk.project / "package" / SKILL), "--yes")
    desk.skills2(
        "package", str(desk.project / "package" / SKILL), "--format", "plugin", "-o", "out"
    )
    (plugin,) = (desk.project / "out").iterdir()
    prefix = f"mcp__plugin_{plugin.name}_s__"
    talk = desk.ask(PROMPT, [*run_of(STEPS, prefix), says(answer)], "--plugin-dir", str(plugin))
    first = talk.sent(0)
    told = [each for each in (PREFIX, prefix) if f"{each}start_run" in first]
    assert len(told) == 1
    if not both:
        assert told == [prefix]
    data = next(path for path in (desk.home / ".claude" / "plugins" / "data").iterdir())
    (line,) = audits(data, 1)
    assert (line["strict"]["score"], line["level"]) == (1.0, "L2")
    if both:
        assert audits(records(desk), 0) == []
