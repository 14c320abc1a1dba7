"""FeatureGenerator: recipes, what it makes, diagnostics, bad input."""

import numpy as np
import pytest

from zslib.compatibility import FeatureGenerator
from zslib.compatibility.generative.diagnostics import seen_class_diagnostics
from zslib.compatibility.generative.recipes import RECIPES

SHORT = {"n_hidden": 16, "n_steps": 3, "random_state": 0}


def weights(model):
    return model.generator_.parameters()["linear2.weight"].value


def fitted(problem, recipe="f-CLSWGAN", **parameters):
    model = FeatureGenerator(recipe, **{**SHORT, **parameters})
    return model.fit(problem.X, problem.y, problem.S, unseen_embeddings=problem.S_unseen)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe(recipe, problem32):
    model = fitted(problem32, recipe)
    scores = model.decision_function(problem32.X, problem32.S)
    assert np.all(np.isfinite(scores))
    assert scores.dtype == weights(model).dtype == np.float32
    assert len(model.learning_curve_) == 3


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_library_agrees(recipe, problem, backend):
    host = fitted(problem, recipe)
    for name, array in list(vars(problem).items()):
        setattr(problem, name, backend.asarray(array))
    there = fitted(problem, recipe)
    backend.assert_allclose(weights(there), weights(host), atol=1e-6)
    made = there.generate(problem.S, 2, random_state=0)
    S = backend.to_numpy(problem.S)
    backend.assert_allclose(made, host.generate(S, 2, random_state=0), atol=1e-6)


@pytest.mark.parametrize("recipe", RECIPES)
def test_only_the_unseen_cycle_looks_at_unseen_classes(recipe, problem):
    model = fitted(problem, recipe)
    problem.S_unseen = problem.S_unseen[::-1] + 0.1
    same = np.array_equal(weights(model), weights(fitted(problem, recipe)))
    assert same == (recipe != "cycle-UWGAN")


def test_the_unit_of_features_and_class_vectors_does_not_matter(problem):
    model = fitted(problem)
    made = model.generate(problem.S, random_state=0)
    problem.X, problem.S, problem.S_unseen = 8 * problem.X, 4 * problem.S, 4 * problem.S_unseen
    larger = fitted(problem)
    np.testing.assert_allclose(weights(larger), weights(model), rtol=1e-6)
    np.testing.assert_allclose(larger.generate(problem.S, random_state=0), 8 * made, rtol=1e-6)


def test_what_is_made_resembles_its_class(problem):
    options = {"classification_weight": 3.0, "n_steps": 100, "learning_rate": 0.01}
    model = fitted(problem, n_hidden=32, **options)
    made = model.generate(problem.S[model.classes_], 50, random_state=0)
    codes = np.unique(problem.y, return_inverse=True)[1]
    found = seen_class_diagnostics(problem.X, codes, made, np.repeat(np.arange(12), 50), 12)
    assert max(found["mean_error"], model.diagnostics_["mean_error"]) < 0.8


def test_diagnostics_against_loops(backend):
    rng = np.random.default_rng(0)
    codes, fake_codes = np.repeat([0, 1, 2], 5), np.repeat([0, 1, 2], 7)
    real, fake = rng.standard_normal((15, 2)), rng.standard_normal((21, 2))
    found = seen_class_diagnostics(*map(backend.asarray, (real, codes, fake, fake_codes)), 3)

    def spread(X, codes):
        means = [X[codes == c].mean(axis=0) for c in range(3)]
        within = np.mean([np.sum((x - means[c]) ** 2) for x, c in zip(X, codes, strict=True)])
        between = np.mean([np.sum((m - np.mean(means, axis=0)) ** 2) for m in means])
        return within, between, np.array(means)

    (w, b, m), (fw, fb, fm) = spread(real, codes), spread(fake, fake_codes)
    error = np.sqrt(np.sum((fm - m) ** 2) / (3 * b))
    expected = {"within_class": fw / w, "between_class": fb / b, "mean_error": error}
    assert found == pytest.approx(expected)


def test_one_image_in_each_class(problem):
    first = np.unique(problem.y, return_index=True)[1]
    model = FeatureGenerator(**SHORT).fit(problem.X[first], problem.y[first], problem.S)
    assert np.all(np.isfinite(model.decision_function(problem.X, problem.S)))
    assert model.diagnostics_["within_class"] == np.inf


def narrow(problem):
    problem.S_unseen = problem.S_unseen[:, :3]
    return fitted(problem)


REFUSALS = [
    (narrow, "unseen_embeddings has 3 columns"),
    (
        lambda problem: fitted(problem).generate(problem.S[:, :3]),
        "class_embeddings has 3 columns and what fit was given",
    ),
    (lambda problem: fitted(problem).generate(problem.S, 0), "per_class must be at least 1"),
]


def test_refusals(refusal, problem):
    refusal(problem)
