"""How two papers scale features and class embeddings before a method sees them."""

from dataclasses import replace

from zslib.arrays import namespace, row_norms, take_rows, unit_rows
from zslib.datasets.problem import check_problem

__all__ = ["common_scale", "unit_length"]


def common_scale(problem):
    """The problem with features of length one, and attributes of length one on average.

    Attributes of classes and of images are divided by one number, the mean length of the seen
    classes' attributes, so that both keep their common unit: `MetricLearner` compares them.
    """
    scaled = _unit_features(problem)
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


def unit_length(problem):
    """The problem with features and class embeddings of length one (Guo et al. 2019, p. 6)."""
    scaled = _unit_features(problem)
    return replace(
        scaled,
        class_embeddings=unit_rows(problem.class_embeddings, name="class_embeddings"),
        feature_scaling=f"{scaled.feature_scaling}, class embeddings too",
    )


def _unit_features(problem):
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    return problem if problem.feature_scaling == "unit length" else problem.scaled("unit length")
