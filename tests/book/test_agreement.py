"""A number is equal, within the published interval, apart, or not in the published run."""

import pytest

from book.agreement import ABSENT, APART, EQUAL, WITHIN, compare

NUMBER = {"metric": "P@1", "method": "ridge", "k": 20}


def kind(ours, *published):
    (one,) = compare([ours], published)
    return one.kind


@pytest.mark.parametrize(
    ("value", "published", "expected"),
    [
        (35.0, {"value": 35.0}, EQUAL),
        (35.0, {"value": 35.017}, EQUAL),  # the same to three digits
        (35.0, {"value": 35.2}, APART),
        (-1e-13, {"value": 2e-14}, EQUAL),  # zero but for rounding
        (7358, {"value": 7358}, EQUAL),
        (7358, {"value": 7359}, APART),  # whole numbers are counts
        (True, {"value": False}, APART),
        (35.0, {"value": 36.0, "low": 34.0, "high": 38.0}, WITHIN),
        (34.0, {"value": 36.0, "low": 34.0, "high": 38.0}, WITHIN),
        (33.9, {"value": 36.0, "low": 34.0, "high": 38.0}, APART),
        (35.0, {"value": 36.0, "std": 1.0}, WITHIN),
        (34.9, {"value": 36.0, "std": 1.0}, APART),
    ],
)
def test_a_number_beside_the_published_one(value, published, expected):
    assert kind(NUMBER | {"value": value}, NUMBER | published) == expected


def test_columns_identify_a_number_and_results_do_not():
    theirs = NUMBER | {"value": 1.0, "low": 0.5, "high": 1.5, "n_seeds": 5, "std": 0.1}
    assert kind(NUMBER | {"value": 1.0, "n_seeds": 1}, theirs) == EQUAL
    assert kind(NUMBER | {"value": 1.0, "setting": None}, theirs) == EQUAL
    assert kind(NUMBER | {"value": 1.0, "k": 10}, theirs) == ABSENT
    assert kind(NUMBER | {"value": 1.0, "setting": "mapping"}, theirs) == ABSENT


@pytest.mark.parametrize("seed", [1, 7])
def test_one_seed_may_lie_anywhere_among_the_published_seeds(seed):
    theirs = [NUMBER | {"value": v, "seed": s} for s, v in enumerate([30.0, 33.0, 31.0])]
    for value, expected in [(32.0, WITHIN), (29.0, APART), (33.5, APART)]:
        (one,) = compare([NUMBER | {"value": value, "seed": seed}], theirs)
        assert (one.kind, one.low, one.high) == (expected, 30.0, 33.0)


def test_what_a_clock_said_is_not_compared():
    slope = {"metric": "slope", "value": 1.0, "timing": True}
    assert compare([slope], [slope | {"value": 2.0}]) == []


@pytest.mark.parametrize(
    ("mine", "theirs", "kind"),
    [
        ({"low": 28.0, "high": 34.5}, {"low": 34.0, "high": 38.0}, WITHIN),
        ({"low": 28.0, "high": 33.5}, {"low": 34.0, "high": 38.0}, APART),
        ({"low": 28.0, "high": 36.0}, {}, WITHIN),
        ({"low": 28.0, "high": 35.9}, {}, APART),
        ({}, {}, APART),
    ],
)
def test_an_interval_of_its_own_may_reach_the_published_number(mine, theirs, kind):
    record = {"metric": "P@1", "value": 31.0}
    [one] = compare([record | mine], [record | {"value": 36.0} | theirs])
    assert one.kind == kind
