"""The tools that are listed now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skills2_nb.errors import Skills2Error
from skills2_nb.serve import tools
from skills2_nb.serve.backend import Skills
from skills2_nb.serve.tools import ToolFacts

Say = Callable[[str], None]


def once(say: Say) -> Say:
    """Say each sentence the first time only."""
    told: set[str] = set()

    def say_once(sentence: str) -> None:
        if sentence not in told:
            told.add(sentence)
            say(sentence)

    return say_once


@dataclass(frozen=True)
class Change:
    """From one list of tools to the next.

    Attributes:
        gone: names of tools that are listed no more.
        fresh: tools that are new or have changed.
    """

    gone: tuple[str, ...]
    fresh: tuple[ToolFacts, ...]

    def __bool__(self) -> bool:
        return bool(self.gone or self.fresh)


class Surface:
    """What a server lists of a catalog.

    Args:
        catalog: the skills.
        lazy: whether the fixed surface is asked for; it is also taken where tools are too many.
        scripts: whether scripts may be run.
        say: takes a sentence for whoever looks after the server.
        beside: the tools of skills that are served elsewhere; they take the place of packages.
        alone: whether the catalog is the one skill of a plugin, whose tools need no prefix.
    """

    def __init__(
        self,
        catalog: Skills,
        *,
        lazy: bool,
        scripts: bool,
        say: Say,
        beside: Callable[[], Mapping[str, Sequence[ToolFacts]]] = dict,
        alone: bool = False,
    ) -> None:
        self._catalog = catalog
        self._beside = beside
        self._alone = alone
        self._always = lazy
        self._scripts = scripts
        self._say = say
        self.listed: dict[str, ToolFacts] = {}
        self.lazy = lazy

    def change(self, activated: set[str]) -> Change:
        """What is to be listed now, against what was.

        Args:
            activated: skills whose own tools stand beside the fixed surface.
        """
        elsewhere = self._beside()
        room = tools.MOST_TOOLS - len(tools.GLOBAL) - sum(map(len, elsewhere.values()))
        few = room >= 0 and self._catalog.holds_steps(room, len(tools.RUN_TOOLS), elsewhere)
        self.lazy = self._always or not few
        wanted = {facts.name: facts for facts in self._wanted(activated, elsewhere)}
        gone = tuple(name for name in self.listed if name not in wanted)
        fresh = tuple(f for name, f in wanted.items() if self.listed.get(name) != f)
        self.listed = wanted
        self._tell()
        return Change(gone, fresh)

    @property
    def tokens(self) -> int:
        """About what the list takes of a model's context: four characters a token."""
        return sum(facts.size for facts in self.listed.values()) // 4

    def _wanted(
        self, activated: set[str], elsewhere: Mapping[str, Sequence[ToolFacts]]
    ) -> list[ToolFacts]:
        if not self.lazy:
            contracts = [made for made in self._catalog.contracts() if made.name not in elsewhere]
            if self._alone:
                return [f for made in contracts for f in tools.of_one(made, scripts=self._scripts)]
            listed = tools.of_all(contracts, scripts=self._scripts)
            return listed + [facts for name in sorted(elsewhere) for facts in elsewhere[name]]
        listed = tools.fixed(scripts=self._scripts)
        for name in sorted(activated):
            listed += elsewhere.get(name, ())
            if name in elsewhere or self._catalog.mark(name) is None:
                continue
            try:
                made = self._catalog.contract(name)
                listed += tools.of_one(made) if self._alone else tools.of_skill(made)
            except Skills2Error:
                continue
        return listed

    def _tell(self) -> None:
        """Say what cannot be served as it is."""
        for fault in self._catalog.faults:
            self._say(f"{fault.name} is left out: {fault.message}")
        for facts in self.listed.values():
            whole = facts.verb if self._alone else f"{facts.skill}__{facts.verb}"
            if facts.skill and facts.name != whole:
                self._say(
                    f"{facts.skill}: the tool of {facts.verb} is called {facts.name}, since its "
                    "own name is too long, could be another skill's, or holds other signs than "
                    "letters, digits, _ and -"
                )
