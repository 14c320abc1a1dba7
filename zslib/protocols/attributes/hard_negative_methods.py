"""The methods and the data of Bucher, Herbin and Jurie (2016), as their tables compare them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from zslib.arrays import namespace, row_norms, take_rows
from zslib.compatibility import MetricLearner
from zslib.compatibility.metric.negatives import distinct_candidates
from zslib.datasets import load_problem, resolve_all
from zslib.protocols.attributes.methods import ZeroShotMethod
from zslib.validation import check_choice, check_integer

__all__ = [
    "HARD_NEGATIVE_METHODS",
    "common_scale",
    "hard_negative_problems",
    "seen_candidates",
    "with_enough_steps",
]

_GRID = {
    "attribute_weight": (0.1, 1.0),
    "metric_dim": (32, 64),
    "regularization": (1e-5, 1e-3),
}
_TRAINING = {"learning_rate": 0.1, "n_epochs": 15}


def _method(name, negatives, count, growth="across_epochs"):
    fixed = {"negatives": negatives, "negatives_per_positive": count, "growth": growth}
    fixed |= _TRAINING
    return ZeroShotMethod(name, MetricLearner, _GRID, fixed)


HARD_NEGATIVE_METHODS = {
    method.name: method
    for method in (
        _method("Bucher", "random", 1, "within_epoch"),
        _method("random", "random", 10, "within_epoch"),
        _method("uncertainty", "uncertainty", 10),
        _method("uncertainty/correlation", "uncertainty_correlation", 10),
    )
}
"""The last four rows of Table 1 by name. "Bucher" is their earlier paper: one random negative for
each image; the others have 10, where the paper does not say how many. The two random methods draw
theirs anew in each epoch and drop the old ones, so that their number stays; the set that grows is
that of the two methods that mine. The grid has the three parameters that the paper tunes. Learning
rate and epochs suit data of `common_scale`; they were set once, by accuracy on validation classes
under random negatives, and serve all methods alike; small data need more epochs, see
`with_enough_steps`. The paper draws 20% of the training classes for validation:
``run_table(…, split="random", fraction=0.2)``."""


def with_enough_steps(method, problem, *, n_epochs=None, steps=1000):
    """The method with as many epochs as it takes to make so many steps of SGD.

    Parameters
    ----------
    method : ZeroShotMethod
        One of `HARD_NEGATIVE_METHODS`.
    problem : ZeroShotProblem
        Its training images make up an epoch.
    n_epochs : int, optional
        The least number of epochs; by default the method's own.
    steps : int
        Minibatches, at least.

    Returns
    -------
    ZeroShotMethod

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> method = with_enough_steps(HARD_NEGATIVE_METHODS["random"], digits_segments())
    >>> method.fixed["n_epochs"]  # of 1,001 images, 64 at once
    63
    """
    check_integer(steps, "steps", low=1)
    least = check_integer(
        method.fixed["n_epochs"] if n_epochs is None else n_epochs, "n_epochs", low=1
    )
    batches = -(-len(problem.trainval) // method.estimator().batch_size)
    epochs = max(least, math.ceil(steps / batches))
    return replace(method, fixed={**method.fixed, "n_epochs": epochs})


def common_scale(problem):
    """The problem with features of length one, and attributes of length one on average.

    Attributes of classes and of images are divided by one number, the mean length of the seen
    classes' attributes, so that both keep their common unit: `MetricLearner` compares them.

    Parameters
    ----------
    problem : ZeroShotProblem

    Returns
    -------
    ZeroShotProblem
        Its ``feature_scaling`` says so.

    Raises
    ------
    ValueError
        When an image has a zero vector, or the seen classes have nothing but zeros.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> problem = common_scale(digits_segments())
    >>> row_norms(problem.class_embeddings[problem.seen_classes]).mean().round(6)
    np.float32(1.0)
    """
    scaled = problem if problem.feature_scaling == "unit length" else problem.scaled("unit length")
    lengths = row_norms(take_rows(problem.class_embeddings, problem.seen_classes))
    length = float(namespace(lengths).mean(lengths))
    if not length:
        raise ValueError(
            "class_embeddings of all seen classes are zero: check how the attributes were read"
        )
    images = problem.image_attributes
    return replace(
        scaled,
        class_embeddings=problem.class_embeddings / length,
        image_attributes=None if images is None else images / length,
        feature_scaling=f"{scaled.feature_scaling}, attributes of mean length 1",
    )


def hard_negative_problems(dataset="auto", *, split="standard", seed=0, quick=False):
    """The data of the metric-learning chapters, at a common scale.

    Parameters
    ----------
    dataset : str
        Request for the setting "metric learning", as in `zslib.datasets.resolve_all`.
    split : {"standard", "proposed"}
        For ``cub``, ``awa1`` and ``apy``: the split of the paper, or that of Xian et al. (2017).
        Other data have one.
    seed : int
        Of generated data and random splits.
    quick : bool
        Fewer images.

    Returns
    -------
    list of ZeroShotProblem

    Examples
    --------
    >>> [problem.name for problem in hard_negative_problems("synthetic+digits", quick=True)]
    ['synthetic-apy', 'digits_segments']
    """
    check_choice(split, "split", ("standard", "proposed"))
    found = []
    for name in resolve_all("metric learning", dataset):
        options = {"split": split} if name in ("cub", "awa1", "apy") else {}
        problem = load_problem("metric learning", name, seed=seed, quick=quick, **options)
        found.append(common_scale(problem))
    return found


def seen_candidates(problem):
    """The attribute vectors that negatives are drawn from, with all seen classes in training.

    Parameters
    ----------
    problem : ZeroShotProblem

    Returns
    -------
    zslib.compatibility.metric.negatives.Candidates
        Their classes are places in ``problem.seen_classes``.

    Examples
    --------
    >>> (problem,) = hard_negative_problems("digits", quick=True)
    >>> seen_candidates(problem).fewest  # six other classes, with one vector each
    6
    """
    rows, images = problem.trainval, problem.image_attributes
    codes = np.searchsorted(problem.seen_classes, problem.labels[rows])
    classes = take_rows(problem.class_embeddings, problem.seen_classes)
    return distinct_candidates(codes, classes, None if images is None else take_rows(images, rows))
