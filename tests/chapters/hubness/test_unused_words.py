"""All words without a training pair, against a search by hand."""

import numpy as np

from chapters.hubness.unused_words import unused_words
from zslib.mapping import RidgeMap
from zslib.protocols import METHODS, Repeated, repeat


def test_maps_are_those_of_the_list():
    (runs,) = repeat("cross-linguistic", "europarl", quick=True)
    methods = {"plain": METHODS["least squares"]}
    ((listed, outcomes),) = unused_words([runs], methods, max_queries=40).items()
    (outcome,) = outcomes["plain"]
    problem = outcome.problem
    assert listed is runs.problem
    assert len(problem.test_words) == 40
    assert not set(problem.test_words) & set(listed.train_words)
    ridge = RidgeMap(alpha=0.0).fit(listed.X_train, listed.Y_train)
    scores = ridge.transform(problem.X_test) @ problem.targets.T
    best = [scores[i, gold].max() for i, gold in enumerate(problem.test_gold)]
    ranks = np.sum(scores > np.array(best)[:, None], axis=1)
    np.testing.assert_array_equal(ranks, outcome.ranks)


def test_generated_words_are_all_known(languages):
    assert unused_words([Repeated([languages], [0])], {"plain": METHODS["least squares"]}) == {}
