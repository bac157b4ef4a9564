"""Where a call goes: to a live kernel, or to the package."""

from __future__ import annotations

import contextlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skills2_nb.errors import Skills2Error
from skills2_nb.library import resources
from skills2_nb.library.activation import prose
from skills2_nb.serve import replies, schemas, tools
from skills2_nb.serve.desk import Desk
from skills2_nb.serve.kernel import Kernel
from skills2_nb.serve.kernels import Kernels, Serving
from skills2_nb.serve.link import Lost, Tell, Undelivered
from skills2_nb.serve.replies import Reply, refused, said
from skills2_nb.serve.sessions import SESSION, Session

#: So many runs are known by where they were opened.
MOST_KNOWN = 10_000


@dataclass(frozen=True)
class Carried:
    """What a call takes along to the kernel that answers it.

    Attributes:
        meta: of its request.
        tell: is told of the kernel's notifications.
    """

    meta: Mapping[str, Any] = field(default_factory=dict)
    tell: Tell | None = None


@dataclass(frozen=True)
class Place:
    """Where a run was opened.

    Attributes:
        pid: the kernel's process; None for the package.
        told: what a reader knows it by.
        is_open: whether the run goes on, as far as is known here.
    """

    run: str
    pid: int | None
    told: str
    is_open: bool = True


