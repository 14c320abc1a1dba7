"""Protocol of image-text pairs against loops, with a quick model in the place of CLAREL."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tests.datasets.pairs.test_problem import own_texts
from zslib.arrays import like, namespace, to_host
from zslib.calibration import MetricRescaling
from zslib.compatibility import ESZSL
from zslib.datasets import ImageTextProblem, available, synthetic_pairs
from zslib.datasets.attributes.digits import digits_segments
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.locate import cache_dir
from zslib.metrics import harmonic_mean
from zslib.protocols import (
    clarel_problems,
    evaluate_image_text,
    evaluate_zero_shot,
    mean_estimate,
    run_clarel,
    run_image_text,
    short_clarel,
    zero_shot_estimate,
)
from zslib.protocols.attributes.outcome import MEASURES
from zslib.protocols.attributes.rescaling import choose_alpha, measures_by_alpha, rescaled
from zslib.protocols.pairs.evaluate import check_losses, model_texts
from zslib.protocols.sweep import ranked


class RidgeToWords(BaseEstimator):
    """Texts are means of random word vectors; ridge regression takes images to them."""

    def __init__(self, penalty=1.0, jitter=0.0, dimension=12, random_state=None, checkpoint=None):
        self.penalty = penalty
        self.jitter = jitter
        self.dimension = dimension
        self.random_state = random_state
        self.checkpoint = checkpoint

    def fit(self, X, y, texts, text_rows=None, text_ids=None):
        if self.penalty < 0:
            raise ValueError("penalty is negative")
        rng = np.random.default_rng(7)
        if np.issubdtype(to_host(texts).dtype, np.integer):
            self.words_ = rng.normal(size=(int(to_host(texts).max()) + 1, self.dimension))
            self.words_[0] = 0
        offsets, index = text_rows
        own = self._mean_words(texts)
        targets = np.array([own[index[a:b]].mean(axis=0) for a, b in pairwise(offsets)])
        host = to_host(X).astype("f8")
        gram = host.T @ host + self.penalty * np.eye(host.shape[1])
        coef = np.linalg.solve(gram, host.T @ targets)
        noise = np.random.default_rng(self.random_state).normal(size=coef.shape)
        self.coef_ = coef + self.jitter * noise
        self.n_parameters_ = self.coef_.size
        self.learning_curve_ = [y.shape[0]]
        return self

    def _mean_words(self, texts):
        host = to_host(texts)
        if not np.issubdtype(host.dtype, np.integer):
            return host.astype("f8")
        # Earlier words count more, so that the same words in another order are another text.
        weights = (host > 0) / (1 + 0.1 * np.arange(host.shape[1]))
        known = self.words_[np.minimum(host, len(self.words_) - 1)]
        return (weights[:, :, None] * known).sum(axis=1) / weights.sum(axis=1)[:, None]

    def embed_images(self, X):
        return like(to_host(X).astype("f8") @ self.coef_, X)

    def embed_texts(self, texts):
        return like(self._mean_words(texts), texts)

    def class_prototypes(self, texts, labels, n_classes):
        own, labels = self._mean_words(texts), to_host(labels)
        return like(np.array([own[labels == c].mean(axis=0) for c in range(n_classes)]), texts)

    def distances(self, X, prototypes):
        xp = namespace(X, prototypes)
        gaps = self.embed_images(X)[:, None, :] - prototypes[None, :, :]
        return xp.sqrt(xp.sum(gaps * gaps, axis=2))


def toy(seed=0, noise=0.4, level="image", vectors=False, **changes):
    """Twelve classes with words of their own, four images each of which share a text."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(12), 14))
    centres = rng.normal(size=(12, 9))
    X = (centres[labels] + noise * rng.normal(size=(labels.size, 9))).astype("f4")
    words = [f"word{i}" for i in range(30)]
    favourites = np.array([rng.choice(30, 6, replace=False) for _ in range(12)])

    def text(c, only_here):
        return " ".join([words[w] for w in rng.permutation(favourites[c])[:3]] + [only_here])

    if level == "image":
        counts = rng.integers(1, 4, size=labels.size)
        texts = [text(c, "thing") for c in np.repeat(labels, counts)]
        index = np.arange(len(texts))
    else:
        texts = [text(c, f"name{c}") + f" part{i}" for c in range(12) for i in range(3)]
        counts = np.full(labels.size, 3)
        index = (3 * labels[:, None] + np.arange(3)).ravel()
    fields = {"name": "toy", "synthetic": True, "description": "synthetic toy pairs"}
    fields |= {"features": X, "labels": labels, "texts": tuple(texts), "level": level}
    fields |= {"text_offsets": np.cumsum([0, *counts]), "text_index": index}
    fields["class_names"] = np.array([f"class {c}" for c in range(12)])
    if vectors:
        fields |= {"texts": None, "text_vectors": rng.normal(size=(len(texts), 5)).astype("f4")}
    order = np.random.default_rng(1).permutation(12)
    fields |= class_parts(labels, order[:6], order[6:8], order[8:])
    return ImageTextProblem(**(fields | changes))


