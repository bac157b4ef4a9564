"""What the tools of a skill are called."""

from __future__ import annotations

import hashlib
import re

from skills2_nb.hooks.uses import prefix

#: A client shows a tool as ``mcp__skills2__<name>``, in at most 64 characters.
LONGEST = 64 - len(prefix())
_ODD = re.compile(r"[^A-Za-z0-9_-]")


def named(skill: str, verb: str) -> str:
    """A tool's name: plain, within the limit, and no other step's.

    One that is too long, holds signs that clients refuse, or could be read as another skill's
    (``a__b`` and ``c``, ``a`` and ``b__c``) is cut and ends with a mark of what it stands for.
    """
    whole = f"{skill}__{verb}"
    name = _ODD.sub("_", whole)
    if len(whole) <= LONGEST and name == whole and whole.partition("__")[::2] == (skill, verb):
        return whole
    return _marked(name, f"{skill}\0{verb}")


def alone(verb: str) -> str:
    """A tool's name where its server has one skill: the verb, or what clients take of it."""
    name = _ODD.sub("_", verb)
    return verb if name == verb and len(verb) <= LONGEST else _marked(name, verb)


def _marked(name: str, whole: str) -> str:
    """A name cut, with a mark of what it stands for."""
    mark = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}_{mark}"


def shown(skill: str, verb: str, plugin: str = "") -> str:
    """A tool's name as Claude Code shows it.

    Args:
        plugin: the plugin that holds the skill alone; empty for the kit's own server.
    """
    return prefix(plugin) + (alone(verb) if plugin else named(skill, verb))
