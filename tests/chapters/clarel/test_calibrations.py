from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.clarel import calibrations
from chapters.clarel.calibrations import (
    CALIBRATIONS,
    evaluate_calibrations,
    from_common_zero,
    own_distances,
    run_calibrations,
    surprisals,
)
from zslib.calibration import MetricRescaling
from zslib.compatibility import ALE, CMT, SAE, SSE, ConSE, DeViSE
from zslib.compatibility.generative.base import GenerativeModel
from zslib.compatibility.generative.recipes import RECIPES
from zslib.protocols import (
    ZERO_SHOT_METHODS,
    choices,
    evaluate_zero_shot,
    run_zero_shot,
    sweep,
)


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
    np.testing.assert_allclose(own_distances(model, X, S, scores), wanted, atol=1e-6)


@pytest.mark.parametrize("model", [DeViSE(n_epochs=2), ALE(n_epochs=2)])
def test_bilinear_scores_get_an_angle(model, problem):
    X, S = problem.features[problem.test_unseen][:7], problem.class_embeddings
    model = fitted(model, problem)
    scores = model.decision_function(X, S)
    found = own_distances(model, X, S, scores)
    for i in range(7):
        mapped = X[i] @ model.coef_
        for c in range(len(S)):
            cosine = mapped @ S[c] / np.linalg.norm(mapped) / np.linalg.norm(S[c])
            assert found[i, c] == pytest.approx(1 - cosine, abs=1e-5)
    # Class embeddings have length one, so that the nearest class is the best one.
    assert np.array_equal(np.argmin(found, axis=1), np.argmax(scores, axis=1))
    model.coef_ = np.zeros_like(model.coef_)
    assert np.array_equal(own_distances(model, X, S, 0 * scores), np.ones_like(found))


def test_other_scores_have_no_distance(problem):
    X, S = problem.features[:3], problem.class_embeddings
    model = fitted(SSE(n_epochs=1), problem)
    assert own_distances(model, X, S, model.decision_function(X, S)) is None


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 50.0]))
@settings(max_examples=50)
def test_surprisals_are_minus_the_log_of_a_softmax(seed, unit):
    rng = np.random.default_rng(seed)
    scores = rng.choice([-3.0, 0.0, 0.5, 2.0], size=(4, 5))
    found = surprisals(scores, unit)
    with np.errstate(over="ignore", divide="ignore"):
        exps = np.exp((scores - scores.max(axis=1, keepdims=True)) / unit)
        slow = -np.log(exps / exps.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, slow, rtol=1e-9, atol=1e-12)
    assert (found >= 0).all()
    assert np.array_equal(
        np.argsort(found, axis=1, kind="stable"), np.argsort(-scores, kind="stable")
    )


def test_surprisals_of_nearly_certain_classes_are_exact():
    # 1 - p is far below the precision of numbers near 1.
    found = surprisals(np.array([[0.0, -100.0]]))
    assert found[0, 0] == pytest.approx(np.exp(-100.0), rel=1e-12)


NO_DISTANCE = {
    "CADAVAE",
    "CMT*",
    "DARK",
    "DARK-L",
    "DARK-H",
    "GMMN",
    "ICINESS",
    "JLSE",
    "LatEm",
    "SSE",
    "SynC",
    "ZKL",
    *RECIPES,
}
"""Scorers that compare no two vectors."""


@pytest.mark.parametrize("name", [m for m in ZERO_SHOT_METHODS if m not in ("DAP", "IAP")])
def test_scores_are_those_of_the_protocol(name, problem):
    """Stacking is what `evaluate_zero_shot` finds; distances rank as scores, but for ties."""
    method = ZERO_SHOT_METHODS[name]
    parameters = {k: v[0] for k, v in method.grid.items() if "epochs" not in k}
    model = method.estimator(seed=0, **parameters)
    for length in {"n_epochs", "n_steps"} & set(model.get_params()):
        model.set_params(**{length: 2})
    outcomes, unit, largest = evaluate_calibrations(model, problem)
    plain = evaluate_zero_shot(model, problem)
    assert outcomes["stacking"].ausuc == pytest.approx(plain.ausuc)
    if not isinstance(model, GenerativeModel):  # asked of unseen classes alone, it trains anew
        assert outcomes["stacking"].accuracy == plain.accuracy
    for outcome in outcomes.values():
        assert outcome.value("seen") == pytest.approx(plain.value("seen"), abs=1e-9)
        assert outcome.value("unseen") == pytest.approx(plain.value("unseen"), abs=1e-9)
    assert unit > 0
    assert np.isfinite(largest)
    assert ("own distance" in outcomes) == (name not in NO_DISTANCE), (
        f"name {name} in own_distances of chapters/clarel/calibrations.py, or in NO_DISTANCE here"
    )


