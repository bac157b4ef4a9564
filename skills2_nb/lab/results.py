"""Results of plain step calls, shown with their invariants."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from skills2_nb.contract.spec import StepSpec
from skills2_nb.contract.state import Check
from skills2_nb.views import fragment

#: How many newest results are remembered with their calls.
KEPT = 64
_HTML = "text/html"

Call = tuple[StepSpec, Mapping[str, Any], Any, tuple[Check, ...]]


class Results:
    """The newest results of steps, by identity.

    A formatter is registered for the type of each result; it shows those that came from a step
    with their inputs and invariants and leaves every other value of the type as it was.
    """

    def __init__(self) -> None:
        self._calls: OrderedDict[int, Call] = OrderedDict()
        self._formatter: Any = None
        self._known: dict[type, Any] = {}

    def attach(self, display_formatter: Any) -> None:
        """Take the HTML formatter of a shell."""
        self._formatter = display_formatter.formatters[_HTML]

    def detach(self, _: Any) -> None:
        """Give every type its former formatter back."""
        for kind, before in self._known.items():
            self._formatter.pop(kind, None)
            if before is not None:
                self._formatter.for_type(kind, before)
        self._known.clear()

    def keep(
        self, spec: StepSpec, inputs: Mapping[str, Any], output: Any, checks: tuple[Check, ...]
    ) -> None:
        """Remember a call; a result that failed its invariants too."""
        self._calls[id(output)] = (spec, inputs, output, checks)
        self._calls.move_to_end(id(output))
        while len(self._calls) > KEPT:
            self._calls.popitem(last=False)
        kind = type(output)
        if self._formatter is not None and kind not in self._known and _is_own(kind):
            self._known[kind] = self._formatter.type_printers.get(kind)
            self._formatter.for_type(kind, self._html)

    def _html(self, value: Any) -> str | None:
        call = self._calls.get(id(value))
        if call is not None and call[2] is value:
            spec, inputs, output, checks = call
            return str(fragment.result(spec, inputs, output, checks))
        before = self._known.get(type(value))
        return before(value) if before is not None else None


def _is_own(kind: type) -> bool:
    """Models and the like; numbers and text keep their plain form, and frames their tables."""
    return kind.__module__ not in ("builtins",) and not kind.__module__.startswith(
        ("pandas.", "polars.", "numpy")
    )
