"""A four-step skill and runs of it, through the real contract."""

import json
import sys
import types
from pathlib import Path

import pytest

from skills2_nb.audit.auditor import Basis, audit_journal
from skills2_nb.contract.canonical import encode_plain
from skills2_nb.contract.journal import GENESIS, read, sealed
from skills2_nb.contract.run import Run, find
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.state import fold
from skills2_nb.contract.walk import walk
from skills2_nb.evals.evidence import gathered
from skills2_nb.evals.proof import basis_of, prove
from skills2_nb.library.discovery import Target

SOURCE = '''
from typing import Literal
from pydantic import BaseModel
from skills2_nb.contract.step import step

BOOKS = {
    "1998-03": (157, 20, 156, 102, 231),
    "1998-04": (231, 0, 61, 204, 88),
}

class Flows(BaseModel):
    period: str
    previous: int
    new: int
    resurrected: int
    churned: int
    current: int

class Identity(BaseModel):
    implied: int
    residual: int

class Quick(BaseModel):
    quick_ratio: float | None

class Dominant(BaseModel):
    dominant_flow: Literal["new", "resurrected", "churned"]
    readout: str

def counts_are_counts(output):
    return min(output.previous, output.new, output.resurrected, output.churned) >= 0

def identity_closes(previous, new, resurrected, churned, current, implied):
    return implied == previous + new + resurrected - churned and implied == current

def ratio_fits(new, resurrected, churned, quick_ratio):
    return churned == 0 or abs(quick_ratio * churned - new - resurrected) < 0.01 * churned

def flow_is_largest(new, resurrected, churned, dominant_flow):
    flows = {"new": new, "resurrected": resurrected, "churned": churned}
    return flows[dominant_flow] == max(flows.values())

def is_slow(run):
    return run.outputs["quick"].quick_ratio < 4

@step(invariants=[counts_are_counts])
def load_flows(period: str) -> Flows:
    """Read the flows of a period."""
    previous, new, resurrected, churned, current = BOOKS[period]
    return Flows(period=period, previous=previous, new=new, resurrected=resurrected,
                 churned=churned, current=current)

@step(invariants=[identity_closes], report=["implied"])
def close_identity(previous: int, new: int, resurrected: int, churned: int,
                   current: int) -> Identity:
    """The books close."""
    implied = previous + new + resurrected - churned
    return Identity(implied=implied, residual=current - implied)

@step(invariants=[ratio_fits], report=["quick_ratio"])
def quick(new: int, resurrected: int, churned: int) -> Quick:
    """Gains over losses."""
    return Quick(quick_ratio=(new + resurrected) / churned if churned else None)

@step(invariants=[flow_is_largest], report=["dominant_flow"], when=is_slow)
def dominant(new: int, resurrected: int, churned: int, implied: int,
             quick_ratio: float) -> Dominant:
    """The largest flow."""
    flows = {"new": new, "resurrected": resurrected, "churned": churned}
    flow = max(flows, key=flows.get)
    return Dominant(dominant_flow=flow, readout=(
        f"The identity closes at an implied {implied}; the quick ratio is {quick_ratio:.2f} and "
        f"the dominant flow is {flow}, against churn of {churned}."))
'''
TWO = """
from decimal import Decimal
from typing import Literal
from pydantic import BaseModel
from skills2_nb.contract.step import step

class First(BaseModel):
    total: int
    grain: Literal["week", "month"]
    flag: bool
    parts: list[int]
    rate: float

class Second(BaseModel):
    share: float

def positive(output):
    return output.total > 0

def below(output):
    return output.share < 1e9

@step(invariants=[positive])
def first(total: int = 211) -> First:
    return First(total=total, grain="week", flag=True, parts=[40, 50, 121], rate=0.5)

@step(invariants=[below])
def second(part: float = 2.5, total: int = 7, grain: str = "week", flag: bool = True,
           path: str = "", parts: list[int] = [], amount: Decimal = Decimal(0)) -> Second:
    return Second(share=part)
"""
STUBS = """
from pydantic import BaseModel
from skills2_nb.contract.step import step

class Draft(BaseModel):
    note: str | None = None

@step
def load_flows() -> Draft:
    return Draft()

@step
def close_identity() -> Draft:
    return Draft()
"""
BODY = """# Growth accounting

Close the **identity**, then give the **quick ratio**, the **dominant flow** and the churn.
A quick ratio below 4 asks for the dominant flow.
"""
ANCHORS = ("identity", "quick ratio", "dominant flow", "churn")
GOOD = (
    "For March 1998 the identity closes at an implied 231. The quick ratio is 1.73; the dominant "
    "flow is resurrected, against churn of 102."
)


