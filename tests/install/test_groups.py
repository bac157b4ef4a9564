"""Our hooks put into a settings text and taken out: nothing else moves."""

import json

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from skills2_nb.hooks.starter import EVENTS
from skills2_nb.install.groups import found, is_bare, with_groups, without_groups
from skills2_nb.install.layout import FaultyError
from tests.install.test_settings import arrays, blanks, objects, scalars, values

MAIN = "/opt/ü/skills2_nb/hooks/main.py"


def group(mode="advise", python="/opt/ü/python"):
    args = ["-I", "-S", MAIN, mode]
    return {"hooks": [{"type": "command", "command": python, "args": args, "timeout": 15}]}


def wanted(mode="advise", events=EVENTS, **settings):
    return {event: group(mode, **settings) for event in events}


THEIRS = '{"matcher":"Bash","hooks":[{"type":"http","url":"http://h/x"}]}'
#: Settings of other habits.
HABITS = {
    "empty": "",
    "blank": "\n\n",
    "bare": "{}",
    "two steps": '{\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n'
    '          {\n            "type": "command",\n            "command": "say done"\n          }\n'
    "        ]\n      }\n    ]\n  }\n}\n",
    "tabs, no end": '{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t' + THEIRS + "\n\t\t]\n\t}\n}",
    "CRLF": '{\r\n    "hooks": {\r\n        "Stop": [],\r\n        "Other": [\r\n            '
    + THEIRS + "\r\n        ]\r\n    },\r\n    \"env\": {\"A\": \"1\"}\r\n}\r\n",
    "tight": '{"hooks":{"Stop":[' + THEIRS + "," + THEIRS + ']},"x":1.50}',
    "one line": '{"x": 1e400, "hooks": {"SessionStart": [], "Stop": [ ' + THEIRS + " ] }}",
    "hugging": '{\n  "hooks": {"Stop": [{\n    "hooks": [{\n      "type": "command",\n'
    '      "command": "x"\n    }]\n  }]}\n}\n',
    "unknown keys, twice": '{\n "a": 1,\n "a": 2,\n "hooks": {"New": [7], "Odd": {"x": []}, '
    '"Odd": 1},\n "zz": "\\u00e9\\/"\n}',
    "hooks empty": '{\n  "hooks": {\n  }\n}\n',
    "lists of another kind": '{"hooks": {"Stop": ["x", null, {"hooks": 7}, {"hooks": [8]}]}}',
    "200 KB": '{\n  "permissions": {\n    "allow": ['
    + ", ".join(f'"Bash(x{n})"' for n in range(14_000))
    + ']\n  },\n  "hooks": {\n    "Stop": [\n      ' + THEIRS + "\n    ]\n  }\n}\n",
}  # fmt: skip


def ours(text):
    return {place.event: place.value for place in found(text)}


def others(value):
    """The settings without what is ours, and without lists and objects that are empty then."""
    if isinstance(value, dict) and isinstance(value.get("hooks"), dict):
        kept = {
            event: [item for item in items if item not in [*wanted().values()]]
            if isinstance(items, list)
            else items
            for event, items in value["hooks"].items()
        }
        kept = {event: items for event, items in kept.items() if items != []}
        value = {**value, "hooks": kept}
        if not kept:
            del value["hooks"]
    return value


@pytest.mark.parametrize("name", HABITS)
def test_in_and_again_and_otherwise_and_out_is_as_before(name):
    before = HABITS[name]
    first, traces = with_groups(before, wanted(), {})
    assert ours(first) == wanted()
    assert with_groups(first, wanted(), traces) == (first, traces)
    second, traces = with_groups(first, wanted("block", python="/moved/python"), traces)
    assert ours(second) == wanted("block", python="/moved/python")
    assert without_groups(second, traces) == before
    if before.strip():
        assert others(json.loads(first)) == others(json.loads(before))


@pytest.mark.parametrize("name", [name for name in HABITS if name != "one line"])
@pytest.mark.parametrize("known", [True, False])
def test_what_another_program_wrote_anew_stays(name, known):
    """As Claude Code does: it reads the settings and writes the whole file."""
    text, traces = with_groups(HABITS[name], wanted(), {})
    value = json.loads(text)
    value["late"] = True
    value["hooks"]["Stop"].append(json.loads(THEIRS))
    left = without_groups(json.dumps(value, indent=2), traces if known else {})
    assert not found(left)
    assert others(json.loads(left)) == others(value)
    if known and name in ("empty", "blank", "bare"):
        assert json.loads(left) == {"late": True, "hooks": {"Stop": [json.loads(THEIRS)]}}


