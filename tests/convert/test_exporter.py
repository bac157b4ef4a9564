import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skills2_nb.contract.loader import load
from skills2_nb.convert.exporter import default_folder, export
from skills2_nb.convert.plan import plan_path
from skills2_nb.errors import RefusedError, SetupError, UsageError
from skills2_nb.formats.package import check_lock, read_package


def snapshot(folder):
    return {
        p.relative_to(folder).as_posix(): (p.read_bytes(), p.stat().st_mtime_ns)
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def quick(path, *args, **options):
    return export(path, *args, verify=False, **options)


def test_the_package_is_whole_and_loads(make_notebook, good):
    cases = ("cases", "count.case(1, 2)\ncount.case(1, b=3, expect={'total': 4}, id='four')")
    made = export(make_notebook([*good, cases, ("reference:a.md", "# A")]))
    assert made.folder.parent.name == "skills"
    assert set(snapshot(made.folder)) == {
        "SKILL.md",
        "skill.toml",
        "export.lock",
        "schemas.json",
        "runtime/__init__.py",
        "runtime/skill.py",
        "runtime/steps.py",
        "runtime/validators.py",
        "runtime/models.py",
        "evals/cases.jsonl",
        "references/a.md",
    }
    package = read_package(made.folder)
    assert package.problems == ()
    assert check_lock(made.folder).is_clean
    assert set(package.schemas["steps"]["count"]) == {"input", "output"}
    skill = load(made.folder)
    assert skill.step("count").fn(1, 2).total == 3
    assert [i.name for i in skill.step("count").invariants] == ["total_is_sum"]


def test_the_validator_of_the_standard_takes_it(make_notebook, good):
    pytest.importorskip("skills_ref")
    tool = Path(sys.executable).with_name("agentskills")
    folder = quick(make_notebook(good)).folder
    done = subprocess.run([tool, "validate", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_second_export_touches_nothing(make_notebook, good):
    path = make_notebook(good)
    first = export(path)
    before = snapshot(first.folder)
    second = export(path)
    assert second.is_current
    assert snapshot(first.folder) == before
    assert quick(path).is_current
    assert snapshot(first.folder) == before


def test_only_what_changed_is_written(make_notebook, good):
    path = make_notebook(good)
    quick(path)
    make_notebook([*good, ("prose", "More.")])
    assert quick(path).written == ("SKILL.md", "export.lock")


def test_the_same_bytes_anywhere(make_notebook, good, tmp_path):
    path = make_notebook(good)
    one, two = export(path, tmp_path / "a").folder, export(path, tmp_path / "b").folder
    assert {k: v[0] for k, v in snapshot(one).items()} == {
        k: v[0] for k, v in snapshot(two).items()
    }
    text = b"".join(data for data, _ in snapshot(one).values())
    assert str(tmp_path).encode() not in text


def test_schemas_stay_only_with_their_code(make_notebook, good):
    path = make_notebook(good)
    folder = export(path).folder
    make_notebook([*good, ("prose", "More.")])
    assert "schemas.json" in quick(path).unchanged
    make_notebook([*good, ("setup", "LIMIT = 3")])
    assert quick(path).removed == ("schemas.json",)
    assert not (folder / "schemas.json").exists()
    assert export(path).written == ("export.lock", "schemas.json")


def test_check_writes_and_runs_nothing(make_notebook, good, tmp_path):
    path = make_notebook([*good, ("setup", f"open({str(tmp_path / 'ran')!r}, 'w')")])
    made = export(path, check=True)
    assert "SKILL.md" in made.written
    assert not made.folder.exists()
    assert not made.is_current
    assert not (tmp_path / "ran").exists()
    quick(path)
    assert export(path, check=True).is_current
    (made.folder / "SKILL.md").write_text("edited")
    assert export(path, check=True).edited == ("SKILL.md",)
    assert (made.folder / "SKILL.md").read_text() == "edited"


def test_an_edited_file_is_refused_and_force_overwrites_it(make_notebook, good):
    path = make_notebook(good)
    folder = quick(path).folder
    (folder / "runtime/skill.py").write_text("edited")
    before = snapshot(folder)
    make_notebook([*good, ("prose", "More.")])
    with pytest.raises(RefusedError, match=r"runtime/skill\.py changed since .* --force"):
        quick(path)
    assert snapshot(folder) == before
    assert quick(path, force=True).edited == ("runtime/skill.py",)
    assert check_lock(folder).is_clean


def test_files_of_others_are_never_touched(make_notebook, good):
    path = make_notebook(good)
    folder = quick(path).folder
    (folder / "evals").mkdir()
    (folder / "evals/baseline.json").write_text("{}")
    (folder / "NOTES.txt").write_text("mine")
    make_notebook([*good, ("prose", "More.")])
    quick(path, force=True)
    assert (folder / "NOTES.txt").read_text() == "mine"
    assert (folder / "evals/baseline.json").read_text() == "{}"


def test_equal_files_are_adopted_and_other_ones_are_not(make_notebook, good):
    path = make_notebook(good)
    folder = quick(path).folder
    (folder / "export.lock").unlink()
    assert quick(path).written == ("export.lock",)
    (folder / "export.lock").unlink()
    (folder / "SKILL.md").write_text("by hand")
    with pytest.raises(RefusedError, match=r"SKILL\.md"):
        quick(path)


def test_what_no_longer_belongs_goes_unless_it_was_edited(make_notebook, good):
    extra = [("reference:a/b.md", "a"), ("reference:c.md", "c")]
    path = make_notebook([*good, *extra])
    folder = quick(path).folder
    (folder / "references/c.md").write_text("edited")
    make_notebook(good)
    made = quick(path)
    assert made.removed == ("references/a/b.md",)
    assert not (folder / "references/a").exists()
    assert (folder / "references/c.md").read_text() == "edited"
    (problem,) = [p for p in made.problems if p.code == "X902"]
    assert problem.file == "trial-skill/references/c.md"
    assert quick(path).is_current


def test_a_checkout_with_crlf_is_current(make_notebook, good):
    path = make_notebook(good)
    folder = export(path).folder
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert export(path).is_current
    assert check_lock(folder).is_clean


def test_errors_stand_in_the_way_with_all_their_problems(make_notebook, good):
    path = make_notebook([*good, ("setup", "%a"), ("setup", "%b")])
    with pytest.raises(
        RefusedError, match="2 errors stand in the way; nothing was written"
    ) as error:
        export(path)
    assert [p.cell for p in error.value.problems if p.blocks] == [5, 6]
    assert not (path.parents[1] / "skills").exists()


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/b", "..", "."])
def test_a_name_that_is_a_path_is_refused(make_notebook, name):
    path = make_notebook([("front", f"---\nname: {name}\ndescription: b\n---")])
    with pytest.raises(RefusedError, match="F310"):
        export(path)


def test_hidden_state_shows_with_cell_and_line(make_notebook, good):
    cell = ("setup", "\nimport sys\nTABLE = {}\nVALUE = TABLE['only in the kernel']")
    path = make_notebook([*good, cell])
    with pytest.raises(RefusedError, match="KeyError") as error:
        export(path)
    (problem,) = [p for p in error.value.problems if p.code == "X901"]
    assert (problem.cell, problem.cell_id, problem.line) == (5, "cell-05", 4)
    assert not (path.parents[1] / "skills/trial-skill").exists()


def test_folders_a_link_leads_out_of_are_refused(make_notebook, good, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    path = make_notebook(good)
    folder = quick(path).folder
    (folder / "references").symlink_to(outside)
    make_notebook([*good, ("reference:a.md", "a")])
    with pytest.raises(UsageError, match="trial-skill/references is a link that leaves"):
        quick(path, force=True)
    assert list(outside.iterdir()) == []


def test_a_package_that_is_a_link_is_refused(make_notebook, good, tmp_path):
    path = make_notebook(good)
    (tmp_path / "outside").mkdir()
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/trial-skill").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="is a link that leaves"):
        quick(path)


def test_a_file_where_the_folder_must_go(make_notebook, good, tmp_path):
    path = make_notebook(good)
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/trial-skill").write_text("x")
    with pytest.raises(UsageError, match="is a file where"):
        quick(path)
    with pytest.raises(SetupError, match="cannot be written"):
        quick(path, tmp_path / "skills/trial-skill")


def test_the_notebooks_own_folder_is_never_the_target(make_notebook, good, tmp_path):
    path = make_notebook(good)
    with pytest.raises(UsageError, match="the notebook's own files"):
        quick(path, path.parent)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_may_not_be_written(make_notebook, good, tmp_path):
    path = make_notebook(good)
    (tmp_path / "skills").mkdir(mode=0o555)
    with pytest.raises(SetupError, match="permission denied"):
        quick(path)


@pytest.mark.parametrize("at", [1, 2, 3, 5])
def test_a_failure_midway_leaves_the_old_package(make_notebook, good, monkeypatch, at):
    path = make_notebook([*good, ("reference:old.md", "a")])
    folder = quick(path).folder
    before = {k: v[0] for k, v in snapshot(folder).items()}
    make_notebook(
        [*good[:1], ("prose", "New."), *good[2:], ("setup", "A = 1"), ("asset:n/x.txt", "x")]
    )
    real, count = Path.replace, iter(range(1, 99))

    def replace(self, target):
        if "new" in self.parts and next(count) == at:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(SetupError, match="the disk is full"):
        quick(path)
    assert {k: v[0] for k, v in snapshot(folder).items()} == before
    assert not (folder / "assets").exists()
    assert [p.name for p in folder.parent.iterdir()] == ["trial-skill"]
    monkeypatch.undo()
    assert "SKILL.md" in quick(path).written


def test_exports_at_once_leave_one_whole_package(make_notebook, good, tmp_path):
    paths = [
        make_notebook([*good, ("setup", f"A{n} = {n}"), ("reference:a.md", str(n))], f"n{n}.ipynb")
        for n in range(4)
    ]
    faults = []

    def run(path):
        try:
            quick(path, tmp_path / "out", force=True)
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=(path,)) for path in paths * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    folder = tmp_path / "out/trial-skill"
    assert faults == []
    assert check_lock(folder).is_clean
    number = (folder / "references/a.md").read_text().strip()
    assert f"A{number} = {number}" in (folder / "runtime/skill.py").read_text()
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["trial-skill"]


def test_scripts_that_say_how_to_run_may_run(make_notebook, good):
    folder = quick(
        make_notebook([*good, ("script:run.py", "#!/usr/bin/env python\nprint(1)")])
    ).folder
    assert (folder / "scripts/run.py").stat().st_mode & 0o100


@pytest.mark.parametrize(
    ("notebook", "skills"),
    [
        ("notebooks/a.ipynb", "skills"),
        ("notebooks/deep/a.ipynb", "skills"),
        ("work/a.ipynb", "work/skills"),
    ],
)
def test_where_packages_go(tmp_path, notebook, skills):
    assert default_folder(tmp_path / notebook) == tmp_path / skills


def test_an_export_without_verification_loads_nothing_heavy(make_notebook, good):
    script = (
        "import sys, pathlib; from skills2_nb.convert.exporter import export;"
        "export(pathlib.Path(sys.argv[1]), verify=False);"
        "heavy = {'pydantic', 'IPython', 'nbformat', 'click'}; print(heavy & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, make_notebook(good)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("tail", ["\n", "", "\n\n\n"])
def test_prose_alone_is_a_package(make_notebook, edit, tail):
    path = edit(
        make_notebook([("front", "---\nname: a\ndescription: b\n---"), ("prose", "# T")]),
        lambda raw: raw["cells"][0]["metadata"].update(skills2={"tail": len(tail)}),
    )
    folder = export(path).folder
    assert (folder / "SKILL.md").read_text() == f"---\nname: a\ndescription: b\n---\n\n# T{tail}"
    assert sorted(snapshot(folder)) == ["SKILL.md", "export.lock", "skill.toml"]


def test_problems_that_do_not_block_come_along(make_notebook, good):
    made = quick(make_notebook([*good, ("setup", 'X = open("a/b.csv") if False else None')]))
    assert [p.code for p in made.problems] == ["C414"]
    assert made.plan.name == made.name == "trial-skill"


def test_schemas_say_what_they_belong_to(make_notebook, good):
    path = make_notebook(good)
    folder = export(path).folder
    value = json.loads((folder / "schemas.json").read_text())
    from skills2_nb.formats.files import sha256

    assert value["of"] == sha256(plan_path(path).files["runtime/skill.py"])


def test_a_folder_takes_the_place_of_a_file_and_the_other_way_round(make_notebook, good):
    path = make_notebook([*good, ("reference:a", "1"), ("asset:b/c/d", "1")])
    folder = quick(path).folder
    make_notebook([*good, ("reference:a/x.md", "2"), ("asset:b", "2")])
    made = quick(path)
    assert made.removed == ("assets/b/c/d", "references/a")
    assert (folder / "references/a/x.md").read_text() == "2\n"
    assert (folder / "assets/b").read_text() == "2\n"
    assert check_lock(folder).is_clean


def test_a_notebook_is_named_by_the_way_it_was_given(make_notebook, good, tmp_path):
    path = make_notebook(good, "elsewhere/trial-skill.ipynb")
    link = tmp_path / "notebooks/linked.ipynb"
    link.parent.mkdir()
    link.symlink_to(path)
    assert quick(link).folder == tmp_path / "skills/trial-skill"


def test_a_notebook_without_steps_does_not_empty_another_ones_package(good, make_notebook):
    """An ordinary notebook beside the one that was adopted from it has the same skill name."""
    folder = export(make_notebook(good, "notebooks/sums-skill.ipynb")).folder
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    prose = [pair for pair in good if pair[0] in ("front", "prose")]
    plain = make_notebook(prose, "notebooks/sums.ipynb")
    with pytest.raises(RefusedError, match=r"was made from sums-skill\.ipynb, and sums\.ipynb has"):
        export(plain)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
