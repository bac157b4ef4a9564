import ast
import json
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills2_nb.convert.plan import plan, plan_path
from skills2_nb.formats.notebook import parse_notebook
from skills2_nb.formats.skill_md import needs_prose_tag, split

LONG = """def identity_closes(prev_mau, new, resurrected, churned, current_mau):
    return abs(prev_mau + new + resurrected - churned - current_mau) <= 1.0

@step(order=4, requires=["pick_decomposition_form"],
      invariants=["runtime.validators:identity_closes"], output_schema=IdentityCheck)
def compute_single_period_identity(prev_mau, new, resurrected, churned, current_mau):
    implied = prev_mau + new + resurrected - churned
    residual = current_mau - implied
    closes = abs(residual) <= 1.0
    return IdentityCheck(implied=implied, residual=residual, identity_closes=closes)"""
SETUP = """from pydantic import BaseModel

from skills2_nb import step


class IdentityCheck(BaseModel):
    implied: int
    residual: int
    identity_closes: bool = True
"""
FIRST = "@step(order=3)\ndef pick_decomposition_form() -> str:\n    return 'sum'"


def cells_of(data):
    """The cells that an import makes of a SKILL.md."""
    document = split(data)
    cells = [] if document.front is None else [("raw", document.front, [])]
    for index, piece in enumerate(document.pieces):
        first = index == 0 and document.front is None
        tags = ["prose"] if needs_prose_tag(piece, first=first) else []
        cells.append(("markdown", piece, tags))
    made = [
        {"cell_type": kind, "metadata": {"tags": tags} if tags else {}, "source": source}
        for kind, source, tags in cells
    ]
    if document.layout.to_dict():
        made[0]["metadata"]["skills2"] = document.layout.to_dict()
    return made


def round_trip(data, tmp_path):
    raw = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells_of(data)}
    text = json.dumps(raw, ensure_ascii=False)
    return plan(parse_notebook(text.encode(), tmp_path / "trial.ipynb"))


def test_public_skills_come_back_from_a_notebook(shared, tmp_path):
    for path in sorted(shared.glob("corpus/*/SKILL.md")):
        made = round_trip(path.read_bytes(), tmp_path)
        assert made.files["SKILL.md"] == path.read_bytes(), path
        assert made.blocking == (), path


BITS = [
    *["---", "---  ", "...", "name: a", "a: [", "# H", "```", "<!--", "-->", " ", "text", "\ufeff"],
    *["# skills2: skip", "<!-- skills2: skip -->", "![](attachment:x.png)", "name: b/c"],
    *["\n", "\n", "\n\n", "\r", "\r\n"],
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(BITS), max_size=20).map("".join))
def test_any_skill_md_comes_back_from_a_notebook(tmp_path, text):
    made = round_trip(text.encode(), tmp_path)
    assert made.files["SKILL.md"] == text.encode()
    assert {p.code for p in made.blocking} <= {"F310"}


def test_the_long_form_exports_to_the_same_contract(planned):
    made = planned([("setup", SETUP), ("step", FIRST), ("step", LONG)])
    assert made.blocking == ()
    steps = tomllib.loads(made.files["skill.toml"].decode())["steps"]
    assert steps[1] == {
        "id": "compute_single_period_identity",
        "order": 4,
        "required": True,
        "fn": "runtime.steps:compute_single_period_identity",
        "requires": ["pick_decomposition_form"],
        "invariants": ["runtime.validators:identity_closes"],
        "output": "runtime.models:IdentityCheck",
        "report": [],
    }
    assert LONG in made.files["runtime/skill.py"].decode()
    assert "identity_closes" in made.files["runtime/validators.py"].decode()
    assert {p.code for p in made.problems} >= {"S519"}


def test_steps_stand_in_order(planned):
    made = planned([("setup", SETUP), ("step", LONG), ("step", FIRST)])
    assert [s.id for s in made.manifest.steps] == [
        "pick_decomposition_form",
        "compute_single_period_identity",
    ]


