"""Tiles whose scores are corrected for hubness, for `zslib.search`."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import like, namespace, take_rows
from zslib.search.corrections.base import largest
from zslib.search.rows import copies_of, slices
from zslib.search.selection import Best
from zslib.search.tiles import DEVICE_BLOCK, HOST_BLOCK, Tiles, check_sides
from zslib.validation import as_vectors

# A tile holds all queries at once: about so many scores, but no fewer targets than that.
TILE, LEAST = 2**20, 32
PIECE = 2**15  # scores corrected at a time: what is made of them stays in the cache


@dataclass(frozen=True)
class Base:
    """The uncorrected search, as `zslib.search.corrections.Correction.begin` sees it."""

    metric: str
    n_queries: int
    n_targets: int
    n_reference: int
    moments: Callable


def corrected_block(queries, n):
    """Targets in a tile of the scores of ``n`` vectors like ``queries``."""
    default, least = HOST_BLOCK, LEAST
    if not is_numpy_array(queries):
        default, least = DEVICE_BLOCK, 16 * least
    return min(default, max(TILE // n, least))


class CorrectedTiles(Tiles):
    """Tiles of all queries at once, their scores corrected for hubness.

    ``best(k)`` must give the (n_queries, k) best uncorrected scores, where the walk does not keep
    them. ``kept`` is for the uncorrected tiles; the corrected ones are then kept too.
    """

    corrected = True

    def __init__(self, queries, targets, metric, block_size, correction, best, *, kept=None):
        xp = namespace(queries, targets)
        reference = correction.reference
        n = queries.shape[0]
        both = n
        if reference is not None:
            reference = as_vectors(reference, "reference")
            namespace(queries, reference)
            check_sides(reference, targets, "reference")
            both += reference.shape[0]
        if block_size is None:
            block_size = corrected_block(queries, both)
        super().__init__(queries, targets, metric, block_size, chunk_size=n, kept=kept)
        self._corrected = None if kept is None else {}
        if reference is not None:
            # One product for both, so that a query that is also in the reference scores alike.
            self._peak = max(self._peak, float(xp.max(xp.abs(reference))))
            joined = xp.concat(
                [self._prepared(queries, "queries"), self._prepared(reference, "reference")]
            )
            self._factors = [self._factor(joined)]
        known = {} if kept is None else kept
        if "copies" not in known:
            known["copies"] = copies_of(targets)
        self.copies = known["copies"]
        self.score_dtype = xp.float64
        self.correction = correction
        n_reference = n if reference is None else both - n
        self._best, self._watching = best, None
        base = Base(self.metric, n, self.n_targets, n_reference, self._moments)
        self._statistics = correction.begin(base)

    def watch(self):
        """Until `finished`, which needs it, a walk with a `buffer` keeps the best it sees."""
        self._watching = []

    def buffer(self):
        memory, k = super().buffer(), self.correction.nearest(self._statistics)
        if self._watching is None or not k:
            return memory, None
        floor = np.full(self.n_queries, -np.inf)
        self._watching.append(Best(k, floor.dtype, floor, self.n_targets))
        return memory, self._watching[-1]

    def finished(self, scores):
        xp, correction = self.xp, self.correction
        k, watched, self._watching = correction.nearest(self._statistics), self._watching, None
        if not k:
            nearest = None
        elif watched:
            for state in watched:
                state.merge()
            nearest = largest(np.concatenate([state.scores for state in watched], axis=1), k)
        else:
            nearest = self._best(k)
        scores = correction.finish(xp.astype(scores, xp.float64), nearest, self._statistics)
        return xp.astype(scores, self.dtype, copy=False)

    def _moments(self):
        """Mean and variance of the scores of each query with all targets, float64 (n_queries,)."""
        xp, n, count = self.xp, self.n_queries, self.n_targets
        factor = xp.astype(self._factors[0][:, :n], xp.float64)
        euclidean = self.metric == "euclidean"
        about = sums = squares = None
        for rows in self.blocks:
            if euclidean:  # scores are no product: their own sums
                (scores,) = self._raw(rows)
                block = xp.astype(super().finished(scores[:, :n]), xp.float64)
            else:
                block = xp.astype(self.block(rows), xp.float64)
            if about is None:
                about, sums, squares = xp.mean(block, axis=0), 0.0, 0.0
            block = block - about[None, :]
            sums = sums + xp.sum(block, axis=0)
            squares = squares + (xp.sum(block**2, axis=0) if euclidean else block.T @ block)
        sums = sums / count
        if euclidean:
            return about + sums, squares / count - sums**2
        spread = squares / count - sums[:, None] * sums[None, :]
        return (about + sums) @ factor, xp.sum(factor * (spread @ factor), axis=0)

    def walk(self, rows, buffer=None):
        memory, watch = buffer or (None, None)
        known = self._corrected is not None and rows.start in self._corrected
        if known and watch is None:
            return self._corrected[rows.start]
        (raw,) = self._raw(rows, memory)
        raw = super().finished(raw)
        if watch is not None:
            watch.offer(raw[:, : self.n_queries], rows.start)
        if known:
            return self._corrected[rows.start]
        corrected = [self._without_copies(self._apply(raw), rows)]
        if self._corrected is not None:
            self._corrected[rows.start] = corrected
        return corrected

    def _without_copies(self, scores, rows):
        if self.copies is None or self.copies.count[rows].all():
            return scores
        xp = self.xp
        stands = like(self.copies.count[rows] > 0, scores)[:, None]
        return xp.where(stands, scores, xp.full_like(scores, -xp.inf))

    def picked(self, rows):
        """Corrected scores of some targets alone, (n, n_queries)."""
        few = copy(self)
        few.targets, few._picked = take_rows(self.targets, rows), rows
        few.kept = few._corrected = few.copies = few._watching = None
        few._longest = {}
        return few.walk(slice(0, rows.size))[0]

    def _apply(self, raw):
        if not self.on_host:
            return self._apply_to(raw)
        corrected = None
        for piece in slices(raw.shape[0], max(1, PIECE // raw.shape[1])):
            found = self._apply_to(raw[piece])
            if corrected is None:
                corrected = np.empty((raw.shape[0], found.shape[1]), found.dtype)
            corrected[piece] = found
        return corrected

    def _apply_to(self, raw):
        xp = self.xp
        own = self.correction.reference is None
        scores = raw if own else raw[:, : self.n_queries]
        reference = raw if own else raw[:, self.n_queries :]
        with np.errstate(over="ignore", invalid="ignore"):  # answered by the check that follows
            corrected = self.correction.apply(scores, reference, self._statistics)
            total = float(xp.sum(corrected))
        if not (math.isfinite(total) or bool(xp.all(xp.isfinite(corrected)))):
            raise ValueError(
                f"{type(self.correction).__name__} gives scores that are not finite: the "
                f"{self.metric} scores are too large for it; use cosine, or scale the vectors"
            )
        return corrected