@pytest.fixture(scope="module")
def problem():
    return toy()


def trained(problem):
    """The model on the training pairs, put together by hand, and all texts."""
    texts, _ = model_texts(problem)
    known = sorted({t for i in problem.trainval for t in own_texts(problem, i)})
    rows = [[known.index(t) for t in own_texts(problem, i)] for i in problem.trainval]
    rows = np.cumsum([0, *map(len, rows)]), np.concatenate(rows)
    X, y = problem.features[problem.trainval], problem.labels[problem.trainval]
    return RidgeToWords().fit(X, y, texts[known], rows), texts


def slow_distances(problem, images, candidates):
    model, texts = trained(problem)
    found = np.empty((len(images), len(candidates)))
    for column, c in enumerate(candidates):
        part = problem.test_unseen if c in problem.unseen_classes else problem.trainval
        own = {t for i in part[problem.labels[part] == c] for t in own_texts(problem, i)}
        prototype = np.mean([model.embed_texts(texts[[t]])[0] for t in sorted(own)], axis=0)
        for row, image in enumerate(images):
            z = model.embed_images(problem.features[[image]])[0]
            found[row, column] = np.sqrt(((z - prototype) ** 2).sum())
    return found


def slow_accuracy(labels, predictions):
    return 100 * np.mean([np.mean(predictions[labels == c] == c) for c in np.unique(labels)])


@pytest.mark.parametrize("level", ["image", "class"])
@pytest.mark.parametrize("vectors", [False, True])
def test_measures_by_loop(level, vectors):
    problem = toy(level=level, vectors=vectors)
    result = evaluate_image_text(RidgeToWords(), problem, keep_scores=True)
    for alpha in (0.0, 0.4):
        (outcome,) = rescaled([result.outcome], alpha)
        for name, rows in (("seen", problem.test_seen), ("unseen", problem.test_unseen)):
            distances = slow_distances(problem, rows, np.arange(12))
            scores = result.outcome.scores[f"test_{name}"]
            np.testing.assert_allclose(scores, -np.log(distances), atol=1e-6)
            scaled = MetricRescaling(alpha).transform(distances, problem.is_seen)
            np.testing.assert_array_equal(outcome.predictions(name), scaled.argmin(axis=1))
            accuracy = slow_accuracy(problem.labels[rows], scaled.argmin(axis=1))
            assert outcome.value(name) == pytest.approx(accuracy)
    unseen = problem.unseen_classes
    among = slow_distances(problem, problem.test_unseen, unseen).argmin(axis=1)
    accuracy = slow_accuracy(problem.labels[problem.test_unseen], unseen[among])
    assert result.outcome.accuracy == pytest.approx(accuracy)
    assert result.n_words == model_texts(problem)[1]
    assert result.n_parameters == 9 * (5 if vectors else 12)
    assert result.learning_curve == [problem.trainval.size]


def test_every_backend(problem, backend):
    moved = replace(problem, features=backend.asarray(problem.features))
    backend.check(model_texts(moved)[0])
    result = evaluate_image_text(RidgeToWords(), moved)
    expected = evaluate_image_text(RidgeToWords(), problem)
    for measure in MEASURES:
        assert result.outcome.value(measure) == pytest.approx(expected.outcome.value(measure))
    np.testing.assert_array_equal(result.retrieval.of_texts, expected.retrieval.of_texts)
    assert isinstance(result.outcome.test_seen.seen_scores, np.ndarray)


