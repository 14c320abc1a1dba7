"""PSR: its objective against a loop, triplets, and what the definition implies."""

import numpy as np

from zslib.compatibility import PSR
from zslib.compatibility.psr import Triplets, relation_objective


def cos(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def loop(places, own, *arrays, threshold=0.1):
    total = 0.0
    for r, x, near, far, relation, weight, away in zip(own, *arrays, strict=True):
        c = cos(places[r], near)
        total += -cos(places[r], x) + away * cos(places[r], far)
        total += weight * (max(0.0, threshold - c) + max(0.0, c - relation))
    return total / len(own)


def draw(b=9, k=4, p=5, seed=0):
    rng = np.random.default_rng(seed)
    images = rng.standard_normal((3, b, p))
    images /= np.linalg.norm(images, axis=2, keepdims=True)
    pairs = rng.uniform(0.1, 0.3, b), 0.7 * rng.integers(0, 2, b), rng.standard_normal(b)
    return rng.standard_normal((k, p)), rng.integers(0, k, b), *images, *pairs


def objective(places, own, *arrays, threshold=0.1):
    names = ("near_relations", "near_weights", "far_weights")
    relations = dict(zip(names, arrays[3:], strict=True))
    return relation_objective(places, own, arrays[:3], threshold=threshold, **relations)


def test_objective_and_gradient(check_objective):
    check_objective(objective, loop, draw(), atol=1e-8)


def test_without_relations_the_best_place_is_the_mean_direction():
    """One free vector for each class: along the mean of its images of length one."""
    _, own, *images = draw(b=30)
    rest = *images[:3], *np.zeros((3, 30))
    means = np.stack([images[0][own == c].mean(axis=0) for c in range(4)])
    value, gradient = objective(3.0 * means, own, *rest, threshold=0.5)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)
    rng = np.random.default_rng(1)
    for _ in range(20):
        assert objective(rng.standard_normal(means.shape), own, *rest, threshold=0.5)[0] > value


def test_triplets():
    labels = np.repeat([0, 1, 2, 3], [5, 3, 4, 2])
    relations = np.array([[9, 9, 2, 1], [9, 9, 3, 4], [2, 3, 9, 5], [1, 4, 5, 9]]) / 10
    drawn = Triplets(labels, relations, 0.9, np.random.default_rng(0))
    off = relations[~np.eye(4, dtype=bool)]
    assert drawn.threshold == np.quantile(off, 0.9)
    met = {"near": set(), "far": set()}
    for _ in range(200):
        near, far, near_relations, has_near, far_weights = drawn(np.arange(14))
        for i, own in enumerate(labels):
            similar = {c for c in range(4) if c != own and relations[own, c] >= drawn.threshold}
            assert has_near[i] == bool(similar)
            if similar:
                assert labels[near[i]] in similar
                assert near_relations[i] == relations[own, labels[near[i]]]
                met["near"].add((own, near[i]))
            assert labels[far[i]] not in similar | {own}
            assert far_weights[i] == drawn.threshold - relations[own, labels[far[i]]] > 0
            met["far"].add((own, far[i]))
    assert met["near"] == {(0, i) for i in range(5, 8)} | {(1, i) for i in range(5)}
    # Every image of each dissimilar class: 2 and 3 of 0 and 1, all others of 2 and 3.
    assert len(met["far"]) == (4 + 2) + (4 + 2) + (5 + 3 + 2) + (5 + 3 + 4)


def test_classes_all_alike_have_none_dissimilar():
    drawn = Triplets(np.array([0, 1, 1]), np.ones((2, 2)), 0.5, np.random.default_rng(0))
    *_, has_near, far_weights = drawn(np.arange(3))
    assert has_near.all()
    assert not far_weights.any()


def test_the_length_of_images_counts_nowhere(problem):
    lengths = np.random.default_rng(0).uniform(0.5, 2.0, (len(problem.X), 1))
    one, other = (
        PSR(20, n_epochs=2, random_state=0).fit(X, problem.y, problem.S)
        for X in (problem.X, lengths * problem.X)
    )
    np.testing.assert_allclose(one.learning_curve_, other.learning_curve_, rtol=1e-9)
    S = problem.S_unseen
    scores = one.decision_function(problem.X_unseen, S)
    np.testing.assert_allclose(scores, other.decision_function(3.0 * problem.X_unseen, S))
    assert np.abs(scores).max() <= 1.0 + 1e-12
