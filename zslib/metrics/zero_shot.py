"""Accuracy in zero-shot and generalised zero-shot learning, and the seen-unseen curve.

References
----------
Guo et al. (2019): Dual-View Ranking with Hardness Assessment for Zero-Shot Learning, AAAI,
Eqs. 12 to 14. Xian, Schiele and Akata (2017): Zero-shot learning - the good, the bad and the
ugly, CVPR. Chao, Changpinyo, Gong and Sha (2016): An empirical study and analysis of generalized
zero-shot learning for object recognition in the wild, ECCV.
"""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from zslib.arrays import like, namespace, to_host
from zslib.validation import (
    as_array,
    as_labels,
    as_vectors,
    check_columns,
    check_indices,
    check_integer,
    check_mask,
    check_paired,
    check_real,
    check_row_names,
    check_same_rows,
    column_names,
    numbered,
    whole_numbers,
)


def class_accuracies(y_true, y_pred, classes=None):
    """Share of right predictions among the samples of each class, float64 (n_classes,).

    Parameters
    ----------
    y_true, y_pred : (n,) int arrays
        True and predicted classes; or their names.
    classes : (n_classes,) int array, optional
        The set C of Eq. 12: samples of other classes are left out. Default: the classes that
        occur in ``y_true``, in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> class_accuracies(np.array([0, 0, 3, 3, 3, 3]), np.array([0, 1, 3, 3, 3, 0]))
    array([0.5 , 0.75])
    """
    check_paired(y_true, y_pred, "y_true", "y_pred")
    given = {"y_true": y_true, "y_pred": y_pred, "classes": classes}
    given = {name: as_labels(one, name) for name, one in given.items() if one is not None}
    numbers = numbered(**given)
    xp, names = namespace(*numbers), classes
    y_true, y_pred, *chosen = map(_labels, numbers, given)
    check_same_rows(y_true, y_pred, "y_true", "y_pred")
    classes = chosen[0] if chosen else xp.sort(xp.unique_values(y_true))
    if xp.unique_values(classes).shape != classes.shape:
        raise ValueError("classes lists a class twice: give each class once")
    counts = []
    for labels in (xp.sort(y_true), xp.sort(y_true[y_true == y_pred])):
        below = xp.searchsorted(labels, classes)
        counts.append(xp.searchsorted(labels, classes, side="right") - below)
    n_samples, n_hits = (xp.astype(count, xp.float64) for count in counts)
    empty = np.flatnonzero(to_host(n_samples) == 0)
    if empty.size:
        raise ValueError(
            f"{empty.size} class(es) have no sample in y_true, the first is class "
            f"{list(names)[empty[0]]}: leave them out of classes"
        )
    return n_hits / n_samples


def per_class_accuracy(y_true, y_pred, classes=None):
    r"""Average per-class top-1 accuracy, in [0, 1] (Guo et al. 2019, Eq. 12).

    .. math:: ACC_C = \frac{1}{|C|} \sum_{c \in C}
              \frac{\text{right predictions in } c}{\text{samples in } c}.

    Every class weighs the same, however many samples it has. Parameters as in `class_accuracies`.

    Examples
    --------
    >>> import numpy as np
    >>> per_class_accuracy(np.array([0, 0, 3, 3, 3, 3]), np.array([0, 1, 3, 3, 3, 0]))
    0.625
    """
    accuracies = class_accuracies(y_true, y_pred, classes)
    return float(namespace(accuracies).mean(accuracies))


def harmonic_mean(seen, unseen):
    r"""Harmonic mean H of seen and unseen accuracy (Guo et al. 2019, Eq. 14).

    .. math:: H = \frac{2 \, ACC_{C^s} ACC_{C^u}}{ACC_{C^s} + ACC_{C^u}},

    and 0 where both accuracies are 0. Both are numbers or arrays of one shape, in the same unit.

    Examples
    --------
    >>> harmonic_mean(60.0, 30.0)
    40.0
    >>> harmonic_mean(0.0, 0.0)
    0.0
    """
    if isinstance(seen, Real) and isinstance(unseen, Real):
        seen = check_real(seen, "seen", low=0.0)
        unseen = check_real(unseen, "unseen", low=0.0)
        low, high = sorted((seen, unseen))
        # Neither the product of both nor their sum would stay in the range of floats.
        return low / ((1 + low / high) / 2) if high > 0 else 0.0
    check_paired(seen, unseen, "seen", "unseen")
    seen, unseen = _accuracies(seen, "seen"), _accuracies(unseen, "unseen")
    xp = namespace(seen, unseen)
    if seen.shape != unseen.shape and 0 not in (seen.ndim, unseen.ndim):
        raise ValueError(
            f"seen has shape {tuple(seen.shape)} and unseen {tuple(unseen.shape)}: they must be "
            "the same"
        )
    low, high = xp.minimum(seen, unseen), xp.maximum(seen, unseen)
    return low / ((1 + low / xp.where(high > 0, high, xp.ones_like(high))) / 2)


