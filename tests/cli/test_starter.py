import json

import pytest

from skills2_nb.cli.starter import LONGEST, checked, notebook
from skills2_nb.errors import UsageError
from skills2_nb.formats.frontmatter import inside, parse


@pytest.mark.parametrize("name", ["a", "7", "weekly-numbers", "a1-b2-c3", "x" * LONGEST])
def test_names_that_keep_the_rule(name):
    assert checked(name) == name


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Weekly", "weekly"),
        ("weekly numbers", "weekly-numbers"),
        ("weekly_numbers.ipynb", "weekly-numbers-ipynb"),
        ("-a", "a"),
        ("a--b", "a-b"),
        ("a-", "a"),
        ("größe", "gr-e"),
        ("x" * (LONGEST + 1), "x" * LONGEST),
        ("../../etc", "etc"),
    ],
)
def test_names_that_do_not_are_told_one_that_does(name, near):
    with pytest.raises(UsageError, match=f"; for example {near}$"):
        checked(name)
    assert checked(near) == near


@pytest.mark.parametrize("name", ["", "---", "!"])
def test_names_that_nothing_is_left_of(name):
    with pytest.raises(UsageError, match=f"at most {LONGEST} characters$"):
        checked(name)


@pytest.mark.parametrize(
    "name", ["weekly-numbers", "12", "true", "null", "1e3", "0x10", "on", "no"]
)
def test_the_front_matter_says_the_name_as_text(name):
    cells = json.loads(notebook(name))["cells"]
    assert parse(inside("".join(cells[0]["source"])))["name"] == name


def test_nothing_is_left_to_fill_in_and_the_bytes_are_the_same():
    text = notebook("weekly-numbers")
    assert b"{{" not in text
    assert b"# Weekly numbers" in text
    assert text == notebook("weekly-numbers")


@pytest.mark.parametrize("name", ["weekly-numbers", "12", "x" * LONGEST])
def test_what_it_starts_has_no_problem(name, bare, skills2):
    assert skills2("new", name).code == 0
    done = skills2("lint", f"{name}.ipynb", "--json")
    assert (done.code, done.json) == (0, {"findings": []})
