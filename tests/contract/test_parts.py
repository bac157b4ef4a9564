"""What code asks of a variable."""

import functools

import pytest

from skills2_nb.contract.parts import parts_of


def attributes(output):
    return output.total == output.count


def keys(output):
    return output["total"] == output["count"]


def within_a_comprehension(output):
    return all(item < output.total for item in output.items)


def within_a_function(output):
    def inner():
        return output.total

    return inner() > 0


def passed_on(output):
    return len(output) > output.total


def another_name(output):
    other = output
    return other.total > 0


def by_getattr(output):
    return getattr(output, "total") > 0  # noqa: B009 - the sight of it is what is tested


def by_computed_key(output, name="total"):
    return output[name] > 0


def matched(output):
    match output:
        case {"total": total}:
            return total > 0
    return False


def by_locals(output):
    return dict(**locals())["output"].total > 0


def not_at_all(output):
    return 1 == 2


def two_loads(inputs, output):
    return inputs.total == output.total


def attribute_of_another(other):
    return other.output.total > 0


@functools.wraps(attributes)
def wrapped(*args, **kwargs):
    return attributes(*args, **kwargs)


SEEN = [
    (attributes, {"total", "count"}),
    (keys, {"total", "count"}),
    (within_a_comprehension, {"total", "items"}),
    (within_a_function, {"total"}),
    (passed_on, None),
    (another_name, None),
    (by_getattr, None),
    (by_computed_key, None),
    (matched, None),
    (by_locals, None),
    (not_at_all, set()),
    (two_loads, {"total"}),
    (attribute_of_another, None),
    (wrapped, None),
]


@pytest.mark.parametrize(("fn", "wanted"), SEEN, ids=[fn.__name__ for fn, _ in SEEN])
def test_what_is_asked_of_output(fn, wanted):
    assert parts_of(fn, "output") == wanted
