"""SSE, semantic similarity embedding (Zhang & Saligrama 2015): mixtures of seen classes."""

import math
from dataclasses import KW_ONLY, dataclass

from zslib.arrays import (
    class_sums,
    largest_size,
    namespace,
    one_hot,
    random_generator,
    row_blocks,
    take_rows,
    typed_as,
)
from zslib.compatibility.base import cosines
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.optim import Adagrad
from zslib.validation import check_learned

WORK = 16
"""Blocks of samples are this much smaller than elsewhere, to stay in the cache: (k, n, p)."""


@dataclass(repr=False, eq=False)
class SSE(EpochModel):
    r"""Semantic similarity embedding (Zhang & Saligrama 2015).

    Class embeddings and images are both seen as mixtures of the k seen classes. A class becomes

    .. math:: z(s) = \arg\min_{z \in \Delta_k} \tfrac12 \|s - z S\|^2 + \tfrac{\gamma}{2} \|z\|^2,

    with :math:`\Delta_k` the simplex and S the seen embeddings. An image becomes its scores for
    the seen classes, through one template :math:`v_c` a class and common weights w,

    .. math:: \pi_c(x) = \langle w, \max(0, x - v_c) \rangle \quad\text{(ReLU)} \qquad\text{or}
              \qquad \langle w, \min(x, v_c) \rangle \quad\text{(intersection)},

    and the score is :math:`F(x, s) = \langle \pi(x), z(s) \rangle`. Weights and templates
    minimise `margin_objective`, a max-margin loss over the seen classes.

    The readings taken: w and V are trained together by Adagrad on minibatches, from zero and
    from the class means, where the paper alternates between them. The margin is 1 less the
    cosine of the two embeddings. The paper's further slack variables, on class averages, are
    left out: a hinge of an average never exceeds the average of the hinges, which is minimised
    here. Both penalties of w and V have one weight.

    Since :math:`\max(0, x - v) + \min(x, v) = x` and mixtures sum to 1, the two maps then
    are one: changing between them changes the sign of w and adds :math:`\langle w, x \rangle`,
    the same for all classes, to the scores of an image. So the ReLU alone is here.

    Parameters
    ----------
    mixture_penalty : float, keyword only, default 0.1
        :math:`\gamma`, above 0, in squared units of the embeddings: the larger, the more even
        the mixtures.
    regularization : float, keyword only, default 1e-4
        :math:`\lambda`, at least 0.
    learning_rate : float, keyword only, default 0.05
        Of Adagrad, above 0. With r the root mean square of the features, templates are in units
        of r and weights in units of 1/r.
    n_epochs : int, keyword only, default 10
        Passes over the samples; each takes time in proportion to n k p.
    batch_size : int, keyword only, default 64
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the order of the samples, drawn on the host.

    Attributes
    ----------
    coef_ : array, shape (p,)
        w.
    templates_ : array, shape (k, p)
        V, one row a seen class.
    seen_embeddings_ : array, shape (k, q)
        S.
    learning_curve_ : list of float
        Mean loss per sample in each epoch, over the batches as they were met.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
    >>> model = SSE(random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    """

    grid = {"mixture_penalty": (1.0, 3.0), "n_epochs": (10, 30)}
    limits = {"n_epochs": (1, 30)}
    year = 2015
    family = "mixtures of classes"
    look = (5, "P", "-.")

    _: KW_ONLY
    mixture_penalty: Positive = 0.1
    regularization: NotNegative = 1e-4
    learning_rate: Positive = 0.05

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        rng = random_generator(self.random_state)
        rate, penalty = float(self.learning_rate), float(self.regularization)
        sums, counts = class_sums(X, codes, embeddings.shape[0])
        templates = sums / counts[:, None]
        weights = xp.zeros_like(X[0, :])
        unit = math.sqrt(float(xp.mean(X * X)))
        check_learned(rate / unit + rate * unit, "scale the features")
        optimisers = Adagrad(rate / unit), Adagrad(rate * unit)
        mixtures = simplex_mixtures(embeddings, embeddings, self.mixture_penalty)
        margins = xp.clip(1.0 - cosines(embeddings, embeddings), min=0.0)

        def step(batch, _):
            data = take_rows(X, batch), take_rows(codes, batch), mixtures, margins
            value, gradients = margin_objective((weights, templates), *data, penalty)
            optimisers[0].step(weights, gradients[0])
            optimisers[1].step(templates, gradients[1])
            return value

        remedy = "lower learning_rate, or scale the features"
        self.learning_curve_ = train_epochs(self, step, X.shape[0], rng, remedy)
        self.coef_, self.templates_, self.seen_embeddings_ = weights, templates, embeddings

    def _scores(self, X, class_embeddings):
        coef, templates, seen = typed_as(X, self.coef_, self.templates_, self.seen_embeddings_)
        mixtures = simplex_mixtures(class_embeddings, seen, self.mixture_penalty)
        return seen_scores(coef, templates, X) @ mixtures.T