@pytest.fixture
def fits(monkeypatch):
    """Every fit from here on: the model, and all that it was given."""
    calls, fit = [], RidgeToWords.fit

    def spy(self, X, y, texts, **rows):
        calls.append((self, X, y, texts, rows))
        return fit(self, X, y, texts, **rows)

    monkeypatch.setattr(RidgeToWords, "fit", spy)
    return calls


def test_trained_on_pairs_of_seen_classes_alone(fits):
    problem, model = toy(), RidgeToWords()
    evaluate_image_text(model, problem)
    assert not hasattr(model, "coef_")
    ((_, X, y, texts, rows),) = fits
    (offsets, index), ids = rows["text_rows"], rows["text_ids"]
    np.testing.assert_array_equal(X, problem.features[problem.trainval])
    np.testing.assert_array_equal(y, problem.labels[problem.trainval])
    whole, _ = model_texts(problem)
    for place, image in enumerate(problem.trainval):
        own = own_texts(problem, image)
        given = index[offsets[place] : offsets[place + 1]]
        np.testing.assert_array_equal(texts[given], whole[own])
        np.testing.assert_array_equal(ids[given], problem.text_ids[own])
    assert len(texts) == len(np.unique(index))


def test_words_are_those_of_training_texts(problem):
    (texts, n_words), own = model_texts(problem), problem.training_texts
    held = np.setdiff1d(np.arange(problem.n_texts), own)
    more = [" onlyhere twice onlyhere" * (i in held) for i in range(problem.n_texts)]
    said = tuple(map("".join, zip(problem.texts, more, strict=True)))
    changed, same = model_texts(replace(problem, texts=said, text_ids=None))
    assert same == n_words
    np.testing.assert_array_equal(changed[own][:, : texts.shape[1]], texts[own])
    assert (changed[held] == 1).sum() >= 2 * held.size
    assert texts.max() == n_words - 1
    assert model_texts(problem, min_count=20)[1] < n_words <= model_texts(problem, min_count=1)[1]
    assert model_texts(problem, length=2)[0].shape[1] == 2
    vectors, none = model_texts(toy(vectors=True))
    assert (vectors.shape[1], none) == (5, 0)


@pytest.mark.parametrize("options", [{}, {"level": "class"}, {"vectors": True}])
def test_retrieval_by_loop(options):
    problem = toy(**options)
    retrieval = evaluate_image_text(RidgeToWords(), problem).retrieval
    model, texts = trained(problem)
    images = problem.test_unseen
    distinct = []
    for t in sorted({t for i in images for t in own_texts(problem, i)}):
        said = t if problem.texts is None else problem.texts[t]
        if (said, problem.text_ids[t]) not in [(s, i) for s, i, _ in distinct]:
            distinct.append((said, problem.text_ids[t], t))
    z = model.embed_images(problem.features[images])
    w = model.embed_texts(texts[[t for *_, t in distinct]])
    D = np.sqrt(((z[:, None] - w[None]) ** 2).sum(axis=2))
    own_ids = [problem.text_ids[own_texts(problem, image)] for image in images]
    right = np.array([[i in ids for _, i, _ in distinct] for ids in own_ids])
    for direction, table, gold in (("image to text", D, right), ("text to image", D.T, right.T)):
        # Places are by distance, then by number: the best right one decides.
        slow = [
            int(np.flatnonzero(own[np.argsort(row, kind="stable")])[0])
            for row, own in zip(np.round(table, 9), gold, strict=True)
        ]
        np.testing.assert_array_equal(retrieval.of(direction), slow)
        measures = {"median rank": np.median(slow) + 1}
        measures |= {f"R@{k}": 100 * np.mean(np.array(slow) < k) for k in (1, 10)}
        assert retrieval.measures(direction) == pytest.approx(measures)
        assert retrieval.chance[direction] == pytest.approx(100 * gold.mean())
    if not options:
        assert len(distinct) < len({t for i in images for t in own_texts(problem, i)})


