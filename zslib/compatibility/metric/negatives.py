"""Choosing negative pairs for a metric (Bucher, Herbin and Jurie 2016, section 2.2).

A pair is an image and an attribute vector. Vectors are counted, not listed image by image: the
*candidates* are the distinct vectors of each seen class, with the number of images that have
them. The negatives of an image are candidates of other classes, and a candidate that twice as
many images have is twice as likely. All weights are logarithms, so that none under- or overflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from zslib.arrays import like, namespace, row_blocks, take_rows, to_host
from zslib.validation import check_integer

NEGATIVES = ("random", "uncertainty", "uncertainty_correlation")
"""The three strategies of section 2.2."""


@dataclass(frozen=True)
class Candidates:
    """The distinct attribute vectors of each class, in ascending order of class.

    ``vectors`` (M, q); ``classes`` (M,), where a vector that occurs in two classes is two
    candidates; ``counts`` (M,), the images that have it; ``own`` (n,), each image's candidate.
    """

    vectors: object
    classes: np.ndarray
    counts: np.ndarray
    own: np.ndarray

    @property
    def labels(self):
        """Class of each image, ndarray of int64, shape (n,)."""
        return self.classes[self.own]

    @property
    def fewest(self):
        """How many candidates of other classes an image has at least."""
        return len(self.classes) - int(np.bincount(self.classes).max())

    @property
    def q_varies(self):
        """Whether the images of some class differ, so that Eq. 9 is not 1 for every vector."""
        return bool(np.bincount(self.classes).max() > 1)


def distinct_candidates(codes, embeddings, image_attributes=None):
    """Find the distinct attribute vectors of each class; rows are compared exactly, on the host.

    Parameters
    ----------
    codes : array of int64, shape (n,)
        Class of each image, from 0 to k - 1; each class occurs.
    embeddings : array, shape (k, q)
        One vector for each class.
    image_attributes : array, shape (n, q), or None
        One for each image. None: that of its class.

    Examples
    --------
    >>> import numpy as np
    >>> attributes = np.array([[1.0], [0.0], [1.0], [1.0]])
    >>> found = distinct_candidates(np.array([0, 0, 0, 1]), np.zeros((2, 1)), attributes)
    >>> print(found.vectors.ravel(), found.classes, found.counts, found.own)
    [0. 1. 1.] [0 0 1] [1 2 1] [1 0 1 2]
    """
    codes = to_host(codes)
    if image_attributes is None:
        k = embeddings.shape[0]
        return Candidates(embeddings, np.arange(k), np.bincount(codes, minlength=k), codes)
    table = np.column_stack([codes, to_host(image_attributes)])
    table, first, own, counts = np.unique(
        table, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return Candidates(take_rows(image_attributes, first), codes[first], counts, own.reshape(-1))


def log_uncertainty(distances, own_distances):
    r"""Logarithm of :math:`u_t(Y|X_i)`, Eq. 8: large where another vector is nearly as near.

    .. math:: \log u_t(Y | X_i) = S_t(X_i, Y^*) - S_t(X_i, Y)
    """
    return own_distances[:, None] - distances


def log_correlation(candidates):
    r"""Logarithm of :math:`q(Y)`, Eq. 9, float64 (M,): near 0 for vectors typical of their class.

    .. math:: \log q(Y) = -\frac{1}{|\mathcal Y_k|} \sum_{Y' \in \mathcal Y_k} \| Y - Y' \|_2

    The set has one member for each image of the class, so equal vectors count repeatedly, and Y
    itself counts with distance 0.

    Examples
    --------
    >>> import numpy as np
    >>> attributes = np.array([[0.0], [0.0], [3.0], [5.0]])
    >>> found = distinct_candidates(np.array([0, 0, 0, 1]), np.zeros((2, 1)), attributes)
    >>> log_correlation(found)
    array([-1., -2., -0.])
    """
    xp = namespace(candidates.vectors)
    ends = np.searchsorted(candidates.classes, np.arange(candidates.classes[-1] + 2))
    found = []
    for start, stop in pairwise(ends.tolist()):
        # Differences of squares in float64, about the first: rounding stays near 1e-8.
        V = xp.astype(candidates.vectors[start:stop, :], xp.float64)
        V = V - V[:1, :]
        squares = xp.sum(V * V, axis=1)
        counts = xp.astype(like(candidates.counts[start:stop], V), xp.float64)
        for rows in row_blocks(V.shape[0], V.shape[0]):
            lengths = squares[rows][:, None] + squares[None, :]
            D = lengths - 2.0 * (V[rows, :] @ V.T)
            # No more than this is rounding, between a vector and itself.
            D = xp.where(1e-14 * lengths < D, D, xp.zeros_like(D))
            found.append(-(xp.sqrt(D) @ counts) / xp.sum(counts))
    return xp.concat(found)


def draw_negatives(log_weights, k, rng):
    r"""Draw k columns of each row without replacement, by their weights; int64 (n, k) on the host.

    One after the other, each with probability in proportion to its weight among those left. The
    draw is that of the k largest :math:`\log w_j + G_j` with standard Gumbel noise G (the
    Gumbel top-k trick), which needs no exponential of a weight. A logarithm of minus infinity is
    never drawn.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[-np.inf, 0.0, 2000.0], [-4000.0, -3000.0, -np.inf]])
    >>> draw_negatives(weights, 1, np.random.default_rng(0))
    array([[2],
           [1]])
    """
    check_integer(k, "k", low=1, high=log_weights.shape[1])
    weights = to_host(log_weights)
    noise = rng.standard_exponential(weights.shape, dtype=weights.dtype)
    keys = weights - np.log(np.maximum(noise, np.finfo(noise.dtype).tiny))
    if k == 1:
        return np.argmax(keys, axis=1)[:, None]
    # Partitioning values takes a fraction of the time of partitioning their places.
    level = np.partition(keys, -k, axis=1)[:, -k, None]
    columns = np.nonzero(keys >= level)[1]
    if columns.size == len(keys) * k:
        return columns.reshape(len(keys), k)
    return np.argpartition(keys, -k, axis=1)[:, -k:]  # some are equal


def random_negatives(candidates, k, rng):
    """Draw for each image k candidates of other classes, by the number of images that have them.

    Without replacement: the paper's attribute vector of another image of another seen class,
    drawn anew while it is one that the image already has. Returns int64 (n, k).
    """
    if k > candidates.fewest:
        raise ValueError(
            f"negatives_per_positive={k}, but some images have only {candidates.fewest} different "
            "attribute vectors of other seen classes: ask for at most as many"
        )
    if 2 * k > candidates.fewest:
        return _many_random_negatives(candidates, k, rng)
    labels, n = candidates.labels, len(candidates.own)
    slots = np.repeat(np.arange(len(candidates.counts)), candidates.counts)
    sizes = np.bincount(labels)
    own, start = sizes[labels], (np.cumsum(sizes) - sizes)[labels]

    def draw(images):
        # Images lie in order of class: step over those of the own class.
        room = n - own[images]
        place = (rng.random(room.size) * room).astype(np.int64)  # below room, however it rounds
        return slots[place + (place >= start[images]) * own[images]]

    found = np.empty((k, n), dtype=np.int64)
    for i in range(k):
        found[i] = draw(slice(None))
        pending = np.nonzero(np.any(found[:i] == found[i], axis=0))[0]
        while pending.size:
            found[i, pending] = draw(pending)
            pending = pending[np.any(found[:i, pending] == found[i, pending], axis=0)]
    return found.T


def shares(candidates, most, k, rng):
    """Images, a block at a time, with the candidates to score for their ``k`` negatives.

    Yields images, candidates, and what to add to the logarithms of their counts. Up to ``most``
    candidates all are scored; of more, those of ``most`` images drawn anew for each block, each as
    often as it was drawn, so that without further weights any image is as likely as any other.
    """
    M, n = len(candidates.counts), len(candidates.own)
    every = np.arange(M), np.zeros(M)
    if most is None or most >= M:
        for rows in row_blocks(n, max(M, candidates.vectors.shape[1])):
            yield np.arange(n)[rows], *every
        return
    order = rng.permutation(n)  # images of a class lie together, and share no negatives with it
    for start in range(0, n, most):
        drawn = candidates.own[rng.choice(n, most, replace=False)]
        scored, times = np.unique(drawn, return_counts=True)
        share = np.log(times) - np.log(candidates.counts[scored])
        enough = scored.size - np.bincount(candidates.classes[scored]).max() >= k
        yield order[start : start + most], *((scored, share) if enough else every)


def _many_random_negatives(candidates, k, rng):
    """`random_negatives` where an image has most of them, so that drawing anew would take long."""
    labels, log_counts = candidates.labels, np.log(candidates.counts.astype(np.float32))
    found = np.empty((len(labels), k), dtype=np.int64)
    for rows in row_blocks(len(labels), len(log_counts)):
        rivals = labels[rows, None] != candidates.classes
        found[rows] = draw_negatives(np.where(rivals, log_counts, -np.inf), k, rng)
    return found


class NegativeSet:
    """The negative pairs of the current epoch, in bounded memory.

    Pairs are lists, 8 bytes each, while these take less than counts of how often each candidate is
    a negative of each image, 2 bytes for each of n M. ``grows`` says whether pairs of earlier
    epochs stay; ``per_image`` is how many an image has now.
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
        self._counts.reshape(-1)[np.arange(self.n)[:, None] * self.n_candidates + drawn] += 1

    def of(self, images, reference):
        """Negatives of some images for `metric_objective`: candidates (b, K), or counts (b, M)."""
        xp = namespace(reference)
        if self._counts is not None:
            counts = self._counts.take(images, axis=0).astype(np.float32)
        elif self.COST * self.per_image < self.n_candidates:
            return like(self._lists[images], reference)
        else:
            rows, M = self._lists[images], self.n_candidates
            places = (np.arange(len(rows))[:, None] * M + rows).ravel()
            counts = np.bincount(places, minlength=len(rows) * M).reshape(len(rows), M)
            counts = counts.astype(np.float32)
        return xp.astype(like(counts, reference), reference.dtype, copy=False)