def _accuracies(values, name):
    """``values`` as an array of accuracies, integers and small types as float64."""
    values = as_array(values, name)
    xp = namespace(values)
    numbers = xp.isdtype(values.dtype, ("integral", "real floating"))
    if not numbers or not bool(xp.all(xp.isfinite(values) & (values >= 0))):
        raise ValueError(f"{name} must hold accuracies, finite and at least 0")
    kept = values.dtype in (xp.float32, xp.float64)
    return values if kept else xp.astype(values, xp.float64)


def top_classes(scores, k=1):
    """The k classes with the highest scores for each sample, best first, ties to the lower row.

    `zslib.metrics.k_occurrence` of the result, int64 (n, k), is the hubness N_k of the class
    embeddings among the samples, and `zslib.metrics.pollution` with the seen classes marked says
    how often a seen class pushes into the first k.

    Parameters
    ----------
    scores : (n, C) float array
        Higher is better.
    k : int, default 1
        At most C.

    Returns
    -------
    (n, k) int64 array
        Columns of ``scores``.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.metrics import k_occurrence, pollution
    >>> found = top_classes(np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.9]]), k=2)
    >>> found
    array([[1, 2],
           [2, 0]])
    >>> k_occurrence(found, 3)
    array([1, 1, 2])
    >>> pollution(found[:, :1], np.array([True, True, False]))
    array([ True, False])
    """
    scores = as_vectors(scores, "scores")
    xp = namespace(scores)
    k = check_integer(k, "k", low=1, high=scores.shape[1], high_means=" (the number of classes)")
    if k == 1:
        return xp.astype(xp.argmax(scores, axis=1)[:, None], xp.int64)
    return xp.astype(xp.argsort(-scores, axis=1, stable=True)[:, :k], xp.int64)


def seen_unseen_maxima(scores, is_seen):
    """The best seen and the best unseen class of each sample, and the gamma at which the two tie.

    With calibrated stacking (Eq. 13) a sample goes to its best seen class while gamma is below
    ``flips``, and to its best unseen class from there on: nothing else about the scores matters.
    Scores are (n, C), ``is_seen`` (C,) marks the seen classes, and ties go to the lower column.

    Returns
    -------
    best_seen, best_unseen : (n,) int64 arrays
        Columns of ``scores``.
    flips : (n,) float64 array
        Largest seen minus largest unseen score.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.5, 0.2, 0.25], [0.0, 0.5, 1.0]])
    >>> seen_unseen_maxima(scores, np.array([True, True, False]))
    (array([0, 1]), array([2, 2]), array([ 0.25, -0.5 ]))
    """
    scores, mask = check_seen_columns(scores, is_seen, "scores")
    xp = namespace(scores)
    best, highest = [], []
    for side in (mask, ~mask):
        columns = like(np.flatnonzero(side), scores)
        among = xp.take(scores, columns, axis=1)
        best.append(xp.take(columns, xp.argmax(among, axis=1)))
        highest.append(xp.astype(xp.max(among, axis=1), xp.float64))
    with np.errstate(over="ignore"):
        flips = highest[0] - highest[1]
    if not bool(xp.all(xp.isfinite(flips))):
        raise ValueError(
            "scores of seen and unseen classes differ by more than float64 holds: divide them by "
            "a constant"
        )
    return best[0], best[1], flips


