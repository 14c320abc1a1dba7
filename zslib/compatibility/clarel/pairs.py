"""Which texts belong to which sample, and batches of samples with some of their texts."""

import numpy as np

from zslib.compatibility.clarel.draws import TextDraw, sums_over
from zslib.search.rows import distinct
from zslib.validation import as_labels, check_indices, check_length, host_array


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
        text_ids = np.arange(n_texts) if text_ids is None else as_labels(text_ids, "text_ids")
        text_ids = host_array(text_ids, "text_ids")
        check_length(text_ids, "text_ids", n_texts, "texts")
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
        found, columns = distinct(self.ids[draw.text])
        has = sums_over(draw.owner, columns, draw.share, (draw.n, len(found)))
        same = has @ has.T > 0
        return same if np.count_nonzero(same) > draw.n else None


def _offsets_and_index(n, n_texts, text_rows):
    if text_rows is None:
        if n_texts != n:
            raise ValueError(
                f"X has {n} rows and texts {n_texts}: text i must belong to sample i; if samples "
                "share texts or have several, say which in text_rows"
            )
        return np.arange(n + 1), np.arange(n)
    parts = [host_array(part, "text_rows").reshape(-1) for part in text_rows]
    if not isinstance(text_rows, tuple):
        ends = np.cumsum([0, *map(len, parts)])
        parts = ends, np.concatenate([ends[:0], *(part for part in parts if len(part))])
    if len(parts) != 2 or len(parts[0]) != n + 1 or [*parts[0][[0, -1]]] != [0, len(parts[1])]:
        raise ValueError(
            f"text_rows must list the texts of each of the {n} rows of X, or be (offsets, index), "
            f"offsets {n + 1} numbers from 0 to the length of index"
        )
    offsets, index = parts
    check_indices(offsets, "offsets of text_rows", len(index) + 1)
    check_indices(index, "text_rows", n_texts)
    return offsets.astype(np.int64), index.astype(np.int64)
