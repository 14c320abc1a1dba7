"""Fit a zero-shot scorer and let classes compete for the test images.

References
----------
Guo et al. (2019): Dual-View Ranking with Hardness Assessment for Zero-Shot Learning, AAAI,
"Setting". Xian, Schiele and Akata (2017): Zero-shot learning - the good, the bad and the ugly.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from zslib.arrays import like, take_rows, to_host
from zslib.protocols.attributes.outcome import Competition, ZeroShotOutcome
from zslib.validation import check_choice, check_integer, check_real

__all__ = ["evaluate_zero_shot"]


def evaluate_zero_shot(
    model, problem, *, gamma=None, train_on="trainval", k=10, keep_scores=False
) -> ZeroShotOutcome:
    """Fit ``model`` on the training images of seen classes and test it, in both settings.

    Standard ZSL: the test images of unseen classes, with unseen classes as the only candidates.
    Generalised ZSL: the test images of seen and of unseen classes, with all classes as
    candidates, gamma taken off the scores of seen ones (Eq. 13).

    Parameters
    ----------
    model : CompatibilityModel
        Or anything with ``fit(X, y, class_embeddings)`` and ``decision_function(X,
        class_embeddings)``. It is cloned, not changed. If its ``fit`` takes
        ``image_attributes`` and the problem has some, it gets those of the training images.
    problem : ZeroShotProblem
        Its arrays may be on another device, after ``problem.to(device)``.
    gamma : float or None
        None, as 0, does not calibrate. `ZeroShotOutcome.at` gives any other gamma without a fit.
    train_on : {"trainval", "all seen"}
        Images to train the model of standard ZSL on. Guo et al. (2019) use all images of seen
        classes there, the test images too, and train once more, on ``trainval``, for
        generalised ZSL. Xian et al. (2017) train on ``trainval`` for both.
    k : int
        Classes of each kind to keep for each image.
    keep_scores : bool
        Whether to keep all scores.

    Returns
    -------
    ZeroShotOutcome

    Raises
    ------
    ValueError
        For an unknown option, or when the model's scores are not finite.

    Examples
    --------
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> outcome = evaluate_zero_shot(ESZSL(), digits_segments())
    >>> round(outcome.accuracy, 1), round(outcome.seen, 1), round(outcome.unseen, 1)
    (68.3, 63.5, 32.0)
    >>> round(outcome.at(0.2).harmonic_mean, 1), round(outcome.ausuc, 1)
    (51.4, 40.2)
    """
    check_choice(train_on, "train_on", ("trainval", "all seen"))
    check_integer(k, "k", low=1)
    gamma = 0.0 if gamma is None else check_real(gamma, "gamma")
    features, embeddings = problem.features, problem.class_embeddings

    def fitted(rows):
        labels = like(problem.labels[rows], features)
        more = {}
        if problem.image_attributes is not None and has_fit_parameter(model, "image_attributes"):
            more["image_attributes"] = take_rows(problem.image_attributes, rows)
        return clone(model).fit(take_rows(features, rows), labels, embeddings, **more)

    generalised = fitted(problem.trainval)
    standard = generalised
    if train_on == "all seen" and problem.test_seen.size:
        standard = fitted(np.concatenate([problem.trainval, problem.test_seen]))
    every = np.arange(problem.is_seen.size)
    tests = {
        "zero_shot": (standard, problem.test_unseen, problem.unseen_classes),
        "test_unseen": (generalised, problem.test_unseen, every),
        "test_seen": (generalised, problem.test_seen, every),
    }
    sides, scores = {}, {}
    for name, (scorer, rows, candidates) in tests.items():
        if not rows.size:
            sides[name] = None
            continue
        found = scorer.decision_function(
            take_rows(features, rows), take_rows(embeddings, candidates)
        )
        sides[name] = Competition.of_scores(
            found, problem.labels[rows], candidates, problem.is_seen, k
        )
        if keep_scores:
            scores[name] = to_host(found)
    fields = problem.checksum, problem.is_seen, gamma
    return ZeroShotOutcome(*fields, **sides, scores=scores or None)
