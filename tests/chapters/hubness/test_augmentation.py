"""Chimeras and distractors of the chapters against their definitions."""

from dataclasses import replace

import numpy as np

from chapters.hubness.augmentation import (
    GAINS,
    averaged_labels,
    by_size,
    equal_distractors,
    factorial,
    random_distractors,
    related_words,
)
from chapters.hubness.own_vectors import own_problem
from zslib.protocols import Repeated


def test_averaged_labels_are_the_nearest_training_labels(images):
    rows = images.space("test")
    wanted = images.target_words[rows[-1]]
    averaged = averaged_labels(images, [wanted, "no such label"])
    assert list(averaged) == [wanted, *images.target_words[rows[:2]]]
    training = np.unique(images.train_gold)
    targets = images.targets / np.linalg.norm(images.targets, axis=1, keepdims=True)
    nearest = training[np.argsort(-targets[training] @ targets[rows[-1]])[:5]]
    assert averaged[wanted] == images.target_words[nearest].tolist()


def every_word_labels(problem):
    return replace(problem, labels=np.arange(problem.targets.shape[0]))


REFUSALS = [
    (lambda p: equal_distractors(every_word_labels(p), 5, 0), "no related distractors"),
    (lambda p: own_problem("source.vec", "", ""), "all three"),
]


def test_refusals(images, refusal):
    refusal(images)


def test_as_many_related_as_random_distractors(images):
    drawn = equal_distractors(images, 10_000, 0)
    assert drawn["related"].size == drawn["random"].size > 0
    assert not np.isin(np.concatenate(list(drawn.values())), images.labels).any()


def test_random_distractors_are_no_labels_and_repeat_with_the_seed(images):
    rows = random_distractors(images, 40, 1)
    assert len(set(rows.tolist())) == 40
    assert not np.isin(rows, images.labels).any()
    np.testing.assert_array_equal(rows, random_distractors(images, 40, 1))
    everything = random_distractors(images, 10**6, 1)
    assert len(everything) == len(images.targets) - len(images.labels)


def test_related_words_are_near_a_training_label(images):
    cosines = images.targets @ images.targets.T
    allowed = set()
    for row in np.unique(images.train_gold):
        order = [i for i in np.argsort(-cosines[row], kind="stable") if i != row]
        allowed |= set(order[:5])
    allowed -= set(images.labels.tolist())
    assert set(related_words(images).tolist()) == allowed


def test_the_search_space_grows_to_the_whole_vocabulary(images, short_tuning):
    runs = Repeated([images], [0], quick=True)
    rows = list(by_size(runs, (0, 10 / images.labels.size, 1e9)))
    sizes = [images.labels.size, images.labels.size + 10, images.targets.shape[0]]
    assert [row["size"] for row in rows] == [size for size in sizes for _ in range(2)]
    for (polluted, right), space in ((rows[:2], "labels"), (rows[-2:], "full")):
        (outcome,) = runs.outcomes(["max-margin"], space)["max-margin"]
        assert polluted["value"] == outcome.polluted(1).mean()
        assert right["value"] == outcome.hits(10).mean()


def test_as_many_updates_are_taken_with_chimeras_as_without(images):
    methods = factorial(images)
    assert {name for gain in GAINS for name in gain} <= set(methods)
    plain, many = methods["max-margin"], methods["max-margin + chimera-5, as many updates"]
    n_pairs, n_chimeras = len(images.train_words), len(set(images.labels) - set(images.train_gold))
    assert n_chimeras > 0 and many.chimeras == 5 and many.grid == plain.grid
    for n_epochs in (1, 7, 50):
        shown = many.fresh(0, n_epochs=n_epochs).n_epochs * (n_pairs + n_chimeras)
        # To the nearest epoch, of which there is at least one.
        assert abs(shown - n_epochs * n_pairs) <= max(0.5, n_epochs == 1) * (n_pairs + n_chimeras)
    # What is tried on validation data is the plain method.
    assert many.fresh(3, margin=0.2).get_params() == plain.fresh(3, margin=0.2).get_params()
