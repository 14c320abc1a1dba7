"""What all zero-shot scorers share: input checks, scores, predictions and accuracy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from array_api_compat import device as array_device
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import (
    class_sums,
    largest_size,
    like,
    namespace,
    range_power,
    row_norms,
    to_host,
    unit_rows,
)
from zslib.compatibility.parameters import check_parameters
from zslib.metrics.zero_shot import per_class_accuracy, top_classes
from zslib.validation import (
    as_array,
    as_labels,
    as_vectors,
    check_alike,
    check_columns,
    check_indices,
    check_kept_columns,
    check_learned,
    check_length,
    check_paired,
    check_same_width,
    check_trained,
    check_weights,
    column_names,
    in_range,
    is_text,
    keep_columns,
    row_names,
    rows_of_names,
    sizes,
)


def check_fit_input(X, y, class_embeddings):
    """Check the labels; reduce training input to the classes that occur in ``y``.

    Returns their rows of ``class_embeddings``, (k,) ascending, ``y`` as positions among them,
    (n,), and their embeddings, (k, q): all that training may look at.
    """
    xp = namespace(X, y, class_embeddings)
    _check_labels(y, X, class_embeddings)
    classes, codes = xp.unique_inverse(xp.astype(y, xp.int64, copy=False))
    if classes.shape[0] < 2:
        raise ValueError(
            f"y holds one class only ({int(classes[0])}): training compares classes, so give "
            "samples of at least two"
        )
    if bool(xp.all(X[:1, :] == X)):
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


def named_rows(classes, *, numbers=True):
    """Class vectors as rows, and the names that a dict or the index of a data frame has."""
    if not isinstance(classes, Mapping):
        return classes, row_names(classes, "class_embeddings", numbers=numbers)
    if not classes:
        raise ValueError("class_embeddings is empty: give at least one class and its vector")
    check_alike(classes, "class_embeddings")
    rows = [as_array(row, f"class_embeddings[{str(name)!r}]") for name, row in classes.items()]
    shape = tuple(rows[0].shape)
    for name, row in zip(classes, rows, strict=True):
        if row.ndim != 1 or tuple(row.shape) != shape:
            raise ValueError(
                f"class_embeddings[{str(name)!r}] has shape {tuple(row.shape)}: give each class "
                "one vector, all of one length"
            )
    return namespace(*rows).stack(rows), as_labels(list(classes), "class_embeddings")


def _row_numbers(y, names, X):
    """``y`` as an array beside ``X``, names of classes as rows, and whether these were names."""
    given, y = y, as_array(y, "y")
    if is_text(y):
        y = as_labels(given, "y")
    if is_text(y) and names is None:
        raise TypeError(
            "y holds names of classes: pass class_embeddings as a dict of name to vector, such as "
            "dict(zip(names, vectors)), or as a data frame whose index has the names, or make y "
            "the rows of class_embeddings"
        )
    whole = namespace(y).isdtype(y.dtype, "integral")
    named = is_text(y) or (whole and names is not None and not is_text(names))
    if named:
        y = rows_of_names(y, names, "y", "the index of class_embeddings")
    return (y if y is given else like(y, X)), named


def _check_labels(y, X, class_embeddings):
    check_length(y, "y", X.shape[0], "X")
    name = "y (rows of class_embeddings: every label needs an embedding)"
    check_indices(y, name, class_embeddings.shape[0])


def products_and_sums(X, codes, k):
    """X'X (p, p), in the type of ``X``, sums (k, p) and sizes (k,) of the classes, as float64."""
    xp, unit = namespace(X), range_power(X)
    scaled = X if unit == 1.0 else X / unit  # most often, and a copy of all costs memory
    sums, counts = class_sums(scaled, codes, k)
    parts = scaled.T @ scaled, sums, counts
    squares, sums, counts = (xp.astype(part, xp.float64) for part in parts)
    squares *= unit * unit
    check_learned(squares, "give smaller features")
    return squares, sums * unit, counts


