import pytest

from skills2_nb.formats.cases import RunCase, StepCase


def read(planned, good, *cells):
    plan = planned([*good, *cells])
    return plan.cases, [p for p in plan.problems if p.cell and p.cell > len(good)]


CASES = {
    "positional": ("count.case(1, 2)", StepCase("count-1", "count", {"a": 1, "b": 2})),
    "by name": ("count.case(b=2, a=1)", StepCase("count-1", "count", {"b": 2, "a": 1})),
    "partly": ("count.case(1)", StepCase("count-1", "count", {"a": 1})),
    "expect": (
        "count.case(1, 2, expect={'total': 3})",
        StepCase("count-1", "count", {"a": 1, "b": 2}, {"total": 3}),
    ),
    "fails": (
        "count.case(1, -2.5, fails='total_is_sum', id='x')",
        StepCase("x", "count", {"a": 1, "b": -2.5}, None, "total_is_sum"),
    ),
    "run": ("case('Why?')", RunCase("case-1", "Why?")),
    "run by name": (
        "case(prompt='Why?', inputs={'a': [1, (2, None)]}, "
        "must_call=[count], expected_audit='unproven')",
        RunCase(
            "case-1",
            "Why?",
            {"a": [1, [2, None]]},
            must_call=("count",),
            expected_audit="unproven",
        ),
    ),
    "constants": (
        "A = 3\nWHERE = {'a': 1}\ncount.case(A, LIMIT)",
        StepCase("count-1", "count", {"a": 3, "b": 9}),
    ),
    "assigned": ("shown = case('Why?')", RunCase("case-1", "Why?")),
    "awaited": (
        "count.case(1, 2)  # a note\n'a text'\nimport os",
        StepCase("count-1", "count", {"a": 1, "b": 2}),
    ),
}


@pytest.mark.parametrize(("source", "wanted"), CASES.values(), ids=CASES)
def test_a_call_is_a_case(planned, good, source, wanted):
    cases, problems = read(planned, good, ("setup", "LIMIT = 9"), ("cases", source))
    assert (cases, problems) == ((wanted,), [])


def test_raw_lines_are_cases_too(planned, good):
    lines = '{"step": "count", "args": {"a": 1}}\n\n{"id": "x", "prompt": "p"}'
    cases, problems = read(planned, good, ("cases", "count.case(1, 2)"), ("cases", lines, "raw"))
    assert [case.id for case in cases] == ["count-1", "count-2", "x"]
    assert problems == []


FAULTS = {
    "name": ("count.case(x, 2)", "K602", 1, "`x`"),
    "call": ("\ncount.case(int(1), 2)", "K602", 2, "`int(1)`"),
    "set": ("count.case({1}, 2)", "K602", 1, "`{1}`"),
    "bytes": ("count.case(b'', 2)", "K602", 1, "no literal"),
    "infinite": ("count.case(1e999, 2)", "K602", 1, "no literal"),
    "stars": ("count.case(**{'a': 1})", "K602", 1, "`**`"),
    "star": ("count.case(*[1, 2])", "K602", 1, "no literal"),
    "key": ("case('p', inputs={1: 2})", "K602", 1, "`1`"),
    "loop": ("for i in range(3):\n    count.case(i, 1)", "K601", 1, "`for i in range(3):`"),
    "other call": ("print(1)", "K601", 1, "`print(...)`"),
    "definition": ("x = object", "K601", 1, "no case"),
    "step": ("coutn.case(1, 2)", "K605", 1, "'coutn'"),
    "called step": ("case('p', must_call=['coutn'])", "K605", 1, "'coutn'"),
    "too many": ("count.case(1, 2, 3)", "K606", 1, "takes 2 values, not 3"),
    "no parameter": ("count.case(1, c=2)", "K606", 1, "'c'"),
    "twice": ("count.case(1, a=2)", "K606", 1, "given twice"),
    "two prompts": ("case('a', 'b')", "K606", 1, "one text"),
    "unknown key": ("case('a', must_cal=[])", "K603", 1, "'must_cal'"),
    "no prompt": ("case(inputs={})", "K603", 1, "'prompt' is missing"),
    "verdict": ("case('a', expected_audit='ok')", "K603", 1, "'expected_audit'"),
    "same id": ("case('a', id='x')\ncase('b', id='x')", "K604", 2, "'x'"),
    "magic": ("%time count.case(1, 2)", "C402", 1, "IPython"),
}


@pytest.mark.parametrize(("source", "code", "line", "words"), FAULTS.values(), ids=FAULTS)
def test_what_is_no_case(planned, good, source, code, line, words):
    _, problems = read(planned, good, ("cases", source))
    assert [(p.code, p.cell, p.line) for p in problems] == [(code, 5, line)]
    assert words in problems[0].message
    assert problems[0].mend


def test_a_raw_line_that_is_wrong_is_named_by_its_line(planned, good):
    _, problems = read(planned, good, ("cases", '{"prompt": "p"}\n{"prompt": 1}\n{', "raw"))
    assert [(p.code, p.line) for p in problems] == [("K603", 2), ("K607", 3)]


def test_names_of_a_cases_cell_are_no_part_of_the_package(planned, good):
    plan = planned([*good, ("cases", "A = 1\ncount.case(A, 2)"), ("setup", "B = 1")])
    assert plan.problems == ()
    assert b"A = 1" not in plan.files["runtime/skill.py"]


def test_a_failing_case_says_why(planned, good):
    _, problems = read(planned, good, ("cases", "case('Why?', expected_audit='fail')"))
    assert [(p.code, p.level) for p in problems] == [("K608", "warning")]
    why = "case('Why?', expected_audit='fail', expect={'findings': ['STALE']})"
    assert read(planned, good, ("cases", why))[1] == []


def test_steps_that_a_case_names_exist(planned, good):
    source = "case('Why?', must_call=[{'step': 'count', 'after': 'cuont'}], must_not_call=['x'])"
    _, problems = read(planned, good, ("cases", source))
    assert [p.code for p in problems] == ["K605", "K605"]
