import json

import pytest

from skills2_nb.convert.fixes import fix
from skills2_nb.convert.plan import plan_path

STEP = "@step\ndef f() -> int:\n    return 1"
IMPORT = "from skills2_nb import step\n\n\n"


def cells(path):
    raw = json.loads(path.read_text(encoding="utf-8"))
    return [("".join(c["source"]), c["metadata"].get("tags", [])) for c in raw["cells"]]


MENDS = {
    "untagged step": ("S501", [("code", IMPORT + STEP)], [(IMPORT + STEP, ["step"])]),
    "step in setup": ("S501", [("setup", IMPORT + STEP)], [(IMPORT + STEP, ["step"])]),
    "typo": (
        "R203",
        [(["remove-cell", "stpe"], IMPORT + STEP, "code")],
        [(IMPORT + STEP, ["remove-cell", "step"])],
    ),
    "carriage return": ("N104", [("setup", "x = 1\r\ny = 2")], [("x = 1\ny = 2", ["setup"])]),
    "indent": ("C404", [("setup", "  x = 1\n  y = 2")], [("x = 1\ny = 2", ["setup"])]),
    "kit": (
        "C412",
        [("step", "from __future__ import annotations\n\n" + STEP)],
        [
            (
                "from __future__ import annotations\nfrom skills2_nb import step\n\n" + STEP,
                ["step"],
            )
        ],
    ),
    "directive stays first": (
        "C412",
        [("code", "# skills2: step\n" + STEP)],
        [("# skills2: step\nfrom skills2_nb import step\n" + STEP, [])],
    ),
    "hidden imports": (
        "C408",
        [("code", "import os\nimport sys"), ("setup", "x = os.sep")],
        [("import os\nimport sys", ["setup"]), ("x = os.sep", ["setup"])],
    ),
    "colon": (
        "F302",
        [("front", "---\nname: a\ndescription: Use when: now\n---")],
        [('---\nname: a\ndescription: "Use when: now"\n---', [])],
    ),
}


@pytest.mark.parametrize(("code", "before", "after"), MENDS.values(), ids=MENDS)
def test_the_one_right_mend(make_notebook, code, before, after):
    path = make_notebook(before)
    assert code in [p.code for p in plan_path(path).problems]
    done = fix(path)
    assert code in [p.code for p in done.fixed]
    assert code not in [p.code for p in done.left]
    assert cells(path) == after
    data = path.read_bytes()
    again = fix(path)
    assert (again.changed, again.fixed) == (False, ())
    assert path.read_bytes() == data


def test_one_mend_may_lay_bare_another(make_notebook):
    path = make_notebook([("code", "  @step\r\n  def f() -> int:\r\n      return 1")])
    done = fix(path)
    assert [p.code for p in done.left if p.blocks] == []
    assert cells(path) == [("from skills2_nb import step\n" + STEP, ["step"])]


def test_nothing_but_the_cell_changes(make_notebook, edit):
    path = make_notebook([("code", IMPORT + STEP), ("code", "1 + 1")])

    def noise(raw):
        raw["cells"][1]["outputs"] = [{"output_type": "stream", "text": ["é\n"], "n": 1.0}]
        raw["metadata"]["widgets"] = {"b": 1, "a": 2}

    edit(path, noise)
    text = path.read_text(encoding="utf-8").replace('"n": 1.0', '"n": 1.00e0')
    path.write_text(text, encoding="utf-8")
    fix(path)
    wanted = text.replace(
        '"metadata": {}', '"metadata": {\n    "tags": [\n     "step"\n    ]\n   }', 1
    )
    assert path.read_text(encoding="utf-8") == wanted


def test_a_bom_stays(make_notebook):
    path = make_notebook([("code", IMPORT + STEP)])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert fix(path).changed
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")


def test_telling_alone_writes_nothing(make_notebook):
    path = make_notebook([("code", IMPORT + STEP)])
    before = path.read_bytes()
    assert fix(path, write=False).changed
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "pairs",
    [
        [("code", f"{IMPORT}{STEP}\n\n\n{STEP.replace('f()', 'g()')}")],
        [("code", "import os\nX = 1"), ("setup", "y = X")],
        [("setup", "%time x")],
        [("step", "# skills2: setup\nx = 1")],
    ],
)
def test_where_more_than_one_mend_is_right_none_is_made(make_notebook, pairs):
    path = make_notebook(pairs)
    before = path.read_bytes()
    done = fix(path)
    assert not done.changed
    assert any(p.blocks for p in done.left)
    assert path.read_bytes() == before


def test_an_old_notebook_is_only_looked_at(tmp_path):
    path = tmp_path / "old.ipynb"
    sheet = {"cells": [{"cell_type": "code", "input": STEP, "metadata": {}}]}
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [sheet]}))
    done = fix(path)
    assert not done.changed
    assert "S501" in [p.code for p in done.left]


def test_only_the_tags_of_a_cell_change_and_its_numbers_keep_their_form(make_notebook):
    path = make_notebook([("code", IMPORT + STEP)])
    odd = f'"a": 1.50, "b": 1E400, "c": NaN, "d": {"9" * 5000}, "e": "\\u00e9"'
    text = path.read_text(encoding="utf-8").replace('"metadata": {}', f'"metadata": {{{odd}}}', 1)
    path.write_text(text, encoding="utf-8")
    assert fix(path).changed
    after = path.read_text(encoding="utf-8")
    assert after == text.replace(odd, f'"tags": ["step"],{odd}')
    assert not fix(path).changed


def test_the_file_behind_a_link_is_mended_and_the_link_stays(make_notebook, tmp_path):
    path = make_notebook([("code", IMPORT + STEP)])
    link = tmp_path / "link.ipynb"
    link.symlink_to(path)
    assert fix(link).changed
    assert link.is_symlink()
    assert cells(path)[0][1] == ["step"]


@pytest.mark.parametrize("metadata", ["null", "{}", '{"tags": null}', '{"tags": []}'])
@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_a_tag_finds_its_place_in_any_metadata(make_notebook, metadata, indent):
    path = make_notebook([("code", IMPORT + STEP)])
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["cells"][0]["metadata"] = json.loads(metadata)
    path.write_text(json.dumps(raw, indent=indent), encoding="utf-8")
    assert fix(path).changed
    assert cells(path)[0][1] == ["step"]
    del raw["cells"][0]["metadata"]
    path.write_text(json.dumps(raw, indent=indent), encoding="utf-8")
    assert fix(path).changed
    assert cells(path)[0][1] == ["step"]
