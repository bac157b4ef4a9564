import json

import pytest

from skills2_nb.errors import SetupError, UnreadableError
from skills2_nb.formats.notebook import parse_notebook, read_notebook, write_notebook


def raw(cells=(), **top):
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 4} | top


def parse(value, path):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return parse_notebook(data, path / "nb.ipynb")


def code(source="x = 1", **more):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": []} | more


REFUSED = {
    "empty": (b" \n", "nb.ipynb is empty"),
    "not json": (b"{", r"nb.ipynb is not JSON \(line 1, column 2"),
    "a list": (b"[]", "its top is no object"),
    "no nbformat": (b"{}", "no nbformat number"),
    "nbformat 5": (raw(nbformat=5), "has nbformat 5; save it as nbformat 4"),
    "nbformat true": (raw(nbformat=True), "no nbformat number"),
    "utf-16": (json.dumps(raw()).encode("utf-16"), "is UTF-16 or UTF-32; save it as UTF-8"),
    "latin-1": (b'{"a": "\xe9"}', "byte 0xe9 at offset 7"),
    "latin-1 after a bom": (b'\xef\xbb\xbf{"a": "\xe9"}', "byte 0xe9 at offset 10"),
    "twice": (b'{"nbformat": 4, "nbformat": 4}', "the key 'nbformat' stands twice"),
    "twice in a cell": (
        b'{"nbformat":4,"metadata":{},"cells":[{"source":"a","source":"b"}]}',
        "the key 'source' stands twice",
    ),
    "deep": (b"[" * 100_000, "nested too deeply"),
    "no cells": ({"nbformat": 4}, "`cells` is no list"),
    "cell": (raw([3]), "cell 1 is no object"),
    "kind": (raw([code(cell_type="heading")]), "cell 1 has cell_type 'heading'"),
    "tags": (raw([code(metadata={"tags": "step"})]), "its tags are 'step'"),
    "tag": (raw([code(metadata={"tags": [1]})]), r"its tags are \[1\]"),
    "cell metadata": (raw([code(metadata=[])]), "cell 1: its metadata is no object"),
    "metadata": (raw(metadata=[]), "the notebook's metadata is no object"),
    "attachments": (raw([code(attachments=3)]), "its attachments is no object"),
    "no source": (raw([{"cell_type": "code"}]), "its source is null"),
    "half a character": (raw([code("\ud800")]), "lone surrogate"),
    "language": (raw(metadata={"language_info": {"name": "julia"}}), "is written in julia"),
    "kernel language": (raw(metadata={"kernelspec": {"language": "R"}}), "is written in R"),
    "kernel": (raw(metadata={"kernelspec": {"name": "ir"}}), "runs on the kernel 'ir'"),
    "worksheets": ({"nbformat": 3, "worksheets": 1}, "`worksheets` is no list"),
}


@pytest.mark.parametrize(("value", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_notebook_is_refused_in_one_sentence(value, message, tmp_path):
    with pytest.raises(UnreadableError, match=message) as error:
        parse(value, tmp_path)
    assert "\n" not in str(error.value)
    assert str(tmp_path) not in str(error.value)


@pytest.mark.parametrize("name", ["gone.ipynb", "folder"])
def test_a_path_that_is_no_file_is_refused(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(UnreadableError, match=r"no such file|is a folder"):
        read_notebook(tmp_path / name)


def test_a_notebook_of_format_3_reads_like_one_of_4(tmp_path):
    sheet = {
        "cells": [
            {"cell_type": "heading", "level": 2, "source": ["A\n", "title"], "metadata": {}},
            {"cell_type": "code", "input": ["x = 1\n", "y"], "metadata": {"tags": ["setup"]}},
            {"cell_type": "markdown", "source": "text"},
        ]
    }
    notebook = parse({"nbformat": 3, "worksheets": [sheet]}, tmp_path)
    assert [(c.kind, c.source, c.tags) for c in notebook.cells] == [
        ("markdown", "## A title", ()),
        ("code", "x = 1\ny", ("setup",)),
        ("markdown", "text", ()),
    ]


def test_lines_keep_their_ends_and_ids_are_read(tmp_path):
    notebook = parse(raw([code(["a\r\n", "b"], id="x1")]), tmp_path)
    (cell,) = notebook.cells
    assert (cell.source, cell.text, cell.id, cell.number) == ("a\r\nb", "a\nb", "x1", 1)
    assert notebook.problems == ()


@pytest.mark.parametrize(
    ("metadata", "python"),
    [
        ({}, None),
        ({"language_info": {"name": "python", "version": "3.12.1"}}, "3.12.1"),
        ({"language_info": {"name": "ipython"}}, None),
        ({"kernelspec": {"language": "python"}}, None),
        ({"kernelspec": {"name": "conda-env-work"}}, None),
        ({"language_info": None, "kernelspec": 3}, None),
    ],
)
def test_the_kernels_python(metadata, python, tmp_path):
    assert parse(raw(metadata=metadata), tmp_path).python == python


def test_outputs_are_never_kept(tmp_path):
    notebook = parse(raw([code(outputs=[{"secret": 1}])]), tmp_path)
    assert "secret" not in repr(notebook.cells)


def test_nan_in_an_output_is_no_reason_to_refuse(tmp_path):
    text = json.dumps(raw([code(outputs=[{"data": float("nan")}])]))
    assert parse(text.encode(), tmp_path).cells[0].source == "x = 1"


def test_written_as_jupyter_writes(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    path = tmp_path / "a.ipynb"
    value = raw([code("é", id="a", execution_count=None)], nbformat_minor=5)
    write_notebook(path, value)
    ours = path.read_text(encoding="utf-8")
    nbformat.write(nbformat.read(path, 4), path)
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(ours) | {
        "cells": [value["cells"][0] | {"source": ["é"]}]
    }
    assert read_notebook(path).cells[0].source == "é"


def test_a_place_that_is_not_there_is_the_environments_fault(tmp_path):
    with pytest.raises(SetupError, match="cannot be written"):
        write_notebook(tmp_path / "no" / "a.ipynb", raw())
