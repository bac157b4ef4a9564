"""Steps to be, and the values that run between them."""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Mapping
from dataclasses import dataclass

from skills2_nb.convert.adopt_kinds import UNKNOWN, Kind
from skills2_nb.convert.adopt_units import Function, Unit

#: Names that no step may have: Python's own, the kit's tools, and the one of the last step.
TAKEN = frozenset(dir(builtins)) | {"start_run", "end_run", "audit_run", "write_readout"}


@dataclass(frozen=True)
class Value:
    """A value that a name has at one place of the notebook.

    Attributes:
        ref: where a run has it, such as ``load#/sales``; empty where no run has it.
    """

    kind: Kind
    ref: str = ""


#: What nothing is known of.
NOWHERE = Value(UNKNOWN)


@dataclass(frozen=True)
class Param:
    """A parameter of a step to be.

    Attributes:
        kind: what the notebook passes.
        ref: what it is bound to; empty for nothing.
        value: the literal that the notebook passes, as code; empty for none.
        constant: the constant of the notebook that is its default; empty for none.
        added: whether the function reads it as a global, or is made with it.
        kinds: what all calls of the notebook pass.
        input: the run's input that gives it; empty for none.
    """

    name: str
    kind: Kind
    ref: str = ""
    value: str = ""
    constant: str = ""
    added: bool = False
    kinds: tuple[Kind, ...] = ()
    input: str = ""


@dataclass(frozen=True, eq=False)
class Found:
    """A step to be.

    Attributes:
        units: the function's unit, or the statements that become a function.
        function: the function as it stands; None where one is made.
        call: the unit of its call.
        kind: what it gives.
        result: the name that the notebook gives the result; several are joined by commas.
        outputs: of a made function, the names it hands back, with their kinds.
        needs: names that have to be exported with it.
        effects: what it does beside returning.
    """

    id: str
    units: tuple[Unit, ...]
    function: Function | None
    call: Unit
    params: tuple[Param, ...]
    kind: Kind
    result: str = ""
    outputs: tuple[tuple[str, Kind], ...] = ()
    needs: frozenset[str] = frozenset()
    effects: tuple[str, ...] = ()

    @property
    def after(self) -> frozenset[str]:
        """The steps that it takes values from."""
        return frozenset(param.ref.partition("#")[0] for param in self.params if param.ref)

    @property
    def is_whole(self) -> bool:
        """Whether a made function hands back one table as it is."""
        return is_whole(self.outputs)

    @property
    def place(self) -> str:
        """What the step is barred by, should it turn out to be none."""
        return self.id if self.function else place_of(self.units[0])

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of its result that can be asked for by name."""
        if self.kind.name != "dict":
            return ()
        names = tuple(name for name, _ in self.kind.parts)
        return names if all(name.isidentifier() for name in names) else ()


def is_whole(outputs: tuple[tuple[str, Kind], ...]) -> bool:
    """Whether outputs are one table, which is handed back as it is."""
    return len(outputs) == 1 and outputs[0][1].name == "frame"


def place_of(unit: Unit) -> str:
    """Where a unit stands."""
    return f"{unit.cell}:{unit.at}"


def passed(function: Function, call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a call, by parameter."""
    names = [part.arg for part in function.args.args]
    made = dict(zip(names, call.args, strict=False))
    return made | {word.arg: word.value for word in call.keywords if word.arg}


def parameters(function: Function) -> list[str]:
    """The names of a function's parameters, in order."""
    return [part.arg for part in (*function.args.args, *function.args.kwonlyargs)]


def code_literal(value: object) -> str:
    """A literal as code, its texts in double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = (f"{code_literal(key)}: {code_literal(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(code_literal, value))}]"
    if isinstance(value, tuple):
        inner = ", ".join(map(code_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def described(kind: Kind) -> str:
    """A kind that no run can keep, in words, with the mend where there is one."""
    return {
        "indexed": "a table with an index of its own (call .reset_index())",
        "series": "a series (call .reset_index() or .to_dict())",
        "grouped": "a grouped table",
        "object": f"an object of the class {kind.cls}",
        "none": "nothing",
        "dict": "a mapping with something in it whose kind the text does not tell",
        "tuple": "several values, not all of a kind that the text tells",
    }.get(kind.name, "something whose kind the text does not tell")


def short(text: str, most: int = 50) -> str:
    """A text for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
