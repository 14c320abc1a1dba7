"""Inverted softmax."""

from zslib.arrays import namespace
from zslib.search.corrections.base import Correction
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

    def begin(self, base):
        check_real(self.temperature, "InvertedSoftmax.temperature", low=0, inclusive=False)
        if self.reference is None and base.n_queries == 1 < base.n_targets:
            raise ValueError(
                "InvertedSoftmax compares queries, and of one alone all targets score alike: give "
                "more, or vectors of the query space as InvertedSoftmax(reference=...)"
            )

    def apply(self, scores, reference, statistics):
        xp = namespace(scores)
        peak = xp.max(reference, axis=1, keepdims=True)
        scaled = (scores - peak) / self.temperature
        others = scaled if reference is scores else (reference - peak) / self.temperature
        scaled -= xp.log(xp.sum(xp.exp(others), axis=1, keepdims=True))
        return scaled
