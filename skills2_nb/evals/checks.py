"""What a case asks of a run that has been judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.audit.auditor import Audit
from skills2_nb.audit.profile import AGAIN
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.state import RunState, resolve

AXES = ("coverage", "consistency", "anchoring")


def standing(audit: Audit) -> str:
    """The verdict that a case is held against.

    It is the verdict that counts; where that is ``strict``, which objects to nothing and is
    unproven because nobody asked to run the code again, ``classic`` speaks.
    """
    waiting = audit.verdict == "unproven" and set(audit.strict.not_checked) <= set(AGAIN)
    return audit.classic.verdict if waiting else audit.verdict


def amiss(case: Mapping[str, Any], audit: Audit, state: RunState) -> list[str]:
    """What does not hold, in sentences; an empty list is a case that holds.

    Args:
        case: a run case by its keys.
        audit: the judgement of the run.
        state: the run.
    """
    return [
        *_verdict(case, audit),
        *_expected(case.get("expect", {}), audit),
        *_mentions(case, audit.answer or "", state),
    ]


def _verdict(case: Mapping[str, Any], audit: Audit) -> Iterator[str]:
    wanted, seen = case.get("expected_audit", "pass"), standing(audit)
    if seen != wanted:
        codes = ", ".join(dict.fromkeys(f.code for f in audit.strict.findings if f.counts))
        told = f" ({codes})" if codes else ""
        yield f"the verdict is {seen}, not {wanted}{told}"


def _expected(expect: Mapping[str, Any], audit: Audit) -> Iterator[str]:
    codes = {item.code for item in (*audit.classic.findings, *audit.strict.findings)}
    for code in expect.get("findings", ()):
        if code not in codes:
            yield f"there is no finding {code}"
    failed = {
        check.name
        for view in audit.steps
        for call in view.calls
        for check in call.invariants
        if not check.ok
    }
    for name in expect.get("failed_invariants", ()):
        if name not in failed:
            yield f"invariant {name} did not fail"
    for axis in (*AXES, "score"):
        if axis in expect:
            low, high = expect[axis]
            value = getattr(audit.strict, axis)
            if not low <= value <= high:
                yield f"{axis} is {value:.2f}, not within {low} and {high}"


def _mentions(case: Mapping[str, Any], answer: str, state: RunState) -> Iterator[str]:
    for item in case.get("must_mention", ()):
        if not _found(item, answer, state):
            yield f"the answer does not mention {_told(item)}"
    for item in case.get("must_not", ()):
        if isinstance(item, (str, Mapping)) and _found(item, answer, state):
            yield f"the answer mentions {_told(item)}"


def _found(item: Any, answer: str, state: RunState) -> bool:
    if isinstance(item, str):
        return item.casefold() in answer.casefold()
    if "regex" in item:
        return re.search(item["regex"], answer) is not None
    if "value" in item:
        step, _, pointer = str(item["value"]).partition("#")
        call = state.newest(step)
        if call is None:
            return False
        value = resolve(call.output, pointer)
        text = value if isinstance(value, str) else encode(value)
        return text in answer or text in answer.replace(",", "")
    return False


def _told(item: Any) -> str:
    return repr(item) if isinstance(item, str) else ", ".join(f"{k} {v!r}" for k, v in item.items())
