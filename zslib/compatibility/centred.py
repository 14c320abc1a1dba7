"""Any zero-shot scorer on centred directions."""

from zslib.arrays import namespace, typed_as
from zslib.compatibility.base import CompatibilityModel, directions, fresh
from zslib.compatibility.eszsl import ESZSL


class Centred(CompatibilityModel):
    r"""A scorer on features and class embeddings that are centred, then scaled to length one.

    .. math:: F\left(\frac{x - \bar x}{\|x - \bar x\|}, \frac{s - \bar s}{\|s - \bar s\|}\right)

    where :math:`\bar x` is the mean of the samples given to ``fit`` and :math:`\bar s` that of the
    embeddings of *their* classes. What all vectors share makes some of them near to everything
    (Radovanović et al. 2010; Suzuki et al. 2013); without it there are fewer such hubs.

    The means are learned in each fit, not taken when the data are prepared: over all seen classes,
    with those held out for validation, they tie the held-out classes to the others with the
    opposite sign, and the validation accuracy falls while the test's does not.

    Parameters
    ----------
    estimator : CompatibilityModel, default ESZSL()
        The scorer; cloned before each fit.

    Attributes
    ----------
    estimator_ : CompatibilityModel
        Fitted.
    feature_mean_ : array, shape (p,)
        :math:`\bar x`.
    embedding_mean_ : array, shape (q,)
        :math:`\bar s`.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.compatibility import ESZSL
    >>> X = np.array([[12.0, 10.0], [10.0, 12.0], [12.1, 10.1], [10.0, 11.9]])
    >>> S = np.array([[6.0, 5.0], [5.0, 6.0], [5.9, 5.0]])
    >>> model = Centred(ESZSL()).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[12.0, 10.1], [10.1, 12.0]]), S[1:])
    array([1, 0])
    """

    def __init__(self, estimator=None):
        self.estimator = estimator

    @property
    def _scores_are_logits(self):
        return getattr(self.estimator, "_scores_are_logits", False)

    def _fit(self, X, codes, embeddings):
        what = "a scorer of zslib.compatibility"
        model = fresh(self.estimator, ESZSL(), CompatibilityModel, what)
        xp = namespace(X)
        self.feature_mean_ = xp.mean(X, axis=0)
        self.embedding_mean_ = xp.mean(embeddings, axis=0)
        self.estimator_ = model.fit(*self._directions(X, codes, embeddings))

    def _directions(self, X, codes, embeddings):
        x, s = typed_as(X, self.feature_mean_, self.embedding_mean_)
        return directions(X - x), codes, directions(embeddings - s)

    def _scores(self, X, class_embeddings):
        X, _, class_embeddings = self._directions(X, None, class_embeddings)
        return self.estimator_.decision_function(X, class_embeddings)
