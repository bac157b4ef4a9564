"""The numbers that a module spells out."""

from __future__ import annotations

import ast
import sys
from pathlib import Path


def constants_of(code: str) -> tuple[float, ...]:
    """The numbers that a module spells out: thresholds and the like, which an answer may name."""
    numbers = {
        node.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    }
    return tuple(sorted(float(n) for n in numbers if abs(n) <= sys.float_info.max))


def constants_in(folder: Path) -> tuple[float, ...]:
    """The numbers that a package's code spells out, by its text; none where it is no Python."""
    try:
        return constants_of((folder / "runtime" / "skill.py").read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ()
