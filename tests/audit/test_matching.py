"""Which value a figure is: percentage points beside names of differences and of rates."""

import pytest

from skills2_nb.audit.claims import Claims
from skills2_nb.audit.sources import Source


def leaf(name: str, value: float) -> Source:
    return Source(f"one#/{name}", "result", value, (name.replace("_", " "),), owed=True)


@pytest.mark.parametrize(
    ("name", "value", "text", "carried", "contradicted"),
    [
        ("difference", 0.41, "The difference is 0.41 percentage points.", True, False),
        ("difference", 0.05, "The difference is 0.05 percentage points.", True, False),
        ("gap_in_percent", 3.0, "The gap in percent is 3 percentage points.", True, False),
        ("difference", 0.0005, "The difference is 0.05 pp.", True, False),
        ("difference", 0.05, "The difference is 0.07 percentage points.", False, True),
        ("difference", 3.29, "The difference is 3.92 percentage points.", False, True),
        ("retention_rate", 0.35, "The retention rate won 7 percentage points.", False, False),
        ("retention_rate", 0.35, "The retention rate is 35.0 percentage points.", False, False),
    ],
)
def test_points_claim_the_value_of_a_difference_and_of_nothing_else(
    name, value, text, carried, contradicted
):
    source = leaf(name, value)
    claims = Claims(text, [source], [source])
    found = {source.ref} if any(claims.carries(f, source) for f in claims.figures) else set()
    assert bool(found) is carried
    assert bool(claims.contradictions(found)) is contradicted