class Router(Desk):
    """A desk that hands calls to the kernels that serve their skill.

    Args:
        kernels: the running ones.
        carried: what the call that is being answered takes along.
        settings: the desk's own.
    """

    def __init__(
        self, *args: Any, kernels: Kernels, carried: Callable[[], Carried], **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self._kernels = kernels
        self._carried = carried
        self._run_places: OrderedDict[str, Place] = OrderedDict()
        self._session_places: OrderedDict[tuple[str | None, str], Place] = OrderedDict()

    async def _global(self, verb: str, arguments: Mapping[str, Any], session: Session) -> Reply:
        skill = arguments.get("skill")
        if verb == "list_skills" or not isinstance(skill, str):
            return await super()._global(verb, arguments, session)
        serving = await self._kernels.of(skill)
        if serving and verb == "call_step":
            return await self._call_step(skill, arguments, session)
        if serving.answering and verb in ("list_steps", "activate_skill"):
            return await self._described(skill, verb, serving, session)
        if serving.silent and self.catalog.mark(skill) is None:
            missed = [f"{kernel.told} {kernel.why}" for kernel in serving.silent]
            return self._unreachable(skill, missed)
        return await super()._global(verb, arguments, session)

    async def _of_skill(
        self, skill: str, verb: str, arguments: Mapping[str, Any], session: Session
    ) -> Reply:
        run = self._run_of(skill, verb, arguments)
        place = None if verb == "start_run" else self._place(session, skill, verb, run)
        if place is None:
            reply, place = await self._anywhere(skill, verb, arguments, session)
        elif place.pid is None:
            reply = await super()._of_skill(skill, verb, arguments, session)
        else:
            reply = await self._there(place, skill, verb, arguments, session)
        if place is not None:
            reply = await self._noted(place, skill, verb, run, reply, session)
        return reply

    def _place(self, session: Session, skill: str, verb: str, run: str | None) -> Place | None:
        """Where the call's run was opened; None where any place will do."""
        if run is not None:
            return self._run_places.get(run)
        place = self._session_places.get((session.id, skill))
        if place is None or (not place.is_open and verb not in ("end_run", "audit_run")):
            return None
        return place

    async def _anywhere(
        self, skill: str, verb: str, arguments: Mapping[str, Any], session: Session
    ) -> tuple[Reply, Place | None]:
        """Answer in the newest kernel that answers, else in the package; and say which."""
        serving = await self._kernels.of(skill)
        missed = [f"{kernel.told} {kernel.why}" for kernel in serving.silent]
        changed: Reply | None = None
        for kernel in serving.answering:
            try:
                reply = await self._live(kernel, skill, verb, arguments, session)
            except Undelivered as error:
                self._kernels.down(kernel, error)
                missed.append(f"{kernel.told} {error}")
                continue
            if self._run_of(skill, verb, arguments) and reply.body.get("kind") == "package_changed":
                changed = changed or reply  # it may be a run of another place
                continue
            notices = [f"{each}; this ran in {kernel.told}" for each in missed]
            reply = noticed(reply, verb, notices + _others(kernel, serving))
            return reply, Place("", kernel.entry.pid, kernel.told)
        reply = await super()._of_skill(skill, verb, arguments, session)
        if changed is not None and reply.failed:
            return changed, None
        if not serving and skill in self._kernels.gone:
            missed = [f"{self._kernels.gone[skill]} is gone"]
        if missed and self.catalog.mark(skill) is None:
            return self._unreachable(skill, missed, verb), None
        notices = [f"{each}; this ran from the package of {skill}" for each in missed]
        return noticed(reply, verb, notices), Place("", None, f"the package of {skill}")

    async def _there(
        self, place: Place, skill: str, verb: str, arguments: Mapping[str, Any], session: Session
    ) -> Reply:
        """Answer in the kernel that a run was opened in, or nowhere."""
        start = self._word(skill, "start_run")
        kernel = self._kernels.kernel(place.pid or 0)
        if kernel is not None and kernel.answers:
            try:
                return await self._live(kernel, skill, verb, arguments, session)
            except Undelivered as error:
                self._kernels.down(kernel, error)
                kernel = self._kernels.kernel(kernel.entry.pid)
        if kernel is not None:
            why = f"{kernel.told} {kernel.why}, and run {place.run} was opened there"
            mend = f"call again once it does, or begin anew with {start}"
            again = [self._word(skill, verb), start]
            return refused("unreachable", f"{why}; {mend}", step=verb, next=again)
        return refused(
            "package_changed",
            f"{place.told} is gone, and run {place.run} was opened there; no other code goes on "
            f"with it; begin anew with {start}",
            step=verb,
            next=[start],
        )

    async def _live(
        self,
        kernel: Kernel,
        skill: str,
        verb: str,
        arguments: Mapping[str, Any],
        session: Session,
    ) -> Reply:
        """Answer in a kernel.

        Raises:
            Undelivered: nothing was done there.
        """
        carried = self._carried()
        meta = dict(carried.meta) | ({SESSION: session.id} if session.id else {})
        try:
            reply = await kernel.call(skill, verb, arguments, meta, carried.tell)
        except Lost as error:
            self._kernels.down(kernel, error)
            start = self._word(skill, "start_run")
            return refused(
                "unknown_outcome",
                f"{kernel.told} {error}; whether {verb} was carried out is not known, so it was "
                f"not called again; begin anew with {start}",
                step=verb,
                next=[start],
            )
        return self._renamed(reply, kernel, skill)

    async def _noted(
        self,
        place: Place,
        skill: str,
        verb: str,
        given: str | None,
        reply: Reply,
        session: Session,
    ) -> Reply:
        """Remember where the run of an answer was opened; the one before it is ended."""
        run = reply.meta.get(replies.META + replies.RUN, reply.body.get(replies.RUN)) or place.run
        if not isinstance(run, str) or not run:
            return reply
        key = (session.id, skill)
        before = self._session_places.get(key)
        is_open = place.is_open and not (verb == "end_run" and not reply.failed)
        made = replace(place, run=run, is_open=is_open)
        _keep(self._run_places, run, made)
        if given is None or (before is not None and before.run == run):
            _keep(self._session_places, key, made)
        if verb != "start_run" or before is None or not before.is_open or before.pid == place.pid:
            return reply
        ended = {replies.RUN: before.run}
        if before.pid is None:
            done = await super()._of_skill(skill, "end_run", ended, session)
        else:
            done = await self._there(before, skill, "end_run", ended, session)
        told = f"run {before.run} was still open in {before.told} and has been ended"
        return reply if done.failed else noticed(reply, verb, [told])

    async def _described(self, skill: str, verb: str, serving: Serving, session: Session) -> Reply:
        """The steps of a skill as its kernel has them; its text and files are the package's."""
        kernel = serving.answering[0]
        try:
            carried = self._carried()
            reply = await kernel.call("", "list_steps", {"skill": skill}, carried.meta, None)
        except (Undelivered, Lost) as error:
            self._kernels.down(kernel, error)
            return await super()._global(verb, {"skill": skill}, session)
        if reply.failed or verb == "list_steps":
            return self._renamed(reply, kernel, skill)
        shapes = {facts.name: (facts.input, facts.output) for facts in kernel.tools[skill]}
        for item in reply.body["steps"]:
            item["input"], item["output"] = shapes.get(item["tool"], ({}, None))
        body = {**reply.body, "instructions": "", "resources": []}
        if self.catalog.mark(skill) is not None:
            folder = self.catalog.contract(skill).card.folder
            body |= {"instructions": prose(folder), "resources": resources.paths(folder)}
        self.activated.add(skill)
        return said(body)

    def _skills(self) -> dict[str, Any]:
        body = super()._skills()
        live = self._kernels.summaries()
        rest = [item for item in body["skills"] if item["name"] not in live]
        whole = sorted([*rest, *live.values()], key=lambda item: str(item["name"]))
        wrong = [item for item in body["broken"] if item["name"] not in live]
        return {"skills": whole, "broken": wrong}

    def _unreachable(self, skill: str, missed: Sequence[str], step: str | None = None) -> Reply:
        told = f"{'; '.join(missed)}; and there is no exported package of {skill}"
        return refused("unreachable", told, step=step)

    def _run_of(self, skill: str, verb: str, arguments: Mapping[str, Any]) -> str | None:
        """The run that a call names; a step's own argument of that name moves the kit's aside."""
        facts = self._kernels.known.get(tools.named(skill, verb))
        own: Mapping[str, Any] = {} if facts is None else facts.input.get("properties", {})
        if facts is None and self.catalog.mark(skill) is not None:
            with contextlib.suppress(Skills2Error):
                own = schemas.step_input(self.catalog.contract(skill), verb)["properties"]
        aside = schemas.own_name(replies.RUN, {replies.RUN: {}})
        run = arguments.get(aside if aside in own else replies.RUN)
        return run if isinstance(run, str) else None

    def _word(self, skill: str, verb: str) -> str:
        """What a caller writes to call a step of any skill."""
        is_listed = not self.lazy or skill in self.activated
        return tools.named(skill, verb) if is_listed else verb

    def _renamed(self, reply: Reply, kernel: Kernel, skill: str) -> Reply:
        """The reply with the words of a caller that does not see the kernel's tools."""
        if not self.lazy or skill in self.activated:
            return reply
        words = {facts.name: facts.verb for facts in kernel.tools.get(skill, ())}
        body = dict(reply.body)
        for key in ("next", "finish", "start"):
            if key in body:
                body[key] = _in_words(body[key], words)
        if isinstance(body.get("steps"), list):
            body["steps"] = [
                {**item, "tool": _in_words(item.get("tool"), words)} for item in body["steps"]
            ]
        text = reply.text if reply.failed else json.dumps(body, ensure_ascii=False)
        return replace(reply, body=body, text=text)


def noticed(reply: Reply, verb: str, notices: Sequence[str]) -> Reply:
    """The reply with notices ahead of its text, and in its body where a step has no such field."""
    if not notices:
        return reply
    body, meta = dict(reply.body), dict(reply.meta)
    where, key = body, replies.NOTICES
    if key in body and verb not in tools.RUN_TOOLS:
        where, key = meta, replies.META + replies.NOTICES
    where[key] = [*notices, *where.get(key, [])]
    return replace(reply, body=body, meta=meta, text="\n".join([*notices, reply.text]))


def _others(used: Kernel, serving: Serving) -> list[str]:
    """What there is to say of other kernels that serve the skill as well."""
    others = [kernel for kernel in serving.answering if kernel is not used]
    if not others:
        return []
    names = ", ".join(f"{kernel.told} (process {kernel.entry.pid})" for kernel in others)
    verb = "serves" if len(others) == 1 else "serve"
    return [
        f"{used.told} (process {used.entry.pid}) was taken, the newest that answers; {names} "
        f"{verb} the skill too"
    ]


def _in_words(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_in_words(item, words) for item in value]
    return words.get(value, value) if isinstance(value, str) else value


def _keep(places: OrderedDict[Any, Place], key: Any, place: Place) -> None:
    places[key] = place
    places.move_to_end(key)
    if len(places) > MOST_KNOWN:
        places.popitem(last=False)
