"""What a retrieval correction is, and the statistics that several of them share."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from array_api_compat import is_cupy_namespace, is_numpy_namespace
from sklearn.base import BaseEstimator

from zslib.arrays import namespace, take_rows, to_host
from zslib.validation import check_integer

SAMPLE = 64  # rows of the targets that tell what all are like


class Correction(BaseEstimator, ABC):
    """A change of the scores that takes hubs down; passed to `zslib.search` as ``correction``.

    Parameters
    ----------
    reference : (n_reference, d) float array or None, default None
        Vectors of the query space on which the statistics of each target rest, for instance all
        mapped source words. They take the place of the queries there; None: the queries
        themselves. With a reference, the answer to a query does not depend on the other queries.

    Attributes
    ----------
    metric_ : str
    n_reference_ : int
        After `fit`; beside them the statistics of each target, which each class names.

    Notes
    -----
    The search walks over tiles, a block of targets (rows) by all queries (columns), once:

    1. ``check(side)`` checks the parameters. ``begin(side)`` gives what is known of each query
       beforehand, the ``statistics``: of float64 and shape (n_queries,), or None. ``side`` is a
       `Side`, there that of the queries.
    2. ``target_statistics(reference, side)`` gives what is known of each target: a tuple of
       arrays with one row for each of a tile's targets, from their scores ``reference`` with the
       references, (block, n_reference), not to be changed. They need no pass of their own.
       `fit` keeps them.
    3. ``apply(scores, of_targets, statistics)`` corrects the scores of a tile, (block,
       n_queries), not to be changed, by what is known of both sides. It gives one floating type,
       whatever the values: some rows of a tile come at a time.
       A search looks for few of them: where ``bound(floor, statistics)`` gives anything,
       ``apply_above`` is called in its place, and need not correct what stays below the floor.
    4. ``finish(scores, nearest, statistics)`` sees the (n_queries, k) scores that were found, and
       the ``nearest(statistics)`` best uncorrected ones of each query, (n_queries, nearest), which
       the same walk keeps. What is the same for all targets of a query is left to it.

    Searches only read an instance, so that one may serve many of them and many threads.
    """

    # Names of what ``target_statistics`` gives, kept by ``fit``; without any, it is the reference.
    _KEPT = ()
    # How far a corrected score leaps where rounding swaps two scores: ranks are then counted once.
    jump = 0.0
    # Whether a side's ``rounding`` and ``scale`` are asked for, which rest on lengths of vectors.
    by_length = False
    # Whether differences of cosines count, of which float32 would keep few digits.
    wide = False

    def __init__(self, *, reference=None):
        self.reference = reference

    def fit(self, reference, targets, *, metric="cosine"):
        """Keep the statistics of each target, so that searches need no reference any more.

        Parameters
        ----------
        reference : (n_reference, d) float array
            Vectors of the query space, for instance all mapped source words.
        targets : (n_targets, d) float array, or numpy.memmap of one
            The search space. Only these can then be searched with the correction; a digest of some
            rows tells them from others.
        metric : {"cosine", "dot", "euclidean"}, default "cosine"

        Raises
        ------
        TypeError, ValueError
            As in `zslib.search.top_k`; also when the correction was made with a ``reference``.

        Examples
        --------
        >>> import numpy as np
        >>> from zslib.search import top_k
        >>> from zslib.search.corrections import CSLS
        >>> reference = np.array([[1.0, 0.45], [1.0, 0.9]])
        >>> targets = np.array([[1.0, 0.0], [1.0, 1.0]])
        >>> fitted = CSLS(k=1).fit(reference, targets)
        >>> top_k(np.array([[1.0, 0.45]]), targets, 1, correction=fitted)[1]
        array([[0]])
        """
        from zslib.search.corrected import statistics_of_targets

        if self.reference is not None:
            raise ValueError(
                f"{type(self).__name__} has a reference already: give it to fit alone, or search "
                "with it unfitted"
            )
        vars(self).pop("metric_", None)  # a fit that fails leaves none
        reference, kept, tiles = statistics_of_targets(self, reference, targets, metric)
        for name, values in zip(self._KEPT, kept, strict=True):
            setattr(self, name, values)
        if not self._KEPT:
            self.reference_ = reference
        self.n_reference_ = reference.shape[0]
        self._parameters = self._without_reference()
        self._copies, self._parallel = tiles.copies, tiles._wide
        self._targets = fingerprint(tiles.targets)
        self.metric_ = metric
        return self

    @property
    def fitted(self):
        """Whether `fit` has been called."""
        return hasattr(self, "metric_")

    def _without_reference(self):
        fitted = ("_", "reference")
        return {
            name: value
            for name, value in vars(self).items()
            if not name.startswith(fitted) and not name.endswith("_")
        }

    def check_served(self, targets, metric):
        """Raise ValueError unless the correction was fitted as it is, on these, and the metric."""
        owner = type(self).__name__
        if self.reference is not None or self._without_reference() != self._parameters:
            raise ValueError(f"the parameters of this {owner} were changed: fit it anew")
        if metric != self.metric_:
            raise ValueError(
                f"this {owner} was fitted with metric={self.metric_!r}, and metric={metric!r} is "
                "asked for: fit another for it"
            )
        if fingerprint(targets) != self._targets:
            raise ValueError(
                f"this {owner} was fitted on other targets, of shape {self._targets[0]}, or on "
                "these in another order: fit another on these"
            )

    def check(self, side):
        """Raise where the parameters do not fit the search."""

    def begin(self, side):
        """What is known of each query over all targets, or None."""
        return None

    def nearest(self, statistics):
        """How many of the best uncorrected scores of each query ``finish`` takes; 0 for none."""
        return 0

    def target_statistics(self, reference, side):
        """What is known of each target of a tile, a tuple of arrays."""
        return (reference,)

    @abstractmethod
    def apply(self, scores, of_targets, statistics):
        """Corrected scores of a tile, (block, n_queries); higher is better."""

    def bound(self, floor, statistics):
        """What tells ``apply_above`` which scores reach ``floor``, (n_queries,); None: nothing."""
        return None

    def apply_above(self, scores, of_targets, statistics, bound):
        """As ``apply``, of NumPy arrays; scores below the floor may be -inf instead."""
        return self.apply(scores, of_targets, statistics)

    def finish(self, scores, nearest, statistics):
        """``scores`` (n_queries, k), changed by what keeps their order within each query."""
        return scores


@dataclass(frozen=True)
class Side:
    """What a `Correction` may know of the search, from the side of the queries or of the targets.

    ``eps`` is the relative rounding of products, ``eps_scores`` of the scores that they become.
    ``lengths`` (n,) are of this side's vectors, from where distances are measured, None where all
    are 1 or the correction is not ``by_length``; ``longest`` is of the other side. ``moments()``
    gives mean and deviation of each query's scores with all targets, float64 (n_queries,), and
    ``scale()`` the largest score that the lengths allow each query, under euclidean the largest
    distance to some targets.
    """

    metric: str
    n_queries: int
    n_targets: int
    n_reference: int
    eps: float
    eps_scores: float
    lengths: object
    longest: float
    moments: Callable
    scale: Callable

    def part(self, chosen):
        """The side of those alone whose lengths ``chosen`` takes."""
        return self if self.lengths is None else replace(self, lengths=chosen(self.lengths))

    @property
    def zero(self):
        """The score at distance 0."""
        return 1.0 if self.metric == "cosine" else 0.0

    @property
    def reach(self):
        """The largest size of a score that the lengths allow each of this side, (n,) or 1."""
        if self.metric == "cosine":
            return 1.0
        return self.lengths * self.longest if self.metric == "dot" else self.lengths + self.longest

    @property
    def slack(self):
        """How far a vector's scores may lie apart where it was computed in two ways, (n,) or 1."""
        return 4 * self.eps_scores * self.reach

    def rounding(self, scores):
        """How far rounding may have moved a score of each of this side, (n,), above 0."""
        xp = namespace(scores)
        if self.metric != "euclidean":
            return self._positive(xp.zeros_like(scores) + self.eps * self.reach)
        # That of the squares |q|² + |t|² - 2 qt, whose vectors are no further apart than that.
        distance, lengths = -xp.astype(scores, xp.float64), self.lengths
        nearby = lengths + distance
        both = lengths + xp.where(nearby < self.longest, nearby, self.longest)
        least = xp.maximum(distance, self.eps**0.5 * both)
        squares = self.eps * both * (both / self._positive(least))
        return xp.maximum(squares, self._positive(self.eps * self.reach))

    def _positive(self, values):
        xp = namespace(values)
        return xp.clip(values, float(xp.finfo(values.dtype).smallest_normal))


