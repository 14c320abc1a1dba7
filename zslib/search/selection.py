"""Selection of the k best and counting of ranks for NumPy arrays, next to free of charge.

A tile of scores (block of targets, chunk of queries) is read once more than the matrix product
wrote it: elementwise maxima over groups of rows, by contiguous vector instructions. Only groups
whose maximum beats the query's k-th best so far are looked into. What is found there waits in a
list, and is merged into the k best when the list has grown to some k entries per query.
"""

import numpy as np

from zslib.search.order import lowered
from zslib.search.threads import run_threads

GROUP = 16
SMALL = 2**28  # multiplications below which threads cost more than they bring


def over_blocks(tiles, work):
    """Share out the blocks of ``tiles`` to calls of ``work(slices)``; what each returned."""
    small = tiles.n_queries * tiles.n_targets * tiles.targets.shape[1] < SMALL
    return run_threads(work, tiles.blocks, small=small)


class Best:
    """The k best targets of a chunk of queries among those that one thread has seen.

    The thread sees targets in ascending order, and `scores` are in that order too, so that at
    equal scores those with the lower index are kept.
    """

    def __init__(self, k, dtype, floor, n_targets):
        self.k, self.floor = k, floor  # floor: what the k-th best is above, from all threads
        self.scores = np.full((floor.size, k), -np.inf, dtype)
        self.least = np.full(floor.size, -np.inf, dtype)
        self.indices = np.full((floor.size, k), n_targets, np.int64)
        self.waiting, self.n_waiting, self.empty = [], 0, True
        self.limit = floor.size * max(k, GROUP)

    def offer(self, tile, start):
        """See the scores ``tile`` (b, n_queries) of the targets from ``start`` on."""
        n = tile.shape[1]
        m = tile.shape[0] // GROUP or 1
        first, self.empty = self.empty, False
        if first and m <= self.k:  # nothing to look past yet
            indices = np.broadcast_to(start + np.arange(tile.shape[0]), tile.T.shape)
            both = (self.scores, tile.T), (self.indices, indices)
            self.keep(slice(None), *(np.concatenate(part, axis=1) for part in both))
            return
        size = GROUP if tile.shape[0] >= GROUP else tile.shape[0]
        rest = tile[size * m :]
        # Row r of the tile belongs to group r % m.
        groups = tile[: size * m].reshape(size, m * n)
        maxima = groups.max(axis=0).reshape(m, n)
        # A target must beat the k-th best of this thread, but may tie with that of another, which
        # may have the higher index: `floor` is just below it.
        level = lowered(np.maximum(self.least, self.floor), tile)
        hits = np.flatnonzero(maxima > level)
        if hits.size > n * self.k and m > self.k:
            # k groups have a maximum of at least their k-th largest, so k scores have.
            bound = np.partition(maxima, m - self.k, axis=0)[m - self.k]
            level = np.maximum(level, np.nextafter(bound, -np.inf))
            hits = np.flatnonzero(maxima > level)
        if hits.size:
            values = groups.take(hits, axis=1)
            # Flat, which NumPy finds several times sooner than by rows and columns.
            row, hit = np.divmod(np.flatnonzero(values > level.take(hits % n)), hits.size)
            group, column = np.divmod(hits.take(hit), n)
            self.waiting.append((column, start + row * m + group, values[row, hit]))
            self.n_waiting += row.size
            if self.n_waiting >= self.limit:
                self.merge()
        if rest.size:
            self.offer(rest, start + size * m)

    def merge(self):
        """Merge the waiting targets into the k best."""
        if not self.n_waiting:
            return
        column, index, value = map(np.concatenate, zip(*self.waiting, strict=True))
        self.waiting, self.n_waiting = [], 0
        counts = np.bincount(column, minlength=self.floor.size)
        if counts.size <= 2**16:
            column = column.astype(np.uint16)  # NumPy sorts 16 bits by radix
        order = np.argsort(column, kind="stable")
        first = np.cumsum(counts) - counts
        column, index, value = column[order], index[order], value[order]
        position = np.arange(column.size) - first[column]
        # Two rounds, so that a few queries with many candidates do not widen the table of all.
        many = counts > 4 * (self.k + GROUP)
        for rows in (np.flatnonzero(many), np.flatnonzero(~many & (counts > 0))):
            if rows.size == 0:
                continue
            here = np.zeros(self.floor.size, np.int64) - 1
            here[rows] = np.arange(rows.size)
            chosen = np.flatnonzero(here[column] >= 0)
            place = here[column[chosen]], self.k + position[chosen]
            shape = rows.size, self.k + counts[rows].max()
            scores = np.full(shape, -np.inf, self.scores.dtype)
            indices = np.empty(shape, np.int64)
            for table, best, new in ((scores, self.scores, value), (indices, self.indices, index)):
                table[:, : self.k] = best[rows]
                table[place] = new[chosen]
            self.keep(rows, scores, indices)

    def keep(self, rows, scores, indices):
        """Of some queries the k best of those so far and of others that come later, (n, k + m)."""
        kept, self.least[rows] = _largest(scores, self.k)
        self.scores[rows], self.indices[rows] = scores.take(kept), indices.take(kept)
        # Threads may overwrite each other here; whichever value stays is a valid lower bound.
        np.maximum(self.floor, np.nextafter(self.least, -np.inf), out=self.floor)


def _largest(scores, k):
    """Flat places of the k largest of each row, the first among equal ones; the least of them."""
    least = np.partition(scores, -k, axis=1)[:, -k]
    kept = scores >= least[:, None]
    if np.count_nonzero(kept) > k * len(scores):
        equal = scores == least[:, None]
        room = k - np.count_nonzero(kept & ~equal, axis=1)
        kept &= ~equal | (np.cumsum(equal, axis=1) <= room[:, None])
    return np.flatnonzero(kept).reshape(-1, k), least


def select(tiles, k):
    """The k best targets of each query: scores and indices, (n_queries, k)."""
    tiles.floor = floor = np.full(tiles.n_queries, -np.inf, tiles.score_dtype)

    def work(blocks):
        best = [Best(k, floor.dtype, floor[chunk], tiles.n_targets) for chunk in tiles.chunks]
        buffer = tiles.buffer()
        for rows in blocks:
            for state, tile in zip(best, tiles.walk(rows, buffer), strict=True):
                state.offer(tile, rows.start)
        for state in best:
            state.merge()
        return (
            np.concatenate([state.scores for state in best]),
            np.concatenate([state.indices for state in best]),
        )

    scores, indices = (
        np.concatenate(part, axis=1) for part in zip(*over_blocks(tiles, work), strict=True)
    )
    order = np.lexsort((indices, -scores), axis=1)[:, :k]
    return np.take_along_axis(scores, order, axis=1), np.take_along_axis(indices, order, axis=1)
