"""A stage to try runs of growth-accounting on, true and false ones."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from skills2_nb.audit import ledger
from skills2_nb.audit.asked import Asked
from skills2_nb.audit.auditor import Audit, Basis, audit
from skills2_nb.audit.integrity import examine
from skills2_nb.audit.reading import Reading
from skills2_nb.contract.errors import ContractError
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk
from skills2_nb.convert.exporter import export
from skills2_nb.evals.evidence import gathered
from skills2_nb.evals.proof import basis_of

_SPEC = importlib.util.spec_from_file_location("audit_kit", Path(__file__).with_name("conftest.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
kit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kit)

Records = list[dict[str, Any]]
PACKAGE, QUESTIONS = kit.PACKAGE, kit.QUESTIONS
NOTEBOOK = PACKAGE.parents[1] / "notebooks" / "growth-accounting.ipynb"
MARCH, FIRST_MARCH = "1998-03", "1997-03"


@dataclass(frozen=True)
class Made:
    """What an attack lays before the auditor.

    Attributes:
        basis: what it is judged by.
        path: the journal, None where there is no run.
        answer: the answer where the journal has none, or another one than the journal's.
        asked: the prompt that the answer is for, where it is another than the journal's.
        siblings: journals of other runs of the same prompt.
        earlier: what earlier audits saw of the journal.
        home: where journals, blobs and keys lie.
        wiped: whether the forger took the run out of the ledger too.
    """

    basis: Basis
    path: Path | None = None
    answer: str | None = None
    asked: str | None = None
    siblings: tuple[Path, ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    home: Path | None = None
    wiped: bool = False


def judge(made: Made) -> Audit:
    """The audit of what an attack laid down, with all that an auditor is given."""
    if made.path is None:
        return audit(made.basis, None, answer=made.answer)
    with at_home(made.home):
        skill = made.basis.skill
        earlier = made.earlier if made.wiped else (*made.earlier, *ledger.sound(made.path.stem))
        whole, state = examine(made.path, digest=skill.digest, live=skill.live, earlier=earlier)
        replayed, strength = gathered(skill, state, made.path, made.basis.cases, (PACKAGE,))
        return audit(
            made.basis,
            state,
            answer=made.answer,
            integrity=whole,
            asked=Asked(prompt=made.asked),
            siblings=[Reading(path).state for path in made.siblings],
            replayed=replayed,
            strength=strength,
        )


@contextmanager
def at_home(place: Path | None) -> Iterator[None]:
    """`SKILLS2_HOME` at a place for a while."""
    before = os.environ.get("SKILLS2_HOME")
    if place is not None:
        os.environ["SKILLS2_HOME"] = str(place)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("SKILLS2_HOME", None)
        else:
            os.environ["SKILLS2_HOME"] = before


@dataclass
class Stage:
    """A home of its own, the package, variants of it, and honest runs made once."""

    place: Path
    runs: dict[str, Path] = field(default_factory=dict)
    variants: dict[str, Basis] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.place / "home"

    @cached_property
    def basis(self) -> Basis:
        return basis_of(PACKAGE)

    def start(self, period: str = MARCH, skill: Skill | None = None, **options: Any) -> Run:
        """An open run that a case vouches for, unless it is told otherwise."""
        inputs = {
            "path": str(PACKAGE / "assets" / "cdnow_sample.csv"),
            "user_column": "customer_id",
            "date_column": "date",
            "grain": kit.GRAINS.get(period[5], "month"),
            "period": period,
            **options.pop("inputs", {}),
        }
        options = {"prompt": QUESTIONS.get(period), "vouched": "case", **options}
        with at_home(self.home):
            return Run.start(skill or self.basis.skill, inputs, **options)

    def finish(self, run: Run, answer: str | None = None, **more: Any) -> Made:
        """The rest of the steps by binding, the end, and what there is to judge."""
        with at_home(self.home):
            done = {call.step for call in run.state.calls if call.status == "ok"}
            for spec in run.skill.steps:
                if spec.id not in done and run.skill.owes(spec, run.state):
                    run.call(spec.id)
            return self.end(run, answer, **more)

    def end(self, run: Run, answer: str | None = None, **more: Any) -> Made:
        """End a run as it is, with its own readout where no answer is given."""
        with at_home(self.home):
            call = run.state.newest("write_readout")
            run.end(answer=answer or (call.output["readout"] if call else self.good()))
            run.close()
        return Made(more.pop("basis", self.basis), run.path, home=self.home, **more)

    def call(self, run: Run, step: str, args: Mapping[str, Any] | None = None, **refs: str) -> None:
        with at_home(self.home):
            run.call(step, args or {}, refs)

    def refused(self, run: Run, step: str, args: Mapping[str, Any] | None = None) -> None:
        """A call that comes to nothing, and that its caller passes over."""
        with at_home(self.home):
            try:
                run.call(step, args or {})
            except (ContractError, ArithmeticError, ValueError):
                return
        raise AssertionError(f"{step} was to fail")

    def honest(self, period: str = MARCH) -> Path:
        """A fresh copy of the honest run's home journal."""
        if period not in self.runs:
            run = self.start(period)
            with at_home(self.home):
                walked = walk(run)
            assert walked.error is None
            made = self.end(run)
            assert made.path is not None
            self.runs[period] = made.path
        kept = self.runs[period]
        folder = self.place / f"copy-{len(list(self.place.iterdir()))}"
        folder.mkdir()
        return Path(shutil.copy2(kept, folder / kept.name))

    def good(self, period: str = MARCH) -> str:
        """The honest answer."""
        return str(kit.records_of(self.honest(period))[-1]["text"])

    def variant(self, name: str, change: Callable[[str], str]) -> Basis:
        """The package with its code changed, as a careless or crafty author would export it."""
        if name not in self.variants:
            folder = self.place / "variants" / name / "growth-accounting"
            shutil.copytree(PACKAGE, folder)
            code = folder / "runtime" / "skill.py"
            old = code.read_text(encoding="utf-8")
            new = change(old)
            assert new != old
            code.write_text(new, encoding="utf-8")
            self.variants[name] = basis_of(folder)
        return self.variants[name]

    def grown(self, name: str, source: str) -> Basis:
        """The package exported from its notebook with one step cell more."""
        if name not in self.variants:
            place = self.place / "grown" / name
            shutil.copytree(NOTEBOOK.with_suffix(""), place / NOTEBOOK.stem)
            notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
            cell = {"cell_type": "code", "id": name, "metadata": {"tags": ["step"]}}
            notebook["cells"].append(
                {**cell, "source": source, "outputs": [], "execution_count": None}
            )
            path = place / NOTEBOOK.name
            path.write_text(json.dumps(notebook), encoding="utf-8")
            self.variants[name] = basis_of(export(path, place / "out", verify=False).folder)
        return self.variants[name]

    def edited(self, change: Callable[[Records], Records], **more: Any) -> Made:
        """The honest journal changed and chained anew, and the ledger with it, as anybody can."""
        path = self.honest()
        kit.forge(path, change)
        return Made(self.basis, path, home=self.home, wiped=True, **more)


