"""Invariants whose result is an array."""

import pytest

from skills2_nb.contract.invariants import check, invariant

np = pytest.importorskip("numpy", reason="arrays need NumPy")
pd = pytest.importorskip("pandas", reason="frames need pandas")
pl = pytest.importorskip("polars", reason="frames need Polars")


def says(result: object):
    def answer(total):
        return result

    return invariant(answer)


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        (np.True_, True),
        (np.False_, False),
        (np.array([True]), False),
        (np.array(True), True),
        (pd.Series([True]), False),
        (pd.DataFrame({"a": [True]}), False),
        (pl.Series([True]), False),
    ],
    ids=repr,
)
def test_only_a_single_truth_value_holds(result: object, ok: bool) -> None:
    (seen,) = check([says(result)], {}, {"total": 1})
    assert seen.ok is ok


def test_an_array_is_told_what_to_do() -> None:
    (seen,) = check([says(pd.Series([True, False]))], {}, {"total": 1})
    assert seen.message is not None
    assert ".all()" in seen.message