def test_test_images_without_texts_are_not_searched_with(problem):
    bare = problem.test_unseen[::3]
    counts = np.diff(problem.text_offsets)
    kept = np.repeat(~np.isin(np.arange(counts.size), bare), counts)
    counts[bare] = 0
    rows = {"text_offsets": np.cumsum([0, *counts]), "text_index": problem.text_index[kept]}
    result = evaluate_image_text(RidgeToWords(), replace(problem, **rows))
    assert result.retrieval.of_texts.size == problem.test_unseen.size - bare.size
    assert result.outcome.labels("ACC").size == problem.test_unseen.size


def test_without_test_images_of_seen_classes():
    problem = toy(test_seen=np.array([], dtype=int))
    outcome = evaluate_image_text(RidgeToWords(), problem, keep_scores=True).outcome
    assert set(outcome.scores) == {"zero_shot", "test_unseen"}
    assert outcome.accuracy == evaluate_image_text(RidgeToWords(), toy()).outcome.accuracy


@pytest.fixture(scope="module")
def outcomes():
    """Outcomes of scores -log d, three repeats."""
    found = [RidgeToWords(jitter=0.2, random_state=seed) for seed in range(3)]
    return [evaluate_image_text(model, toy(), keep_scores=True).outcome for model in found]


def test_measures_by_alpha_by_rescaling_distances(outcomes):
    alphas = [0.0, 0.1, 0.5, 3.0]
    found = measures_by_alpha(outcomes, alphas)
    problem = toy()
    for i, outcome in enumerate(outcomes):
        for j, alpha in enumerate(alphas):
            rates = {}
            for kind, other in (("seen", "unseen"), ("unseen", "seen")):
                distances = np.exp(-outcome.scores[f"test_{kind}"])
                answers = MetricRescaling(alpha).transform(distances, problem.is_seen).argmin(1)
                rates[kind] = slow_accuracy(outcome.labels(kind), answers)
                wrong = problem.is_seen[answers] == (other == "seen")
                rates[f"{kind} taken for {other}"] = 100 * wrong.mean()
            rates["H"] = harmonic_mean(rates["seen"], rates["unseen"])
            assert {name: found[name][i, j] for name in rates} == pytest.approx(rates)


def test_the_chosen_alpha_is_the_best_of_all(outcomes):
    for some in (outcomes, outcomes[:1]):
        alpha, H = choose_alpha(some)
        assert pytest.approx(np.mean([o.harmonic_mean for o in rescaled(some, alpha)])) == H
        grid = measures_by_alpha(some, np.linspace(0, 5, 4001))["H"].mean(axis=0)
        assert grid.max() <= H + 1e-9
        assert H - grid.max() < 1
    assert alpha == pytest.approx(np.expm1(outcomes[0].curve.best_gamma))


def test_an_alpha_below_zero_is_never_chosen():
    outcome = evaluate_zero_shot(ESZSL(), digits_segments())

    def lowered(side, by=outcome.curve.best_gamma + 0.05):
        return replace(side, seen_scores=side.seen_scores - by)

    sides = {name: lowered(getattr(outcome, name)) for name in ("test_seen", "test_unseen")}
    moved = replace(outcome, **sides)
    assert moved.curve.best_gamma < 0
    alpha, H = choose_alpha([moved])
    assert 0 <= alpha < 0.05
    assert pytest.approx(moved.harmonic_mean, abs=0.5) == H
    far = replace(moved, test_seen=lowered(moved.test_seen, 99))
    assert choose_alpha([far]) == (0.0, 0.0)


JITTERED = RidgeToWords(jitter=0.2)


