"""What an evaluation says, read the same by every view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skills2_nb.views.values import counted

#: One skill of results.json, and one of its cases.
Evaluation = Mapping[str, Any]
Case = Mapping[str, Any]
AXES = ("score", "coverage", "consistency", "anchoring")
#: What a reader may pick among the cases.
FILTERS = ("all", "do not hold", "hold", "show nothing")
#: A step's status as results.json has it, and in the words of the other views.
_STATUSES = {"missing": "not called", "not_owed": "not due"}


@dataclass(frozen=True)
class Bar:
    """One call of a step on the line of time.

    Attributes:
        start: microseconds spent in calls before it.
        us: how long it took.
    """

    step: str
    status: str
    start: int
    us: int


@dataclass(frozen=True)
class Row:
    """One try of a case as a table shows it.

    Attributes:
        name: the case's id, with the trial where there are several.
        idle: whether it holds without a single call, and so shows nothing.
    """

    name: str
    case: Case
    idle: bool

    @property
    def ok(self) -> bool:
        """Whether the case holds."""
        return bool(self.case["ok"])

    @property
    def word(self) -> str:
        """Its outcome in words."""
        return "holds" if self.ok else "does not hold"

    @property
    def mark(self) -> str:
        """The sign beside the word."""
        return "✓" if self.ok else "✗"

    @property
    def tone(self) -> str:
        """The colour beside the sign."""
        return "good" if self.ok else "bad"

    @property
    def expected(self) -> str:
        """What the audit gave and what the case wanted, in words; ``–`` for a step case."""
        given, wanted = self.case.get("verdict"), self.case.get("expected")
        if given is None:
            return "–"
        same = wanted is None or given == wanted
        return f"{given}, as expected" if same else f"{given}, expected {wanted}"


def skills(results: Mapping[str, Any]) -> Sequence[Evaluation]:
    """Every skill of a results.json; one evaluation by itself is a list of one."""
    listed: Sequence[Evaluation] = results.get("skills", [results])
    return listed


def rows(evaluation: Evaluation) -> tuple[Row, ...]:
    """Every try of every case, in order, each with a name of its own."""
    cases = evaluation["cases"]
    often = Counter(case["case"] for case in cases)
    idle = frozenset(evaluation.get("undiscriminating", ()))
    seen: Counter[str] = Counter()
    made = []
    for case in cases:
        id_ = str(case["case"])
        seen[id_] += 1
        name = f"{id_} (trial {seen[id_]})" if often[id_] > 1 else id_
        made.append(Row(name, case, case["kind"] == "run" and id_ in idle))
    return tuple(made)


def picked(listed: Sequence[Row], name: str) -> tuple[Row, ...]:
    """The rows that a word of ``FILTERS`` picks."""
    tests: Mapping[str, Callable[[Row], bool]] = {
        "do not hold": lambda row: not row.ok,
        "hold": lambda row: row.ok,
        "show nothing": lambda row: row.idle,
    }
    return tuple(row for row in listed if name not in tests or tests[name](row))


def searched(listed: Sequence[Row], words: str) -> tuple[Row, ...]:
    """The rows in whose name, prompt, tags or faults every word stands."""
    wanted = words.casefold().split()
    return tuple(row for row in listed if all(word in _spoken(row) for word in wanted))


def profile(evaluation: Evaluation, case: Case) -> Mapping[str, Any] | None:
    """The judgement that counts; None where nothing was judged."""
    judged: Mapping[str, Any] | None = case.get("audit")
    return None if judged is None else judged[evaluation.get("profile") or "strict"]


def score(evaluation: Evaluation, case: Case) -> float | None:
    """A case's score by the profile in force; None for a step case."""
    judged = profile(evaluation, case)
    return None if judged is None else float(judged["score"])


def findings(evaluation: Evaluation, case: Case) -> list[Mapping[str, Any]]:
    """What the audit of a case found, by the profile in force."""
    judged = profile(evaluation, case)
    return [] if judged is None else list(judged["findings"])


def summary(evaluation: Evaluation) -> str:
    """How many cases hold, and by which measure, in one sentence."""
    cases = evaluation["cases"]
    held = sum(bool(case["ok"]) for case in cases)
    said = f"{held} of {counted(len(cases), 'case')} {'holds' if held == 1 else 'hold'}"
    limit = evaluation.get("threshold")
    needs = f", a score of {limit:.2f} is needed" if limit is not None else ""
    return f"{said}; runner {evaluation['runner']}, profile {evaluation['profile']}{needs}."


def idle(evaluation: Evaluation) -> str:
    """The cases that show nothing, in one sentence; empty where there is none."""
    names = list(evaluation.get("undiscriminating", ()))
    if not names:
        return ""
    one = len(names) == 1
    return (
        f"{counted(len(names), 'case')} {'holds' if one else 'hold'} without a single step being "
        f"called, and so {'shows' if one else 'show'} nothing: {', '.join(names)}."
    )


def left_out(evaluation: Evaluation) -> str:
    """The cases that were not played, in one sentence; empty where there is none."""
    names = list(evaluation.get("left_out") or ())
    if not names:
        return ""
    verb = "was" if len(names) == 1 else "were"
    return f"{counted(len(names), 'case')} {verb} not played: {', '.join(names)}."


def bars(case: Case) -> tuple[Bar, ...]:
    """The calls of a run in the order they were made, each where the one before it ended."""
    calls = sorted(_calls(case), key=lambda call: call[0])
    made: list[Bar] = []
    start = 0
    for _, step, status, us in calls:
        made.append(Bar(step, status, start, us))
        start += us
    return tuple(made)


def status(step: Mapping[str, Any]) -> str:
    """A step's status in the words of the other views."""
    word = str(step["status"])
    return _STATUSES.get(word, word)


def figure(value: float | None) -> str:
    """A score at two digits, a dash where there is none."""
    return "–" if value is None else f"{value:.2f}"


def _calls(case: Case) -> Iterator[tuple[int, str, str, int]]:
    for step in case.get("steps") or ():
        for call in step["calls"]:
            yield int(call["seq"]), str(step["id"]), str(call["status"]), int(call["us"])


def _spoken(row: Row) -> str:
    case = row.case
    parts = [row.name, case.get("label", ""), *case.get("tags", ()), *case["wrong"], row.word]
    return " ".join(map(str, parts)).casefold()
