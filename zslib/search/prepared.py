"""Targets that are checked and measured once, for many searches of a few queries."""

import math

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, slices
from zslib.search.pairs import EPS, Pairs
from zslib.search.tiles import METRICS, check_rows
from zslib.validation import as_vectors, check_choice, check_columns, column_names

FEW = 8  # queries at once that are no work for tiles
PRODUCT = 2**21  # scores at a time
UNMEASURED = 2**13  # targets at a time that are yet to be measured: read twice, once from memory
BLOCK = 2**14  # the same where nothing is multiplied
DOUBT = 512  # candidates beyond k, above which float32 gives way to tiles
GROUP = 32
# The relative rounding of each type, and its least number with all digits.
LIMITS = {
    info.dtype.char: (float(info.eps), float(info.smallest_normal))
    for info in map(np.finfo, (np.float32, np.float64))
}


class PreparedTargets:
    """Targets of `zslib.search.top_k` and `zslib.search.gold_ranks`, checked and measured once.

    They take the place of ``targets`` there, with the same answers. Queries that come one by one
    then cost little more than their product with the targets. Can be pickled.

    Parameters
    ----------
    targets : (n_targets, d) float array, numpy.memmap, or data frame
        As in `top_k`, with its errors. A memory map, and an array that is float32 or float64 and
        contiguous, is referred to and must not change; another is copied.
    metric : {"cosine", "dot", "euclidean"}, default "cosine"

    Attributes
    ----------
    squares : (n_targets,) array
        Squared lengths, of the targets' type; infinite or zero where it does not hold them.
    columns : list of str, or None
        Names of the columns of a data frame.

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
        targets = as_vectors(targets, "targets", finite=False)
        xp = namespace(targets)
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
    """Roots or halves of ``squares``, which scores need beside products, and the longest of those.

    None where lengths are so near the ends of the type's range that tiles are to look closer.
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


def factors_of(queries, metric):
    """What targets are multiplied by, and how long each is; None where it leaves the range."""
    vectors = queries.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    sizes = lengths.tolist()
    if not all(1e-15 < size < 1e15 for size in sizes):
        return None, None
    if metric == "cosine":
        vectors /= lengths[:, None]
        sizes = [1.0] * len(sizes)
    return vectors.astype(queries.dtype), sizes


def nearest(queries, targets, metric, k):
    """What `top_k` gives for a few queries, or None: left to the tiles, as are refusals.

    One product, and what float32 leaves open settled pair by pair, up to some hundred of these.
    """
    known = None
    if isinstance(targets, PreparedTargets):
        known, targets = targets.known, targets.targets
    vectors, lengths = factors_of(queries, metric)
    if vectors is None:
        return None
    (n, d), (eps, least) = queries.shape, LIMITS[queries.dtype.char]
    levels, slacks, candidates = [-math.inf] * n, [0.0] * n, [None] * n
    for rows in slices(len(targets), PRODUCT // n if known else UNMEASURED):
        block = targets[rows]
        measured = known and (known[0][rows], known[1])
        if not known:
            with np.errstate(over="ignore", invalid="ignore"):  # looked at right below
                measured = terms_of(np.vecdot(block, block), metric)
        if measured is None:
            return None
        terms, longest = measured
        scores = vectors @ block.T
        if metric == "cosine":
            scores /= terms
        elif metric == "euclidean":
            scores -= terms
        for query, (line, length) in enumerate(zip(scores, lengths, strict=True)):
            size = length * longest
            if metric == "euclidean":
                size += longest**2 + EPS / eps * (length + longest) ** 2  # of pairs
            slack = max(slacks[query], (d + 16) * eps * size + d * least)
            level = max(levels[query], reached(line, k))
            near = (line >= level - 2 * slack).nonzero()[0]
            values = line[near]
            if rows.start:
                more = candidates[query], (near + rows.start, values)
                near, values = map(np.concatenate, zip(*more, strict=True))
                level = max(level, reached(values, k))
                left = values >= level - 2 * slack
                near, values = near[left], values[left]
            levels[query], slacks[query], candidates[query] = level, slack, (near, values)
    places = np.concatenate([near for near, _ in candidates])
    if places.size > n * (k + DOUBT):
        return None
    owners = np.repeat(np.arange(n), [near.size for near, _ in candidates])
    pairs = Pairs(queries, targets, metric)
    return pairs.listed(owners, places, *pairs.scores(owners, places), k)


def reached(scores, k):
    """What k of ``scores`` reach, near the k-th best: that of the best of groups; else -inf."""
    if scores.size < k:
        return -math.inf
    groups = scores.size // GROUP
    if groups >= 4 * k:
        best = np.maximum.reduce(scores[: GROUP * groups].reshape(GROUP, groups))
    else:
        best = scores.copy()
    best.partition(best.size - k)
    return float(best[-k])
