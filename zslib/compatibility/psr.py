"""PSR (Annadani & Biswas 2018): class vectors placed among images, with their relations kept."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np

from zslib.arrays import add_rows, namespace, random_generator, take_rows, to_host, typed_like
from zslib.compatibility.base import cosines, directions, lengths_or_one, through_directions
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.nn import Descent, Sequential, dense_layers
from zslib.optim import Adam


@dataclass(repr=False, eq=False)
class PSR(EpochModel):
    r"""Preserving semantic relations (Annadani & Biswas 2018, section 3).

    An encoder f places class vectors among images, a decoder g leads back; each has one hidden
    layer of rectifiers. Two classes are related by :math:`\delta_{cr} = \cos(s_c, s_r)`: similar
    from a threshold :math:`\tau` on, dissimilar below. For an image x of class r, and images
    :math:`x_j` and :math:`x_k` of a similar and a dissimilar class,

    .. math::

        O_1 &= -\cos(f(s_r), x) + (\tau - \delta_{kr}) \cos(f(s_r), x_k), \\
        O_2 &= \max(0, \tau - \cos(f(s_r), x_j)) + \max(0, \cos(f(s_r), x_j) - \delta_{jr}), \\
        O_3 &= \|s_r - g(f(s_r))\|^2,

    and the mean of :math:`O_1 + \lambda_1 O_2 + \lambda_2 O_3` over the images is minimised. The
    score is :math:`F(x, s) = \cos(f(s), x)`: neighbours are sought among images, which keeps hubs
    away. The lengths of images count nowhere.

    The paper leaves open how the triplets are drawn, the sizes and the optimiser. Here, for each
    image anew, both classes are drawn evenly among the similar and the dissimilar seen ones, the
    images evenly in these; a class without such a class goes without the term. The optimiser is
    Adam, and :math:`\tau` is a quantile, since cosines of attributes are seldom small.

    Y. Annadani, S. Biswas: Preserving semantic relations for zero-shot learning. CVPR 2018.

    Parameters
    ----------
    n_hidden : int, default 256
        Hidden units of f and of g; 1024 take three times as long on CUB, for half a point.
    similar_quantile : float, keyword only, default 0.8
        :math:`\tau` is this quantile of the relations of two seen classes, in [0, 1].
    similar_weight : float, keyword only, default 0.1
        :math:`\lambda_1`, not negative.
    reconstruction_weight : float, keyword only, default 1.0
        :math:`\lambda_2`, not negative.
    learning_rate : float, keyword only, default 1e-3
        Of Adam, above 0.
    n_epochs : int, keyword only, default 10
        Passes over the images.
    batch_size : int, keyword only, default 64
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, of the order and of the triplets; drawn on the host.

    Attributes
    ----------
    threshold_ : float
        :math:`\tau`.
    learning_curve_ : list of float
        The objective in each epoch, over the batches as they were met.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]])
    >>> model = PSR(20, n_epochs=100, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[3.0, 0.0], [0.0, 3.0]]), S[1:])
    array([1, 0])
    """

    grid = {"similar_weight": (0.01, 0.1), "reconstruction_weight": (0.1, 1.0)}
    # Below a hundredth the term counts for nothing.
    limits = {"similar_weight": (0.01, 1.0), "reconstruction_weight": (0.01, 10.0)}
    year = 2018
    family = "network on classes"
    _units_matter = ("class_embeddings",)
    look = (5, "s", ":")
    compares = "cosine"

    n_hidden: int = 256
    _: KW_ONLY
    similar_quantile: Annotated[float, ">= 0", "<= 1"] = 0.8
    similar_weight: NotNegative = 0.1
    reconstruction_weight: NotNegative = 1.0
    learning_rate: Positive = 1e-3

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        near_weight, back_weight = float(self.similar_weight), float(self.reconstruction_weight)
        rng = random_generator(self.random_state)
        (n, p), h, q = X.shape, self.n_hidden, embeddings.shape[1]
        images, labels = directions(X), to_host(codes)
        relations = to_host(cosines(embeddings, embeddings))
        draw = Triplets(labels, relations, self.similar_quantile, rng)
        self.threshold_ = draw.threshold
        self._encoder, decoder = (
            dense_layers(sizes, rng, like=X) for sizes in ((q, h, p), (p, h, q))
        )
        both = Sequential(encoder=self._encoder, decoder=decoder)
        descent = Descent(both.parameters(), lambda: Adam(self.learning_rate))

        def step(batch, _):
            # The networks see each class of the batch once.
            classes, own = np.unique(labels[batch], return_inverse=True)
            share = typed_like((np.bincount(own) / len(batch))[:, None], X)
            near, far, *weights = draw(batch)
            relations, has_near, far_weights = (typed_like(array, X) for array in weights)
            placed = take_rows(embeddings, classes)
            places = self._encoder.forward(placed, train=True)
            triplets = [take_rows(images, rows) for rows in (batch, near, far)]
            how = draw.threshold, relations, near_weight * has_near, far_weights
            value, by_places = relation_objective(places, typed_like(own, codes), triplets, *how)
            error = decoder.forward(places, train=True) - placed
            value += back_weight * float(xp.sum(share * error * error))
            by_places += decoder.backward((2.0 * back_weight) * share * error)
            self._encoder.backward(by_places)
            descent.step()
            return value

        remedy = "lower learning_rate, or scale the class embeddings"
        self.learning_curve_ = train_epochs(self, step, n, rng, remedy)

    def _scores(self, X, class_embeddings):
        return cosines(X, self._encoder.forward(class_embeddings))


class Triplets:
    """Draws for images one of a similar and one of a dissimilar class.

    ``labels`` (n,) are the classes of the images, ``relations`` (k, k) those of the classes.
    Called with image numbers it gives the numbers of both images, the relation of the similar
    class, 1 where there is one and else 0, and the weight of the dissimilar one, 0 without.
    """

    def __init__(self, labels, relations, quantile, rng):
        other = ~np.eye(len(relations), dtype=bool)
        self.threshold = float(np.quantile(relations[other], quantile))
        similar = other & (relations >= self.threshold)
        self._labels, self._relations, self._rng = labels, relations, rng
        self._rows, self._sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
        self._starts = np.cumsum(self._sizes) - self._sizes
        # The classes of a kind come first in each row.
        self._near, self._far = (
            (np.argsort(~kind, axis=1, kind="stable"), kind.sum(axis=1))
            for kind in (similar, other & ~similar)
        )

    def __call__(self, batch):
        own = self._labels[batch]
        near, near_relations, has_near = self._draw(own, *self._near)
        far, far_relations, has_far = self._draw(own, *self._far)
        return near, far, near_relations, has_near, has_far * (self.threshold - far_relations)

    def _draw(self, own, classes, counts):
        first, second = self._rng.random((2, own.size))
        drawn = classes[own, (first * counts[own]).astype(np.int64)]
        rows = self._starts[drawn] + (second * self._sizes[drawn]).astype(np.int64)
        return self._rows[rows], self._relations[own, drawn], counts[own] > 0


def relation_objective(places, own, images, threshold, near_relations, near_weights, far_weights):
    r"""Mean of :math:`O_1 + \lambda_1 O_2` over triplets, and its gradient by ``places``.

    ``places`` (k, p) has f(s) of each class, ``own`` (b,) the class of each triplet, ``images``
    the own, the similar and the dissimilar images, each (b, p), of length one. The other arrays
    (b,) are :math:`\delta_{jr}`, :math:`\lambda_1` (0 where no class is similar) and
    :math:`\tau - \delta_{kr}` (0 where none is dissimilar).
    """
    xp = namespace(places)
    lengths = lengths_or_one(places)
    units = places / lengths
    here = xp.take(units, own, axis=0)
    to_own, to_near, to_far = (xp.sum(here * image, axis=1) for image in images)
    low, high = threshold - to_near, to_near - near_relations
    banded = near_weights * (xp.clip(low, min=0.0) + xp.clip(high, min=0.0))
    value = float(xp.mean(far_weights * to_far + banded - to_own))
    near = near_weights * (xp.astype(high > 0, high.dtype) - xp.astype(low > 0, low.dtype))
    pull = near[:, None] * images[1] + far_weights[:, None] * images[2] - images[0]
    by_units = add_rows(xp.zeros_like(places), own, pull / own.shape[0])
    return value, through_directions(by_units, units, lengths)
