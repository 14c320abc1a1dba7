"""Targets that are checked and measured once, for many searches of a few queries."""

import math

import numpy as np
from array_api_compat import is_numpy_array

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
UNMEASURED = 2**13  # targets at a time that are yet to be measured: read twice, once from memory
BLOCK = 2**14  # the same where nothing is multiplied
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
        self.known = terms_of(self.squares, metric) if is_numpy_array(targets) else None

    def check_queries(self, queries, metric):
        """Raise unless ``queries`` have these columns, and ``metric`` is that of the targets."""
        check_columns(queries, self.columns, "queries", "targets", others=True)
        if metric != self.metric:
            raise ValueError(
                f"targets were prepared for the metric {self.metric!r}, and metric is {metric!r}: "
                "pass the same to both"
            )


def terms_of(squares, metric):
    """What the scores of some targets need beside products: roots or halves of the ``squares``.

    And the longest of what products are divided from. None where lengths are so near the ends of
    the type's range, or beyond, that the tiles are to look closer.
    """
    low, high = float(squares.min()), float(squares.max())
    if not (high < 1e30 and (low if metric == "cosine" else high) > 1e-30):
        return None
    if metric == "cosine":
        return np.sqrt(squares), 1.0
    return squares / 2, math.sqrt(high)


def few(queries, targets, metric):
    """Whether `nearest` may be asked: NumPy's of one type, unchecked beyond that."""
    known = isinstance(targets, PreparedTargets)
    rows = targets.targets if known else targets
    if not (type(queries) is np.ndarray and type(rows) in (np.ndarray, np.memmap)):
        return False
    alike = queries.dtype == rows.dtype and rows.dtype in (np.float32, np.float64)
    alike = alike and queries.ndim == rows.ndim == 2 and queries.shape[1] == rows.shape[1]
    some = alike and 0 < len(queries) <= FEW and rows.size
    return bool(some) and metric in ((targets.metric,) if known else METRICS)


def nearest(queries, targets, metric, k):
    """What `top_k` gives for a few queries, or None: left to the tiles, as are refusals.

    One product, and what float32 leaves open settled pair by pair, up to some hundred of these.
    """
    known = None
    if isinstance(targets, PreparedTargets):
        known, targets = targets.known, targets.targets
    n, d, dtype = len(queries), queries.shape[1], queries.dtype
    vectors = queries.astype(np.float64)
    squares = np.einsum("ij,ij->i", vectors, vectors)
    if not (squares.min() > 1e-30 and squares.max() < 1e30):
        return None
    lengths = np.sqrt(squares)
    if metric == "cosine":
        vectors, lengths = vectors / lengths[:, None], np.ones(n)
    vectors, info = vectors.astype(dtype), np.finfo(dtype)
    rounding, least = (d + 16) * float(info.eps), d * float(info.smallest_normal)
    level, slack, parts = np.full(n, -np.inf), np.zeros(n), []
    best = [np.empty(0, dtype)] * n
    for rows in slices(len(targets), PRODUCT // n if known else UNMEASURED):
        block = targets[rows]
        found = known and (known[0][rows], known[1])
        if not known:
            with np.errstate(over="ignore", invalid="ignore"):  # looked at right below
                found = terms_of(np.vecdot(block, block), metric)
        if found is None:
            return None
        terms, longest = found
        scores = vectors @ block.T
        size = lengths * longest
        if metric == "cosine":
            scores /= terms
        elif metric == "euclidean":
            scores -= terms
            size += longest**2 + EPS / info.eps * (lengths + longest) ** 2  # of pairs
        slack = np.maximum(slack, rounding * size + least)
        for query in range(n):
            level[query] = max(level[query], _reached(scores[query], k))
            near = np.flatnonzero(scores[query] >= float(level[query] - 2 * slack[query]))
            values = scores[query, near]
            parts.append((np.full(near.size, query), near + rows.start, values))
            best[query] = np.concatenate([best[query], values])
            if best[query].size > k:
                best[query] = np.partition(best[query], -k)[-k:]
                level[query] = max(level[query], best[query][0])
    if len(parts) > 1:
        parts = [tuple(map(np.concatenate, zip(*parts, strict=True)))]
    owners, places, scores = parts[0]
    near = scores >= (level - 2 * slack)[owners]
    owners, places = owners[near], places[near]
    if places.size > n * (k + DOUBT):
        return None
    pairs = Pairs(queries, targets, metric)
    return pairs.listed(owners, places, *pairs.scores(owners, places), k)


def _reached(scores, k):
    """What k of ``scores`` reach, near the k-th best: that of the best of groups; else -inf."""
    groups = scores.size // GROUP
    if groups >= 4 * k:
        scores = scores[: GROUP * groups].reshape(GROUP, groups).max(axis=0)
    return -np.inf if scores.size < k else np.partition(scores, scores.size - k)[scores.size - k]
