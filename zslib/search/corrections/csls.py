"""Cross-domain similarity local scaling."""

from zslib.arrays import namespace
from zslib.search.corrections.base import Correction, check_neighbours, largest


class CSLS(Correction):
    """Cross-domain similarity local scaling: scores minus the density on both sides.

    Conneau, Lample, Ranzato, Denoyer and Jégou (2018), "Word translation without parallel data",
    section 2.3:

        CSLS(x, y) = 2 s(x, y) - r_T(x) - r_S(y)

    with s the cosine, r_T(x) the mean score of x with its k nearest targets, and r_S(y) that of y
    with its k nearest queries, which is large for hubs.

    Parameters
    ----------
    k : int, default 10
        Size of both neighbourhoods; the paper's K, 10 there.
    reference : (n_reference, d) float array or None, default None
        The queries among which r_S(y) seeks; None: the queries themselves.

    Attributes
    ----------
    density_ : (n_targets,) array
        r_S(y), after `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> queries = np.array([[1.0, 0.45], [1.0, 0.9]])
    >>> targets = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> top_k(queries, targets, 1)[1].T
    array([[1, 1]])
    >>> top_k(queries, targets, 1, correction=CSLS(k=1))[1].T
    array([[0, 1]])
    """

    def __init__(self, k=10, *, reference=None):
        super().__init__(reference=reference)
        self.k = k

    _KEPT = ("density_",)

    def check(self, side):
        check_neighbours(self.k, side, self)

    def nearest(self, statistics):
        return self.k

    def target_statistics(self, reference, side):
        xp = namespace(reference)
        return (xp.mean(largest(reference, self.k), axis=1),)

    def apply(self, scores, of_targets, statistics):
        (density,) = of_targets
        return 2 * scores - density[:, None]

    def finish(self, scores, nearest, statistics):
        xp = namespace(scores)
        return scores - xp.sum(nearest, axis=1)[:, None] / self.k
