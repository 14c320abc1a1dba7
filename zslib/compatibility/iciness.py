"""ICINESS (Guo et al. 2018): a network scores pairs of an image and a class; our reading of it."""

from dataclasses import KW_ONLY, dataclass
from itertools import count
from typing import Annotated

import numpy as np

from zslib.arrays import like, namespace, random_generator, take_rows, to_host
from zslib.compatibility.base import lengthened
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.nn import Descent, Sequential, dense_layers, softmax_cross_entropy
from zslib.optim import Adam


@dataclass(repr=False, eq=False)
class ICINESS(EpochModel):
    r"""Implicit non-linear similarity scoring (Guo et al. 2018), **our reading**.

    The paper fuses image and class features in the hidden layers of a network, which gives their
    similarity. Its text and code were not at hand: layers, loss and training are ours. With one
    hidden layer of rectifiers

    .. math:: F(x, s) = \max\Bigl(0,\; \sqrt p\, \frac{x}{\|x\|} V_x
              + \sqrt q\, \frac{s}{\|s\|} V_s + b\Bigr)\, w + c,

    and further layers may follow. F is trained by softmax cross-entropy over the classes of the
    batch and others that are drawn anew at each step, by Adam with an L2 penalty, whose rate
    falls linearly to 0. Without the rectifier F would be a sum of two terms, of the image and of
    the class, and every image would get the same class.

    Parameters
    ----------
    n_hidden : sequence of int, default (512,)
        Hidden units, layer by layer.
    n_rivals : int, keyword only, default 50
        Classes that compete in a step: those of its images, and others up to this number.
    learning_rate : float, keyword only, default 3e-3
        Of Adam at the first step, above 0.
    regularization : float, keyword only, default 0.01
        Weight of half the sum of squared parameters, at least 0.
    n_epochs : int, keyword only, default 10
        Passes over the images.
    batch_size : int, keyword only, default 64
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, of the order of the images and of rivals, drawn on the host.

    Attributes
    ----------
    network_ : zslib.nn.Sequential
        F, of the scaled image and the scaled embedding side by side.
    learning_curve_ : list of float
        Mean cross-entropy of each epoch, over the batches as they were met.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.3]])
    >>> model = ICINESS((32,), n_epochs=300, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    """

    # Trained as a softmax over classes.
    _scores_are_logits = True

    grid = {"regularization": (3e-3, 1e-2, 3e-2)}
    slow = True
    year = 2018
    family = "network on classes"
    look = (1, "^", "--")

    n_hidden: tuple[int, ...] = (512,)
    _: KW_ONLY
    n_rivals: Annotated[int, ">= 2"] = 50
    learning_rate: Positive = 3e-3
    regularization: NotNegative = 0.01

    def _fit(self, X, codes, embeddings):
        rng, rate = random_generator(self.random_state), float(self.learning_rate)
        sizes = [X.shape[1] + embeddings.shape[1], *self.n_hidden, 1]
        self.network_ = dense_layers(sizes, rng, penalty=0.5 * float(self.regularization), like=X)
        pairs = PairScore(self.network_)
        descent = Descent(self.network_.parameters(), lambda: Adam(rate))
        images, classes, labels = lengthened(X), lengthened(embeddings), to_host(codes)
        n = X.shape[0]
        n_steps, steps = self.n_epochs * -(-n // self.batch_size), count()

        def step(batch, _):
            competing, own = self._rivals(labels[batch], embeddings.shape[0], rng)
            shown = take_rows(images, batch), take_rows(classes, competing)
            scores = pairs.forward(*shown, train=True)
            value, gradient = softmax_cross_entropy(scores, like(own, X))
            pairs.backward(gradient)
            descent.step(rate * (1.0 - next(steps) / n_steps))
            return float(value)

        self.learning_curve_ = train_epochs(self, step, n, rng, "lower learning_rate")

    def _rivals(self, labels, k, rng):
        """Classes that compete in a step, and the places of these labels among them."""
        competing, own = np.unique(labels, return_inverse=True)
        others = rng.permutation(np.setdiff1d(np.arange(k), competing))
        others = others[: max(0, self.n_rivals - competing.size)]
        return np.concatenate([competing, others]), own

    def _scores(self, X, class_embeddings):
        xp, pairs = namespace(X), PairScore(self.network_)
        images, classes = lengthened(X), lengthened(class_embeddings)
        width = class_embeddings.shape[0] * max(self.n_hidden)
        scores = in_blocks(lambda some: pairs.forward(some, classes), images, width)
        return xp.astype(scores, X.dtype, copy=False)


class PairScore:
    """A network of two vectors side by side, its first layer `Linear`, for all pairs of them.

    What that layer makes of a pair is a sum of what it makes of either, computed once.
    """

    def __init__(self, network):
        layers = dict(network.layers)
        self._first = layers.pop(next(iter(layers)))
        self._rest = Sequential(**layers)

    def forward(self, images, classes, *, train=False):
        """Scores (n, k) of ``images`` (n, p) with ``classes`` (k, q)."""
        xp = namespace(images, classes)
        (n, p), k = images.shape, classes.shape[0]
        weight, bias = self._first.weight.value, self._first.bias.value
        by_class = classes @ weight[p:, :] + bias
        hidden = (images @ weight[:p, :])[:, None, :] + by_class[None, :, :]
        out = self._rest.forward(xp.reshape(hidden, (n * k, -1)), train=train)
        if train:
            self._saved = images, classes
        return xp.reshape(out, (n, k))

    def backward(self, gradient):
        """Add to the parameters' gradients, from that of the last scores in training."""
        images, classes = self._saved
        xp, (n, k) = namespace(gradient), gradient.shape
        by_hidden = self._rest.backward(xp.reshape(gradient, (n * k, 1)))
        by_hidden = xp.reshape(by_hidden, (n, k, -1))
        by_image, by_class = xp.sum(by_hidden, axis=1), xp.sum(by_hidden, axis=0)
        self._first.weight.add(xp.concat([images.T @ by_image, classes.T @ by_class], axis=0))
        self._first.bias.add(xp.sum(by_class, axis=0))
