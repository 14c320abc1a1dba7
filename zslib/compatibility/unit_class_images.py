"""Bilinear scorers with class images of one length."""

from zslib.arrays import typed_as
from zslib.compatibility.base import BilinearModel, directions, fresh
from zslib.compatibility.eszsl import ESZSL


class UnitClassImages(BilinearModel):
    r"""A bilinear scorer that compares images with the *directions* of class images.

    .. math:: F(x, s) = \frac{x W s'}{\|W s'\|}

    :math:`W s'` is where a class lies among image features. A long one wins more images than it
    should; regression makes some shorter than others (Shigeto et al. 2015).

    Parameters
    ----------
    estimator : BilinearModel, default ESZSL()
        Learns W; cloned before each fit.

    Attributes
    ----------
    coef_ : array, shape (p, q)
        W.
    estimator_ : BilinearModel
        Fitted.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.2], [0.2, 1.0], [1.0, 0.3], [0.3, 1.0]])
    >>> S = np.array([[5.0, 0.0], [0.0, 1.0]])
    >>> model = UnitClassImages().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.decision_function(X[:2], 9.0 * S).argmax(axis=1)
    array([0, 1])
    """

    def __init__(self, estimator=None):
        self.estimator = estimator

    def _fit(self, X, codes, embeddings):
        model = fresh(self.estimator, ESZSL(), BilinearModel, "a bilinear scorer")
        self.estimator_ = model.fit(X, codes, embeddings)
        self.coef_ = self.estimator_.coef_

    def _scores(self, X, class_embeddings):
        (coef,) = typed_as(X, self.coef_)
        return X @ directions(class_embeddings @ coef.T).T
