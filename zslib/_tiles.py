"""Scores of queries with targets, tile by tile: what every search in `zslib.search` walks over.

A tile holds the scores of one block of targets (rows) with one chunk of queries (columns). The
whole matrix of scores never exists. Both `top_k` and `gold_ranks` read the very same tiles, so
that they see the same rounding and agree on the order of the targets.
"""

from __future__ import annotations

import math

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, row_norms, unit_rows
from zslib.validation import check_choice, check_integer, check_same_width, check_vectors

METRICS = ("cosine", "dot", "euclidean")

# On a CPU a tile and the vectors behind it stay in the L2 cache; a GPU wants larger pieces.
HOST_BLOCK, HOST_CHUNK = 1024, 512
DEVICE_BLOCK, DEVICE_CHUNK = 16384, 2048


def slices(n, size):
    """Consecutive slices of at most ``size`` that cover range(n).

    Examples
    --------
    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


class Tiles:
    """Checked queries and targets, and the tiles of their scores.

    Parameters
    ----------
    queries : (n_queries, d) float array
    targets : (n_targets, d) float array or numpy.memmap
    metric : {"cosine", "dot", "euclidean"}
    block_size : int or None
        Targets in a tile.

    Attributes
    ----------
    blocks, chunks : list of slice
        Of the targets, and of the queries.
    """

    def __init__(self, queries, targets, metric, block_size):
        self.xp = namespace(queries, targets)
        self.metric = check_choice(metric, "metric", METRICS)
        check_vectors(queries, "queries")
        check_vectors(targets, "targets", finite=False)  # each block is checked when it is read
        check_same_width(queries, targets, "queries", "targets")
        if queries.dtype != targets.dtype:
            raise TypeError(
                f"queries are {queries.dtype} and targets are {targets.dtype}: convert one to "
                "the other's type"
            )
        on_host = is_numpy_array(queries)
        if block_size is None:
            block_size = HOST_BLOCK if on_host else DEVICE_BLOCK
        block_size = check_integer(block_size, "block_size", low=1)
        self.targets = targets
        self.dtype = self.score_dtype = queries.dtype
        self.n_queries, self.n_targets = queries.shape[0], targets.shape[0]
        self.blocks = slices(self.n_targets, block_size)
        self.chunks = slices(self.n_queries, HOST_CHUNK if on_host else DEVICE_CHUNK)
        self._set_queries(queries)

    def _set_queries(self, queries):
        xp = self.xp
        self._peak = float(xp.max(xp.abs(queries)))
        if self.metric == "cosine":
            queries = unit_rows(queries, name="queries")
        elif self.metric == "euclidean":
            queries = xp.astype(queries, xp.float64)
            self._lengths = row_norms(queries)
        # One contiguous (d, chunk) factor per chunk, shared by all blocks.
        self._factors = [
            xp.asarray(xp.matrix_transpose(queries[chunk, :]), copy=True) for chunk in self.chunks
        ]

    def block(self, rows):
        """Targets ``rows`` ready to be multiplied: checked, and of unit length under cosine."""
        xp = self.xp
        block = xp.asarray(self.targets[rows, :])
        peaks = xp.max(xp.abs(block), axis=1)
        if not bool(xp.all(xp.isfinite(peaks))):  # a NaN passes through the maximum
            bad = xp.astype(~xp.isfinite(peaks), xp.int64)
            raise ValueError(
                "targets holds NaN or infinity, the first at row "
                f"{rows.start + int(xp.argmax(bad))}: remove or repair these rows"
            )
        if self.metric == "cosine":
            if bool(xp.any(peaks == 0)):
                first = rows.start + int(xp.argmax(xp.astype(peaks == 0, xp.int64)))
                raise ValueError(
                    f"targets has a zero row, the first at row {first}: the cosine with a zero "
                    "vector is undefined; drop such rows"
                )
            return unit_rows(block)
        self._check_range(float(xp.max(peaks)))
        return block if self.metric == "dot" else xp.astype(block, xp.float64)

    def _check_range(self, peak):
        """Refuse vectors so long that a score could overflow to infinity."""
        width = self.targets.shape[1]
        limit = float(self.xp.finfo(self.dtype).max)
        if self.metric == "dot":
            fits = width * self._peak * peak < limit
        else:
            fits = (
                math.sqrt(width) * (self._peak + peak)
                < min(limit, float(self.xp.finfo(self.xp.float64).max) ** 0.5) / 2
            )
        if not fits:
            raise ValueError(
                f"queries (largest entry {self._peak:.3g}) and targets (largest entry {peak:.3g}) "
                f"are too large for the {self.metric} scores to fit {self.dtype}: scale them down"
            )

    def buffer(self):
        """Memory for one tile of NumPy scores, to be handed to `scores` again and again."""
        shape = self.blocks[0].stop * self.chunks[0].stop
        return np.empty(shape, np.float64 if self.metric == "euclidean" else self.dtype)

    def scores(self, block, number, buffer=None):
        """Scores of a prepared ``block`` of targets with chunk ``number``: (block, chunk).

        With a ``buffer`` (NumPy only) the product is written there, over the last tile.
        """
        xp = self.xp
        factor = self._factors[number]
        if buffer is None:
            products = block @ factor
        else:
            shape = block.shape[0], factor.shape[1]
            out = buffer[: shape[0] * shape[1]].reshape(shape)
            products = np.matmul(block, factor, out=out)
        if self.metric != "euclidean":
            return products
        squares = (
            xp.sum(block * block, axis=1)[:, None]
            + (self._lengths[self.chunks[number]] ** 2)[None, :]
            - 2 * products
        )
        distances = xp.sqrt(xp.where(squares > 0, squares, xp.zeros_like(squares)))
        return xp.astype(-distances, self.dtype)
