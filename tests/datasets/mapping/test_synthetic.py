import numpy as np
import pytest

from zslib.datasets import synthetic_crosslingual, synthetic_crossmodal

WORDS = {"n_targets": 600, "dimension": 20, "latent": 15, "n_train": 200, "n_test": 50}
IMAGES = {"n_targets": 600, "n_labels": 80, "test_images": 90}


BOTH = [(synthetic_crosslingual, WORDS), (synthetic_crossmodal, IMAGES)]


@pytest.mark.parametrize("make, options", BOTH)
def test_seeded(make, options):
    first, again, other = (make(seed=s, **options) for s in (3, 3, 4))
    assert first.checksum == again.checksum != other.checksum
    assert first.synthetic
    for array in (first.X_train, first.X_test, first.targets):
        assert array.dtype == np.float32


def test_crosslingual_shapes():
    problem = synthetic_crosslingual(**WORDS)
    assert (problem.X_train.shape, problem.X_test.shape) == ((200, 20), (50, 20))
    # Training words are the most frequent, and names count by frequency.
    assert problem.train_gold.tolist() == list(range(200))
    ranks = [int(w.rsplit("-", 1)[1]) for w in problem.target_words]
    assert ranks == list(range(1, 601))
    # A word and its translation have the same name.
    rows = np.concatenate(problem.test_gold)
    assert problem.test_words.tolist() == problem.target_words[rows].tolist()
    # Queries come equally from five frequency bins.
    assert np.histogram(rows, bins=np.linspace(200, 600, 6))[0].tolist() == [10] * 5


def test_crossmodal_shapes():
    problem = synthetic_crossmodal(**IMAGES)
    assert (problem.X_train.shape, problem.X_test.shape) == ((60, 256), (90, 256))
    assert [len(problem.space(w)) for w in ("full", "labels", "test")] == [600, 80, 20]
    topics = {w.split("-")[0] for w in problem.target_words[problem.labels]}
    assert len(topics) <= 60 < len({w.split("-")[0] for w in problem.target_words})
    counts = np.unique(problem.test_words, return_counts=True)[1]
    assert counts.max() - counts.min() <= 1


def mean_cosine(problem):
    """Mean over targets of the cosine with the mean vector."""
    return np.linalg.norm(problem.targets.mean(axis=0))  # of unit rows


def linear_fit(problem):
    """Share of the training targets' variance that a linear map leaves unexplained."""
    X, Y = problem.X_train, problem.Y_train
    residual = Y - X @ np.linalg.lstsq(X, Y, rcond=None)[0]
    return float((residual**2).sum() / (Y**2).sum())


def test_ingredients_do_what_they_say():
    def make(**changes):
        return synthetic_crosslingual(**WORDS, **changes)

    clean = {"noise": 0.0, "nonlinearity": 0.0, "mean": 0.0}
    # Without noise and tanh the translation is linear up to the length of the rows.
    assert linear_fit(make(**clean)) < 0.05
    assert linear_fit(make(noise=1.0, nonlinearity=0.0)) > 0.2
    assert linear_fit(make(**(clean | {"nonlinearity": 3.0}))) > 2 * linear_fit(make(**clean))
    assert mean_cosine(make(mean=1.0)) > mean_cosine(make(mean=0.0)) + 0.3

    def spectrum(problem):
        values = np.linalg.svd(problem.targets, compute_uv=False) ** 2
        return values[:3].sum() / values.sum()

    assert spectrum(make(decay=1.5, **clean)) > 1.3 * spectrum(make(decay=0.0, **clean))

    def within_topic(problem):
        topic = np.array([w.split("-")[0] for w in problem.target_words])
        cosine = problem.targets @ problem.targets.T
        same = topic[:, None] == topic
        return cosine[same].mean() - cosine[~same].mean()

    assert within_topic(make(tightness=0.9)) > within_topic(make(tightness=0.1)) + 0.1


def test_noise_grows_with_rarity():
    clean = synthetic_crosslingual(noise=0.0, **WORDS)
    noisy = synthetic_crosslingual(noise=0.5, rarity=1.0, **WORDS)
    kept = (clean.targets * noisy.targets).sum(axis=1)
    assert kept[:100].mean() > kept[-100:].mean() + 0.05


def test_averages_are_less_noisy_than_single_images():
    clean = synthetic_crossmodal(image_noise=0.0, **IMAGES)
    noisy = synthetic_crossmodal(image_noise=2.0, **IMAGES)
    averages = (clean.X_train * noisy.X_train).sum(axis=1).mean()
    singles = (clean.X_test * noisy.X_test).sum(axis=1).mean()
    assert averages > 0.9 > singles


REFUSALS = [
    (synthetic_crosslingual, {"n_train": 600}, "n_train must be between 1 and 599"),
    (synthetic_crosslingual, {"n_test": 401}, r"n_test must be between 1 and 400 \(n_targets"),
    (synthetic_crosslingual, {"noise": -1.0}, "noise must be"),
    (synthetic_crosslingual, {"tightness": 1.0}, "tightness must be"),
    (synthetic_crosslingual, {"nonlinearity": -1.0}, "nonlinearity must be"),
    (synthetic_crosslingual, {"seed": -1}, "seed must be at least 0"),
    (synthetic_crossmodal, {"n_labels": 601}, "n_labels must be between 2 and 600"),
    (synthetic_crossmodal, {"n_labels": 600}, "fewer than n_labels=600: raise n_targets"),
    (synthetic_crossmodal, {"visible": 1.5}, "visible must be"),
    (synthetic_crossmodal, {"seed": -1}, "seed must be at least 0"),
]


@pytest.mark.parametrize("make, changes, message", REFUSALS)
def test_bad_parameters(make, changes, message, refused):
    refused(message, make, **dict(BOTH)[make] | changes)


@pytest.mark.parametrize("n_test", [1, 3, 5, 7, 29, 30])
def test_any_number_of_queries(n_test):
    problem = synthetic_crosslingual(**WORDS | {"n_targets": 40, "n_train": 10, "n_test": n_test})
    rows = np.concatenate(problem.test_gold)
    assert len(np.unique(rows)) == n_test
    assert rows.min() >= 10
