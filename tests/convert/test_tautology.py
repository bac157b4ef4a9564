"""Predicates that hold whatever they are asked, by their text."""

import ast
import textwrap

import pytest

from skills2_nb.convert.tautology import why_always

TYPES = {
    name: ast.parse(annotation, mode="eval").body
    for name, annotation in {
        "total": "int",
        "rate": "float | None",
        "maybe": "Optional[int]",
        "either": "int | str",
        "grain": "Grain",
        "rows": "list[int]",
        "closes": "bool",
    }.items()
}
ALWAYS = {
    "constant": "return True",
    "number": "return 1",
    "text": 'return "yes"',
    "not false": "return not False",
    "itself": "return output.total == output.total",
    "itself by key": "return output['total'] == output['total']",
    "itself at most": "return total <= total",
    "or True": "return total == 5 or True",
    "True or": "return True or total",
    "and of them": "return total == total and rows == rows",
    "type": "return isinstance(total, int)",
    "type of an attribute": "return isinstance(output.total, int)",
    "one of two types": "return isinstance(total, (int, float))",
    "type of a list": "return isinstance(rows, list)",
    "bool is an int": "return isinstance(closes, int)",
    "there": "return total is not None",
    "there, by attribute": "return output.total is not None",
    "length": "return len(rows) >= 0",
    "no parameter read": "return LIMIT > 3",
    "an assert": "assert total == total",
    "two asserts": "assert total == total\nassert isinstance(total, int)",
    "assert and return": "assert total == total\nreturn None",
    "each path": "if total > 3:\n    return True\nreturn total == total",
}
MAY_SAY_NO = {
    "comparison": "return total == 5",
    "two fields": "return output.total == output.count",
    "and with one of them": "return total == total and total > 3",
    "one path": "if total > 3:\n    return False\nreturn True",
    "one assert": "assert total == total\nassert total > 3",
    "not None of what may be": "return rate is not None",
    "not None of what may be, told so": "return maybe is not None",
    "not None of a name": "return grain is not None",
    "type of either": "return isinstance(either, int)",
    "another type": "return isinstance(rate, float)",
    "unknown field": "return isinstance(other, int)",
    "calls may differ": "return next(rows) == next(rows)",
    "less than itself": "return total < total",
    "not equal to itself": "return total != total",
    "a raise": "if total > 3:\n    raise ValueError\nreturn True",
    "false": "return False",
    "nothing": "return None",
    "by locals": "return check(**locals())",
    "in an inner function": "def inner():\n    return True\nreturn inner() and total > 3",
    "chain": "return 0 <= total <= total",
    "length above": "return len(rows) >= 1",
    "lambda": "return (lambda x: x > 3)(total)",
}


def why(body):
    source = "def f(total, output, rows, rate, maybe, grain, either, other, closes):\n"
    return why_always(ast.parse(source + textwrap.indent(body, "    ")).body[0], TYPES)


@pytest.mark.parametrize("body", ALWAYS.values(), ids=ALWAYS)
def test_these_always_hold(body):
    assert why(body)


@pytest.mark.parametrize("body", MAY_SAY_NO.values(), ids=MAY_SAY_NO)
def test_these_may_say_no(body):
    assert why(body) is None


def test_why_is_told():
    assert why("return total == total") == "compares `total` with itself"
    assert why("return isinstance(total, int)") == "asks for the type that total has anyway"
    assert why_always(ast.parse("def f(): return LIMIT > 3").body[0], {}) == "takes no parameter"