def test_an_object_that_was_made_for_hooks_goes_with_them_after_a_reformat():
    for gone in (None, *EVENTS):
        text, traces = with_groups('{"a":1}', wanted(), {})
        value = json.loads(text)
        value["hooks"].pop(gone, None)
        assert json.loads(without_groups(json.dumps(value, indent=1), traces)) == {"a": 1}


def test_an_event_that_was_taken_out_by_hand_comes_again():
    text, traces = with_groups("{}", wanted(), {})
    value = json.loads(text)
    del value["hooks"][EVENTS[0]]
    text, traces = with_groups(json.dumps(value, indent=2), wanted(), traces)
    assert ours(text) == wanted()
    assert json.loads(without_groups(text, traces)) == {}


FORMS = {
    "another environment": group(python="/old/python"),
    "one line for a shell": {
        "hooks": [{"command": f"'/old python' -I -S '{MAIN}' block", "type": "command"}]
    },
    "backslashes": {
        "hooks": [{"command": "py.exe", "args": [r"C:\kit\skills2_nb\hooks\main.py", "off"]}]
    },
}
NOT_OURS = [
    {"hooks": [{"command": "python3", "args": ["/x/my_skills2_nb/hooks/main.py"]}]},
    {"hooks": [{"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/hooks/main.py"]}]},
    {"hooks": [{"type": "http", "url": "http://h/skills2_nb/hooks/main.py"}]},
    {"matcher": MAIN, "hooks": [{"command": "x"}]},
]


@pytest.mark.parametrize("form", FORMS)
def test_other_versions_of_ours_are_ours(form):
    """Replaced where they stand; a second one of the same event goes; all of them go in the end."""
    theirs = json.loads(THEIRS)
    before = json.dumps({"hooks": {"Stop": [FORMS[form], theirs, group()], "Gone": [FORMS[form]]}})
    after, traces = with_groups(before, wanted(events=["Stop"]), {})
    assert json.loads(after) == {"hooks": {"Stop": [group(), theirs]}}
    assert json.loads(without_groups(after, traces)) == {"hooks": {"Stop": [theirs]}}


@pytest.mark.parametrize("other", NOT_OURS)
def test_what_looks_like_ours_is_not(other):
    before = json.dumps({"hooks": {"Stop": [other]}})
    after, traces = with_groups(before, wanted(events=["Stop"]), {})
    assert json.loads(after)["hooks"]["Stop"] == [other, group()]
    assert without_groups(after, traces) == before
    assert without_groups(before, {}) == before


def test_ours_that_somebody_moved_into_a_group_of_theirs_comes_out_of_it():
    mine = group()["hooks"][0]
    mixed = {"matcher": "x", "hooks": [{"command": "a"}, mine, {"command": "b"}]}
    before = json.dumps({"hooks": {"Stop": [mixed]}})
    left = {"matcher": "x", "hooks": [{"command": "a"}, {"command": "b"}]}
    after, _ = with_groups(before, wanted(events=["Stop"]), {})
    assert json.loads(after) == {"hooks": {"Stop": [left, group()]}}
    assert json.loads(without_groups(before, {})) == {"hooks": {"Stop": [left]}}


FAULTS = [
    ('{\n  // mine\n  "hooks": {}\n}', 2, "comments"),
    ('{"hooks": {},\n}', 2, "a comma stands before the end"),
    ('{"hooks": {', 1, "no JSON"),
    ("[]", 1, "no object"),
    ('{"a": 1,\n"hooks": []}', 2, "'hooks' is no object"),
    ('{"hooks": {\n"Stop":\n{}}}', 3, "'Stop' is no list"),
    ('{"hooks": {"PreToolUse": null}}', 1, "'PreToolUse' is no list"),
    ('{"hooks": {},\n"h\\u006foks": {}}', 2, "'hooks' stands twice"),
    ('{"hooks": {"Stop": [],\n\n"Stop": []}}', 3, "'Stop' stands twice"),
]


