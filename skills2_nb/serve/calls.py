"""What a session does with a skill, from start to audit."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills2_nb.contract.errors import UnknownRunError
from skills2_nb.contract.journal import read
from skills2_nb.contract.run import find
from skills2_nb.library.activation import Contract
from skills2_nb.serve import replies, schemas
from skills2_nb.serve.backend import Backend
from skills2_nb.serve.frames import Message
from skills2_nb.serve.reading import Named
from skills2_nb.serve.replies import Reply, refused, said
from skills2_nb.serve.sessions import Runs, Session

#: Judges a run of the package in a folder: ``{"classic": ..., "strict": ...}``, or raises. Where
#: it says ``provenance``, a text, that is handed on.
Judge = Callable[[str, Path], Awaitable[Mapping[str, Any]]]
#: Findings of a profile that are handed on; the rest is counted.
MOST_FINDINGS = 20


@dataclass(frozen=True)
class Help:
    """What a desk does for the calls of a skill.

    Attributes:
        named: what a caller writes to call a step.
        judge: audits a run.
        broken: is told of a skill that cannot be used, and why.
    """

    named: Named
    judge: Judge
    broken: Callable[[str, str], None]


class Calls:
    """The calls of one session about one skill.

    Args:
        made: the skill's contract.
        backend: what its steps run in.
        session: whose calls they are.
        runs: the runs of every session.
        help: what the desk does for them.
    """

    def __init__(
        self, made: Contract, backend: Backend, session: Session, runs: Runs, help: Help
    ) -> None:
        self._made = made
        self._backend = backend
        self._session = session
        self._runs = runs
        self._place = runs.place(session, made.name)
        self._help = help

    async def start(self, arguments: Mapping[str, Any]) -> Reply:
        """Open a run; the one that was open is ended."""
        prompt, inputs = arguments.get("prompt"), arguments.get("inputs")
        odd = sorted(arguments.keys() - {"prompt", "inputs"})
        if odd or not isinstance(prompt, (str, type(None))) or not _is_object(inputs):
            return self._refused("invalid", "start_run takes prompt (text) and inputs (an object)")
        async with self._place.lock:
            self._runs.catch_up(self._session, self._made.name)
            before = self._place.run if self._place.is_open else None
            reply = await self._open(prompt, inputs or {})
            if "error" in reply:
                return self._failed(reply, None, "start_run")
            notices = await self._closed(before)
        facts = reply["ok"]
        steps = [{**item, "tool": self._named(item["step"])} for item in facts["steps"]]
        body = {"run_id": facts["run"], "skill": self._made.name, "steps": steps}
        body |= {"finish": self._named("end_run"), "next": self._names(facts["next"])}
        return said(body | ({"notices": notices} if notices else {}))

    async def step(self, step: str, arguments: Mapping[str, Any]) -> Reply:
        """Call a step in the session's run, or in the one that is named."""
        parameters = self._made.schema(step).parameters
        refs_name = schemas.own_name("refs", parameters)
        run_name = schemas.own_name("run_id", parameters)
        args = {k: v for k, v in arguments.items() if k not in (refs_name, run_name)}
        refs, run = arguments.get(refs_name), arguments.get(run_name)
        if not isinstance(run, (str, type(None))):
            return self._refused("invalid", f"{run_name} is a run's id, as text", step=step)
        request = {"op": "call", "step": step, "args": args, "refs": _texts(refs)}
        reply, found = await self._called(request, run)
        if isinstance(reply, Reply):
            return reply
        if "error" in reply:
            return self._failed(reply, found, step)
        facts = reply["ok"]
        extras = {
            "next": self._names(facts["next"]),
            "run_id": found,
            "printed": reply.get("printed"),
            "notices": facts["notices"],
        }
        return replies.result(facts["output"], extras, self._made.schema(step).output)

    async def _called(
        self, request: Message, run: str | None
    ) -> tuple[Message | Reply, str | None]:
        """Call a step in a run, or in the session's; one that somebody has ended has a next."""
        if run is not None:
            return await self._backend.ask({**request, "run": run}), run
        found = await self._current()
        if isinstance(found, Reply):
            return found, None
        reply = await self._backend.ask({**request, "run": found})
        if reply.get("error", {}).get("kind") != "run_ended":
            return reply, found
        if self._place.run == found:
            self._place.is_open = False
        found = await self._current()
        if isinstance(found, Reply):
            return found, None
        return await self._backend.ask({**request, "run": found}), found

    async def end(self, arguments: Mapping[str, Any]) -> Reply:
        """Close the run, with the answer as the user reads it."""
        if not _are_texts(arguments, "answer", "run_id"):
            return self._refused("invalid", "end_run takes answer and run_id, as text")
        answer, run = arguments.get("answer"), self._chosen(arguments)
        async with self._place.lock:
            if run is None:
                return self._no_run("end_run")
            reply = await self._ended(run, answer)
            if "error" in reply and reply["error"]["kind"] != "run_ended":
                return self._failed(reply, None, "end_run")
            if run == self._place.run:
                self._place.is_open = False
        if "error" in reply:
            return self._failed(reply, None, "end_run")
        body = {"run_id": run, "ended": True, "missing": reply["ok"]["missing"]}
        return said(body | {"next": [self._named("audit_run")]})

    async def audit(self, arguments: Mapping[str, Any]) -> Reply:
        """Judge the run by its journal."""
        if not _are_texts(arguments, "run_id"):
            return self._refused("invalid", "audit_run takes run_id, as text")
        run = self._chosen(arguments)
        if run is None:
            return self._no_run("audit_run")
        self._owned(run)
        judged = await self._help.judge(run, self._made.card.folder)
        profiles = {name: _shortened(judged[name]) for name in ("classic", "strict")}
        told = ", ".join(f"{n} {p['score']:.2f} {p['verdict']}" for n, p in profiles.items())
        source = {"provenance": judged["provenance"]} if "provenance" in judged else {}
        body = {"run_id": run, **profiles, **source, "next": []}
        return said(body, f"{self._made.name}: {', '.join([told, *source.values()])}")

    async def _open(self, prompt: str | None, inputs: Mapping[str, Any]) -> Message:
        session = self._session
        reply = await self._backend.ask(
            {
                "op": "start",
                "inputs": dict(inputs),
                "prompt": session.prompt if prompt is None else prompt,
                "vouched": session.vouched(prompt),
                "session": session.id,
                "prompt_id": session.prompt_id,
            }
        )
        if "ok" in reply and session.id is not None:
            self._runs.note(session, self._made.name, reply["ok"]["run"])
        return reply

    async def _closed(self, before: str | None) -> list[str]:
        """End the run that a new one takes the place of: a session has one at most."""
        if before is None or self._session.id is None:
            return []
        reply = await self._ended(before, None)
        return [f"run {before} was still open and has been ended"] if "ok" in reply else []

    async def _ended(self, run: str, answer: str | None) -> Message:
        request = {"op": "end", "run": run, "answer": answer}
        return await self._backend.ask({**request, "prompt_id": self._session.prompt_id})

    async def _current(self) -> str | Reply:
        """The session's open run; where the last has ended, the next is opened."""
        if self._session.id is None:
            return self._no_run(None)
        async with self._place.lock:
            if self._place.run is not None and self._place.is_open:
                return self._place.run
            self._runs.catch_up(self._session, self._made.name)
            if self._place.run is not None and self._place.is_open:
                return self._place.run
            reply = await self._open(None, {})
            return str(reply["ok"]["run"]) if "ok" in reply else self._failed(reply, None, None)

    def _chosen(self, arguments: Mapping[str, Any]) -> str | None:
        run: str | None = arguments.get("run_id")
        if run is not None or self._session.id is None:
            return run
        self._runs.catch_up(self._session, self._made.name)
        return self._place.run

    def _owned(self, run: str) -> None:
        """Let no other word than the id of a run of this skill through to an audit."""
        started = next(iter(read(find(run))), {})
        if started.get("skill") != self._made.name:
            name = self._made.name
            raise UnknownRunError(f"run {run} is of {started.get('skill')}, not of {name}")

    def _failed(self, reply: Message, run: str | None, step: str | None) -> Reply:
        facts = {"step": step, **reply["error"]}
        kind, message = facts.pop("kind"), facts.pop("message")
        if kind == "broken":
            self._help.broken(self._made.name, message)
        facts["next"] = self._names(facts.get("next", []))
        facts |= {"printed": reply["printed"]} if reply.get("printed") else {}
        facts |= {"run_id": run} if run is not None else {}
        return refused(kind, message, **facts)

    def _no_run(self, step: str | None) -> Reply:
        start = self._named("start_run")
        return self._refused(
            "run_required",
            f"nothing says which session this is, or it has no run of {self._made.name}; call "
            f"{start} and pass on its run_id",
            step=step,
            next=[start],
        )

    def _refused(self, kind: str, message: str, **facts: Any) -> Reply:
        return refused(kind, f"{self._made.name}: {message}", **facts)

    def _named(self, verb: str) -> str:
        return self._help.named(self._made, verb)

    def _names(self, verbs: list[str]) -> list[str]:
        return [self._named(verb) for verb in verbs]


def _is_object(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _are_texts(arguments: Mapping[str, Any], *names: str) -> bool:
    """Whether the arguments are these alone, each text or left out."""
    values = [arguments.get(name) for name in names]
    return not arguments.keys() - set(names) and all(
        v is None or isinstance(v, str) for v in values
    )


def _texts(refs: Any) -> dict[str, str]:
    """References by name; what is none is handed on as text, so that it is refused and recorded."""
    if refs is None:
        return {}
    if not isinstance(refs, dict):
        return {"refs": json.dumps(refs)}
    return {name: ref if isinstance(ref, str) else json.dumps(ref) for name, ref in refs.items()}


def _shortened(profile: Mapping[str, Any]) -> dict[str, Any]:
    found = profile["findings"]
    rest = len(found) - MOST_FINDINGS
    kept = {**profile, "findings": found[:MOST_FINDINGS]}
    return kept | ({"more_findings": rest} if rest > 0 else {})
