"""The terms of the generator's loss: loops, finite differences, cases in closed form."""

import numpy as np
import pytest

from zslib.compatibility.generative.critic import Critic
from zslib.compatibility.generative.terms import (
    adversarial_term,
    class_term,
    cycle_term,
    least_squares,
    reconstruction_term,
)

N, P, Q, K = 6, 4, 3, 5


@pytest.fixture
def world():
    rng = np.random.default_rng(0)
    fake, x, a = (rng.standard_normal((N, width)) for width in (P, P, Q))
    linear = {
        width: (rng.standard_normal((P, width)), rng.standard_normal(width)) for width in (K, Q)
    }
    critic = Critic(P, Q, (5, 3), rng, init="normal", scale=0.7, like=fake)
    return fake, x, a, rng.integers(K, size=N), linear[K], linear[Q], critic


def test_terms_on_fakes(world, numerical_gradient):
    fake, x, a, codes, classifier, regressor, critic = world

    def cross_entropy(fake):
        rows = zip(fake @ classifier[0] + classifier[1], codes, strict=True)
        return np.mean([np.log(np.sum(np.exp(z))) - z[c] for z, c in rows])

    for term, expected in (
        (lambda f: adversarial_term(f, a, critic), lambda f: -np.mean(critic.scores(f, a))),
        (lambda f: class_term(f, codes, classifier), cross_entropy),
        (
            lambda f: cycle_term(f, a, regressor),
            lambda f: np.mean((f @ regressor[0] + regressor[1] - a) ** 2),
        ),
        (
            lambda f: reconstruction_term(f, x, 0.3),
            lambda f: sum(np.sum((m - t) ** 2) for m, t in zip(f, x, strict=True)) / (0.6 * N),
        ),
    ):
        value, gradient = term(fake)
        assert float(value) == pytest.approx(expected(fake), rel=1e-12)
        by = numerical_gradient(lambda f, e=expected: float(e(f)), fake)
        np.testing.assert_allclose(gradient, by, atol=1e-7)


@pytest.mark.parametrize("n", [40, 3])
def test_the_regressor_is_least_squares(n):
    rng = np.random.default_rng(2)
    X, targets = rng.standard_normal((n, P)), rng.standard_normal((n, Q))
    coef, intercept = least_squares(X, targets)
    # Of several solutions the one of shortest coefficients: as NumPy's, on centred data.
    expected = np.linalg.lstsq(X - X.mean(0), targets - targets.mean(0), rcond=None)[0]
    np.testing.assert_allclose(coef, expected, atol=1e-8)
    np.testing.assert_allclose(X.mean(0) @ coef + intercept, targets.mean(0), atol=1e-10)
