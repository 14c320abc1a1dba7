"""Inverted softmax."""

from zslib.arrays import namespace
from zslib.search.corrections.base import Correction, remedy
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

    Where one query has nearly all of a target's probability, as with few queries or a small
    temperature, the logarithm is near 0, and what tells such targets apart is lost in float32
    below a temperature of about 1/50: give vectors in float64 there.

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
    peak_, log_sum_ : (n_targets,) arrays
        The largest s(x', y), and the logarithm of the sum of exp((s(x', y) - peak) / T), after
        `fit`.

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

    _KEPT = ("peak_", "log_sum_")

    def check(self, side):
        check_real(self.temperature, "InvertedSoftmax.temperature", low=0, inclusive=False)
        if side.n_reference == 1 < side.n_targets and self.reference is None and not self.fitted:
            raise ValueError(
                "InvertedSoftmax compares queries, and of one alone all targets score alike: "
                + remedy("InvertedSoftmax")
            )

    def target_statistics(self, reference, side):
        xp = namespace(reference)
        peak = xp.max(reference, axis=1)
        scaled = (reference - peak[:, None]) / self.temperature
        return peak, xp.log(xp.sum(xp.exp(scaled), axis=1))

    def apply(self, scores, of_targets, statistics):
        peak, log_sum = of_targets
        return (scores - peak[:, None]) / self.temperature - log_sum[:, None]
