"""Wilson's interval and the paired test, against known figures and by brute force."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills2_nb.evals.statistics import Interval, pairs_needed, sign_flip, trials_needed, wilson

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("passes", "trials", "low", "high"),
    [
        (3, 3, 0.4385, 1.0),
        (10, 10, 0.7225, 1.0),
        (16, 16, 0.806, 1.0),
        (8, 10, 0.490, 0.943),
        (0, 10, 0.0, 0.278),
        (1, 1, 0.207, 1.0),
        (50, 100, 0.404, 0.596),
    ],
)
def test_the_interval_is_wilsons(passes, trials, low, high):
    made = wilson(passes, trials)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5e-4)


@given(COUNTS)
def test_the_share_lies_in_its_interval_and_the_two_ends_mirror(counts):
    passes, trials = counts
    made, mirrored = wilson(passes, trials), wilson(trials - passes, trials)
    assert 0 <= made.low <= made.rate <= made.high <= 1
    assert (made.low, made.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))


@given(COUNTS, st.sampled_from([0.5, 0.8, 0.9, 0.99]))
def test_the_ends_solve_the_score_equation(counts, confidence):
    """Each end is a rate from which the share seen lies z standard errors away."""
    from statistics import NormalDist

    passes, trials = counts
    made = wilson(passes, trials, confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    for end in {made.low, made.high} - {0.0, 1.0}:
        away = (made.rate - end) ** 2
        assert away == pytest.approx(z**2 * end * (1 - end) / trials)


@pytest.mark.parametrize("counts", [(0, 0), (2, 1), (-1, 3)])
def test_counts_that_cannot_be(counts):
    with pytest.raises(ValueError, match="is no count of trials"):
        wilson(*counts)


@pytest.mark.parametrize(("rate", "least"), [(0.8, 16), (0.5, 4), (0.9, 35), (0.0, 1), (0.72, 10)])
def test_how_many_clean_trials_show_a_rate(rate, least):
    assert trials_needed(rate) == least
    assert wilson(least, least).low >= rate
    assert least == 1 or wilson(least - 1, least - 1).low < rate


def test_nothing_shows_a_rate_of_one():
    with pytest.raises(ValueError, match="no number of trials"):
        trials_needed(1.0)


def test_an_interval_is_told_in_words():
    assert str(wilson(14, 16)) == "14 of 16 trials hold: 0.88, 95% interval 0.64 to 0.97"
    assert wilson(1, 2).to_dict()["rate"] == 0.5
    assert Interval(1, 2, 0.0, 1.0).rate == 0.5


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], 1.0),
        ([0, 0], 1.0),
        ([-1], 0.5),
        ([1], 1.0),
        ([-1, -1], 0.25),
        ([-1] * 5, 1 / 32),
        ([-1, 1], 0.75),
        ([-1, -1, -1, 1], 5 / 16),
    ],
)
def test_the_paired_test_by_hand(differences, p):
    assert sign_flip(map(Fraction, differences)) == p


@given(st.lists(st.fractions(-1, 1, max_denominator=12), max_size=9))
def test_the_paired_test_counts_every_assignment_of_signs(differences):
    seen, every = sum(differences), list(product((1, -1), repeat=len(differences)))
    as_low = [
        sum(s * d for s, d in zip(signs, differences, strict=True)) <= seen for signs in every
    ]
    assert sign_flip(differences) == sum(as_low) / len(every)


def test_many_pairs_are_counted_exactly_and_soon():
    assert sign_flip([Fraction(-1, 5)] * 400) == 2.0**-400
    mixed = [Fraction(-1, n) for n in range(2, 12)] * 3
    assert 0 < sign_flip(mixed) < 1e-6


def test_fewer_pairs_cannot_show_a_difference():
    least = pairs_needed()
    assert sign_flip([Fraction(-1)] * least) <= 0.05 < sign_flip([Fraction(-1)] * (least - 1))
