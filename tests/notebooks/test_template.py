"""The notebook that a new skill starts from: it runs, and its checks can fail."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import skills2_nb
from skills2_nb.audit.auditor import audit_journal
from skills2_nb.cli import starter
from skills2_nb.contract.invariants import check
from skills2_nb.contract.run import Run
from skills2_nb.contract.skill import Skill
from skills2_nb.contract.walk import walk
from skills2_nb.convert.exporter import export
from skills2_nb.evals.checks import amiss
from skills2_nb.evals.proof import basis_of
from skills2_nb.evals.runners import chain
from skills2_nb.formats.cases import RunCase, to_dict
from skills2_nb.formats.package import read_package

TEMPLATE = Path(skills2_nb.__path__[0]) / "cli" / "template.ipynb"
WEEK = [12, 9, 14, 11, 20, 31, 18]


def cells() -> list[dict[str, Any]]:
    return json.loads(TEMPLATE.read_text(encoding="utf-8"))["cells"]


@pytest.fixture(scope="module")
def module() -> ModuleType:
    made = ModuleType("template_under_test")
    for cell in cells():
        if {"setup", "step"} & set(cell["metadata"].get("tags", [])):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), made.__dict__)
    return made


@pytest.fixture(scope="module")
def skill(module: ModuleType) -> Skill:
    return Skill.collect(vars(module), "template")


def test_its_placeholders_are_name_and_title_once_each():
    text = TEMPLATE.read_text(encoding="utf-8")
    assert (text.count("{{name}}"), text.count("{{title}}")) == (1, 1)
    assert text.count("{{") == 2


def test_it_stands_on_the_standard_library_and_pydantic():
    code = "\n".join("".join(cell["source"]) for cell in cells() if cell["cell_type"] == "code")
    lines = {line.split()[1] for line in code.splitlines() if line.startswith(("import ", "from "))}
    assert lines == {"re", "typing", "pydantic", "skills2_nb"}


def test_the_three_steps_bind_and_the_readout_tells_them(skill):
    walked = walk(Run.start(skill, inputs={"daily": WEEK}))
    assert walked.error is None
    assert list(walked.outputs) == ["add_up_week", "find_busiest_day", "write_readout"]
    assert walked.outputs["write_readout"].readout == (
        "The week came to a total of 115, an average of 16.4 a day. "
        "The busiest day was Saturday, with a busiest count of 31."
    )


@pytest.mark.parametrize(
    ("daily", "sentence"),
    [
        ([], "A week has seven daily counts and here are 0"),
        ([1, 2, 3], "here are 3. Give one for each day"),
        ([1, 2, 3, 4, 5, 6, -7], "one is -7. Correct that day"),
    ],
)
def test_a_week_that_is_none_says_why(daily, sentence, module):
    with pytest.raises(ValueError, match=sentence):
        module.add_up_week(daily)


@pytest.mark.parametrize(
    ("step", "args", "invariant", "wrong"),
    [
        ("add_up_week", {"daily": WEEK}, "total_takes_every_day", {"total": 116}),
        ("add_up_week", {"daily": WEEK}, "average_leads_back_to_total", {"average": 18.0}),
        ("find_busiest_day", {"daily": WEEK}, "no_day_is_busier", {"busiest_day": "Sunday"}),
        ("find_busiest_day", {"daily": WEEK}, "no_day_is_busier", {"busiest_count": 30}),
        ("find_busiest_day", {"daily": [5, 5, 0, 0, 0, 0, 0]}, "no_day_is_busier",
         {"busiest_day": "Tuesday"}),
        ("write_readout", {"total": 115, "average": 16.4, "busiest_day": "Saturday",
                           "busiest_count": 31},
         "readout_carries_every_figure", {"readout": "A good week."}),
        ("write_readout", {"total": 115, "average": 16.4, "busiest_day": "Saturday",
                           "busiest_count": 31},
         "readout_adds_no_figure", {"readout": "A total of 115, 12% more than before."}),
    ],
)  # fmt: skip
def test_every_check_can_fail(step, args, invariant, wrong, skill):
    spec = skill.step(step)
    output = spec.fn(**args)
    assert [each.name for each in check(spec.invariants, args, output) if not each.ok] == []
    caught = check(spec.invariants, args, output.model_copy(update=wrong))
    assert invariant in {each.name for each in caught if not each.ok}


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """What `skills2 new my-week` writes."""
    path = tmp_path / "notebooks" / "my-week.ipynb"
    path.parent.mkdir()
    path.write_bytes(starter.notebook("my-week"))
    return path


def test_it_exports_as_it_is_without_a_word(notebook):
    made = export(notebook)
    assert [problem.sentence() for problem in made.problems] == []
    read = read_package(made.folder)
    assert read.front["name"] == "my-week"
    assert read.body.startswith("# My week\n")
    assert "For you" not in read.body
    assert len(read.cases) == 5
    assert read.manifest.runtime.dependencies == ("pydantic",)


def test_its_cases_come_out_as_they_say(notebook):
    folder = export(notebook).folder
    basis = basis_of(folder)
    cases = [case for case in read_package(folder).cases if isinstance(case, RunCase)]
    judged = []
    for case in cases:
        outcome = chain(basis.skill, case.inputs, prompt=case.prompt, body=basis.body)
        made = audit_journal(basis, outcome.run.path)
        judged.append((made.classic.score, made.strict.score))
        if case.expected_audit == "fail":
            assert amiss(to_dict(case), made, outcome.run.state) == []
    assert judged[0] == (1.0, 1.0)
    assert judged[1][0] < 0.5
