"""A skill as one file to upload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from skills2_nb.convert.bundle_front import uploaded
from skills2_nb.convert.bundle_kit import carried
from skills2_nb.convert.bundle_source import MOST_BYTES, SKILL_MD, Source
from skills2_nb.errors import RefusedError
from skills2_nb.formats.package import LOCK, lock
from skills2_nb.formats.problem import Problem

#: What clients take that get a skill over MCP (SEP-2640); uploads have no such limit.
MCP_FILES, MCP_BYTES = 512, 16 * 1024 * 1024
_BEYOND = re.compile(rb"^[ \t]*(?:from|import) (skills2_nb\.(?!contract\b)\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Bundle:
    """What is handed on, before it is written.

    Attributes:
        name: of the folder that holds it.
        files: bytes by path in that folder.
        dropped: a problem for each key of the front matter that did not come along.
        notes: what a reader should know, a sentence each.
    """

    name: str
    files: Mapping[str, bytes]
    dropped: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def upload(source: Source) -> Bundle:
    """The files of a skill as claude.ai and the Skills API take them.

    The front matter has the six fields of the specification; the steps run with the part of the
    kit that lies in ``vendor/``, where no kit is installed.

    Raises:
        RefusedError: uploads would refuse it.
    """
    front = uploaded(source, needs(source) if source.has_steps else "")
    files = {**source.files, SKILL_MD: front.data}
    if source.has_steps:
        files |= carried(source.name)
    total = sum(map(len, files.values()))
    if total > MOST_BYTES:
        raise RefusedError(
            f"{source.name} has {total / 1e6:.1f} MB with the part of the kit that goes along, and "
            f"uploads take {MOST_BYTES // 10**6}; leave out what the steps do not read."
        )
    if source.is_exported:
        files[LOCK] = lock(files).encode("utf-8")
    notes = (*hidden(source), *_large(files, total), *_beyond(source))
    return Bundle(source.name, files, front.dropped, notes)


def hidden(source: Source) -> tuple[str, ...]:
    """What to say of the hidden files that stay behind."""
    if not source.left_out:
        return ()
    return (f"Hidden files are never packaged: {', '.join(source.left_out)}.",)


def needs(source: Source) -> str:
    """What the steps of a skill need to run, in one sentence or two."""
    runtime = source.manifest.runtime
    libraries = sorted({*runtime.dependencies, "pydantic"} - {"skills2-nb", "skills2_nb"})
    return (
        f"Python {runtime.python} with {', '.join(libraries)}. Where the skill has no MCP tools, "
        "its steps run from its folder: python runtime list"
    )


def _beyond(source: Source) -> tuple[str, ...]:
    """What to say of steps that stand on more of the kit than goes along."""
    texts = [data for path, data in source.files.items() if path.startswith("runtime/")]
    found = {name.decode() for data in texts for name in _BEYOND.findall(data)}
    if not found:
        return ()
    return (
        f"The steps import {', '.join(sorted(found))}: where skills2-nb is not installed, they do "
        "not run.",
    )


def _large(files: Mapping[str, bytes], total: int) -> tuple[str, ...]:
    if len(files) <= MCP_FILES and total <= MCP_BYTES:
        return ()
    return (
        f"{len(files)} files, {total / 1e6:.1f} MB: clients that get skills over MCP take "
        f"{MCP_FILES} files and {MCP_BYTES // 2**20} MiB.",
    )
