"""What a case wants said, and what not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skills2_nb.audit.auditor import Audit
from skills2_nb.audit.numbers import NumberFigure, figures
from skills2_nb.contract.canonical import encode
from skills2_nb.contract.state import RunState, resolve

#: Characters of the answer that are shown where it lacks something.
_BRIEF = 160


def mentioned_amiss(case: Mapping[str, Any], audit: Audit, state: RunState | None) -> Iterator[str]:
    """What the answer lacks, or says and should not, in sentences.

    ``must_not`` of an answer that is empty, or of none, shows nothing, and is said to.
    """
    answer = audit.answer or ""
    for item in case.get("must_mention", ()):
        fault = _lacks(item, answer, state)
        if fault:
            yield fault
    unwanted = case.get("must_not", ())
    if unwanted and not answer.strip():
        yield "there is no answer, so must_not shows nothing"
        return
    for item in unwanted:
        yield from _has(item, answer, audit, state)


def _lacks(item: Any, answer: str, state: RunState | None) -> str:
    if isinstance(item, Mapping) and "value" in item:
        found, value = _value(item["value"], state)
        if not found:
            return f"the answer cannot mention {item['value']}: no such value was computed"
        if not _says(answer, value):
            known = f"{item['value']}, which is {encode(value)[:60]}"
            return f"the answer does not mention {known}; it says {_said(answer)}"
        return ""
    if _found(item, answer):
        return ""
    return f"the answer does not mention {_told(item)}; it says {_said(answer)}"


def _has(item: Any, answer: str, audit: Audit, state: RunState | None) -> Iterator[str]:
    if isinstance(item, Mapping) and "numbers" in item:
        for figure in audit.values:
            if figure.status in ("unsupported", "contradicted"):
                yield f"the answer gives {figure.text!r}, which comes from no step"
    elif isinstance(item, Mapping) and "value" in item:
        found, value = _value(item["value"], state)
        if found and _says(answer, value):
            yield f"the answer mentions {item['value']}, which is {encode(value)[:60]}"
    elif _found(item, answer):
        yield f"the answer mentions {_told(item)}"


def _said(answer: str) -> str:
    """The beginning of an answer on one line, so that nobody has to run the case to see it."""
    line = " ".join(answer.split())
    return "nothing" if not line else repr(line if len(line) <= _BRIEF else f"{line[:_BRIEF]}…")


def _value(reference: str, state: RunState | None) -> tuple[bool, Any]:
    """Whether a step's newest success has something at a reference, and what."""
    step, _, pointer = reference.partition("#")
    call = None if state is None else state.newest(step)
    if call is None:
        return False, None
    try:
        return True, resolve(call.output, pointer)
    except KeyError:
        return False, None


def _says(answer: str, value: Any) -> bool:
    """Whether an answer gives a value, a number in whatever way numbers are written."""
    if isinstance(value, str):
        return value.casefold() in answer.casefold()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return any(
            isinstance(figure, NumberFigure) and figure.matches(value) for figure in figures(answer)
        )
    return encode(value) in answer


def _found(item: Any, answer: str) -> bool:
    if isinstance(item, Mapping) and "regex" in item:
        return re.search(item["regex"], answer) is not None
    text = item["text"] if isinstance(item, Mapping) else item
    return text.casefold() in answer.casefold()


def _told(item: Any) -> str:
    if not isinstance(item, Mapping):
        return repr(item)
    return repr(item["text"]) if "text" in item else f"regex {item['regex']!r}"
