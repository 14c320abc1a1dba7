"""Scores of queries with targets, tile by tile: what every search in `zslib.search` walks over.

A tile holds the scores of one block of targets (rows) with one chunk of queries (columns). The
whole matrix of scores never exists. Matrix products round a little differently from tile to tile:
where scores lie within this `Tiles.slack`, `Tiles.pair_scores` decides, so that the order of the
targets depends on no tile.
"""

import math
from threading import Lock

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import ENTRIES, namespace, row_norms, take_rows, to_host, unit_rows
from zslib.search.rows import distinct, first_equal, slices
from zslib.validation import check_choice, check_integer, check_same_width, check_vectors

METRICS = ("cosine", "dot", "euclidean")

# Measured on a CPU: smaller tiles slow the product down, larger ones leave the cache.
HOST_BLOCK, HOST_CHUNK = 1024, 768
DEVICE_BLOCK, DEVICE_CHUNK = 16384, 2048
_LARGE = 1e15  # what float32 can square
PAIRS = 2**16  # entries of pairs at a time, which stay in the cache


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
    """Check targets from the row ``start`` on, or of the rows ``names``; their largest entries."""
    xp = namespace(block)

    def first(bad):
        position = start + int(xp.argmax(xp.astype(bad, xp.int64)))
        return position if names is None else names[position]

    peaks = xp.max(xp.abs(block), axis=1)  # a NaN passes through the maximum
    bad = ~xp.isfinite(peaks)
    if bool(xp.any(bad)):
        raise ValueError(
            f"targets holds NaN or infinity, the first at row {first(bad)}: remove or repair "
            "these rows"
        )
    zero = peaks == 0
    if metric == "cosine" and bool(xp.any(zero)):
        raise ValueError(
            f"targets has a zero row, the first at row {first(zero)}: the cosine with a zero "
            "vector is undefined; drop such rows"
        )
    return peaks


