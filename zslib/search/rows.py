"""Rows of arrays: distinct and equal ones."""

import numpy as np
from array_api_compat import is_cupy_namespace, is_numpy_array

from zslib.arrays import ENTRIES, like, namespace, slices, take_rows, to_host

PIECE = 2**17  # numbers compared at a time on the host, which stay in the cache
FIRST = 16  # numbers of a row, of which most rows have different ones


def distinct(numbers):
    """The distinct ``numbers``, ascending, and the place of each among them."""
    low = int(numbers.min()) if numbers.size else 0
    span = int(numbers.max()) - low + 1 if numbers.size else 0
    if span > 4 * numbers.size:
        return np.unique(numbers, return_inverse=True)
    numbers, there = numbers - low, np.zeros(span, bool)  # sooner than to sort them
    there[numbers] = True
    rows, place = np.flatnonzero(there), np.empty(span, np.int64)
    place[rows] = np.arange(rows.size)
    return rows + low, place[numbers]


def first_equal(vectors):
    """For each row of a (n, d) array the lowest row equal to it: (n,) on the host."""
    return _heads(vectors.shape[0], *_copied(vectors))


def _heads(n, rows, heads):
    """For each of n rows itself, but ``heads`` for those among ``rows``."""
    first = np.arange(n)
    first[rows] = heads
    return first


def _copied(vectors):
    """The rows that equal a lower one, and the lowest of these.

    It needs 17 bytes for each row, for keys and the same in order, and as much again for each
    that has an equal one, or one with the same first numbers.
    """
    d, left = vectors.shape[1], None
    for columns in sorted({min(d, FIRST), d}):
        left, keys = _alike(vectors, left, columns)
        if not left.size:
            return np.empty((2, 0), np.int64)
    size, found = _at_a_time(vectors, d), [(left[:0], left[:0])]
    while left.size:  # once, but for rows that differ and share a key
        _, heads, same = np.unique(keys, return_index=True, return_inverse=True)
        heads = left[heads][same]
        settled = left == heads
        for part in slices(left.size, size):
            a, b = (take_rows(vectors, rows[part]) for rows in (left, heads))
            settled[part] |= to_host(namespace(vectors).all(a == b, axis=1))
        copied = settled & (left != heads)
        found.append((left[copied], heads[copied]))
        left, keys = left[~settled], keys[~settled]
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def _at_a_time(vectors, columns):
    """How many rows of so many columns to look at, at once."""
    return max(1, (PIECE if is_numpy_array(vectors) else ENTRIES) // columns)


def _alike(vectors, rows, columns):
    """Those of the rows (None: all) that share a key of their first columns, and their keys."""
    n = vectors.shape[0] if rows is None else rows.size
    keys = np.empty(n, np.uint64)
    for part in slices(n, _at_a_time(vectors, columns)):
        block = vectors[part, :] if rows is None else take_rows(vectors, rows[part])
        keys[part] = to_host(_keys(block[:, :columns]))
    ordered = np.sort(keys)
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return keys[:0].astype(np.int64), keys[:0]
    found = np.argsort(keys)[np.append(same, False) | np.append(False, same)]
    found.sort()
    return found if rows is None else rows[found], keys[found]


def _keys(block):
    """An integer for each row, the same for equal ones wherever they stand: sums do not round."""
    xp = namespace(block)
    if not (is_numpy_array(block) or is_cupy_namespace(xp)):
        block, xp = to_host(block), np
    block = xp.ascontiguousarray(block + block.dtype.type(0))  # no -0.0
    half = 32 if block.shape[1] * block.itemsize % 8 == 0 else 16
    bits = block.view(np.uint64 if half == 32 else np.uint32)
    # Low bits of short numbers are zeros, which no multiplication changes.
    bits = bits ^ bits >> half
    weights = np.random.default_rng(0).integers(2**63, size=bits.shape[1], dtype=np.uint64)
    return (bits * like(2 * weights + np.uint64(1), bits)).sum(axis=1)


class Copies:
    """The equal rows of targets, by `first_equal`.

    ``first`` (n_targets,) is the row that stands for each, ``count`` (n_targets,) for how many
    each stands, itself included; 0 where another stands for it.
    """

    def __init__(self, first):
        n = first.size
        self.first, self.count = first, np.bincount(first, minlength=n)
        self._rows = np.flatnonzero(self.count[first] > 1)
        self._rows = self._rows[np.argsort(first[self._rows], kind="stable")]
        self._keys = first[self._rows] * n + self._rows  # equal ones together, ascending

    def below(self, rows, bounds):
        """How many of those that each of ``rows`` stands for are lower than its bound."""
        alone = (self.count[rows] == 1) & (rows < bounds)
        n = self.first.size
        return alone + np.searchsorted(self._keys, rows * n + bounds) - self._starts(rows)

    def _starts(self, rows):
        """Where the equal ones of ``rows`` that stand for several begin."""
        return np.searchsorted(self._keys, rows * self.first.size)

    def spread(self, scores, indices, k):
        """The k best targets of each query, of the k best (n_queries, k) of those that stand."""
        best, rows = np.asarray(to_host(scores)), to_host(indices)
        last = self.first.size - 1
        count = np.where(rows <= last, np.minimum(self.count[np.minimum(rows, last)], k), 0)
        # Those behind k better ones are not needed.
        level = np.zeros(rows.shape, np.int64)
        level[:, 1:] = np.cumsum(count[:, :-1], axis=1) * (best[:, 1:] < best[:, :-1])
        count[np.maximum.accumulate(level, axis=1) >= k] = 0
        count = count.reshape(-1)
        entry = np.repeat(np.arange(count.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        found = rows.reshape(-1)[entry]
        several = self.count[found] > 1
        found[several] = self._rows[(self._starts(found) + within)[several]]
        best, query = best.reshape(-1)[entry], entry // rows.shape[1]
        order = np.lexsort((found, -best, query))
        sizes = np.bincount(query)
        order = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(k)]
        return like(best[order], scores), like(found[order], indices)


def copies_of(targets):
    """The `Copies` among the targets, or None."""
    rows, heads = _copied(targets)
    return Copies(_heads(targets.shape[0], rows, heads)) if rows.size else None
