"""The fields that an invariant looks at, by its code."""

from __future__ import annotations

from typing import Literal

from skills2_nb.contract.invariants import Invariant
from skills2_nb.contract.parts import parts_of
from skills2_nb.contract.spec import StepSpec

Side = Literal["inputs", "output"]
#: A field of a call: its side and its name; a result without fields is ``("output", "output")``.
Field = tuple[Side, str]
#: What stands for a result that is no model, dataclass or mapping.
WHOLE = "output"


def reads(spec: StepSpec, item: Invariant, fields: frozenset[str]) -> frozenset[Field] | None:
    """The fields of a call that an invariant can look at.

    An output field stands before an input of the same name, as it does when the invariant is
    asked. ``output.total`` and ``inputs["grain"]`` are seen in the code; where ``output`` or
    ``inputs`` is used in any other way, nobody can tell.

    Args:
        fields: the names of the output's fields; empty for a result without fields.

    Returns:
        The fields; None where ``output`` or ``inputs`` is taken as a whole.
    """
    inputs = spec.parameter_names
    found: set[Field] = set()
    for name in item.parameters:
        if name in fields:
            found.add(("output", name))
        elif name in inputs:
            found.add(("inputs", name))
        elif name == "output" and not fields:
            found.add(("output", WHOLE))
        elif name in ("output", "inputs"):
            seen = parts_of(item.fn, name)
            known = fields if name == "output" else inputs
            if seen is None or not seen <= known:
                return None
            found |= {("output" if name == "output" else "inputs", part) for part in seen}
    return frozenset(found)


def unread(spec: StepSpec, fields: frozenset[str], idle: frozenset[str]) -> tuple[str, ...]:
    """The output fields that no invariant of the step looks at.

    Args:
        fields: the names of the output's fields.
        idle: those that were changed and nobody ever noticed; where an invariant takes the output
            as a whole, they count as unread.
    """
    seen = [reads(spec, item, fields) for item in spec.invariants]
    known = {name for each in seen if each is not None for side, name in each if side == "output"}
    left = fields - known
    return tuple(sorted(left & idle if None in seen else left))
