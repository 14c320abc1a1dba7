"""Rows of arrays: distinct and equal ones."""

import numpy as np
from array_api_compat import is_cupy_namespace, is_numpy_array

from zslib.arrays import ENTRIES, like, namespace, slices, take_rows, to_host

PIECE = 2**17  # numbers compared at a time on the host, which stay in the cache


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
    n, d = vectors.shape
    size = max(1, (PIECE if is_numpy_array(vectors) else ENTRIES) // d)
    parts, first = slices(n, size), np.arange(n)
    keys = np.concatenate([to_host(_keys(vectors[rows, :])) for rows in parts])
    order = np.argsort(keys)
    again = keys[order[1:]] == keys[order[:-1]]
    left = np.sort(order[np.append(again, False) | np.append(False, again)])
    while left.size:  # once, but for rows that differ and share a key
        _, heads, same = np.unique(keys[left], return_index=True, return_inverse=True)
        heads = left[heads][same]
        for part in slices(left.size, size):
            rows = left[part], heads[part]
            a, b = (take_rows(vectors, some) for some in rows)
            equal = to_host(namespace(vectors).all(a == b, axis=1)) | (rows[0] == rows[1])
            first[rows[0][equal]] = rows[1][equal]
            left[part][equal] = -1
        left = left[left >= 0]
    return first


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
        self._start = np.cumsum(self.count) - self.count
        self._rows = np.argsort(first, kind="stable")  # equal ones together, ascending
        self._keys = first[self._rows] * n + self._rows

    def below(self, rows, bounds):
        """How many of those that each of ``rows`` stands for are lower than its bound."""
        return np.searchsorted(self._keys, rows * self.first.size + bounds) - self._start[rows]

    def spread(self, scores, indices, k):
        """The k best targets of each query, of the k best (n_queries, k) of those that stand."""
        best, rows = np.asarray(to_host(scores)), to_host(indices)
        count = np.minimum(np.append(self.count, 0)[rows], k)
        # Those behind k better ones are not needed.
        level = np.zeros(rows.shape, np.int64)
        level[:, 1:] = np.cumsum(count[:, :-1], axis=1) * (best[:, 1:] < best[:, :-1])
        count[np.maximum.accumulate(level, axis=1) >= k] = 0
        count = count.reshape(-1)
        entry = np.repeat(np.arange(count.size), count)
        within = np.arange(entry.size) - np.repeat(np.cumsum(count) - count, count)
        found = self._rows[self._start[rows.reshape(-1)[entry]] + within]
        best, query = best.reshape(-1)[entry], entry // rows.shape[1]
        order = np.lexsort((found, -best, query))
        sizes = np.bincount(query)
        order = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(k)]
        return like(best[order], scores), like(found[order], indices)


def copies_of(targets):
    """The `Copies` among the targets, or None."""
    first = first_equal(targets)
    return None if (first == np.arange(first.size)).all() else Copies(first)
