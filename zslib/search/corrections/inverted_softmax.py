"""Inverted softmax."""

from zslib.arrays import namespace
from zslib.search.corrections.base import Correction, check_several, upwards
from zslib.validation import check_real


class InvertedSoftmax(Correction):
    """Probability that the target would translate back into the query.

    Smith, Turban, Hamblin and Hammerla (2017), "Offline bilingual word vectors, orthogonal
    transformations and the inverted softmax", section 2.3:

        log P(x, y) = s(x, y) / T - log sum_{x' in P} exp(s(x', y) / T)

    The softmax of a target runs over the queries P instead of the targets, so that a hub spreads
    its probability over the many queries that it is near to. The paper's factor that makes the
    probabilities of a query sum to 1 is left out: it is the same for all targets. The logarithm
    is what is computed and returned, so that nothing underflows.

    Parameters
    ----------
    temperature : float, default 1/30
        T above, the inverse of the paper's beta, which is learned there on the training pairs.
        30 is the beta that the released code of Conneau et al. (2018) names.
    reference : (n_reference, d) float array or None, default None
        The queries P; None: the queries themselves, at least two. The paper takes a sample of
        source words.

    Attributes
    ----------
    peak_, log_sum_, slack_ : (n_targets,) arrays
        The largest s(x', y), the logarithm of the sum of exp((s(x', y) - peak) / T), and within
        which distance a score counts as the peak, after `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> queries = np.array([[1.0, 0.6], [1.0, 0.9]])
    >>> targets = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> top_k(queries, targets, 1, correction=InvertedSoftmax())[1].T
    array([[0, 1]])
    """

    def __init__(self, temperature=1 / 30, *, reference=None):
        super().__init__(reference=reference)
        self.temperature = temperature

    _KEPT = ("peak_", "log_sum_", "slack_")
    by_length = True

    def check(self, side):
        check_real(self.temperature, "InvertedSoftmax.temperature", low=0, inclusive=False)
        check_several(side, self)

    def target_statistics(self, reference, side):
        xp = namespace(reference)
        ordered = upwards(reference, reference.shape[1] - 1)
        peak, others = ordered[:, -1], ordered[:, :-1]
        log_sum = xp.zeros_like(peak, dtype=xp.float64)
        if others.shape[1]:
            # In units of the second: next to the 1 of the peak a small sum would be lost.
            second = xp.max(others, axis=1)
            total = xp.sum(xp.exp((others - second[:, None]) / self.temperature), axis=1)
            gap = xp.astype(second - peak, xp.float64) / self.temperature
            log_sum = xp.log1p(xp.exp(gap) * xp.astype(total, xp.float64))
        return peak, log_sum, xp.astype(xp.zeros_like(peak) + side.slack, peak.dtype)

    def apply(self, scores, of_targets, statistics):
        peak, log_sum, slack = (known[:, None] for known in of_targets)
        xp, above = namespace(scores), scores - peak
        above = xp.where(xp.abs(above) <= slack, xp.zeros_like(above), above)
        return above / self.temperature - log_sum
