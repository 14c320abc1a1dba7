"""Precision by number of training pairs."""

import numpy as np

from chapters.hubness.fewer_pairs import by_pairs, training_precision
from zslib.datasets import load_problem
from zslib.mapping import RidgeMap
from zslib.protocols import Repeated, evaluate


def test_all_pairs_give_the_map_of_the_whole_training_set():
    problem = load_problem("cross-linguistic", "synthetic", quick=True)
    n = problem.X_train.shape[0]
    outcomes = by_pairs(Repeated([problem], [0]), ["least squares"], (0.1, 1.0))
    (few,), (every,) = (outcomes[size]["least squares"] for size in (int(0.1 * n), n))
    whole = RidgeMap(alpha=0.0).fit(problem.X_train, problem.Y_train)
    hits = evaluate(problem, whole.transform(problem.X_test)).hits(1)
    assert np.array_equal(every.hits(1), hits)
    assert few.hits(1).mean() < hits.mean()


def test_training_words_are_searched_as_if_they_were_test_words(languages):
    runs = Repeated([languages], [0])
    rows = {r["metric"]: r["value"].mean for r in training_precision(runs, ["least squares"], 50)}
    fitted = RidgeMap(alpha=0.0).fit(languages.X_train, languages.Y_train)
    words = sorted(set(languages.train_words))
    hits = []
    for i in np.linspace(0, len(words) - 1, 50).astype(int):
        pairs = np.flatnonzero(languages.train_words == words[i])
        mapped = fitted.transform(languages.X_train[pairs[:1]])[0]
        cosines = languages.targets @ mapped / np.linalg.norm(languages.targets, axis=1)
        hits.append(100.0 * (cosines.argmax() in languages.train_gold[pairs]))
    assert rows["P@1, training words"] == np.mean(hits)
    own = evaluate(languages, fitted.transform(languages.X_test)).hits(1)
    assert rows["P@1, test words"] == own.mean()
