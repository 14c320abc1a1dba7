"""CMT, cross-modal transfer (Socher et al. 2013): a two-layer network into the embeddings."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import clone

from zslib.arrays import namespace, random_generator, take_rows, typed_as, typed_like
from zslib.compatibility.base import log_softmax, squared_distances
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.conse import ConSE
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative
from zslib.optim import Adagrad


@dataclass(repr=False, eq=False)
class CMT(EpochModel):
    r"""Zero-shot learning through cross-modal transfer (Socher et al. 2013, section 3).

    A network with one hidden layer maps an image to the embedding of its class. In row vectors,

    .. math:: \min_{\theta_1, \theta_2} \frac{1}{n} \sum_i
              \| s_{y_i} - \tanh(x_i \theta_1)\, \theta_2 \|^2, \qquad
              F(x, s) = -\| s - \tanh(x \theta_1)\, \theta_2 \|.

    There are no intercepts, as in the paper. The paper sums over the samples and leaves the
    optimiser open; here it is Adagrad on minibatches, and the mean keeps the gradient from
    growing with them.

    CMT*, the whole system of section 4, has a ``novelty`` detector, which gives the probability u
    that the mapped image f is of no class in ``fit``. The score is then the logarithm of

    .. math:: (1 - u)\, p(s \mid x) \text{ for seen}, \qquad
              u\, \frac{\exp(-\|s - f\|^2 / 2 \sigma^2)}
              {\sum_{s' \text{ unseen}} \exp(-\|s' - f\|^2 / 2 \sigma^2)} \text{ for unseen
              candidates},

    with p of a softmax regression on the images, and :math:`\sigma^2` the mean square by which the
    entries of mapped training images miss those of their class. A candidate is seen when it
    equals a row that was trained on. So the score of an unseen one depends on which others there
    are; among unseen candidates alone, CMT* answers as CMT does.

    Parameters
    ----------
    n_hidden : int, default 100
        Hidden units h.
    learning_rate : float, keyword only, default 0.01
        Of Adagrad, above 0.
    n_epochs : int, keyword only, default 30
        Passes over the samples.
    batch_size : int, keyword only, default 64
    novelty : OutlierProbability or None, keyword only, default None
        A detector like that of `zslib.calibration`, for CMT*.
    regularization : float, keyword only, default 1e-5
        Of the softmax regression of CMT*, as in `ConSE`.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, normal with standard deviations :math:`1/\sqrt p` and
        :math:`1/\sqrt h`, and of the order of the samples; drawn on the host.

    Attributes
    ----------
    hidden_coef_ : array, shape (p, h)
        :math:`\theta_1`.
    output_coef_ : array, shape (h, q)
        :math:`\theta_2`.
    learning_curve_ : list of float
        Mean squared error per sample in each epoch, over the batches as they were met.
    novelty_, classifier_, variance_
        Of CMT*: the fitted detector, the softmax regression, and :math:`\sigma^2`.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = CMT(20, learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.0], [2.0, 2.0]]), S)
    array([0, 2])
    """

    grid = {"learning_rate": (0.03, 0.1, 0.3), "n_epochs": (30, 100)}
    # Three times as long gained nothing on CUB's validation classes.
    limits = {"n_epochs": (1, 100)}
    year = 2013
    family = "regression"
    look = (4, "v", "-.")

    n_hidden: int = 100
    _: KW_ONLY
    n_epochs: int = 30
    novelty: Any = None
    regularization: NotNegative = 1e-5

    @property
    def _scores_are_logits(self):
        """Of CMT*; the network alone has distances."""
        return self.novelty is not None

    @property
    def compares(self):
        """Of the network alone, its distance."""
        return None if self._scores_are_logits else "distance"

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        optimisers = Adagrad(self.learning_rate), Adagrad(self.learning_rate)
        rng = random_generator(self.random_state)
        (n, p), h, q = X.shape, self.n_hidden, embeddings.shape[1]
        theta = tuple(
            typed_like(rng.standard_normal(shape) / math.sqrt(shape[0]), X)
            for shape in ((p, h), (h, q))
        )

        def step(batch, _):
            targets = xp.take(embeddings, take_rows(codes, batch), axis=0)
            loss, gradients = two_layer_objective(theta, take_rows(X, batch), targets)
            for optimiser, part, gradient in zip(optimisers, theta, gradients, strict=True):
                optimiser.step(part, gradient)
            return loss

        remedy = "lower learning_rate, or scale features and embeddings"
        self.learning_curve_ = train_epochs(self, step, n, rng, remedy)
        self.hidden_coef_, self.output_coef_ = theta
        if self.novelty is not None:
            self._fit_novelty(X, codes, embeddings)

    def _fit_novelty(self, X, codes, embeddings):
        """What CMT* has beside the network."""
        xp = namespace(X)
        if not hasattr(self.novelty, "unseen"):
            raise TypeError(
                f"novelty must be None or a detector such as OutlierProbability(), got "
                f"{self.novelty!r}"
            )
        mapped = self._embed(X)
        missed = mapped - xp.take(embeddings, codes, axis=0)
        # A network without any error would make each Gaussian a point: nothing is known to more
        # than the rounding of the embeddings.
        rounding = float(xp.finfo(X.dtype).eps) ** 2 * float(xp.mean(embeddings * embeddings))
        self.variance_ = max(float(xp.mean(missed * missed)), rounding)
        self.novelty_ = clone(self.novelty).fit(mapped)
        self.classifier_ = ConSE(regularization=self.regularization).fit(X, codes, embeddings)

    def embed(self, X):
        """Where the network puts each row of ``X`` among the embeddings, (n, q)."""
        return self._embed(self._checked(X))

    def _embed(self, X):
        xp = namespace(X)
        hidden, output = typed_as(X, self.hidden_coef_, self.output_coef_)
        width = max(*hidden.shape, output.shape[1])
        return in_blocks(lambda x: xp.tanh(x @ hidden) @ output, X, width)

    def _scores(self, X, class_embeddings):
        mapped = self._embed(X)
        # Around one of the candidates, less is lost in the difference of large squares.
        centre = class_embeddings[:1, :]
        places, width = class_embeddings - centre, max(class_embeddings.shape)
        squares = in_blocks(lambda m: squared_distances(m - centre, places), mapped, width)
        if self.novelty is None:
            return -namespace(X).sqrt(squares)
        return self._mixed(X, mapped, squares, class_embeddings)

    def _mixed(self, X, mapped, squares, class_embeddings):
        """Log probabilities of CMT*, from the squared distances of mapped images (n, C')."""
        xp = namespace(X)
        known = self.classifier_.seen_embeddings_
        given = xp.astype(class_embeddings, known.dtype, copy=False)
        same = xp.all(given[:, None, :] == known[None, :, :], axis=2)
        is_seen = xp.any(same, axis=1)
        own = xp.argmax(xp.astype(same, xp.int64), axis=1)
        likely = xp.take(log_softmax(self.classifier_._logits(X)), own, axis=1)
        # Out of the softmax over unseen candidates, whatever their distance.
        far = -squares / (2.0 * self.variance_)
        # The logarithm of a probability does not come near 1e9, nor clipped ones below 1e-12.
        far = far - (xp.max(-far) + 1e9) * xp.astype(is_seen, X.dtype)[None, :]
        novel = self.novelty_.unseen(mapped)[:, None]
        log_seen, log_unseen = (xp.log(xp.clip(part, min=1e-12)) for part in (1.0 - novel, novel))
        return xp.where(is_seen[None, :], log_seen + likely, log_unseen + log_softmax(far))


def two_layer_objective(theta, X, targets):
    r"""Mean squared error of the network, and its gradients by the pair ``theta``.

    .. math:: \frac{1}{n} \sum_i \| t_i - \tanh(x_i \theta_1)\, \theta_2 \|^2
    """
    xp = namespace(X, targets)
    hidden_coef, output_coef = theta
    hidden = xp.tanh(X @ hidden_coef)
    error = hidden @ output_coef - targets
    value = float(xp.sum(error * error)) / X.shape[0]
    error = error * (2.0 / X.shape[0])
    before = (error @ output_coef.T) * (1.0 - hidden * hidden)
    return value, (X.T @ before, hidden.T @ error)
