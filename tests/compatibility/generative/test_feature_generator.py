"""FeatureGenerator: recipes, sizes, what it makes, diagnostics, bad input."""

import numpy as np
import pytest

from zslib.compatibility import FeatureGenerator
from zslib.compatibility.generative.diagnostics import seen_class_diagnostics
from zslib.compatibility.generative.recipes import RECIPES

SHORT = {"n_hidden": 16, "n_steps": 3, "random_state": 0}


def weights(model):
    return model.generator_.parameters()["linear2.weight"].value


def fitted(problem, recipe="f-CLSWGAN", *, S_unseen=None, **parameters):
    unseen = problem.S_unseen if S_unseen is None else S_unseen
    model = FeatureGenerator(recipe, **{**SHORT, **parameters})
    return model.fit(problem.X, problem.y, problem.S, unseen_embeddings=unseen)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("size", ["reduced", "published"])
def test_every_recipe_at_every_size(recipe, size, problem, problem32):
    model = fitted(problem, recipe, size=size)
    assert np.all(np.isfinite(model.decision_function(problem.X, problem.S)))
    assert len(model.learning_curve_) == 3
    model = fitted(problem32, recipe, size=size)
    assert model.decision_function(problem32.X, problem32.S).dtype == np.float32
    assert weights(model).dtype == np.float32


def test_published_sizes():
    model = FeatureGenerator(size="published")._settings()
    assert (model.n_hidden, model.critic_steps, model.output) == (4096, 5, "relu")
    assert FeatureGenerator("cycle-WGAN", "published")._settings().critic_steps == 1
    assert FeatureGenerator("f-VAEGAN-D2", "published")._settings().output == "sigmoid"


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_differ_and_every_library_agrees(recipe, problem, backend):
    host = fitted(problem, recipe)
    X, y, S, unseen = (
        backend.asarray(part) for part in (problem.X, problem.y, problem.S, problem.S_unseen)
    )
    there = FeatureGenerator(recipe, **SHORT).fit(X, y, S, unseen)
    backend.assert_allclose(weights(there), weights(host), atol=1e-6)
    if recipe != "WGAN":
        assert not np.allclose(weights(host), weights(fitted(problem, "WGAN")))
    made = there.generate(S, 2, random_state=0)
    backend.assert_allclose(made, host.generate(problem.S, 2, random_state=0), atol=1e-6)


def test_only_the_unseen_cycle_looks_at_unseen_classes(problem):
    other = problem.S_unseen[::-1] + 0.1
    for recipe in RECIPES:
        same = np.array_equal(
            weights(fitted(problem, recipe)),
            weights(fitted(problem, recipe, S_unseen=other)),
        )
        assert same == (recipe != "cycle-UWGAN")


@pytest.mark.parametrize("size", ["reduced", "published"])
def test_the_unit_of_features_and_class_vectors_does_not_matter(size, problem):
    model = fitted(problem, size=size)
    problem.X, problem.S, problem.S_unseen = 8 * problem.X, 4 * problem.S, 4 * problem.S_unseen
    larger = fitted(problem, size=size)
    np.testing.assert_allclose(weights(larger), weights(model), rtol=1e-6)
    np.testing.assert_allclose(
        larger.generate(problem.S, random_state=0),
        8 * model.generate(problem.S / 4, random_state=0),
        rtol=1e-6,
    )


def test_what_is_made_resembles_its_class(problem):
    model = fitted(problem, n_hidden=64, n_steps=300, learning_rate=3e-3)
    made = model.generate(problem.S, 50, random_state=0).reshape(len(problem.S), 50, -1)
    means = np.array([problem.X[problem.y == c].mean(axis=0) for c in model.classes_])
    off = made[model.classes_].mean(axis=1) - means
    assert np.linalg.norm(off) < 0.8 * np.linalg.norm(means - means.mean(axis=0))
    assert model.diagnostics_["mean_error"] < 0.8


def test_diagnostics_against_loops(backend):
    rng = np.random.default_rng(0)
    codes, fake_codes = np.repeat([0, 1, 2], 5), np.repeat([0, 1, 2], 7)
    real, fake = rng.standard_normal((15, 2)), rng.standard_normal((21, 2))
    found = seen_class_diagnostics(
        *(backend.asarray(part) for part in (real, codes, fake, fake_codes)), 3
    )

    def spread(X, codes):
        means = [X[codes == c].mean(axis=0) for c in range(3)]
        within = np.mean([np.sum((x - means[c]) ** 2) for x, c in zip(X, codes, strict=True)])
        between = np.mean([np.sum((m - np.mean(means, axis=0)) ** 2) for m in means])
        return within, between, np.array(means)

    (w, b, m), (fw, fb, fm) = spread(real, codes), spread(fake, fake_codes)
    assert found["within_class"] == pytest.approx(fw / w)
    assert found["between_class"] == pytest.approx(fb / b)
    assert found["mean_error"] == pytest.approx(np.sqrt(np.sum((fm - m) ** 2) / (3 * b)))
    alone = seen_class_diagnostics(real[:2], np.arange(2), fake[:2], np.arange(2), 2)
    assert alone["within_class"] == np.inf


def test_one_image_in_each_class(problem):
    first = np.unique(problem.y, return_index=True)[1]
    model = FeatureGenerator(**SHORT).fit(problem.X[first], problem.y[first], problem.S)
    assert np.all(np.isfinite(model.decision_function(problem.X, problem.S)))


def test_class_vectors_of_another_width(problem):
    with pytest.raises(ValueError, match="unseen_embeddings has 3 columns"):
        fitted(problem, S_unseen=problem.S_unseen[:, :3])
    model = fitted(problem)
    with pytest.raises(ValueError, match="class_embeddings has 3 columns and what fit was given"):
        model.generate(problem.S[:, :3])
    with pytest.raises(ValueError, match="per_class must be at least 1"):
        model.generate(problem.S, 0)
