"""The negative pairs that a metric learner trains on."""

from __future__ import annotations

import numpy as np

from zslib.arrays import like, namespace

__all__ = ["NegativeSet"]


class NegativeSet:
    """The set of negative pairs of the current epoch, in bounded memory.

    Pairs are kept as lists, 8 bytes each, while these take less than counting how often each
    candidate is a negative of each image, 2 bytes for each of n M. Where a minibatch has many
    pairs for its candidates, `of` counts them for the minibatch alone.

    Parameters
    ----------
    n : int
        Images.
    n_candidates : int
        M.
    grows : bool
        Whether pairs of earlier epochs stay.

    Attributes
    ----------
    per_image : int
        Pairs of each image now.
    """

    COST = 32
    """A listed pair takes as long as so many candidates in a product with all of them."""

    def __init__(self, n, n_candidates, *, grows):
        self.n, self.n_candidates, self.grows = n, n_candidates, grows
        self._clear()

    def _clear(self):
        self.per_image = 0
        self._lists = np.empty((self.n, 0), dtype=np.int64)
        self._counts = None

    def add(self, drawn):
        """Take in the pairs of a new epoch, (n, k) candidates, none twice in a row."""
        if not self.grows:
            self._clear()
        self.per_image += drawn.shape[1]
        if self._counts is None and 8 * self.per_image < 2 * self.n_candidates:
            self._lists = np.concatenate([self._lists, drawn], axis=1)
            return
        if self._counts is None:
            self._counts = np.zeros((self.n, self.n_candidates), dtype=np.uint16)
            # One column after the other: a pair may be there from several epochs.
            for column in self._lists.T:
                self._counts[np.arange(self.n), column] += 1
            self._lists = None
        np.put_along_axis(
            self._counts, drawn, np.take_along_axis(self._counts, drawn, axis=1) + 1, axis=1
        )

    def of(self, images, reference):
        """Negatives of some images, with library, device and type of ``reference``.

        Returns
        -------
        array of int64, shape (b, K), or array, shape (b, M)
            Candidates, or how often each is a negative: as `metric_objective` takes either.
        """
        xp = namespace(reference)
        if self._counts is not None:
            counts = self._counts[images].astype(np.float32)
        elif self.COST * self.per_image < self.n_candidates:
            return like(self._lists[images], reference)
        else:
            rows, M = self._lists[images], self.n_candidates
            places = (np.arange(len(rows))[:, None] * M + rows).ravel()
            counts = np.bincount(places, minlength=len(rows) * M).reshape(len(rows), M)
            counts = counts.astype(np.float32)
        return xp.astype(like(counts, reference), reference.dtype, copy=False)
