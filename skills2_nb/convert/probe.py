"""Imports a staged package, in a process of its own."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any

from skills2_nb.contract.loader import describe

SKILL = "skill.py"


def main(folder: str, out: str) -> None:
    """Write what a package's import says: ``{"steps": ...}`` or ``{"error": ...}``.

    Args:
        folder: the package.
        out: the file to write to; stdout belongs to the code imported.
    """
    try:
        told: dict[str, Any] = describe(Path(folder))
    except BaseException as error:
        told = {"error": fault(error, Path(folder))}
    Path(out).write_text(json.dumps(told), encoding="ascii")


def fault(error: BaseException, folder: Path) -> dict[str, Any]:
    """The innermost cause with its line in ``runtime/skill.py``, where it has one."""
    chain = [error]
    while (inner := chain[-1].__cause__) is not None:
        chain.append(inner)
    cause = chain[-1]
    lines = [line for item in reversed(chain) if (line := _line(item, folder)) is not None]
    return {
        "type": type(cause).__name__,
        "message": str(cause) or type(cause).__name__,
        "line": lines[0] if lines else None,
        "name": getattr(cause, "name", None) if isinstance(cause, ImportError) else None,
    }


def _line(error: BaseException, folder: Path) -> int | None:
    if isinstance(error, SyntaxError) and Path(error.filename or "").name == SKILL:
        return error.lineno
    ours = (folder / "runtime" / SKILL).resolve()
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename and Path(frame.filename).resolve() == ours:
            return frame.lineno
    return None


if __name__ == "__main__":
    main(*sys.argv[1:3])
