"""Tiles whose scores are corrected for hubness, for `zslib.search`."""

import math
from copy import copy
from dataclasses import replace

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import largest_size, like, namespace, row_norms, slices, take_rows, unit_rows
from zslib.search.corrections.base import Correction, Side, largest, sampled_rows
from zslib.search.prepared import PreparedTargets, factors_of, reached
from zslib.search.rows import copies_of
from zslib.search.selection import Best, over_blocks
from zslib.search.tiles import DEVICE_BLOCK, HOST_BLOCK, Tiles, check_sides
from zslib.validation import as_vectors

# A tile holds all queries at once: about so many scores, but no fewer targets than that.
TILE, LEAST = 2**20, 32
PARALLEL = 1e-3  # how far cosines lie apart that float32 resolves well
FEW_SCORES = 2**24  # of a few queries with all targets, held at once
PIECE = 2**18  # scores corrected at a time: what is made of them stays in the cache


def corrected_block(queries, n):
    """Targets in a tile of the scores of ``n`` vectors like ``queries``."""
    default, least = HOST_BLOCK, LEAST
    if not is_numpy_array(queries):
        default, least = DEVICE_BLOCK, 16 * least
    return min(default, max(TILE // n, least))


class CorrectedTiles(Tiles):
    """Tiles of all queries at once, corrected for hubness; ``kept`` gets the uncorrected ones."""

    corrected = True
    floor = None  # (n_queries,): NumPy scores surely below are not asked for, and may be -inf
    _wide = False  # cosines in float64, of vectors in float32

    def __init__(
        self, queries, targets, metric, block_size, correction, *, kept=None, squares=None,
        fitting=False,
    ):  # fmt: skip
        xp = namespace(queries, targets)
        served = correction.fitted and not fitting
        reference = getattr(correction, "reference_", None) if served else correction.reference
        n = both = queries.shape[0]
        if reference is not None:
            reference = as_vectors(reference, "reference")
            namespace(queries, reference)
            check_sides(reference, targets, "reference")
            both += reference.shape[0]
        if block_size is None:
            block_size = corrected_block(queries, both)
        known = {} if kept is None else kept
        super().__init__(
            queries, targets, metric, block_size, chunk_size=n, kept=kept, squares=squares
        )
        if served:
            correction.check_served(targets, metric)
        wide = metric == "cosine" and self.dtype != xp.float64
        wide = wide and (correction._parallel if served else correction.wide or self._parallel())
        if wide:
            self._wide, self._type, self.kept = True, xp.float64, None
        self._corrected = None if self.kept is None else {}
        # One product for both, so that a query that is also in the reference scores alike.
        prepared = self._prepared(queries, "queries")
        if reference is not None:
            self._peak = max(self._peak, largest_size(reference))
            prepared = xp.concat([prepared, self._prepared(reference, "reference")])
        if wide or reference is not None:
            self._factors = [self._factor(prepared)]
        if not served and "copies" not in known:
            known["copies"] = copies_of(targets)
        self.copies = correction._copies if served else known["copies"]
        self.score_dtype = xp.float64
        self.correction, self._own = correction, reference is None
        self._watching = None
        n_reference = correction.n_reference_ if served else n if reference is None else both - n
        self._given = None
        if served and correction._KEPT:
            self._given = tuple(getattr(correction, name) for name in correction._KEPT)
            namespace(queries, *self._given)
        types = self._type, xp.float64 if wide else self.dtype
        eps = [4 * float(xp.finfo(dtype).eps) for dtype in types]
        side = Side(
            self.metric, n, self.n_targets, n_reference, *eps, None, 1.0, self._moments,
            self._scale,
        )  # fmt: skip
        self._of_target = side
        if correction.by_length and self.metric != "cosine":
            unit = 1.0 if self.units is None else float(self.units[0])
            blocks = (xp.asarray(self.targets[rows, :]) for rows in self.blocks)
            moved = [self._lengths(self._prepared(block, "targets")) for block in blocks]
            lengths, targets_lengths = (
                like(found / unit, queries)
                for found in (self._lengths(prepared), np.concatenate(moved))
            )
            longest = float(xp.max(lengths if reference is None else lengths[n:]))
            self._of_target = replace(side, lengths=targets_lengths, longest=longest)
            side = replace(side, lengths=lengths[:n], longest=float(xp.max(targets_lengths)))
        self._side = side
        correction.check(side)
        self._statistics = None if fitting else correction.begin(side)

    def _parallel(self):
        """Whether the cosines are so near to each other that float32 has few digits of that."""
        xp = self.xp
        some = xp.asarray(take_rows(self.targets, sampled_rows(self.n_targets)))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # zero, or too large
            cosines = (some / row_norms(some)[:, None]) @ self._factors[0]
            return float(xp.max(cosines)) - float(xp.min(cosines)) < PARALLEL

    def _scores(self, raw):
        """Uncorrected scores of what products give; distances are small differences of cosines."""
        return raw if self._wide else super().finished(raw)

    def watch(self):
        """Until `finished`, which needs it, a walk with a `buffer` keeps the best it sees."""
        self._watching = []

    def buffer(self):
        memory, k = super().buffer(), self.correction.nearest(self._statistics)
        if self._watching is None or not k:
            return memory, {}, None
        floor = np.full(self.n_queries, -np.inf)
        self._watching.append(Best(k, floor.dtype, floor, self.n_targets))
        return memory, {}, self._watching[-1]

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
            nearest = xp.astype(self._nearest(k), xp.float64)
        with np.errstate(over="ignore"):  # answered by the check that follows
            scores = correction.finish(xp.astype(scores, xp.float64), nearest, self._statistics)
            scores = xp.astype(scores, self.dtype, copy=False)
        if not bool(xp.all(xp.isfinite(scores))):
            raise self.overflow()
        return scores

    def _nearest(self, k):
        """The k best uncorrected scores of each query, (n_queries, k)."""
        xp, best = self.xp, None
        for rows in self.blocks:
            (raw,) = self._raw(rows)
            found = xp.matrix_transpose(self._scores(raw)[:, : self.n_queries])
            found = found if best is None else xp.concat([best, found], axis=1)
            best = largest(found, min(k, found.shape[1]))
        return best

    def _scale(self):
        """The largest score that the lengths allow each query; the largest of some distances."""
        xp = self.xp
        if self.metric == "cosine":
            return 1.0
        if self.metric == "dot":
            scale = self._side.lengths * self._side.longest
        else:
            some = take_rows(self.targets, sampled_rows(self.n_targets))
            some, queries = (xp.astype(xp.asarray(a), xp.float64) for a in (some, self.queries))
            apart = [self._lengths(queries - some[i, :]) for i in range(some.shape[0])]
            scale = like(np.max(apart, axis=0), queries)
        return xp.where(scale > 0, scale, xp.ones_like(scale))

    def _moments(self):
        """Mean and deviation of each query's scores with all targets, float64 (n_queries,)."""
        xp, n, count = self.xp, self.n_queries, self.n_targets
        # Where scores are products, sums over the targets are enough; worth it for many queries.
        by_score = self.metric == "euclidean" or self._given is not None
        about = sums = squares = None
        for rows in self.blocks:
            if by_score:
                (scores,) = self._raw(rows)
                block = xp.astype(self._scores(scores)[:, :n], xp.float64)
            else:
                block = xp.astype(self.block(rows), xp.float64)
            if about is None:  # in a unit whose squares are in range
                unit = largest_size(block) or 1.0
                about, sums, squares = xp.mean(block / unit, axis=0), 0.0, 0.0
            block = block / unit - about[None, :]
            sums = sums + xp.sum(block, axis=0)
            squares = squares + (xp.sum(block**2, axis=0) if by_score else block.T @ block)
        sums = sums / count
        if by_score:
            mean, variance = about + sums, squares / count - sums**2
        else:
            factor = xp.astype(self._factors[0][:, :n], xp.float64)
            peaks = xp.max(xp.abs(factor), axis=0)
            peaks = xp.where(peaks > 0, peaks, xp.ones_like(peaks))
            factor, unit = factor / peaks, unit * peaks
            spread = squares / count - sums[:, None] * sums[None, :]
            mean, variance = (about + sums) @ factor, xp.sum(factor * (spread @ factor), axis=0)
        variance = xp.where(variance > 0, variance, xp.zeros_like(variance))
        return unit * mean, unit * xp.sqrt(variance)

    def walk(self, rows, buffer=None):
        memory, corrected, watch = buffer or (None, None, None)
        known = self._corrected is not None and rows.start in self._corrected
        if known and watch is None:
            return self._corrected[rows.start]
        (raw,) = self._raw(rows, memory)
        raw = self._scores(raw)
        if watch is not None:
            watch.offer(raw[:, : self.n_queries], rows.start)
        if known:
            return self._corrected[rows.start]
        corrected = None if self._corrected is not None else corrected
        corrected = [self._without_copies(self._apply(raw, rows, corrected), rows)]
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
        few.kept = few._corrected = few.copies = few._watching = few.floor = None
        few._longest, few._squares = {}, None
        if self._given is not None:
            few._given = tuple(take_rows(values, rows) for values in self._given)
        few._of_target = self._of_target.part(lambda lengths: take_rows(lengths, rows))
        return few.walk(slice(0, rows.size))[0]

    def statistics(self, rows, buffer=None):
        """What the correction needs to know of some targets, a tuple of arrays."""
        xp, (raw,) = self.xp, self._raw(rows, buffer)
        raw = self._scores(raw)
        found = [self._known(raw[piece, :], at) for piece, at in self._pieces(raw, rows)]
        return tuple(xp.concat(values) for values in zip(*found, strict=True))

    def _pieces(self, raw, rows):
        """Slices of a tile, and of all targets."""
        n, m = raw.shape
        size = max(1, min(PIECE // m, math.ceil(n / 4))) if self.on_host else n
        for piece in slices(n, size):
            yield piece, slice(rows.start + piece.start, rows.start + piece.stop)

    def _known(self, reference, rows):
        """What is known of some targets, with their scores with the references."""
        if self._given is not None:
            return tuple(values[rows] for values in self._given)
        side = self._of_target.part(lambda lengths: lengths[rows])
        return self.correction.target_statistics(reference, side)

    def _apply(self, raw, rows, memory):
        """Corrected scores of a tile, in the ``memory`` of its type if there is any."""
        bound, joined, memory = None, None, {} if memory is None else memory
        if self.floor is not None and self.on_host and self._corrected is None:
            bound = self.correction.bound(self.floor, self._statistics)
        for at, piece in self._pieces(raw, rows):
            found = self._apply_to(raw[at, :], piece, bound)
            if found.shape[0] == raw.shape[0]:
                return found
            if joined is None:
                n, m = raw.shape[0], found.shape[1]
                if found.dtype not in memory:
                    memory[found.dtype] = np.empty(self.blocks[0].stop * m, found.dtype)
                joined = memory[found.dtype][: n * m].reshape(n, m)
            if found.dtype != joined.dtype or found.dtype.kind != "f":
                raise TypeError(
                    f"{type(self.correction).__name__}.apply must give scores of one floating "
                    f"type, whatever their values; got {joined.dtype} and {found.dtype}"
                )
            joined[at, :] = found
        return joined

    def _apply_to(self, raw, rows, bound):
        xp = self.xp
        scores = raw if self._own else raw[:, : self.n_queries]
        reference = raw if self._own else raw[:, self.n_queries :]
        with np.errstate(over="ignore", invalid="ignore"):  # answered by the check that follows
            known = self._known(reference, rows)
            if bound is None:
                corrected = self.correction.apply(scores, known, self._statistics)
            else:
                corrected = self.correction.apply_above(scores, known, self._statistics, bound)
            total = float(xp.sum(corrected))
        if bound is not None and total == -math.inf:  # of what was left out
            return corrected
        if not (math.isfinite(total) or bool(xp.all(xp.isfinite(corrected)))):
            raise self.overflow()
        return corrected

    def overflow(self):
        """The error where corrected scores, or the statistics that make them, are not finite."""
        return ValueError(
            f"{type(self.correction).__name__} gives scores that are not finite: the "
            f"{self.metric} scores are too large for it; use cosine, or scale the vectors"
        )


def served(queries, targets, k, correction):
    """`top_k` of a few queries under a fitted correction, or None: left to the tiles."""
    if not (isinstance(targets, PreparedTargets) and targets.known and correction.fitted):
        return None
    alone = correction._KEPT and type(correction).begin is Correction.begin
    if not alone or correction._parallel:
        return None
    (n, m), metric = (queries.shape[0], targets.shape[0]), targets.metric
    vectors, _ = factors_of(queries, metric)
    if vectors is None or metric == "euclidean" or n * m > FEW_SCORES:
        return None
    correction.check_served(targets, metric)
    raw = vectors @ targets.targets.T
    if metric == "cosine":
        raw /= targets.known[0]
    known = tuple(getattr(correction, name) for name in correction._KEPT)
    with np.errstate(over="ignore", invalid="ignore"):
        corrected = correction.apply(raw.T, known, None)
        if not math.isfinite(np.add.reduce(corrected, axis=None)):
            return None
    copies = correction._copies
    if copies is not None:
        corrected[copies.count == 0] = -np.inf
    scores, indices = map(np.array, zip(*(best_of(row, k) for row in corrected.T), strict=True))
    if copies is not None:
        scores, indices = copies.spread(scores, indices, k)
    nearest = correction.nearest(None)
    if nearest:
        nearest = np.array([best_of(row, nearest)[0] for row in raw], np.float64)
    scores = correction.finish(scores.astype(np.float64), nearest, None)
    return scores.astype(queries.dtype), indices


def best_of(scores, k):
    """The k largest of ``scores`` (n,), equal ones in their order, and where they are."""
    near = (scores >= reached(scores, k)).nonzero()[0]
    values = scores[near]
    order = (-values).argsort(kind="stable")[:k]
    return values[order], near[order]


def statistics_of_targets(correction, reference, targets, metric):
    """For `Correction.fit`: the reference as an array, statistics of each target, the tiles."""
    if not isinstance(targets, PreparedTargets):
        targets = PreparedTargets(targets, metric)
    targets.check_queries(reference, metric)
    reference = as_vectors(reference, "reference")
    check_sides(reference, targets, "reference")
    if metric == "cosine":
        unit_rows(reference, name="reference")
    tiles = CorrectedTiles(
        reference, targets.targets, metric, None, correction, fitting=True,
        squares=targets.squares,
    )  # fmt: skip
    xp = tiles.xp
    if not correction._KEPT:
        return reference, (), tiles

    def work(blocks):
        buffer = tiles.buffer()[0] if tiles.on_host else None
        with np.errstate(over="ignore", invalid="ignore"):
            return [(rows.start, tiles.statistics(rows, buffer)) for rows in blocks]

    found = over_blocks(tiles, work) if tiles.on_host else [work(tiles.blocks)]
    found = sorted((part for parts in found for part in parts), key=lambda part: part[0])
    kept = [xp.concat(values) for values in zip(*(part for _, part in found), strict=True)]
    if not all(bool(xp.all(xp.isfinite(values))) for values in kept):
        raise tiles.overflow()
    if tiles.copies is not None:
        kept = [take_rows(values, tiles.copies.first) for values in kept]
    return reference, kept, tiles
