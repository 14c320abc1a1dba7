"""Intervals against textbook formulas, obvious bootstraps and known coverage."""

from dataclasses import asdict

import numpy as np
import pandas
import pytest

from zslib.protocols import Estimate, independent_mean, mean_estimate, paired_difference
from zslib.protocols.intervals import (
    Spread,
    item_kinds,
    resampled_estimate,
    resampled_items,
    resampled_weights,
    spread_over_runs,
    statistic_over_classes,
)


def test_students_t_over_seeds():
    values = [1.0, 2.0, 4.0]
    estimate = mean_estimate(values)
    # 4.3027 is the 97.5% point of Student's t with two degrees of freedom.
    half = 4.302652729 * np.std(values, ddof=1) / np.sqrt(3)
    assert estimate.mean == pytest.approx(7 / 3)
    assert (estimate.low, estimate.high) == pytest.approx((7 / 3 - half, 7 / 3 + half))


def test_different_items_use_the_means_of_the_seeds():
    rows = [np.array([0.0, 1.0]), np.array([1.0, 1.0, 1.0, 0.0]), np.array([1.0])]
    by_items, by_means = mean_estimate(rows), mean_estimate([0.5, 0.75, 1.0])
    assert (by_items.low, by_items.high) == (by_means.low, by_means.high)


def test_one_number_has_no_spread():
    estimate = mean_estimate([3.0])
    np.testing.assert_equal([estimate.mean, estimate.low, estimate.high], [3.0, np.nan, np.nan])
    assert str(estimate) == "3.0"


def test_a_number_that_no_seed_changes_has_no_spread():
    assert np.isnan(mean_estimate([21.0, 21.0, 21.0], same_items=True).low)
    assert mean_estimate([21.0, 21.0, 22.0], same_items=True).low < 21
    # Fresh items each time, by chance with the same result: a spread of zero was seen.
    assert mean_estimate([21.0, 21.0]).low == 21


def test_bootstrap_over_items_agrees_with_the_normal_interval():
    hits = np.random.default_rng(0).random(2000) < 0.3
    estimate = mean_estimate([hits, hits], same_items=True, n_resamples=4000)
    half = 1.96 * np.sqrt(hits.mean() * (1 - hits.mean()) / hits.size)
    ends = pytest.approx((hits.mean() - half, hits.mean() + half), abs=0.003)
    assert (estimate.low, estimate.high) == ends


def test_the_mean_as_a_statistic_over_classes():
    """A class with one item is what `mean_estimate` draws."""
    values = np.random.default_rng(0).normal(size=(3, 40)) + np.array([[0.0], [0.2], [0.4]])
    found = statistic_over_classes(lambda run, c: values[run, c].mean(), 3, 40)
    expected = mean_estimate(values, classes=np.arange(40))
    assert found.mean == pytest.approx(expected.mean)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03)
    assert (found.unit, found.n_units, found.n_seeds) == ("classes", 40, 3)
    assert np.isnan(statistic_over_classes(lambda run, c: 3.0, 1, 1).low)


def by_loops(values, classes, n_resamples, rng):
    """Classes drawn with replacement, then as many images of each, then runs, one by one."""
    members = [np.flatnonzero(classes == c) for c in np.unique(classes)]
    found = []
    for _ in range(n_resamples):
        drawn = [members[i] for i in rng.integers(len(members), size=len(members))]
        images = [rng.choice(rows, size=rows.size) for rows in drawn]
        runs = rng.integers(len(values), size=len(values))
        found.append(np.mean([[values[r, rows].mean() for rows in images] for r in runs]))
    return found


def test_classes_then_images_then_runs():
    rng = np.random.default_rng(3)
    classes = np.repeat([4, 1, 7, 2, 9], [3, 40, 12, 25, 8])
    p = rng.uniform(size=10)[classes]
    values = (rng.random((3, classes.size)) < p + np.array([[-0.1], [0.0], [0.1]])).astype(float)
    found = mean_estimate(values, classes=classes, n_resamples=20_000)
    expected = by_loops(values, classes, 2000, rng)
    means = [values[:, classes == c].mean() for c in np.unique(classes)]
    assert found.mean == pytest.approx(np.mean(means))
    assert (found.unit, found.n_units, found.n_seeds) == ("classes", 5, 3)
    # Monte Carlo errors of both quantiles.
    ends = pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])), abs=0.02)
    assert (found.low, found.high) == ends
    over_items = mean_estimate(values, same_items=True)
    assert found.high - found.low > 2 * (over_items.high - over_items.low)
    assert over_items.unit == "items"


def test_weights_are_the_same_draw_as_means():
    rng = np.random.default_rng(4)
    classes = np.repeat([0, 1, 2], [2, 30, 7])
    values = rng.random((1, 39))
    weights = resampled_weights(classes, 20_000, rng)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    by_weights = np.quantile(weights @ values[0], [0.025, 0.5, 0.975])
    direct = resampled_items(item_kinds(values, classes), 20_000, rng)[:, 0]
    np.testing.assert_allclose(by_weights, np.quantile(direct, [0.025, 0.5, 0.975]), atol=0.01)


def test_classes_may_be_names():
    named, numbered = (mean_estimate([[1, 2, 3]], classes=c) for c in (["a", "b", "a"], [0, 1, 0]))
    assert named == numbered


def test_same_items_are_resampled_together():
    # Two opposite methods of one test set: each mean varies, their sum over seeds never does.
    hits = np.random.default_rng(1).random(500) < 0.5
    estimate = mean_estimate([hits, hits], same_items=True)
    assert estimate.high - estimate.low > 0.05
    paired = paired_difference([hits, hits], [hits, hits], same_items=True)
    assert (paired.mean, paired.low, paired.high) == (0, 0, 0)


