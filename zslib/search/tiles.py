"""Scores of queries with targets, tile by tile: what every search in `zslib.search` walks over.

A tile holds the scores of one block of targets (rows) with one chunk of queries (columns). The
whole matrix of scores never exists. Matrix products round a little differently from tile to tile:
where scores lie within this `Tiles.slack`, `Tiles.pairs` decides, so that the order of the targets
depends on no tile. Nor does it on the unit: what would leave the range of float32 is multiplied in
float64, and what would leave that is brought near 1 by powers of two, which cost no digit.
"""

import math
from threading import Lock

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import (
    largest_size,
    like,
    namespace,
    powers_of_two,
    row_norms,
    slices,
    to_host,
    unit_rows,
)
from zslib.search.pairs import Pairs
from zslib.validation import check_choice, check_integer, check_same_width, check_vectors

METRICS = ("cosine", "dot", "euclidean")

# Measured on a CPU: smaller tiles slow the product down, larger ones leave the cache.
HOST_BLOCK, HOST_CHUNK = 1024, 768
DEVICE_BLOCK, DEVICE_CHUNK = 16384, 2048
_LARGE = 1e15  # what float32 can square
# Within these neither products of float32 or float64 nor squares lose digits at the range's end.
_SMALL = {"dot": (1e-25, 1e-250), "euclidean": (1e-12, 1e-125)}


def check_sides(queries, targets, name):
    """Check ``queries``, called ``name``, and that they fit the targets in width and type."""
    check_vectors(queries, name)
    check_same_width(queries, targets, name, "targets")
    if queries.dtype != targets.dtype:
        raise TypeError(
            f"{name} is {queries.dtype} and targets is {targets.dtype}: convert one to the "
            "other's type"
        )


def check_rows(block, start, metric, names=None):
    """Check targets from the row ``start`` on, or of the rows ``names``; their largest entry."""
    xp = namespace(block)
    peaks = to_host(xp.max(xp.abs(block), axis=1))  # a NaN passes through the maximum
    names = np.arange(start, start + len(peaks)) if names is None else names
    zero = (peaks == 0) & (metric == "cosine")
    for bad, what in ((~np.isfinite(peaks), "holds NaN or infinity"), (zero, "has a zero row")):
        if bad.any():
            raise ValueError(f"targets {what}, the first at row {names[bad][0]}: drop such rows")
    return float(peaks.max())