@dataclass(frozen=True, eq=False)
class SeenUnseenCurve:
    """Seen and unseen per-class accuracy at every gamma of calibrated stacking.

    Attributes
    ----------
    gammas : (m + 1,) float64 array
        Minus infinity, then, ascending, every gamma at which a prediction changes. Entry i of
        the accuracies holds for ``gammas[i] <= gamma < gammas[i + 1]``.
    seen : (m + 1,) float64 array
        Accuracy of the seen classes' samples; falls to 0.
    unseen : (m + 1,) float64 array
        Accuracy of the unseen classes' samples; rises from 0 to the accuracy that they have when
        only unseen classes are candidates.
    """

    gammas: object
    seen: object
    unseen: object

    @property
    def area(self):
        """Area under the curve, AUSUC of Chao et al. (2016), in [0, 1], by trapezoids."""
        steps = self.unseen[1:] - self.unseen[:-1]
        heights = (self.seen[1:] + self.seen[:-1]) / 2
        return float(namespace(steps).sum(steps * heights))

    @property
    def harmonic_means(self):
        """H (Eq. 14) at each entry of ``gammas``, (m + 1,) array."""
        return harmonic_mean(self.seen, self.unseen)

    @property
    def best_harmonic_mean(self):
        """The largest H that any gamma reaches."""
        return float(namespace(self.seen).max(self.harmonic_means))

    @property
    def best_gamma(self):
        """Middle of the first stretch of gammas with the largest H; 0 where H is 0 throughout."""
        means, gammas = to_host(self.harmonic_means), to_host(self.gammas)
        if not means.any():
            return 0.0
        largest = means >= means.max() * (1 - 1e-9)  # not for a rounding
        first = int(np.argmax(largest))
        # H is 0 at both ends, so that the stretch has two finite ends.
        after = first + int(np.argmin(largest[first:]))
        return float(gammas[first] / 2 + gammas[after] / 2)

    def at(self, gamma):
        """Seen and unseen accuracy under one gamma; at a tie the unseen class is taken."""
        gamma = check_real(gamma, "gamma")
        i = int(np.searchsorted(to_host(self.gammas), gamma, side="right")) - 1
        return float(self.seen[i]), float(self.unseen[i])


def seen_unseen_curve(scores_seen, y_seen, scores_unseen, y_unseen, is_seen) -> SeenUnseenCurve:
    r"""Every pair of seen and unseen accuracy that calibrated stacking can reach.

    Calibrated stacking subtracts gamma from the scores of seen classes (Eq. 13). As gamma grows,
    each sample moves once, from its best seen to its best unseen class, at the difference of the
    two scores. So the curve of Chao et al. (2016) is exact, without a grid of gammas, and costs
    O(n log n) after two maxima per sample. Its ends lie on the axes.

    The area is summed by trapezoids. Where samples move one by one the curve is a staircase and
    trapezoids are exact; where seen and unseen samples move at the same gamma they join the two
    corners by a line, as for a ROC curve. With :math:`\delta` the gamma at which a sample moves,

    .. math:: AUSUC = \sum_i \sum_j w_i w_j \left([\delta_j < \delta_i]
              + \tfrac12 [\delta_j = \delta_i]\right)

    over seen samples i and unseen samples j which are classified rightly among the classes of
    their own kind, where :math:`w = 1 / (\text{classes} \cdot \text{samples of the class})`.

    Parameters
    ----------
    scores_seen, scores_unseen : (n_s, C) and (n_u, C) float arrays
        Scores of test samples of seen and of unseen classes, for all classes.
    y_seen, y_unseen : (n_s,) and (n_u,) int arrays
        Their classes, columns of the scores.
    is_seen : (C,) bool array
        Which columns are seen classes.

    Returns
    -------
    SeenUnseenCurve
        With the library and device of the scores, though it is put together on the host.

    Examples
    --------
    >>> import numpy as np
    >>> is_seen = np.array([True, True, False])
    >>> scores_seen = np.array([[0.75, 0.0, 0.5], [0.0, 0.5, 0.5]])
    >>> scores_unseen = np.array([[0.0, 0.25, 0.5], [0.5, 0.25, 0.375]])
    >>> curve = seen_unseen_curve(
    ...     scores_seen, np.array([0, 1]), scores_unseen, np.array([2, 2]), is_seen)
    >>> curve.gammas
    array([ -inf, -0.25 , 0.   , 0.125, 0.25 ])
    >>> curve.seen
    array([1. , 1. , 0.5, 0.5, 0. ])
    >>> curve.unseen
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> curve.area, round(curve.best_harmonic_mean, 4), curve.best_gamma
    (0.75, 0.6667, -0.125)
    >>> curve.at(0.2)
    (0.5, 1.0)
    """
    given = ("seen", scores_seen, y_seen), ("unseen", scores_unseen, y_unseen)
    for side, scores, labels in given:
        check_paired(scores, labels, f"scores_{side}", f"y_{side}")
        check_row_names(is_seen, column_names(scores), "is_seen", f"scores_{side}")
    check_columns(scores_unseen, column_names(scores_seen), "scores_unseen", "scores_seen")
    is_seen = as_array(is_seen, "is_seen")
    sides = [
        (side, as_vectors(scores, f"scores_{side}"), as_array(labels, f"y_{side}"))
        for side, scores, labels in given
    ]
    namespace(*(array for _, *both in sides for array in both))
    flips, weights = [], []
    for side, scores, labels in sides:
        best_seen, best_unseen, gammas = seen_unseen_maxima(scores, is_seen)
        labels = _labels(labels, f"y_{side}")
        check_same_rows(labels, scores, f"y_{side}", f"scores_{side}")
        check_indices(labels, f"y_{side}", scores.shape[1])
        y = to_host(labels)
        strange = y[to_host(is_seen)[y] != (side == "seen")]
        if strange.size:
            raise ValueError(
                f"y_{side} holds class {strange[0]}, which is_seen marks as the other kind: test "
                "samples must be on the side of their class"
            )
        right = (best_seen if side == "seen" else best_unseen) == labels
        flips.append(to_host(gammas))
        weights.append(to_host(right) * sample_weights(y))
    curve = curve_of_weights(*flips, *weights)
    parts = curve.gammas, curve.seen, curve.unseen
    return SeenUnseenCurve(*(like(part, sides[0][1]) for part in parts))


