"""How features and class embeddings are scaled before a method sees them, and new ones after."""

from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np

from zslib.arrays import like, mean_length, namespace, take_rows, to_host, unit_rows
from zslib.datasets.problem import check_problem

COMMON, UNIT = ", attributes of mean length 1", ", class embeddings too"


@dataclass(frozen=True, eq=False, repr=False)
class Scaling:
    """What was done to the features and class embeddings of a problem, for new ones.

    Attributes
    ----------
    name : str
        The ``feature_scaling`` of a problem that was scaled so, and no more.
    steps : tuple
        A pair for each scaling of features, in order: "unit length" and None, or "standard" with
        the mean and deviation of the training images, each (p,).
    class_length : float, "unit length" or None
        What class embeddings were divided by, the length of each for "unit length".
    """

    name: str = "none"
    steps: tuple = ()
    class_length: object = None

    def __repr__(self):
        return f"Scaling({self.name!r})"

    def then(self, step, known, name):
        """The same and one step more, with the statistics of images ``known`` (n, p)."""
        statistics = None
        if step == "standard":
            xp = namespace(known)
            deviation = xp.std(known, axis=0)
            # Of a constant column it may be a rounding of the mean, and is not to be divided by.
            varies = (xp.max(known, axis=0) > xp.min(known, axis=0)) & (deviation > 0)
            deviation = xp.where(varies, deviation, xp.ones_like(deviation))
            statistics = xp.mean(known, axis=0), deviation
        return replace(self, name=name, steps=(*self.steps, (step, statistics)))

    def features(self, X, *, steps=None, name="X"):
        """Features (n, p), scaled by all ``steps``."""
        for _, statistics in self.steps if steps is None else steps:
            if statistics is None:
                X = unit_rows(X, name=name)
            else:
                mean, deviation = (
                    namespace(X).astype(like(to_host(part), X), X.dtype) for part in statistics
                )
                X = (X - mean) / deviation
        return X

    def class_embeddings(self, S):
        """Class embeddings (C, q), scaled."""
        if self.class_length == "unit length":
            return unit_rows(S, name="class_embeddings")
        return self.image_attributes(S)

    def image_attributes(self, A):
        """Attributes of images (n, q): in the unit of the classes', but of any length."""
        return A / self.class_length if isinstance(self.class_length, float) else A

    def unscaled(self, S):
        """Class embeddings of which `class_embeddings` makes ``S``, up to rounding."""
        return S * self.class_length if isinstance(self.class_length, float) else S


def common_scale(problem):
    """The problem with features of length one, and attributes of length one on average.

    Attributes of classes and of images are divided by one number, the mean length of the seen
    classes' attributes, so that both keep their common unit: `MetricLearner` compares them.
    """
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    length = mean_length(take_rows(problem.class_embeddings, problem.seen_classes))
    if not length:
        raise ValueError(
            "class_embeddings of all seen classes are zero: check how the attributes were read"
        )
    return _scaled_classes(problem, length, COMMON)


def unit_length(problem):
    """The problem with features and class embeddings of length one (Guo et al. 2019, page 6).

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> digits_segments().class_embeddings[7]
    array([1., 1., 1., 0., 0., 0., 0.], dtype=float32)
    >>> unit_length(digits_segments()).class_embeddings[7].round(2)
    array([0.58, 0.58, 0.58, 0.  , 0.  , 0.  , 0.  ], dtype=float32)
    """
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    zero = problem.class_names[~np.any(to_host(problem.class_embeddings), axis=1)]
    if zero.size:
        raise ValueError(
            f"the vectors of {', '.join(zero)} are zero, and none has a direction: mend them, or "
            "leave out these classes"
        )
    return _scaled_classes(problem, "unit length", UNIT)


def _scaled_classes(problem, length, words):
    """The problem with features of length one, and class embeddings divided by ``length``."""
    scaled = problem if problem.feature_scaling == "unit length" else problem.scaled("unit length")
    name, images = f"{scaled.feature_scaling}{words}", problem.image_attributes
    scaler = replace(scaled.scaler or Scaling(), name=name, class_length=length)
    return replace(
        scaled,
        class_embeddings=scaler.class_embeddings(problem.class_embeddings),
        image_attributes=None if images is None else scaler.image_attributes(images),
        scaler=scaler,
        feature_scaling=name,
    )


def scaled_as(problem, scaling):
    """The problem with the ``feature_scaling`` of another, which is ``scaling``.

    Where no single scaling leads there, or arrays were changed by hand after one: ValueError.
    """
    now = problem.feature_scaling
    before = "" if now == "none" else f"{now}, then "
    unit = now if now == "unit length" else f"{before}unit length"
    ways = {
        now: methodcaller("scaled", "none"),
        f"{unit}{COMMON}": common_scale,
        f"{unit}{UNIT}": unit_length,
        f"{before}unit length": methodcaller("scaled", "unit length"),
        f"{before}standard": methodcaller("scaled", "standard"),
    }
    if scaling not in ways:
        raise ValueError(
            f"the features of problem are scaled by {now!r}, which is not on the way to "
            f"{scaling!r}: pass the problem before it was scaled, or with that scaling"
        )
    if problem.scaler is not None and problem.scaler.name != now:
        raise ValueError(
            f"the arrays of problem were changed ({now}) after {problem.scaler.name!r}, so that "
            "new images cannot be scaled as they were: pass scaler=None, and images scaled "
            "by hand"
        )
    return ways[scaling](problem)
