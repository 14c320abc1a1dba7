"""Tuning sees training pairs only, and training is what its name says."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from sklearn.base import clone

from zslib.mapping import MaxMarginMap, RidgeMap, chimeras
from zslib.protocols import Method, Repeated, evaluate, repeat, train, tune
from zslib.protocols.mapping import repeated, training
from zslib.protocols.mapping.repeated import CrossFitted
from zslib.protocols.mapping.tuning import epochs_for, validation_problem

MARGINS = {"margin": (0.2, 0.5), "n_negatives": (3,)}
SMALL = Method("small", MaxMarginMap(learning_rate=0.05), MARGINS, updates=(4, 8))
RIDGE = Method("r", RidgeMap(), {"alpha": (0.01, 1.0, 100.0)})


def test_held_out_words_are_new_and_a_quarter(languages):
    held_out = validation_problem(languages, seed=3)
    assert not set(held_out.train_words) & set(held_out.test_words)
    assert len(held_out.test_words) == pytest.approx(len(languages.train_words) / 4, abs=1)
    assert set(held_out.test_words) <= set(languages.train_words)


def test_all_translations_of_a_held_out_word_are_held_out_and_accepted(languages):
    # Give word 0 a second translation: a further pair with the same source vector.
    twice = replace(
        languages,
        X_train=np.concatenate([languages.X_train, languages.X_train[:1]]),
        train_gold=np.append(languages.train_gold, languages.train_gold[7]),
        train_words=np.append(languages.train_words, languages.train_words[0]),
        labels=None,
    )
    drawn = (validation_problem(twice, seed=seed) for seed in range(40))
    held_out = next(d for d in drawn if twice.train_words[0] in d.test_words)
    at = held_out.test_words.tolist().index(twice.train_words[0])
    assert set(held_out.test_gold[at]) == {languages.train_gold[0], languages.train_gold[7]}


def test_tuning_does_not_see_test_items(languages):
    other = replace(languages, X_test=-languages.X_test)
    assert tune(SMALL, languages).trials == tune(SMALL, other).trials


def test_the_same_vectors_in_another_setting_are_searched_among_labels(languages):
    labels = replace(languages, setting="cross-modal")
    assert labels.checksum == languages.checksum
    across, within = (
        {t["parameters"]["alpha"]: t["score"] for t in tune(RIDGE, problem, seeds=[1]).trials}
        for problem in (languages, labels)
    )
    assert all(across[alpha] < within[alpha] for alpha in across.keys() & within.keys())


def test_the_best_candidate_is_chosen_and_its_score_is_the_mean_reciprocal_rank(languages):
    tuned = tune(RIDGE, languages, seeds=[1])
    held_out = validation_problem(languages, seed=1)
    expected = {}
    for alpha in RIDGE.grid["alpha"]:
        fitted = RidgeMap(alpha=alpha).fit(held_out.X_train, held_out.Y_train)
        ranks = evaluate(held_out, fitted.transform(held_out.X_test)).ranks
        expected[alpha] = np.mean(1 / (ranks + 1))
    found = {t["parameters"]["alpha"]: t["score"] for t in tuned.trials}
    assert found == pytest.approx(expected)
    assert tuned.parameters == {"alpha": max(expected, key=expected.get)}


def test_looking_on_the_way_is_the_same_as_training_for_that_long(languages):
    tuned = tune(SMALL, languages, seeds=[2])
    held_out = validation_problem(languages, seed=2)
    trial = tuned.trials[-1]
    parameters = trial["parameters"] | {"n_epochs": trial["n_epochs"]}
    updates = (4, 8, 16, 32)  # the longest is doubled where it is the best
    assert parameters["n_epochs"] in epochs_for(updates, held_out.X_train.shape[0], 32)
    fitted = clone(SMALL.estimator).set_params(**parameters, random_state=2)
    fitted.fit(held_out.X_train, held_out.Y_train)
    ranks = evaluate(held_out, fitted.transform(held_out.X_test)).ranks
    assert trial["score"] == pytest.approx(np.mean(1 / (ranks + 1)))


def test_a_choice_is_by_the_mean_over_its_seeds(languages):
    three = [tune(RIDGE, languages, seeds=[seed]).trials for seed in (0, 1, 2)]
    for trial, *each in zip(tune(RIDGE, languages).trials, *three, strict=False):
        assert trial["score"] == pytest.approx(np.mean([one["score"] for one in each]))


class Turned(RidgeMap):
    def fit(self, X, Y):
        super().fit(X, Y)
        self.coef_ = -self.coef_
        return self


def test_a_mapping_that_leads_away_from_its_targets_has_failed(languages):
    with pytest.raises(ValueError, match="training failed: it is right on"):
        train(Method("turned", Turned()), languages)


@pytest.mark.parametrize(
    ("updates", "n", "batch", "epochs"),
    [((10, 20), 32, 32, [10, 20]), ((10, 20), 33, 32, [5, 10]), ((1, 2), 1000, 10, [1])],
)
def test_updates_become_epochs(updates, n, batch, epochs):
    assert epochs_for(updates, n, batch) == epochs


def test_training_is_the_estimator_on_all_pairs(languages):
    run = train(Method("r", RidgeMap(alpha=0.5)), languages)
    fitted = RidgeMap(alpha=0.5).fit(languages.X_train, languages.Y_train)
    np.testing.assert_array_equal(run.predictions, fitted.transform(languages.X_test))


@pytest.mark.parametrize("unit", [False, True])
def test_chimeras_join_the_training_pairs(images, unit):
    run = train(Method("r", RidgeMap(alpha=0.5)).with_chimeras(3, unit=unit), images)
    new = np.setdiff1d(images.labels, images.train_gold)
    made = chimeras(images.X_train, images.Y_train, images.targets[new], k=3)
    if unit:
        made = made / np.linalg.norm(made, axis=1, keepdims=True)
    X = np.concatenate([images.X_train, made])
    Y = np.concatenate([images.Y_train, images.targets[new]])
    expected = RidgeMap(alpha=0.5).fit(X, Y).transform(images.X_test)
    np.testing.assert_allclose(run.predictions, expected, atol=1e-6)


def test_a_result_is_kept_and_found_again(languages, monkeypatch):
    first = train(SMALL, languages)
    monkeypatch.setattr(MaxMarginMap, "fit", Mock(side_effect=AssertionError("trained again")))
    again = train(SMALL, languages)
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert first.parameters == again.parameters
    with pytest.raises(AssertionError, match="trained again"):
        train(SMALL, languages, seed=1)


def test_repeat_loads_a_problem_per_seed():
    (runs,) = repeat("cross-modal", "synthetic", seed=4, n_seeds=2, quick=True)
    assert runs.seeds == [4, 5]
    assert not np.array_equal(runs.problems[0].targets, runs.problems[1].targets)


def test_folds_are_joined_query_by_query(fold_problems, two_folds):
    found = two_folds.outcomes({"plain": "least squares"}, "labels")["plain"]
    apart = []
    for p in fold_problems:
        mapped = RidgeMap(alpha=0.0).fit(p.X_train, p.Y_train).transform(p.X_test)
        apart.append(evaluate(p, mapped, space="labels"))
    assert len(found) == 2
    for whole in found:
        np.testing.assert_array_equal(whole.hits(5), np.concatenate([o.hits(5) for o in apart]))
        polluted = np.concatenate([o.polluted() for o in apart])
        np.testing.assert_array_equal(whole.polluted(), polluted)
        labels = [p.target_words[rows[0]] for p in fold_problems for rows in p.test_gold]
        assert fold_problems[0].target_words[whole.units].tolist() == labels
    assert found[0].checksum == found[1].checksum


def test_each_fold_is_tuned_on_its_own_training_labels(fold_problems, two_folds, monkeypatch):
    asked = {}

    def noted(method, problem, **options):
        asked[problem.name] = sorted(problem.train_words)
        return tune(method, problem, **options)

    monkeypatch.setattr(training, "tune", noted)
    assert len(two_folds.choices(Method("r", RidgeMap(), {"alpha": (0.1, 1.0)}))) == 2
    words = {f"{p.name} fold {i}": sorted(p.train_words) for i, p in enumerate(fold_problems)}
    assert asked == words


@pytest.fixture(scope="module")
def fold_problems(small_images):
    """Two problems that test different labels of one world."""
    return [small_images(fold) for fold in (0, 1)]


@pytest.fixture
def two_folds(fold_problems):
    return CrossFitted([Repeated([p, p], [0, 1], fold=i) for i, p in enumerate(fold_problems)])


def test_a_search_that_no_seed_changes_is_done_once(languages, monkeypatch):
    counted = Mock(side_effect=evaluate)
    monkeypatch.setattr(repeated, "evaluate", counted)
    runs = Repeated([languages, languages], [0, 1])
    closed = runs.train("ridge (GCV)")
    first, second = runs.search(closed)
    assert counted.call_count == 1
    np.testing.assert_array_equal(first.ranks, second.ranks)
    seeded = runs.train(SMALL)
    first, second = runs.search(seeded)
    assert counted.call_count == 3
    assert (first.ranks != second.ranks).any()
    rows = [languages.labels, np.arange(200)]
    runs.search(closed, [np.union1d(languages.labels, r) for r in rows])
    assert counted.call_count == 5
