"""Which steps a case wants called, and which not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skills2_nb.contract.call import Call
from skills2_nb.contract.canonical import encode_plain, plain
from skills2_nb.contract.state import RunState
from skills2_nb.contract.trial import TOLERANCE
from skills2_nb.errors import UsageError
from skills2_nb.formats.case_rules import is_matcher

#: How far an ``approx`` argument may be off where the case does not say.
NEAR = 0.01


def called_amiss(case: Mapping[str, Any], state: RunState | None) -> Iterator[str]:
    """What a run's calls lack, or have too much of, in sentences.

    A step counts as called where it succeeded. ``must_not_call`` of a run in which nothing was
    called shows nothing, and is said to.

    Args:
        case: a run case by its keys.
        state: the run; None where there was none.
    """
    for item in case.get("must_call", ()):
        yield from _wanted({"step": item} if isinstance(item, str) else item, state)
    unwanted = case.get("must_not_call", ())
    if unwanted and (state is None or not len(state.calls)):
        yield "nothing was called at all, so must_not_call shows nothing"
        return
    for item in unwanted:
        yield from _unwanted({"step": item} if isinstance(item, str) else item, state)


def _wanted(item: Mapping[str, Any], state: RunState | None) -> Iterator[str]:
    step, successes = item["step"], _successes(item["step"], state)
    least, most = _times(item.get("times"))
    if not successes and least:
        yield f"{step} did not succeed"
        return
    if not least <= len(successes) <= most:
        yield f"{step} succeeded {_often(len(successes))}, not {_range(least, most)}"
    yield from _in_time(item, successes, state)
    given = item.get("args")
    if given and successes and not any(_takes(call, given) for call in successes):
        yield f"{step} was never called with {_told(given)}; {_seen(successes[-1], given)}"


def _unwanted(item: Mapping[str, Any], state: RunState | None) -> Iterator[str]:
    given = item.get("args")
    if any(given is None or _takes(call, given) for call in _successes(item["step"], state)):
        yield f"{item['step']} was called" + (f" with {_told(given)}" if given else "")


def _in_time(
    item: Mapping[str, Any], successes: Sequence[Call], state: RunState | None
) -> Iterator[str]:
    """Whether the step first succeeded after each of those it has to come after."""
    after = item.get("after", ())
    for other in [after] if isinstance(after, str) else after:
        earlier = _successes(other, state)
        if not earlier:
            yield f"{item['step']} has to come after {other}, which did not succeed"
        elif successes and successes[0].seq < earlier[0].seq:
            yield f"{item['step']} was called before {other}"


def _successes(step: str, state: RunState | None) -> list[Call]:
    if state is None:
        return []
    return list(state.calls.where(lambda of, status, _: of == step and status == "ok"))


def _times(said: Any) -> tuple[int, float]:
    if said is None:
        return 1, math.inf
    return (said, said) if isinstance(said, int) else (said[0], said[1])


def _takes(call: Call, given: Mapping[str, Any]) -> bool:
    return all(name in call.args and _fits(call.args[name], given[name]) for name in given)


def _fits(seen: Any, wanted: Any) -> bool:
    """Whether a recorded argument is the one wanted, or one of those."""
    if not is_matcher(wanted):
        return _equal(seen, plain(wanted))
    if "schema" in wanted:
        return _keeps(seen, wanted["schema"])
    if "regex" in wanted:
        return isinstance(seen, str) and re.search(wanted["regex"], seen) is not None
    if isinstance(seen, bool) or not isinstance(seen, (int, float)):
        return False
    tolerance = {"rel_tol": wanted.get("rel", 0.0), "abs_tol": wanted.get("abs", 0.0)}
    if not any(key in wanted for key in ("rel", "abs")):
        tolerance["rel_tol"] = NEAR
    return math.isclose(seen, wanted["approx"], **tolerance)


def _equal(seen: Any, wanted: Any) -> bool:
    numbers = (int, float)
    if isinstance(seen, bool) or isinstance(wanted, bool):
        return seen is wanted
    if isinstance(seen, numbers) and isinstance(wanted, numbers):
        return math.isclose(seen, wanted, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return encode_plain(seen) == encode_plain(wanted)


def _keeps(seen: Any, schema: Any) -> bool:
    import jsonschema

    try:
        jsonschema.validate(seen, schema)
    except jsonschema.ValidationError:
        return False
    except jsonschema.SchemaError as error:
        raise UsageError(
            f"a schema among the arguments of must_call is no JSON Schema: {error.message}"
        ) from None
    return True


def _often(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _range(least: int, most: float) -> str:
    return _often(least) if least == most else f"{least} to {most:g} times"


def _told(given: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, default=str)[:60]}" for name, value in given.items()
    )


def _seen(call: Call, given: Mapping[str, Any]) -> str:
    """What the newest success took in the place of what was wanted."""
    parts = [
        f"{name} was {encode_plain(call.args[name])[:60]}" if name in call.args else f"no {name}"
        for name in given
        if not (name in call.args and _fits(call.args[name], given[name]))
    ]
    return "at last " + ", ".join(parts)
