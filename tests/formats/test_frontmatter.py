import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.errors import UnreadableError
from skills2_nb.formats import frontmatter
from skills2_nb.formats.frontmatter import FrontMatterError, cut, inside, is_fenced, mended, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("name: a\ndescription: b", {"name": "a", "description": "b"}),
        ("when: 2026-11-30", {"when": "2026-11-30"}),
        (
            "metadata:\n  version: '1'\n  tags: [a, b]",
            {"metadata": {"version": "1", "tags": ["a", "b"]}},
        ),
        ("description: >\n  long\n  text", {"description": "long text"}),
    ],
)
def test_it_reads(text, value):
    assert parse(text) == value


REFUSED = {
    "twice": ("a: 1\nb: 2\na: 3", 3, "the key 'a' stands twice"),
    "twice inside": ("m:\n  a: 1\n  a: 2", 3, "the key 'a' stands twice"),
    "alias": ("a: &x 1\nb: *x", 1, "alias"),
    "colon": ("name: a\ndescription: Use when: always", 2, "not in quotes"),
    "list": ("- a", 1, "no list of `key: value` lines"),
    "number as key": ("1: a", 1, "a key is no plain word"),
    "yes as key": ("yes: a", 1, "a key is no plain word"),
    "python": ("a: !!python/name:os.system", 1, "not YAML"),
    "tab": ("a:\n\tb: 1", 2, "not YAML"),
    "unclosed": ("a: [1", None, "not YAML"),
    "two documents": ("a: 1\n--- \nb: 2", 2, "not YAML"),
    "control character": ("a: \x01", None, "not YAML"),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_it_refuses(text, line, message):
    with pytest.raises(FrontMatterError, match=message) as error:
        parse(text)
    assert line is None or error.value.line == line
    assert isinstance(error.value, UnreadableError)


def test_an_alias_bomb_is_refused_at_once():
    lines = ["a0: &a0 x"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    with pytest.raises(FrontMatterError, match="alias"):
        parse("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("description: Use when: always", "Use when: always"),
        ('description: a "b": c\\d', 'a "b": c\\d'),
    ],
)
def test_the_mend_of_a_colon_is_quotes(text, value):
    assert parse(mended(text)) == {"description": value}


@pytest.mark.parametrize("text", ["name: a", "a: [", 'a: "x: y"'])
def test_there_is_no_mend_where_none_is_needed_or_none_is_right(text):
    assert mended(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\na: 1\n---\nb", ("---\na: 1\n---", "\nb")),
        ("---  \na: 1\n...", ("---  \na: 1\n...", "")),
        ("---\n---\n", ("---\n---", "\n")),
        (" ---\na: 1\n---", None),
        ("---\na: 1\n", None),
        ("---a\n---\n", None),
        ("", None),
    ],
)
def test_cut(text, found):
    assert cut(text) == found


def test_fenced_and_inside():
    assert is_fenced("\n---\na: 1\n---\n")
    assert inside("\n---\na: 1\nb: 2\n---\n") == "a: 1\nb: 2"


def test_public_front_matter_reads(shared):
    names = []
    for path in sorted(shared.glob("corpus/*/SKILL.md")):
        found = cut(path.read_text(encoding="utf-8-sig").replace("\r\n", "\n"))
        if found:
            names.append(parse(inside(found[0]))["name"])
    assert len(names) > 35


WORDS = st.sampled_from(
    [
        *"name a yes No null N ~ 1.0 2026-01-01 x-y é << = %a inf e1 - # ' [x] {x} a,b".split(),  # noqa: SIM905
        *("a: b", "a #b", "a#b", "k:v", "x:", "tail ", " lead", "a\tb", '"', "A" * 130),
    ]
)
LINES = st.builds("{}{}{}".format, WORDS, st.sampled_from([": ", ":", "  : ", ": \t"]), WORDS)


@given(st.lists(LINES | st.sampled_from(["", "  on", "# c", "---"]), max_size=3).map("\n".join))
def test_a_plain_text_reads_as_yaml_does(text):
    read = frontmatter._plain(text)
    if read is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontmatter, "_plain", lambda _: None)
        assert list(parse(text).items()) == list(read.items())


def test_plain_lines_need_no_yaml():
    code = (
        "import sys; from skills2_nb.formats.frontmatter import parse;"
        "print(parse('name: a-b\\ndescription: Adds, in one line.'), 'yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'name': 'a-b', 'description': 'Adds, in one line.'} False\n"
