"""What the invariants of a step notice of one call's mutants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skills2_nb.audit.mutants import Mutant, Recorded
from skills2_nb.audit.reads import Field, Side, reads
from skills2_nb.contract.invariants import Invariant, RunView, output_fields, refused
from skills2_nb.contract.table import is_frame

#: Whether to ask an invariant too, given those that refused the mutant already.
Wanted = Callable[[Invariant, Sequence[str]], bool]
#: How many unnoticed mutants a call keeps as examples.
EXAMPLES = 3


@dataclass(frozen=True)
class Tally:
    """What the invariants of a step noticed of the mutants of one call.

    Attributes:
        made: how many mutants were tried.
        killed: for each invariant asked, how many of them it refused.
        effective: the invariants that refused one which changes more than a truth value of the
            output, and that hold on the call as it is.
        fields: for each field (``output/new``), how many mutants which invariants refused: names
            joined by commas; an empty text counts those that nobody did.
        survivors: a few unnoticed changes of the output: field, and change in words.
    """

    step: str
    made: int = 0
    killed: Mapping[str, int] = field(default_factory=dict)
    effective: tuple[str, ...] = ()
    fields: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    survivors: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain keys and values, for JSON."""
        return {
            "step": self.step,
            "made": self.made,
            "killed": dict(sorted(self.killed.items())),
            "effective": list(self.effective),
            "fields": {
                name: dict(sorted(counts.items())) for name, counts in sorted(self.fields.items())
            },
            "survivors": [list(pair) for pair in self.survivors],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Tally:
        """What :meth:`to_dict` gave.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: it is something else.
        """
        return cls(
            str(value["step"]),
            int(value["made"]),
            {str(name): int(count) for name, count in value["killed"].items()},
            tuple(map(str, value["effective"])),
            {
                str(name): {str(names): int(count) for names, count in counts.items()}
                for name, counts in value["fields"].items()
            },
            tuple((str(where), str(change)) for where, change in value["survivors"]),
        )


class Count:
    """Counts what the invariants say of the mutants of one call."""

    def __init__(self, call: Recorded, run: RunView | None) -> None:
        self.call, self.run = call, run
        askable = [i for i in call.spec.invariants if run is not None or "run" not in i.parameters]
        fields = frozenset(output_fields(call.output))
        self._reads = {item.name: reads(call.spec, item, fields) for item in askable}
        self._tables = _tables(call)
        # Those that look through a table take longest, and are often not needed after the others.
        self.invariants = sorted(askable, key=self._sees_table)
        self._holds: dict[str, bool] = {}
        self.made = 0
        self.killed = dict.fromkeys((item.name for item in self.invariants), 0)
        self.effective: set[str] = set()
        self.fields: dict[str, dict[str, int]] = {}
        self.unnoticed: list[tuple[str, str]] = []

    def ask(self, mutant: Mutant, wanted: Wanted) -> None:
        """Ask the invariants that can see the change, as long as they are wanted.

        Args:
            wanted: whether to ask one more, given the names of those that refused already.
        """
        killers: list[str] = []
        for item in self.invariants:
            if wanted(item, killers) and self._refuses(item, mutant):
                killers.append(item.name)
                self.killed[item.name] += 1
        self.made += 1
        if not mutant.boolean:
            self.effective.update(killers)
        if len(mutant.fields) == 1:
            where, names = slot(mutant.fields[0]), ",".join(sorted(killers))
            counts = self.fields.setdefault(where, {})
            counts[names] = counts.get(names, 0) + 1
            if not killers and mutant.fields[0][0] == "output":
                self.unnoticed.append((where, mutant.told))

    def noticed(self) -> set[str]:
        """The fields of which an effective invariant refused a mutant."""
        return {
            name
            for name, counts in self.fields.items()
            if any(not self.effective.isdisjoint(names.split(",")) for names in counts)
        }

    def tally(self) -> Tally:
        """What was counted."""
        noticed = self.noticed()
        first = dict(reversed(self.unnoticed))
        report = {slot(("output", name)) for name in self.call.spec.report}
        ranked = sorted(first.items(), key=lambda pair: (pair[0] in noticed, pair[0] not in report))
        return Tally(
            self.call.spec.id,
            self.made,
            self.killed,
            tuple(sorted(self.effective)),
            self.fields,
            tuple(ranked[:EXAMPLES]),
        )

    def _refuses(self, item: Invariant, mutant: Mutant) -> bool:
        seen = self._reads[item.name]
        if seen is not None and seen.isdisjoint(mutant.fields):
            return False
        said_no = refused([item], mutant.inputs, mutant.output, self.run)
        return bool(said_no) and self._holds_as_it_is(item)

    def _holds_as_it_is(self, item: Invariant) -> bool:
        """Whether an invariant holds on the call itself, asked after it refused a mutant."""
        if item.name not in self._holds:
            said_no = refused([item], self.call.inputs, self.call.output, self.run)
            self._holds[item.name] = not said_no
        return self._holds[item.name]

    def _sees_table(self, item: Invariant) -> bool:
        seen = self._reads[item.name]
        return bool(self._tables if seen is None else self._tables & seen)


def _tables(call: Recorded) -> frozenset[Field]:
    sides: tuple[tuple[Side, Mapping[str, Any]], ...] = (
        ("output", call.fields),
        ("inputs", call.inputs),
    )
    return frozenset(
        (side, name) for side, values in sides for name, item in values.items() if is_frame(item)
    )


def slot(where: Field) -> str:
    """A field as a key, ``output/new``."""
    return "/".join(where)
