"""lint and export of hostile notebooks: refused in one sentence, the old export whole."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.exporter import export

ROOT = Path(__file__).resolve().parents[2]


def tree(folder):
    """Every path below a folder with its bytes or the target of its link."""
    return {
        p.relative_to(folder).as_posix(): p.readlink() if p.is_symlink() else p.read_bytes()
        for p in folder.rglob("*")
        if p.is_symlink() or p.is_file()
    }


@pytest.fixture
def notebook(skill_notebook):
    """A notebook whose package is there already."""
    export(skill_notebook, verify=False)
    return skill_notebook


def refused(skills2, notebook, code, says, *words):
    """Export refuses with the code in one sentence on stderr, and nothing has changed."""
    root = notebook.parents[1]
    before = tree(root)
    done = skills2("export", "--no-verify", notebook, *words)
    assert (done.code, done.out) == (code, ""), done.err
    assert done.err.count("\n") == 1 and done.err.endswith(".\n"), done.err
    assert says in done.err
    assert "Traceback" not in done.err and "fault of its own" not in done.err
    assert tree(root) == before
    return done.err


def of_json(change):
    def spoil(path):
        raw = json.loads(path.read_text(encoding="utf-8"))
        change(raw)
        path.write_text(json.dumps(raw, indent=1), encoding="utf-8")

    return spoil


def of_bytes(change):
    return lambda path: path.write_bytes(change(path.read_bytes()))


def cell(at, **values):
    return of_json(lambda raw: raw["cells"][at].update(values))


def extra(source, kind="code", **values):
    """One more cell."""
    made = {"cell_type": kind, "metadata": {}, "source": source, **values}
    return of_json(lambda raw: raw["cells"].append(made))


def front(text):
    return cell(0, source=f"---\n{text}\n---")


FRONT = "name: trial-skill\ndescription: Adds."
OUTPUT = b'"outputs": []'
REFUSED = {
    "not JSON": (2, of_bytes(lambda b: b[:-9]), "is not JSON (line"),
    "empty": (2, of_bytes(lambda b: b" \n"), "is empty"),
    "JSON and no notebook": (2, of_bytes(lambda b: b"[]"), "its top is no object"),
    "merge markers": (
        2,
        of_bytes(lambda b: b.replace(b"\n", b"\n<<<<<<< HEAD\n=======\n>>>>>>> x\n", 1)),
        "merge conflict markers at line 2",
    ),
    "nbformat 5": (2, of_json(lambda r: r.update(nbformat=5)), "has nbformat 5"),
    "no nbformat": (2, of_json(lambda r: r.pop("nbformat")), "no nbformat number"),
    "UTF-16": (2, of_bytes(lambda b: b.decode().encode("utf-16")), "UTF-16"),
    "UTF-16 without a mark": (2, of_bytes(lambda b: b.decode().encode("utf-16-le")), "UTF-16"),
    "Latin-1": (2, of_bytes(lambda b: b.replace(b"Adds", b"\xc4dds")), "byte 0xc4 at offset"),
    "null source": (2, cell(1, source=None), "cell 2 (id cell-02): its source is null"),
    "numeric source": (2, cell(1, source=7), "cell 2 (id cell-02): its source is int"),
    "numbers in source": (2, cell(1, source=["a", 7]), "its source is list"),
    "half a character": (2, cell(1, source="\ud800"), "half a character"),
    "duplicate keys": (
        2,
        of_bytes(lambda b: b.replace(b'"nbformat": 4', b'"nbformat": 4, "nbformat": 4')),
        "the key 'nbformat' stands twice",
    ),
    "duplicate keys in outputs": (
        2,
        of_bytes(lambda b: b.replace(OUTPUT, b'"outputs": [{"a": 1, "a": 2}]', 1)),
        "the key 'a' stands twice",
    ),
    "nested too deeply": (2, of_bytes(lambda b: b"[" * 99_999 + b"]" * 99_999), "too deeply"),
    "cells no list": (2, of_json(lambda r: r.update(cells={})), "`cells` is no list"),
    "a cell no object": (2, of_json(lambda r: r["cells"].append("x")), "cell 8 is no object"),
    "a cell of no kind": (2, cell(1, cell_type="heading"), "has cell_type 'heading'"),
    "tags a text": (2, cell(4, metadata={"tags": "step"}), "its tags are 'step'"),
    "another kernel": (
        2,
        of_json(lambda r: r.update(metadata={"language_info": {"name": "R"}})),
        "is written in R",
    ),
    "nbformat 3 of odd form": (
        2,
        of_json(lambda r: r.update(nbformat=3, worksheets=[{"cells": None}])),
        "`worksheets` is no list",
    ),
    "invalid TOML": (2, cell(2, source="[anchors"), "M701"),
    "TOML too deep": (2, cell(2, source="x = " + "[" * 5000), "M701"),
    "a number too long in TOML": (2, cell(2, source="x = " + "9" * 5000), "M701"),
    "a raw first cell without fences": (2, cell(0, source=FRONT), "F302"),
    "a raw first cell never closed": (2, cell(0, source=f"---\n{FRONT}"), "F302"),
    "a raw first cell with more": (2, cell(0, source=f"---\n{FRONT}\n---\n# T"), "F302"),
    "front matter empty": (2, front(""), "F302"),
    "front matter a list": (2, front("- a\n- b"), "F302"),
    "front matter a text": (2, front("hello"), "F302"),
    "front matter twice a key": (2, front(f"{FRONT}\nname: b"), "F302"),
    "front matter with an alias": (2, front(f"{FRONT}\na: &a x\nb: *a"), "F302"),
    "front matter with a tab": (2, front(f"{FRONT}\na:\n\tb: 1"), "F302"),
    "front matter that makes objects": (2, front("name: !!python/name:os.system x"), "F302"),
    "a name that is a path": (2, front("name: ../evil\ndescription: x"), "F310"),
    "an absolute name": (2, front("name: /evil\ndescription: x"), "F310"),
    "a Windows path": (2, front("name: a\\b\ndescription: x"), "F310"),
    "a Windows device": (2, front("name: con\ndescription: x"), "write name: con-skill"),
    "two roles": (1, cell(4, metadata={"tags": ["step", "setup"]}), "R202"),
    "tag and directive": (1, extra("# skills2: step\nx = 1", metadata={"tags": ["setup"]}), "R201"),
    "a target that is a path out": (
        1,
        extra("x", "raw", metadata={"tags": ["reference:../x"]}),
        "R206",
    ),
    "a cell of R in nbformat 4": (
        1,
        extra("x <- 1", metadata={"tags": ["setup"], "vscode": {"languageId": "r"}}),
        "C403",
    ),
}


@pytest.mark.parametrize(("code", "spoil", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_in_one_sentence(notebook, skills2, code, spoil, says):
    spoil(notebook)
    refused(skills2, notebook, code, says)
    lint = skills2("lint", notebook)
    assert lint.code == code
    assert says in " ".join((lint.out + lint.err).split())
    fixed = skills2("lint", "--fix", notebook)
    assert fixed.code in (0, code)


def test_a_sentence_never_moves_the_cursor(notebook, skills2):
    extra("%evil \x1b[2J\u202e", id="\x1b[31m", metadata={"tags": ["setup"]})(notebook)
    told = refused(skills2, notebook, 1, "C402")
    assert "\x1b" not in told and "\u202e" not in told
    shown = skills2("lint", notebook).out
    assert "\x1b" not in shown and "\u202e" not in shown


def test_an_asset_that_is_a_link_out_of_its_folder(notebook, skills2):
    folder = notebook.with_suffix("") / "references"
    folder.mkdir(parents=True)
    (folder / "passwd").symlink_to(__file__)
    refused(skills2, notebook, 2, "A803")


@pytest.mark.parametrize("place", [".", "references", "references/a.md"])
def test_a_link_in_the_target_that_leaves_it(notebook, skills2, place):
    outside = notebook.parents[1] / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("theirs")
    (notebook.with_suffix("") / "references").mkdir(parents=True)
    (notebook.with_suffix("") / "references/a.md").write_text("ours")
    package = notebook.parents[1] / "skills/trial-skill"
    link = package / place
    if place == ".":
        shutil.rmtree(package)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside / "a.md" if place.endswith(".md") else outside)
    refused(skills2, notebook, 2, "is a link that leaves", "--force")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda p: (p.unlink(), p.mkdir()), "is no file"),
        (lambda p: (p.unlink(), p.symlink_to("SKILL.md")), "is no file"),
        (lambda p: (p.unlink(), p.symlink_to("nowhere")), "is no file"),
        (lambda p: (p.unlink(), os.mkfifo(p)), "is no file"),
        (lambda p: (shutil.rmtree(p.parent), p.parent.write_text("x")), "is a file where"),
        (lambda p: (shutil.rmtree(p.parent), p.parent.symlink_to("trial-skill")), "is a file"),
    ],
    ids=["folder", "loop", "dangling", "pipe", "file for folder", "folder a loop"],
)
def test_what_stands_in_the_way(notebook, skills2, spoil, says):
    spoil(notebook.parents[1] / "skills/trial-skill/SKILL.md")
    refused(skills2, notebook, 2, says, "--force")


@pytest.mark.parametrize("out", ["trial-skill", "trial-skill/assets/deep", "."])
def test_a_package_within_the_notebooks_own_folder(notebook, skills2, out):
    refused(skills2, notebook, 2, "the notebook's own files", "-o", str(notebook.parent / out))


def test_a_package_that_another_notebook_made(notebook, skills2):
    other = notebook.with_name("other.ipynb")
    shutil.copyfile(notebook, other)
    told = refused(skills2, other, 1, "was made from trial-skill.ipynb")
    assert "--force" in told
    assert skills2("export", "--no-verify", "--check", other).code == 1
    assert skills2("export", "--no-verify", "--force", other).code == 0
    refused(skills2, notebook, 1, "was made from other.ipynb")


@pytest.mark.parametrize("word", ["export", "lint"])
@pytest.mark.parametrize("path", ["gone.ipynb", ".", "a\0b.ipynb", "x" * 400], ids=ascii)
def test_a_path_that_is_no_file(bare, skills2, word, path):
    done = skills2(word, path)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1


# The real thing: a small disk of its own in a namespace of its own.
ON_A_DISK = """
import json, subprocess, sys
from pathlib import Path

