"""Ranks of gold targets: what comes before them is counted tile by tile."""

import math

import numpy as np

from zslib.arrays import like, namespace, slices, take_rows, to_host
from zslib.search.order import WAITING, lowered
from zslib.search.rows import distinct
from zslib.search.selection import over_blocks

NARROW = 256  # one score in so many may be in doubt before float32 gives way to float64
PIECE = 128  # targets of a tile at a time, which stay in the cache; a byte counts them
NEAR = 512  # roundings by which scores of one target from two tiles differ next to never


def plain_ranks(tiles, owners, accepted):
    """Rank of the best of the accepted targets of each query, without a correction."""
    pairs = tiles.pairs
    scores, reach = pairs.scores(owners, accepted)
    scores = np.where(np.isfinite(scores), scores, 0.0)  # or refused with the block
    best, _ = pairs.best(owners, accepted, scores, reach, 1)
    gold, scores, reach = accepted[best], scores[best], reach[best]
    level = tiles.level(scores)

    def settled(near):
        """How many of the targets about the gold one come before it, for each query."""
        query, row = map(np.concatenate, zip(*near, strict=True))
        others = gold[query], scores[query], reach[query]
        before = pairs.before(query, row, *pairs.scores(query, row), *others)
        return np.bincount(query[before], minlength=tiles.n_queries)

    def work(blocks):
        ranks, near = np.zeros(tiles.n_queries, np.int64), []
        buffer = tiles.buffer() if tiles.on_host else None
        for rows in blocks:
            walked = tiles.walk(rows, buffer)
            slack = tiles.slack(level, rows)
            for number, (chunk, tile) in enumerate(zip(tiles.chunks, walked, strict=True)):
                above, row, query = _compared(tile, *_bounds(tile, level[chunk], slack[chunk]))
                if tiles.narrow and row.size > math.prod(tile.shape) // NARROW + tile.shape[1]:
                    wide = tiles.sibling()
                    tile = wide.tile(rows, number)
                    found = wide.slack(level, rows)[chunk]
                    above, row, query = _compared(tile, *_bounds(tile, level[chunk], found))
                ranks[chunk] += above
                row, query = row + rows.start, query + chunk.start
                other = row != gold[query]
                near.append((query[other], row[other]))
            if sum(query.size for query, _ in near) > WAITING:
                ranks += settled(near)
                near = []
        return ranks + settled(near) if near else ranks

    return sum(over_blocks(tiles, work)) if tiles.on_host else work(tiles.blocks)


def corrected_ranks(tiles, owners, accepted):
    """The same under a correction, by the scores of tiles.

    Tiles of the accepted targets alone, which round a little differently, say beforehand about
    where these lie. The walk counts what is surely above, and keeps what is about there until
    their own tiles have come. Should these say otherwise, it is done again.
    """
    copies = tiles.copies
    heads = accepted if copies is None else copies.first[accepted]
    scores = _expected(tiles, owners, heads)
    level, _ = _best(scores, owners, accepted)
    reach = 0.0
    if tiles.kept is None:
        rounding = float(tiles.xp.finfo(tiles.dtype).eps) * float(np.abs(level).max())
        reach = NEAR * rounding + 1.25 * tiles.correction.jump

    def work(blocks):
        above, near = np.zeros(tiles.n_queries, np.int64), []
        buffer = tiles.buffer() if tiles.on_host else None
        for rows in blocks:
            (tile,) = tiles.walk(rows, buffer)
            _read(scores, tile, rows, owners, heads)
            low, high = _bounds(tile, level, reach)
            better, row, query = _compared(tile, low, high)
            above += better
            if copies is not None:
                count = copies.count[rows]
                many = np.flatnonzero(count > 1)
                above += (count[many] - 1) @ to_host(take_rows(tile, many) > high[None, :])
            near.append((query, row + rows.start, _entries(tile, row, query)))
        return above, near

    for tiles.floor in (level - reach, None, None):
        found = over_blocks(tiles, work) if tiles.on_host else [work(tiles.blocks)]
        best, gold = _best(scores, owners, accepted)
        if ((best >= level - reach) & (best <= level + reach)).all():
            break
        level, reach = best, 0.0
    ranks = sum(above for above, _ in found)
    near = [part for _, parts in found for part in parts]
    query, row, score = map(np.concatenate, zip(*near, strict=True))
    gold, best = gold[query], best[query]
    if copies is None:
        before = (score > best) | (score == best) & (row < gold)
    else:
        tied = np.where(score == best, copies.below(row, gold), 0)
        before = np.where(score > best, copies.count[row], tied)
    return ranks + np.bincount(query, before, minlength=ranks.size).astype(np.int64)


def _best(scores, owners, accepted):
    """Score of the best accepted target of each query, and which it is."""
    order = np.lexsort((accepted, -scores, owners))
    best = order[np.unique(owners[order], return_index=True)[1]]
    return scores[best], accepted[best]


def _expected(tiles, owners, rows):
    """Corrected scores, on the host, of (query, target) pairs: (n,), up to rounding."""
    found = np.empty(len(owners))
    if tiles.kept is not None:  # exact then, and next to free of charge
        for block in tiles.blocks:
            _read(found, tiles.walk(block)[0], block, owners, rows)
        return found
    names, places = distinct(rows)
    for block in slices(names.size, tiles.blocks[0].stop):
        _read(found, tiles.picked(names[block]), block, owners, places)
    return found


def _read(found, tile, rows, owners, targets):
    """Put the scores of (query, target) pairs in the tile of the targets ``rows`` in ``found``."""
    here = np.flatnonzero((targets >= rows.start) & (targets < rows.stop))
    found[here] = _entries(tile, targets[here] - rows.start, owners[here])


def _entries(tile, row, column):
    """Some entries of a tile, float64 on the host."""
    xp = namespace(tile)
    found = xp.take(xp.reshape(tile, (-1,)), like(row * tile.shape[1] + column, tile))
    return to_host(found).astype(np.float64)


def _bounds(tile, level, slack):
    """What scores of a tile surely better than each level are above, and surely worse below."""
    return lowered(level - slack, tile), -lowered(-level - slack, tile)


def _compared(tile, low, high):
    """Targets above ``high``: how many; rows and columns of others from ``low`` on."""
    width = tile.shape[1]
    if not isinstance(tile, np.ndarray):
        xp = namespace(tile)
        better = tile > high[None, :]
        above = to_host(xp.sum(xp.astype(better, xp.int64), axis=0))
        doubt = to_host(xp.nonzero(xp.reshape((tile >= low[None, :]) ^ better, (-1,)))[0])
        return above, *np.divmod(doubt, width)
    above, doubt = np.zeros(width, np.int64), []
    memory = np.empty((2, PIECE, width), bool)
    for rows in slices(tile.shape[0], PIECE):
        piece = tile[rows]
        better, unsure = memory[:, : len(piece)]
        np.greater(piece, high, out=better)
        above += np.add.reduce(better.view(np.uint8), axis=0, dtype=np.uint8)
        np.greater_equal(piece, low, out=unsure)
        unsure ^= better
        doubt.append(np.flatnonzero(unsure) + rows.start * width)
    return above, *np.divmod(np.concatenate(doubt), width)
