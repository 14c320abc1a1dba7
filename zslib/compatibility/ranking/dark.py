"""DARK: dual-view ranking with hardness assessment (Guo et al. 2019)."""

import math
from dataclasses import KW_ONLY, dataclass
from itertools import chain, count, islice
from typing import Annotated, Literal

import numpy as np
from array_api_compat import device as array_device

from zslib.arrays import namespace, random_generator, take_rows, typed_as, typed_like, unit_rows
from zslib.compatibility.parameters import NotNegative, Positive, RandomState
from zslib.compatibility.ranking.dark_objective import (
    assess,
    compatibility,
    cosine_gradients,
    dual_loss,
    gradient_u,
    gradient_v,
    image_scores,
    label_scores,
    prototypes,
    pulls,
)
from zslib.compatibility.ranking.training import StagedModel
from zslib.optim import SGD, minibatches


@dataclass(repr=False, eq=False)
class DARK(StagedModel):
    r"""Dual-view ranking with hardness assessment (Guo et al. 2019, Eqs. 3 to 11, Algorithm 1).

    :math:`F(x, s) = xU (sV)'`. Images rank labels, and labels rank classes of images by the
    weighted mean score of their members (Eqs. 5 and 6). In both views a triplet with
    :math:`R = \epsilon + F(\text{rival}) - F(\text{own})` has the margin
    :math:`\epsilon = m \log(1 + e^{F(\text{own})})` (Eq. 3) and the weight
    :math:`\Delta = (1 + e^{-R})^{-1}` (Eq. 8), and (Eq. 9)

    .. math:: L = \frac{1}{n} \sum_i \sum_{y \ne y_i} \Delta_{iy} R_{iy}
              + \frac{1}{k} \sum_c \sum_{\hat c \ne c} \Delta_{c \hat c} R_{c \hat c}
              + \lambda (\|U\|_F^2 + \|V\|_F^2)

    is minimised by gradient steps in U, then in V, with margins and weights held fixed (Algorithm
    1). Those are computed from the U and V of every ``refresh_every``-th step. A step takes the
    image view of a minibatch and the whole label view, in which one vector per class stands for
    the class's images.

    Such a step follows the derivative for fixed margins and weights, not that of the recorded
    objective (``gradient="objective"``), whose margins and weights belong to the same U and V.
    The objective therefore falls at first and may rise later, for two reasons: margins grow with
    the scores, and R times its weight is smallest at R = -1.28, while a step with fixed weights
    goes on pushing R down beyond that. The sums over rivals
    make steps longer with more classes: from about a hundred on, the printed ``refresh_every`` of
    ten can let scores run away. Then 1 helps, or a smaller ``init_scale``.

    ``label_view=False`` is the paper's DARK-L, ``hardness=False`` its DARK-H. Memory: the (n, k)
    scores, and nothing quadratic in samples or features. The functions are in
    `zslib.compatibility.ranking.dark_objective`.

    Parameters
    ----------
    rank : int, default 64
        r, columns of U and V.
    margin : float, keyword only, default 0.5
        m of Eq. 3, between 0 and 1, both excluded.
    regularization : float, keyword only, default 0.01
        :math:`\lambda`.
    data_weight : float, keyword only, default 1.0
        What both views are multiplied by, beside the penalty. A part left out changes the size of
        the data's gradient; a weight makes up for it, 2 for the label view, which is half of it.
    learning_rate : float, keyword only, default 0.01
        :math:`\tau` of the first steps.
    drop_at : int or None, keyword only, default 150
        Iteration before which the learning rate falls to a tenth, counted from 0; None: never.
    n_iter : int, keyword only, default 200
    iteration : {"pass", "step"}, keyword only, default "pass"
        What an iteration is: a passage over all images, batch after batch, or the step of one
        batch. The paper's text says the latter; a passage comes nearer to its results.
    batch_size : int, keyword only, default 512
        b, images in a step. Each passage over the images is in a fresh random order.
    refresh_every : int, keyword only, default 10
        Steps for which margins and weights stay those of the same U and V.
    objective_every : int or None, keyword only, default 10
        Iterations between two evaluations of the objective; None: only after the last one.
    label_view : bool, keyword only, default True
        Whether labels rank images as well.
    hardness : bool, keyword only, default True
        Whether weights are the sigmoid of Eq. 8, or else 1 where R > 0 and 0 elsewhere.
    gradient : {"fixed", "margin", "objective"}, keyword only, default "fixed"
        What a step follows. "fixed": neither margins nor weights, as the paper does; scores and
        margins may then lengthen each other until the penalty stops them. "margin": margins as
        functions of the own scores, which keeps scores small. "objective": weights too, so that
        steps descend the recorded objective. Which is best differs by data; the `grid` has all.
    normalize : bool, keyword only, default True
        Whether features and class embeddings are scaled to length one, in ``fit`` and in
        scoring, as the paper does.
    scale : float or None, keyword only, default None
        None: F is the product, as printed. A number: that times the cosine of xU and sV.
    init_scale : float, keyword only, default 1.0
        Standard deviation of the normal entries that U and V start from. The paper says
        "randomly".
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start and of the minibatches.

    Attributes
    ----------
    U_ : array, shape (p, r)
    V_ : array, shape (q, r)
        With the library and type of ``X``.
    objective_ : list of float
        Eq. 9 over all training images, with the margins and weights of the same U and V.
    objective_steps_ : list of int
        Steps made when each value was taken.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    Four classes are the signs of two attributes; the last is never seen in training.

    >>> import numpy as np
    >>> S = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=200)
    >>> X = S[y] + 0.1 * rng.standard_normal((200, 2))
    >>> seen = y < 3
    >>> model = DARK(8, random_state=0).fit(X[seen], y[seen], S)
    >>> model.objective_[-1] < model.objective_[0]
    True
    >>> round(model.score(X[seen], y[seen], S[:3]), 6)
    1.0
    """

    # What is not printed: the size of the start, and what gradients follow; and a data gradient
    # twice as large, for the printed step and penalty come with other features.
    grid = {"gradient": ("fixed", "margin", "objective"), "data_weight": (1.0, 2.0)}
    year = 2019
    family = "bilinear, ranking"
    look = (0, "o", "-")

    rank: int = 64
    _: KW_ONLY
    margin: Annotated[float, "> 0", "< 1"] = 0.5
    regularization: NotNegative = 0.01
    data_weight: Positive = 1.0
    learning_rate: Positive = 0.01
    drop_at: Annotated[int, ">= 0"] | None = 150
    n_iter: int = 200
    iteration: Literal["pass", "step"] = "pass"
    batch_size: int = 512
    refresh_every: int = 10
    objective_every: int | None = 10
    label_view: bool = True
    hardness: bool = True
    gradient: Literal["fixed", "margin", "objective"] = "fixed"
    normalize: bool = True
    scale: Positive | None = None
    init_scale: Positive = 1.0
    random_state: RandomState = None

    def _fit(self, X, codes, embeddings, keep):
        rng = random_generator(self.random_state)
        X, embeddings = self._rows(X, embeddings)
        means = prototypes(X, codes, embeddings.shape[0]) if self.label_view else None
        U, V = (
            typed_like(self.init_scale * rng.standard_normal((rows.shape[1], self.rank)), rows)
            for rows in (X, embeddings)
        )
        with np.errstate(over="ignore", invalid="ignore"):
            self._descend(U, V, X, codes, embeddings, means, rng, keep)
        self.U_, self.V_ = U, V

    def _descend(self, U, V, X, codes, S, means, rng, keep):
        """Lines 3 to 9 of Algorithm 1; changes U and V in place."""
        xp = namespace(X)
        self.objective_, self.objective_steps_ = [], []
        optimiser = SGD(self.learning_rate)
        passes = (minibatches(X.shape[0], self.batch_size, rng) for _ in count())
        length = math.ceil(X.shape[0] / self.batch_size) if self.iteration == "pass" else 1
        n_steps = self.n_iter * length
        for step, batch in enumerate(islice(chain.from_iterable(passes), n_steps)):
            if step % length == 0:
                keep(step // length, lambda _: {"U_": U, "V_": V})
            if self.objective_every is not None and step % (self.objective_every * length) == 0:
                self._record(step, U, V, X, codes, S, means)
            if self.drop_at is not None and step == self.drop_at * length:
                optimiser.learning_rate *= 0.1
            if step % self.refresh_every == 0:
                # Margins and weights are theirs until the next time, whichever images come.
                U_then, labels_then = xp.asarray(U, copy=True), S @ V
                labels = [(means, pulls(v).T) for v in self._label_view(U, V, S, means)]
                pulled = sum(Z.T @ P for Z, P in labels)
            x = take_rows(X, batch)
            scores = compatibility(x @ U_then, labels_then, self.scale)
            view = self._assess(scores, take_rows(codes, batch))
            self._step(optimiser, U, V, S, (labels, pulled), (x, pulls(view)))
        keep(self.n_iter, lambda _: {"U_": U, "V_": V})
        self._record(n_steps, U, V, X, codes, S, means)

    def _step(self, optimiser, U, V, S, of_labels, of_images):
        """A step in U, then one in V, for what the pulls of both hold fixed (lines 7, 8)."""
        (labels, pulled), (x, P) = of_labels, of_images
        if self.scale is None:
            G = self.data_weight * (pulled + x.T @ P)
            optimiser.step(U, gradient_u(U, V, S, G, self.regularization))
            optimiser.step(V, gradient_v(U, V, S, G, self.regularization))
            return
        parts, unit = [*labels, of_images], self.data_weight * self.scale
        for i, W in enumerate((U, V)):
            slope = cosine_gradients(U, V, S, parts, unit)[i]
            optimiser.step(W, slope + 2.0 * self.regularization * W)

    def _assess(self, scores, own):
        return assess(scores, own, margin=self.margin, soft=self.hardness, gradient=self.gradient)

    def _label_view(self, U, V, S, means):
        """The label view in a list, which is empty without it."""
        if not self.label_view:
            return []
        own = namespace(S).arange(S.shape[0], device=array_device(S))
        return [self._assess(label_scores(U, V, means, S, self.scale), own)]

    def _record(self, step, U, V, X, codes, S, means):
        """Eq. 9 over all training images, with margins and weights of these U and V."""
        images = self._assess(image_scores(U, V, X, S, self.scale), codes)
        views = [images, *self._label_view(U, V, S, means)]
        w = self.data_weight
        self.objective_.append(w * dual_loss(U, V, views, self.regularization / w))
        self.objective_steps_.append(step)
        if not math.isfinite(self.objective_[-1]):
            names = ["learning_rate", "refresh_every"][: 1 + (self.refresh_every > 1)]
            large = " or ".join(f"{name}={getattr(self, name)}" for name in names)
            raise ValueError(
                f"training diverged before step {step}: the objective is {self.objective_[-1]}; "
                f"with {S.shape[0]} classes {large} is too large: lower it"
            )

    def _scores(self, X, class_embeddings):
        U, V = typed_as(X, self.U_, self.V_)
        return image_scores(U, V, *self._rows(X, class_embeddings), self.scale)

    def _rows(self, X, class_embeddings):
        if not self.normalize:
            return X, class_embeddings
        return unit_rows(X, name="X"), unit_rows(class_embeddings, name="class_embeddings")
