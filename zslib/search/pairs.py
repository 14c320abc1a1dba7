"""Scores of single pairs of a query and a target, and their order: what tiles leave open.

A pair has one score, in float64, whatever the block, batch or layout that it is met in. Where
scores lie so near that float64 may have rounded their order away, sums of twice its length decide:
their products are exact (Dekker 1971, "A floating-point technique for extending the available
precision"), and so are those of sums whose parts are kept (Knuth). What agrees to 2^-90 ties.
"""

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import ENTRIES, like, namespace, powers_of_two, take_rows, to_host
from zslib.search.rows import distinct, first_equal, slices

ENTRIES_HOST = 2**16  # entries of pairs at a time, which stay in the cache
MANY = 256  # pairs, among which equal ones are sought
EPS = 2.0**-52
TIE = 2.0**-90


class Pairs:
    """Scores and order of (query, target) pairs under a metric.

    Parameters
    ----------
    queries, targets : (n, d) float arrays, checked
    metric : str
    units : (n_queries,) float array, or None
        Powers of two that each query is multiplied by, under euclidean the targets too.
    """

    def __init__(self, queries, targets, metric, units=None):
        self.queries, self.targets, self.metric, self.units = queries, targets, metric, units
        self.on_host = is_numpy_array(queries)
        self.wide = queries.dtype == namespace(queries).float64

    def scores(self, owners, rows):
        """Score of each pair, and how far rounding may reach: two (n,) float64 host arrays."""
        if (
            len(rows) > MANY and distinct(rows)[0].size < len(rows) // 4
        ):  # many queries ask for the same targets
            owners, rows, back = self._distinct(owners, rows)
            return tuple(found[back] for found in self._scores(owners, rows))
        return self._scores(owners, rows)

    def _distinct(self, owners, rows):
        """The pairs that differ, equal targets taken for one, and the place of each among them."""
        n = self.targets.shape[0]
        names, places = distinct(rows)
        first = names[first_equal(take_rows(self.targets, names))]
        keys, back = distinct(owners * n + first[places])
        return *np.divmod(keys, n), back

    def _scores(self, owners, rows):
        found, reach = np.empty(len(rows)), np.empty(len(rows))
        d = self.targets.shape[1]
        rounding, least = (d / 2 + 16) * EPS, d * 2.0**-1074
        size = max(1, (ENTRIES_HOST if self.on_host else ENTRIES) // d)
        for part in slices(len(rows), size):
            with np.errstate(over="ignore", invalid="ignore"):  # refused with the block
                score, length = self._of(*self._gathered(owners[part], rows[part]))
                found[part] = score
                reach[part] = rounding * length + least
        return found, reach

    def _gathered(self, owners, rows):
        """Both sides of some pairs, (n, d) in float64."""
        xp = namespace(self.queries)
        q = xp.astype(take_rows(self.queries, owners), xp.float64)
        t = xp.astype(xp.asarray(take_rows(self.targets, rows)), xp.float64)
        if self.units is not None:
            units = like(self.units[owners][:, None], q)
            q = q * units
            t = t * units if self.metric == "euclidean" else t
        return q, t

    def _of(self, q, t):
        """Scores, and the size of what was summed up for them, on the host."""
        if self.metric == "euclidean":
            q = q - t
            squares = _sums(q, q)
            score = np.sqrt(squares)
            if score.size and not 1e-140 < score.min() <= score.max() < 1e140:
                q, powers = _scaled(q)
                score = np.sqrt(_sums(q, q)) / powers
            return 0 - score, score
        if self.metric == "cosine":
            if self.wide:  # squares of float32 are in range without this
                q, t = _scaled(q)[0], _scaled(t)[0]
            score = _sums(q, t) / np.sqrt(_sums(q, q) * _sums(t, t))
            return score, 1.0
        return _sums(q, t), np.sqrt(_sums(q, q)) * np.sqrt(_sums(t, t))

    def ordered(self, owners, rows, scores, reach):
        """Sort pairs by their queries, and those of each best first, equal ones by their rows.

        Returns
        -------
        order : (n,) int array
            Places of the pairs.
        scores : (n,) float array
            In this order, falling for each query.
        """
        order = np.lexsort((rows, -scores, owners))
        owners, rows, scores, reach = owners[order], rows[order], scores[order], reach[order]
        close = scores[:-1] - scores[1:] <= reach[:-1] + reach[1:]
        close &= owners[:-1] == owners[1:]
        if not close.any():
            return order, scores
        places = np.flatnonzero(np.append(close, False) | np.append(False, close))
        run = np.cumsum(np.append(True, ~close))[places]
        (high, low, tie), back = self._keys(owners[places], rows[places])
        again = np.lexsort((low[back], -high[back], run))
        key, run = back[again], run[again]
        apart = (run[1:] != run[:-1]) | _above(high, low, tie, key[:-1], key[1:])
        group = np.cumsum(np.append(True, apart))
        again = again[np.lexsort((rows[places][again], group))]
        order[places] = order[places[again]]
        first = np.flatnonzero(np.append(True, apart))
        scores[places] = scores[places][first][group - 1]  # places hold falling scores already
        return order, scores

    def best(self, owners, rows, k):
        """Scores and rows of the k best of each query, (n_queries, k) on the host."""
        order, scores = self.ordered(owners, rows, *self.scores(owners, rows))
        counts = np.bincount(owners, minlength=self.queries.shape[0])
        first = (np.cumsum(counts) - counts)[:, None] + np.arange(k)
        return self.finished(scores[first]), rows[order[first]]

    def finished(self, scores):
        """What is returned for (n_queries, k) scores: out of their units, of the vectors' type."""
        if self.units is not None:
            scores = scores / self.units[:, None]
        return scores.astype("float64" if self.wide else "float32") + 0  # no -0.0

    def before(self, owners, rows, scores, reach, others, levels, reaches):
        """Whether each target of ``rows`` comes before another of ``others`` for its query."""
        found = scores - reach > levels + reaches
        close = np.flatnonzero(~found & (scores + reach >= levels - reaches))
        close = close[rows[close] != others[close]]
        if close.size:
            n, both = close.size, np.concatenate([rows[close], others[close]])
            (high, low, tie), back = self._keys(np.tile(owners[close], 2), both)
            better = _above(high, low, tie, back[:n], back[n:])
            worse = _above(high, low, tie, back[n:], back[:n])
            found[close] = better | ~worse & (rows[close] < others[close])
        return found

    def _keys(self, owners, rows):
        """What orders the targets of a query, in twice float64; and the place of each pair in it.

        ``high`` + ``low``, and the error that is taken for a tie.
        """
        owners, rows, back = self._distinct(owners, rows)
        keys = np.empty((3, len(rows)))
        for part in slices(len(rows), max(1, ENTRIES_HOST // self.targets.shape[1])):
            q, t = map(to_host, self._gathered(owners[part], rows[part]))
            keys[:, part] = self._key(q, t)
        return keys, back

    def _key(self, q, t):
        if self.metric == "euclidean":
            high, low = _sum_of_two(q, -t)
            high, powers = _scaled(high)
            low = low * powers[:, None]
            square, error = _product(high, high)
            high, low = _total(square, error + (2 * high + low) * low)
            powers = powers**-2
            return -high * powers, -low * powers, TIE * high * powers
        (q, a), (t, b) = _scaled(q), _scaled(t)
        high, low = _total(*_product(q, t))
        if self.metric == "dot":
            powers = 1 / a / b
            return high * powers, low * powers, TIE * _sums(np.abs(q), np.abs(t)) * powers
        # The cosine's square with its sign, but for the query's length.
        error = np.full(high.shape, TIE * q.shape[1])
        sign = np.where(high < 0, -1.0, 1.0)
        square, rest = _product(high, high)
        square, rest = sign * square, sign * (rest + 2 * high * low)
        high, low = _total(*_product(t, t))
        ratio = square / high
        part, lost = _product(ratio, high)
        rest = ((square - part) - lost + rest - ratio * low) / high
        return *_sum_of_two(ratio, rest), error


def _above(high, low, tie, a, b):
    """Whether the keys at ``a`` are above those at ``b`` by more than their errors."""
    return (high[a] - high[b]) + (low[a] - low[b]) > tie[a] + tie[b]


def _sum_of_two(a, b):
    """A sum, and what its rounding lost."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def _product(a, b):
    """A product, and what its rounding lost."""
    product = a * b
    (a, c), (b, d) = _halves(a), _halves(b)
    return product, ((a * b - product) + a * d + c * b) + c * d


def _halves(a):
    """The upper and the lower half of the digits of a number."""
    wide = (2.0**27 + 1) * a
    high = wide - (wide - a)
    return high, a - high


def _total(high, low):
    """Sum over each row of ``high`` + ``low``, and what its rounding lost."""
    while (n := high.shape[1]) > 1:
        half = -(-n // 2)
        total, lost = _sum_of_two(high[:, : n - half], high[:, half:])
        rest = low[:, : n - half] + low[:, half:] + lost
        high = np.concatenate([total, high[:, n - half : half]], axis=1)
        low = np.concatenate([rest, low[:, n - half : half]], axis=1)
    return _sum_of_two(high[:, 0], low[:, 0])


def _sums(a, b):
    """Sums over each row of the products of two arrays, on the host.

    Not by BLAS, which shares out long rows to threads, and sums by their number.
    """
    if is_numpy_array(a):
        return np.einsum("ij,ij->i", a, b)
    return to_host(namespace(a).sum(a * b, axis=1))


def _scaled(vectors):
    """Rows with the largest entry in [0.5, 1), and the powers of two that brought them there."""
    xp = namespace(vectors)
    powers = powers_of_two(to_host(xp.max(xp.abs(vectors), axis=1)))
    return vectors * like(powers[:, None], vectors), powers