def curve_of_weights(flips_seen, flips_unseen, weights_seen, weights_unseen):
    """The curve, from the gammas at which samples move, and what their being right is worth.

    All are host arrays; weights of samples that are never right are 0.
    """
    points, where_seen, where_unseen = _points(flips_seen, flips_unseen)
    lost = np.bincount(where_seen, weights_seen, minlength=points.size)
    won = np.bincount(where_unseen, weights_unseen, minlength=points.size)
    # Sums start from 0, and only grow, so that ends and order are exact.
    seen = np.append(np.cumsum(lost[::-1])[::-1], 0.0)
    unseen = np.append(0.0, np.cumsum(won))
    gammas = np.append(-np.inf, points)
    return SeenUnseenCurve(gammas, np.minimum(seen, 1.0), np.minimum(unseen, 1.0))


def _points(flips_seen, flips_unseen):
    """The gammas at which something moves, and the place of each sample's among them."""
    points, where = np.unique(np.concatenate([flips_seen, flips_unseen]), return_inverse=True)
    return points, where[: flips_seen.size], where[flips_seen.size :]


def areas_of_weights(flips_seen, flips_unseen):
    """The area under the curve as a function of rows of weights: see `curve_of_weights`."""
    points, where_seen, where_unseen = _points(flips_seen, flips_unseen)

    def areas(weights_seen, weights_unseen):
        lost = row_sums(where_seen, points.size, weights_seen)
        won = row_sums(where_unseen, points.size, weights_unseen)
        # Between the heights on both sides of a point lies half of what is lost there.
        heights = np.cumsum(lost[:, ::-1], axis=1)[:, ::-1] - lost / 2
        return np.sum(won * heights, axis=1)

    return areas


def row_sums(where, size, weights):
    """`numpy.bincount` of each row of ``weights`` at the places ``where`` (host)."""
    n_rows = len(weights)
    places = where + size * np.arange(n_rows)[:, None]
    found = np.bincount(places.ravel(), weights.ravel(), minlength=n_rows * size)
    return found.reshape(n_rows, size)


def sample_weights(labels):
    """Weight of each sample in average per-class accuracy: they sum to 1 (host array)."""
    classes, where, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return 1.0 / (classes.size * counts[where])


def check_seen_columns(scores, is_seen, name):
    """``scores`` as an array, and the mask of its seen classes on the host, with both kinds."""
    check_row_names(is_seen, column_names(scores), "is_seen", name)
    scores = as_vectors(scores, name)
    mask = to_host(check_mask(is_seen, "is_seen", scores.shape[1], f"classes (columns of {name})"))
    if mask.all() or not mask.any():
        raise ValueError(
            f"is_seen marks {'all' if mask.all() else 'none'} of the classes: generalised "
            "zero-shot learning needs seen and unseen ones"
        )
    return scores, mask


def _labels(labels, name):
    """``labels`` as int64 when they are a non-empty 1-d integer array."""
    labels = whole_numbers(labels, name, "classes", low=-math.inf)
    return namespace(labels).astype(labels, namespace(labels).int64)
