"""A server of a live skill and what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills2_nb.views import fragment
from skills2_nb.views.markup import table, tag
from skills2_nb.views.render import Bundle
from skills2_nb.views.values import counted

#: The one line that an agent's settings need.
CONNECT = "skills2 connect"


@dataclass(frozen=True)
class Call:
    """A call that was answered.

    Attributes:
        tool: a step's id, or the word of a tool of the kit's own.
        outcome: ``ok``, else the kind of the error.
        milliseconds: how long it took.
    """

    tool: str
    outcome: str
    milliseconds: float


@dataclass(frozen=True)
class Serving:
    """A server as its author sees it.

    Attributes:
        clients: what callers go by.
        calls: the newest calls, the newest first.
        total: of all calls.
        run: the newest run that is open.
        remarks: what the author should know, a sentence each.
    """

    skill: str
    notebook: str
    url: str
    running: bool
    clients: Sequence[str] = ()
    calls: Sequence[Call] = ()
    total: int = 0
    run: str | None = None
    remarks: Sequence[str] = ()

    @property
    def headline(self) -> str:
        """What is served and where, in one line."""
        if not self.running:
            return f"{self.skill} is no longer served"
        return f"{self.skill} is served live from {self.notebook}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What there is to know, by name; the token is not shown."""
        return [
            *([("address", self.url), ("for an agent", CONNECT)] if self.running else []),
            ("clients", ", ".join(self.clients) or "none yet"),
            ("calls", str(self.total)),
            ("open run", self.run or "none"),
        ]


def bundle(serving: Serving) -> Bundle:
    """The card of a server, for the cell that started it."""
    return Bundle({"text/html": str(_card(serving)), "text/plain": _text(serving)})


def _card(serving: Serving) -> str:
    facts = [[name, tag("code", value)] for name, value in serving.facts]
    tone = "good" if serving.running else "mute"
    mark = "●" if serving.running else "○"
    rows = [
        [
            tag("code", call.tool),
            tag("span", call.outcome, cls="good" if call.outcome == "ok" else "bad"),
            f"{call.milliseconds:,.0f}",
        ]
        for call in serving.calls
    ]
    return fragment.card(
        tag("div", tag("strong", tag("span", f"{mark} ", cls=tone), serving.headline), cls="head"),
        *(tag("p", remark, cls="warn") for remark in serving.remarks),
        table("The server", ["what", "value"], facts, hide_caption=True),
        table(_newest(serving), ["call", "outcome", "ms"], rows, numeric=[2]) if rows else None,
    )


def _text(serving: Serving) -> str:
    lines = [serving.headline, *serving.remarks]
    lines += [f"{name:<13} {value}" for name, value in serving.facts]
    lines += [f"  {c.tool:<32} {c.outcome:<16} {c.milliseconds:>7,.0f} ms" for c in serving.calls]
    return "\n".join(lines)


def _newest(serving: Serving) -> str:
    if len(serving.calls) == serving.total:
        return counted(serving.total, "call")
    return f"The newest {len(serving.calls)} of {counted(serving.total, 'call')}"
