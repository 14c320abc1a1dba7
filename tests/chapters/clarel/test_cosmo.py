"""COSMO as a protocol: its experts, what it chooses on, and what it answers."""

import numpy as np
import pytest

from chapters.clarel import cosmo
from chapters.clarel.calibrations import run_calibrations
from zslib.compatibility import ESZSL, SAE, ConSE
from zslib.protocols import ZERO_SHOT_METHODS, evaluate_zero_shot, tune_zero_shot


def softmax(scores):
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def test_experts_are_softmaxes_of_both_models(problem):
    experts = cosmo.Experts(ESZSL(), problem)
    rows = problem.trainval
    X, y, S = problem.features, problem.labels, problem.class_embeddings
    model = ESZSL().fit(X[rows], y[rows], S)
    unit = model.decision_function(X[rows], S[problem.seen_classes]).std()
    assert experts.deviation == pytest.approx(unit, rel=1e-5)
    found = experts.probabilities(problem, problem.test_unseen, 0.5)
    expected = softmax(model.decision_function(X[problem.test_unseen], S) / (0.5 * unit))
    logits = ConSE(regularization=1e-5).fit(X[rows], y[rows], S).logits(X[problem.test_unseen])
    expected[:, problem.is_seen] = softmax(logits)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)


def test_the_outcome_is_that_of_the_mixture(problem):
    model = ESZSL(other_target=-1.0)  # with 0, odds beyond the precision of probabilities
    outcome = cosmo.evaluate_cosmo(model, problem)
    held_out = problem.validation_problem(seed=0)
    smoothing, unit, best = cosmo.choose_cosmo(model, held_out)
    assert unit in cosmo.UNITS
    assert best == max(smoothing.harmonic_means_.values())
    assert outcome.gamma == smoothing.threshold_
    experts = cosmo.Experts(model, problem)
    for measure, rows in (("seen", problem.test_seen), ("unseen", problem.test_unseen)):
        mixed = smoothing.transform(experts.probabilities(problem, rows, unit), problem.is_seen)
        np.testing.assert_array_equal(outcome.predictions(measure), mixed.argmax(axis=1))
    assert outcome.accuracy == evaluate_zero_shot(model, problem).accuracy


def test_run_takes_methods_and_names(problem):
    run = cosmo.run_cosmo("ESZSL", problem, parameters={"feature_penalty": 0.1})
    assert run.value("H") == cosmo.evaluate_cosmo(ESZSL(0.1), problem).value("H")
    method = ZERO_SHOT_METHODS["SAE"].smaller()
    chosen = method.estimator(**tune_zero_shot(method, problem).parameters)
    tuned = cosmo.evaluate_cosmo(chosen, problem)
    assert cosmo.run_cosmo(method, problem).value("H") == tuned.value("H")
    with pytest.raises(ValueError, match="method must be one of"):
        cosmo.run_cosmo("CLIP", problem)


def test_gains_are_over_the_same_fit_with_its_chosen_stacking(problem):
    runs = {"SAE": [run_calibrations("SAE", problem, parameters={"regularization": 2.0})]}
    (row,), _ = cosmo.cosmo_rows(problem, runs, device="cpu", n_resamples=100)
    gated = cosmo.evaluate_cosmo(SAE(2.0), problem).value("H")
    assert row["value"].mean == pytest.approx(gated - runs["SAE"][0].chosen("stacking").value("H"))


def test_as_a_system_it_has_the_measures_of_its_outcomes(problem):
    runs = cosmo.cosmo_runs("ESZSL", [problem], [0, 1], device="cpu", quick=True)
    (outcomes,) = runs[problem].values()
    values = {name: measure(outcomes).mean for name, measure in cosmo.cosmo_measures().items()}
    assert values["H with COSMO"] == pytest.approx(np.mean([o.value("H") for o in outcomes]))
    (shown,) = cosmo.as_system([{"metric": "H with COSMO", "method": "ESZSL", "value": 1.0}])
    assert (shown["method"], shown["metric"], shown["year"]) == ("COSMO", "H", 2019)