@pytest.mark.parametrize(
    ("text", "line", "why"), FAULTS, ids=[row[2] + row[0][:9] for row in FAULTS]
)
def test_what_cannot_be_changed_safely_is_refused_with_its_line(text, line, why):
    with pytest.raises(FaultyError, match=why) as caught:
        with_groups(text, wanted(), {})
    assert caught.value.line == line


def test_ours_in_an_event_that_stands_twice_is_refused():
    one = json.dumps(group())
    with pytest.raises(FaultyError, match="twice") as caught:
        without_groups(f'{{"hooks": {{"Stop": [{one}],\n"Stop": [{one}]}}}}', {})
    assert caught.value.line == 2


LAYOUTS = [
    ("{}", '{\n  "hooks": {\n    "Stop": [\n      {\n        "n": 1\n      }\n    ]\n  }\n}'),
    ('{"x":1}', '{"x":1,"hooks":{"Stop":[{"n":1}]}}'),
    ('{"hooks": {"Stop": [2]}}', '{"hooks": {"Stop": [2, {"n": 1}]}}'),
    (
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{}\n\t\t]\n\t}\n}\n',
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{},\n\t\t\t{\n\t\t\t\t"n": 1\n\t\t\t}\n'
        "\t\t]\n\t}\n}\n",
    ),
    (
        '{\n  "hooks": {\n    "Stop": [{\n      "m": 2\n    }]\n  }\n}',
        '{\n  "hooks": {\n    "Stop": [{\n      "m": 2\n    }, {\n      "n": 1\n    }]\n  }\n}',
    ),
    (
        '{\r\n "hooks": {\r\n  "Stop": []\r\n }\r\n}',
        '{\r\n "hooks": {\r\n  "Stop": [\r\n   {\r\n    "n": 1\r\n   }\r\n  ]\r\n }\r\n}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), LAYOUTS)
def test_it_is_written_in_the_style_that_is_there(before, after):
    assert with_groups(before, {"Stop": {"n": 1}}, {})[0] == after


others_groups = st.just(THEIRS) | values
hook_objects = st.lists(
    st.tuples(st.sampled_from([*EVENTS, "Other", "X"]), arrays(others_groups)),
    max_size=4,
    unique_by=lambda pair: pair[0],
)


@st.composite
def texts(draw):
    """Settings with hooks of others: any blanks, any order of keys."""
    gap = lambda: draw(blanks)  # noqa: E731
    inner = ",".join(f'{gap()}"{k}"{gap()}:{gap()}{v}{gap()}' for k, v in draw(hook_objects))
    pairs = [("hooks", "{" + (inner or gap()) + "}")] if draw(st.booleans()) else []
    pairs += draw(
        st.lists(st.tuples(st.sampled_from("abc"), scalars | objects(values)), max_size=3)
    )
    body = ",".join(
        f'{gap()}"{k}"{gap()}:{gap()}{v}{gap()}' for k, v in draw(st.permutations(pairs))
    )
    return gap() + "{" + (body or gap()) + "}" + gap()


@settings(max_examples=50)
@given(texts(), st.sampled_from(["off", "block"]))
@example('{"hooks":{"Stop":[]}}', "off")
@example('{"hooks":{"Stop":[ ]\n}}', "off")
def test_any_layout_comes_back(text, mode):
    first, traces = with_groups(text, wanted(), {})
    assert ours(first) == wanted()
    assert with_groups(first, wanted(), traces) == (first, traces)
    second, traces = with_groups(first, wanted(mode), traces)
    assert ours(second) == wanted(mode)
    assert without_groups(second, traces) == text


@settings(max_examples=50)
@given(texts(), st.sampled_from([None, 2, "\t"]))
def test_any_rewriting_by_others_keeps_what_is_theirs(text, indent):
    assume("e400" not in text)
    first, traces = with_groups(text, wanted(), {})
    again = json.dumps(json.loads(first), indent=indent)
    left = without_groups(again, traces)
    assert json.loads(left) == json.loads(text)


def test_a_file_that_says_nothing():
    assert is_bare("") and is_bare("{ }\n") and not is_bare('{"a": 1}')
