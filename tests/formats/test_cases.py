import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.formats.cases import RunCase, StepCase, build, dump, parse_cases

RUN = RunCase(
    id="a",
    prompt="Why?",
    inputs={"path": "x.csv"},
    files=("x.csv",),
    must_call=("load", {"step": "ident", "after": "load"}),
    must_not_call=("delete",),
    must_mention=("quick ratio", {"regex": "a.b"}),
    must_not=("guarantee",),
    expected_audit="fail",
    expect={"findings": ["ORDER"], "score": [0, 0.5], "failed_invariants": ["closes"]},
    calls=({"step": "load", "args": {"a": 1}, "refs": {"b": "load#/b"}},),
    trigger=False,
    split="holdout",
    tags=("golden",),
    trials=3,
    budget={"s": 120},
)
STEP = StepCase(id="b", step="load", args={"a": [1, None]}, expect={"n": 1.5})


@pytest.mark.parametrize("case", [RUN, STEP, RunCase("r", "p"), StepCase("s", "x", fails="closes")])
def test_a_case_comes_back_from_its_line(case):
    assert parse_cases(dump([case])) == ([case], ())


def test_defaults_are_left_out():
    assert dump([RunCase("a", "p")]) == '{"id": "a", "prompt": "p"}\n'


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), json_values)
def test_any_arguments_come_back(args, expect):
    case = StepCase("a", "s", args, expect)
    assert parse_cases(dump([case])) == ([case], ())


def test_ids_are_made_where_none_is_given():
    text = '{"prompt": "p"}\n\n{"step": "load"}\n'
    cases, problems = parse_cases(text)
    assert [case.id for case in cases] == ["case-1", "load-2"]
    assert problems == ()


WRONG = {
    "json": ("{", "K607", "not JSON"),
    "nan": ('{"step": "a", "args": {"x": NaN}}', "K607", "NaN"),
    "list": ("[1]", "K607", "an object"),
    "key": ('{"prompt": "p", "must_cal": []}', "K603", "'must_cal'"),
    "step key": ('{"step": "a", "prompt": "p"}', "K603", "'prompt'"),
    "prompt": ('{"inputs": {}}', "K603", "'prompt' is missing"),
    "empty prompt": ('{"prompt": ""}', "K603", "'prompt'"),
    "verdict": ('{"prompt": "p", "expected_audit": "maybe"}', "K603", "'expected_audit'"),
    "range": ('{"prompt": "p", "expect": {"score": [1, 0]}}', "K603", "'expect.score' is [1, 0]"),
    "axis": ('{"prompt": "p", "expect": {"beauty": [0, 1]}}', "K603", "'expect.beauty'"),
    "calls": ('{"prompt": "p", "calls": [{"args": {}}]}', "K603", "'calls[0]'"),
    "call key": (
        '{"prompt": "p", "calls": [{"step": "a"}, {"step": "a", "arg": 1}]}',
        "K603",
        "'calls[1].arg' is 1",
    ),
    "after": ('{"prompt": "p", "must_call": [{"step": "a", "after": 3}]}', "K603", "[0].after'"),
    "no step": ('{"prompt": "p", "must_call": [{"after": "b"}]}', "K603", "with `step`"),
    "times": ('{"prompt": "p", "must_call": [{"step": "a", "times": [2, 1]}]}', "K603", ".times'"),
    "approx": (
        '{"prompt": "p", "must_call": [{"step": "a", "args": {"x": {"approx": "1"}}}]}',
        "K603",
        "'must_call[0].args.x.approx' is '1'write a number",
    ),
    "matcher": (
        '{"prompt": "p", "must_call": [{"step": "a", "args": {"x": {"approx": 1, "by": 2}}}]}',
        "K603",
        "{approx, rel, abs}",
    ),
    "regex": ('{"prompt": "p", "must_not": [{"regex": "("}]}', "K603", "'must_not[0].regex'"),
    "form": ('{"prompt": "p", "must_mention": [{"txt": "a"}]}', "K603", "'must_mention[0]'"),
    "numbers": ('{"prompt": "p", "must_mention": [{"numbers": "unsupported"}]}', "K603", "[0]'"),
    "value": ('{"prompt": "p", "must_mention": [{"value": "total"}]}', "K603", "`count#/total`"),
    "trials": ('{"prompt": "p", "trials": 0}', "K603", "'trials'"),
    "budget": ('{"prompt": "p", "budget": {"seconds": 5}}', "K603", "'budget.seconds'"),
    "budget text": ('{"prompt": "p", "budget": {"s": "60"}}', "K603", "'budget.s' is '60'"),
    "both": ('{"step": "a", "expect": 1, "fails": "x"}', "K603", "keep one of the two"),
    "twice": ('{"id": "a", "prompt": "p"}\n{"id": "a", "prompt": "q"}', "K604", "line 1"),
}


@pytest.mark.parametrize(("text", "code", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named_by_line_and_key(text, code, words):
    _, problems = parse_cases(text, "cases.jsonl")
    (problem,) = problems
    assert problem.code == code
    assert words in problem.message + problem.mend
    assert problem.line == text.count("\n") + 1


def test_a_typo_gets_the_key_meant():
    _, faults = build({"prompt": "p", "must_metion": []}, 1)
    assert faults == [("nobody reads the key 'must_metion'", "write 'must_mention'")]


def test_calls_alone_are_a_case():
    case, faults = build({"calls": [{"step": "load"}]}, 1)
    assert faults == []
    assert case.calls == ({"step": "load"},)
    assert json.loads(dump([case]))["calls"] == [{"step": "load"}]
