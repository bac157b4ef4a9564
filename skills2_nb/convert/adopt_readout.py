"""The step that says the figures of an adopted notebook."""

from __future__ import annotations

import json
from collections.abc import Sequence

from skills2_nb.convert.adopt_checks import Check
from skills2_nb.convert.adopt_code import marked
from skills2_nb.convert.adopt_made import READOUT, Figure

_WIDE = 92


def readout_code(
    title: str, figures: Sequence[Figure], checks: Sequence[Check], order: int | None
) -> str:
    """The last step: it says every figure, and checks that it does.

    Args:
        title: the first line that it says.
        checks: what else holds among the figures.
        order: the step's number, where numbers have to be written.
    """
    said = [_Said(figure) for figure in figures]
    every = [_carries(said), *_counts(said), *checks]
    mark = marked(
        order,
        [check.name for check in every],
        {each.param: each.figure.ref for each in said},
        report=[each.name for each in said],
    )
    fields = "".join(f"    {each.name}: {each.annotation}\n" for each in said)
    model = f"class Readout(TypedDict):\n{fields}    readout: str"
    return "\n\n\n".join(
        [model, *(check.code for check in every), f"{mark}\n{_function(title, said)}"]
    )


class _Said:
    """How the readout speaks of a figure: a table is told by the number of its rows."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.param = figure.table or figure.name
        self.name = f"{figure.table}_rows" if figure.table else figure.name
        self.annotation = "int" if figure.table else figure.annotation
        self.line = f'f"{self.name.strip("_").replace("_", " ")}: {{{self.name}}}\\n"'


def _carries(said: Sequence[_Said]) -> Check:
    text = " and ".join(f"{each.line} in readout" for each in said)
    return Check("readout_carries_every_figure", ("readout", *(e.name for e in said)), text)


def _counts(said: Sequence[_Said]) -> list[Check]:
    return [
        Check(
            f"{each.name}_are_counted",
            (each.param, each.name),
            f"{each.name} == {each.param}.shape[0]",
        )
        for each in said
        if each.figure.table
    ]


def _function(title: str, said: Sequence[_Said]) -> str:
    given = [f"{each.param}: {'Table' if each.figure.table else each.annotation}" for each in said]
    head = f"def {READOUT}({', '.join(given)}) -> Readout:"
    if len(head) > _WIDE:
        head = f"def {READOUT}(\n{''.join(f'    {part},{chr(10)}' for part in given)}) -> Readout:"
    counted = "".join(
        f"    {each.name} = len({each.param})\n" for each in said if each.figure.table
    )
    first = json.dumps(f"{title}\n", ensure_ascii=False)
    lines = "".join(f"        {line}\n" for line in (first, *(each.line for each in said)))
    pairs = "".join(f'        "{each.name}": {each.name},\n' for each in said)
    return (
        f'{head}\n    """Say the figures that the answer must carry, and no other."""\n'
        f"{counted}    readout = (\n{lines}    )\n"
        f'    return {{\n{pairs}        "readout": readout,\n    }}'
    )
