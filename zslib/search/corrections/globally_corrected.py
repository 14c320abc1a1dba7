"""Globally corrected retrieval."""

from __future__ import annotations

import numpy as np
from array_api_compat import is_numpy_namespace

from zslib.arrays import namespace, to_host
from zslib.search.corrections.base import Correction


class GloballyCorrected(Correction):
    """Rank of the query among all queries, as seen from the target.

    A target y is as good an answer to the query x as x is near to y among the queries P (Dinu,
    Lazaridou and Baroni 2015, "Improving zero-shot learning by mitigating the hubness problem",
    section 4):

        score(x, y) = -rank_{y,P}(x) + tie(x, y)

    where the rank is the number of queries in P with a strictly higher score with y, and the
    uncorrected score s breaks ties. A hub is near to many queries, so that most of them have a
    bad rank with it.

    The paper prints the rank minus the cosine, in which a difference of cosines above 1 outweighs
    a step in rank. Here tie = s / (2 + 2|s|), in (-1/2, 1/2), grows with s and never does.

    Parameters
    ----------
    reference : (n_reference, d) float array or None, default None
        The queries P; None: the queries themselves. The paper adds further source vectors.

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

    def apply(self, scores, reference, statistics):
        xp = namespace(scores)
        tie = xp.astype(scores, xp.float64)
        tie /= 2 + 2 * xp.abs(tie)
        tie -= _number_above(xp, scores, reference)
        return tie


def _number_above(xp, scores, reference):
    """For each score, how many entries of its row of ``reference`` are larger, float64."""
    if scores is reference and is_numpy_namespace(xp):
        return _number_above_in_row(scores)
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


def _number_above_in_row(scores):
    """`_number_above` for NumPy, of a row among itself: by one sort."""
    n, m = scores.shape
    order, last = _sorted_rows(scores)
    order += m * np.arange(n)[:, None]
    counts = np.empty((n, m))
    counts[:] = np.arange(m - 1.0, -1.0, -1.0)
    tied = np.flatnonzero(~last.all(axis=1))
    ends = np.where(last[tied], counts[tied], 0.0)
    counts[tied] = np.maximum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    above = np.empty(n * m)
    above[order] = counts
    return above.reshape(n, m)


def _sorted_rows(scores):
    """Columns of each row in ascending order, and which of them are the last of equal scores."""
    last = np.ones(scores.shape, bool)
    if scores.dtype == np.float32:
        # Whole numbers that sort alike, with the column behind: half the time of an argsort.
        bits = (scores + np.float32(0)).view(np.int32)
        keys = (bits ^ ((bits >> 31) & np.int32(2**31 - 1))).astype(np.int64)
        keys <<= 32
        keys |= np.arange(scores.shape[1])
        keys.sort(axis=1)
        order = keys & (2**32 - 1)
        keys >>= 32
    else:
        order = np.argsort(scores, axis=1)
        keys = np.take_along_axis(scores, order, axis=1)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=last[:, :-1])
    return order, last
