"""Outcomes against loops over images; tuning, tables and intervals on a toy problem."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zslib.arrays import like, namespace, to_host
from zslib.calibration import CalibratedStacking
from zslib.compatibility import ESZSL
from zslib.datasets import ZeroShotProblem, from_features
from zslib.datasets.attributes.scaling import unit_length
from zslib.datasets.attributes.splits import class_parts
from zslib.metrics import harmonic_mean, seen_unseen_curve
from zslib.protocols import (
    ZERO_SHOT_METHODS,
    ZeroShotMethod,
    evaluate_zero_shot,
    mean_estimate,
    run_table,
    run_zero_shot,
    zero_shot_estimate,
)
from zslib.protocols.attributes.outcome import MEASURES
from zslib.protocols.attributes.tuning import split_validation_classes, tune_zero_shot


class NearestClass(BaseEstimator):
    """Ridge regression to class embeddings; the score is minus the squared distance."""

    def __init__(self, alpha=1.0, jitter=0.0, random_state=None):
        self.alpha = alpha
        self.jitter = jitter
        self.random_state = random_state

    def fit(self, X, y, class_embeddings):
        host = to_host(X).astype(np.float64)
        targets = to_host(class_embeddings)[to_host(y)]
        gram = host.T @ host + self.alpha * np.eye(host.shape[1])
        coef = np.linalg.solve(gram, host.T @ targets)
        noise = np.random.default_rng(self.random_state).normal(size=coef.shape)
        self.coef_ = coef + self.jitter * noise
        return self

    def decision_function(self, X, class_embeddings):
        xp = namespace(X, class_embeddings)
        mapped = X @ xp.astype(like(self.coef_, X), X.dtype)
        gaps = mapped[:, None, :] - class_embeddings[None, :, :]
        return -xp.sum(gaps * gaps, axis=2)


def toy(seed=0, data_seed=0, n=240, noise=0.25, n_classes=12, **changes):
    """Classes of which eight are for training, two of these for validation, the others unseen."""
    rng = np.random.default_rng(data_seed)
    S = rng.random((n_classes, 6)).astype("f4")
    labels = rng.permutation(np.append(np.arange(n) % n_classes, [0, 0, 0, n_classes - 3]))
    X = (S[labels] + noise * rng.standard_normal((labels.size, 6))).astype("f4")
    X = X @ rng.standard_normal((6, 9)).astype("f4")
    order = np.random.default_rng(seed).permutation(n_classes)
    parts = class_parts(labels, order[:6], order[6:8], order[8:]) | changes
    names = np.array([f"class {c}" for c in range(n_classes)])
    about = {"name": "toy", "synthetic": True, "description": "synthetic toy data"}
    given = {"features": X, "labels": labels, "class_embeddings": S, "class_names": names}
    return ZeroShotProblem(**about, **given, **parts)


TOY, UNSEEN_ALONE = toy(), toy(test_seen=np.array([], dtype=int))


@pytest.fixture
def problem():
    return TOY


NEAREST = ZeroShotMethod("nearest", NearestClass, {"alpha": (30.0, 0.1, 1.0)})
JITTERED = ZeroShotMethod("jittered", NearestClass, fixed={"jitter": 0.1})


def evaluated(model=NearestClass(), problem=TOY, **options):  # noqa: B008
    return evaluate_zero_shot(model, problem, **options)


def slow_accuracy(labels, predictions):
    return 100 * np.mean([np.mean(predictions[labels == c] == c) for c in np.unique(labels)])


def trained(model, problem):
    rows = problem.trainval
    return model.fit(problem.features[rows], problem.labels[rows], problem.class_embeddings)


@pytest.mark.parametrize("gamma", [0.0, 0.3, -0.1, 100.0])
def test_measures_by_loop(problem, gamma):
    outcome = evaluated(keep_scores=True).at(gamma)
    fitted = trained(NearestClass(), problem)
    slow = {"AUSUC": outcome.ausuc}
    for name, rows in (("seen", problem.test_seen), ("unseen", problem.test_unseen)):
        scores = fitted.decision_function(problem.features[rows], problem.class_embeddings)
        np.testing.assert_array_equal(outcome.scores[f"test_{name}"], scores)
        stacked = CalibratedStacking(gamma).transform(scores.astype("f8"), problem.is_seen)
        slow[name] = slow_accuracy(problem.labels[rows], stacked.argmax(axis=1))
        np.testing.assert_array_equal(outcome.predictions(name), stacked.argmax(axis=1))
    slow["H"] = harmonic_mean(slow["seen"], slow["unseen"])
    among = problem.unseen_classes[scores[:, problem.unseen_classes].argmax(axis=1)]
    slow["ACC"] = slow_accuracy(problem.labels[problem.test_unseen], among)
    assert {measure: outcome.value(measure) for measure in MEASURES} == pytest.approx(slow)
    assert outcome.class_accuracies("ACC").mean() == pytest.approx(outcome.accuracy)
    if gamma == 100:
        assert (outcome.unseen, outcome.seen) == pytest.approx((outcome.accuracy, 0))


def curve_of(problem, seen_scores, unseen_scores):
    seen, unseen = problem.labels[problem.test_seen], problem.labels[problem.test_unseen]
    return seen_unseen_curve(seen_scores, seen, unseen_scores, unseen, problem.is_seen)


def test_curve_is_that_of_the_scores(problem):
    outcome = evaluate_zero_shot(NearestClass(), problem, keep_scores=True)
    curve = curve_of(problem, *(outcome.scores[side] for side in ("test_seen", "test_unseen")))
    for name in ("gammas", "seen", "unseen"):
        np.testing.assert_array_equal(getattr(outcome.curve, name), getattr(curve, name))
    assert outcome.ausuc == pytest.approx(100 * curve.area)
    for gamma in (-0.5, 0.0, curve.best_gamma):
        at = outcome.at(gamma)
        assert (at.seen / 100, at.unseen / 100) == pytest.approx(curve.at(gamma))
    best = outcome.at(curve.best_gamma).harmonic_mean
    assert best == pytest.approx(100 * curve.best_harmonic_mean)


def test_every_backend(problem, backend):
    X, S = map(backend.asarray, (problem.features, problem.class_embeddings))
    there = replace(problem, features=X, class_embeddings=S)
    outcome = evaluate_zero_shot(NearestClass(), there, keep_scores=True)
    expected = evaluate_zero_shot(NearestClass(), problem)
    for measure in MEASURES:
        assert outcome.value(measure) == pytest.approx(expected.value(measure), abs=0.5)
    assert isinstance(outcome.test_seen.seen_scores, np.ndarray)
    assert isinstance(outcome.scores["zero_shot"], np.ndarray)


@pytest.mark.parametrize("gamma", [0.0, 0.2])
def test_hubness_and_pollution_by_loop(problem, gamma):
    outcome = evaluate_zero_shot(NearestClass(), problem, k=4, keep_scores=True).at(gamma)
    for k in (1, 3):
        counts, polluted = np.zeros(12, int), []
        for name in ("test_seen", "test_unseen"):
            for row in outcome.scores[name]:
                row = row - gamma * problem.is_seen
                first = sorted(range(12), key=lambda c: -row[c])[:k]
                counts[first] += 1
                if name == "test_unseen":
                    polluted.append(bool(problem.is_seen[first].any()))
        np.testing.assert_array_equal(outcome.occurrence("all", k), counts)
        np.testing.assert_array_equal(outcome.polluted(k), polluted)
        counts = np.zeros(12, int)
        for row in outcome.scores["zero_shot"]:
            counts[problem.unseen_classes[np.argsort(-row)[:k]]] += 1
        np.testing.assert_array_equal(outcome.occurrence("unseen", k), counts)
    assert not outcome.occurrence("unseen")[problem.is_seen].any()


def test_first_neighbour_is_the_prediction_also_at_ties(problem):
    outcome = evaluate_zero_shot(NearestClass(), problem)
    for gamma in outcome.test_unseen.flips[:20]:
        at = outcome.at(float(gamma))
        first = at.test_unseen.neighbours(1, at.gamma)[:, 0]
        np.testing.assert_array_equal(first, at.predictions("unseen"))
    assert not problem.is_seen[at.predictions("unseen")[19]]


def test_which_images_are_trained_on(problem, monkeypatch):
    fits = []
    fit = NearestClass.fit

    def spy(self, X, y, class_embeddings):
        fits.append((X, y))
        return fit(self, X, y, class_embeddings)

    monkeypatch.setattr(NearestClass, "fit", spy)
    model = NearestClass()
    usual = evaluate_zero_shot(model, problem)
    assert not hasattr(model, "coef_")
    all_seen = evaluate_zero_shot(model, problem, train_on="all seen")
    every = np.concatenate([problem.trainval, problem.test_seen])
    for (X, y), rows in zip(fits, (problem.trainval, problem.trainval, every), strict=True):
        np.testing.assert_array_equal(X, problem.features[rows])
        np.testing.assert_array_equal(y, problem.labels[rows])
    # Only standard zero-shot learning may see the test images of seen classes.
    for measure in MEASURES[1:]:
        assert all_seen.value(measure) == usual.value(measure)
    assert not np.array_equal(all_seen.zero_shot.unseen_scores, usual.zero_shot.unseen_scores)


def test_without_test_images_of_seen_classes():
    outcome = evaluate_zero_shot(NearestClass(), UNSEEN_ALONE, train_on="all seen")
    assert outcome.accuracy == evaluated().accuracy
    assert 0 <= outcome.unseen <= outcome.accuracy
    assert outcome.occurrence("all").sum() == UNSEEN_ALONE.test_unseen.size


def test_one_unseen_class_and_seen_classes_without_test_images():
    problem = toy(n_classes=9)
    kept = problem.labels[problem.test_seen] == problem.seen_classes[2]
    small = replace(problem, test_seen=problem.test_seen[kept])
    outcome = evaluate_zero_shot(NearestClass(), small, keep_scores=True)
    assert outcome.accuracy == 100
    for side in ("seen", "unseen"):
        assert outcome.class_accuracies(side).shape == (1,)
    right = outcome.scores["test_seen"].argmax(axis=1) == outcome.labels("seen")
    assert outcome.seen == pytest.approx(100 * right.mean())
    assert outcome.occurrence("unseen").sum() == problem.test_unseen.size


def test_a_pipeline_is_evaluated_as_scaled_features_are(problem):
    found = evaluate_zero_shot(make_pipeline(StandardScaler(), ESZSL()), problem)
    expected = evaluate_zero_shot(ESZSL(), problem.scaled("standard"))
    assert (found.accuracy, found.unseen) == (expected.accuracy, expected.unseen)
    assert found.cost["numbers"] > expected.cost["numbers"]


def test_the_best_candidate_on_validation_classes_is_chosen(problem):
    tuned = tune_zero_shot(NEAREST, problem, seeds=[3])
    held_out = problem.validation_problem(seed=3)
    expected = []
    rows, columns = held_out.test_unseen, held_out.unseen_classes
    for alpha in NEAREST.grid["alpha"]:
        fitted = trained(NearestClass(alpha), held_out)
        scores = fitted.decision_function(held_out.features, held_out.class_embeddings)
        predictions = columns[scores[np.ix_(rows, columns)].argmax(axis=1)]
        curve = curve_of(held_out, scores[held_out.test_seen], scores[rows])
        score = slow_accuracy(held_out.labels[rows], predictions)
        expected.append((score, curve.best_gamma, 100 * curve.best_harmonic_mean))
    found = [[trial[name] for name in ("score", "gamma", "H")] for trial in tuned.trials[:3]]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    best = int(np.argmax([score for score, *_ in expected]))
    assert tuned.parameters == {"alpha": NEAREST.grid["alpha"][best]}
    assert (tuned.score, tuned.gamma) == pytest.approx(expected[best][:2], abs=1e-5)
    assert tune_zero_shot(JITTERED, problem).parameters == {}


def test_a_choice_is_by_the_mean_over_its_seeds():
    three = [tune_zero_shot(NEAREST, toy(), seeds=[seed]).trials for seed in (0, 1, 2)]
    for trial, *each in zip(tune_zero_shot(NEAREST, toy()).trials, *three, strict=False):
        for name in ("score", "gamma", "H"):
            assert trial[name] == pytest.approx(np.mean([one[name] for one in each]))


def test_tuning_sees_no_test_image_and_no_unseen_class(problem):
    features, embeddings = problem.features.copy(), problem.class_embeddings.copy()
    features[problem.test_unseen] = features[problem.test_seen[0]]
    features[problem.test_seen] = 7.0
    embeddings[problem.unseen_classes] = 0.5
    other = replace(problem, features=features, class_embeddings=embeddings)
    for split in ("official", "random"):
        tuned = [tune_zero_shot(NEAREST, p, split=split) for p in (problem, other)]
        assert tuned[0] == tuned[1]


def test_without_a_check_what_learns_nothing_is_evaluated():
    assert evaluated(LEARNS_NOTHING).accuracy < 60


def test_candidates_that_fail_are_passed_over():
    method = ZeroShotMethod("nearest", NearestClass, {"jitter": (np.nan, 0.0)})
    tuned = tune_zero_shot(method, toy())
    assert tuned.parameters == {"jitter": 0.0}
    assert "NaN or infinity" in tuned.trials[0]["failed"]


def test_random_validation_classes(problem):
    for seed in range(5):
        split = split_validation_classes(problem, fraction=0.25, seed=seed)
        assert not set(split.train_classes) & set(split.val_classes)
        assert split.val_classes.size == 2
        both = np.sort(np.concatenate([split.train, split.val]))
        np.testing.assert_array_equal(both, problem.trainval)
    assert tune_zero_shot(NEAREST, NO_VAL) == tune_zero_shot(NEAREST, problem, split="random")


def test_one_image_in_each_training_class_leaves_gamma_alone(problem):
    _, first = np.unique(problem.labels[problem.trainval], return_index=True)
    rows = problem.trainval[first]
    train = np.intersect1d(rows, problem.train)
    small = replace(problem, trainval=rows, train=train, val=np.setdiff1d(rows, train))
    tuned = tune_zero_shot(NEAREST, small)
    assert tuned.gamma == 0
    assert np.isnan(tuned.ranked[0]["H"])


def test_a_result_is_kept_and_found_again(problem, monkeypatch):
    first = run_zero_shot(NEAREST, problem)
    monkeypatch.setattr(NearestClass, "fit", Mock(side_effect=AssertionError("fitted again")))
    again = run_zero_shot(NEAREST, problem)
    assert (again.parameters, again.tuned) == (first.parameters, first.tuned)
    assert again.outcome.harmonic_mean == first.outcome.harmonic_mean
    for change in (
        {"seed": 1},
        {"parameters": {"alpha": 0.5}},
        {"train_on": "all seen"},
        {"split": "random"},
        {"quick": True},
        {"problem": toy(data_seed=1)},
    ):
        with pytest.raises(AssertionError, match="fitted again"):
            run_zero_shot(NEAREST, **{"problem": problem} | change)


def test_the_next_best_candidate_where_the_best_cannot_be_trained(problem, monkeypatch):
    tuned = tune_zero_shot(NEAREST, problem)
    best, second = (trial["parameters"] for trial in tuned.ranked[:2])
    assert tuned.parameters == best
    fit = NearestClass.fit

    def diverge(self, X, y, class_embeddings):
        if X.shape[0] == problem.trainval.size and self.alpha == best["alpha"]:
            raise ValueError("diverged")
        return fit(self, X, y, class_embeddings)

    monkeypatch.setattr(NearestClass, "fit", diverge)
    run = run_zero_shot(NEAREST, problem)
    assert run.parameters == second
    assert run.gamma == tuned.ranked[1]["gamma"]
    assert run.passed_over == [{"parameters": best, "failed": "diverged"}]


def test_run_is_the_tuned_model_on_all_training_images(problem):
    run = run_zero_shot(NEAREST, problem, seed=2)
    tuned = tune_zero_shot(NEAREST, problem)
    assert run.tuned == tuned
    expected = evaluate_zero_shot(NearestClass(**tuned.parameters), problem)
    for measure in MEASURES:
        assert run.outcome.value(measure) == expected.value(measure)
    given = run_zero_shot(NEAREST, problem, parameters={"alpha": 1.0})
    assert (given.tuned, given.parameters) == (None, {"alpha": 1.0})


def test_a_table_has_a_run_for_each_seed():
    table = run_table([NEAREST, JITTERED], toy(), seeds=[0, 1])
    for name, (first, second) in table.items():
        assert (first.seed, second.seed) == (0, 1)
        assert first.gamma == first.tuned.gamma
        assert (first.outcome.ausuc == second.outcome.ausuc) == (name == "nearest")
        # What one seed tuned serves the others on the same data.
        assert first.tuned == second.tuned


def test_problems_of_their_own_are_tuned_apart():
    problems = [toy(seed=0), toy(seed=1)]
    table = run_table([NEAREST], problems, seeds=[5, 6])
    for run, problem in zip(table["nearest"], problems, strict=True):
        expected = run_zero_shot(NEAREST, problem, seed=run.seed)
        assert run.tuned == expected.tuned
        assert run.outcome.accuracy == expected.outcome.accuracy


def test_unit_length():
    problem = unit_length(toy())
    for name in ("features", "class_embeddings"):
        lengths = np.linalg.norm(getattr(problem, name), axis=1)
        np.testing.assert_allclose(lengths, 1, rtol=1e-5)
    assert problem.feature_scaling == "unit length, class embeddings too"


@pytest.mark.parametrize("name", ZERO_SHOT_METHODS)
def test_every_method_runs(name):
    problem = unit_length(toy(n=120))
    method = ZERO_SHOT_METHODS[name]
    smaller = method.smaller()
    for key, values in method.grid.items():
        assert key in method.estimator().get_params()
        assert set(smaller.grid[key]) <= set(values)
    first = {key: values[0] for key, values in method.grid.items()}
    lengths = {"n_epochs", "n_steps"} & set(method.estimator().get_params())
    models = [method.estimator(seed=seed, **first) for seed in (0, 0, 1)]
    runs = [evaluate_zero_shot(m.set_params(**dict.fromkeys(lengths, 3)), problem) for m in models]
    scores = [run.test_unseen.unseen_scores for run in runs]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2]) != method.seeds_matter
    assert np.all(np.isfinite(scores[0]))


def outcomes(problems=(TOY, TOY, TOY), **settings):
    """An outcome for each of three seeds."""
    return [
        evaluated(NearestClass(random_state=seed, **settings), problem)
        for seed, problem in enumerate(problems)
    ]


def test_interval_by_drawing_classes_then_their_images():
    found, rng = outcomes(jitter=0.1), np.random.default_rng(1)
    draws = {measure: [] for measure in MEASURES}
    for _ in range(200):
        drawn = {side: slots(found[0].labels(side), rng) for side in ("seen", "unseen")}
        pieces = [part(outcome, drawn) for outcome in rng.choice(found, 3)]
        for measure, values in draws.items():
            values.append(np.mean([piece.value(measure) for piece in pieces]))
    for measure, values in draws.items():
        estimate = zero_shot_estimate(found, measure, n_resamples=1000)
        assert estimate.mean == pytest.approx(np.mean([o.value(measure) for o in found]))
        sides = ("seen", "unseen") if measure in ("H", "AUSUC") else (measure,)
        counts = [np.unique(found[0].labels(side)).size for side in sides]
        assert (estimate.n_seeds, estimate.unit, estimate.n_units) == (3, "classes", min(counts))
        low, high = np.quantile(values, [0.025, 0.975])
        ends = pytest.approx((low, high), abs=(high - low) / 5)
        assert (estimate.low, estimate.high) == ends


def slots(labels, rng):
    """Images drawn from each of the classes drawn: a class drawn twice fills two slots."""
    classes = np.unique(labels)
    return [
        rng.choice(np.flatnonzero(labels == c), (labels == c).sum())
        for c in rng.choice(classes, classes.size)
    ]


def part(outcome, drawn):
    """The outcome on the images of each slot, which is a class of its own."""

    def chosen(side, kind):
        pieces = []
        for slot, rows in enumerate(drawn[kind]):
            arrays = {name: getattr(side, name)[rows] for name in side.__dataclass_fields__}
            own, renamed = arrays["labels"][0], 1000 + slot
            for name in ("labels", "seen", "unseen"):
                arrays[name] = np.where(arrays[name] == own, renamed, arrays[name])
            pieces.append(arrays)
        return type(side)(**{n: np.concatenate([p[n] for p in pieces]) for n in pieces[0]})

    kinds = {"zero_shot": "unseen", "test_unseen": "unseen", "test_seen": "seen"}
    return replace(outcome, **{s: chosen(getattr(outcome, s), k) for s, k in kinds.items()})


def test_one_closed_form_has_the_interval_of_its_images_and_none_against_itself():
    found = outcomes()
    for measure in MEASURES:
        estimate = zero_shot_estimate(found, measure, n_resamples=100)
        assert estimate.low < estimate.mean < estimate.high
        alike = zero_shot_estimate(found, measure, minus=found, n_resamples=100)
        assert (alike.mean, alike.low, alike.high) == (0, 0, 0)


@pytest.mark.parametrize("changes", [{"seed": 1}, {"noise": 0.26}])
def test_seeds_with_their_own_data_are_independent(changes):
    problems = [TOY, toy(**changes), toy(data_seed=1)]
    found = outcomes(problems)
    assert zero_shot_estimate(found, "H") == mean_estimate([o.harmonic_mean for o in found])
    # Other features of the same images may be compared with.
    scaled = outcomes(map(unit_length, problems))
    difference = zero_shot_estimate(found, "H", minus=scaled)
    gaps = [a.harmonic_mean - b.harmonic_mean for a, b in zip(found, scaled, strict=True)]
    assert difference == mean_estimate(gaps)


HOPELESS = ZeroShotMethod("hopeless", NearestClass, {"jitter": (np.nan,)})
TWO_SEEN = from_features(np.eye(9), np.arange(9) % 3, np.eye(3), unseen_classes=[2])
LEARNS_NOTHING, NO_VAL = NearestClass(alpha=1e9), toy(train=(), val=())
CLASSIFIER = LogisticRegression()


def unseen_alone():
    return evaluated(problem=UNSEEN_ALONE)


def estimated(measure="H", outcomes=None, minus=None, **options):
    outcomes = [evaluated()] if outcomes is None else outcomes
    return zero_shot_estimate(outcomes, measure, minus=minus, **options)


OF_VALUES = [
    (lambda: evaluated(train_on="all"), "train_on must be one of 'trainval', 'all seen'"),
    (lambda: evaluated().at(np.nan), "gamma must be a finite number"),
    (lambda: evaluated(k=0), "k must be at least 1"),
    (lambda: evaluated(NearestClass(jitter=np.nan)), "scores holds NaN or infinity"),
    (lambda: evaluated(LEARNS_NOTHING, must_learn=True), "training failed: it is right on"),
    (lambda: evaluated().value("accuracy"), "measure must be one of 'ACC', 'seen'"),
    (lambda: evaluated(k=4).polluted(5), r"k must be between 1 and 4 \(classes kept\)"),
    (lambda: evaluated().occurrence("seen"), "space must be one of 'unseen', 'all'"),
    (lambda: unseen_alone().seen, r"no test images of seen classes .* hold some"),
    (lambda: unseen_alone().value("H"), r"no test images of seen classes .* hold some"),
    (lambda: unseen_alone().ausuc, r"no test images of seen classes .* hold some"),
    (lambda: tune_zero_shot(HOPELESS, TOY), "all 1 candidates of hopeless on toy failed, the"),
    (lambda: tune_zero_shot(NEAREST, TOY, seeds=[]), "seeds is empty"),
    (lambda: tune_zero_shot(NEAREST, TOY, split="other"), "split must be one of"),
    (lambda: tune_zero_shot(NEAREST, NO_VAL, split="official"), "has no validation classes"),
    (lambda: split_validation_classes(TOY, fraction=0.8), "leaves fewer than two to train on"),
    (lambda: split_validation_classes(TWO_SEEN), r"0\.25 of 2 .* images of at least three seen"),
    (lambda: run_zero_shot("nearest", TOY), "method must be one of 'ALE', .* got 'nearest'"),
    (
        lambda: run_zero_shot(NEAREST, TOY, parameters={"k": 1}),
        "of nearest must .* 'alpha', .*'k'",
    ),
    (lambda: run_table([NEAREST], [TOY], seeds=[0, 1]), r"got 1 problem\(s\) for 2 seed"),
    (lambda: run_table([NEAREST], TOY, seeds=[]), "seeds is empty"),
    (lambda: run_table([NEAREST, NEAREST.smaller()], TOY), "name each otherwise, by"),
    (lambda: estimated(outcomes=[]), "at least one outcome"),
    (lambda: estimated(minus=2 * [evaluated()]), r"as many in minus, got \[1, 2\]"),
    (lambda: estimated(minus=[evaluated(problem=toy(seed=1))]), "tested on other images"),
    (lambda: estimated("P@1"), "measure must be one of"),
    (lambda: estimated(n_resamples=5), "n_resamples must be at least 100"),
]
OF_TYPES = [
    (lambda: run_zero_shot("ESZSL", {}), "must be of the class ZeroShotProblem, got dict"),
    (lambda: evaluated(TOY, NearestClass()), "of the class ZeroShotProblem, got Nearest"),
    (lambda: evaluated(NearestClass), "provide an instance .* instead of a class"),
    (lambda: evaluated(CLASSIFIER), "of LogisticRegression takes no class_embeddings: "),
    (lambda: evaluated(make_pipeline(CLASSIFIER)), "of LogisticRegression takes no class_embed"),
    (lambda: run_zero_shot(NearestClass(), TOY), "method must be a ZeroShotMethod"),
    (lambda: run_zero_shot(TOY, NEAREST), r"be a ZeroShotMethod.*got ZeroShotProblem"),
    (lambda: tune_zero_shot(TOY, NEAREST), r"be a ZeroShotMethod.*got ZeroShotProblem"),
    (lambda: run_table("ESZSL", TOY), "methods must be a sequence, got 'ESZSL': pass"),
    (lambda: run_table([NEAREST], TOY, seeds=3), "seeds must be a sequence of integers, got 3"),
    (lambda: run_zero_shot(NEAREST, TOY, seed=None), "seed must be an integer, got None"),
    (lambda: unit_length(TOY.features), "problem must be of the class ZeroShotProblem"),
    (lambda: estimated(outcomes=[run_zero_shot(NEAREST, TOY)]), "of a run pass run"),
]
REFUSALS = [*OF_VALUES, *((*case, TypeError) for case in OF_TYPES)]


def test_refused(refusal):
    refusal()


def test_what_an_outcome_shows_of_itself():
    outcome = evaluated()
    assert "4 unseen classes, 33 seen and 80 unseen images, gamma 0: ACC " in repr(outcome)
    alone = repr(replace(outcome, test_seen=None, gamma=0.25))
    assert alone.endswith(f"unseen images, gamma 0.25: ACC {outcome.accuracy:.1f})")
    assert "the best 8 seen and 4 unseen classes of each" in repr(outcome.test_unseen)
