"""Cross-fitting over classes: every class of a data set is unseen once, and seen otherwise."""

from dataclasses import dataclass, replace

import numpy as np

from zslib.datasets.attributes.splits import class_parts, crossed_classes
from zslib.datasets.problem import check_problem
from zslib.protocols.attributes.outcome import in_percent
from zslib.protocols.sweep import check_seeds
from zslib.validation import check_choice, check_integer


def crossed_problems(problem, folds, *, seed=0):
    """One problem for each of so many ``folds`` of the classes, with that fold unseen.

    All other classes are seen, with all their images. ``seed`` draws a permutation of the classes,
    which is cut into folds; its numbers are the same for every problem with as many classes.
    """
    classes = np.union1d(problem.seen_classes, np.unique(problem.labels[problem.test_unseen]))
    most = classes.size // 2
    check_integer(folds, "folds", low=2, high=most, high_means=" (two classes in each)")
    check_integer(seed, "seed", low=0)
    images = np.concatenate([problem.trainval, problem.test_seen, problem.test_unseen])
    labels = np.full(problem.labels.shape, -1)
    labels[images] = problem.labels[images]
    numbers = range(folds * seed, folds * (seed + 1))
    splits = (crossed_classes(classes, seed=number, folds=folds) for number in numbers)
    parts = (class_parts(labels, *split, seen_fraction=0.0) for split in splits)
    return [replace(problem, **part) for part in parts]


def cross_fit(experiment, problem, folds, seeds):
    """What an experiment gives on folds of all classes, as if of one problem.

    Parameters
    ----------
    experiment : callable
        ``experiment(problem, seeds)`` trains on one of the `crossed_problems` and gives ``{name:
        one run per seed}``, each a `ZeroShotOutcome` or with one as ``outcome``; it is called
        with a single seed.
    problem : ZeroShotProblem
    folds : int
    seeds : sequence of int
        Of the permutations, and of the trainings on their folds.

    Returns
    -------
    dict of str to list of CrossFittedOutcome
        One per seed.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> from zslib.protocols import run_table, unit_length, zero_shot_estimate
    >>> digits = unit_length(load_problem("attributes", "digits"))
    >>> def train(problem, seeds):
    ...     return run_table(["ESZSL"], problem, seeds, parameters={"feature_penalty": 0.1})
    >>> runs = cross_fit(train, digits, 3, seeds=(0, 1))
    >>> print(zero_shot_estimate(runs["ESZSL"], "ACC"))
    35.4 [20.4, 50.1]
    """
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    crossed = {}
    for seed in check_seeds(seeds):
        parts = crossed_problems(problem, folds, seed=seed)
        trained = [experiment(part, [seed]) for part in parts]
        for name in trained[0]:
            if any(len(of[name]) != 1 for of in trained):
                raise ValueError(
                    f"experiment gives {len(trained[0][name])} runs of {name!r} for one seed: let "
                    "it train on the seeds that it is given"
                )
            outcomes = [getattr(run, "outcome", run) for of in trained for run in of[name]]
            joined = CrossFittedOutcome.of(problem, parts, outcomes)
            crossed.setdefault(name, []).append(joined)
    return crossed


@dataclass(frozen=True)
class CrossFittedOutcome:
    """The outcomes of the folds of one permutation as one: standard zero-shot accuracy alone.

    ``true`` and ``answers``, (n,), are the class of each image, in the order of the data, and the
    nearest of the classes that were unseen with it; ``checksum`` is of the problem before it was
    crossed, so that permutations have the same test images.
    """

    checksum: str
    true: np.ndarray
    answers: np.ndarray

    @classmethod
    def of(cls, problem, parts, outcomes):
        """Of the outcomes on the `crossed_problems` of a problem."""
        images = np.concatenate([part.test_unseen for part in parts])
        order = np.argsort(images)
        answers = np.concatenate([outcome.predictions("ACC") for outcome in outcomes])
        return cls(problem.checksum, problem.labels[images[order]], answers[order])

    def labels(self, measure):
        """True classes of all images."""
        check_choice(measure, "measure", ("ACC",))
        return self.true

    def right(self, measure):
        """Whether each image is recognised, (n,) bool array."""
        return self.labels(measure) == self.answers

    def class_accuracies(self, measure="ACC"):
        """Accuracy of each class in percent, in their order."""
        _, codes, counts = np.unique(self.labels(measure), return_inverse=True, return_counts=True)
        return 100.0 * np.bincount(codes, weights=self.right(measure)) / counts

    def value(self, measure):
        """The mean over all classes, in percent."""
        return float(self.class_accuracies(measure).mean())

    accuracy = in_percent("ACC", "Mean accuracy of all classes")
