"""What generative systems share: a classifier, trained for the candidates of each question."""

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from zslib.arrays import like, namespace, random_generator, range_power, take_rows, to_host
from zslib.compatibility.base import CompatibilityModel, log_softmax
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.conse import linear_weights, softmax_objective
from zslib.compatibility.parameters import NotNegative, Positive, RandomState
from zslib.validation import check_learned, sizes

KEPT = 4


@dataclass(repr=False, eq=False)
class GenerativeModel(CompatibilityModel):
    r"""Base of the systems that generate features of classes from their embeddings.

    ``fit`` trains the generator alone. A question with some candidates trains a softmax
    regression for exactly these: on the training images of candidates that are seen classes, by
    the content of their embeddings, and on ``n_generated`` features of each other one. It
    minimises `softmax_objective`, with ``classifier_penalty`` as :math:`\lambda`, by L-BFGS from
    zero. Scores are its log probabilities.

    So a class's score depends on the other candidates and, but for seen classes alone, on the
    seed. The same set of candidates, in any order, always gets the same scores; equal candidates
    share one. The last ``KEPT`` classifiers are kept.

    A subclass has ``_fit_generator(X, codes, embeddings, rng)`` and
    ``_generate(embeddings, per_class, rng)``, which returns that many rows for each class, class
    by class. It may have ``_represent(X)``, what the classifier sees of images that are scored,
    and ``_represent_seen(X, codes, rng)``, what it is trained on: rows, and their codes on the
    host. All of these see features times ``scale_``, the number that brings the root mean square
    length of training images to ``feature_length``.

    Attributes
    ----------
    scale_ : float
    seen_images_, seen_codes_, seen_embeddings_ : arrays, shape (n, p), (n,) and (k, q)
        What ``fit`` was given, for classifiers to come.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`
    """

    _learns_scores = False  # but a generator: the classifier comes with each question
    _scores_are_logits = True
    slow = True  # one seed chooses settings, see `zslib.protocols`

    _: KW_ONLY
    n_steps: int = 3000
    batch_size: int = 50
    n_generated: int = 100
    classifier_penalty: NotNegative = 1e-3
    feature_length: Positive = 8.0
    random_state: RandomState = None

    def _fit(self, X, codes, embeddings, **more):
        rng = random_generator(self.random_state)
        xp, unit = namespace(X), range_power(X)
        squares = float(xp.sum((X / unit) ** 2, dtype=xp.float64)) / X.shape[0]
        self.scale_ = scale_of(float(self.feature_length) / math.sqrt(squares) / unit, X, "X")
        self._fit_generator(self.scale_ * X, codes, embeddings, rng, **more)
        self.seen_images_, self.seen_codes_, self.seen_embeddings_ = X, codes, embeddings
        self._seed, self._classifiers = int(rng.integers(2**63)), {}

    def _represent(self, X):
        return X

    def _represent_seen(self, X, codes, rng):
        return self._represent(X), codes

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        # Adding 0 makes -0 a 0: rows are compared by their bytes.
        rows = to_host(xp.astype(class_embeddings, self.seen_embeddings_.dtype, copy=False)) + 0.0
        candidates, places = np.unique(rows, axis=0, return_inverse=True)
        key = candidates.tobytes()
        if key not in self._classifiers:
            weights = self._train(candidates)
            while len(self._classifiers) >= KEPT:
                self._classifiers.pop(next(iter(self._classifiers)))
            self._classifiers[key] = weights
        weights = xp.astype(self._classifiers[key], X.dtype, copy=False)

        def log_probabilities(x):
            shown = xp.astype(self._represent(self.scale_ * x), X.dtype, copy=False)
            return log_softmax(shown @ weights[:-1, :] + weights[-1:, :])

        columns = like(np.reshape(places, (-1,)), X)
        return xp.take(in_blocks(log_probabilities, X, max(weights.shape)), columns, axis=1)

    def _train(self, candidates):
        """Weights (d + 1, C) of the classifier for distinct candidates, intercepts last."""
        xp = namespace(self.seen_images_)
        rng = np.random.default_rng(self._seed)
        numbers = {row.tobytes(): c for c, row in enumerate(candidates)}
        seen = to_host(self.seen_embeddings_) + 0.0
        seen = np.array([numbers.get(row.tobytes(), -1) for row in seen])
        parts, labels = [], []
        codes = seen[to_host(self.seen_codes_)]
        if np.any(codes >= 0):
            images = take_rows(self.seen_images_, np.flatnonzero(codes >= 0))
            shown, known = self._represent_seen(self.scale_ * images, codes[codes >= 0], rng)
            parts.append(shown)
            labels.append(known)
        unseen = np.setdiff1d(np.arange(len(candidates)), seen)
        if unseen.size:
            rows = like(candidates[unseen], self.seen_embeddings_)
            parts.append(self._generate(rows, self.n_generated, rng))
            labels.append(np.repeat(unseen, self.n_generated))
        features = xp.concat(parts, axis=0)
        check_learned(features, "lower learning_rate")
        labels = like(np.concatenate(labels), features)
        return self._classifier(features, labels, len(candidates), max_iter=200)

    def _classifier(self, X, codes, n_classes, max_iter):
        """Weights (d + 1, C) of a softmax regression, intercepts last."""
        data = X, codes, float(self.classifier_penalty)
        return linear_weights(softmax_objective, n_classes, *data, max_iter=max_iter, tol=1e-3)[0]


def scale_of(number, array, name):
    """``number``, if the type of ``array``, which is to be multiplied by it, has it."""
    kind = namespace(array).finfo(array.dtype)
    if not float(kind.smallest_normal) <= number <= float(kind.max):
        raise ValueError(
            f"{sizes(**{name: array})}, beyond what {array.dtype} can scale: scale it"
        )
    return number


def repeated(embeddings, per_class):
    """Each row so many times, class by class."""
    return take_rows(embeddings, np.repeat(np.arange(embeddings.shape[0]), per_class))