def test_a_run_is_validation_then_training_on_all_seen_classes(problem):
    runs = run_image_text(JITTERED, problem, seeds=[3, 4])
    held_out = problem.validation_problem(seed=0)
    assert held_out.unseen_classes.size == 2
    validation, test = [], []
    for seed in (3, 4):
        model = RidgeToWords(jitter=0.2, random_state=seed)
        validation.append(evaluate_image_text(model, held_out).outcome)
        test.append(evaluate_image_text(model, problem).outcome)
    assert runs.alpha == choose_alpha(validation)[0] > 0
    assert [r.outcome.accuracy for r in runs.validation] == [o.accuracy for o in validation]
    found = rescaled(test, runs.alpha)
    options = {"n_resamples": 100}
    for measure in MEASURES:
        for part, outcomes in (("test", found), ("validation", rescaled(validation, runs.alpha))):
            expected = zero_shot_estimate(outcomes, measure, **options)
            assert runs.estimate(measure, part, **options) == expected
    plain = runs.estimate("H", alpha=0.0, **options)
    assert plain.mean == pytest.approx(np.mean([o.harmonic_mean for o in test]))
    lift = runs.estimate("H", minus=runs.outcomes(alpha=0.0), **options)
    assert lift.mean == pytest.approx(np.mean([o.harmonic_mean for o in found]) - plain.mean)
    hits = [100.0 * (r.retrieval.of_images < 10) for r in runs.test]
    assert runs.retrieval("R@10", "text to image") == mean_estimate(hits, same_items=True)
    medians = [np.median(r.retrieval.of_texts) + 1 for r in runs.test]
    assert runs.retrieval("median rank", "image to text") == mean_estimate(medians)
    assert runs.model.random_state is None


def test_no_test_image_and_no_unseen_class_takes_part_in_the_choice(problem):
    features = problem.features.copy()
    features[problem.test_unseen] = 1.0
    features[problem.test_seen] = 7.0
    unseen = np.isin(problem.text_labels, problem.unseen_classes)
    texts = tuple(np.where(unseen, "nothing at all", problem.texts).tolist())
    ids = np.where(unseen, 10**6, problem.text_ids)
    other = replace(problem, features=features, texts=texts, text_ids=ids)
    runs = [run_image_text(JITTERED, p, test=False) for p in (problem, other)]
    assert runs[0].alpha == runs[1].alpha
    assert runs[0].test is None


def test_one_more_repeat_costs_one_more_training_of_each_kind(fits):
    def seeds():
        drawn = [model.random_state for model, *_ in fits]
        fits.clear()
        return drawn

    problem = toy()
    first = run_image_text(JITTERED, problem)
    assert seeds() == [0, 0]
    again = run_image_text(JITTERED, problem)
    assert again.estimate("H", n_resamples=100) == first.estimate("H", n_resamples=100)
    # Where a training keeps its checkpoint changes nothing of its result.
    run_image_text(RidgeToWords(jitter=0.2, checkpoint="elsewhere.npz"), problem)
    assert seeds() == []
    run_image_text(JITTERED, problem, seeds=[0, 1])
    assert seeds() == [1, 1]
    for change in ({"min_count": 1}, {"length": 3}, {"keep_scores": True}):
        run_image_text(JITTERED, problem, **change)
        assert seeds(), change
    run_image_text(JITTERED, toy(seed=1))
    assert seeds() == [0, 0]


def test_each_training_has_a_checkpoint_of_its_own(problem, tmp_path, fits):
    run_image_text(JITTERED, problem, seeds=[0, 1], checkpoints=tmp_path)
    assert len({model.checkpoint for model, *_ in fits}) == 4
    run_image_text(RidgeToWords(jitter=0.3), problem, checkpoints=tmp_path)
    paths = {Path(model.checkpoint) for model, *_ in fits}
    assert len(paths) == 6
    assert {path.parent for path in paths} == {tmp_path}


