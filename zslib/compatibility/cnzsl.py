"""CNZSL, class normalisation (Skorokhodov & Elhoseiny 2021): a network from classes to images."""

import math
from dataclasses import KW_ONLY, dataclass

from zslib.arrays import namespace, random_generator, row_norms, take_rows
from zslib.compatibility.base import cosines, directions, lengthened, through_directions
from zslib.compatibility.epochs import EpochModel, train_epochs
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.nn import BatchNorm, Descent, Linear, ReLU, Sequential, softmax_cross_entropy
from zslib.optim import Adam


@dataclass(repr=False, eq=False)
class CNZSL(EpochModel):
    r"""Class normalisation (Skorokhodov & Elhoseiny 2021, section 3).

    A network with two hidden layers maps each class embedding to a prototype among images,

    .. math:: g(s) = W_3\, N(\max(0, N(W_2 \max(0, W_1 s)))), \qquad
              F(x, s) = \gamma^2 \cos(x, g(s)),

    where embeddings come in with length :math:`\sqrt q` and biases are not written. Class
    normalisation is N, which brings each hidden unit to mean 0 and variance 1 *over the seen
    classes* (Eq. 9; running averages of it stand for them afterwards), and a start of
    :math:`W_3` with variance 1 / (h p) (Eq. 10). F is trained by softmax cross-entropy over the
    seen classes, by Adam with an L2 penalty, whose rate falls to a tenth halfway.

    Departures: the authors' images are outputs of a rectifier, and so are their prototypes; ours
    need not be. Their notebook divides by the variance, where the paper has the deviation. They
    have 1024 hidden units, a rate of 5e-4, and 50 passes in batches of 256, and multiply the
    scores of seen classes by 0.95 (not on CUB); calibrated stacking acts on ours instead. Lengths
    of images count nowhere.

    Parameters
    ----------
    n_hidden : int, default 512
        h.
    scale : float, keyword only, default 4.0
        :math:`\gamma`, above 0; the paper's is 5.
    learning_rate : float, keyword only, default 3e-3
        Of Adam, above 0.
    regularization : float, keyword only, default 1e-4
        Weight of half the sum of squared parameters, at least 0.
    n_epochs : int, keyword only, default 10
        Passes over the images.
    batch_size : int, keyword only, default 64
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start and of the order of the images, drawn on the host.

    Attributes
    ----------
    network_ : zslib.nn.Sequential
        g.
    learning_curve_ : list of float
        Mean cross-entropy of each epoch, over the batches as they were met.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.3]])
    >>> model = CNZSL(32, n_epochs=300, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    """

    # Trained as a softmax over classes.
    _scores_are_logits = True
    _units_matter = ()

    grid = {"scale": (3.0, 4.0, 5.0), "n_epochs": (5, 10)}
    slow = True
    year = 2021
    family = "network on classes"
    look = (2, "P", ":")
    compares = "scaled cosine"

    n_hidden: int = 512
    _: KW_ONLY
    scale: Positive = 4.0
    learning_rate: Positive = 3e-3
    regularization: NotNegative = 1e-4

    def _fit(self, X, codes, embeddings):
        scale, rate = float(self.scale), float(self.learning_rate)
        rng = random_generator(self.random_state)
        n, p = X.shape
        network = self._network(embeddings, p, rng)
        # Units are brought to mean 0 and variance 1, and not moved from there.
        learned = {k: v for k, v in network.parameters().items() if not k.startswith("norm")}
        descent = Descent(learned, lambda: Adam(rate))
        images, inputs = directions(X), lengthened(embeddings)

        def step(batch, epoch):
            prototypes = network.forward(inputs, train=True)
            x, own = take_rows(images, batch), take_rows(codes, batch)
            value, by_prototypes = scaled_cosine_objective(prototypes, x, own, scale)
            network.backward(by_prototypes)
            descent.step(rate if 2 * epoch < self.n_epochs else 0.1 * rate)
            return value

        self.learning_curve_ = train_epochs(self, step, n, rng, "lower learning_rate")
        self.network_ = network

    def _network(self, embeddings, p, rng):
        q, h = embeddings.shape[1], self.n_hidden
        shared = {"penalty": 0.5 * float(self.regularization), "like": embeddings}
        return Sequential(
            first=Linear(q, h, rng, **shared),
            relu1=ReLU(),
            second=Linear(h, h, rng, **shared),
            norm1=BatchNorm(h, like=embeddings),
            relu2=ReLU(),
            norm2=BatchNorm(h, like=embeddings),
            last=Linear(h, p, rng, init="normal", scale=1.0 / math.sqrt(h * p), **shared),
        )

    def prototypes(self, class_embeddings):
        """Where classes lie among images, (C', p): g(s), of any length.

        They have the type of the ``X`` given to ``fit``.
        """
        return self._prototypes(self._checked_classes(class_embeddings))

    def _prototypes(self, class_embeddings):
        return self.network_.forward(lengthened(class_embeddings))

    def _scores(self, X, class_embeddings):
        return self.scale**2 * cosines(X, self._prototypes(class_embeddings))


def scaled_cosine_objective(prototypes, images, codes, scale):
    r"""Mean cross-entropy of softmax over :math:`\gamma^2 \cos(x, p_c)`, and its gradient by p.

    ``images`` (n, p) have length one. A prototype of length zero scores zero and stays.
    """
    xp = namespace(prototypes)
    lengths = row_norms(prototypes)[:, None]
    zero = xp.astype(lengths == 0, lengths.dtype)
    units = prototypes / (lengths + zero)
    loss, by_scores = softmax_cross_entropy(scale**2 * (images @ units.T), codes)
    by_units = scale**2 * (by_scores.T @ images)
    return float(loss), (1.0 - zero) * through_directions(by_units, units, lengths + zero)
