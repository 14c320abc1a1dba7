"""Exact nearest-neighbour search and the ranks of gold targets, block by block.

`top_k` and `gold_ranks` never form the whole matrix of scores: they walk over tiles (see
`zslib._tiles`). Higher scores are better under every metric.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from array_api_compat import is_array_api_obj, is_numpy_array

from zslib._selection import select
from zslib._tiles import Tiles
from zslib.arrays import like, to_host
from zslib.validation import check_integer

__all__ = ["gold_ranks", "top_k"]


def top_k(queries, targets, k, *, metric="cosine", correction=None, block_size=None):
    tiles = Tiles(queries, targets, metric, block_size)
    k = check_integer(k, "k", low=1, high=tiles.n_targets, high_means=" (the number of targets)")
    xp = tiles.xp
    if is_numpy_array(queries):
        return select(tiles, k)
    best = [None] * len(tiles.chunks)
    for rows in tiles.blocks:
        block = tiles.block(rows)
        for number in range(len(tiles.chunks)):
            scores, local = _best_of_tile(xp, xp.matrix_transpose(tiles.scores(block, number)), k)
            best[number] = _merge(xp, best[number], scores, local + rows.start, k)
    return xp.concat([s for s, _ in best]), xp.concat([i for _, i in best])


def _merge(xp, best, scores, indices, k):
    """The k best of ``best`` and of later targets, both (chunk, any), best first."""
    if best is not None:
        scores = xp.concat([best[0], scores], axis=1)
        indices = xp.concat([best[1], indices], axis=1)
    # Stable: of equal scores the earlier column, which has the lower index, stays first.
    order = xp.argsort(scores, axis=1, descending=True, stable=True)
    order = order[:, : min(k, order.shape[1])]
    return xp.take_along_axis(scores, order, axis=1), xp.take_along_axis(indices, order, axis=1)


def _best_of_tile(xp, scores, k, group=32):
    """Scores and columns, in column order, that contain the k best of each row of ``scores``.

    Looks only inside the k groups of neighbouring columns with the largest maxima. At equal
    maxima the earlier group is taken: its maximum has the lower index, so no better element is
    left out.
    """
    n, width = scores.shape
    n_groups = width // group
    device = scores.device
    columns = xp.arange(width, dtype=xp.int64, device=device)
    if n_groups <= 2 * k:
        return scores, xp.broadcast_to(columns[None, :], (n, width))
    body = n_groups * group
    maxima = xp.max(xp.reshape(scores[:, :body], (n, n_groups, group)), axis=2)
    order = xp.argsort(maxima, axis=1, descending=True, stable=True)[:, :k]
    chosen = xp.sort(order, axis=1)[:, :, None] * group + columns[None, None, :group]
    chosen = xp.reshape(xp.astype(chosen, xp.int64), (n, k * group))
    tail = xp.broadcast_to(columns[None, body:], (n, width - body))
    chosen = xp.concat([chosen, tail], axis=1)
    return xp.take_along_axis(scores, chosen, axis=1), chosen


def gold_ranks(queries, targets, gold, *, metric="cosine", correction=None, block_size=None):
    tiles = Tiles(queries, targets, metric, block_size)
    xp = tiles.xp
    owners, accepted = _acceptable(gold, tiles.n_queries, tiles.n_targets)
    best_scores, best = _best_gold(tiles, owners, accepted)
    best_scores, best = like(best_scores, queries), like(best, queries)
    ranks = xp.zeros_like(best)
    for rows in tiles.blocks:
        block = tiles.block(rows)
        index = xp.arange(rows.start, rows.stop, dtype=xp.int64, device=best.device)[:, None]
        counts = []
        for number, chunk in enumerate(tiles.chunks):
            scores = tiles.scores(block, number)
            level, own = best_scores[chunk][None, :], best[chunk][None, :]
            before = (scores > level) | ((scores == level) & (index < own))
            counts.append(xp.sum(xp.astype(before, xp.int64), axis=0))
        ranks = ranks + xp.concat(counts)
    return ranks


def _best_gold(tiles, owners, accepted):
    """Score and index, on the host, of each query's best acceptable target."""
    xp = tiles.xp
    scores = np.empty(len(owners), dtype=str(tiles.dtype).rsplit(".", 1)[-1])
    for rows in tiles.blocks:
        inside = (accepted >= rows.start) & (accepted < rows.stop)
        if not inside.any():
            continue
        block = tiles.block(rows)
        for number, chunk in enumerate(tiles.chunks):
            here = np.flatnonzero(inside & (owners >= chunk.start) & (owners < chunk.stop))
            if here.size == 0:
                continue
            tile = tiles.scores(block, number)
            flat = (accepted[here] - rows.start) * tile.shape[1] + owners[here] - chunk.start
            scores[here] = to_host(xp.take(xp.reshape(tile, (-1,)), like(flat, tile)))
    order = np.lexsort((accepted, -scores, owners))
    first = order[np.unique(owners[order], return_index=True)[1]]
    return scores[first], accepted[first]


def _acceptable(gold, n_queries, n_targets):
    """Flat (query, target) pairs of host int64 arrays, from either form of ``gold``."""
    if is_array_api_obj(gold):
        per_query = to_host(gold)
    elif isinstance(gold, Iterable):
        per_query = list(gold)
    else:
        raise TypeError(
            "gold must be an integer array, or a sequence with the acceptable indices of each "
            f"query, got {gold!r}"
        )
    if len(per_query) != n_queries:
        raise ValueError(
            f"gold has {len(per_query)} entries for {n_queries} queries: give one index, or one "
            "sequence of acceptable indices, for each query"
        )
    accepted = [np.atleast_1d(to_host(a) if is_array_api_obj(a) else a) for a in per_query]
    lengths = np.asarray([a.size for a in accepted])
    if not lengths.all():
        raise ValueError(
            f"gold has no acceptable target for {int((lengths == 0).sum())} query(ies), the first "
            f"at position {int(lengths.argmin())}: drop these queries"
        )
    flat = np.concatenate([a.ravel() for a in accepted])
    if flat.dtype.kind not in "iu":
        raise TypeError(f"gold must hold integers, the rows of targets, got {flat.dtype}")
    if flat.min() < 0 or flat.max() >= n_targets:
        raise ValueError(
            f"gold must lie in [0, {n_targets}), the rows of targets, found {flat.min()} to "
            f"{flat.max()}"
        )
    return np.repeat(np.arange(n_queries), lengths), flat.astype(np.int64)