class Tiles:
    """Checked queries and targets, and the tiles of their scores.

    ``squares`` (n_targets,) are squared lengths of the targets, where they are known; ``kept`` is
    a dict for the tiles once computed, for the next walk over the same queries, ``blocks`` of
    targets and ``chunks`` of queries. ``dtype`` is of vectors, ``score_dtype`` of scores in a
    tile.
    """

    corrected = False

    def __init__(
        self, queries, targets, metric, block_size, *, chunk_size=None, kept=None, wide=False,
        squares=None,
    ):  # fmt: skip
        self.xp = namespace(queries, targets)
        self.metric = check_choice(metric, "metric", METRICS)
        check_vectors(targets, "targets", finite=False)  # each block is checked when it is read
        check_sides(queries, targets, "queries")
        self.on_host = is_numpy_array(queries)
        if block_size is None:
            block_size = HOST_BLOCK if self.on_host else DEVICE_BLOCK
        if chunk_size is None:
            chunk_size = HOST_CHUNK if self.on_host else DEVICE_CHUNK
        block_size = check_integer(block_size, "block_size", low=1)
        self.targets, self.kept, self._squares = targets, kept, squares
        self._picked = None  # where the targets are some rows of others: which
        self.dtype = queries.dtype
        self.n_queries, self.n_targets = queries.shape[0], targets.shape[0]
        self.blocks = slices(self.n_targets, block_size)
        n_chunks = -(-self.n_queries // chunk_size)
        self.chunks = slices(self.n_queries, -(-self.n_queries // n_chunks))  # of even sizes
        self.queries, self._peak = queries, float(self.xp.max(self.xp.abs(queries)))
        euclidean = self.metric == "euclidean"
        odd, self.units = self._odd_units()
        single = self.dtype == self.xp.float32 and not (wide or odd)
        if euclidean:
            plain = self.on_host and not self.corrected and kept is None
            single = single and plain and self._peak < _LARGE
        self._type = self.xp.float32 if single else self.xp.float64
        self.narrow = single and not self.corrected
        self._odd, self._sibling, self._guard = set(), None, Lock()
        self._centre = self._middle(queries)
        self._longest = {} if kept is None else kept.setdefault("longest", {})
        queries = self._prepared(queries, "queries")
        self._reach = self._lengths(queries)
        self._factors = [self._factor(queries[chunk, :]) for chunk in self.chunks]
        self.score_dtype = self.xp.float64 if euclidean else self._type
        self.pairs = Pairs(self.queries, targets, self.metric, self.units)

    def _odd_units(self):
        """Whether products leave the range of the type, and what brings them back into float64's.

        The powers of two are for each query, under euclidean one for all; None where float64 holds
        products as they are.
        """
        if self.metric == "cosine":
            return False, None
        xp = self.xp
        first = largest_size(xp.asarray(self.targets[self.blocks[0], :]))
        if not math.isfinite(first):
            return False, None  # refused with the block
        if self.metric == "euclidean":
            sizes = peaks = np.full(self.n_queries, max(first, self._peak))
        else:
            peaks = to_host(xp.max(xp.abs(self.queries), axis=1)).astype(np.float64)
            with np.errstate(over="ignore"):
                sizes = peaks * first
        zero = (peaks == 0) | (first == 0 and self.metric == "dot")
        least, wide = _SMALL[self.metric]
        if self.dtype == xp.float32:
            return bool((~zero & (sizes < least)).any()), None
        if self.corrected and self.metric == "dot":
            return False, None
        if (zero | (sizes > wide) & (sizes < 1 / wide)).all():
            return False, None
        powers = powers_of_two(peaks)
        if self.metric == "dot":  # targets may still be as large or small as they like
            shift = 2.0**-60 if first > 1e-100 else 2.0**400
            powers = np.clip(powers, 2.0**-900, 2.0**600) * shift
            self._lifted = float((peaks * powers).max())
        return True, powers

    def _middle(self, queries):
        """Where distances are measured from: squares of points far from zero would cancel."""
        if self.metric != "euclidean":
            return None
        xp = self.xp
        queries = self._scaled(xp.astype(queries, xp.float64))
        middle = xp.sum(queries / queries.shape[0], axis=0)
        return xp.astype(middle, self._type, copy=False)

    def _scaled(self, vectors):
        return vectors if self.units is None else vectors * float(self.units[0])

    def _prepared(self, vectors, name):
        vectors = self.xp.astype(vectors, self._type, copy=False)
        if self.metric == "cosine":
            return unit_rows(vectors, name=name)
        if self.metric == "euclidean":
            return self._scaled(vectors) - self._centre
        if self.units is not None and name == "queries":
            return vectors * like(self.units[:, None], vectors)
        return vectors

    def _lengths(self, prepared):
        """Length of each prepared query, (n_queries,), on the host."""
        if self.metric == "cosine":
            return np.ones(prepared.shape[0])
        xp = self.xp
        powers = powers_of_two(to_host(xp.max(xp.abs(prepared), axis=1)))
        scaled = xp.astype(prepared, xp.float64, copy=False) * like(powers[:, None], prepared)
        return to_host(row_norms(scaled)) / powers

    def _factor(self, vectors):
        """The right factor of the product, contiguous; see `_with_squares`."""
        xp = self.xp
        if self.metric == "euclidean":
            with np.errstate(over="ignore", invalid="ignore"):
                squares = xp.sum(xp.astype(vectors, xp.float64) ** 2, axis=1)
                vectors = self._with_squares(2 * vectors, -squares, -1)
        return xp.asarray(xp.matrix_transpose(vectors), copy=True)

    def _with_squares(self, vectors, *columns):
        """Two more columns, so that (2q, -|q|², -1) times (t, 1, |t|²) is minus the distance²."""
        xp = self.xp
        ones = xp.ones_like(vectors[:, :1])
        more = [ones * (c if isinstance(c, int) else c[:, None]) for c in columns]
        parts = [xp.astype(part, self._type, copy=False) for part in (vectors, *more)]
        return xp.concat(parts, axis=1)

    def wide(self, queries, block_size, chunk_size):
        """Tiles of ``queries`` with the same targets in float64."""
        return Tiles(
            queries, self.targets, self.metric, block_size, chunk_size=chunk_size, wide=True,
            squares=self._squares,
        )  # fmt: skip

    def sibling(self):
        """The same in float64, where float32 leaves the order of too many targets open."""
        with self._guard:
            if self._sibling is None:
                sizes = self.blocks[0].stop, self.chunks[0].stop
                self._sibling = self.wide(self.queries, *sizes)
        return self._sibling

    def slack(self, levels, rows=None):
        """How far from ``levels``, scores in the tiles of ``rows`` or of all, rounding may reach.

        ``levels`` are (n_queries,) or (n_queries, m) on the host, as is what is returned: the
        worst case of sums of d products. Scores further above the `level` of a pair's are surely
        better.
        """
        if rows is not None and rows.start in self._odd:
            return self.sibling().slack(levels, rows)
        longest = max(self._longest.values()) if rows is None else self._longest[rows.start]
        d, info = self.targets.shape[1], self.xp.finfo(self._type)
        rounding = (d / 2 + 16) * float(info.eps)
        if self._type == self.xp.float64:
            rounding *= 2  # that of pairs too
        reach = self._reach if levels.ndim == 1 else self._reach[:, None]
        if self.metric != "euclidean":
            return rounding * reach * longest + d * float(info.smallest_normal) + 0 * levels
        roots = 4 * float(self.xp.finfo(self.xp.float64).eps)  # those of pairs are rounded
        least = 2 * d * float(info.smallest_normal)
        squares = (reach + longest) ** 2 + longest**2  # of the product, and of the factor's column
        found = rounding * squares + least + roots * np.abs(levels)
        if rows is None and self._odd:
            found = np.maximum(found, self.sibling().slack(levels))
        return found

    def level(self, scores):
        """Where scores of pairs, on the host, lie among those of tiles."""
        return -np.square(scores) if self.metric == "euclidean" else scores

    def finished(self, scores):
        """Uncorrected scores as corrections see them: minus distances, where they were squares."""
        xp = namespace(scores)
        if self.metric == "euclidean":
            scores = 0 - xp.sqrt(xp.where(scores < 0, -scores, xp.zeros_like(scores)))
            scores = scores if self.units is None else scores / float(self.units[0])
        elif self.metric == "dot" and self._type != self.dtype:
            return scores
        elif self.units is not None:
            scores = scores / like(self.units[:, None], scores)
        return xp.astype(scores, self.dtype, copy=False)

    def block(self, rows):
        """Targets ``rows``, checked and ready to be multiplied."""
        xp = self.xp
        block = xp.asarray(self.targets[rows, :])
        if self._squares is None:
            with np.errstate(over="ignore", invalid="ignore"):  # judged right below
                squares = xp.vecdot(block, block)
        else:
            squares = self._squares[rows]
        low, high = float(xp.min(squares)), float(xp.max(squares))
        self._longest[rows.start] = 1.0
        if self.metric == "cosine" and low > 1e-30 and high < 1e30:
            if block.dtype != self._type:
                block = xp.astype(block, self._type)
                squares = xp.vecdot(block, block)
            return block / xp.sqrt(squares)[:, None]
        # One pass decides for nearly all blocks; only odd ones get the closer look.
        longest = math.sqrt(high) if high >= 0 else math.nan
        if not (1e-30 < high < 1e30 and self.metric != "cosine" and self._fits(longest)):
            longest = self._check_closely(block, rows.start)
        if self.narrow and self.metric == "euclidean" and longest > _LARGE:
            self._odd.add(rows.start)
            return None
        block = self._prepared(block, "targets")
        if self.metric == "euclidean":
            squares = xp.vecdot(block, block)
            longest = math.sqrt(float(xp.max(squares)))
            block = self._with_squares(block, 1, squares)
        if self.metric != "cosine":
            self._longest[rows.start] = longest
        return block

    def _check_closely(self, block, start):
        """Check targets one by one; a length that none exceeds."""
        peak = check_rows(block, start, self.metric, self._picked)
        if self.metric != "cosine" and not self._fits(peak):
            raise ValueError(
                f"queries (largest entry {self._peak:.3g}) and targets (largest entry {peak:.3g}) "
                f"are too large for the {self.metric} scores to fit {self.dtype}: scale them down"
            )
        return math.sqrt(block.shape[1]) * peak

    def _fits(self, peak):
        """Whether no score with a target of largest entry ``peak`` can overflow."""
        xp, width = self.xp, self.targets.shape[1]
        limit, widest = float(xp.finfo(self.dtype).max), float(xp.finfo(xp.float64).max)
        if self.metric == "dot":
            lifted = 0.0 if self.units is None else self._lifted
            return width * self._peak * peak < limit and width * lifted * peak < widest
        size = math.sqrt(width) * (self._peak + peak)
        unit = 1.0 if self.units is None else float(self.units[0])
        return size < limit / 2 and size * unit < math.sqrt(widest) / 2

    def buffer(self):
        """Memory for one tile of NumPy scores, to be handed to `scores` again and again."""
        size = self.blocks[0].stop * max(factor.shape[1] for factor in self._factors)
        return np.empty(size, self._type)

    def walk(self, rows, buffer=None):
        """Tiles of the targets ``rows``, (block, chunk), one for each chunk of queries.

        With a ``buffer`` (NumPy only) each is written over the last one, unless tiles are kept.
        """
        return self._raw(rows, buffer)

    def tile(self, rows, number):
        """The tile of the targets ``rows`` with one chunk of queries, (block, chunk), alone."""
        return self._raw_scores(self.block(rows), self._factors[number], None)

    def _raw(self, rows, buffer=None):
        if self.kept is None:
            block = self.block(rows)
            if block is None:
                return self.sibling().walk(rows)
            return (self._raw_scores(block, factor, buffer) for factor in self._factors)
        if rows.start not in self.kept:
            block = self.block(rows)
            self.kept[rows.start] = [self._raw_scores(block, f, None) for f in self._factors]
        return self.kept[rows.start]

    def _raw_scores(self, block, factor, buffer):
        if buffer is None:
            return block @ factor
        shape = block.shape[0], factor.shape[1]
        return np.matmul(block, factor, out=buffer[: shape[0] * shape[1]].reshape(shape))
