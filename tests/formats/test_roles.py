import pytest

from skills2_nb.formats.notebook import Cell
from skills2_nb.formats.roles import Role, is_safe_path, role_of


def role(kind, source="x", tags=(), first=False):
    return role_of(Cell(1, "a", kind, source, tuple(tags)), first=first, file="nb.ipynb")


FRONT = "---\nname: a\n---"
ROLES = {
    "markdown": ("markdown", "text", [], Role.PROSE, ""),
    "code": ("code", "x = 1", [], Role.SKIP, ""),
    "raw": ("raw", "x", [], Role.SKIP, ""),
    "step": ("code", "x", ["step"], Role.STEP, ""),
    "setup": ("code", "x", ["setup"], Role.SETUP, ""),
    "model says setup": ("code", "x", ["model"], Role.SETUP, ""),
    "helper says setup": ("code", "x", ["helper"], Role.SETUP, ""),
    "invariant says setup": ("code", "x", ["invariant"], Role.SETUP, ""),
    "cases": ("code", "x", ["cases"], Role.CASES, ""),
    "raw cases": ("raw", "x", ["cases"], Role.CASES, ""),
    "manifest": ("raw", "x", ["manifest"], Role.MANIFEST, ""),
    "reference": ("markdown", "x", ["reference:a/b.md"], Role.REFERENCE, "a/b.md"),
    "script": ("code", "x", ["script:run.py"], Role.SCRIPT, "run.py"),
    "asset": ("raw", "x", ["asset:x.csv"], Role.ASSET, "x.csv"),
    "skip": ("markdown", "x", ["skip"], Role.SKIP, ""),
    "prose": ("markdown", "# skills2: skip", ["prose"], Role.PROSE, ""),
    "foreign tags": ("code", "x", ["parameters", "hide-input", "step"], Role.STEP, ""),
    "foreign tags alone": ("code", "x", ["parameters"], Role.SKIP, ""),
    "no role": ("code", "x", ["", "none"], Role.SKIP, ""),
    "directive": ("code", "# skills2: step\nx", [], Role.STEP, ""),
    "directive close by": ("code", "\n#skills2:setup  \nx", [], Role.SETUP, ""),
    "directive says none": ("code", "# skills2: none\nx", [], Role.SKIP, ""),
    "directive with a file": ("code", "# skills2: script: run.py\nx", [], Role.SCRIPT, "run.py"),
    "comment": ("markdown", "<!-- skills2: reference:a.md -->\nx", [], Role.REFERENCE, "a.md"),
    "a hash in markdown": ("markdown", "# skills2: skip\nx", [], Role.SKIP, ""),
    "a heading": ("markdown", "# skills2: the guide", [], Role.PROSE, ""),
    "second line": ("code", "x\n# skills2: step", [], Role.SKIP, ""),
    "tag and directive": ("code", "# skills2: step\nx", ["step"], Role.STEP, ""),
}


@pytest.mark.parametrize(("kind", "source", "tags", "wanted", "target"), ROLES.values(), ids=ROLES)
def test_the_role_of_a_cell(kind, source, tags, wanted, target):
    found = role(kind, source, tags)
    assert (found.role, found.target, found.problems) == (wanted, target, ())


@pytest.mark.parametrize("kind", ["raw", "markdown"])
def test_front_matter_is_the_first_cell_fence_to_fence(kind):
    assert role(kind, FRONT, first=True).role is Role.FRONT
    assert role(kind, FRONT).role is not Role.FRONT
    # A raw first cell can be nothing else; what is wrong with it, its reader says.
    assert (role(kind, FRONT + "\ntext", first=True).role is Role.FRONT) is (kind == "raw")
    assert (role(kind, "---\n\ntext", first=True).role is Role.FRONT) is (kind == "raw")
    assert role(kind, " \n", first=True).role is not Role.FRONT


FAULTS = {
    "tag and directive differ": ("code", "# skills2: setup\nx", ["step"], "R201"),
    "two roles": ("code", "x", ["step", "setup"], "R202"),
    "two words of one role are one": ("code", "x", ["model", "helper"], "R202"),
    "typo": ("code", "x", ["stpe"], "R203"),
    "case": ("code", "x", ["Step"], "R203"),
    "plural": ("code", "x", ["steps"], "R203"),
    "typo with a file": ("markdown", "x", ["refrence:a.md"], "R203"),
    "markdown step": ("markdown", "x", ["step"], "R204"),
    "code manifest": ("code", "x", ["manifest"], "R204"),
    "unknown directive": ("code", "# skills2: stepp\nx", [], "R205"),
    "empty directive in a comment": ("markdown", "<!-- skills2: wrong -->\nx", [], "R205"),
    "no file": ("markdown", "x", ["reference"], "R206"),
    "a path out": ("markdown", "x", ["reference:../a.md"], "R206"),
}


@pytest.mark.parametrize(("kind", "source", "tags", "code"), FAULTS.values(), ids=FAULTS)
def test_a_role_that_is_wrong(kind, source, tags, code):
    found = role(kind, source, tags)
    assert [problem.code for problem in found.problems] == [code]
    assert found.problems[0].cell == 1
    assert found.problems[0].mend


def test_a_typo_is_a_warning_with_its_mend():
    (problem,) = role("code", "x", ["parameters", "setpu"]).problems
    assert problem.level == "warning"
    assert problem.edit.tags == ("parameters", "setup")


@pytest.mark.parametrize(
    "line",
    [
        "#skills2:setup",
        "#  skills2 : setup  ",
        "  # skills2: setup",
        "## skills2: setup",
        "# Skills2: setup",
        "\n\n# skills2: setup",
    ],
    ids=ascii,
)
def test_a_directive_is_read_with_any_blanks(line):
    found = role("code", f"{line}\nx = 1")
    assert (found.role, found.text, found.problems) == (Role.SETUP, "x = 1", ())


@pytest.mark.parametrize("above", ["# a comment\n", "# one\n\n# two\n", "#!shebang\n"])
def test_a_directive_below_other_comments_is_told(above):
    found = role("code", f"{above}# skills2: setup\nx = 1")
    assert found.role is Role.SKIP
    (problem,) = found.problems
    assert (problem.code, problem.line) == ("R208", above.count("\n") + 1)


@pytest.mark.parametrize(
    "text", ["x = 1\n# skills2: setup", "# a\n# skills2: stub\nx", "# a\n# skills2: nonsense"]
)
def test_other_lines_are_no_directives(text):
    assert role("code", text).problems == ()


@pytest.mark.parametrize("tag", ["parameters", "skill", "slideshow", "test", "remove-cell"])
def test_other_words_are_foreign(tag):
    assert role("code", "x", [tag]).problems == ()


def test_the_text_is_what_is_exported_and_knows_its_lines():
    found = role("code", "\n# skills2: setup\n\nx = 1\ny\n\n")
    assert (found.text, found.offset) == ("x = 1\ny", 3)
    assert found.problem("C401", "m", line=2).line == 5
    assert found.with_text("z") == "\n# skills2: setup\n\nz"


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("a.md", True),
        ("a/b c.md", True),
        ("", False),
        ("/a", False),
        ("a//b", False),
        ("../a", False),
        ("a/../b", False),
        ("a\\b", False),
        ("C:a", False),
        ("a\nb", False),
        (" a", False),
    ],
)
def test_safe_paths(path, safe):
    assert is_safe_path(path) is safe
