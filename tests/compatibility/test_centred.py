"""Centring inside a scorer: the definition, shifts undone, nothing of other classes."""

import numpy as np
import pytest

from zslib.arrays import unit_rows as unit
from zslib.compatibility import ESZSL, Centred, ConSE


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, 4)) + 3.0
    y = np.repeat(np.arange(4), 8)
    X = S[y] @ rng.standard_normal((4, 5)) + 0.1 * rng.standard_normal((32, 5)) - 2.0
    return X, y, S


def test_it_is_the_scorer_of_centred_directions(backend, problem):
    X, y, S = problem
    model = Centred(ESZSL(0.1, 0.1)).fit(*(backend.asarray(a) for a in (X, y, S)))
    x, s = X.mean(axis=0), S[:4].mean(axis=0)
    plain = ESZSL(0.1, 0.1).fit(unit(X - x), y, unit(S - s))
    scores = model.decision_function(backend.asarray(X), backend.asarray(S))
    expected = plain.decision_function(unit(X - x), unit(S - s))
    backend.assert_allclose(scores, expected, rtol=1e-7, atol=1e-9)


def test_a_shift_of_either_side_changes_nothing(problem):
    X, y, S = problem
    plain = Centred(ESZSL()).fit(X, y, S).decision_function(X, S)
    moved = Centred(ESZSL()).fit(X + 7.0, y, S - 5.0).decision_function(X + 7.0, S - 5.0)
    np.testing.assert_allclose(moved, plain, atol=1e-9)


def test_classes_outside_training_have_no_part_in_the_means(problem):
    X, y, S = problem
    other = S.copy()
    other[4:] *= -9.0
    one, two = (Centred(ESZSL()).fit(X, y, of) for of in (S, other))
    np.testing.assert_array_equal(one.embedding_mean_, S[:4].mean(axis=0))
    np.testing.assert_array_equal(one.estimator_.coef_, two.estimator_.coef_)


def test_a_sample_at_the_mean_has_no_direction_and_a_score(problem):
    X, y, S = problem
    model = Centred(ESZSL()).fit(X, y, S)
    assert np.all(model.decision_function(X.mean(axis=0)[None], S) == 0)


def test_any_scorer_of_the_package(problem):
    X, y, S = problem
    assert Centred(ConSE(regularization=1e-2)).fit(X, y, S).score(X, y) > 0.5