def test_independent_means_add_in_quadrature():
    parts = [Estimate(10.0, 7.0, 13.0, 5, "words", 30), Estimate(2.0, -2.0, 6.0, 3, "words", 20)]
    found = independent_mean(parts)
    assert (found.mean, found.low, found.high) == pytest.approx((6.0, 6.0 - 2.5, 6.0 + 2.5))
    assert (found.n_seeds, found.unit, found.n_units) == (3, "words", 20)
    assert independent_mean([parts[0], Estimate(1.0, 0.0, 2.0, 3, "classes", 9)]).unit == ""
    one = independent_mean(parts[:1])
    assert (one.mean, one.low, one.high) == (10.0, 7.0, 13.0)


def test_spread_is_that_of_the_runs():
    spread = spread_over_runs([50.0, 53.0, 51.0, 57.0])
    assert spread.mean == 52.75
    squares = 2.75**2 + 0.25**2 + 1.75**2 + 4.25**2
    assert spread.std == pytest.approx((squares / 3) ** 0.5)
    assert f"{spread:.2f}" == "52.75 ± 3.10"
    assert str(Spread(1.25)) == "1.2"
    for same in ([7.0], [7.0, 7.0]):
        assert spread_over_runs(same) == Spread(7.0)


def test_a_record_is_read_as_the_estimate_that_it_keeps():
    kept = Estimate(29.7, 28.1, 31.2, 5, "words", 1500, 10_000)
    record = asdict(kept)
    assert Estimate.of({"metric": "P@1", "value": record.pop("mean"), **record}) == kept
    number = Estimate.of({"metric": "P@1", "value": 3.0})
    assert str(number) == "3.0"
    assert (number.n_seeds, number.unit, number.n_units) == (1, "", 0)


TABLE = pandas.DataFrame([[1.0, 2.0], [30.0, 40.0]])
NO_SEQUENCE = "values must be a sequence with an entry for each"
WORDS = pandas.Series([1.0, 2.0, 3.0], index=list("abc"))
REFUSALS = [
    (lambda: mean_estimate([]), "values"),
    (lambda: mean_estimate([[]]), "values"),
    (lambda: mean_estimate([np.nan, 1.0]), "values"),
    (lambda: mean_estimate([np.inf]), "values"),
    (lambda: mean_estimate([[1, 2], [1, 2, 3]], same_items=True), "as many items"),
    (lambda: mean_estimate([[1, 2], [1, 2, 3]], classes=[0, 1]), "as many items"),
    (lambda: mean_estimate([[1, 2, 3]], classes=[0, 1]), "give one for each"),
    (lambda: mean_estimate([[1, 2, 3]], classes=[0, None, 0]), "classes holds NaN or None"),
    (lambda: paired_difference([[1, 2]], [[1, 2, 3]]), "same number of items"),
    (lambda: paired_difference([1.0], [1.0, 2.0]), "same seeds"),
    (lambda: paired_difference(WORDS, WORDS[::-1]), "row 0 of b is 'c', where a has 'a'"),
    (lambda: independent_mean([]), "estimates is empty"),
    (lambda: spread_over_runs([]), "at least one seed"),
    (lambda: spread_over_runs([[1.0, 2.0]]), "one number for each run"),
    (lambda: spread_over_runs([1.0, np.nan]), "NaN or infinity"),
    *(
        (lambda v=v: mean_estimate(v), NO_SEQUENCE, TypeError)
        for v in (TABLE, {0: 1.0}, "12", 3.0)
    ),
]


def test_refused(refusal):
    refusal()


@pytest.mark.parametrize(("shift", "expected"), [(0.0, 0), (-2.16, 20_000)])
def test_more_draws_where_an_end_lies_near_what_decides(shift, expected):
    """All draws are of one generator, block by block: as many at once are the same."""

    def blocks(rng):
        return lambda n: rng.normal(10 + shift, 4.0, size=n)

    def estimate(value, **options):
        draw = blocks(np.random.default_rng(0))
        return resampled_estimate(value, draw, 1500, 2, "words", 9, **options)

    found = estimate(100.0)
    assert (found.mean, found.n_seeds, found.unit, found.n_units) == (100.0, 2, "words", 9)
    assert found.n_draws == expected
    drawn = blocks(np.random.default_rng(0))(expected or 1500)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    # The same about another mean.
    again = estimate(100.0, moved=True)
    assert again.n_draws == 0
    assert again.high - again.low == pytest.approx(found.high - found.low, rel=0.05)


def test_draws_that_are_alike_do_not_go_on():
    assert resampled_estimate(0.0, np.zeros, 1000, 1, "", 0) == Estimate(0.0, 0.0, 0.0, 1)
    assert mean_estimate(np.zeros((2, 50)), same_items=True).n_draws == 0


def test_an_estimate_near_zero_says_how_many_draws_it_took():
    values = np.random.default_rng(0).normal(size=(1, 40))
    for options in ({"same_items": True}, {"classes": np.arange(40)}):
        end = mean_estimate(values + 10, **options).low - 10
        assert mean_estimate(values - end, **options).n_draws == 20_000
        assert mean_estimate(values + 10, **options).n_draws == 0
    end = statistic_over_classes(lambda run, c: values[run, c].mean() + 10, 1, 40).low - 10
    # A thousand draws become ten, which may be enough.
    direct = statistic_over_classes(lambda run, c: values[run, c].mean() - end, 1, 40)
    assert direct.n_draws in (10_000, 20_000)