def skill_of(source, name="growth", **options):
    """A skill from the source of its cells."""
    module = types.ModuleType(f"audit_case_{abs(hash((source, name)))}")
    sys.modules[module.__name__] = module
    exec(compile(source, f"<{name}>", "exec"), vars(module))
    return Skill.collect(vars(module), name, **options)


@pytest.fixture
def skill():
    return skill_of(SOURCE)


@pytest.fixture
def basis(skill):
    return Basis(skill, BODY, ANCHORS)


def begin(skill, vouched="case", prompt="Why did actives move in March 1998?", period="1998-03"):
    """A run that a case vouches for."""
    return Run.start(skill, {"period": period}, prompt=prompt, vouched=vouched)


@pytest.fixture
def honest(skill):
    """Every owed step in order, by binding, and the answer."""
    run = begin(skill)
    done = walk(run)
    assert done.error is None
    run.end(answer=GOOD)
    return run


def records_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def forge(path, change):
    """Rewrite a journal: `change` takes the records and gives those to write, chained anew.

    The forger has no key: the lines say that none could be kept.
    """
    lines, prev = [], GENESIS
    for number, record in enumerate(change(records_of(path)), 1):
        record |= {"seq": number, "writer": "cli:4265", "mac": None}
        if record["kind"] == "run_ended":
            record |= {"count": number - 1, "head": prev}
        inner = {key: value for key, value in record.items() if key not in ("prev", "hash")}
        body = ",".join(f"{encode_plain(k)}:{encode_plain(v)}" for k, v in inner.items())
        line, prev = sealed(f'{{{body},"prev":"{prev}"'.encode("ascii"))
        lines.append(line)
    path.write_bytes(b"".join(lines))


def started(inputs=None, prompt=None, vouched="case"):
    run = Run.start(skill_of(TWO, "two"), inputs or {}, prompt=prompt, vouched=vouched)
    run.call("first")
    return run


PACKAGE = Path(__file__).parents[2] / "skills" / "growth-accounting"
QUESTIONS = {
    "1998-03": "Why did monthly active customers rise in March 1998?",
    "1997-03": "Monthly actives fell a little in March 1997. What is behind it?",
    "1998-W10": "Are we growing or just churning? Take the week from 2 to 8 March 1998.",
    "1998-Q1": "Give me the growth decomposition of the first quarter of 1998.",
}
#: What `strict` calls a run it has nothing against.
SOUND = "pass"
GRAINS = {"W": "week", "Q": "quarter"}


@pytest.fixture(scope="session")
def months(tmp_path_factory):
    """The exported skill's real runs of the sample log: a home, its basis and their journals."""
    pytest.importorskip("pandas", reason="growth accounting stands on pandas")
    place = tmp_path_factory.mktemp("months")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLS2_HOME", str(place))
        target = Target("growth-accounting", "package", PACKAGE)
        basis = basis_of(PACKAGE)
        journals = {}
        for month, question in QUESTIONS.items():
            inputs = {
                "path": "assets/cdnow_sample.csv",
                "user_column": "customer_id",
                "date_column": "date",
                "grain": GRAINS.get(month[5], "month"),
                "period": month,
            }
            journals[month] = find(prove(target, inputs, prompt=question).run)
    return place, basis, journals


@pytest.fixture(scope="session")
def evidence(months):
    """What came of running the months' steps again, and what their invariants notice."""
    place, basis, journals = months
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLS2_HOME", str(place))
        return {
            month: gathered(basis.skill, fold(read(path)), path, basis.cases, (PACKAGE,))
            for month, path in journals.items()
        }


@pytest.fixture
def sound():
    """What `strict` calls a run it has nothing against."""
    return SOUND


@pytest.fixture
def judged(months, evidence, monkeypatch):
    """Audits an answer to a month as if the model had given it."""
    place, basis, journals = months
    monkeypatch.setenv("SKILLS2_HOME", str(place))

    def judge(month, answer):
        replayed, strength = evidence[month]
        return audit_journal(
            basis, journals[month], answer=answer, replayed=replayed, strength=strength
        )

    return judge
