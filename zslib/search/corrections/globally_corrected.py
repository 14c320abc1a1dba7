"""Globally corrected retrieval."""

import numpy as np
from array_api_compat import is_numpy_namespace

from zslib.arrays import namespace, to_host
from zslib.search.corrections.base import Correction, check_several


class GloballyCorrected(Correction):
    """Rank of the query among all queries, as seen from the target.

    A target y is as good an answer to the query x as x is near to y among the queries P (Dinu,
    Lazaridou and Baroni 2015, "Improving zero-shot learning by mitigating the hubness problem",
    section 4):

        score(x, y) = -rank_{y,P}(x) + tie(x, y)

    where the rank is the number of queries in P with a strictly higher score with y (higher by
    more than rounding, where P is given), and the uncorrected score s breaks ties. A hub is near
    to many queries, so that most of them have a bad rank with it.

    The paper prints the rank minus the cosine, in which a difference of cosines above 1 outweighs
    a step in rank. Here tie = s / (2 c + 2|s|), in (-1/2, 1/2), grows with s and never does; c is
    the largest score that the lengths of the vectors allow the query, 1 for cosines; or the
    largest distance from it to some of the targets.

    Parameters
    ----------
    reference : (n_reference, d) float array or None, default None
        The queries P; None: the queries themselves, at least two. The paper adds further source
        vectors.

    Attributes
    ----------
    reference_ : (n_reference, d) array
        After `fit`: ranks rest on all of P, so that each search scores them anew.

    Examples
    --------
    The target 1 is the nearest of both queries. It keeps only the query that is nearest to it:

    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> queries = np.array([[1.0, 0.6], [1.0, 0.9]])
    >>> targets = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> top_k(queries, targets, 1)[1].T
    array([[1, 1]])
    >>> top_k(queries, targets, 1, correction=GloballyCorrected())[1].T
    array([[0, 1]])
    """

    jump = 1.0  # a rank
    by_length = True

    def check(self, side):
        check_several(side, self)

    def begin(self, side):
        return side.scale(), side.slack

    def bound(self, floor, statistics):
        most = 0.5 - float(floor.min())  # a score is less than 1/2 above minus its rank
        return int(most) if most < np.inf else None

    def apply_above(self, scores, of_targets, statistics, bound):
        (reference,), (scale, _) = of_targets, statistics
        if scores is not reference or bound > scores.shape[1] // _MANY:
            return self.apply(scores, of_targets, statistics)
        return _of_nearest(scores, scale, bound + 1)

    def apply(self, scores, of_targets, statistics):
        xp, (reference,), (scale, slack) = namespace(scores), of_targets, statistics
        if scores is reference and is_numpy_namespace(xp):
            return _of_row(scores, scale)
        tie = _ties(xp, xp.astype(scores, xp.float64), scale)
        if scores is not reference:
            # A query in the reference too, but mapped alone, must not come above itself.
            scores = xp.astype(scores + slack, scores.dtype)
        tie -= _number_above(xp, scores, reference)
        return tie


_MANY = 8  # one rank in so many, and all of them are as soon found


def _ties(xp, scores, scale):
    """s / (2 c + 2|s|) for float64 ``scores``, in their place; ``scale`` is c of each column."""
    below = xp.abs(scores)
    below *= 2
    below += 2 * scale
    scores /= below
    return scores


def _number_above(xp, scores, reference):
    """For each score, how many entries of its row of ``reference`` are larger, float64."""
    above = xp.zeros_like(scores, dtype=xp.float64)
    rows = range(scores.shape[0])
    if scores is reference:
        order = xp.argsort(-scores, axis=1, stable=False)
        above = xp.astype(xp.argsort(order, axis=1, stable=False), xp.float64)
        ordered = xp.sort(scores, axis=1, stable=False)
        unsure = xp.any(ordered[:, 1:] == ordered[:, :-1], axis=1)  # the few rows with ties
        rows = [int(row) for row in to_host(xp.nonzero(unsure)[0])]
    for row in rows:
        not_above = xp.searchsorted(
            xp.sort(reference[row, :], stable=False), scores[row, :], side="right"
        )
        above[row, :] = xp.astype(reference.shape[1] - not_above, xp.float64)
    return above


def _of_row(scores, scale):
    """The corrected scores of NumPy rows among themselves, by one sort of each row."""
    scores, places = _sorted_rows(scores)
    n, m = scores.shape
    last = scores[:, 1:] != scores[:, :-1]
    tied = np.flatnonzero(~last.all(axis=1))
    above = np.arange(m - 1.0, -1.0, -1.0)
    scores = _ties(np, scores, scale if np.ndim(scale) == 0 else scale[places % m])
    ends = np.zeros((tied.size, m))
    ends[:, :-1] = np.where(last[tied], above[:-1], 0.0)
    ends = scores[tied] - np.maximum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    scores -= above
    scores[tied] = ends
    found = np.empty(n * m)
    found[places] = scores
    return found.reshape(n, m)


def _of_nearest(scores, scale, k):
    """`_of_row` of the k largest of each row, and of their equals; -inf elsewhere."""
    n, m = scores.shape
    least = np.partition(scores, m - k, axis=1)[:, m - k]
    places = np.flatnonzero(scores >= least[:, None])
    row, values = places // m, scores.take(places).astype(np.float64)
    order = np.lexsort((-values, row))
    places, row, values = places[order], row[order], values[order]
    count = np.arange(row.size)
    starts = np.ones(row.size, bool)
    starts[1:] = row[1:] != row[:-1]
    first = np.maximum.accumulate(np.where(starts, count, 0))
    starts[1:] |= values[1:] != values[:-1]
    above = np.maximum.accumulate(np.where(starts, count, 0)) - first
    found = np.full(n * m, -np.inf)
    found[places] = _ties(np, values, scale if np.ndim(scale) == 0 else scale[places % m]) - above
    return found.reshape(n, m)


def _sorted_rows(scores):
    """Each row in ascending order, float64, and the places in the whole where they stood.

    A place fits into the 29 bits that float64 has more than float32: half the time of an argsort.
    """
    n, m = scores.shape
    if scores.dtype == np.float64:
        order = np.argsort(scores, axis=1)
        return np.take_along_axis(scores, order, axis=1), order + m * np.arange(n)[:, None]
    scores = scores + np.float64(0)  # no -0.0
    bits = scores.view(np.int64)
    bits |= np.arange(n * m).reshape(n, m)  # the search gives few rows at a time
    scores.sort(axis=1)
    places = bits & (2**29 - 1)
    bits ^= places
    return scores, places
