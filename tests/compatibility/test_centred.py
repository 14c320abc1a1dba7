"""Centring inside a scorer: the definition, shifts undone, nothing of other classes."""

import numpy as np
import pytest

from zslib.arrays import unit_rows as unit
from zslib.compatibility import ESZSL, Centred


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


def test_a_sample_at_the_mean_has_no_direction_and_a_score(problem):
    X, y, S = problem
    model = Centred(ESZSL()).fit(X, y, S)
    assert np.all(model.decision_function(X.mean(axis=0)[None], S) == 0)
