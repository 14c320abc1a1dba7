"""The order of targets: scores of tiles where these tell, scores of single pairs where not."""

import numpy as np

from zslib.arrays import like, take_rows, to_host
from zslib.search.rows import distinct, slices
from zslib.search.tiles import HOST_BLOCK, HOST_CHUNK, Tiles


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
    pairs = np.zeros((unsure.size, best.shape[1]), bool)
    pairs[:, :k] = tiles.narrow
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
        low = lowered(level - tiles.slack(level, block), tile)
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


def lowered(values, tile):
    """float64 values of the host with the type and place of ``tile``, rounded down."""
    kind = str(tile.dtype).split(".")[-1]
    if values.dtype != kind:
        with np.errstate(over="ignore"):
            narrow = values.astype(kind)
            values = np.where(narrow > values, np.nextafter(narrow, -np.inf), narrow)
    return like(values, tile)
