"""What all zero-shot scorers share: input checks, scores, predictions and accuracy."""

from __future__ import annotations

import math

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import namespace, unit_rows
from zslib.metrics.zero_shot import per_class_accuracy
from zslib.validation import check_indices, check_vectors

__all__ = [
    "BilinearModel",
    "CompatibilityModel",
    "check_fit_input",
    "cosines",
    "directions",
    "lengthened",
    "through_directions",
    "zero_shot_scorer",
]


def check_fit_input(X, y, class_embeddings):
    """Check training input; reduce it to the classes that occur in ``y``.

    Returns the rows of ``class_embeddings`` that occur in ``y``, (k,) ascending, ``y`` as
    positions among them, (n,), and their embeddings, (k, q): all that training may look at.
    """
    xp = namespace(X, y, class_embeddings)
    check_vectors(X, "X")
    _check_embeddings(class_embeddings, X)
    _check_labels(y, X, class_embeddings)
    classes, codes = xp.unique_inverse(xp.astype(y, xp.int64, copy=False))
    if classes.shape[0] < 2:
        raise ValueError(
            f"y holds one class only ({int(classes[0])}): training compares classes, so give "
            "samples of at least two"
        )
    if bool(xp.all(xp.max(X, axis=0) == xp.min(X, axis=0))):
        raise ValueError(
            "all rows of X are the same: no class can be told from another; check how the "
            "features were read"
        )
    embeddings = xp.take(class_embeddings, classes, axis=0)
    if bool(xp.all(embeddings == embeddings[:1, :])):
        raise ValueError(
            "class_embeddings has the same row for all classes in y: nothing tells these "
            "classes apart; check how the embeddings were read"
        )
    return classes, xp.reshape(xp.astype(codes, xp.int64, copy=False), (-1,)), embeddings


def _check_embeddings(class_embeddings, X):
    check_vectors(class_embeddings, "class_embeddings")
    if class_embeddings.dtype != X.dtype:
        raise TypeError(
            f"X is {X.dtype} and class_embeddings is {class_embeddings.dtype}: convert one to "
            "the other's type"
        )


def _check_labels(y, X, class_embeddings):
    if y.ndim != 1 or y.shape[0] != X.shape[0]:
        raise ValueError(
            f"y must have one label for each of the {X.shape[0]} rows of X, got shape "
            f"{tuple(y.shape)}"
        )
    check_indices(
        y,
        "y (rows of class_embeddings: every label needs an embedding)",
        class_embeddings.shape[0],
    )