def test_every_line_of_the_module_knows_its_cell(planned, good):
    cells = [
        *good,
        ("code", "# skills2: setup\n\n\nfrom __future__ import annotations\nX = 1\n\n"),
        ("code", "scratch"),
        ("setup", "\n\nY = 2"),
    ]
    made = planned(cells)
    lines = made.files["runtime/skill.py"].decode().split("\n")
    for wanted, number, line in (
        ("X = 1", 5, 5),
        ("Y = 2", 7, 3),
        ("class Count(BaseModel):", 4, 1),
    ):
        origin, at = made.module.where(lines.index(wanted) + 1)
        assert (origin.cell, at) == (number, line)
    assert made.module.where(1) is None
    ast.parse("\n".join(lines))


def test_the_parts_of_the_module_are_named(planned, good):
    cells = [
        *good,
        ("model", "class M: ..."),
        ("helper", "LIMIT = 3"),
        ("invariant", "def i(): ..."),
    ]
    text = planned(cells).files["runtime/skill.py"].decode()
    assert [line for line in text.split("\n") if line.startswith("# %% ")] == [
        "# %% setup imports",
        "# %% step count",
        "# %% model M",
        "# %% helper LIMIT",
        "# %% invariant i",
    ]
    assert text.startswith("# Made from trial-skill.ipynb.")


def test_files_of_the_folder_go_along(make_notebook, good, tmp_path):
    path = make_notebook([*good, ("reference:b.md", "cell")])
    folder = tmp_path / "notebooks/trial-skill"
    for name, data in {
        "references/a.md": b"a\r\n",
        "assets/deep/x.bin": b"\0\1",
        "LICENSE.txt": b"MIT",
        "assets/.DS_Store": b"",
        "scripts/__pycache__/x.pyc": b"",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    files = plan_path(path).files
    assert files["references/a.md"] == b"a\r\n"
    assert files["assets/deep/x.bin"] == b"\0\1"
    assert files["LICENSE.txt"] == b"MIT"
    assert not any("pycache" in name or "DS_Store" in name for name in files)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("SKILL.md", "A802"),
        ("runtime/x.py", "A802"),
        ("references/b.md", "A802"),
        ("references/B.md", "A805"),
    ],
)
def test_files_of_the_folder_that_are_in_the_way(make_notebook, good, tmp_path, name, code):
    path = make_notebook([*good, ("reference:b.md", "cell")])
    file = tmp_path / "notebooks/trial-skill" / name
    file.parent.mkdir(parents=True)
    file.write_text("other")
    assert [p.code for p in plan_path(path).problems] == [code]


def test_links_that_leave_the_folder_are_refused(make_notebook, good, tmp_path):
    path = make_notebook(good)
    folder = tmp_path / "notebooks/trial-skill/assets"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("s")
    (folder / "a").write_text("a")
    (folder / "inside").symlink_to(folder / "a")
    (folder / "outside").symlink_to(tmp_path / "secret")
    (folder / "dir").symlink_to(tmp_path)
    made = plan_path(path)
    assert [p.code for p in made.problems] == ["A803", "A803"]
    assert made.files["assets/inside"] == b"a"
    assert "assets/outside" not in made.files


def test_the_same_target_twice_is_appended(planned, good):
    cells = [("reference:a.md", "one"), ("asset:x.csv", "1", "raw"), ("reference:a.md", "two")]
    files = planned([*good, *cells, ("asset:x.csv", "2", "raw")]).files
    assert files["references/a.md"] == b"one\n\ntwo\n"
    assert files["assets/x.csv"] == b"1\n2\n"


def test_a_script_cell_must_be_python(planned, good):
    made = planned([*good, ("script:run.py", "x = (")])
    assert [p.code for p in made.problems] == ["C401"]
    assert planned([*good, ("script:run.sh", "ls -la |", "raw")]).problems == ()


