"""What the next prompt of a session is told: ``audit.txt``.

A hook claims the file by moving it away, so it is told once. What nobody has claimed yet is taken
along, unless it speaks of the same prompt.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from skills2_nb.contract.home import PRIVATE_FILE
from skills2_nb.errors import UnreadableError
from skills2_nb.evals.stop_event import plain_bytes
from skills2_nb.formats.files import write_atomic
from skills2_nb.hooks.event import untagged
from skills2_nb.views.brief import MOST, Brief, together

NAME, OF = "audit.txt", "audit.of"
HEAD = "What skills2 found of the last answer in this session, by the journal of its run:"
#: The head where answers to several prompts were not told of yet.
_GAP = "\n\n"


def put(folder: Path, briefs: Sequence[Brief], prompt_id: str | None) -> None:
    """Leave what was found for the next prompt; nothing found leaves what is there.

    Raises:
        SetupError: it cannot be written; what was there stands.
    """
    if not briefs:
        return
    earlier = _unclaimed(folder, prompt_id or "")
    room = MOST - len(HEAD) - 1
    text = f"{HEAD}\n{together(briefs, room // 2 if earlier else room)}"
    if earlier:
        text += f"{_GAP}Of an answer before it:\n{earlier.removeprefix(HEAD).strip()}"
    _write(folder / OF, prompt_id or "")
    _write(folder / NAME, untagged(text[:MOST]))


def _write(path: Path, text: str) -> None:
    """Replace a file; a link that somebody put in its place is not written through."""
    if path.is_symlink():
        path.unlink()
    write_atomic(path, text.encode(), mode=PRIVATE_FILE)


def _unclaimed(folder: Path, prompt_id: str) -> str:
    """The text that is still there, of another prompt; it is taken away, as a hook would do it."""
    taken = folder / f"audit.{os.getpid()}"
    with contextlib.suppress(OSError, ValueError, UnreadableError):
        is_same = plain_bytes(folder / OF).decode() == prompt_id
        (folder / NAME).rename(taken)
        text = plain_bytes(taken)[: 8 * MOST].decode("utf-8", "replace")
        taken.unlink()
        return "" if is_same else text
    return ""
