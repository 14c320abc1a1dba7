"""Any zero-shot scorer behind the scaling that its data had: for new images as they come."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from zslib.arrays import namespace, take_rows, to_host
from zslib.compatibility.base import CompatibilityModel
from zslib.compatibility.eszsl import ESZSL
from zslib.search import top_k
from zslib.validation import check_paired


@dataclass(repr=False, eq=False)
class Scaled(CompatibilityModel):
    r"""A scorer that scales images and class vectors before it looks at them.

    .. math:: F(f(x), g(s)) - \gamma\, I(s \text{ seen})

    with f and g as a problem was scaled by `ZeroShotProblem.scaled`, `unit_length` or
    `common_scale`, which keep what they did in ``problem.scaler``: mean and deviation of the
    training images, the mean length of attributes. This is what ``run.fit(problem)`` gives: it
    serves images and class vectors as they were before the scaling.

    Parameters
    ----------
    estimator : CompatibilityModel, default ESZSL()
        The scorer; cloned before each fit.
    scaling : Scaling or None
        For instance ``problem.scaler``; it is not learned anew. None: vectors stay as they are.
    gamma : float, keyword only, default 0.0
        :math:`\gamma`, of calibrated stacking (see `zslib.calibration.CalibratedStacking`). A
        candidate is seen where its scaled vector is that of a class in ``fit``, up to rounding.

    Attributes
    ----------
    estimator_ : CompatibilityModel
        Fitted, on what is scaled.
    seen_embeddings_ : array, shape (k, q)
        Vectors of the seen classes, scaled.
    classes_, class_embeddings_, n_features_in_, embedding_dim_
        See `CompatibilityModel`.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> from zslib.protocols import run_zero_shot
    >>> raw = digits_segments()
    >>> problem = raw.scaled("standard")
    >>> run = run_zero_shot("ESZSL", problem, parameters={"feature_penalty": 1.0})
    >>> model = run.fit(problem)
    >>> images = raw.features[raw.test_unseen]  # not scaled
    >>> segments = {raw.class_names[c]: raw.class_embeddings[c] for c in raw.unseen_classes}
    >>> print(*model.predict(images[:3], segments))  # of a one, a three and a six
    three three six
    """

    estimator: Any = None
    scaling: Any = None
    _: KW_ONLY
    gamma: float = 0.0

    def fit(self, X, y, class_embeddings, image_attributes=None, unseen_embeddings=None):
        """Learn from samples of the seen classes, all as they are before the scaling.

        Parameters
        ----------
        X, y, class_embeddings
            As in `CompatibilityModel`.
        image_attributes, unseen_embeddings
            For a scorer whose ``fit`` takes them; others never see them.

        Returns
        -------
        self
        """
        given = {"image_attributes": image_attributes, "unseen_embeddings": unseen_embeddings}
        model = ESZSL() if self.estimator is None else self.estimator
        more = {k: v if has_fit_parameter(model, k) else None for k, v in given.items()}
        check_paired(X, more["image_attributes"], "X", "image_attributes")
        return self._checked_fit(X, y, class_embeddings, more)

    @property
    def _scores_are_logits(self):
        return not self.gamma and getattr(self.estimator, "_scores_are_logits", False)

    @property
    def _learns_scores(self):
        return getattr(self.estimator, "_learns_scores", True)

    def _fit(self, X, codes, embeddings, **more):
        model = ESZSL() if self.estimator is None else clone(self.estimator)
        if not hasattr(model, "decision_function"):
            raise TypeError(f"estimator must be a scorer of zslib.compatibility, got {model!r}")
        more = {name: vectors for name, vectors in more.items() if vectors is not None}
        if self.scaling is not None:
            X, embeddings = self.scaling.features(X), self.scaling.class_embeddings(embeddings)
            more = {k: getattr(self.scaling, _OF[k])(v) for k, v in more.items()}
        self.estimator_ = model.fit(X, codes, embeddings, **more)
        self.seen_embeddings_ = embeddings

    def _scores(self, X, class_embeddings):
        if self.scaling is not None:
            X = self.scaling.features(X)
            class_embeddings = self.scaling.class_embeddings(class_embeddings)
        class_embeddings, is_seen = self._recognised(class_embeddings)
        scores = self.estimator_.decision_function(X, class_embeddings)
        if self.gamma:
            scores = scores - self.gamma * namespace(scores).astype(is_seen, scores.dtype)
        return scores

    def _recognised(self, class_embeddings):
        """Candidates with those that are seen classes, up to rounding, in their place; which."""
        xp = namespace(class_embeddings)
        known = xp.astype(self.seen_embeddings_, class_embeddings.dtype)
        nearest = top_k(class_embeddings, known, 1, metric="euclidean")[1][:, 0]
        known = take_rows(known, to_host(nearest))
        size = xp.max(xp.abs(known), axis=1, keepdims=True)
        rounding = 8.0 * float(xp.finfo(known.dtype).eps) * size
        same = xp.all(xp.abs(class_embeddings - known) <= rounding, axis=1)
        return xp.where(same[:, None], known, class_embeddings), same


_OF = {"image_attributes": "image_attributes", "unseen_embeddings": "class_embeddings"}
