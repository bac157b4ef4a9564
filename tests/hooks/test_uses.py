"""Whose call it is, and which tools are held back."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skills2_nb.hooks import uses
from tests.hooks.client import SESSION, Answer, Plugin, event, skill, write_index

Hook = Callable[..., Answer]
STEP = "mcp__skills2__growth-accounting__count"
END = "mcp__skills2__growth-accounting__end_run"
LAZY = "mcp__skills2__call_step"


def use(tool: Any, **fields: Any) -> dict[str, Any]:
    return event("PreToolUse", tool_name=tool, **{"tool_use_id": "toolu_1", **fields})


@pytest.fixture
def restricted(home: Path, tmp_path: Path) -> None:
    """`growth-accounting` holds other tools back, `open-skill` does not."""
    write_index(
        home / "index",
        skill(tmp_path, "growth-accounting", "x", restrict=True, allowed=("Bash", "mcp__files")),
        skill(tmp_path, "open-skill", "y"),
    )


@pytest.mark.parametrize("enforce", ["off", "advise", "block"])
@pytest.mark.parametrize("prompt_id", ["p1", None])
def test_a_call_of_ours_is_recorded(
    hook: Hook, home: Path, enforce: str, prompt_id: str | None
) -> None:
    assert hook(use(STEP, prompt_id=prompt_id), enforce) == Answer(0, b"", b"")
    path = home / "calls" / "toolu_1"
    assert json.loads(path.read_bytes()) == {"session": SESSION, "prompt_id": prompt_id}
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
    assert hook(use(STEP, prompt_id="p2"), enforce) == Answer(0, b"", b"")
    assert json.loads(path.read_bytes())["prompt_id"] == prompt_id, "the first record stays"


@pytest.mark.parametrize(
    "sent",
    [
        *(use(tool) for tool in ("Bash", "mcp__other__x", "mcp__plugin_p_s__x", "", None, 7)),
        *(use(STEP, tool_use_id=id) for id in ("", "../x", "a/b", "x" * 129, "a\0", None, ["a"])),
    ],
    ids=lambda sent: f"{sent['tool_name']}-{sent['tool_use_id']}"[:60],
)
def test_nothing_else_is(hook: Hook, home: Path, sent: dict[str, Any]) -> None:
    assert hook(sent) == Answer(0, b"", b"")
    assert not [*home.glob("calls/*"), *home.glob("*.log")]


@pytest.mark.parametrize(
    ("tool", "is_ours"),
    [
        ("mcp__plugin_growth_s__count", True),
        ("mcp__plugin_growth_t__count", False),
        ("mcp__plugin_other_s__count", False),
        (STEP, False),
    ],
)
def test_a_plugin_records_its_own(
    hook: Hook, home: Path, plugin: Plugin, tool: str, is_ours: bool
) -> None:
    assert hook(use(tool), *plugin.words(), main=plugin.main) == Answer(0, b"", b"")
    assert (plugin.data / "calls" / "toolu_1").exists() == is_ours
    assert not home.exists()


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ('{"name": "Plug.in é"}', "Plug_in__"),
        ("{}", "plugin"),
        ('{"name": 3}', "plugin"),
        (None, "plugin"),
    ],
)
def test_a_plugins_name_as_the_client_writes_it(
    hook: Hook, plugin: Plugin, manifest: str | None, name: str
) -> None:
    place = plugin.root / ".claude-plugin" / "plugin.json"
    place.unlink() if manifest is None else place.write_text(manifest, encoding="utf-8")
    tool = f"mcp__plugin_{name}_s__count"
    assert uses.prefix(uses.plugins_name(str(plugin.root))) == tool.removesuffix("count")
    assert hook(use(tool), *plugin.words(), main=plugin.main) == Answer(0, b"", b"")
    assert (plugin.data / "calls" / "toolu_1").exists()


@pytest.mark.parametrize(
    ("before", "tool", "is_denied"),
    [
        ([], "Write", False),
        ([use(STEP)], "Write", True),
        ([use(STEP)], "WebFetch", True),
        ([use(STEP)], "mcp__other__run", True),
        ([use(STEP)], "Bash", False),  # allowed-tools has it
        ([use(STEP)], "mcp__files__read", False),  # and this one's server
        ([use(STEP)], "Read", False),
        ([use(STEP)], "ToolSearch", False),
        ([use(STEP)], STEP, False),
        ([use(STEP)], "mcp__skills2__open-skill__x", False),
        ([use("mcp__skills2__growth-accounting__start_run")], "Write", False),
        ([use("mcp__skills2__list_skills")], "Write", False),
        ([use("mcp__skills2__open-skill__count")], "Write", False),
        ([use("mcp__skills2__unknown__count")], "Write", False),
        ([use(LAZY, tool_input={"skill": "growth-accounting", "step": "count"})], "Write", True),
        ([use(LAZY, tool_input={"skill": "open-skill", "step": "count"})], "Write", False),
        ([use(LAZY, tool_input=["growth-accounting"])], "Write", False),
        ([use(STEP), use(END)], "Write", False),
        ([use(STEP), use("mcp__skills2__growth-accounting__audit_run")], "Write", True),
        ([use(STEP), event("Stop")], "Write", True),  # nothing to end: it was no run's
        ([use(STEP, prompt_id="p0")], "Write", False),  # another prompt's
        ([use(STEP, agent_id="a1")], "Write", False),  # a subagent's
        ([use(STEP), use(STEP, agent_id="a1"), use(END, agent_id="a1")], "Write", True),
    ],
)
def test_what_a_run_holds_back(
    hook: Hook, restricted: None, before: list[dict[str, Any]], tool: str, is_denied: bool
) -> None:
    for sent in before:
        assert hook(sent).said == {}
    said = hook(use(tool)).said
    assert bool(said) == is_denied
    if is_denied:
        answer = said["hookSpecificOutput"]
        assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
        assert "growth-accounting" in answer["permissionDecisionReason"]
        assert tool in answer["permissionDecisionReason"]
        assert hook(use(tool), "off").said == {}


def test_a_subagent_is_held_back_by_its_own_run_alone(hook: Hook, restricted: None) -> None:
    hook(use(STEP))
    assert hook(use("Write", agent_id="a1")).said == {}
    hook(use(STEP, agent_id="a1"))
    assert hook(use("Write", agent_id="a1")).said and hook(use("Write")).said
    hook(use(END))
    assert hook(use("Write", agent_id="a1")).said and not hook(use("Write")).said


@pytest.mark.parametrize("id", ["p1", None])
def test_the_next_prompt_lets_go(hook: Hook, restricted: None, id: str | None) -> None:
    hook(use(STEP, prompt_id=id))
    hook(event("UserPromptSubmit", prompt="x", prompt_id=id, source="system"))
    assert hook(use("Write", prompt_id=id)).said
    hook(event("UserPromptSubmit", prompt="x", prompt_id=id))
    assert hook(use("Write", prompt_id=id)).said == {}


def test_a_draft_that_stayed_holds_nothing_back(
    hook: Hook, restricted: None, session: Path
) -> None:
    hook(use(STEP))
    (path,) = session.glob("restrict-*")
    path.rename(f"{path}.123-abc")
    assert hook(use("Write")).said == {}


def test_a_plugin_holds_back_for_its_one_skill(hook: Hook, plugin: Plugin, tmp_path: Path) -> None:
    held = skill(tmp_path, "growth-accounting", "x", restrict=True)
    write_index(plugin.root / "hooks" / "index", held)
    for tool, is_denied in [
        ("mcp__plugin_other_s__count", False),
        ("Bash", False),
        ("mcp__plugin_growth_s__count", False),
        ("mcp__plugin_other_s__count", True),
        ("Bash", True),
        ("mcp__plugin_growth_s__end_run", False),
        ("Bash", False),
    ]:
        said = hook(use(tool), *plugin.words(), main=plugin.main).said
        assert bool(said) == is_denied, tool


def test_the_end_of_the_turn_lets_go(hook: Hook, plugin: Plugin, tmp_path: Path) -> None:
    held = skill(tmp_path, "growth-accounting", "x", restrict=True)
    write_index(plugin.root / "hooks" / "index", held)

    def send(sent: dict[str, Any]) -> dict[str, Any]:
        return hook(sent, *plugin.words(), main=plugin.main).said

    send(use("mcp__plugin_growth_s__count"))
    (path,) = plugin.data.glob("sessions/*/restrict-*")
    (path.parent / "run-0123456789abcdef").write_text("20261201-000000-00000000")
    send(event("Stop", background_tasks=[{"id": "b1"}]))
    assert send(use("Write"))
    send(event("Stop", last_assistant_message="Done."))
    assert not path.exists() and not send(use("Write"))


def test_a_disk_that_is_full_leaves_no_half_record(hook: Hook, home: Path) -> None:
    resource = pytest.importorskip("resource", reason="a limit of the system")
    done = hook(use(STEP), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5)))
    assert done == Answer(0, b"", b"")
    assert not list(home.glob("calls/*"))