def test_parameters_are_chosen_by_the_largest_h_on_validation(problem):
    grid = {"penalty": (1e5, 1.0, -1.0), "dimension": (3, 12)}
    runs = run_image_text(JITTERED, problem, seeds=[2, 5], grid=grid, must_learn=False)
    assert len(runs.trials) >= 6
    finished = [t for t in runs.trials if "H" in t]
    assert len(finished) == len(runs.trials) - 2
    assert all("penalty is negative" in t["failed"] for t in runs.trials if "failed" in t)
    for trial in finished:
        model = RidgeToWords(jitter=0.2, **trial["parameters"])
        seeds = range(trial["n_seeds"])
        alone = run_image_text(model, problem, seeds=seeds, test=False, must_learn=False)
        outcomes = alone.outcomes("validation")
        assert trial["alpha"] == alone.alpha
        for measure in ("H", "ACC"):
            assert trial[measure] == pytest.approx(np.mean([o.value(measure) for o in outcomes]))
    of_all = [t for t in finished if t["n_seeds"] == 3]
    assert max(of_all, key=lambda t: t["H"])["parameters"] == runs.parameters
    assert runs.model.get_params() | runs.parameters == runs.model.get_params()
    assert runs.passed_over == []
    same = run_image_text(RidgeToWords(jitter=0.2, **runs.parameters), problem, seeds=[2, 5])
    assert (same.alpha, same.trials, same.parameters) == (runs.alpha, [], {})
    assert same.estimate("H", n_resamples=100) == runs.estimate("H", n_resamples=100)


def test_the_next_best_candidate_where_the_best_fails_later(monkeypatch):
    problem, grid, fit = toy(), {"dimension": (4, 8, 12)}, RidgeToWords.fit
    first = run_image_text(JITTERED, problem, grid=grid, must_learn=False)
    best, following = (trial["parameters"] for trial in ranked(first.trials, "H")[:2])

    def diverge(self, X, y, *args, **kwargs):
        if self.dimension == best["dimension"] and self.random_state == 7:
            raise ValueError("diverged")
        return fit(self, X, y, *args, **kwargs)

    monkeypatch.setattr(RidgeToWords, "fit", diverge)
    runs = run_image_text(JITTERED, problem, seeds=[0, 7], grid=grid, must_learn=False)
    assert runs.parameters == following
    assert runs.passed_over == [{"parameters": best, "failed": "diverged"}]


def test_a_training_that_explodes_is_refused(problem):
    exploded = short_clarel(problem, n_batches=60, learning_rate=1e4, embedding_dim=16)
    with pytest.raises(ValueError, match=r"training failed|left the range"):
        run_image_text(exploded, problem)
    fitted = short_clarel(problem, n_batches=60, learning_rate=1.0, embedding_dim=16)
    texts, _ = model_texts(problem)
    fitted.fit(problem.features, problem.labels, texts, problem.text_rows)
    parts = "text_retrieval", "image_retrieval", "text_classification", "image_classification"
    fitted.learning_curve_ = [dict(zip(parts, (3.4, 3.4, 0.1, 0.1), strict=True))]
    check_losses(fitted)
    for losses, part in (((3e5, 3e5, 0.1, 0.1), "retrieval"), ((1, 1, 99, 99), "class")):
        fitted.learning_curve_ = [dict(zip(parts, losses, strict=True))]
        with pytest.raises(ValueError, match=f"the loss of {part}.* ends at"):
            check_losses(fitted)


def test_a_short_training_keeps_the_printed_settings(problem):
    settings = short_clarel(problem, n_batches=50).get_params()
    printed = {"retrieval_mix": 0.5, "classification_weight": 0.5, "dropout": 0.25}
    printed |= {"batch_size": 32, "texts_per_image": 10, "decay_every": 40}
    assert settings | printed == settings
    assert short_clarel(toy(vectors=True)).text_encoder is None
    assert short_clarel(problem, retrieval_mix=0.0).retrieval_mix == 0
    # Of few images a batch has no more than are left where settings are chosen.
    few = synthetic_pairs(n_seen=4, n_val=2, n_unseen=2, images_per_class=7)
    batch = short_clarel(few).batch_size
    assert 2 <= batch <= min(len(few.validation_problem(seed=0).trainval), 32) < 32


def test_the_two_trainings(problem):
    small = {"embedding_dim": 8, "word_dim": 6}
    short = run_clarel(problem, n_batches=20, changes=small, test=False, must_learn=False)
    assert [t["parameters"]["learning_rate"] for t in short.trials[:4]] == [2.5, 5.0, 7.0, 10.0]
    assert short.model.n_batches == 20
    small |= {"n_batches": 2, "lstm_units": 3, "filters": (4, 4)}
    paper = run_clarel(problem, training="paper", changes=small, test=False, must_learn=False)
    printed = {"text_encoder": "paper", "learning_rate": 0.1, "decay_every": 50_000}
    assert paper.model.get_params() | printed == paper.model.get_params()
    assert len(list((cache_dir() / "checkpoints").glob("*.npz"))) == 1


