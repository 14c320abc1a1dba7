"""ICINESS: its network pair by pair, what rectifiers are for, and what a step compares."""

from itertools import pairwise

import numpy as np
import pytest

from zslib.compatibility import ICINESS
from zslib.compatibility.iciness import PairScore
from zslib.nn import Linear, ReLU, Sequential, softmax_cross_entropy

SMALL = {"n_hidden": (16,), "n_epochs": 3, "random_state": 0}


def fitted(problem, **parameters):
    return ICINESS(**(SMALL | parameters)).fit(problem.X, problem.y, problem.S)


def network(sizes, backend, seed=0):
    rng, layers = np.random.default_rng(seed), {}
    for j, (a, b) in enumerate(pairwise(sizes), start=1):
        layers |= {f"relu{j}": ReLU()} if j > 1 else {}
        layers[f"linear{j}"] = Linear(a, b, rng, like=backend.asarray(np.zeros(1)))
    return Sequential(**layers)


@pytest.mark.parametrize("hidden", [(6,), (6, 4)])
def test_pair_scores_are_those_of_the_network_on_each_pair(backend, check_gradients, hidden):
    rng = np.random.default_rng(1)
    images, classes = rng.standard_normal((4, 3)), rng.standard_normal((5, 2))
    F, own = network((5, *hidden, 1), backend), np.array([0, 3, 3, 1])
    pairs = PairScore(F)

    def scores():
        rows = [[np.concatenate([x, s]) for s in classes] for x in images]
        found = F.forward(backend.asarray(np.reshape(rows, (20, 5))))
        return backend.to_numpy(found).reshape(4, 5)

    found = pairs.forward(backend.asarray(images), backend.asarray(classes), train=True)
    backend.assert_allclose(found, scores(), atol=1e-12)
    pairs.backward(softmax_cross_entropy(found, backend.asarray(own))[1])

    def loss():
        logits = scores()
        return np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(4), own])

    check_gradients(F.parameters(), loss)


@pytest.mark.parametrize("hidden", [(16,), (16, 8)])
def test_scores_are_those_of_the_network(problem, hidden):
    model = fitted(problem, n_hidden=hidden)
    x, s = problem.X[0], problem.S[3]
    # Lengths of images and embeddings count nowhere.
    given = model.decision_function(5.0 * problem.X, 0.1 * problem.S)
    pair = np.concatenate([12**0.5 * x / np.linalg.norm(x), 8**0.5 * s / np.linalg.norm(s)])
    for layer in model.network_.layers.values():
        pair = layer.forward(pair[None, :])[0]
    assert given[0, 3] == pytest.approx(pair[0], rel=1e-9)


def test_the_rate_falls_to_nothing_step_by_step(problem, monkeypatch):
    rates, n_steps = [], 3 * -(-len(problem.X) // 20)
    monkeypatch.setattr("zslib.nn.Descent.step", lambda _, rate: rates.append(rate))
    fitted(problem, learning_rate=0.1, batch_size=20)
    np.testing.assert_allclose(rates, 0.1 * (1 - np.arange(n_steps) / n_steps), rtol=1e-12)


def test_rectifiers_can_compare():
    """|x + s| - |x - s| is 2 min(|x|, |s|) where signs agree, minus that where they differ."""
    F = network((2, 4, 1), np)
    first, last = F.layers["linear1"], F.layers["linear2"]
    first.weight.value = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]])
    last.weight.value = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    x, s = np.array([[0.3], [-2.0]]), np.array([[1.0], [-0.5], [0.0]])
    expected = 2 * np.sign(x * s.T) * np.minimum(abs(x), abs(s.T))
    np.testing.assert_allclose(PairScore(F).forward(x, s), expected)


def test_rivals_of_a_step():
    rng, labels = np.random.default_rng(0), np.array([7, 2, 7])
    for count, size in ((5, 5), (2, 2), (20, 10)):
        competing, own = ICINESS(n_rivals=count)._rivals(labels, 10, rng)
        np.testing.assert_array_equal(competing[own], labels)
        assert len(competing) == size == len(set(competing.tolist()))
    # Those of the images compete in any case.
    assert len(ICINESS(n_rivals=2)._rivals(np.arange(4), 10, rng)[0]) == 4
