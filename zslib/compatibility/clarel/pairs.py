"""Which texts belong to which sample, and batches of samples with some of their texts."""

import numpy as np

from zslib.arrays import to_host
from zslib.compatibility.clarel.draws import TextDraw, distinct, sums_over

__all__ = ["Pairs"]


class Pairs:
    """Samples and their texts, checked; all on the host.

    ``text_rows`` and ``text_ids`` as in `zslib.compatibility.CLAREL.fit`.

    Examples
    --------
    >>> pairs = Pairs(3, 2, [[0], [0, 1], [1]], None)
    >>> draw = pairs.draw(np.array([0, 1]), 10, np.random.default_rng(0))
    >>> draw.text, draw.share
    (array([0, 0, 1]), array([1. , 0.5, 0.5]))
    >>> pairs.in_common(draw)
    array([[ True,  True],
           [ True,  True]])
    """

    def __init__(self, n, n_texts, text_rows, text_ids):
        self.n_texts = n_texts
        self.offsets, self.index = _offsets_and_index(n, n_texts, text_rows)
        counts = np.diff(self.offsets)
        if counts.min(initial=1) < 1:
            raise ValueError(
                f"{np.sum(counts < 1)} sample(s) have no text in text_rows, the first is sample "
                f"{np.argmax(counts < 1)}: drop them"
            )
        if text_ids is None:
            text_ids = np.arange(n_texts)
        else:
            text_ids = _integers(text_ids, "text_ids")
            if text_ids.shape != (n_texts,):
                raise ValueError(
                    f"text_ids must have one number for each of the {n_texts} texts, got shape "
                    f"{text_ids.shape}"
                )
        self.ids = np.unique(text_ids, return_inverse=True)[1].reshape(-1)

    def draw(self, samples, n_each, rng):
        """At most ``n_each`` texts of each sample, at random where it has more; a `TextDraw`."""
        starts = self.offsets[samples]
        counts = self.offsets[samples + 1] - starts
        n = np.minimum(counts, n_each)
        owner = np.repeat(np.arange(len(samples)), n)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(n) - n, n)
        if counts.max() > n_each:
            keys = rng.random((len(samples), counts.max()))
            keys[np.arange(counts.max()) >= counts[:, None]] = 2.0
            rank = np.argsort(keys, axis=1)[owner, rank]
        return TextDraw(owner, self.index[starts[owner] + rank], 1.0 / n[owner], len(samples))

    def in_common(self, draw):
        """(n, n) bool: whether two samples drew equal texts; None where no two did."""
        ids = self.ids[draw.text]
        if len(ids) == draw.n:
            same = ids[:, None] == ids[None, :]
        else:
            found, columns = distinct(ids, len(self.ids))
            has = sums_over(draw.owner, columns, draw.share, (draw.n, len(found)))
            same = has @ has.T > 0
        return same if np.count_nonzero(same) > draw.n else None


def _integers(values, name):
    host = np.asarray(to_host(values) if hasattr(values, "__array_namespace__") else values)
    if host.size and not np.issubdtype(host.dtype, np.integer):
        raise TypeError(f"{name} must hold integers, got {host.dtype}")
    return host.astype(np.int64)


def _offsets_and_index(n, n_texts, text_rows):
    if text_rows is None:
        if n_texts != n:
            raise ValueError(
                f"X has {n} rows and texts {n_texts}: text i must belong to sample i; if samples "
                "share texts or have several, say which in text_rows"
            )
        return np.arange(n + 1), np.arange(n)
    if isinstance(text_rows, tuple):
        if len(text_rows) != 2:
            raise ValueError(
                f"text_rows is a tuple of {len(text_rows)}: give (offsets, index), or a list with "
                "the texts of each sample"
            )
        offsets, index = (_integers(part, "text_rows").reshape(-1) for part in text_rows)
        if len(offsets) != n + 1 or offsets[0] != 0 or offsets[-1] != len(index):
            raise ValueError(
                f"text_rows: offsets must be {n + 1} numbers from 0 to the length of index, "
                f"{len(index)}, for the {n} rows of X"
            )
    else:
        if len(text_rows) != n:
            raise ValueError(
                f"text_rows lists the texts of {len(text_rows)} samples, X has {n} rows: give one "
                "entry for each"
            )
        rows = [_integers(row, "text_rows").reshape(-1) for row in text_rows]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        index = np.concatenate(rows)
    if len(index) and (index.min() < 0 or index.max() >= n_texts):
        raise ValueError(
            f"text_rows names texts from {index.min()} to {index.max()}, but there are {n_texts}: "
            f"numbers must lie in [0, {n_texts})"
        )
    return offsets, index