def test_outcomes_are_those_of_rescaled_distances(problem):
    """At any alpha: the nearest class after `MetricRescaling` itself."""
    model = fitted(SAE(), problem)
    outcomes, unit, _ = evaluate_calibrations(SAE(), problem)
    S = problem.class_embeddings
    for alpha in (0.0, 0.05, 0.3, 2.0):
        for measure, rows in (("seen", problem.test_seen), ("unseen", problem.test_unseen)):
            X = problem.features[rows]
            scores = model.decision_function(X, S)
            for way, distances in (
                ("own distance", own_distances(model, X, S, scores)),
                ("surprisal", surprisals(scores, unit)),
            ):
                moved = MetricRescaling(alpha).transform(distances, problem.is_seen)
                answer = np.argmin(moved, axis=1)
                assert np.array_equal(
                    outcomes[way].at(np.log1p(alpha)).predictions(measure), answer
                )


def test_a_power_of_distances_has_the_same_curve(problem):
    outcomes, *_ = evaluate_calibrations(SAE(), problem)
    cosine = outcomes["own distance"]
    euclidean = from_distances(cosine, lambda d: np.sqrt(2 * d))
    assert euclidean.ausuc == pytest.approx(cosine.ausuc)
    assert euclidean.curve.best_harmonic_mean == pytest.approx(cosine.curve.best_harmonic_mean)


def from_distances(outcome, change):
    def moved(side):
        pair = (-np.log(change(np.exp(-s))) for s in (side.seen_scores, side.unseen_scores))
        return replace(side, **dict(zip(("seen_scores", "unseen_scores"), pair, strict=True)))

    return replace(
        outcome, test_seen=moved(outcome.test_seen), test_unseen=moved(outcome.test_unseen)
    )


def test_far_zero_is_stacking_and_a_cosine_has_its_zero_at_one(problem):
    outcomes, _, largest = evaluate_calibrations(SAE(), problem)
    plain = outcomes["stacking"]
    assert from_common_zero(plain, 1e6).ausuc == pytest.approx(plain.ausuc, abs=1e-6)
    zero = from_common_zero(plain, 1.0)
    assert zero.ausuc == pytest.approx(outcomes["own distance"].ausuc, abs=1e-9)
    near = from_common_zero(plain, largest)
    assert np.isfinite(near.ausuc)
    for alpha in (0.1, 1.0):
        far = from_common_zero(plain, 1e6).at(np.log1p(alpha / 1e6))
        assert far.value("H") == pytest.approx(plain.at(alpha).value("H"))


def test_choices_are_made_on_validation_classes(problem):
    own = run_zero_shot("ESZSL", problem, quick=True)
    run = run_calibrations("ESZSL", problem, parameters=own.parameters)
    assert run.gammas["stacking"] == pytest.approx(own.gamma)
    assert run.chosen("stacking").value("H") == pytest.approx(own.outcome.at(own.gamma).value("H"))
    assert list(run.outcomes) == list(CALIBRATIONS)
    for way in CALIBRATIONS[1:]:
        assert run.chosen(way).gamma == run.gammas[way] >= 0


def test_a_known_choice_is_taken_without_a_validation_fit(problem, monkeypatch):
    fits = []
    monkeypatch.setattr(
        calibrations, "kept", lambda f, *a, **k: fits.append(a[1].name) or sweep.kept(f, *a, **k)
    )
    choices.install(made := choices.Choices())
    chosen = run_calibrations("SAE", problem).gammas
    assert len(fits) > 1
    fits.clear()
    choices.install(choices.Choices(made.entries(date="2026-11-22")))
    assert run_calibrations("SAE", problem).gammas == chosen
    assert fits == [problem.name]


def test_test_images_take_no_part_in_choices(problem, tested_on_others):
    runs = [run_calibrations("SAE", p) for p in (problem, tested_on_others)]
    assert runs[0].gammas == runs[1].gammas


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: surprisals(np.ones((1, 2)), 0), "unit must be"),
        (
            lambda p: evaluate_calibrations(SAE(), replace(p, test_seen=())),
            "has no test images of seen classes",
        ),
        (
            lambda p: from_common_zero(evaluate_calibrations(SAE(), p)[0]["stacking"], np.nan),
            "zero must be",
        ),
        (lambda p: run_calibrations("CLIP", p), "unknown method"),
    ],
)
def test_refused(problem, call, words):
    with pytest.raises(ValueError, match=words):
        call(problem)
