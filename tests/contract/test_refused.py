"""Which invariants say no: to return a failure is not to break."""

import pytest

from skills2_nb.contract.invariants import invariant, refused

np = pytest.importorskip("numpy", reason="arrays need NumPy")


def is_false(total):
    return total > 10


def asserts(total):
    assert total > 10


def is_zero(total):
    return total - 3


def of_numpy(total):
    return np.bool_(total > 10)


def holds(total):
    return total == 3


def holds_by_assert(total):
    assert total == 3


def breaks(total):
    return total / 0


def leaves(total):
    raise SystemExit(1)


def whole_array(total):
    return np.array([False, False])


def text(total):
    return ""


def forgets(total):
    if total > 10:
        return True
    return None


def reads_what_is_not_there(total, nothing):
    return False


NO = [is_false, asserts, is_zero, of_numpy]
NO_ANSWER = [breaks, leaves, whole_array, text, forgets, reads_what_is_not_there]


@pytest.mark.parametrize("fn", NO, ids=lambda fn: fn.__name__)
def test_these_say_no(fn):
    assert refused([invariant(fn)], {"total": 3}, None) == (fn.__name__,)


@pytest.mark.parametrize("fn", [holds, holds_by_assert, *NO_ANSWER], ids=lambda fn: fn.__name__)
def test_these_do_not(fn):
    assert refused([invariant(fn)], {"total": 3}, None) == ()


def test_an_output_field_stands_before_an_input():
    assert refused([invariant(is_false)], {"total": 30}, {"total": 3}) == ("is_false",)
