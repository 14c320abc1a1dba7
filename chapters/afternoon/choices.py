"""Every choice of three digits that no training image shows."""

from itertools import combinations

from zslib.datasets import digits_segments
from zslib.datasets.attributes.digits import SEGMENTS
from zslib.mapping import RidgeMap
from zslib.metrics import per_class_accuracy
from zslib.search import top_k


def digits_without(unseen, **options):
    """The digits with these three unseen; of the others the last two are for validation."""
    if len(set(unseen)) != 3:
        raise ValueError(f"unseen must be three different digits, joined by +, got {unseen}")
    unseen = [list(SEGMENTS).index(name) for name in unseen]
    val = [digit for digit in range(10) if digit not in unseen][-2:]
    return digits_segments(unseen=unseen, val=val, **options)


def name_unseen(problem, penalty=1.0):
    """Rows of the unseen digits' images, and the digit that a ridge map names for each."""
    X, segments, unseen = problem.features, problem.class_embeddings, problem.unseen_classes
    train, test = problem.trainval, problem.test_unseen
    ridge = RidgeMap(alpha=penalty).fit(X[train], segments[problem.labels[train]])
    _, nearest = top_k(ridge.transform(X[test]), segments[unseen], 1)
    return test, unseen[nearest[:, 0]]


def every_choice(penalty=1.0, **options):
    """Per-class accuracy in percent under each choice of three unseen digits, by their names."""
    found = {}
    for unseen in combinations(SEGMENTS, 3):
        problem = digits_without(unseen, **options)
        rows, answers = name_unseen(problem, penalty)
        found[unseen] = 100 * per_class_accuracy(problem.labels[rows], answers)
    return found