def test_features_are_scaled_for_short_trainings_only():
    both = (clarel_problems("synthetic", training=t, quick=True) for t in ("short", "paper"))
    (short,), (paper,) = both
    np.testing.assert_array_equal(paper.scaled("unit length").features, short.features)
    assert (short.feature_scaling, paper.feature_scaling) == ("unit length", "none")


@pytest.mark.skipif(not available("ikea"), reason="needs the photographs of ikea")
def test_real_features_come_as_released():
    (released,) = clarel_problems("ikea", training="paper", quick=True)
    assert released.feature_scaling == "none"
    assert np.ptp(np.linalg.norm(released.features, axis=1)) > 1


def test_validation_data_may_be_given(problem):
    given = problem.validation_problem(seed=5)
    runs = run_image_text(JITTERED, problem, test=False, held_out=given)
    assert runs.validation[0].outcome.checksum == given.checksum


def test_prototypes_of_all_texts(monkeypatch):
    """Those of seen classes then have the texts of test images too."""
    problem, counts, prototypes = toy(), [], RidgeToWords.class_prototypes

    def count(self, texts, labels, n_classes):
        counts.append(np.bincount(labels, minlength=n_classes))
        return prototypes(self, texts, labels, n_classes)

    monkeypatch.setattr(RidgeToWords, "class_prototypes", count)
    for parts in (("trainval", "test_unseen"), ("trainval", "test_seen", "test_unseen")):
        evaluate_image_text(RidgeToWords(), problem, retrieval=False, prototypes_from=parts)
    per_image = np.diff(problem.text_offsets)[problem.test_seen]
    added = np.bincount(problem.labels[problem.test_seen], per_image, minlength=12)
    np.testing.assert_array_equal(counts[1] - counts[0], added)


def run_without_test():
    return run_image_text(JITTERED, toy(), test=False)


ALL_FAILED = "all 1 candidates of RidgeToWords on toy failed, the first with: penalty is negative"
REFUSALS = [
    (lambda: measures_by_alpha([None], [-0.5]), "alphas must be a finite number, at least 0"),
    (lambda: rescaled([], -0.1), "alpha must be a finite number, at least 0"),
    (lambda: evaluate_image_text(RidgeToWords(jitter=np.nan), toy()), "NaN or infinity"),
    (lambda: evaluate_image_text(RidgeToWords(), toy()).retrieval.of("both"), "direction must"),
    (lambda: evaluate_image_text("CLAREL", toy()), r"one such as CLAREL\(\), got", TypeError),
    (lambda: run_image_text(RidgeToWords(), toy(), grid={"penalty": (-1.0,)}), ALL_FAILED),
    (lambda: run_image_text(JITTERED, toy(), seeds=[]), "seeds is empty"),
    (lambda: run_image_text(JITTERED, toy(train=(), val=())), "has no validation classes"),
    (lambda: run_without_test().outcomes(), "only validation was run"),
    (lambda: run_without_test().outcomes("train"), "part must be one of"),
    (lambda: run_without_test().retrieval("R@5", "image to text"), "measure must be one of"),
    (lambda: short_clarel(toy().features), "must be of the class ImageTextProblem", TypeError),
    (lambda: short_clarel(toy(), n_batches=4), "n_batches must be at least 5"),
    (lambda: run_clarel(toy(), training="long"), "training must be one of 'short', 'paper'"),
    (lambda: run_clarel(toy(), changes={"dropout": 2.0}), "^dropout must be .* below 1.0"),
    (lambda: clarel_problems("synthetic", training="long"), "training must be one of"),
]


def test_refused(refusal):
    refusal()


def test_results_show_their_measures_and_no_curves():
    runs = run_image_text(JITTERED, toy())
    assert "retrieval=RetrievalRanks(" in repr(runs.test[0])
    assert len(repr(runs)) < 800