class Tiles:
    """Checked queries and targets, and the tiles of their scores.

    Parameters
    ----------
    squares : (n_targets,) array or None, default None
        Squared lengths of the targets, where they are known.
    kept : dict or None, default None
        Where to keep the tiles once computed, for the next walk over the same queries, blocks and
        chunks.

    Attributes
    ----------
    blocks, chunks : list of slice
        Of the targets, and of the queries.
    n_queries, n_targets : int
    dtype, score_dtype
        Of the vectors, and of the scores in a tile.
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
        self.queries = queries
        self._peak = float(self.xp.max(self.xp.abs(queries)))
        euclidean = self.metric == "euclidean"
        wide = wide or self.corrected or kept is not None or self.dtype == self.xp.float64
        self.narrow = euclidean and self.on_host and not wide and self._peak < _LARGE
        self._type = self.xp.float64 if euclidean and not self.narrow else self.dtype
        self._odd, self._sibling, self._guard = set(), None, Lock()
        self._centre = self._middle(queries)
        self._longest = {} if kept is None else kept.setdefault("longest", {})
        queries = self._prepared(queries, "queries")
        self._reach = self._lengths(queries)
        self._factors = [self._factor(queries[chunk, :]) for chunk in self.chunks]
        self.score_dtype = self.xp.float64 if euclidean else self.dtype

    def _middle(self, queries):
        """Where distances are measured from: squares of points far from zero would cancel."""
        if self.metric != "euclidean":
            return None
        xp = self.xp
        middle = xp.sum(xp.astype(queries, xp.float64) / queries.shape[0], axis=0)
        return xp.astype(middle, self._type, copy=False)

    def _prepared(self, vectors, name):
        if self.metric == "cosine":
            return unit_rows(vectors, name=name)
        if self.metric == "euclidean":
            return self.xp.astype(vectors, self._type, copy=False) - self._centre
        return vectors

    def _lengths(self, prepared):
        """Length of each prepared query, (n_queries,), on the host."""
        if self.metric == "cosine":
            return np.ones(prepared.shape[0])
        xp = self.xp
        with np.errstate(over="ignore"):  # what is too large for scores is refused with the block
            return to_host(row_norms(xp.astype(prepared, xp.float64, copy=False)))

    def _factor(self, vectors):
        """The right factor of the product, contiguous; see `_with_squares`."""
        xp = self.xp
        if self.metric == "euclidean":
            with np.errstate(over="ignore", invalid="ignore"):
                squares = xp.sum(xp.astype(vectors, xp.float64) ** 2, axis=1)
                vectors = self._with_squares(2 * vectors, -squares, -1)
        return xp.asarray(xp.matrix_transpose(vectors), copy=True)

    def _with_squares(self, vectors, *columns):
        """Two more columns: those of queries are (2q, -|q|², -1), those of targets (t, 1, |t|²).

        Their product is minus the squared distance.
        """
        xp = self.xp
        ones = xp.ones_like(vectors[:, :1])
        more = [ones * (c if isinstance(c, int) else c[:, None]) for c in columns]
        parts = [xp.astype(part, self._type, copy=False) for part in (vectors, *more)]
        return xp.concat(parts, axis=1)

    def wide(self):
        """The same in float64, where float32 leaves the order of too many targets open."""
        with self._guard:
            if self._sibling is None:
                self._sibling = Tiles(
                    self.queries, self.targets, self.metric, self.blocks[0].stop,
                    chunk_size=self.chunks[0].stop, wide=True,
                )  # fmt: skip
        return self._sibling

    def slack(self, levels, rows=None):
        """How far from ``levels``, scores in the tiles of ``rows`` or of all, rounding may reach.

        ``levels`` are (n_queries,) or (n_queries, m) on the host; so is what is returned. Scores
        further than that above the `level` of a pair's are surely better, below surely worse. It
        is the worst case of sums of d products.
        """
        if rows is not None and rows.start in self._odd:
            return self.wide().slack(levels, rows)
        longest = max(self._longest.values()) if rows is None else self._longest[rows.start]
        d, info = self.targets.shape[1], self.xp.finfo(self._type)
        rounding = (d / 2 + 16) * float(info.eps)
        reach = self._reach if levels.ndim == 1 else self._reach[:, None]
        if self.metric != "euclidean":
            return rounding * reach * longest + d * float(info.smallest_normal) + 0 * levels
        roots = 4 * float(self.xp.finfo(self.dtype).eps)  # those of pairs are rounded
        least = 2 * d * float(info.smallest_normal)
        squares = (reach + longest) ** 2 + longest**2  # of the product, and of the factor's column
        found = rounding * squares + least + roots * np.abs(levels)
        if rows is None and self._odd:
            found = np.maximum(found, self.wide().slack(levels))
        return found

    def level(self, scores):
        """Where scores of pairs, on the host, lie among those of tiles."""
        return -np.square(scores) if self.metric == "euclidean" else scores

    def finished(self, scores):
        """What is returned for scores of tiles: under euclidean these are minus the squares."""
        xp = namespace(scores)
        if self.metric == "euclidean":
            scores = -xp.sqrt(xp.where(scores < 0, -scores, xp.zeros_like(scores)))
        return xp.astype(scores, self.dtype, copy=False)

    def pair_scores(self, owners, rows):
        """Score of each (query, target) pair, (n,) on the host.

        Each is computed by itself, in float64, then rounded to the type of the vectors: equal
        rows have equal scores.
        """
        names, places = distinct(rows)
        if names.size < len(rows) // 4:  # many queries ask for the same targets: equal ones once
            first = first_equal(take_rows(self.targets, names))
            keys, back = distinct(owners * names.size + first[places])
            if keys.size < len(rows):
                owners, places = np.divmod(keys, names.size)
                return self._pair_scores(owners, names[places])[back]
        return self._pair_scores(owners, rows)

    def _pair_scores(self, owners, rows):
        xp, found = self.xp, np.empty(len(rows))
        size = max(1, (PAIRS if self.on_host else ENTRIES) // self.targets.shape[1])
        for part in slices(len(rows), size):
            q = take_rows(self.queries, owners[part])
            t = xp.asarray(take_rows(self.targets, rows[part]))
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # see `block`
                scores = self._scores_of(*(xp.astype(a, xp.float64) for a in (q, t)))
                found[part] = to_host(xp.astype(scores, self.dtype))
        return found

    def _scores_of(self, q, t):
        xp = self.xp
        if self.metric == "euclidean":
            q -= t
            q *= q  # and a plain sum, which BLAS does not share out to threads
            return -xp.sqrt(xp.sum(q, axis=1))
        if self.metric == "dot":
            return xp.sum(q * t, axis=1)
        if self.dtype == xp.float64:  # squares of float32 are in range without this
            q, t = (a / xp.max(xp.abs(a), axis=1, keepdims=True) for a in (q, t))
        lengths = xp.sum(q * q, axis=1) * xp.sum(t * t, axis=1)
        return xp.sum(q * t, axis=1) / xp.sqrt(lengths)

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
            return block / xp.sqrt(squares)[:, None]
        # One pass decides for nearly all blocks; only odd ones get the closer look.
        if not (1e-300 < high < 1e30 and self.metric != "cosine" and self._fits(math.sqrt(high))):
            self._check_closely(block, rows.start)
            high = xp.finfo(xp.float64).max if high == math.inf else high
        if self.narrow and high > _LARGE**2:
            self._odd.add(rows.start)
            return None
        block = self._prepared(block, "targets")
        if self.metric == "euclidean":
            squares = xp.vecdot(block, block)
            high = float(xp.max(squares))
            block = self._with_squares(block, 1, squares)
        if self.metric != "cosine":
            self._longest[rows.start] = math.sqrt(high)
        return block

    def _check_closely(self, block, start):
        peaks = check_rows(block, start, self.metric, self._picked)
        peak = float(self.xp.max(peaks))
        if self.metric != "cosine" and not self._fits(peak):
            raise ValueError(
                f"queries (largest entry {self._peak:.3g}) and targets (largest entry {peak:.3g}) "
                f"are too large for the {self.metric} scores to fit {self.dtype}: scale them down"
            )
        if self.metric == "euclidean" and 0 < max(peak, self._peak) < 1e-150:
            raise ValueError(
                f"queries (largest entry {self._peak:.3g}) and targets (largest entry {peak:.3g}) "
                "are too small for squares of euclidean distances: scale them up"
            )

    def _fits(self, peak):
        """Whether no score with a target of largest entry ``peak`` can overflow."""
        xp, width = self.xp, self.targets.shape[1]
        limit = float(xp.finfo(self.dtype).max)
        if self.metric == "dot":
            return width * self._peak * peak < limit
        limit = min(limit, math.sqrt(float(xp.finfo(xp.float64).max)))
        return math.sqrt(width) * (self._peak + peak) < limit / 2

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
                return self.wide().walk(rows)
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
