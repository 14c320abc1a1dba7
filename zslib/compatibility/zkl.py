"""ZKL, zero-shot kernel learning (Zhang & Koniusz 2018): one matrix inside two kernels."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from zslib.arrays import namespace, one_hot, random_generator, take_rows, typed_as, typed_like
from zslib.compatibility.base import directions
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.optim import RMSProp

KERNELS = ("gaussian", "cauchy", "polynomial")


@dataclass(repr=False, eq=False)
class ZKL(EpochModel):
    r"""Zero-shot kernel learning (Zhang & Koniusz 2018, section 4).

    One matrix W (p, q) maps images among class embeddings, and its transpose maps these among
    images. Each class is compared in both spaces,

    .. math:: k^1 = \kappa(xW, s), \qquad k^2 = \kappa(x, sW'), \qquad
              \kappa(a, b) = e^{-\|a - b\|^2 / 2 \sigma^2}
              \quad\text{or}\quad \frac{1}{1 + \|a - b\|^2 / \sigma^2},

    and W makes both kernels 1 for the own class and, with weight :math:`\beta`, 0 for the others:
    see `kernel_objective`. With the polynomial kernel :math:`(xWs' + c)^r` both are one. The
    class that is predicted is the paper's, of the least
    :math:`\ell = (k^1 - 1)^2 + (k^2 - 1)^2`. The score is :math:`\log(2 - \ell)`, which keeps
    that order and, taken from the logarithms of the kernels, has no ties where both of them are
    too small for a float; for the polynomial kernel, where :math:`\ell` may exceed 2, the score
    is :math:`-\ell`.

    As in the authors' code features and embeddings are centred and scaled to length one, here as
    part of the estimator. Embeddings are centred on the mean of the *seen* classes, where the
    code takes the mean of all, so that unseen classes have no influence. A row that is the mean
    itself has no direction and stays zero. The code is the Gaussian kernel's alone; the other two
    are our reading of the paper. RMSProp runs on minibatches and takes the mean gradient; the
    authors' 12,000 steps of one sample, which is 1.7 passes of CUB, are
    ``batch_size=1, learning_rate=8e-4, n_epochs=2``. They keep the step that is best on test
    classes; here the number of passes is fixed beforehand.

    Parameters
    ----------
    kernel : {"gaussian", "cauchy", "polynomial"}, default "gaussian"
    sigma : float, keyword only, default 0.8
        :math:`\sigma`, above 0, in units of vectors of length one.
    orthogonality : float, keyword only, default 1.0
        :math:`\beta`, at least 0.
    degree : int, keyword only, default 2
        r of the polynomial kernel.
    offset : float, keyword only, default 0.2
        c of the polynomial kernel, at least 0.
    learning_rate : float, keyword only, default 0.01
        Of `RMSProp` with decay 0.99 and epsilon 0.01, above 0.
    n_epochs : int, keyword only, default 20
        Passes over the samples.
    batch_size : int, keyword only, default 64
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, uniform between 0 and 2/p, and of the order of the samples; drawn on
        the host.

    Attributes
    ----------
    coef_ : array, shape (p, q)
        W.
    feature_mean_, embedding_mean_ : arrays, shapes (p,) and (q,)
        What features and embeddings are centred on.
    learning_curve_ : list of float
        Mean objective of each epoch, over the batches as they were met.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.2]])
    >>> model = ZKL(learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    """

    grid = {"kernel": KERNELS, "orthogonality": (1.0, 3.0, 10.0)}
    year = 2018
    family = "metric"
    look = (6, "v", ":")

    kernel: Literal[KERNELS] = "gaussian"
    _: KW_ONLY
    sigma: Positive = 0.8
    orthogonality: NotNegative = 1.0
    degree: int = 2
    offset: NotNegative = 0.2
    n_epochs: int = 20

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        optimiser = RMSProp(self.learning_rate, decay=0.99, epsilon=1e-2)
        rng = random_generator(self.random_state)
        self.feature_mean_ = xp.mean(X, axis=0)
        self.embedding_mean_ = xp.mean(embeddings, axis=0)
        X, S = self._prepared(X, embeddings)
        n, p = X.shape
        W = typed_like(rng.uniform(0.0, 2.0 / p, (p, S.shape[1])), X)

        def step(batch, _):
            x, own = take_rows(X, batch), take_rows(codes, batch)
            value, gradient = kernel_objective(self, W, x, own, S)
            optimiser.step(W, gradient)
            return value

        remedy = "lower learning_rate, or degree and offset"
        self.learning_curve_ = train_epochs(self, step, n, rng, remedy)
        self.coef_ = W

    def _prepared(self, X, class_embeddings):
        """Features and embeddings, centred and of length one."""
        x, s = typed_as(X, self.feature_mean_, self.embedding_mean_)
        return directions(X - x), directions(class_embeddings - s)

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        (W,) = typed_as(X, self.coef_)
        X, S = self._prepared(X, class_embeddings)
        _, products, distances = _both_ways(W, X, S)
        if self.kernel == "polynomial":
            error = (products + self.offset) ** self.degree - 1.0
            return -2.0 * error * error
        # 2 - loss is the sum of k (2 - k) over both kernels.
        logs = (_radial(self, squares)[0] for squares in distances)
        return xp.logaddexp(*(log + xp.log(2.0 - xp.exp(log)) for log in logs))


def kernel_objective(model, W, X, codes, S):
    r"""Mean over the samples of both kernels' distance from their targets, and its gradient by W.

    .. math:: \frac1n \sum_i \sum_{t=1}^2 \Bigl( (k^t_{i y_i} - 1)^2
              + \frac{\beta}{k - 1} \sum_{c \ne y_i} (k^t_{ic})^2 \Bigr)

    ``model`` has the kernel and its parameters; ``X`` (n, p) and the embeddings ``S`` (k, q) of
    the classes are taken as they are.
    """
    xp = namespace(W, X)
    n, k = X.shape[0], S.shape[0]
    own = one_hot(codes, k, X.dtype)
    weights = (own + (float(model.orthogonality) / (k - 1)) * (1.0 - own)) / n
    (mapped, back), products, distances = _both_ways(W, X, S)
    if model.kernel == "polynomial":
        shifted = products + float(model.offset)
        below = shifted ** (model.degree - 1)
        error = below * shifted - own
        value = float(xp.sum(weights * error * error))
        slope = (2.0 * model.degree) * weights * error * below
        return 2.0 * value, X.T @ (slope @ S) * 2.0
    value, slopes = 0.0, []
    for squares in distances:
        log, falls = _radial(model, squares)
        values = xp.exp(log)
        error = values - own
        value += float(xp.sum(weights * error * error))
        slopes.append(2.0 * weights * error * values * falls)
    # Squared distances are |xW|^2 + |s|^2, and |x|^2 + |sW'|^2, less twice the product xWs'.
    by_image, by_class = xp.sum(slopes[0], axis=1)[:, None], xp.sum(slopes[1], axis=0)[:, None]
    both = slopes[0] + slopes[1]
    gradient = X.T @ (by_image * mapped - both @ S) + (by_class * back).T @ S
    return value, 2.0 * gradient


def _both_ways(W, X, S):
    """xW and sW', their products x W s', and the squared distances of xW, s and of x, sW'."""
    xp = namespace(W, X)
    mapped, back = X @ W, S @ W.T
    products = mapped @ S.T
    distances = [
        xp.clip(_squares(a)[:, None] + _squares(b)[None, :] - 2.0 * products, min=0.0)
        for a, b in ((mapped, S), (X, back))
    ]
    return (mapped, back), products, distances


def _squares(array):
    return namespace(array).sum(array * array, axis=1)


def _radial(model, squares):
    """Logarithm of a kernel of squared distances, and its slope by them."""
    xp, sigma = namespace(squares), float(model.sigma)
    if model.kernel == "gaussian":
        slope = -0.5 / sigma**2
        return slope * squares, slope
    return -xp.log1p(squares / sigma**2), -1.0 / (sigma**2 + squares)
