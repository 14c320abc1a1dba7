"""Scores of queries with targets, tile by tile: what every search in `zslib.search` walks over.

A tile holds the scores of one block of targets (rows) with one chunk of queries (columns). The
whole matrix of scores never exists. `top_k` and `gold_ranks` read the very same tiles, so that
they see the same rounding and agree on the order of the targets.
"""

from __future__ import annotations

import math

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, unit_rows
from zslib.validation import check_choice, check_integer, check_same_width, check_vectors

METRICS = ("cosine", "dot", "euclidean")

# Measured on a CPU: smaller tiles slow the product down, larger ones leave the cache.
HOST_BLOCK, HOST_CHUNK = 1024, 1536
DEVICE_BLOCK, DEVICE_CHUNK = 16384, 2048


def slices(n, size):
    """Consecutive slices of at most ``size`` that cover range(n).

    Examples
    --------
    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def check_sides(queries, targets, name):
    """Check ``queries``, called ``name``, and that they fit the targets in width and type."""
    check_vectors(queries, name)
    check_same_width(queries, targets, name, "targets")
    if queries.dtype != targets.dtype:
        raise TypeError(
            f"{name} is {queries.dtype} and targets is {targets.dtype}: convert one to the "
            "other's type"
        )


class Tiles:
    """Checked queries and targets, and the tiles of their scores.

    Parameters
    ----------
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

    def __init__(self, queries, targets, metric, block_size, *, chunk_size=None, kept=None):
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
        self.targets, self.kept = targets, kept
        self.dtype = self.score_dtype = queries.dtype
        self.n_queries, self.n_targets = queries.shape[0], targets.shape[0]
        self.blocks = slices(self.n_targets, block_size)
        n_chunks = -(-self.n_queries // chunk_size)
        self.chunks = slices(self.n_queries, -(-self.n_queries // n_chunks))  # of even sizes
        self._peak = float(self.xp.max(self.xp.abs(queries)))
        queries = self._prepared(queries, "queries")
        self._factors = [self._factor(queries[chunk, :]) for chunk in self.chunks]

    def _prepared(self, vectors, name):
        if self.metric == "cosine":
            return unit_rows(vectors, name=name)
        # Squared lengths and products cancel where points are close: float32 is too coarse.
        return vectors if self.metric == "dot" else self.xp.astype(vectors, self.xp.float64)

    def _factor(self, vectors):
        """The right factor of the product, contiguous, and the squared lengths of its columns."""
        xp = self.xp
        factor = xp.asarray(xp.matrix_transpose(vectors), copy=True)
        lengths = xp.sum(vectors * vectors, axis=1) if self.metric == "euclidean" else None
        return factor, lengths

    def block(self, rows):
        """Targets ``rows`` ready to be multiplied: checked, and of unit length under cosine."""
        xp = self.xp
        block = xp.asarray(self.targets[rows, :])
        with np.errstate(over="ignore", invalid="ignore"):  # judged right below
            squares = xp.vecdot(block, block)
        low, high = float(xp.min(squares)), float(xp.max(squares))
        if self.metric == "cosine" and low > 1e-30 and high < 1e30:
            return block / xp.sqrt(squares)[:, None]
        # One pass decides for nearly all blocks; only odd ones get the closer look.
        if not (high < 1e30 and self.metric != "cosine" and self._fits(math.sqrt(high))):
            self._check_closely(block, rows.start)
        return self._prepared(block, "targets")

    def _check_closely(self, block, start):
        xp = self.xp
        peaks = xp.max(xp.abs(block), axis=1)  # a NaN passes through the maximum
        bad = ~xp.isfinite(peaks)
        if bool(xp.any(bad)):
            raise ValueError(
                "targets holds NaN or infinity, the first at row "
                f"{start + int(xp.argmax(xp.astype(bad, xp.int64)))}: remove or repair these rows"
            )
        zero = peaks == 0
        if self.metric == "cosine" and bool(xp.any(zero)):
            raise ValueError(
                "targets has a zero row, the first at row "
                f"{start + int(xp.argmax(xp.astype(zero, xp.int64)))}: the cosine with a zero "
                "vector is undefined; drop such rows"
            )
        peak = float(xp.max(peaks))
        if self.metric != "cosine" and not self._fits(peak):
            raise ValueError(
                f"queries (largest entry {self._peak:.3g}) and targets (largest entry {peak:.3g}) "
                f"are too large for the {self.metric} scores to fit {self.dtype}: scale them down"
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
        size = self.blocks[0].stop * max(factor.shape[1] for factor, _ in self._factors)
        return np.empty(size, self._factors[0][0].dtype)

    def walk(self, rows, buffer=None):
        """Tiles of the targets ``rows``, (block, chunk), one for each chunk of queries.

        With a ``buffer`` (NumPy only) each is written over the last one, unless tiles are kept.
        """
        return self._raw(rows, buffer)

    def _raw(self, rows, buffer=None):
        if self.kept is None:
            block = self.block(rows)
            return (self._raw_scores(block, factor, buffer) for factor in self._factors)
        if rows.start not in self.kept:
            block = self.block(rows)
            self.kept[rows.start] = [self._raw_scores(block, f, None) for f in self._factors]
        return self.kept[rows.start]

    def _raw_scores(self, block, factor, buffer):
        xp = self.xp
        factor, lengths = factor
        if buffer is None:
            products = block @ factor
        else:
            shape = block.shape[0], factor.shape[1]
            out = buffer[: shape[0] * shape[1]].reshape(shape)
            products = np.matmul(block, factor, out=out)
        if self.metric != "euclidean":
            return products
        squares = xp.sum(block * block, axis=1)[:, None] + lengths[None, :] - 2 * products
        distances = xp.sqrt(xp.where(squares > 0, squares, xp.zeros_like(squares)))
        return xp.astype(-distances, self.dtype)