class CompatibilityModel(ClassifierMixin, BaseEstimator):
    r"""Base of the zero-shot scorers :math:`F(x, s)`: how well image x fits class embedding s.

    ``fit`` learns from the classes that occur in ``y``; ``decision_function`` and ``predict``
    take any class embeddings of the same space, so also those of classes never seen. Higher
    scores are better. Wherever ``class_embeddings`` may be left out, those given to ``fit`` are
    the candidates.

    A subclass has ``_fit(X, codes, embeddings)``, which gets the checked output of
    `check_fit_input` and learns, and ``_scores(X, class_embeddings)``, which returns
    (n, C') scores. Neither checks its arrays again. One that tables compare has ``grid``, the
    values of its parameters that they tune over: the first of equally good ones is taken.

    Features are used as they are given: scale them first where a paper says so.

    Attributes
    ----------
    classes_ : array of int64, shape (k,)
        Rows of the ``class_embeddings`` given to ``fit`` that training used: the seen classes.
    class_embeddings_ : array, shape (C, q)
        What ``fit`` was given, for candidates only. Training looks at rows ``classes_``.
    n_features_in_ : int
        p.
    embedding_dim_ : int
        q.

    Notes
    -----
    In `sklearn.model_selection.GridSearchCV` pass the embeddings to its ``fit``. The default
    score lets all rows compete; with class-disjoint folds (`GroupShuffleSplit` with
    ``groups=y``), ``scoring=zero_shot_scorer`` lets the held-out classes compete. scikit-learn
    cuts any fit parameter that has as many rows as ``X`` into folds, so the number of classes
    must differ from the number of samples there.
    """

    def fit(self, X, y, class_embeddings):
        """Learn from samples of the seen classes.

        Parameters
        ----------
        X : array, shape (n, p)
            Image features, one row per sample.
        y : array of integers, shape (n,)
            Row of ``class_embeddings`` that each sample belongs to.
        class_embeddings : array, shape (C, q)
            One row per class, with the type of ``X``. Rows that do not occur in ``y`` are unseen
            classes and have no influence.

        Returns
        -------
        self
        """
        return self._checked_fit(X, y, class_embeddings)

    def _checked_fit(self, X, y, class_embeddings, **more):
        """``fit`` of a model that is also given ``more``, which it has checked."""
        classes, codes, embeddings = check_fit_input(X, y, class_embeddings)
        # A fit that fails must not leave the last one's marks on half-changed state.
        vars(self).pop("classes_", None)
        self._fit(X, codes, embeddings, **more)
        self.n_features_in_ = X.shape[1]
        self.embedding_dim_ = class_embeddings.shape[1]
        self.class_embeddings_ = class_embeddings
        self.classes_ = classes
        return self

    def decision_function(self, X, class_embeddings=None):
        """Compatibility of each sample with each class.

        Parameters
        ----------
        X : array, shape (n, p)
            Image features, of the array library that ``fit`` was given.
        class_embeddings : array, shape (C', q), or None
            Candidate classes, with the type of ``X``. None: those given to ``fit``.

        Returns
        -------
        array, shape (n, C'), with the type of ``X``
            Scores, higher is better.
        """
        check_is_fitted(self, "classes_")
        xp = namespace(X, class_embeddings, self.classes_)
        check_vectors(X, "X")
        if class_embeddings is None:
            class_embeddings = xp.astype(self.class_embeddings_, X.dtype, copy=False)
        _check_embeddings(class_embeddings, X)
        for array, name, width in (
            (X, "X", self.n_features_in_),
            (class_embeddings, "class_embeddings", self.embedding_dim_),
        ):
            if array.shape[1] != width:
                raise ValueError(
                    f"{name} has {array.shape[1]} columns, but this {type(self).__name__} was "
                    f"fitted on {width}: pass vectors of the same space"
                )
        return self._scores(X, class_embeddings)

    def predict(self, X, class_embeddings=None):
        """Best class of each sample, the first of equals.

        Parameters as in `decision_function`; returns rows of ``class_embeddings``, int64 (n,).
        """
        scores = self.decision_function(X, class_embeddings)
        xp = namespace(scores)
        return xp.astype(xp.argmax(scores, axis=1), xp.int64, copy=False)

    def score(self, X, y, class_embeddings=None):
        """Average per-class top-1 accuracy, in [0, 1]; all rows of ``class_embeddings`` compete.

        Parameters as in `decision_function`, and ``y`` (n,), the row of ``class_embeddings`` that
        each sample belongs to.
        """
        check_is_fitted(self, "classes_")
        candidates = self.class_embeddings_ if class_embeddings is None else class_embeddings
        predicted = self.predict(X, class_embeddings)
        _check_labels(y, X, candidates)
        return per_class_accuracy(y, predicted)


def zero_shot_scorer(model, X, y):
    """Average per-class accuracy when only the classes that occur in ``y`` compete.

    For ``scoring=`` of scikit-learn's searches with class-disjoint folds: the accuracy of
    zero-shot learning on the held-out classes. ``y`` has rows of ``model.class_embeddings_``.
    """
    check_is_fitted(model, "classes_")
    xp = namespace(X, y, model.classes_)
    check_vectors(X, "X")
    _check_labels(y, X, model.class_embeddings_)
    classes, codes = xp.unique_inverse(y)
    candidates = xp.take(model.class_embeddings_, classes, axis=0)
    return model.score(X, xp.reshape(codes, (-1,)), xp.astype(candidates, X.dtype, copy=False))


def cosines(A, B):
    """Cosine of each row of ``A`` (n, d) with each of ``B`` (m, d); 0 where a row is zero."""
    return directions(A) @ directions(B).T


def directions(A):
    """Each row divided by its length; a zero row, which has no direction, stays zero."""
    xp = namespace(A)
    zero = xp.astype(xp.all(A == 0, axis=1, keepdims=True), A.dtype)
    return unit_rows(A + zero) * (1.0 - zero)


def lengthened(A):
    """Rows of length root d, whatever theirs is: entries of about one."""
    return math.sqrt(A.shape[1]) * directions(A)


def through_directions(by_units, units, lengths):
    """Derivative by rows of what has the derivative ``by_units`` by their directions."""
    along = namespace(units).sum(by_units * units, axis=1, keepdims=True)
    return (by_units - along * units) / lengths


class BilinearModel(CompatibilityModel):
    """Base of the bilinear scorers ``F = X @ coef_ @ class_embeddings.T``.

    A subclass sets ``coef_``, shape (p, q), in ``_fit``.
    """

    def embed(self, X):
        """Where each row of ``X`` lands among class embeddings, (n, q): ``X @ coef_``."""
        check_is_fitted(self, "coef_")
        return X @ namespace(X).astype(self.coef_, X.dtype, copy=False)

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        coef = xp.astype(self.coef_, X.dtype, copy=False)
        (n, p), (c, q) = X.shape, class_embeddings.shape
        # The same product in the order that takes fewer multiplications.
        if c * p * (q + n) < n * q * (p + c):
            return X @ (coef @ class_embeddings.T)
        return (X @ coef) @ class_embeddings.T
