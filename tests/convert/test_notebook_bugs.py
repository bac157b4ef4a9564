"""Public faults of other notebook tools: none of them here."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import RefusedError, UnreadableError
from skills2_nb.formats.frontmatter import cut

IMPORT = "from skills2_nb import step\n\n\n"
PLAIN = IMPORT + "@step\ndef f() -> int:\n    return 1"
ANOTHER = IMPORT.strip() + "\n\n\n@step\ndef g() -> int:\n    return 2"


def codes(plan):
    return [problem.code for problem in plan.problems]


def only(plan, *wanted):
    """The problems of the codes, which must all be there."""
    found = [problem for problem in plan.problems if problem.code in wanted]
    assert {problem.code for problem in found} == set(wanted), plan.problems
    return found


def skill_py(plan):
    return plan.files["runtime/skill.py"].decode()


def package(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_every_fault_of_the_corpus_has_its_test(shared):
    lines = (shared / "corpus/notebook_bugs.jsonl").read_text(encoding="utf-8").splitlines()
    ids = {json.loads(line)["id"].lower() for line in lines}
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_b")}
    assert ids <= tested


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("%%time\ndef f(): return 1", 1),
        ("%matplotlib inline\nx = 1", 1),
        ("x = 1\nfiles=!ls", 2),
        ("x = 1\nprint?", 2),
        ("?print", 1),
    ],
)
def test_b01_a_magic_is_an_error_at_its_line_and_the_old_export_stays(
    make_notebook, good, source, line
):
    path = make_notebook(good)
    folder = export(path, verify=False).folder
    before = package(folder)
    make_notebook([*good, ("setup", source)])
    with pytest.raises(RefusedError) as refused:
        export(path, verify=False)
    (problem,) = [p for p in refused.value.problems if p.code == "C402"]
    assert (problem.cell, problem.cell_id, problem.line) == (5, "cell-05", line)
    assert "IPython" in problem.message
    assert package(folder) == before


def test_b02_syntax_errors_of_all_cells_name_cell_and_line(planned):
    plan = planned([("setup", "x = 1"), ("setup", "def f(:\n  pass"), ("setup", "y = (\nz")])
    first, second = only(plan, "C401")
    assert first.sentence().startswith("trial-skill.ipynb: cell 2 (id cell-02), line 1: C401")
    assert "SyntaxError, column 7" in first.message
    assert second.cell == 3


def test_b03_future_imports_are_hoisted_once(planned):
    plan = planned(
        [
            ("setup", "import os"),
            ("setup", "from __future__ import annotations\ndef f(a: B) -> C: ..."),
            ("setup", "from __future__ import annotations\ndef g(a: B) -> C: ..."),
        ]
    )
    text = skill_py(plan)
    compile(text, "skill.py", "exec")
    live = [line for line in text.splitlines() if line.startswith("from __future__")]
    assert live == ["from __future__ import annotations"]
    assert not plan.blocking


def test_b04_a_relative_import_is_explained(planned):
    (problem,) = only(planned([("setup", "from .helpers import x")]), "C405")
    assert "full name" in problem.mend


def test_b05_imports_are_never_rewritten(planned):
    source = 'from my_skill import core\n\nTEXT = """\nfrom my_skill import core\n"""'
    assert source in skill_py(planned([("setup", source)]))


def test_b06_async_steps_are_steps(planned):
    plan = planned([("step", IMPORT + "@step\nasync def fetch(u: str) -> str: ...")])
    assert [step.id for step in plan.manifest.steps] == ["fetch"]
    assert '"fetch"' in plan.files["runtime/steps.py"].decode()


def test_b07_text_that_was_run_and_not_saved_is_told(make_notebook):
    from skills2_nb.lab.session import Session

    path = make_notebook([("step", PLAIN)])
    edited = PLAIN.replace("return 1", "return 2")
    assert Session({}, (PLAIN,), plan_path(path)).unsaved() == []
    (fault,) = Session({}, (edited,), plan_path(path)).unsaved()
    assert "save first" in fault.mend


def test_b08_backslashes_are_copied(planned):
    source = 'P = r"\\l \\1 \\g<0> C:\\new"\n\n\ndef f():\n    """\\d+"""'
    assert source in skill_py(planned([("setup", source)]))


def test_b09_the_order_of_notebooks_does_not_matter(make_notebook, good, tmp_path):
    one = make_notebook(good, "notebooks/a.ipynb")
    other = make_notebook(
        [("front", "---\nname: other\ndescription: Other.\n---"), *good[1:]], "notebooks/b.ipynb"
    )
    made = []
    for order in ((one, other), (other, one)):
        out = tmp_path / f"out{len(made)}"
        for path in order:
            export(path, out, verify=False)
        made.append(package(out))
    assert made[0] == made[1]


def test_b10_an_import_in_an_unexported_cell_is_an_error(planned):
    plan = planned(
        [("code", "import pandas as pd"), ("setup", "def f():\n    return pd.DataFrame()")]
    )
    (problem,) = only(plan, "C408")
    assert "'pd'" in problem.message
    assert "cell 1" in problem.message
    assert problem.line == 2


def test_b11_no_generated_file_calls_get_ipython(planned):
    plan = planned([("setup", "%load_ext autoreload\n%autoreload 2")])
    assert [p.line for p in only(plan, "C402")] == [1, 2]
    plan = planned([("setup", "get_ipython().run_line_magic('time', 'x')")])
    only(plan, "C407")


@pytest.mark.parametrize(
    "meta", [{}, {"kernelspec": {"name": "python3"}}, {"kernelspec": {"name": "my-env"}}]
)
def test_b12_a_notebook_without_language_info_is_python(make_notebook, edit, meta):
    path = make_notebook([("step", PLAIN)])
    edit(path, lambda raw: raw.update(metadata=meta))
    assert "def f()" in skill_py(plan_path(path))


def with_image(source, name, data):
    cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    return {**cell, "attachments": {name: {"image/png": base64.b64encode(data).decode()}}}


def test_b13_both_ways_of_showing_an_attachment_work(make_notebook, edit):
    path = make_notebook([])
    source = (
        '![x](attachment:x.png)\n\n<img src="attachment:x.png" width="3">\n\n`attachment:x.png`'
    )
    edit(path, lambda raw: raw.update(cells=[with_image(source, "x.png", b"\x89PNG")]))
    plan = plan_path(path)
    assert plan.files["assets/x.png"] == b"\x89PNG"
    assert plan.body == (
        '![x](assets/x.png)\n\n<img src="assets/x.png" width="3">\n\n`attachment:x.png`'
    )


def test_b13_a_missing_attachment_is_an_error(planned):
    (problem,) = only(planned([("prose", "# T\n\n![x](attachment:gone.png)")]), "A801")
    assert problem.line == 3


def test_b14_the_same_name_in_two_cells_is_two_files(make_notebook, edit):
    path = make_notebook([])
    text = "![](attachment:image.png)"
    cells = [with_image(text, "image.png", data) for data in (b"one", b"two", b"one")]
    edit(path, lambda raw: raw.update(cells=cells))
    plan = plan_path(path)
    first, second, third = (piece[4:-1] for piece in plan.body.split("\n\n"))
    assert plan.files[first] == b"one"
    assert plan.files[second] == b"two"
    assert third == first != second


def test_b15_missing_ids_are_noted_and_never_invented(make_notebook, good, edit):
    path = make_notebook(good)
    with_ids = plan_path(path).files
    edit(path, lambda raw: [cell.pop("id") for cell in raw["cells"]])
    before = path.read_bytes()
    plan = plan_path(path)
    assert codes(plan) == ["N101"]
    assert plan.files == with_ids == plan_path(path).files
    assert path.read_bytes() == before


def test_b16_ids_twice_are_noted(make_notebook, good, edit):
    path = make_notebook(good)
    files = plan_path(path).files
    edit(path, lambda raw: [cell.update(id="x") for cell in raw["cells"]])
    plan = plan_path(path)
    assert [p.cell for p in only(plan, "N102")] == [2, 3, 4]
    assert plan.files == files


def test_b17_utf8_in_and_out_in_any_locale(make_notebook, good):
    path = make_notebook([*good, ("prose", "é → 🙂 Привет")])
    script = (
        "import sys, pathlib; from skills2_nb.convert.exporter import export;"
        "export(pathlib.Path(sys.argv[1]), verify=False)"
    )
    env = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PATH": ""}
    root = str(Path(__file__).resolve().parents[2])
    subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, env=env | {"PYTHONPATH": root}
    )
    made = path.parents[1] / "skills/trial-skill/SKILL.md"
    assert "é → 🙂 Привет" in made.read_text(encoding="utf-8")


def test_b17_a_bom_is_fine_and_latin_1_is_not(make_notebook, good):
    path = make_notebook(good)
    files = plan_path(path).files
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert plan_path(path).files == files
    path.write_bytes(path.read_bytes().replace(b"counts", b"c\xf4unts"))
    with pytest.raises(
        UnreadableError, match=r"trial-skill.ipynb is not UTF-8: byte 0xf4 at offset"
    ):
        plan_path(path)


def test_b18_line_ends_of_the_file_do_not_matter_and_those_of_cells_are_mended(
    make_notebook, good, edit
):
    path = make_notebook(good)
    files = plan_path(path).files
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert plan_path(path).files == files
    edit(path, lambda raw: raw["cells"][3].update(source=good[3][1].replace("\n", "\r\n")))
    plan = plan_path(path)
    assert codes(plan) == ["N104"]
    assert plan.files == files


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_b19_every_text_file_ends_with_one_newline(planned, good, end):
    plan = planned([*good[:3], ("step", good[3][1] + end), ("reference:a.md", "text" + end)])
    for path, data in plan.files.items():
        assert data.endswith(b"\n") and not data.endswith(b"\n\n"), path
    assert plan.files == planned([*good, ("reference:a.md", "text")]).files


def test_b20_source_is_text_or_a_list_of_lines(make_notebook, good, edit):
    path = make_notebook(good)
    files = plan_path(path).files
    edit(path, lambda raw: [c.update(source="".join(c["source"])) for c in raw["cells"]])
    assert plan_path(path).files == files
    edit(path, lambda raw: [c.update(source=list(c["source"])) for c in raw["cells"]])
    assert plan_path(path).files == files


@pytest.mark.parametrize("source", [None, 7, {"a": 1}, ["x", 1]])
def test_b20_any_other_source_is_refused_by_cell(make_notebook, good, edit, source):
    path = edit(make_notebook(good), lambda raw: raw["cells"][1].update(source=source))
    with pytest.raises(UnreadableError, match=r"cell 2 \(id cell-02\): its source is"):
        plan_path(path)


def test_b21_fences_in_prose_stay(planned):
    prose = "````md\n```python\nprint(1)\n```\n````\n\n```python\ns = 1\n```"
    assert planned([("prose", prose)]).body == prose


@pytest.mark.parametrize("text", ["---\n\nText", "---\nname: other\n---\nText"])
def test_b22_a_rule_at_the_start_is_no_front_matter(planned, text):
    plan = planned([("prose", text)])
    front, rest = cut(plan.files["SKILL.md"].decode())
    assert "name: trial-skill" in front
    assert rest.strip() == text


def test_b23_front_matter_is_in_the_first_cell_and_raw_cells_do_not_leak(planned):
    plan = planned(
        [
            ("raw", "---\nname: a\ndescription: A.\n---"),
            ("setup", "x = 1"),
            ("raw", "plain raw"),
            ("raw", "---\nname: b\n---"),
        ]
    )
    assert plan.name == "a"
    assert b"plain raw" not in b"".join(plan.files.values())
    assert [p.cell for p in only(plan, "F309")] == [4]
    assert planned([("prose", "---\nname: a\ndescription: A.\n---")]).name == "a"


def test_b24_comments_that_look_like_cell_marks_are_comments(planned):
    source = "# %%capture\n# %% [markdown]\ndef f():\n    return 1"
    assert source in skill_py(planned([("setup", source)]))


def test_b25_a_shell_line_is_an_error_never_dropped(planned):
    (problem,) = only(planned([("setup", "out = !git status\ndef f(): return out")]), "C402")
    assert problem.line == 1


def test_b26_one_bad_cell_does_not_change_the_others(planned):
    plan = planned([("setup", "%%time"), ("setup", "%env"), ("step", PLAIN)])
    assert [p.cell for p in only(plan, "C402")] == [1, 2]
    assert [step.id for step in plan.manifest.steps] == ["f"]


def test_b27_indented_magics_are_seen_and_modulo_is_not_one(planned):
    plan = planned([("setup", "def f():\n    %time g()\n    !ls\n    return 1")])
    assert [p.line for p in only(plan, "C402")] == [2, 3]
    plan = planned([("setup", 'x = 7\nd = 2\ny=(x\n%d)\ns = """\n%a\n!b\n"""')])
    assert "C402" not in codes(plan)


def test_b28_cells_of_other_languages(make_notebook, edit):
    path = make_notebook([("step", "%r\nvar <- 1 + 1"), ("code", "SELECT 1"), ("step", "SELECT 1")])

    def sql(raw):
        for cell in raw["cells"][1:]:
            cell["metadata"]["vscode"] = {"languageId": "sql"}

    plan = plan_path(edit(path, sql))
    assert [p.cell for p in only(plan, "C403")] == [1, 3]


def test_b29_source_comes_from_the_file(planned, good):
    assert "class Count(BaseModel):" in skill_py(planned(good))


@pytest.mark.parametrize("name", ["display", "In", "Out", "_", "get_ipython", "__file__"])
def test_b30_names_of_the_notebook_alone(planned, name):
    (problem,) = only(planned([("setup", f"def f(df):\n    {name}(df)\n    return 1")]), "C407")
    assert problem.line == 2
    if name == "display":
        assert "IPython.display" in problem.mend


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import asyncio\nawait asyncio.sleep(0)", 2),
        ("return 1", 1),
        ("def f():\n  await g()", 2),
    ],
)
def test_b31_what_only_a_kernel_takes_is_found_by_the_compiler(planned, source, line):
    (problem,) = only(planned([("setup", source)]), "C401")
    assert problem.line == line


@pytest.mark.parametrize("tags", [[], [""], ["none"], ["remove-cell", "parameters"]])
def test_b32_metadata_of_others_changes_no_byte(make_notebook, good, edit, tags):
    path = make_notebook(good)
    before = plan_path(path)

    def noise(raw):
        for cell in raw["cells"]:
            old = cell["metadata"].get("tags", [])
            cell["metadata"] |= {
                "editable": True,
                "deletable": False,
                "slideshow": {"slide_type": ""},
                "tags": [*old, *tags],
            }

    after = plan_path(edit(path, noise))
    assert after.files == before.files
    assert after.problems == before.problems


def test_b33_ids_renumbered_change_no_byte(make_notebook, good, edit):
    path = make_notebook(good)
    files = plan_path(path).files
    edit(path, lambda raw: [cell.update(id=str(i)) for i, cell in enumerate(raw["cells"])])
    assert plan_path(path).files == files


@pytest.mark.parametrize("widgets", [{}, {"model": {"state": 1}}])
def test_b34_widget_state_is_left_alone(make_notebook, good, widgets):
    files = plan_path(make_notebook(good)).files
    assert plan_path(make_notebook(good, widgets=widgets)).files == files


def test_b35_merge_markers_are_named_with_their_line(make_notebook, good):
    path = make_notebook(good)
    folder = export(path, verify=False).folder
    before = package(folder)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[3:3] = ["<<<<<<< HEAD", "=======", ">>>>>>> other"]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UnreadableError, match="merge conflict markers at line 4"):
        export(path, verify=False)
    assert package(folder) == before


@pytest.mark.parametrize(
    "call", ['open("data/x.csv")', 'Path("x.csv")', 'pd.read_csv("data/x.csv")']
)
def test_b36_a_path_relative_to_the_working_folder_is_a_warning(planned, call):
    plan = planned([("setup", f"from pathlib import Path\nimport pandas as pd\nX = {call}")])
    (problem,) = only(plan, "C414")
    assert problem.line == 3
    assert not problem.blocks
