"""A plain skill as a notebook of stubs and its package."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.contract.loader import load
from skills2_nb.convert.exporter import export
from skills2_nb.convert.plan import Plan, plan, plan_path
from skills2_nb.convert.transform import sketch, transform
from skills2_nb.errors import RefusedError, SetupError, UnreadableError, UsageError
from skills2_nb.evals.proof import prove
from skills2_nb.formats.draft import as_notebook
from skills2_nb.formats.files import sha256
from skills2_nb.formats.notebook import parse_notebook
from skills2_nb.formats.package import check_lock
from skills2_nb.library.discovery import find

SKILL = """---
name: week-notes
description: Sums up a week of notes. Use when someone asks to sum up a week. Not for single days.
---

# Week notes

Notes of a **week**, in one text.

## When to use

- Summing up a week of notes

## Workflow

1. **Collect the notes** — all seven days
2. Group them by `topic`
3. Write the text. Keep it short.

See [the guide](references/guide.md).
"""


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    folder = tmp_path / "from" / "week-notes"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8", newline="\n")
    (folder / "references/guide.md").write_text("A guide.\n", encoding="utf-8", newline="\n")
    (folder / "scripts").mkdir()
    (folder / "scripts/tool.bin").write_bytes(b"\x00\xff\r\n")
    return folder


def planned(skill_md: bytes, folder: str = "a-skill") -> Plan:
    cells = sketch(skill_md, folder).cells
    return plan(parse_notebook(json.dumps(as_notebook(cells)).encode(), Path("a.ipynb")))


def test_notebook_and_package_come_out(plain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = transform(plain, out)
    assert done.notebook == out / "week-notes.ipynb"
    assert done.package is not None
    assert done.package.folder == out / "week-notes"
    assert done.sketch.ids == ("collect_the_notes", "group_them_by_topic", "write_the_text")
    assert done.files == ("references/guide.md", "scripts/tool.bin")
    for path in ("SKILL.md", *done.files):
        assert (out / "week-notes" / path).read_bytes() == (plain / path).read_bytes()
    assert not check_lock(out / "week-notes").edited
    assert all(step.is_stub for step in done.plan.steps)
    assert {p.code for p in plan_path(done.notebook).problems} == {"S520"}
    case = done.plan.cases[0]
    assert (case.tags, case.expected_audit, case.inputs) == (("classic",), "pass", {})
    assert case.prompt == "Can you sum up a week?"


def test_steps_stand_below_their_prose_and_run_in_a_kernel(
    plain: Path, tmp_path: Path, load_notebook: Any
) -> None:
    done = transform(plain, tmp_path / "out")
    cells = json.loads(done.notebook.read_text(encoding="utf-8"))["cells"]
    told = [("".join(cell["source"]).split("\n")[0], cell["cell_type"]) for cell in cells]
    at = told.index(("## Workflow", "markdown"))
    assert [tag for cell in cells[at + 1 : at + 4] for tag in cell["metadata"]["tags"]] == [
        "step"
    ] * 3
    assert load_notebook(done.notebook).collect_the_notes() == {}


def test_the_stubs_run_and_prove_nothing(plain: Path, tmp_path: Path) -> None:
    done = transform(plain, tmp_path / "out")
    assert done.package is not None
    proof = prove(find(str(done.package.folder)))
    classic, strict = proof.audit.classic, proof.audit.strict
    assert (classic.coverage, classic.consistency, classic.anchoring) == (
        pytest.approx(0.7),
        0,
        1,
    )
    assert classic.score == pytest.approx(0.53)
    assert strict.verdict == "fail"


def test_the_stubs_are_served(plain: Path, tmp_path: Path) -> None:
    from fastmcp import Client

    from skills2_nb.cli.serve_parts import judge
    from skills2_nb.library.catalog import Catalog
    from skills2_nb.serve.server import Options, Server

    done = transform(plain, tmp_path / "out")
    assert done.package is not None
    server = Server(Catalog((done.package.folder,)), Options(judge=judge))

    async def work() -> tuple[set[str], Any]:
        async with Client(server.mcp) as client:
            listed = {tool.name for tool in await client.list_tools()}
            begun = await client.call_tool("week-notes__start_run", {"prompt": "Sum up."})
            run = begun.structured_content["run_id"]
            return listed, await client.call_tool("week-notes__collect_the_notes", {"run_id": run})

    listed, called = asyncio.run(work())
    assert {f"week-notes__{step}" for step in done.sketch.ids} <= listed
    assert not called.is_error


def test_a_second_transform_touches_nothing(plain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    transform(plain, out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    again = transform(plain, out)
    assert again.package is not None
    assert again.package.is_current
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before


def test_an_edited_notebook_stays_and_force_keeps_it(plain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    notebook = transform(plain, out).notebook
    edited = notebook.read_bytes().replace(b"return {}", b"return {'n': 1}")
    notebook.write_bytes(edited)
    with pytest.raises(RefusedError, match="--force"):
        transform(plain, out)
    assert notebook.read_bytes() == edited
    done = transform(plain, out, force=True)
    assert done.backup == out / "week-notes.ipynb.bak"
    assert done.backup.read_bytes() == edited


def test_a_package_of_others_stays_and_no_notebook_is_left(plain: Path, tmp_path: Path) -> None:
    there = tmp_path / "out/week-notes/SKILL.md"
    there.parent.mkdir(parents=True)
    there.write_text("mine")
    with pytest.raises(RefusedError, match="came from elsewhere"):
        transform(plain, tmp_path / "out")
    assert there.read_text() == "mine"
    assert not (tmp_path / "out/week-notes.ipynb").exists()


def test_the_package_stays_where_the_notebooks_files_lie(plain: Path, tmp_path: Path) -> None:
    done = transform(plain, tmp_path / "out")
    text = done.notebook.read_text(encoding="utf-8")
    done.notebook.write_text(text.replace("return {}", "return {'n': 1}", 1), encoding="utf-8")
    (done.notebook.with_suffix("") / "references/guide.md").write_text("Edited.\n")
    again = export(done.notebook)
    assert again.folder == tmp_path / "out/week-notes"
    assert set(again.written) >= {"runtime/skill.py"}
    assert not [p for p in again.problems if p.level == "error"]
    assert (again.folder / "references/guide.md").read_text() == "Edited.\n"
    assert len(load(again.folder).steps) == 3


def test_a_plain_skill_becomes_a_package_where_it_lies(plain: Path) -> None:
    done = transform(plain, plain.parent)
    assert done.package is not None
    assert done.package.folder == plain
    assert (plain / "SKILL.md").read_text(encoding="utf-8") == SKILL
    with pytest.raises(RefusedError, match="skills2 import"):
        transform(plain, plain.parent)


def test_a_skill_whose_name_is_none_has_a_notebook_alone(plain: Path, tmp_path: Path) -> None:
    path = plain / "SKILL.md"
    path.write_text(SKILL.replace("name: week-notes", "name: Week Notes"), encoding="utf-8")
    done = transform(plain, tmp_path / "out")
    assert done.package is None
    assert done.notebook.exists()
    assert "F304" in {problem.code for problem in done.plan.problems}


def test_no_skill_is_no_skill(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"no SKILL\.md"):
        transform(tmp_path, tmp_path / "out")
    (tmp_path / "SKILL.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="UTF-8"):
        transform(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


PARTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["# T", "## Steps", "1. a", "- [ ] b", "```", "", "<!--", "-->", "---", " x"]
        ),
        st.text(max_size=20),
    ),
    max_size=20,
)


@given(PARTS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(0, 3))
def test_the_prose_is_kept_byte_for_byte(
    parts: list[str], end: str, front: bool, tail: int
) -> None:
    lines = [*(["---", "name: x", "description: y", "---"] if front else []), *parts]
    data = (end.join(lines) + end * tail).encode("utf-8", "replace")
    made = planned(data)
    assert made.files["SKILL.md"] == data
    assert not [p for p in made.blocking if p.code[0] in "CSKMR"], made.blocking


def test_every_skill_of_the_corpus(shared: Path) -> None:
    folders = sorted(path.parent for path in (shared / "corpus").glob("*/SKILL.md"))
    assert len(folders) > 40
    for folder in folders:
        data = (folder / "SKILL.md").read_bytes()
        made = planned(data, folder.name)
        assert made.files["SKILL.md"] == data, folder.name
        assert not [p.sentence() for p in made.problems if p.level == "error"], folder.name
        assert made.steps
        assert all(step.is_stub for step in made.steps)
        assert len(made.cases) == 3
        body = made.body.casefold()
        assert all(term.casefold() in body for term in made.manifest.anchors)


def test_same_skill_same_bytes(plain: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "week-notes"
    shutil.copytree(plain, copy)
    first, second = (transform(p, tmp_path / o).notebook for p, o in ((plain, "a"), (copy, "b")))
    assert sha256(first.read_bytes()) == sha256(second.read_bytes())


BROKEN = {
    "no yaml": '---\nname: [a\ndescription: "x\n---\n\n# Title\n\n1. Do this\n2. Do that\n',
    "a key twice": "---\nname: a\nname: b\n---\n\n# Title\n\n1. Do this\n2. Do that\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_front_matter_that_does_not_parse_is_no_step(name: str) -> None:
    made = sketch(BROKEN[name].encode(), "a-skill")
    assert made.ids == ("do_this", "do_that")
    line = BROKEN[name].split("\n").index("1. Do this") + 1
    assert made.flow.steps[0].line == line
    assert planned(BROKEN[name].encode()).files["SKILL.md"] == BROKEN[name].encode()


def test_no_package_goes_into_the_skill_or_around_it(plain: Path) -> None:
    for out in (plain, plain / "below"):
        before = sorted(plain.rglob("*"))
        with pytest.raises(UsageError, match="lies in the skill folder or holds it"):
            transform(plain, out)
        assert sorted(plain.rglob("*")) == before
    inner = plain.parent / plain.name / plain.name
    shutil.copytree(plain, inner)
    with pytest.raises(UsageError, match="lies in the skill folder or holds it"):
        transform(inner, plain.parent)


def test_a_place_that_is_no_folder_is_told(plain: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="-o takes a folder"):
        transform(plain, tmp_path / "a.ipynb")
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file/below"):
        with pytest.raises(SetupError, match="a file stands where a folder must be"):
            transform(plain, out)


def test_what_is_not_utf_8_is_told_with_its_folder(plain: Path, tmp_path: Path) -> None:
    (plain / "SKILL.md").write_bytes(b"# \xff\n")
    with pytest.raises(UnreadableError, match=f"{plain.name}/SKILL.md is not UTF-8"):
        transform(plain, tmp_path / "out")
