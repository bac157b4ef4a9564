"""A small skill, run and audited for real, and a strict reader of HTML."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from pydantic import BaseModel

from skills2_nb.audit.auditor import Audit, Basis, audit, audit_journal
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import RunState
from skills2_nb.contract.step import step
from skills2_nb.contract.table import Table
from skills2_nb.contract.walk import walk

EVIL = "<script>alert(1)</script>\"'><img onerror=x>&amp;\x1b[31m\u202e|`*_"


class Log(BaseModel):
    log: Table
    event_count: int
    owner: str


class Sums(BaseModel):
    total: int
    mean: float
    parts: list[dict[str, int]]


class Told(BaseModel):
    readout: str


def counted(log, event_count):
    return event_count == len(log)


def total_adds_up(log, total):
    return total == int(log["amount"].sum())


def not_negative(total):
    assert total >= 0, "a total below nothing"


def has_total(readout, total):
    return str(total) in readout


def is_large(event_count):
    return event_count > 100


@step(invariants=[counted])
def read_log(amounts: list[int], owner: str) -> Log:
    """Read the amounts."""
    import pandas as pd

    return Log(log=pd.DataFrame({"amount": amounts}), event_count=len(amounts), owner=owner)


@step(requires=read_log, invariants=[total_adds_up, not_negative], report=["total", "mean"])
def add_up(log: Table) -> Sums:
    """Add the amounts up."""
    rows = [{"row": at, "amount": int(value)} for at, value in enumerate(log["amount"])]
    return Sums(total=int(log["amount"].sum()), mean=float(log["amount"].mean()), parts=rows)


@step(requires=read_log, when=is_large)
def sample(log: Table) -> Log:
    """Take a sample of a large log."""
    return Log(log=log.head(100), event_count=100, owner="")


@step(requires=add_up, invariants=[has_total])
def tell(total: int, mean: float, owner: str) -> Told:
    """Say it in words."""
    return Told(readout=f"The total of {owner} is {total}, the mean {mean:g}.")


SKILL = Skill.collect(globals(), "sums")
BASIS = Basis(SKILL, "# Sums\n\nThe total and the mean.", ("total", "mean"))
CELLS = {"read_log": 3, "add_up": 5, "tell": 9}


@dataclass(frozen=True)
class Shown:
    """What every view takes."""

    audit: Audit
    state: RunState | None
    skill: Skill = SKILL


def start(owner: str = "Ada", prompt: str = "What is the total?") -> Run:
    inputs = {"amounts": [3, 4, 5], "owner": owner}
    return Run.start(SKILL, inputs, prompt=prompt, vouched="case")


def finished(run: Run, answer: str) -> Shown:
    run.end(answer=answer)
    run.close()
    return Shown(audit_journal(BASIS, run.path), run.state)


def tried(run: Run, id_: str, **args: Any) -> None:
    try:
        run.call(id_, args)
    except Exception as error:
        assert str(error)  # recorded by the run; the views show it
    else:
        raise AssertionError(f"{id_} was to fail")


def make_honest() -> Shown:
    run = start()
    outputs = walk(run).outputs
    return finished(run, outputs["tell"].readout)


def make_failing() -> Shown:
    run = start()
    tried(run, "add_up")
    run.call("read_log")
    tried(run, "add_up", log="nothing")
    tried(run, "no_such_step")
    return finished(run, "The total is 13 and the mean 4, so 99% is fine.")


def make_stale() -> Shown:
    run = start()
    walk(run)
    run.call("read_log", {"amounts": [1, 1]})
    run.call("add_up")
    return finished(run, "The total is 2, the mean 1.")


def make_typed() -> Shown:
    run = start()
    run.call("read_log")
    run.call("add_up")
    run.call("tell", {"total": 13})
    return finished(run, "The total is 13, the mean 4.")


def make_rewired() -> Shown:
    run = start()
    run.call("read_log")
    run.call("add_up")
    run.call("tell", {}, {"total": "add_up#/parts/1/amount"})
    return finished(run, "The total is 4, the mean 4.")


def make_hostile() -> Shown:
    run = start(owner=EVIL, prompt=EVIL)
    walk(run)
    run.note(EVIL)
    tried(run, EVIL)
    return finished(run, f"{EVIL} The total is 12, the mean 4, and 77 {EVIL}")


def make_absent() -> Shown:
    return Shown(audit(BASIS, None, answer="The total is 12."), None)


def made(name: str) -> Shown:
    """One of the runs; its first step reads a table."""
    pytest.importorskip("pandas", reason="the skill reads a table")
    return MAKERS[name]()


MAKERS = {
    "honest": make_honest,
    "failing": make_failing,
    "stale": make_stale,
    "typed": make_typed,
    "rewired": make_rewired,
    "hostile": make_hostile,
    "absent": make_absent,
}


VOID = {"br", "hr", "meta", "circle", "path", "rect", "wbr"}
FOREIGN = {"circle", "path", "rect"}


@dataclass
class Node:
    name: str
    attributes: dict[str, str | None]
    children: list["Node"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def all(self, name: str | None = None) -> list["Node"]:
        found = [] if name not in (None, self.name) else [self]
        for child in self.children:
            found += child.all(name)
        return found


class Reader(HTMLParser):
    """Builds a tree; an element closed out of turn or left open is a fault."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> says an attribute twice: {names}"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in FOREIGN, f"<{tag}/> closes itself outside the picture"
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for node in self.open:
            node.texts.append(data)


def read_html(text: str) -> Node:
    """The tree of a document or fragment."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert [node.name for node in reader.open] == ["#root"], "an element is left open"
    return reader.root


@pytest.fixture
def read() -> Callable[[str], Node]:
    """`read(html)`: the tree, each node with `name, attributes, children, text, classes, all()`."""
    return read_html


@pytest.fixture(params=MAKERS)
def any_run(request: pytest.FixtureRequest) -> Shown:
    """Each of the runs in turn."""
    return made(request.param)


@pytest.fixture
def honest() -> Shown:
    return made("honest")


@pytest.fixture
def failing() -> Shown:
    return made("failing")


@pytest.fixture
def stale() -> Shown:
    return made("stale")


@pytest.fixture
def typed() -> Shown:
    return made("typed")


@pytest.fixture
def rewired() -> Shown:
    return made("rewired")


@pytest.fixture
def hostile() -> Shown:
    return made("hostile")


@pytest.fixture
def cells() -> dict[str, int]:
    return CELLS


@pytest.fixture
def evil() -> str:
    return EVIL
