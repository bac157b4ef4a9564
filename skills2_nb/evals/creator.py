"""Cases of skill-creator's evals.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from skills2_nb.errors import UnreadableError
from skills2_nb.formats import json_text
from skills2_nb.formats.cases import RunCase, build, to_dict

#: Both spellings that are in use.
_CLAIMS = ("expectations", "assertions")
_CLAIM_MEND = (
    "no program can check a sentence; write it as must_call, must_mention, must_not or "
    "expect, or as an invariant of the step that owes it"
)
_OUTPUT_MEND = (
    "it is prose; put the words that matter into must_mention, and let figures come from report "
    "fields"
)
_KEY_MEND = "nobody reads it here"


@dataclass(frozen=True)
class Left:
    """Something of a case that did not come along.

    Attributes:
        case: the id of the case it stood in.
        what: the key it stood under.
        text: as it was written.
        mend: what an author can do with it.
    """

    case: str
    what: str
    text: str
    mend: str

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Creator:
    """What a file of skill-creator holds.

    Attributes:
        skill: the skill that the file names; empty where it names none.
        cases: a run case for each prompt, without checks of its own but the audit.
        left: what no program can check, in the order of the file.
    """

    skill: str
    cases: tuple[RunCase, ...]
    left: tuple[Left, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return {
            "skill": self.skill,
            "cases": [to_dict(case) for case in self.cases],
            "left": [each.to_dict() for each in self.left],
        }


def read(text: str, where: str = "evals.json") -> Creator:
    """The cases of an evals.json, and what of it did not come along.

    A prompt becomes a run case with its files. What it should give is written there for a model
    to grade; no check is made up of it.

    Args:
        text: ``{"skill_name", "evals": [{"id", "prompt", "expected_output", "files",
            "expectations"}]}``, or the list alone; ``assertions`` is ``expectations`` too.
        where: the file's name, for messages.

    Raises:
        UnreadableError: it is something else; the message names the eval and the key.
    """
    value = _json(text, where)
    listed = value.get("evals") if isinstance(value, Mapping) else value
    if not isinstance(listed, list) or not listed:
        raise UnreadableError(f"{where} has no list of evals; name skill-creator's evals.json.")
    cases: list[RunCase] = []
    left: list[Left] = []
    for number, item in enumerate(listed, 1):
        case, rest = _one(item, number, f"{where}: eval {number}")
        if case.id in {other.id for other in cases}:
            raise UnreadableError(
                f"{where}: eval {number} has the id of another one; give each its own."
            )
        cases.append(case)
        left += rest
    name = value.get("skill_name", "") if isinstance(value, Mapping) else ""
    return Creator(name if isinstance(name, str) else "", tuple(cases), tuple(left))


def _one(item: Any, number: int, where: str) -> tuple[RunCase, list[Left]]:
    if not isinstance(item, Mapping):
        raise UnreadableError(f"{where} is no object; write {{id, prompt, expectations}}.")
    prompt = item.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise UnreadableError(f"{where} has no prompt; write what the user says.")
    id_ = _id(item.get("id"), number)
    keys = {"id": id_, "prompt": prompt, "files": item.get("files") or []}
    case, faults = build(keys, number)
    if not isinstance(case, RunCase):
        raise UnreadableError(f"{where}: {faults[0][0]}; {faults[0][1]}.")
    return case, list(_left(id_, item))


def _id(given: Any, number: int) -> str:
    """``eval-3`` of the number 3, and a name as it is."""
    if isinstance(given, str) and re.search(r"\w", given) and not given.isdigit():
        return given
    is_number = isinstance(given, (int, str)) and not isinstance(given, bool) and str(given).strip()
    return f"eval-{given if is_number else number}"


def _left(case: str, item: Mapping[str, Any]) -> Iterator[Left]:
    for key, value in item.items():
        if key in _CLAIMS:
            claims = value if isinstance(value, list) else [value]
            yield from (Left(case, key, _said(claim), _CLAIM_MEND) for claim in claims if claim)
        elif key == "expected_output":
            if value:
                yield Left(case, key, _said(value), _OUTPUT_MEND)
        elif key not in ("id", "prompt", "files"):
            yield Left(case, key, _said(value), _KEY_MEND)


def _said(value: Any) -> str:
    """A claim in its own words: some write ``{"text": …}``."""
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        return str(value["text"])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(text: str, where: str) -> Any:
    try:
        return json_text.read(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{where} is not JSON ({error}); check the file.") from None
