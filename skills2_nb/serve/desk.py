"""Where calls come in: each is answered, whatever it asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from skills2_nb.errors import Skills2Error
from skills2_nb.library.activation import Contract
from skills2_nb.serve import reading, tools
from skills2_nb.serve.backend import Backends, Skills
from skills2_nb.serve.calls import Calls, Help, Judge
from skills2_nb.serve.replies import Reply, refused, said
from skills2_nb.serve.sessions import Runs, Session


class Desk:
    """Answers calls of tools.

    Args:
        catalog: the skills.
        backends: what their steps run in.
        judge: audits a run.
        lazy: whether steps are reached by ``call_step`` alone.
        scripts: runs a skill's script; None where that is not allowed.
        say: takes a sentence for whoever looks after the server.
        alone: whether the tools are those of a plugin's one skill, without a prefix.

    Attributes:
        activated: the skills whose own tools are listed although the surface is lazy.
    """

    def __init__(
        self,
        catalog: Skills,
        backends: Backends,
        judge: Judge,
        *,
        lazy: bool = False,
        scripts: reading.Scripts | None = None,
        say: Callable[[str], None] = lambda sentence: None,
        alone: bool = False,
    ) -> None:
        self.catalog = catalog
        self.lazy = lazy
        self.activated: set[str] = set()
        self._backends = backends
        self._help = Help(self.named, judge, self.broken)
        self._scripts = scripts
        self._say = say
        self._alone = alone
        self._runs = Runs()

    async def answer(
        self, skill: str, verb: str, arguments: Mapping[str, Any], session: Session
    ) -> Reply:
        """Answer a call; whatever is wrong with it is a reply too.

        Args:
            skill: whose tool it is; empty for a global one.
            verb: a step's id, or the word of a tool of the kit's own.
            arguments: as the caller gave them.
        """
        try:
            if skill:
                return await self._of_skill(skill, verb, arguments, session)
            return await self._global(verb, arguments, session)
        except Skills2Error as error:
            return refused(error.kind, error.message)

    async def _global(self, verb: str, arguments: Mapping[str, Any], session: Session) -> Reply:
        if verb == "list_skills":
            if not self.catalog.is_read:
                await asyncio.to_thread(self.catalog.contracts)
            return said(self._skills())
        skill = arguments.get("skill")
        if not isinstance(skill, str) or self.catalog.mark(skill) is None:
            return self._unknown(skill)
        if verb == "call_step":
            return await self._call_step(skill, arguments, session)
        made = self._opened(skill)
        if isinstance(made, Reply):
            return made
        if verb == "list_steps":
            return said(reading.steps(made, self.named))
        if verb == "activate_skill":
            self.activated.add(skill)
            return said(reading.activated(made, self.named))
        path = arguments.get("path")
        if not isinstance(path, str):
            return refused("invalid", f"{verb} takes path as text, such as references/guide.md")
        if verb == tools.SCRIPT:
            return await reading.script(self._scripts, made, path, arguments.get("arguments"))
        return reading.resource(made, path)

    async def _call_step(self, skill: str, arguments: Mapping[str, Any], session: Session) -> Reply:
        step, given = arguments.get("step"), arguments.get("arguments")
        if not isinstance(step, str):
            return refused("invalid", "call_step takes step as text: a step, start_run or end_run")
        if given is None:
            given = {k: v for k, v in arguments.items() if k not in ("skill", "step", "arguments")}
        if not isinstance(given, dict):
            return refused("invalid", "call_step takes arguments as an object", step=step)
        return await self._of_skill(skill, step, given, session)

    async def _of_skill(
        self, skill: str, verb: str, arguments: Mapping[str, Any], session: Session
    ) -> Reply:
        if self.catalog.mark(skill) is None:
            return self._unknown(skill)
        made = self._opened(skill)
        if isinstance(made, Reply):
            return made
        backend = self._backends.worker(made, self.catalog.mark(skill))
        calls = Calls(made, backend, session, self._runs, self._help)
        if verb == "start_run":
            return await calls.start(arguments)
        if verb == "end_run":
            return await calls.end(arguments)
        if verb == "audit_run":
            return await calls.audit(arguments)
        return await calls.step(verb, arguments)

    def _opened(self, skill: str) -> Contract | Reply:
        try:
            return self.catalog.contract(skill)
        except Skills2Error as error:
            self.broken(skill, error.message)
            return refused("broken", error.message)

    def named(self, made: Contract, verb: str) -> str:
        """What a caller writes to call a step: its tool, or its id for ``call_step``."""
        if self.lazy and made.name not in self.activated:
            return verb
        return tools.alone(verb) if self._alone else tools.named(made.name, verb)

    def broken(self, skill: str, message: str) -> None:
        """Say that a skill cannot be used."""
        self._say(f"{skill} is left out: {message}")

    def _skills(self) -> dict[str, Any]:
        made = [reading.summary(contract) for contract in self.catalog.contracts()]
        wrong = {fault.name: fault.message for fault in self.catalog.faults}
        wrong |= self._backends.faults
        for name, message in wrong.items():
            self.broken(name, message)
        faults = [{"name": name, "message": wrong[name]} for name in sorted(wrong)]
        return {"skills": [item for item in made if item["name"] not in wrong], "broken": faults}

    def _unknown(self, skill: Any) -> Reply:
        wrong = {fault.name: fault.message for fault in self.catalog.faults}
        if skill in wrong:
            return refused("broken", wrong[skill])
        names = ", ".join(card.name for card in self.catalog.cards[:20]) or "none"
        shown = f"no skill {skill[:80]!r}" if isinstance(skill, str) else "no skill named"
        return refused(
            "unknown_skill", f"there is {shown}; skills are {names}", next=["list_skills"]
        )
