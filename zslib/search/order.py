"""The order of targets: scores of tiles where these tell, scores of single pairs where not."""

from __future__ import annotations

import math

import numpy as np

from zslib.arrays import like, namespace, take_rows, to_host
from zslib.search.selection import over_blocks
from zslib.search.tiles import HOST_BLOCK, HOST_CHUNK, Tiles, distinct, slices

NARROW = 256  # one score in so many may be in doubt before float32 gives way to float64


def in_order(tiles, scores, indices, k):
    """The k best targets of each query among more candidates by the scores of tiles, best first.

    Near neighbours are scored anew as pairs. Where targets left out may be as near, all are
    walked over once more.
    """
    by_tile, finished = np.asarray(to_host(scores), np.float64), tiles.finished(scores)
    reach = by_tile - 2 * tiles.slack(by_tile)
    near = by_tile[:, 1:] >= reach[:, :-1]
    # Squares in float32 order, but lack the digits to be returned.
    unsure = np.flatnonzero(near[:, :k].any(axis=1) | tiles.narrow)
    if not unsure.size:
        return finished[:, :k], indices[:, :k]
    best, rows = np.array(to_host(finished)), np.array(to_host(indices))
    pairs = np.full((unsure.size, best.shape[1]), tiles.narrow)
    pairs[:, 1:] |= near[unsure]
    pairs[:, :-1] |= near[unsure]
    query, place = np.nonzero(pairs)
    query = unsure[query]
    best[query, place] = tiles.pair_scores(query, rows[query, place])
    order = np.lexsort((rows[unsure], -best[unsure]), axis=1)
    best[unsure] = np.take_along_axis(best[unsure], order, axis=1)
    rows[unsure] = np.take_along_axis(rows[unsure], order, axis=1)
    best, rows = best[:, :k], rows[:, :k]
    if by_tile.shape[1] < tiles.n_targets:
        cut = np.flatnonzero(by_tile[:, -1] >= reach[:, k - 1])
        for part in slices(cut.size, HOST_CHUNK):
            some = cut[part]
            best[some], rows[some] = _once_more(tiles, some, best[some, -1], k)
    return like(best, scores), like(rows, scores)


def _once_more(tiles, queries, least, k):
    """The k best of some queries by scores of pairs, known to be at ``least`` so good."""
    size = min(tiles.blocks[0].stop, HOST_BLOCK)
    some = take_rows(tiles.queries, queries)
    tiles = Tiles(some, tiles.targets, tiles.metric, size, chunk_size=queries.size, wide=True)
    least = np.asarray(least, np.float64)
    best, rows = np.full((queries.size, k), -np.inf), np.zeros((queries.size, k), np.int64)
    for block in tiles.blocks:
        (tile,) = tiles.walk(block)
        level = tiles.level(least)
        low = _lowered(level - tiles.slack(level, block), tile)
        row, owner = map(to_host, tiles.xp.nonzero(tile >= low[None, :]))
        if not row.size:
            continue
        row = row + block.start
        names, place = distinct(row)
        found = np.full((queries.size, k + names.size), -np.inf)
        found[:, :k], found[owner, k + place] = best, tiles.pair_scores(owner, row)
        names = np.broadcast_to(names, (queries.size, names.size))
        # Stable: earlier rows come first.
        order = np.argsort(-found, axis=1, kind="stable")[:, :k]
        best = np.take_along_axis(found, order, axis=1)
        rows = np.take_along_axis(np.concatenate([rows, names], axis=1), order, axis=1)
        least = np.maximum(least, best[:, -1])
    return best, rows


def count_before(tiles, scores, gold):
    """Number of targets before ``gold``, of the ``scores`` given, for each query: (n_queries,)."""
    level = tiles.level(np.where(np.isfinite(scores), scores, 0.0))  # or refused with the block

    def work(blocks):
        ranks = np.zeros(tiles.n_queries, np.int64)
        buffer = tiles.buffer() if tiles.on_host else None
        for rows in blocks:
            walked = tiles.walk(rows, buffer)
            slack = tiles.slack(level, rows)
            for number, (chunk, tile) in enumerate(zip(tiles.chunks, walked, strict=True)):
                above, row, query = _compared(tile, level[chunk], slack[chunk])
                if tiles.narrow and row.size > math.prod(tile.shape) // NARROW:
                    wide = tiles.wide()
                    tile = wide.tile(rows, number)
                    found = wide.slack(level, rows)[chunk]
                    above, row, query = _compared(tile, level[chunk], found)
                ranks[chunk] += above
                if not row.size:
                    continue
                row, query = row + rows.start, query + chunk.start
                # A corrected score has no slack: in doubt are those equal to the gold one's.
                found = scores[query] if tiles.corrected else tiles.pair_scores(query, row)
                before = (found > scores[query]) | (found == scores[query]) & (row < gold[query])
                ranks += np.bincount(query[before], minlength=ranks.size)
        return ranks

    return sum(over_blocks(tiles, work)) if tiles.on_host else work(tiles.blocks)


def _compared(tile, level, slack):
    """Targets surely better than each level: how many; rows and columns of those in doubt."""
    xp, width = namespace(tile), tile.shape[1]
    low, high = _lowered(level - slack, tile), -_lowered(-level - slack, tile)
    # Piece by piece, which stay in the cache; bytes add up many at a time.
    size, kind = (255, xp.uint8) if isinstance(tile, np.ndarray) else (tile.shape[0], xp.int64)
    above, doubt = np.zeros(width, np.int64), []
    for rows in slices(tile.shape[0], size):
        piece = tile[rows, :]
        better = piece > high[None, :]
        above += to_host(xp.sum(xp.astype(better, kind), axis=0, dtype=kind))
        unsure = xp.reshape((piece >= low[None, :]) ^ better, (-1,))
        doubt.append(to_host(xp.nonzero(unsure)[0]) + rows.start * width)
    return above, *np.divmod(np.concatenate(doubt), width)


def _lowered(values, tile):
    """float64 values of the host with the type and place of ``tile``, rounded down."""
    lowered = values.astype(str(tile.dtype).split(".")[-1])
    with np.errstate(over="ignore"):
        lowered = np.where(lowered > values, np.nextafter(lowered, -np.inf), lowered)
    return like(lowered, tile)