def simplex_mixtures(embeddings, seen, penalty, *, max_iter=2000, tol=1e-9):
    r"""The mixture z(s) of `SSE` for each embedding, found in float64, (m, k).

    By accelerated projected gradients with restarts (O'Donoghue & Candès 2015), all embeddings at
    once, until no weight changes by more than ``tol`` in a step.
    """
    xp = namespace(embeddings, seen)
    S, targets = xp.astype(seen, xp.float64), xp.astype(embeddings, xp.float64)
    gram, cross = S @ S.T, targets @ S.T
    step = 1.0 / (float(xp.max(xp.linalg.eigvalsh(gram))) + penalty)
    mixture = xp.zeros_like(cross) + 1.0 / S.shape[0]
    ahead, pace = mixture, xp.ones_like(cross[:, :1])
    for _ in range(max_iter):
        slope = ahead @ gram + penalty * ahead - cross
        moved = _onto_simplex(ahead - step * slope)
        change = moved - mixture
        # Momentum that points uphill is dropped, for each embedding on its own.
        uphill = xp.sum((ahead - moved) * change, axis=1, keepdims=True) > 0
        pace = xp.where(uphill, xp.ones_like(pace), pace)
        faster = 0.5 * (1.0 + xp.sqrt(1.0 + 4.0 * pace * pace))
        ahead = moved + ((pace - 1.0) / faster) * change
        mixture, pace = moved, faster
        if largest_size(change) <= tol:
            break
    return xp.astype(mixture, embeddings.dtype)


def _onto_simplex(points):
    """Nearest point of the simplex to each row."""
    xp = namespace(points)
    largest = xp.sort(points, axis=1, descending=True)
    count = xp.cumulative_sum(xp.ones_like(points[:1, :]), axis=1)
    excess = (xp.cumulative_sum(largest, axis=1) - 1.0) / count
    return xp.clip(points - xp.max(excess, axis=1, keepdims=True), min=0.0)


def _meet(X, templates):
    """How samples meet templates, (k, n, p), and where the template counts, as 0 or 1."""
    xp = namespace(X, templates)
    above = xp.clip(X[None, :, :] - templates[:, None, :], min=0.0)
    return above, xp.astype(above > 0, X.dtype)


def _weighed(met, weights):
    """Inner products with the weights, (n, k)."""
    xp = namespace(met)
    k, n, p = met.shape
    return xp.reshape(xp.reshape(met, (-1, p)) @ weights, (k, n)).T


def seen_scores(weights, templates, X):
    r"""Scores :math:`\pi(x)` of each sample for the seen classes, (n, k)."""
    width = WORK * math.prod(templates.shape)
    return in_blocks(lambda x: _weighed(_meet(x, templates)[0], weights), X, width)


def margin_objective(parameters, X, codes, mixtures, margins, regularization):
    r"""Penalised max-margin loss over the seen classes, and its gradients by w (p,) and V (k, p).

    .. math:: \frac{1}{n} \sum_i \sum_{c \ne y_i}
              \max\{0, \Delta_{y_i c} + \langle \pi(x_i), z_c - z_{y_i} \rangle\}
              + \frac{\lambda}{2} (\|w\|^2 + \|V\|_F^2)

    ``mixtures`` has :math:`z_c` of each seen class in rows, ``margins`` is :math:`\Delta`.
    """
    xp = namespace(X, mixtures)
    weights, templates = parameters
    (k, p), n = templates.shape, X.shape[0]
    value = 0.5 * regularization * float(xp.sum(weights * weights) + xp.sum(templates * templates))
    slope, slopes = regularization * weights, regularization * templates
    for rows in row_blocks(n, WORK * k * p):
        met, inside = _meet(X[rows, :], templates)
        own = one_hot(codes[rows], k, X.dtype)
        scores = _weighed(met, weights) @ mixtures.T
        reach = own @ margins + scores - xp.sum(scores * own, axis=1, keepdims=True)
        active = xp.astype(reach > 0, X.dtype) * (1.0 - own)
        value += float(xp.sum(active * reach)) / n
        # The derivative by each score for a seen class, (k, n).
        pull = (((active - xp.sum(active, axis=1, keepdims=True) * own) @ mixtures) / n).T
        slope = slope + xp.reshape(pull, (-1,)) @ xp.reshape(met, (-1, p))
        counted = (pull[:, None, :] @ inside)[:, 0, :]
        slopes = slopes - weights[None, :] * counted
    return value, (slope, slopes)
