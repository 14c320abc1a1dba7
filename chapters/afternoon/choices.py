"""Every choice of three digits that no training image shows."""

from itertools import combinations

from chapters.afternoon.teaching import named
from zslib.datasets import digits_segments
from zslib.datasets.attributes.digits import SEGMENTS
from zslib.mapping import RidgeMap


def digits_without(unseen, **options):
    """The digits with these three unseen; of the others the last two are for validation."""
    if len(set(unseen)) != 3:
        raise ValueError(f"unseen must be three different digits, joined by +, got {unseen}")
    unseen = [list(SEGMENTS).index(name) for name in unseen]
    val = [digit for digit in range(10) if digit not in unseen][-2:]
    return digits_segments(unseen=unseen, val=val, **options)


def every_choice(penalty=1.0, **options):
    """Per-class accuracy in percent under each choice of three unseen digits, by their names."""
    found = {}
    for unseen in combinations(SEGMENTS, 3):
        problem = digits_without(unseen, **options)
        X, train = problem.features, problem.trainval
        targets = problem.class_embeddings[problem.labels[train]]
        ridge = RidgeMap(alpha=penalty).fit(X[train], targets)
        found[unseen] = named(ridge, problem, problem.test_unseen, problem.unseen_classes)
    return found
