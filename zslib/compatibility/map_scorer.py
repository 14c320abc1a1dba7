"""Any cross-space map as a zero-shot scorer."""

from zslib.arrays import namespace
from zslib.compatibility.base import CompatibilityModel, cosines, fresh
from zslib.mapping import RidgeMap
from zslib.mapping.base import LinearMap


class MapScorer(CompatibilityModel):
    r"""A map learned from images and their class embeddings; classes are ranked by cosine.

    .. math:: F(x, s) = \cos(f(x), g(s))

    with f the map and g where it wants targets compared: s itself, or s mapped among the features
    by ``RidgeMap(direction="reverse")`` (Shigeto et al. 2015).

    Parameters
    ----------
    estimator : LinearMap, default RidgeMap(1.0)
        Fitted on the pairs :math:`(x_i, s_{y_i})`; cloned before each fit.

    Attributes
    ----------
    estimator_ : LinearMap
        Fitted.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.mapping import RidgeMap
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.1, 0.1], [0.0, 0.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
    >>> model = MapScorer(RidgeMap(0.1, direction="reverse")).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[1.0, 0.9], [0.0, 1.0]]), S)
    array([2, 1])
    """

    def __init__(self, estimator=None):
        self.estimator = estimator

    def _fit(self, X, codes, embeddings):
        mapping = fresh(self.estimator, RidgeMap(1.0), LinearMap, "a map of zslib.mapping")
        self.estimator_ = mapping.fit(X, namespace(X).take(embeddings, codes, axis=0))

    def _scores(self, X, class_embeddings):
        mapping = self.estimator_
        return cosines(mapping.transform(X), mapping.transform_targets(class_embeddings))