def test_what_the_manifest_infers(planned, good):
    cells = [
        ("setup", "import os\nimport sklearn.linear_model\nfrom PIL import Image\nimport my_lib.x"),
        ("setup", "def f():\n    import yaml\n    return yaml"),
        ("manifest", '[runtime]\ntimeout = 5\n[triggers]\nkeywords = ["mine"]'),
    ]
    made = planned([*good, *cells], language_info={"name": "python", "version": "3.13.2"}).manifest
    assert made.runtime.python == ">=3.13"
    assert made.runtime.dependencies == ("my-lib", "pillow", "pydantic", "pyyaml", "scikit-learn")
    assert (made.runtime.timeout, made.runtime.memory_mb) == (5, 2048)
    assert made.triggers.keywords == ("mine",)
    assert (
        planned(good, language_info={"name": "python", "version": "3.8"}).manifest.runtime.python
        == ">=3.11"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    noise=st.dictionaries(st.text(max_size=5), st.integers(), max_size=2), count=st.integers(0, 9)
)
def test_noise_changes_no_byte(make_notebook, good, edit, noise, count):
    path = make_notebook(good)
    before = plan_path(path)

    def change(raw):
        raw["metadata"]["other_tool"] = noise
        for cell in raw["cells"]:
            cell["id"] = f"{count}-{cell['id']}"
            cell["metadata"]["other_tool"] = noise
            if cell["cell_type"] == "code":
                cell |= {"execution_count": count, "outputs": [{"data": noise}]}

    after = plan_path(edit(path, change))
    assert after.files == before.files
    assert [p.code for p in after.problems] == [p.code for p in before.problems]


def test_an_empty_notebook_is_no_crash(planned):
    made = planned([])
    assert [p.code for p in made.problems] == ["F301"]
    assert made.files["SKILL.md"].startswith(b"---\nname: trial-skill\n")


SCRAPS = [
    *[
        "@step",
        "@step(",
        "order=1",
        "requires=",
        "[",
        "]",
        "(",
        ")",
        "f",
        "'f'",
        "invariants=",
        ",",
    ],
    *["\n", "\n    ", "def f(a: int) -> M:", "    return a", "class M(BaseModel):", "    x: int"],
    *["from skills2_nb import step", "import os", "%time", "!ls", "?", "lambda: 1", "**", "when=f"],
    *["bind={'a': 'f#/x'}", "# skills2: step\n", "# skills2: stub", "---", "name: a", "d: x: y"],
    *[
        "[audit]",
        "threshold = 9",
        "case('p')",
        "f.case(1)",
        "case(must_call=[f])",
        "\r\n",
        "\0",
        "é",
    ],
    *["global x", "if __name__ == '__main__':", "    pass", "from . import x", "from a import *"],
    *["![](attachment:x.png)", "```", "# T", '{"step": "f"}', "match x:", "    case [*a]: pass"],
    *['f"{x!r}"', "from __future__ import annotations", "report=['x']", "id='a'", "None", "-1"],
]
ROLES = [
    *[None, "front", "code", "raw", "step", "setup", "cases", "manifest", "skip", "model", "stpe"],
    *["reference:a.md", "script:x.py", "asset:b", ["step", "setup"], ["prose"]],
]
KINDS = ["code", "markdown", "raw", None]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(ROLES),
            st.lists(st.sampled_from(SCRAPS), max_size=12).map(" ".join),
            st.sampled_from(KINDS),
        ),
        max_size=5,
    )
)
def test_no_notebook_is_a_crash(planned, pairs):
    made = planned(pairs)
    for problem in made.problems:
        assert problem.sentence().count("\n") == 0
    if not made.blocking and "runtime/skill.py" in made.files:
        compile(made.files["runtime/skill.py"], "skill.py", "exec")
    assert planned(pairs).files == made.files
