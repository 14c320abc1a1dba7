from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters.clarel import calibrations
from zslib.calibration import MetricRescaling
from zslib.compatibility import ALE, CMT, SAE, ConSE, DeViSE
from zslib.compatibility.generative.base import GenerativeModel
from zslib.compatibility.generative.recipes import RECIPES
from zslib.protocols import ZERO_SHOT_METHODS, choices, evaluate_zero_shot, run_zero_shot, sweep


def fitted(model, problem):
    rows = problem.trainval
    return model.fit(problem.features[rows], problem.labels[rows], problem.class_embeddings)


@pytest.mark.parametrize(
    "model",
    [CMT(n_epochs=3, random_state=0), ConSE(), SAE(), SAE(direction="feature_to_semantic")],
)
def test_methods_with_a_distance_keep_it(model, problem):
    X, S = problem.features[problem.test_unseen], problem.class_embeddings
    model = fitted(model, problem)
    scores = model.decision_function(X, S)
    wanted = -scores if isinstance(model, CMT) else 1 - scores
    np.testing.assert_allclose(calibrations.own_distances(model, X, S, scores), wanted, atol=1e-6)


@pytest.mark.parametrize("model", [DeViSE(n_epochs=2), ALE(n_epochs=2)])
def test_bilinear_scores_get_an_angle(model, problem):
    X, S = problem.features[problem.test_unseen][:7], problem.class_embeddings
    model = fitted(model, problem)
    scores = model.decision_function(X, S)
    found = calibrations.own_distances(model, X, S, scores)
    for i in range(7):
        mapped = X[i] @ model.coef_
        for c in range(len(S)):
            cosine = mapped @ S[c] / np.linalg.norm(mapped) / np.linalg.norm(S[c])
            assert found[i, c] == pytest.approx(1 - cosine, abs=1e-5)
    # Class embeddings have length one, so that the nearest class is the best one.
    assert np.array_equal(np.argmin(found, axis=1), np.argmax(scores, axis=1))
    model.coef_ = np.zeros_like(model.coef_)
    assert np.array_equal(calibrations.own_distances(model, X, S, 0 * scores), np.ones_like(found))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 50.0]))
def test_surprisals_are_minus_the_log_of_a_softmax(seed, unit):
    rng = np.random.default_rng(seed)
    scores = rng.choice([-3.0, 0.0, 0.5, 2.0], size=(4, 5))
    found = calibrations.surprisals(scores, unit)
    with np.errstate(over="ignore", divide="ignore"):
        exps = np.exp((scores - scores.max(axis=1, keepdims=True)) / unit)
        slow = -np.log(exps / exps.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, slow, rtol=1e-9, atol=1e-12)
    assert (found >= 0).all()
    orders = (np.argsort(of, axis=1, kind="stable") for of in (found, -scores))
    np.testing.assert_array_equal(*orders)


def test_surprisals_of_nearly_certain_classes_are_exact():
    # 1 - p is far below the precision of numbers near 1.
    found = calibrations.surprisals(np.array([[0.0, -100.0]]))
    assert found[0, 0] == pytest.approx(np.exp(-100.0), rel=1e-12)


NO_DISTANCE = {
    "CADA-VAE", "CMT*", "DARK", "DARK-L", "DARK-H", "GMMN", "ICINESS", "JLSE", "LatEm", "SSE",
    "SynC", "ZKL", *RECIPES,
}  # fmt: skip
"""Scorers that compare no two vectors."""