def plus_diagonal(matrix, value):
    """``matrix`` with a number added to each entry of its diagonal."""
    xp, device = namespace(matrix), array_device(matrix)
    return matrix + value * xp.eye(matrix.shape[0], dtype=matrix.dtype, device=device)


_REMEDY = "bring rows to a length near one, or give less regularization"


def some_rows(array):
    """About 64 rows, from first to last."""
    return array[:: max(1, array.shape[0] // 64), ...]


def check_told_apart(scores, least=0.0, **arrays):
    """Refuse scores after training that are the same for all classes, or for all images.

    That may be the truth, but for ``arrays``, the vectors trained on, in a very small or large
    unit: there products underflow, or penalties are out of all proportion. Scores below ``least``
    are as good as equal.
    """
    if _of_usual_unit(arrays):
        return
    xp = namespace(scores)
    largest = max(largest_size(scores), least)
    rounding = 8.0 * float(xp.finfo(scores.dtype).eps) * largest
    for axis, kind in ((1, "class"), (0, "image")):
        spread = xp.max(scores, axis=axis) - xp.min(scores, axis=axis)
        if not float(xp.max(spread)) > rounding:
            raise ValueError(
                f"training told no {kind} from another, all have the same scores: "
                f"{sizes(**arrays)}; {_REMEDY}"
            )


def check_beyond_chance(scores, labels, candidates, **arrays):
    """Refuse scores after training that are right no more often than a guess: too short steps.

    ``labels`` are of the rows, ``candidates`` of the columns, ``arrays`` as in `check_told_apart`.
    """
    if _of_usual_unit(arrays):
        return
    answers = np.asarray(candidates)[to_host(namespace(scores).argmax(scores, axis=1))]
    right = float(np.mean(answers == to_host(labels)))
    try:
        check_trained(right, len(np.unique(candidates)), len(answers))
    except ValueError as error:
        raise ValueError(f"{error}: {sizes(**arrays)}; {_REMEDY}") from None


def _of_usual_unit(arrays):
    return all(1e-3 < largest_size(a) < 1e5 for a in arrays.values())


def fresh(estimator, default, kind, what):
    """A clone of ``estimator``, which must be ``what`` a ``kind`` is, or ``default`` for None."""
    if estimator is None:
        return default
    if not isinstance(estimator, kind):
        raise TypeError(f"estimator must be {what}, got {estimator!r}")
    return clone(estimator)


@dataclass(repr=False, eq=False)
class CompatibilityModel(ClassifierMixin, BaseEstimator):
    r"""Base of the zero-shot scorers :math:`F(x, s)`: how well image x fits class embedding s.

    ``fit`` learns from the classes that occur in ``y``; ``decision_function`` and ``predict``
    take any class embeddings of the same space, so also those of classes never seen. Higher
    scores are better. Wherever ``class_embeddings`` may be left out, those given to ``fit`` are
    the candidates.

    A subclass has ``_fit(X, codes, embeddings)``, which gets the checked output of
    `check_fit_input` and learns, and ``_scores(X, class_embeddings)``, which returns
    (n, C') scores. Neither checks its arrays again. Its parameters are the fields of a dataclass,
    checked by their types (`zslib.compatibility.parameters`). One that tables compare has
    ``grid``, the values of its parameters that they tune over: the first of equally good ones is
    taken. Where scores compare two vectors, ``compares`` says by what: their "product", their
    "cosine", their "scaled cosine", by ``scale`` squared, or minus their "distance".

    Features are used as they are given: scale them first where a paper says so.

    Data frames, lists and numbers of other types are converted, class embeddings to the type of
    ``X``. Columns of data frames must be in the order of ``fit``.

    **Names in, names out.** ``class_embeddings`` may be a dict of name to vector, or a data frame
    whose index names the classes. ``y`` may then hold these names, and ``predict`` and
    `top_classes` answer in names, also among other candidates that come with names. A whole number
    in ``y`` is a name where the names are numbers, else a row. Of an array without names an answer
    is a row *of the array that was asked about*: ``predict(X, S[unseen])`` gives places in
    ``S[unseen]``, so that ``unseen[model.predict(X, S[unseen])]`` are rows of ``S``.

    Attributes
    ----------
    classes_ : array of int64, shape (k,)
        Rows of the ``class_embeddings`` given to ``fit`` that training used: the seen classes.
        Their names are ``class_names_[classes_]``.
    class_embeddings_ : array, shape (C, q)
        What ``fit`` was given, for candidates only. Training looks at rows ``classes_``.
    class_names_ : array of str or int, shape (C,), or None
        Names of these rows, where ``y`` held names.
    n_features_in_ : int
        p.
    embedding_dim_ : int
        q.
    embedding_names_in_ : list, or None
        Names of the columns of ``class_embeddings``, where it was a data frame.

    Notes
    -----
    In `sklearn.model_selection.GridSearchCV` pass the embeddings to its ``fit``. The default
    score lets all rows compete; with class-disjoint folds (`GroupShuffleSplit` with
    ``groups=y``), ``scoring=zero_shot_scorer`` lets the held-out classes compete. scikit-learn
    cuts any fit parameter that has as many rows as ``X`` into folds, so the number of classes
    must differ from the number of samples there.

    Examples
    --------
    A search over a pipeline, with scikit-learn's metadata routing:

    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from zslib.compatibility import ESZSL
    >>> rng = np.random.default_rng(0)
    >>> S = rng.standard_normal((5, 4))
    >>> y = np.repeat(np.arange(5), 12)
    >>> X = S[y] @ rng.standard_normal((4, 8)) + 0.5 * rng.standard_normal((60, 8))
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     pipeline = make_pipeline(StandardScaler(), ESZSL())
    ...     grid = {"eszsl__feature_penalty": [0.1, 10.0]}
    ...     search = GridSearchCV(pipeline, grid, cv=3).fit(X, y, class_embeddings=S)
    >>> search.best_params_
    {'eszsl__feature_penalty': 0.1}
    """

    # In scikit-learn's metadata routing the embeddings go wherever they are taken.
    __metadata_request__fit = {"class_embeddings": True}
    __metadata_request__score = {"class_embeddings": True}
    __metadata_request__predict = {"class_embeddings": True}
    __metadata_request__decision_function = {"class_embeddings": True}
    __metadata_request__predict_proba = {"class_embeddings": True}

    def fit(self, X, y, class_embeddings):
        """Learn from samples of the seen classes; return self.

        Parameters
        ----------
        X : array, shape (n, p)
            Image features, one row per sample.
        y : array of integers or names, shape (n,)
            Row of ``class_embeddings`` that each sample belongs to, or its name.
        class_embeddings : array or data frame, shape (C, q), or dict of name to (q,) array
            One row per class, with the type of ``X``. Rows that do not occur in ``y`` are unseen
            classes and have no influence.
        """
        return self._checked_fit(X, y, class_embeddings)

    def _checked_fit(self, X, y, class_embeddings, vectors=None, **more):
        """``fit`` of a model that is also given ``more``.

        ``vectors`` of these lie in the space of the classes and are checked here, the others not.
        """
        given, columns = X, column_names(class_embeddings)
        class_embeddings, names = named_rows(class_embeddings)
        check_paired(X, y, "X", "y")
        X = as_vectors(X, "X")
        keep_columns(self, given, y)
        class_embeddings = as_vectors(class_embeddings, "class_embeddings", like=X)
        for name, rows in (vectors or {}).items():
            if rows is not None:
                check_columns(rows, columns, name, "class_embeddings")
                rows = as_vectors(rows, name, like=X)
                check_same_width(rows, class_embeddings, name, "class_embeddings")
            more[name] = rows
        y, named = _row_numbers(y, names, X)
        classes, codes, embeddings = check_fit_input(X, y, class_embeddings)
        # A fit that fails must not leave the last one's marks on half-changed state.
        vars(self).pop("classes_", None)
        check_parameters(self)
        with in_range(X=X, class_embeddings=embeddings):
            self._fit(X, codes, embeddings, **more)
            if self._learns_scores:
                scores = self._finite_scores(some_rows(X), embeddings)
                vectors = {"X": X, "class_embeddings": embeddings}
                check_told_apart(scores, float(self._scores_are_logits), **vectors)
                vectors = {name: vectors[name] for name in self._units_matter}
                every = np.arange(embeddings.shape[0])
                check_beyond_chance(scores, some_rows(codes), every, **vectors)
        self.class_names_ = names if named else None
        self.embedding_dim_, self.embedding_names_in_ = class_embeddings.shape[1], columns
        self.class_embeddings_ = class_embeddings
        self.classes_ = classes
        return self

    # Whether scores follow from ``fit`` alone, so that they may be looked at once there.
    _learns_scores = True
    # The vectors whose unit may change what is learned.
    _units_matter = ("X", "class_embeddings")
    # Whether scores are logarithms of probabilities, up to one number for each sample.
    _scores_are_logits = False
    compares = None

    def _finite_scores(self, X, class_embeddings):
        with in_range(X=X, class_embeddings=class_embeddings):
            scores = self._scores(X, class_embeddings)
        remedy = "bring rows of X and class_embeddings to a length near one, in fit too"
        check_learned(scores, remedy, what="scores")
        return scores

    def decision_function(self, X, class_embeddings=None):
        """Compatibility of each sample with each class.

        Parameters
        ----------
        X : array, shape (n, p)
            Image features, of the array library that ``fit`` was given.
        class_embeddings : array or data frame, shape (C', q), dict of name to (q,) array, or None
            Candidate classes, with the type of ``X``. None: those given to ``fit``.

        Returns
        -------
        array, shape (n, C'), with the type of ``X``
            Scores, higher is better; column j is row j of ``class_embeddings``.

        Raises
        ------
        ValueError
            Also where scores leave the range of their type.
        """
        X = self._checked(X)
        candidates = self.class_embeddings_ if class_embeddings is None else class_embeddings
        return self._finite_scores(X, self._checked_classes(candidates, X))

    @available_if(lambda self: self._scores_are_logits)
    def predict_proba(self, X, class_embeddings=None):
        """Probability of each candidate class, given that a sample is of one of them.

        Only methods that define one have it: those trained as a softmax over classes, and those
        that derive a posterior of classes.

        Parameters
        ----------
        X, class_embeddings
            As in `decision_function`.

        Returns
        -------
        array, shape (n, C'), with the type of ``X``
            Rows sum to one; the columns are those of `decision_function`.
        """
        return softmax(self.decision_function(X, class_embeddings))

    def top_classes(self, X, k=None, class_embeddings=None):
        """The k best classes of each sample, best first, ties to the lower row.

        Parameters
        ----------
        X, class_embeddings
            As in `decision_function`.
        k : int, optional
            At most the number of candidates. None: all of them, ranked.

        Returns
        -------
        classes : array, shape (n, k)
            Names, or rows of ``class_embeddings``, as in `predict`.
        scores : array, shape (n, k)
            Those of `decision_function`.

        Examples
        --------
        >>> import numpy as np
        >>> from zslib.compatibility import ESZSL
        >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
        >>> classes = {"cat": [1.0, 0.0], "dog": [0.0, 1.0], "fox": [0.8, 0.6]}
        >>> model = ESZSL().fit(X, ["cat", "dog", "cat", "dog"], classes)
        >>> model.top_classes(np.array([[2.0, 1.8]]), 2)[0]
        array([['fox', 'cat']], dtype='<U3')
        """
        scores = self.decision_function(X, class_embeddings)
        best = top_classes(scores, scores.shape[1] if k is None else k)
        names = self._names(class_embeddings)
        found = best if names is None else names[to_host(best)]
        return found, namespace(scores).take_along_axis(scores, best, axis=1)

    def _checked(self, X):
        """Images as ``fit`` was given them."""
        check_is_fitted(self, "classes_")
        given, X = X, as_vectors(X, "X")
        namespace(X, self.classes_)
        check_kept_columns(self, given)
        return X

    def _checked_classes(self, class_embeddings, like=None):
        """Class vectors as ``fit`` was given them, with the type of the array ``like``."""
        if like is None:
            check_is_fitted(self, "classes_")
            like = self.class_embeddings_
        rows = as_vectors(named_rows(class_embeddings)[0], "class_embeddings", like=like)
        check_same_width(rows, self.class_embeddings_, "class_embeddings", "what fit was given")
        check_columns(class_embeddings, self.embedding_names_in_, "class_embeddings")
        return rows

    def predict(self, X, class_embeddings=None):
        """Best class of each sample, the first of equals.

        Parameters as in `decision_function`. Returns names (n,), where ``y`` held names or these
        candidates come with names, else rows of ``class_embeddings``, int64 (n,): of an array
        ``S[unseen]`` that is places in ``S[unseen]``, not rows of ``S``.
        """
        best, names = self._best(X, class_embeddings), self._names(class_embeddings)
        return best if names is None else names[to_host(best)]

    def _best(self, X, class_embeddings):
        scores = self.decision_function(X, class_embeddings)
        xp = namespace(scores)
        return xp.astype(xp.argmax(scores, axis=1), xp.int64, copy=False)

    def _names(self, class_embeddings):
        """Names of candidates, where they or the labels in ``fit`` have some."""
        if class_embeddings is None:
            return self.class_names_
        return named_rows(class_embeddings, numbers=self.class_names_ is not None)[1]

    def score(self, X, y, class_embeddings=None, sample_weight=None):
        """Average per-class top-1 accuracy, in [0, 1]; all rows of ``class_embeddings`` compete.

        Parameters as in `decision_function`, and ``y`` (n,), the row of ``class_embeddings`` that
        each sample belongs to, or its name. With ``sample_weight`` (n,) the accuracy of a class is
        the weighted mean over its samples; each class still counts as much as another.
        """
        check_is_fitted(self, "classes_")
        check_paired(X, y, "X", "y")
        check_paired(X, sample_weight, "X", "sample_weight")
        candidates = self.class_embeddings_ if class_embeddings is None else class_embeddings
        predicted, names = self._best(X, class_embeddings), self._names(class_embeddings)
        y, _ = _row_numbers(y, names, predicted)
        _check_labels(y, predicted, as_array(named_rows(candidates)[0], "class_embeddings"))
        if sample_weight is None:
            return per_class_accuracy(y, predicted)
        y, predicted = to_host(y), to_host(predicted)
        weight = check_weights(sample_weight, "sample_weight", y.size)
        return _weighted_accuracy(y, predicted, weight)


def _weighted_accuracy(y, predicted, weight):
    """Mean over classes of the accuracy of weighted samples, but for classes without weight."""
    total = np.bincount(y, weight)
    hits = np.bincount(y, weight * (y == predicted))
    return float(np.mean(hits[total > 0] / total[total > 0]))


def zero_shot_scorer(model, X, y):
    """Average per-class accuracy when only the classes that occur in ``y`` compete.

    For ``scoring=`` of scikit-learn's searches with class-disjoint folds: the accuracy of
    zero-shot learning on the held-out classes. ``model`` is a zero-shot scorer, or a pipeline or
    finished search that ends in one, ``X`` (n, p) has its images, and ``y`` (n,) rows, or names,
    of its ``class_embeddings_``. The result is a float in [0, 1]. One class alone has no rival,
    and is refused.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> digits = digits_segments().scaled("standard")
    >>> X, y = digits.features[digits.trainval], digits.labels[digits.trainval]
    >>> penalties = {"feature_penalty": [0.1, 1.0, 1000.0]}
    >>> search = GridSearchCV(ESZSL(), penalties, scoring=zero_shot_scorer, cv=GroupKFold(3))
    >>> search.fit(X, y, groups=y, class_embeddings=digits.class_embeddings).best_params_
    {'feature_penalty': 1.0}
    """
    while not isinstance(model, CompatibilityModel):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(model, Pipeline):
            X = model[:-1].transform(X) if len(model) > 1 else X
            model = model[-1]
        else:
            raise TypeError(
                "zero_shot_scorer takes a scorer of zslib.compatibility, or a pipeline or a "
                f"finished search that ends in one, got {model!r}"
            )
    check_is_fitted(model, "classes_")
    check_paired(X, y, "X", "y")
    given, X = X, as_vectors(X, "X")
    y, _ = _row_numbers(y, model.class_names_, X)
    xp = namespace(X, y, model.classes_)
    _check_labels(y, X, model.class_embeddings_)
    classes, codes = xp.unique_inverse(y)
    if classes.shape[0] < 2:
        raise ValueError(
            "y has one class alone, which has no rival: hold out two or more, as GroupKFold does "
            "with fewer folds"
        )
    candidates = xp.take(model.class_embeddings_, classes, axis=0)
    return model.score(given, xp.reshape(codes, (-1,)), candidates)


def cosines(A, B):
    """Cosine of each row of ``A`` (n, d) with each of ``B`` (m, d); 0 where a row is zero."""
    return directions(A) @ directions(B).T


def squared_distances(A, B):
    """Squared Euclidean distance of each row of ``A`` (n, d) from each of ``B`` (m, d)."""
    xp = namespace(A, B)
    squares = xp.sum(A * A, axis=1)[:, None] + xp.sum(B * B, axis=1)[None, :]
    return xp.clip(squares - 2.0 * (A @ B.T), min=0.0)


def softmax(logits):
    """Exponentials of each row, over their sum."""
    xp = namespace(logits)
    likely = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
    return likely / xp.sum(likely, axis=1, keepdims=True)


def log_softmax(logits):
    """Logarithms of the softmax of each row."""
    xp = namespace(logits)
    below = logits - xp.max(logits, axis=1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=1, keepdims=True))


def directions(A):
    """Each row divided by its length; a zero row, which has no direction, stays zero."""
    xp = namespace(A)
    zero = xp.astype(xp.all(A == 0, axis=1, keepdims=True), A.dtype)
    return unit_rows(A + zero) * (1.0 - zero)


def lengthened(A):
    """Rows of length root d, whatever theirs is: entries of about one."""
    return math.sqrt(A.shape[1]) * directions(A)


def lengths_or_one(A):
    """The length of each row, shape (n, 1), and 1 for a zero row."""
    lengths = row_norms(A)[:, None]
    return lengths + namespace(A).astype(lengths == 0, A.dtype)


def through_directions(by_units, units, lengths):
    """Derivative by rows of what has the derivative ``by_units`` by their directions."""
    along = namespace(units).sum(by_units * units, axis=1, keepdims=True)
    return (by_units - along * units) / lengths


class BilinearModel(CompatibilityModel):
    """Base of the bilinear scorers ``F = X @ coef_ @ class_embeddings.T``.

    A subclass sets ``coef_``, shape (p, q), in ``_fit``.
    """

    compares = "product"

    def embed(self, X):
        """Where each row of ``X`` lands among class embeddings, (n, q): ``X @ coef_``."""
        X = self._checked(X)
        return X @ namespace(X).astype(self.coef_, X.dtype, copy=False)

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        coef = xp.astype(self.coef_, X.dtype, copy=False)
        (n, p), (c, q) = X.shape, class_embeddings.shape
        # The same product in the order that takes fewer multiplications.
        if c * p * (q + n) < n * q * (p + c):
            return X @ (coef @ class_embeddings.T)
        return (X @ coef) @ class_embeddings.T
