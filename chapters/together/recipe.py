"""A recipe on words and classes that chose nothing, and beside the best of all systems."""

from dataclasses import replace
from itertools import product

import numpy as np

from chapters.hubness.unused_words import with_all_words
from zslib.datasets.attributes.splits import class_parts, crossed_classes
from zslib.protocols.attributes.crossing import CrossFittedOutcome
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.intervals import Estimate
from zslib.protocols.tidy import row

_METRICS = ("ACC", "H")


def on_unused_words(runs):
    """The same experiment, tested on the words of its dictionaries that chose nothing.

    They are in no training pair, and not among the test words of the chapters that compare maps.
    Of data without such words it is the experiment as it is.
    """
    known = runs.problem
    problem = with_all_words(runs)
    if problem is None:
        return runs
    new = np.flatnonzero(~np.isin(problem.test_words, known.test_words))
    other = replace(
        problem,
        description=f"{problem.description}, test words that chose nothing",
        X_test=problem.X_test[new],
        test_words=problem.test_words[new],
        test_gold=tuple(problem.test_gold[i] for i in new),
        labels=None,
    )
    return replace(runs, problems=[other] * len(runs.problems))


def other_splits(problem):
    """The problem with other unseen classes: each that was seen is unseen in one of its splits.

    The classes that were unseen are training classes in all of them, and all images of an unseen
    class are tested. There are as many splits as keep the number of unseen classes about as it
    was; names tell their choices of settings apart.
    """
    folds = max(2, round(problem.seen_classes.size / problem.unseen_classes.size))
    for fold in range(folds):
        train, val, unseen = crossed_classes(problem.seen_classes, seed=fold, folds=folds)
        train = np.union1d(train, problem.unseen_classes)
        parts = class_parts(problem.labels, train, val, unseen)
        yield replace(problem, name=f"{problem.name} split {fold}", **parts)


def on_other_classes(methods, problem, **options):
    """Outcomes over all classes of `other_splits`, ``{method: [CrossFittedOutcome]}``."""
    parts, joined = list(other_splits(problem)), {}
    for method in methods:
        outcomes = [run_zero_shot(method, part, **options).outcome for part in parts]
        joined[method.name] = [CrossFittedOutcome.of(problem, parts, outcomes)]
    return joined


def best_on_board(records, problems, label):
    """Rows of each metric's best system of the leaderboard's ``records``, by data set.

    ``label`` gives the short name of a problem. Methods are told as "best by METRIC: name".
    """
    for problem, metric in product(problems, _METRICS):
        where = {"dataset": problem.name, "metric": metric, "calibration": "chosen"}
        if systems := records.only(**where):
            best = max(systems, key=lambda r: r["value"])
            name = f"best by {metric}: {best['method']}"
            yield row(label(problem), metric, name, Estimate.of(best))
