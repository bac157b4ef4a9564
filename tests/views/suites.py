"""Values of results.json: one that passes, one that fails in every way, one that is hostile."""

from copy import deepcopy
from typing import Any

from tests.views.conftest import EVIL

AXES = ("score", "coverage", "consistency", "anchoring")


def judged(score: float, verdict: str, *found: dict[str, Any]) -> dict[str, Any]:
    """One profile of an audit."""
    axes = dict.fromkeys(AXES, score)
    return {**axes, "verdict": verdict, "findings": list(found), "not_checked": []}


def found(code: str, step: str | None = "add", message: str = "", mend: str = "") -> dict[str, Any]:
    return {
        "code": code,
        "axis": "coverage",
        "step": step,
        "message": message or f"add: {code.lower()} happened here",
        "mend": mend or f"Mend {code.lower()}.",
    }


def step(id_: str, status: str, *calls: tuple[int, str, int]) -> dict[str, Any]:
    """A step and its calls: place in the journal, status, microseconds."""
    return {
        "id": id_,
        "status": status,
        "us": sum(us for _, _, us in calls),
        "passed": 2 if status == "ok" else 0,
        "invariants": 2,
        "calls": [{"seq": seq, "status": word, "us": us} for seq, word, us in calls],
    }


def run(case: str, score: float = 1.0, verdict: str = "pass", **more: Any) -> dict[str, Any]:
    """A run case, tried once."""
    findings = more.pop("findings", ())
    steps = [step("add", "ok", (2, "ok", 3000)), step("tell", "ok", (3, "ok", 1000))]
    wrong = more.pop("wrong", [])
    return {
        "case": case,
        "kind": "run",
        "ok": not wrong,
        "wrong": wrong,
        "label": f"What of {case}?",
        "expected": "pass",
        "verdict": verdict,
        "run": "20260102-030405-0123abcd",
        "runner": "chain",
        "seconds": 1.5,
        "tags": ["classic"],
        "audit": {
            "classic": judged(1.0, verdict),
            "strict": judged(score, verdict, *findings),
        },
        "steps": steps,
        **more,
    }


def small(case: str, *wrong: str) -> dict[str, Any]:
    """A step case."""
    return {
        "case": case,
        "kind": "step",
        "ok": not wrong,
        "wrong": list(wrong),
        "label": "add(values=[1, 2])",
        "expected": None,
        "verdict": None,
        "run": None,
        "runner": "chain",
        "seconds": 0.004,
        "tags": [],
        "audit": None,
        "steps": [],
    }


def skill(name: str, cases: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """One skill of results.json."""
    held = sum(case["ok"] for case in cases) / len(cases) if cases else 0.0
    row = {"skill": name, "version": "contract", "cases": 3, "pass_rate": held}
    return {
        "skill": name,
        "version": "1.2.3",
        "digest": "ab" * 32,
        "runner": "chain",
        "profile": "strict",
        "threshold": 0.8,
        "trials": None,
        "versions": True,
        "verdict": "pass",
        "why": [],
        "pass_rate": held,
        "classic": 0.93,
        "strict": 0.91,
        "axes": {"score": 0.91, "coverage": 0.92, "consistency": 0.97, "anchoring": 0.84},
        "undiscriminating": [],
        "cases": cases,
        "rows": [row | {"classic": 0.93, "strict": 0.91}],
        "case_rows": [],
        "unmade": "",
        "left_out": [],
        "declared": {},
        **more,
    }


def suite(verdict: str, *skills: dict[str, Any]) -> dict[str, Any]:
    """A whole results.json."""
    rows = [row for each in skills for row in each["rows"]]
    told = {"v": 1, "kit": "0.1.0", "verdict": verdict, "skills": list(skills)}
    return deepcopy({**told, "rows": rows, "case_rows": []})


MISSING = [found("STEP_MISSING", mend=f"Call step {at}.") for at in range(8)]
FAILED = run(
    "quarter",
    0.41,
    "fail",
    wrong=["the verdict is fail, not pass", "the answer lacks 4.2"],
    findings=[found("CONTRADICTED", None, "the answer says 5", "Say 4."), *MISSING],
    steps=[
        step("add", "failed", (2, "rejected", 0), (4, "failed", 2000)),
        step("tell", "missing"),
    ],
)
GOOD = suite("pass", skill("sums", [small("add-1"), run("month"), run("week", 0.95)]))
BAD = suite(
    "fail",
    skill(
        "sums",
        [small("add-1", "add gave 4, not 3"), run("month"), run("month", 0.95), FAILED],
        verdict="fail",
        why=["2 of 4 cases do not hold: add-1, quarter", "the score is 0.61, below 0.80"],
        undiscriminating=["month"],
        axes={"score": 0.61, "coverage": 0.62, "consistency": 0.97, "anchoring": 0.63},
    ),
    skill(
        "steps-only",
        [small("add-1")],
        verdict="unproven",
        why=["there is no run case, so nothing is shown"],
        axes=dict.fromkeys(AXES),
        strict=None,
        classic=None,
        rows=[],
        unmade="it has no prose",
    ),
)
HOSTILE = suite(
    "fail",
    skill(
        EVIL,
        [
            run(
                EVIL,
                0.2,
                "fail",
                wrong=[EVIL, f"{EVIL}\x00\ufffe\ud800\r\n::error::injected"],
                label=EVIL,
                tags=[EVIL],
                findings=[found("CODE", EVIL, EVIL, EVIL)],
                steps=[step(EVIL, "ok", (1, "ok", 5))],
            )
        ],
        verdict="fail",
        why=[EVIL],
        undiscriminating=[EVIL],
        unmade=EVIL,
    ),
)
EMPTY = suite("unproven")
ALL = {"good": GOOD, "bad": BAD, "hostile": HOSTILE, "empty": EMPTY}
