"""The file that an evaluation is held against."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skills2_nb.errors import UnreadableError
from skills2_nb.evals.believed import fails_by_its_word, unsound
from skills2_nb.evals.evaluation import FORM as RESULTS
from skills2_nb.evals.kept import Kept
from skills2_nb.formats import json_text
from skills2_nb.formats.files import cannot_write, read_bytes, write_atomic
from skills2_nb.formats.paths import is_safe_path

#: The form of baseline.json.
FORM = 1
_BROKEN = (KeyError, TypeError, ValueError, AttributeError)


def kept(told: Mapping[str, Any]) -> Kept:
    """One skill of results.json.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is not of that form.
    """
    facts = told.get("declared") or _nothing(told)
    written = {str(case["id"]): case for case in facts["cases"]}
    played: dict[str, list[Mapping[str, Any]]] = {id_: [] for id_ in written}
    for trial in told["cases"]:
        played.setdefault(trial["case"], []).append(trial)
    same = ("skill", "version", "digest", "runner", "profile", "verdict", "axes")
    also = ("undiscriminating", "left_out")
    return Kept.from_dict(
        {key: told[key] for key in (*same, *also)}
        | {key: facts[key] for key in ("weights", "f1_floor", "anchors", "steps")}
        | {
            "threshold": told["threshold"] or 0.0,
            "broken": _broken(told),
            "ablated": any(row["version"] == "v1" for row in told["rows"]),
            "cases": [_case(id_, played[id_], written.get(id_, {})) for id_ in played],
        }
    )


def results(path: Path) -> tuple[Kept, ...]:
    """The skills of a results.json, or of the folder that it lies in.

    Raises:
        UnreadableError: there is none, or it is none.
    """
    place = path / "results.json" if path.is_dir() else path
    value = _read(place)
    try:
        if value["v"] != RESULTS:
            raise ValueError(f"its form is {value['v']}, not {RESULTS}")
        return tuple(_once([_believed(told) for told in value["skills"]]).values())
    except _BROKEN as error:
        raise _unfit(place, "results.json", error, "evaluate the skill anew") from None


def read(path: Path) -> dict[str, Kept]:
    """The skills of a baseline by name; none where there is no such file.

    Raises:
        UnreadableError: it is no baseline.
    """
    if not path.exists():
        return {}
    value = _read(path)
    try:
        if value["v"] != FORM:
            raise ValueError(f"its form is {value['v']}, not {FORM}")
        return _once([Kept.from_dict(told) for told in value["skills"]])
    except _BROKEN as error:
        mend = "accept the results anew, or restore the file"
        raise _unfit(path, "baseline", error, mend) from None


def write(path: Path, skills: Mapping[str, Kept]) -> None:
    """Put a baseline in its place, whole or not at all; same skills, same bytes.

    Raises:
        SetupError: it cannot be written.
    """
    told = {"v": FORM, "skills": [skills[name].to_dict() for name in sorted(skills)]}
    text = json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    write_atomic(path, f"{text}\n".encode())


def _believed(told: Mapping[str, Any]) -> Kept:
    """One skill of results.json, if it does not contradict itself.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it does, or is not of that form.
    """
    fault = unsound(told) if told.get("declared") else ""
    if fault:
        raise ValueError(f"{told['skill']}: {fault}")
    return kept(told)


def _once(skills: Sequence[Kept]) -> dict[str, Kept]:
    """The skills by name.

    Raises:
        ValueError: two have one name, or a name would lead out of the folder of skills.
    """
    found: dict[str, Kept] = {}
    for each in skills:
        if "/" in each.skill or not is_safe_path(each.skill):
            raise ValueError(f"a skill is called {each.skill!r}")
        if found.setdefault(each.skill, each) is not each:
            raise ValueError(f"two skills are called {each.skill}")
    return found


def _nothing(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is declared by a skill that could not be evaluated.

    Raises:
        ValueError: it was evaluated, so the file lacks what a gate needs.
    """
    if told["cases"]:
        raise ValueError(f"it does not hold what {told['skill']} declares")
    return {"weights": [], "f1_floor": 0.0, "anchors": [], "cases": [], "steps": []}


def _broken(told: Mapping[str, Any]) -> str:
    """Why an evaluation counts for nothing, though nothing in it failed."""
    if not told.get("declared") or fails_by_its_word(told):
        return "; ".join(told["why"]) or "nothing says why"
    code = told.get("code", 0)
    return f"it ended with exit code {code}" if code and told["verdict"] == "pass" else ""


def _case(
    id_: str, trials: Sequence[Mapping[str, Any]], written: Mapping[str, Any]
) -> dict[str, Any]:
    audits = [trial["audit"] for trial in trials if trial["audit"] is not None]
    kind = trials[0]["kind"] if trials else "step" if "step" in written else "run"
    held = [trial for trial in trials if trial["ok"]] or trials
    captured = [sum(len(step["calls"]) for step in trial["steps"]) for trial in held]
    return {
        "case": id_,
        "kind": kind,
        "passes": sum(bool(trial["ok"]) for trial in trials),
        "trials": len(trials),
        "classic": _lowest(audits, "classic"),
        "strict": _lowest(audits, "strict"),
        "calls": min(captured, default=0) if kind == "run" else None,
        "wrong": next((list(trial["wrong"]) for trial in trials if not trial["ok"]), []),
        "written": written,
    }


def _lowest(audits: Sequence[Mapping[str, Any]], profile: str) -> float | None:
    return min((float(audit[profile]["score"]) for audit in audits), default=None)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        value = json_text.read(read_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{path} is not JSON ({error}); check the file.") from None
    if not isinstance(value, dict):
        raise UnreadableError(f"{path} is no JSON object; name the file that an evaluation wrote.")
    return value


def _unfit(path: Path, what: str, error: Exception, mend: str) -> UnreadableError:
    told = f"it has no {error}" if isinstance(error, KeyError) else str(error)
    return UnreadableError(f"{path} is no {what} that this kit reads ({told}); {mend}.")
