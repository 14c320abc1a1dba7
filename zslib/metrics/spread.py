"""How many directions a set of vectors really uses."""

from zslib.arrays import largest_size, namespace, range_power
from zslib.validation import as_vectors


def effective_dimension(vectors) -> float:
    r"""Participation ratio of the covariance spectrum of a set of vectors (n, d).

    .. math:: D = \frac{(\sum_j \lambda_j)^2}{\sum_j \lambda_j^2}
                = \frac{(\operatorname{tr} C)^2}{\operatorname{tr} C^2}

    with :math:`\lambda_j` the eigenvalues of the covariance :math:`C`: d when all directions
    have the same variance, 1 when one direction has all of it. Hubness and Pollution (section 3)
    explains hubs by shrunken variance; this tells how unevenly a map has shrunk it.

    Examples
    --------
    >>> import numpy as np
    >>> effective_dimension(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    2.0
    >>> effective_dimension(np.array([[1.0, 1.0], [2.0, 2.0]]))
    1.0
    """
    vectors = as_vectors(vectors, "vectors")
    xp = namespace(vectors)
    # Scaled first, by a power of two, which rounds nothing, so that sums and fourth powers of
    # small or large entries stay in range.
    vectors = vectors / range_power(vectors)
    centred = vectors - xp.mean(vectors, axis=0, keepdims=True)
    largest = largest_size(centred)
    if largest == 0:
        raise ValueError("vectors are all equal: they have no spread, and so no dimension")
    centred = xp.astype(centred / largest, xp.float64)
    covariance = centred.T @ centred
    return float(xp.linalg.trace(covariance)) ** 2 / float(xp.sum(covariance * covariance))