def fingerprint(targets):
    """Shape of the targets, and a digest of some of their rows, the first and last among them."""
    known = getattr(targets, "_fingerprint", None)  # of those that are prepared
    if known is None:
        array = getattr(targets, "targets", targets)
        rows = to_host(take_rows(array, sampled_rows(array.shape[0])))
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        known = tuple(map(int, array.shape)), hashlib.sha256(rows.data).hexdigest()
        if array is not targets:
            targets._fingerprint = known
    return known


def sampled_rows(n):
    """Some of n rows, evenly spaced."""
    return np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64)


def check_several(side, correction):
    """Refuse one query without a reference: a comparison of queries leaves its order as it is."""
    known = correction.fitted or correction.reference is not None
    if side.n_reference == 1 < side.n_targets and not known:
        owner = type(correction).__name__
        raise ValueError(
            f"{owner} compares queries, and of one alone it corrects nothing: {remedy(owner)}"
        )


def check_neighbours(k, side, correction):
    """Refuse ``k``, the size of neighbourhoods, unless both sides have as many."""
    owner = type(correction).__name__
    check_integer(k, f"{owner}.k", low=1, high=side.n_targets, high_means=" targets")
    if k > side.n_reference:
        raise ValueError(
            f"{owner}.k must be between 1 and {side.n_reference} queries, got {k}: {remedy(owner)}"
        )


def remedy(owner):
    """What to do where the queries are too few to be a reference."""
    return (
        "ask more queries at once, fit it on vectors of the query space by "
        f"{owner}.fit(reference, targets), or pass them as {owner}(reference=...)"
    )


def largest(array, k):
    """The k largest entries of each row of a (n, m) array, in any order: (n, k)."""
    start = array.shape[1] - k
    return upwards(array, start)[:, start:]


def upwards(array, start):
    """Each row of a (n, m) array in such an order that the largest stand from ``start`` on."""
    xp = namespace(array)
    if is_numpy_namespace(xp) or is_cupy_namespace(xp):
        return xp.partition(array, start, axis=1)
    return xp.sort(array, axis=1, stable=False)
