"""What a case asks of a run that has been judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.audit.auditor import Audit, Profile
from skills2_nb.audit.profile import AGAIN
from skills2_nb.contract.state import RunState
from skills2_nb.evals.called import called_amiss
from skills2_nb.evals.mentioned import mentioned_amiss
from skills2_nb.formats.case_rules import AXES


def standing(audit: Audit) -> str:
    """The verdict that a case is held against.

    It is the verdict that counts; where that is ``strict``, which objects to nothing and is
    unproven because nobody asked to run the code again, ``classic`` speaks.
    """
    waiting = audit.verdict == "unproven" and set(audit.strict.not_checked) <= set(AGAIN)
    return audit.classic.verdict if waiting else audit.verdict


def amiss(case: Mapping[str, Any], audit: Audit, state: RunState | None) -> list[str]:
    """What does not hold, in sentences; an empty list is a case that holds.

    Args:
        case: a run case by its keys.
        audit: the judgement of the run.
        state: the run; None where an answer came without one.
    """
    profile = audit.classic if audit.by == "classic" else audit.strict
    return [
        *called_amiss(case, state),
        *_verdict(case, audit),
        *_expected(case.get("expect", {}), audit, profile),
        *mentioned_amiss(case, audit, state),
    ]


def _verdict(case: Mapping[str, Any], audit: Audit) -> Iterator[str]:
    expect = case.get("expect", {})
    wanted, seen = case.get("expected_audit", "pass"), standing(audit)
    if seen != wanted:
        codes = ", ".join(dict.fromkeys(f.code for f in audit.strict.findings if f.counts))
        told = f" ({codes})" if codes else ""
        yield f"the verdict is {seen}, not {wanted}{told}"
    elif wanted == "fail" and not (expect.get("findings") or expect.get("failed_invariants")):
        yield "it expects fail and names no finding; write expect={'findings': [CODE]}"


def _expected(expect: Mapping[str, Any], audit: Audit, profile: Profile) -> Iterator[str]:
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
    for axis in AXES:
        if axis in expect:
            low, high = expect[axis]
            value = getattr(profile, axis)
            if not low <= value <= high:
                yield f"{axis} is {value:.2f}, not within {low} and {high}"
