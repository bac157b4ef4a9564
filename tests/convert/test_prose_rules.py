import pytest


def front(text, kind="raw"):
    return ("front", f"---\n{text}\n---", kind)


STEP = ("step", "from skills2_nb import step\n\n\n@step\ndef f() -> int:\n    return 1")
PROSE = ("prose", "# Title\n\nText with **quick ratio**.")

FAULTS = {
    "none": ("F301", [PROSE], "warning"),
    "yaml": ("F302", [front("name: a\ndescription: [")], "error"),
    "no name": ("F303", [front("description: b")], "warning"),
    "bad name": ("F304", [front("name: Not Good\ndescription: b"), STEP], "error"),
    "long name": ("F304", [front(f"name: {'a' * 65}\ndescription: b"), STEP], "error"),
    "unicode name": ("F304", [front("name: café\ndescription: b"), STEP], "error"),
    "bad name of prose": ("F305", [front("name: Not Good\ndescription: b")], "warning"),
    "no description": ("F306", [front("name: a")], "error"),
    "empty description": ("F306", [front("name: a\ndescription: ''")], "error"),
    "long description": ("F307", [front(f"name: a\ndescription: {'x' * 1025}")], "error"),
    "tag": ("F308", [front("name: a\ndescription: a <b> c")], "error"),
    "late": ("F309", [PROSE, front("name: a\ndescription: b")], "warning"),
    "link": ("F314", [PROSE, ("prose", "See [x](references/gone.md).")], "warning"),
    "path": ("F310", [front("name: ../a\ndescription: b")], "error"),
    "slash": ("F310", [front("name: a/b\ndescription: b")], "error"),
    "dots": ("F310", [front("name: ..\ndescription: b")], "error"),
    "number": ("F311", [front("name: 7\ndescription: b")], "error"),
    "layout": ("F313", [("prose", "text")], "error"),
    "anchor": ("M704", [PROSE, ("manifest", '[anchors]\nterms = ["gone"]')], "error"),
    "two names": (
        "M703",
        [front("name: a\ndescription: b"), ("manifest", '[skill]\nname = "b"')],
        "error",
    ),
    "steps": (
        "M705",
        [PROSE, ("manifest", '[[steps]]\nid="a"\norder=1\nfn="runtime.steps:a"')],
        "error",
    ),
    "toml": ("M701", [PROSE, ("manifest", "a = ")], "error"),
    "key": ("M702", [PROSE, ("manifest", "[audit]\nthresold = 0.5")], "error"),
    "empty": ("R207", [PROSE, ("prose", "")], "warning"),
}


@pytest.mark.parametrize(("code", "cells", "level"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_prose(make_notebook, edit, planned, code, cells, level):
    plan = planned(cells)
    if code == "F313":
        from skills2_nb.convert.plan import plan_path

        path = edit(
            make_notebook(cells),
            lambda raw: raw["cells"][0]["metadata"].update(skills2={"gap": "x"}),
        )
        plan = plan_path(path)
    found = [p for p in plan.problems if p.code == code]
    assert found
    assert found[0].level == level
    assert found[0].mend


def test_good_prose_has_no_fault(planned):
    cells = [
        front("name: a\ndescription: b"),
        PROSE,
        ("manifest", '[anchors]\nterms=["Quick ratio"]'),
    ]
    plan = planned(cells)
    assert plan.problems == ()
    assert plan.manifest.anchors == ("Quick ratio",)


@pytest.mark.parametrize(
    "text",
    ["[a](references/a.md)", "[a](./references/a.md#x)", "[d](references/)", "`[g](assets/g)`"],
)
def test_links_to_files_that_go_along(planned, text):
    plan = planned([PROSE, ("prose", text), ("reference:a.md", "a")])
    assert "F314" not in [p.code for p in plan.problems]


@pytest.mark.parametrize("text", [f"name: a\ndescription: {'x' * 2000}", "name: a", "name: A B"])
def test_prose_that_breaks_the_spec_alone_can_still_be_exported(planned, text):
    assert planned([front(text), PROSE]).blocking == ()


def test_front_matter_faults_name_their_line(planned):
    plan = planned([front("license: MIT\nname: 7\ndescription: Use when: now")])
    (problem,) = [p for p in plan.problems if p.code == "F302"]
    assert (problem.cell, problem.line) == (1, 4)
    assert "quotes" in problem.mend


def test_what_is_made_without_front_matter(planned):
    plan = planned([PROSE, ("prose", "More.")])
    text = plan.files["SKILL.md"].decode()
    assert text.startswith(
        '---\nname: trial-skill\ndescription: "Text with quick ratio."\n---\n\n# Title\n\n'
    )
    assert text.endswith("\n\nMore.\n")


def test_a_name_is_made_of_the_stem(make_notebook):
    from skills2_nb.convert.plan import plan_path

    plan = plan_path(make_notebook([PROSE], "notebooks/Growth Accounting (v2).ipynb"))
    assert plan.name == "growth-accounting-v2"
