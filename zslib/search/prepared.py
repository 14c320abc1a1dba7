"""Targets that are checked and measured once, for many searches of a few queries."""

import math

import numpy as np

from zslib.arrays import namespace
from zslib.search.pairs import EPS, Pairs
from zslib.search.rows import slices
from zslib.search.tiles import METRICS, check_rows
from zslib.validation import (
    as_array,
    as_vectors,
    check_choice,
    check_columns,
    check_vectors,
    column_names,
)

FEW = 8  # queries at once that are no work for tiles
PRODUCT = 2**21  # scores at a time
BLOCK = 2**14  # targets measured at a time
DOUBT = 512  # candidates beyond k, above which float32 gives way to tiles
GROUP = 64


class PreparedTargets:
    """Targets of `zslib.search.top_k` and `zslib.search.gold_ranks`, checked and measured once.

    They take the place of ``targets`` there, with the same answers. Queries that come one by one
    then cost little more than their product with the targets. Can be pickled.

    Parameters
    ----------
    targets : (n_targets, d) float array, numpy.memmap, or data frame
        As in `top_k`. A memory map, and an array that is float32 or float64 and contiguous, is
        referred to and must not change; another is copied.
    metric : {"cosine", "dot", "euclidean"}, default "cosine"

    Attributes
    ----------
    targets : (n_targets, d) array
    metric : str
    squares : (n_targets,) array
        Squared lengths, of the targets' type; infinite or zero where it does not hold them.
    columns : list of str, or None
        Names of the columns of a data frame.

    Raises
    ------
    TypeError, ValueError
        As in `top_k`.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> targets = PreparedTargets(np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]]), "cosine")
    >>> top_k(np.array([[0.0, 1.0]]), targets, 2)[1]
    array([[2, 1]])
    """

    def __init__(self, targets, metric="cosine"):
        self.metric = check_choice(metric, "metric", METRICS)
        self.columns = column_names(targets)
        targets = as_array(targets, "targets")
        xp = namespace(targets)
        if targets.dtype not in (xp.float32, xp.float64):
            targets = as_vectors(targets, "targets", finite=False)
        check_vectors(targets, "targets", finite=False)
        if type(targets) is np.ndarray:
            targets = np.ascontiguousarray(targets)
        self.targets, self.shape, self.dtype = targets, targets.shape, targets.dtype
        with np.errstate(over="ignore", invalid="ignore"):  # judged right below
            blocks = [xp.asarray(targets[rows, :]) for rows in slices(self.shape[0], BLOCK)]
            parts = [xp.vecdot(block, block) for block in blocks]
        self.squares = parts[0] if len(parts) == 1 else xp.concat(parts)
        low, high = float(xp.min(self.squares)), float(xp.max(self.squares))
        if not (low > 0 and high < math.inf):
            for rows in slices(self.shape[0], BLOCK):
                check_rows(xp.asarray(targets[rows, :]), rows.start, metric)
        # Lengths are so far within the type's range that their products are too.
        self._plain = high < 1e30 and (low if metric == "cosine" else high) > 1e-30
        self._longest = 1.0 if metric == "cosine" else math.sqrt(high)
        self._lengths = None  # what the products with a query are divided by
        if self._plain and metric == "cosine":
            self._lengths = xp.sqrt(self.squares)

    def check_queries(self, queries, metric):
        """Raise unless ``queries`` have these columns, and ``metric`` is that of the targets."""
        check_columns(queries, self.columns, "queries", "targets", others=True)
        if metric != self.metric:
            raise ValueError(
                f"targets were prepared for the metric {self.metric!r}, and metric is {metric!r}: "
                "pass the same to both"
            )

    def fits(self, queries, metric):
        """Whether queries are a few of NumPy that need no conversion; finite or not."""
        known = type(queries) is np.ndarray and queries.dtype == self.dtype
        few = known and queries.shape[1:] == self.shape[1:] and 0 < len(queries) <= FEW
        return few and metric == self.metric

    def nearest(self, queries, k):
        """The k best targets of a few queries as `top_k` has them, or None: left to the tiles.

        What float32 leaves open is settled pair by pair, up to some hundred for a query.
        """
        n, (n_targets, d) = len(queries), self.shape
        if not (self._plain and self.fits(queries, self.metric)):
            return None
        vectors = queries.astype(np.float64)
        squares = np.einsum("ij,ij->i", vectors, vectors)
        if not (squares.min() > 1e-30 and squares.max() < 1e30):
            return None
        lengths = np.sqrt(squares)
        if self.metric == "cosine":
            vectors, lengths = vectors / lengths[:, None], np.ones(n)
        vectors = vectors.astype(self.dtype)
        info, size = np.finfo(self.dtype), lengths * self._longest
        if self.metric == "euclidean":
            size += self._longest**2
        slack = (d + 16) * float(info.eps) * size + d * float(info.smallest_normal)
        if self.metric == "euclidean":  # whole distances of pairs are rounded
            slack += (d + 32) * EPS * (lengths + self._longest) ** 2
        found = [[] for _ in range(n)]
        for rows in slices(n_targets, PRODUCT // n):
            block = vectors @ self.targets[rows].T
            if self.metric == "cosine":
                block /= self._lengths[rows]
            elif self.metric == "euclidean":
                block -= self.squares[rows] / 2
            for scores, reach, parts in zip(block, slack, found, strict=True):
                near = np.flatnonzero(scores >= float(_level(scores, k) - 2 * reach))
                parts.append((near + rows.start, scores[near]))
        owners, places = [], []
        for query, (parts, reach) in enumerate(zip(found, slack, strict=True)):
            near, scores = parts[0]
            if len(parts) > 1:
                near, scores = map(np.concatenate, zip(*parts, strict=True))
            near = near[scores >= float(np.partition(scores, -k)[-k] - 2 * reach)]
            if near.size > k + DOUBT:
                return None
            owners.append(np.full(near.size, query))
            places.append(near)
        owners, places = np.concatenate(owners), np.concatenate(places)
        pairs = Pairs(queries, self.targets, self.metric)
        return pairs.listed(owners, places, *pairs.scores(owners, places), k)


def _level(scores, k):
    """A score that k of ``scores`` reach, near the k-th best; the least if they are fewer.

    The k-th best of the largest of each group is one.
    """
    groups = scores.size // GROUP
    if groups >= 4 * k:
        scores = scores[: GROUP * groups].reshape(GROUP, groups).max(axis=0)
    return np.partition(scores, max(scores.size - k, 0))[max(scores.size - k, 0)]
