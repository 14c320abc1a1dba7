"""A number is equal, within the published interval, apart, or not in the published run."""

import pytest

from book.agreement import ABSENT, APART, EQUAL, WITHIN, compare

NUMBER = {"metric": "P@1", "method": "ridge", "k": 20}
INTERVAL = {"value": 36.0, "low": 34.0, "high": 38.0}
FULL = {"value": 1.0, "low": 0.5, "high": 1.5, "n_seeds": 5, "std": 0.1}


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        ({"value": 35.0}, {"value": 35.0}, EQUAL),
        ({"value": 35.0}, {"value": 35.017}, EQUAL),  # the same to three digits
        ({"value": 35.0}, {"value": 35.2}, APART),
        ({"value": -1e-13}, {"value": 2e-14}, EQUAL),  # zero but for rounding
        ({"value": 7358}, {"value": 7358}, EQUAL),
        ({"value": 7358}, {"value": 7359}, APART),  # whole numbers are counts
        ({"value": True}, {"value": False}, APART),
        ({"value": 35.0}, INTERVAL, WITHIN),
        ({"value": 34.0}, INTERVAL, WITHIN),
        ({"value": 33.9}, INTERVAL, APART),
        ({"value": 35.0}, {"value": 36.0, "std": 1.0}, WITHIN),
        ({"value": 34.9}, {"value": 36.0, "std": 1.0}, APART),
        # An interval of its own may reach the published number, or its interval.
        ({"value": 31.0, "low": 28.0, "high": 34.5}, INTERVAL, WITHIN),
        ({"value": 31.0, "low": 28.0, "high": 33.5}, INTERVAL, APART),
        ({"value": 31.0, "low": 28.0, "high": 36.0}, {"value": 36.0}, WITHIN),
        ({"value": 31.0, "low": 28.0, "high": 35.9}, {"value": 36.0}, APART),
        # Columns identify a number, and results do not.
        ({"value": 1.0, "n_seeds": 1}, FULL, EQUAL),
        ({"value": 1.0, "setting": None}, FULL, EQUAL),
        ({"value": 1.0, "k": 10}, FULL, ABSENT),
        ({"value": 1.0, "setting": "mapping"}, FULL, ABSENT),
    ],
)
def test_a_number_beside_the_published_one(ours, theirs, kind):
    (one,) = compare([NUMBER | ours], [NUMBER | theirs])
    assert one.kind == kind


@pytest.mark.parametrize("seed", [1, 7])
def test_one_seed_may_lie_anywhere_among_the_published_seeds(seed):
    theirs = [NUMBER | {"value": v, "seed": s} for s, v in enumerate([30.0, 33.0, 31.0])]
    for value, expected in [(32.0, WITHIN), (29.0, APART), (33.5, APART)]:
        (one,) = compare([NUMBER | {"value": value, "seed": seed}], theirs)
        assert (one.kind, one.low, one.high) == (expected, 30.0, 33.0)


def test_what_a_clock_said_is_not_compared():
    slope = {"metric": "slope", "value": 1.0, "timing": True}
    assert compare([slope], [slope | {"value": 2.0}]) == []
