"""An earlier evaluation, as a new one is compared with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skills2_nb.errors import UsageError
from skills2_nb.evals import baseline
from skills2_nb.formats.files import read_bytes

#: Where a skill keeps what it is compared with.
OWN = Path("evals") / "baseline.json"


def earlier(paths: Iterable[Path]) -> dict[str, Any] | None:
    """The skills of several files, each a baseline.json or a results.json; None of no file.

    Raises:
        UnreadableError: a file is not there, or a baseline is broken.
        UsageError: one is neither.
    """
    listed = list(paths)
    if not listed:
        return None
    return {"skills": [skill for path in listed for skill in _skills(path)]}


def _skills(path: Path) -> list[Mapping[str, Any]]:
    data = read_bytes(path)
    try:
        told = json.loads(data)
        skills = told.get("skills", [told])
        is_results = all({"skill", "cases", "pass_rate"} <= each.keys() for each in skills)
        is_kept = "v" in told and all({"skill", "weights"} <= each.keys() for each in skills)
    except (ValueError, TypeError, AttributeError):
        is_results = is_kept = False
    if is_kept:
        return [kept.to_dict() for kept in baseline.read(path).values()]
    if is_results:
        return list(skills)
    raise UsageError(
        f"{path} is neither a baseline.json nor a results.json; skills2 gate makes the one and "
        "skills2 eval the other"
    )