@pytest.mark.parametrize("name", [m for m in ZERO_SHOT_METHODS if m not in ("DAP", "IAP")])
def test_scores_are_those_of_the_protocol(name, problem):
    """Stacking is what `evaluate_zero_shot` finds; distances rank as scores, but for ties."""
    method = ZERO_SHOT_METHODS[name]
    parameters = {k: v[0] for k, v in method.grid.items() if "epochs" not in k}
    model = method.estimator(seed=0, **parameters)
    short = {"n_epochs": 2, "n_steps": 2, "n_generated": 5, "n_seen": 5}
    model.set_params(**{k: n for k, n in short.items() if k in model.get_params()})
    outcomes, unit, largest = calibrations.evaluate_calibrations(model, problem)
    plain = evaluate_zero_shot(model, problem)
    assert outcomes["stacking"].ausuc == pytest.approx(plain.ausuc)
    if not isinstance(model, GenerativeModel):  # asked of unseen classes alone, it trains anew
        assert outcomes["stacking"].accuracy == plain.accuracy
    for outcome in outcomes.values():
        for side in ("seen", "unseen"):
            assert outcome.value(side) == pytest.approx(plain.value(side), abs=1e-9)
    assert unit > 0 and np.isfinite(largest)
    assert ("own distance" in outcomes) == (name not in NO_DISTANCE), (
        f"say in {name}'s compares what its scores compare, or name it in NO_DISTANCE here"
    )


def test_outcomes_are_those_of_rescaled_distances(problem):
    """At any alpha: the nearest class after `MetricRescaling` itself."""
    model = fitted(SAE(), problem)
    outcomes, unit, _ = calibrations.evaluate_calibrations(SAE(), problem)
    S = problem.class_embeddings
    for measure, rows in (("seen", problem.test_seen), ("unseen", problem.test_unseen)):
        X = problem.features[rows]
        scores = model.decision_function(X, S)
        own = calibrations.own_distances(model, X, S, scores)
        surprisals = calibrations.surprisals(scores, unit)
        for way, distances in (("own distance", own), ("surprisal", surprisals)):
            for alpha in (0.0, 0.05, 0.3, 2.0):
                moved = MetricRescaling(alpha).transform(distances, problem.is_seen)
                found = outcomes[way].at(np.log1p(alpha)).predictions(measure)
                np.testing.assert_array_equal(found, moved.argmin(axis=1))


def test_far_zero_is_stacking_and_a_cosine_has_its_zero_at_one(problem):
    outcomes, _, largest = calibrations.evaluate_calibrations(SAE(), problem)
    plain = outcomes["stacking"]
    assert calibrations.from_common_zero(plain, 1e6).ausuc == pytest.approx(plain.ausuc, abs=1e-6)
    zero = calibrations.from_common_zero(plain, 1.0)
    assert zero.ausuc == pytest.approx(outcomes["own distance"].ausuc, abs=1e-9)
    assert np.isfinite(calibrations.from_common_zero(plain, largest).ausuc)
    for alpha in (0.1, 1.0):
        far = calibrations.from_common_zero(plain, 1e6).at(np.log1p(alpha / 1e6))
        assert far.value("H") == pytest.approx(plain.at(alpha).value("H"))


def test_choices_are_made_on_validation_classes(problem):
    own = run_zero_shot("ESZSL", problem, quick=True)
    run = calibrations.run_calibrations("ESZSL", problem, parameters=own.parameters)
    assert run.gammas["stacking"] == pytest.approx(own.gamma)
    assert run.chosen("stacking").value("H") == pytest.approx(own.outcome.at(own.gamma).value("H"))
    assert list(run.outcomes) == list(calibrations.CALIBRATIONS)
    for way in calibrations.CALIBRATIONS[1:]:
        assert run.chosen(way).gamma == run.gammas[way] >= 0


def test_a_known_choice_is_taken_without_a_validation_fit(problem, monkeypatch):
    fits = []
    monkeypatch.setattr(
        calibrations, "kept", lambda f, *a, **k: fits.append(a[1].name) or sweep.kept(f, *a, **k)
    )
    choices.install(made := choices.Choices())
    chosen = calibrations.run_calibrations("SAE", problem).gammas
    assert len(fits) > 1
    fits.clear()
    choices.install(choices.Choices(made.entries(date="2026-11-22")))
    assert calibrations.run_calibrations("SAE", problem).gammas == chosen
    assert fits == [problem.name]


def stacked(problem, **changes):
    return calibrations.evaluate_calibrations(SAE(), replace(problem, **changes))[0]["stacking"]


REFUSALS = [
    (lambda p: stacked(p, test_seen=()), "has no test images of seen classes"),
    (lambda p: calibrations.run_calibrations("CLIP", p), "method must be one of"),
]


def test_refused(problem, refusal):
    refusal(problem)
