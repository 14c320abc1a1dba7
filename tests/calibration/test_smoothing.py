"""COSMO: mixtures class by class, their masses and limits, the gate, and the exact threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from zslib.calibration import AdaptiveSmoothing, CalibratedStacking, ConfidenceGate, mix_experts
from zslib.calibration.mixtures import MIXTURES, even_odds
from zslib.metrics import harmonic_mean, per_class_accuracy

SEEN = np.array([True, False, True, True, False, True, True, True])


def softmax(scores):
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def draw(seed=0, n=40):
    """Experts that each know their own classes a little; the unseen one is over all."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % SEEN.size)
    scores = 2.0 * rng.standard_normal((2, n, SEEN.size)) + 1.5 * np.eye(SEEN.size)[labels]
    experts = softmax(scores[1])
    experts[:, SEEN] = softmax(scores[0][:, SEEN])
    return experts, labels


def slow_mix(experts, unseen, mixture, weight):
    n_seen, mixed = SEEN.sum(), np.empty_like(experts)
    for i, row in enumerate(experts):
        for c, p in enumerate(row):
            own, number = (1 - unseen[i], n_seen) if SEEN[c] else (unseen[i], (~SEEN).sum())
            conditional = p / row[SEEN[c] == SEEN].sum()
            smooth = {
                "adaptive": p + (1 - own) / number,
                "total": conditional,
                "constant": weight * conditional + (1 - weight) / number,
            }
            mixed[i, c] = own * smooth[mixture]
    return mixed


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_mixtures_class_by_class(backend, mixture, dtype):
    experts, _ = draw()
    unseen = np.linspace(0, 1, len(experts))
    inputs = map(backend.asarray, (experts.astype(dtype), SEEN, unseen.astype(dtype)))
    found = backend.to_numpy(mix_experts(*inputs, mixture=mixture, weight=0.3))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, slow_mix(experts, unseen, mixture, 0.3), atol=1e-6)


@given(st.integers(0, 10**6), st.sampled_from(MIXTURES))
def test_even_odds_are_where_the_answer_moves(seed, mixture):
    experts, _ = draw(seed)
    odds = even_odds(experts, SEEN, mixture=mixture, weight=0.7)
    for shift, kind in ((-1e-6, True), (1e-6, False)):
        unseen = 1 / (1 + np.exp(-odds - shift))
        mixed = mix_experts(experts, SEEN, unseen, mixture=mixture, weight=0.7)
        assert (SEEN[mixed.argmax(axis=1)] == kind).all()


def gate_features(experts):
    unseen = -np.sort(-experts[:, ~SEEN], axis=1)[:, :2]
    soft = softmax(np.log(experts[:, SEEN] + 1e-12) / 3)
    return np.concatenate([unseen, -np.sort(-soft, axis=1)[:, :5]], axis=1)


def test_the_gate_is_a_logistic_regression_of_largest_probabilities(backend):
    experts, labels = draw(n=120)
    twin = LogisticRegression(C=2.0, tol=1e-8, max_iter=1000)
    twin.fit(gate_features(experts), SEEN[labels])
    given_experts = backend.asarray(experts)
    gate = ConfidenceGate(C=2.0).fit(given_experts, backend.asarray(SEEN[labels]), SEEN)
    found = gate.confidence(given_experts, backend.asarray(SEEN))
    backend.assert_allclose(found, twin.predict_proba(gate_features(experts))[:, 1], atol=1e-6)


def test_a_gate_serves_other_classes():
    experts, labels = draw(n=120)
    gate = ConfidenceGate(2).fit(experts, SEEN[labels], SEEN)
    order = np.array([4, 1, 0, 7, 6, 5, 3, 2])
    found = gate.confidence(experts[:, order], SEEN[order])
    np.testing.assert_allclose(found, gate.confidence(experts, SEEN))
    with pytest.raises(ValueError, match=r"marks 1 unseen classes, .* on the 2 largest"):
        gate.confidence(experts[:, 2:], SEEN[2:])
    assert ConfidenceGate().fit(experts, SEEN[labels], SEEN).sizes_ == (2, 5)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_it_is_stacking_with_the_threshold(backend, mixture):
    experts, labels = draw(n=200)
    given_experts = backend.asarray(experts)
    cosmo = AdaptiveSmoothing(mixture, temperatures=(0.1, 1.0))
    cosmo.fit(given_experts, backend.asarray(labels), backend.asarray(SEEN))
    scores = cosmo.scores(given_experts, SEEN)
    for threshold in (cosmo.threshold_, -0.4, 0.3, 0.8, 1.5):
        cosmo.threshold_ = threshold
        mixed = backend.to_numpy(cosmo.transform(given_experts, SEEN))
        stacked = CalibratedStacking(threshold).transform(scores, SEEN)
        found = backend.to_numpy(stacked).argmax(axis=1)
        np.testing.assert_array_equal(mixed.argmax(axis=1), found)


def test_the_choice_has_the_highest_h_of_a_grid():
    experts, labels = draw(n=300)
    cosmo = AdaptiveSmoothing(temperatures=(0.03, 0.3, 3.0)).fit(experts, labels, SEEN)

    def h(answers):
        sides = (SEEN[labels], ~SEEN[labels])
        return harmonic_mean(*(per_class_accuracy(labels[s], answers[s]) for s in sides))

    best = h(cosmo.transform(experts, SEEN).argmax(axis=1))
    assert best == pytest.approx(cosmo.harmonic_means_[cosmo.temperature_])
    assert best == pytest.approx(max(cosmo.harmonic_means_.values()))
    assert list(cosmo.harmonic_means_) == [0.03, 0.3, 3.0]
    confidence = cosmo.gate_.confidence(experts, SEEN)
    for temperature in cosmo.harmonic_means_:
        for threshold in np.linspace(-2, 3, 101):
            unseen = 1 / (1 + np.exp((confidence - threshold) / temperature))
            answers = mix_experts(experts, SEEN, unseen).argmax(axis=1)
            assert h(answers) <= cosmo.harmonic_means_[temperature] + 1e-12


def test_a_third_of_the_images_is_kept_from_the_gate():
    experts, labels = draw(n=120)
    cosmo = AdaptiveSmoothing().fit(experts, labels, SEEN)
    part = np.arange(120) % 3 > 0
    gate = ConfidenceGate().fit(experts[part], SEEN[labels[part]], SEEN)
    np.testing.assert_array_equal(cosmo.gate_.coef_, gate.coef_)
    given_gate = ConfidenceGate(1)
    cosmo = AdaptiveSmoothing(gate=given_gate).fit(experts, labels, SEEN)
    assert cosmo.gate_.coef_.size == 2
    assert not hasattr(given_gate, "coef_")
    assert clone(cosmo).get_params()["gate__n_top"] == 1
