"""Scores of single pairs of a query and a target, and their order: what tiles leave open.

A pair has one score, in float64, whatever the block, batch or layout that it is met in. Where
scores lie so near that float64 may have rounded their order away, sums of twice its length decide:
their products are exact (Dekker 1971, "A floating-point technique for extending the available
precision"), and so are sums, of which what rounding loses is kept. What agrees to their last
digit, some thirty behind the first, ties.
"""

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import ENTRIES, like, namespace, powers_of_two, slices, take_rows, to_host
from zslib.search.rows import distinct, first_equal

ENTRIES_HOST = 2**15  # entries of pairs at a time, which stay in the cache
MANY = 256  # pairs, among which equal ones are sought
EPS = 2.0**-52
ROUNDING = 2.0**-98  # of a quotient of numbers with twice the digits of float64


class Pairs:
    """Scores and order of (query, target) pairs under a metric, of (n, d) arrays that are checked.

    ``units`` (n_queries,) are powers of two that each query is multiplied by, under euclidean the
    targets too.
    """

    def __init__(self, queries, targets, metric, units=None):
        self.on_host = is_numpy_array(queries)
        if self.on_host:
            targets = np.asarray(targets)  # a view of a memory map
        self.queries, self.targets, self.metric, self.units = queries, targets, metric, units
        self.wide = queries.dtype == namespace(queries).float64
        plain = self.on_host and metric != "cosine" and units is None
        self._whole = plain and (queries == np.rint(queries)).all()

    def scores(self, owners, rows):
        """Score of each pair, and how far rounding may reach: two (n,) float64 host arrays."""
        if len(rows) > MANY:
            names, places = distinct(rows)
            if names.size < len(rows) // 4:  # many queries ask for the same targets
                first = self._first(names)
                if (first != names).any():
                    owners, rows, back = self._distinct(owners, first[places])
                    return tuple(found[back] for found in self._scores(owners, rows))
        return self._scores(owners, rows)

    def _first(self, names):
        """For each of some targets the first of them that is equal to it."""
        return names[first_equal(take_rows(self.targets, names))]

    def _distinct(self, owners, rows):
        """The pairs that differ, and the place of each among them."""
        n = self.targets.shape[0]
        keys, back = distinct(owners * n + rows)
        return *np.divmod(keys, n), back

    def _scores(self, owners, rows):
        size = max(1, (ENTRIES_HOST if self.on_host else ENTRIES) // self.targets.shape[1])
        parts = [self._few(owners[part], rows[part]) for part in slices(len(rows) or 1, size)]
        return tuple(map(np.concatenate, zip(*parts, strict=True)))

    def _few(self, owners, rows):
        """The same of so many pairs as are gathered at a time."""
        d, reach = self.targets.shape[1], np.empty(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):  # refused with the block
            q, t = self._gathered(owners, rows)
            score, length = self._of(q, t)
        reach[:] = (d / 2 + 16) * EPS * length + d * 2.0**-1074
        if self._whole and (t == np.rint(t)).all():  # nothing is rounded
            reach[length < 2.0**25] = 0.0
        return score, reach

    def _gathered(self, owners, rows):
        """Both sides of some pairs, (n, d) in float64."""
        xp = namespace(self.queries)
        q = xp.astype(take_rows(self.queries, owners), xp.float64)
        t = xp.astype(take_rows(self.targets, rows), xp.float64)
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
        return _sums(q, t), _sums(abs(q), abs(t))

    def ordered(self, owners, rows, scores, reach):
        """Sort pairs by their queries, and those of each best first, equal ones by their rows.

        Returns their places, (n,), and the scores in this order, which fall for each query.
        """
        order = np.lexsort((rows, -scores, owners))
        owners, rows, scores, reach = (part[order] for part in (owners, rows, scores, reach))
        gaps = scores[:-1] - scores[1:]
        same = owners[:-1] == owners[1:]
        doubt = reach[:-1] + reach[1:]
        if self.metric == "dot":  # the widest of a query may reach beyond surer neighbours
            starts = np.flatnonzero(np.append(True, ~same))
            counts = np.diff(np.append(starts, order.size))
            doubt = 2 * np.repeat(np.maximum.reduceat(reach, starts), counts)[1:]
        close = same & (gaps <= doubt) & (doubt > 0)
        if not close.any():
            return order, scores
        places = np.flatnonzero(np.append(close, False) | np.append(False, close))
        run = np.cumsum(np.append(True, ~close))[places]
        (high, low, tie, exact), back = self._keys(owners[places], rows[places])
        again = np.lexsort((-low[back], -high[back], run))
        key, run = back[again], run[again]
        apart = (run[1:] != run[:-1]) | _above(high, low, tie, key[:-1], key[1:])
        group = np.cumsum(np.append(True, apart))
        again = again[np.lexsort((rows[places][again], group))]
        order[places] = order[places[again]]
        first = np.flatnonzero(np.append(True, apart))
        scores[places] = exact[key[first]][group - 1]
        return order, scores

    def best(self, owners, rows, scores, reach, k):
        """Places of the k best pairs of each query, as `ordered`, and their scores."""
        order, scores = self.ordered(owners, rows, scores, reach)
        counts = np.bincount(owners, minlength=self.queries.shape[0])
        kept = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts) < k
        return order[kept], scores[kept]

    def listed(self, owners, rows, scores, reach, k):
        """What `top_k` returns of pairs, at least k of each query: (n_queries, k) on the host."""
        places, scores = self.best(owners, rows, scores, reach, k)
        scores = scores.reshape(-1, k)
        if self.units is not None:
            scores = scores / self.units[:, None]
        scores = scores.astype(np.float64 if self.wide else np.float32) + 0  # no -0.0
        return scores, rows[places].reshape(-1, k)

    def before(self, owners, rows, scores, reach, others, levels, reaches):
        """Whether each target of ``rows`` comes before another, of ``others``, for its query."""
        doubt, ahead = reach + reaches, scores - levels
        found = (ahead > doubt) | (ahead == 0) & (rows < others)
        close = np.flatnonzero((abs(ahead) <= doubt) & (doubt > 0))
        if close.size:
            n, both = close.size, np.concatenate([rows[close], others[close]])
            (high, low, tie, _), back = self._keys(np.tile(owners[close], 2), both)
            better = _above(high, low, tie, back[:n], back[n:])
            worse = _above(high, low, tie, back[n:], back[:n])
            found[close] = better | ~worse & (rows[close] < others[close])
        return found

    def _keys(self, owners, rows):
        """What orders the targets of a query, in twice float64; and the place of each pair in it.

        ``high`` + ``low``, the error that is taken for a tie, and the score as of `scores`.
        """
        names, places = distinct(rows)
        owners, rows, back = self._distinct(owners, self._first(names)[places])
        keys, powers = np.empty((4, len(rows))), np.ones(len(rows))
        for part in slices(len(rows), max(1, ENTRIES_HOST // self.targets.shape[1])):
            q, t = map(to_host, self._gathered(owners[part], rows[part]))
            *parts, powers[part] = self._key(q, t)
            keys[:, part] = parts
            keys[3, part] *= powers[part]
        if self.metric != "cosine":  # in one unit, with the largest near the end of the range
            largest = powers.max(where=keys[0] != 0, initial=2.0**-1022)
            lift = 2.0 ** np.clip(900 - np.frexp(largest)[1], -150, 900)
            with np.errstate(over="ignore"):  # of zeros, which may have any power
                keys[:3] *= np.minimum(powers * lift, 2.0**900)
        return keys, back

    def _key(self, q, t):
        if self.metric == "euclidean":
            high, low = _sum_of_two(q, -t)
            high, powers = _scaled(high)
            low = low * powers[:, None]
            square, error = _product(high, high)
            more = (2 * high + low) * low
            high, low, error = _total(square, error + more, EPS * (abs(more) + abs(error * more)))
            root = np.sqrt(high)
            square, lost = _product(root, root)
            twice = 2 * np.where(root > 0, root, 1.0)
            low = ((high - square) - lost + low) / twice
            return -root, -low, error / twice + ROUNDING * root, -root, 1 / powers
        product = _exact_sums if _short(q) and _short(t) else _sums_of_products
        (q, stretch), (t, powers) = _scaled(q), _scaled(t)
        high, low, error = product(q, t)
        if self.metric == "dot":
            return high, low, error, high / stretch, 1 / powers
        # The cosine's square with its sign, but for the query's length.
        sign = np.where(high < 0, -1.0, 1.0)
        square, rest = _product(high, high)
        square, rest = sign * square, sign * (rest + 2 * high * low)
        length, more, error_of_length = product(t, t)
        error = (2 * abs(high) + error) * error / length
        ratio = square / length
        error += abs(ratio) * (ROUNDING + error_of_length / length)
        part, lost = _product(ratio, length)
        rest = ((square - part) - lost + rest - ratio * more) / length
        high, low = _sum_of_two(ratio, rest)
        cosine = sign * np.sqrt(abs(high) / product(q, q)[0])
        return high, low, error, cosine, 1.0


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


def _total(high, low, error=0.0):
    """Sum over each row of ``high`` + ``low``, what rounding lost, and how much it loses still."""
    error = np.zeros_like(high) + error
    while (n := high.shape[1]) > 1:
        half = -(-n // 2)
        total, lost = _sum_of_two(high[:, : n - half], high[:, half:])
        rest, less = _sum_of_two(low[:, : n - half], low[:, half:])
        rest, least = _sum_of_two(rest, lost)
        high = np.concatenate([total, high[:, n - half : half]], axis=1)
        low = np.concatenate([rest, low[:, n - half : half]], axis=1)
        error[:, : n - half] += error[:, half:] + abs(less) + abs(least)
        error = error[:, :half]
    return *_sum_of_two(high[:, 0], low[:, 0]), error[:, 0]


def _sums_of_products(a, b):
    """Sums over each row of the products of two arrays, as `_total` gives them."""
    return _total(*_product(a, b))


def _exact_sums(a, b):
    """The same of rows that are `_short`."""
    sums = _sums(a, b)
    return sums, np.zeros_like(sums), np.zeros_like(sums)


def _short(vectors):
    """Whether these are whole numbers so small that sums of their products are exact."""
    short = vectors.shape[1] * float(abs(vectors).max()) ** 2 < 2.0**53
    return short and (vectors == np.rint(vectors)).all()


def _sums(a, b):
    """Sums over rows of products, on the host; those of BLAS depend on its number of threads."""
    if type(a) is np.ndarray:
        return np.einsum("ij,ij->i", a, b)
    return to_host(namespace(a).sum(a * b, axis=1))


def _scaled(vectors):
    """Rows with the largest entry in [0.5, 1), and the powers of two that brought them there."""
    xp = namespace(vectors)
    powers = powers_of_two(to_host(xp.max(xp.abs(vectors), axis=1)))
    return vectors * like(powers[:, None], vectors), powers
