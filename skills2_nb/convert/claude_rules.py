"""Lint of the front matter that Claude Code alone reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from skills2_nb.convert.context import Context
from skills2_nb.convert.document import line_of
from skills2_nb.formats.problem import Problem

BOOLEANS = ("disable-model-invocation", "user-invocable", "background", "default-enabled")
#: What stands for true and false there; YAML makes booleans of some, and the rest are texts.
TRUTHS = ("true", "false", "yes", "no", "on", "off", "1", "0")
CHOICES = {
    "context": ("fork",),
    "effort": ("low", "medium", "high", "xhigh", "max"),
    "shell": ("bash", "powershell"),
}
TEXTS = ("when_to_use", "argument-hint", "model", "agent", "display-name")
LISTS = ("arguments", "disallowed-tools", "paths")
#: What has a meaning in a fork alone.
OF_A_FORK = ("agent", "background")
#: Characters of description and when_to_use together that a listing shows.
LONGEST_LISTED = 1_536
#: The events that hooks may name.
EVENTS = frozenset(
    (
        "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification",
        "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop",
        "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
        "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied", "Setup",
        "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult",
        "ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged",
        "FileChanged", "DirectoryAdded", "MessageDisplay", "PreSkillShellCommand",
    )
)  # fmt: skip
#: What each kind of handler cannot be without.
HANDLERS = {
    "command": ("command",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
    "prompt": ("prompt",),
    "agent": ("prompt",),
}
#: Seconds; a timeout above it was meant in milliseconds.
LONGEST_TIMEOUT = 3_600


def values(context: Context) -> Iterator[Problem]:
    """F329: values that Claude Code does not read."""
    fields = context.document.fields
    for key in BOOLEANS:
        if key in fields and str(fields[key]).lower() not in TRUTHS:
            yield _at(context, "F329", f"{key} is neither true nor false", "write one of them", key)
    for key, choices in CHOICES.items():
        if key in fields and fields[key] not in choices:
            said = f"{key} is {fields[key]!r}, which Claude Code does not know"
            yield _at(context, "F329", said, f"write {' or '.join(choices)}", key)
    for key in TEXTS:
        if key in fields and not _is_text(fields[key]):
            mend = 'write one text, in quotes: "..."'
            yield _at(context, "F329", f"{key} is no text", mend, key)
    for key in LISTS:
        value = fields.get(key, "")
        if not isinstance(value, str) and not _are_texts(value):
            mend = "write one text, or one text a line"
            yield _at(context, "F329", f"{key} is no list of texts", mend, key)


def without_effect(context: Context) -> Iterator[Problem]:
    """F330: fields that do nothing as they stand beside others."""
    fields = context.document.fields
    for key in OF_A_FORK:
        if key in fields and fields.get("context") != "fork":
            said = f"{key} means nothing without `context: fork`"
            yield _at(context, "F330", said, "add `context: fork`, or drop it", key)
    if _is(fields, "disable-model-invocation", True) and _is(fields, "user-invocable", False):
        said = "neither the model nor the user may call the skill, so nobody can"
        yield _at(context, "F330", said, "drop one of the two", "user-invocable")
    if "hooks" in fields and fields.get("context") == "fork":
        said = "hooks of a skill do not reach its fork"
        mend = "drop `context: fork`, or keep the hooks in the settings"
        yield _at(context, "F330", said, mend, "hooks")


def hooks(context: Context) -> Iterator[Problem]:
    """F331: hooks that are not shaped as settings have them."""
    if "hooks" in context.document.fields:
        for said, mend in _of_hooks(context.document.fields["hooks"]):
            yield _at(context, "F331", said, mend, "hooks")


def listing(context: Context) -> Iterator[Problem]:
    """F332: a description that a listing cuts."""
    said = context.document.fields.get("when_to_use")
    size = len(context.document.description) + (len(said) if isinstance(said, str) else 0)
    if said and size > LONGEST_LISTED:
        yield _at(
            context,
            "F332",
            f"description and when_to_use have {size} characters together, and a listing shows "
            f"{LONGEST_LISTED}",
            "say first what tells the skill from others",
            "when_to_use",
        )


def _of_hooks(value: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with hooks, and the mend."""
    if not isinstance(value, Mapping):
        yield "hooks is no mapping of events", "write the event's name, and its groups below it"
        return
    for event, groups in value.items():
        if event not in EVENTS:
            near = get_close_matches(str(event), EVENTS, n=1)
            yield (
                f"there is no event {event!r}",
                f"write {near[0]}" if near else "name one of Claude Code's events",
            )
        if not isinstance(groups, list):
            yield f"{event} is no list of groups", "begin each group with a hyphen"
            continue
        for group in groups:
            yield from _of_group(str(event), group)


def _of_group(event: str, group: Any) -> Iterator[tuple[str, str]]:
    handlers = group.get("hooks") if isinstance(group, Mapping) else None
    if not isinstance(handlers, list):
        mend = "write `hooks:` below the matcher, and the handlers below it"
        yield f"a group of {event} has no list `hooks` of handlers", mend
        return
    if not isinstance(group.get("matcher", ""), str):
        yield f"a matcher of {event} is no text", "put it in quotes"
    for handler in handlers:
        yield from _of_handler(event, handler)


def _of_handler(event: str, handler: Any) -> Iterator[tuple[str, str]]:
    kind = handler.get("type") if isinstance(handler, Mapping) else None
    if kind not in HANDLERS:
        yield f"a handler of {event} has no known type", f"write {' or '.join(HANDLERS)}"
        return
    for key in HANDLERS[kind]:
        if not _is_text(handler.get(key)):
            yield f"a handler of {event} has no {key}", f"write {key}: ..."
    seconds = handler.get("timeout", 1)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        yield f"a timeout of {event} is no number of seconds", "write one, such as 10"
    elif seconds > LONGEST_TIMEOUT:
        mend = f"write {max(1, round(seconds / 1000))}, if milliseconds were meant"
        yield f"a timeout of {event} is {seconds} seconds", mend


def _is(fields: Mapping[str, Any], key: str, wanted: bool) -> bool:
    said = str(fields.get(key)).lower()
    return said in TRUTHS and (said in TRUTHS[::2]) is wanted


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _at(context: Context, code: str, message: str, mend: str, key: str) -> Problem:
    front = context.document.front
    assert front is not None  # it is where the field was read
    return front.problem(code, message, mend, line=line_of(front, key))


RULES: tuple[Callable[[Context], Iterable[Problem]], ...] = (
    values,
    without_effect,
    hooks,
    listing,
)
