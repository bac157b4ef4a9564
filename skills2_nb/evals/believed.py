"""Whether an evaluation holds together, and may be believed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

VERDICTS = ("pass", "fail", "unproven")


def unsound(told: Mapping[str, Any]) -> str:
    """Why one skill of results.json is not to be believed; empty where it is.

    Its verdict and score are made of its cases, so they are made again and compared.
    """
    return next(_contradictions(told), "")


def _contradictions(told: Mapping[str, Any]) -> Iterator[str]:
    verdict, cases = told["verdict"], told["cases"]
    if verdict not in VERDICTS:
        yield f"its verdict is {verdict!r}"
    for case in cases:
        yield from _case(case)
    failed = [str(case.get("case")) for case in cases if not case.get("ok")]
    if failed and verdict != "fail":
        yield f"it says {verdict}, and does not hold for {', '.join(failed)}"
    if verdict == "pass" and not any(case.get("kind") == "run" for case in cases):
        yield "it says pass over no run case at all"
    if verdict == "pass" and told.get("why"):
        yield "it says pass and gives reasons against it"
    yield from _score(told)


def _case(case: Mapping[str, Any]) -> Iterator[str]:
    name, holds = case.get("case"), case.get("ok")
    if holds is not True and holds is not False:
        yield f"whether case {name} holds is {holds!r}"
    elif "wrong" in case and holds == bool(case["wrong"]):
        yield f"case {name} {'holds' if holds else 'does not hold'}, and its reasons say otherwise"
    elif holds and case.get("kind") == "run" and case.get("audit", ...) is None:
        yield f"case {name} holds, and its run was never judged"


def _score(told: Mapping[str, Any]) -> Iterator[str]:
    axes, profile = told.get("axes"), told.get("profile")
    if axes is None or profile is None:
        return
    seen = [
        case["audit"][profile]["score"]
        for case in told["cases"]
        if case.get("audit") is not None and case.get("expected") == "pass"
    ]
    said, made = axes["score"], median(seen) if seen else None
    same = said == made if said is None or made is None else math.isclose(said, made, abs_tol=1e-9)
    if not same:
        yield f"its score is {said}, and that of its cases is {made}"
    limit = told.get("threshold")
    if told["verdict"] == "pass" and said is not None and limit is not None and said < limit:
        yield f"it says pass with a score of {said}, below its threshold of {limit}"


def fails_by_its_word(told: Mapping[str, Any]) -> bool:
    """Whether it says fail though every case holds and the score is reached."""
    score, threshold = told["axes"]["score"], told["threshold"]
    is_low = score is not None and threshold is not None and score < threshold
    return told["verdict"] == "fail" and not is_low and all(case["ok"] for case in told["cases"])
