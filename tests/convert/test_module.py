import os
import sys

import pytest

from skills2_nb.convert.exporter import export
from skills2_nb.convert.module import header, made_from
from skills2_nb.errors import RefusedError


@pytest.mark.parametrize("name", ["a.ipynb", "my skill.v1.2.ipynb", "x. Edit.ipynb", "é🙂"])
def test_the_first_line_says_which_notebook(name):
    assert made_from(header(name) + "\n\nx = 1\n") == name
    assert made_from(header(name) + "\r\n") == name
    assert made_from("import os\n" + header(name) + "\n") == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x coding=latin-1.ipynb", "x coding =latin-1.ipynb"),
        ("coding: foo.ipynb", "coding : foo.ipynb"),
        ("a\nimport os.ipynb", "a import os.ipynb"),
        ("a\x1b[31m.ipynb", "a\\x1b[31m.ipynb"),
        (os.fsdecode(b"\xff.ipynb"), "\\udcff.ipynb"),
        ("my skill.v1.2.ipynb", "my skill.v1.2.ipynb"),
    ],
    ids=ascii,
)
@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be made there")
def test_no_name_of_a_notebook_breaks_the_module(make_notebook, good, name, said):
    try:
        path = make_notebook(good, f"notebooks/{name}")
    except OSError:
        pytest.skip("this disk cannot hold the name")
    made = export(path)
    first = (made.folder / "runtime/skill.py").read_text(encoding="utf-8").split("\n")[0]
    assert first == f"# Made from {said}. Edit the notebook and export it again."
    assert export(path).is_current


def test_a_package_without_steps_imports_all_the_same(make_notebook, good):
    path = make_notebook([*good[:3], ("setup", "X = {}['only in the kernel']")])
    with pytest.raises(RefusedError, match="KeyError"):
        export(path)
