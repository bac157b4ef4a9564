"""The canonical form of what NumPy and pandas hold."""

import pytest

from skills2_nb.contract.canonical import encode, plain

np = pytest.importorskip("numpy", reason="arrays need NumPy")
pd = pytest.importorskip("pandas", reason="frames need pandas")

FORMS = [
    (np.int64(3), "3"),
    (np.float64(0.5), "0.5"),
    (np.float32(0.5), "0.5"),
    (np.bool_(True), "true"),
    (np.array([[1, 2], [3, 4]]), "[[1,2],[3,4]]"),
    (pd.Timestamp("2026-01-02"), '"2026-01-02T00:00:00"'),
    (pd.NaT, "null"),
    (pd.NA, "null"),
    (pd.Series([1, 2]), "[1,2]"),
]


@pytest.mark.parametrize(("value", "text"), FORMS, ids=[repr(v)[:40] for v, _ in FORMS])
def test_each_value_has_one_form(value: object, text: str) -> None:
    assert encode(value) == text


def test_a_frame_without_an_annotation_is_told_how_to_travel() -> None:
    with pytest.raises(TypeError, match="annotate it with Table"):
        plain(pd.DataFrame({"a": [1]}))