disk, notebook, how = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def mount(*words):
    subprocess.run(["mount", *words, str(disk)], check=True)


def call(*words):
    command = [sys.executable, "-c", "from skills2_nb.cli.main import main; main()", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return done.returncode, done.stderr


def tree():
    return {str(p): p.read_bytes().hex() for p in disk.rglob("*") if p.is_file()}


mount("-t", "tmpfs", "-o", "size=64k", "none")
first = call("export", "--no-verify", notebook, "-o", disk / "skills")
(disk / "trial-skill.ipynb").write_bytes(notebook.read_bytes().replace(b'"setup"', b'"setpu"'))
raw = json.loads(notebook.read_text())
raw["cells"][1]["source"] += ["\\n" + "New prose. " * 9_000]
notebook.write_text(json.dumps(raw))
if how == "readonly":
    mount("-o", "remount,ro")
else:
    with open(disk / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            pass
before = tree()
export = call("export", "--no-verify", notebook, "-o", disk / "skills")
fix = call("lint", "--fix", disk / "trial-skill.ipynb")
new = call("new", "weekly-numbers", "-o", disk)
print(json.dumps({"first": first, "export": export, "fix": fix, "new": new,
                  "same": tree() == before}))
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare on this system")
@pytest.mark.parametrize(
    ("how", "says"), [("full", "the disk is full"), ("readonly", "the file system is read-only")]
)
def test_a_disk_that_takes_nothing(notebook, tmp_path, how, says):
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", ON_A_DISK, disk, notebook, how],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr.splitlines()[-1]}")
    told = json.loads(done.stdout)
    assert told["first"][0] == 0
    assert told["same"]
    for word in ("export", "fix", "new"):
        code, err = told[word]
        assert code == 4, (word, err)
        assert says in err and err.count("\n") == 1, err
