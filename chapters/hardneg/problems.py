"""The data of the chapters on hard negatives, and their negatives."""

import numpy as np

from zslib.arrays import take_rows
from zslib.compatibility.metric.negatives import distinct_candidates
from zslib.datasets import load_problem, resolve_all
from zslib.datasets.attributes.scaling import common_scale


def hard_negative_problems(dataset="auto", *, split="standard", seed=0, quick=False):
    """The data of the metric-learning chapters, at a common scale.

    The ``split`` of ``cub``, ``awa1`` and ``apy`` is that of the paper ("standard") or of Xian et
    al. 2017 ("proposed"); other data have one.
    """
    problems = []
    for name in resolve_all("metric learning", dataset):
        options = {"split": split} if name in ("cub", "awa1", "apy") else {}
        problem = load_problem("metric learning", name, seed=seed, quick=quick, **options)
        problems.append(common_scale(problem))
    return problems


def seen_candidates(problem):
    """The attribute vectors that negatives are drawn from, with all seen classes in training.

    Their classes are places in ``problem.seen_classes``.
    """
    rows, images = problem.trainval, problem.image_attributes
    codes = np.searchsorted(problem.seen_classes, problem.labels[rows])
    classes = take_rows(problem.class_embeddings, problem.seen_classes)
    return distinct_candidates(codes, classes, None if images is None else take_rows(images, rows))
