"""The order of targets: scores of tiles where these tell, scores of single pairs where not."""

import numpy as np

from zslib.arrays import like, slices, take_rows, to_host
from zslib.search.tiles import HOST_BLOCK, HOST_CHUNK

WAITING = 2**14  # candidates, beyond some k for each query, before they are put in order


def in_order(tiles, scores, indices, k):
    """The k best targets of each query among more candidates, best first, scored as pairs.

    Where targets left out may be as near, all are walked over once more.
    """
    by_tile, rows = np.asarray(to_host(scores), np.float64), to_host(indices)
    level = by_tile[:, k - 1 : k]
    near = by_tile >= level - 2 * tiles.slack(level)
    near[:, :k] = True
    owners, place = np.nonzero(near)
    candidates = rows[owners, place]
    found = tiles.pairs.scores(owners, candidates)
    best, rows = tiles.pairs.listed(owners, candidates, *found, k)
    if by_tile.shape[1] < tiles.n_targets:
        cut = np.flatnonzero(near[:, -1])
        for part in slices(cut.size, HOST_CHUNK):
            some = cut[part]
            best[some], rows[some] = _once_more(tiles, some, rows[some])
    return like(best, scores), like(rows, scores)


def _once_more(tiles, queries, known):
    """The k best of some queries by scores of pairs, at least as good as those (n, k) known."""
    n, k = known.shape
    some, size = take_rows(tiles.queries, queries), min(tiles.blocks[0].stop, HOST_BLOCK)
    tiles = tiles.wide(some, size, n)
    pairs = tiles.pairs
    least = pairs.scores(np.repeat(np.arange(n), k), known.reshape(-1))[0]
    least = least.reshape(n, k).min(axis=1)
    best, waiting = None, []

    def merged():
        parts = waiting if best is None else [best, *waiting]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    for block in tiles.blocks:
        (tile,) = tiles.walk(block)
        level = tiles.level(least)
        low = lowered(level - tiles.slack(level, block), tile)
        row, owner = map(to_host, tiles.xp.nonzero(tile >= low[None, :]))
        if row.size:
            waiting.append((owner, row + block.start, *pairs.scores(owner, row + block.start)))
        if sum(len(part[0]) for part in waiting) > 4 * n * k + WAITING:
            best = merged()
            places, scores = pairs.best(*best, k)
            best, waiting = [part[places] for part in best], []
            best[2] = scores  # with the digits that near ones were told apart by
            full = np.bincount(best[0], minlength=n) == k
            worst = np.full(n, np.inf)
            np.minimum.at(worst, best[0], best[2])
            least = np.where(full, np.maximum(least, worst), least)
    return pairs.listed(*merged(), k)


def lowered(values, tile):
    """float64 values of the host with the type and place of ``tile``, rounded down."""
    # Every tile asks, and a name of a type takes NumPy ten times as long as the type.
    kind = tile.dtype if isinstance(tile, np.ndarray) else str(tile.dtype).split(".")[-1]
    if values.dtype != kind:
        with np.errstate(over="ignore"):
            narrow = values.astype(kind)
            values = np.where(narrow > values, np.nextafter(narrow, -np.inf), narrow)
    return like(values, tile)