def ids(stage: Stage) -> tuple[str, ...]:
    """The steps in order."""
    return stage.basis.skill.ids


def step(records: Records, id_: str) -> dict[str, Any]:
    """The one success of a step."""
    (record,) = [r for r in records if r.get("step") == id_ and r["kind"] == "step_ok"]
    return record


def invariants(stage: Stage) -> tuple[str, ...]:
    return tuple(item.name for spec in stage.basis.skill.steps for item in spec.invariants)


def hollow(code: str, *names: str) -> str:
    """Give invariants a body that holds of anything they read."""
    for name in names:
        pattern = rf"(def {name}\((\w+).*?\):\n)(?:[ ]{{4}}.*\n|\n(?=[ ]{{4}}))+"
        code, count = re.subn(pattern, r"\1    return type(\2) is type(\2)\n", code)
        assert count == 1, name
    return code


def loosened(code: str, model: str) -> str:
    """Give each field of the models a default."""

    def loosen(match: re.Match[str]) -> str:
        return re.sub(r"(?m)^(    \w+: [^=\n]+?)( = Field\(title.*)?$", _default, match[0])

    return re.sub(rf"class (?:{model})\(BaseModel\):\n(?:    \w+: .*\n)+", loosen, code)


def _default(match: re.Match[str]) -> str:
    kind, given = match[1].removesuffix(" | None"), match[2] or " = None"
    return f"{kind} | None{given.replace('Field(', 'Field(default=None, ')}"
