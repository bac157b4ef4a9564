import os
import sys
from pathlib import Path

import pytest

from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.errors import UsageError


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "nb"
    (folder / "references").mkdir(parents=True)
    (folder / "references/a.md").write_text("A")
    return folder


def codes(root):
    files, problems = read_folder(root)
    assert all(problem.file.startswith("nb") for problem in problems)
    return sorted(files), [(problem.code, problem.file) for problem in problems]


@pytest.mark.parametrize("name", ["..ipynb", "...ipynb"])
def test_a_notebook_of_dots_has_no_folder(name):
    with pytest.raises(UsageError, match="no name before its ending"):
        folder_of(Path("notebooks") / name)
    assert folder_of(Path("a/b.c.ipynb")) == Path("a/b.c")


def test_no_folder_is_no_files(tmp_path):
    assert read_folder(tmp_path / "none") == ({}, ())
    (tmp_path / "file").write_text("x")
    assert read_folder(tmp_path / "file") == ({}, ())


def test_links_within_are_followed_and_links_out_are_not(root):
    (root / "references/in.md").symlink_to("a.md")
    (root / "references/out.md").symlink_to(Path(__file__))
    (root / "references/loop").symlink_to("loop")
    (root / "references/gone").symlink_to("nowhere")
    (root / "folder").symlink_to("references")
    assert codes(root) == (
        ["references/a.md", "references/in.md"],
        [
            ("A803", "nb/folder"),
            ("A803", "nb/references/gone"),
            ("A803", "nb/references/loop"),
            ("A803", "nb/references/out.md"),
        ],
    )


@pytest.mark.parametrize("target", ["elsewhere/deep", "nowhere", "nb"])
def test_the_folder_itself_is_no_link_out(tmp_path, target):
    outside = tmp_path / "elsewhere"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep/secret.md").write_text("s")
    (tmp_path / "notebooks").mkdir()
    link = tmp_path / "notebooks/nb"
    link.symlink_to(outside / "deep" if "/" in target else target)
    assert codes(link) == ([], [("A803", "nb")])


def test_the_folder_may_be_a_link_to_one_beside_it(root):
    (root.parent / "nb2").symlink_to("nb")
    assert read_folder(root.parent / "nb2") == ({"references/a.md": b"A"}, ())


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_a_pipe_is_told_and_never_opened(root):
    os.mkfifo(root / "pipe")
    assert codes(root) == (["references/a.md"], [("A806", "nb/pipe")])


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be made there")
@pytest.mark.parametrize("name", ["a\nb", " a", "con.txt", "x\\y", os.fsdecode(b"\xff.bin")])
def test_a_name_that_some_system_cannot_hold(root, name):
    try:
        (root / name).write_text("x")
    except OSError:
        pytest.skip("this disk cannot hold the name")
    files, problems = read_folder(root)
    assert sorted(files) == ["references/a.md"]
    assert [problem.code for problem in problems] == ["A806"]
    assert "\n" not in problems[0].sentence()
