"""CADA-VAE (Schönfeld et al. 2019): images and class vectors in the latent space of two VAEs."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from zslib.arrays import namespace, take_rows
from zslib.compatibility.generative.base import GenerativeModel, repeated
from zslib.compatibility.generative.gaussians import GaussianEncoder, distances, divergences, draw
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.nn import Descent, Layer, dense_layers
from zslib.optim import Adam
from zslib.validation import check_learned

# Starts and ends of the ramps of the authors' code, as shares of training.
RAMPS = {"divergence": (0.0, 0.93), "cross": (0.21, 0.75), "distance": (0.06, 0.22)}


@dataclass(repr=False, eq=False)
class CADAVAE(GenerativeModel):
    r"""Variational autoencoders of images and of class vectors, aligned (Schönfeld et al. 2019).

    Both have the same latent space. With :math:`q(z|x) = N(\mu_x, \mathrm{diag}\, e^{\ell_x})`, a
    draw :math:`z_x` of it, the same for the vector a of the image's class, and decoders
    :math:`D_x, D_a`, training minimises the mean of (section 3)

    .. math::

        & \|x - D_x(z_x)\|_1 + \|a - D_a(z_a)\|_1
          + \beta\, \bigl( KL(q(z|x)) + KL(q(z|a)) \bigr) \\
        & + \gamma\, \bigl( \|x - D_x(z_a)\|_1 + \|a - D_a(z_x)\|_1 \bigr)
          + \delta\, W_2(q(z|x), q(z|a)).

    The weights rise linearly from 0: :math:`\beta` until 93% of the training,
    :math:`\gamma` between 21% and 75%, :math:`\delta` between 6% and 22%. A softmax regression
    then recognises latent points: of seen classes, draws for their images; of the others, draws
    for their class vectors; of an image to be recognised, :math:`\mu_x`. See `GenerativeModel` for
    what its scores depend on.

    As in the authors' code, a draw is :math:`\mu + e^\ell \epsilon` with one number
    :math:`\epsilon` for all dimensions, instead of :math:`\mu + e^{\ell/2} \epsilon` with one for
    each, while :math:`e^\ell` stays the variance elsewhere. The ramps were tuned with it.

    The paper's decoders and encoders are wider and see 2048 features; here the sizes are for
    minutes on one processor. Latent points are divided by the deviation of the training images'
    means, and the classifier is fitted to its minimum; the authors train it by Adam and stop at a
    number of epochs for each data set.

    E. Schönfeld, S. Ebrahimi, S. Sinha, T. Darrell, Z. Akata: Generalized zero- and few-shot
    learning via aligned variational autoencoders. CVPR 2019.

    Parameters
    ----------
    n_latent : int, default 64
        Latent dimensions.
    n_hidden : four int, keyword only, default (512, 512, 256, 256)
        Hidden units of image encoder and decoder, and of class encoder and decoder; the authors'
        are (1560, 1660, 1450, 665).
    divergence_weight, cross_weight, distance_weight : float, keyword only
        Ends of the ramps of :math:`\beta, \gamma, \delta`; by default the authors' 0.25, 2.37
        and 8.13.
    learning_rate : float, keyword only, default 6e-4
        Of Adam with AMSGrad, above 0. The authors have 1.5e-4 and five times as many steps.
    n_steps : int, keyword only, default 3000
    batch_size : int, keyword only, default 50
    n_seen, n_generated : int, keyword only, default 50 and 100
        Latent points of each seen and of each other class that the classifier learns from. The
        authors have 200 and 400: the same, in a quarter of the time.
    classifier_penalty : float, keyword only, default 0.03
        Of the classifier, see `GenerativeModel`.
    feature_length : float, keyword only, default 8.0
        Root mean square length that features are brought to. At 1 the latent space of our
        features collapses: nothing but the divergence is worth the noise.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the starts, the batches and all draws; drawn on the host.

    Attributes
    ----------
    learning_curve_ : list of float
        The objective under the weights of the time, means of a hundredth of the training each.
    scale_, seen_images_, seen_codes_, seen_embeddings_ : see `GenerativeModel`
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]])
    >>> model = CADAVAE(4, n_hidden=(20, 20, 20, 20), n_steps=500, random_state=0)
    >>> model.fit(X, np.array([0, 1, 0, 1]), S).predict(np.array([[3.0, 0.0], [0.0, 3.0]]), S[1:])
    array([1, 0])
    """

    grid = {"classifier_penalty": (0.01, 0.03, 0.1)}
    limits = {"classifier_penalty": (1e-3, 0.3)}
    year = 2019
    family = "generator"
    look = (3, "X", ":")

    n_latent: int = 64
    _: KW_ONLY
    n_hidden: tuple[int, ...] = (512, 512, 256, 256)
    divergence_weight: NotNegative = 0.25
    cross_weight: NotNegative = 2.37
    distance_weight: NotNegative = 8.13
    learning_rate: Positive = 6e-4
    n_seen: int = 50
    classifier_penalty: NotNegative = 0.03

    def _fit_generator(self, X, codes, embeddings, rng):
        xp = namespace(X)
        if len(self.n_hidden) != 4:
            raise ValueError(f"n_hidden must be four integers, got {self.n_hidden!r}")
        ends = {name: float(getattr(self, f"{name}_weight")) for name in RAMPS}
        n, size = X.shape[0], min(self.batch_size, X.shape[0])
        widths = X.shape[1], embeddings.shape[1]
        self._vaes = vaes = AlignedVAEs(widths, self.n_hidden, self.n_latent, rng, like=X)
        descent = Descent(vaes.parameters(), lambda: Adam(self.learning_rate, amsgrad=True))
        self.learning_curve_ = []
        for steps in np.array_split(np.arange(self.n_steps), min(100, self.n_steps)):
            values = []
            # An overflow is reported below, with its remedy.
            with np.errstate(over="ignore", invalid="ignore"):
                for share in (steps / self.n_steps).tolist():
                    weights = {name: end * ramp(share, *RAMPS[name]) for name, end in ends.items()}
                    batch = rng.choice(n, size, replace=False)
                    a = xp.take(embeddings, take_rows(codes, batch), axis=0)
                    values.append(vaes.step(take_rows(X, batch), a, rng, **weights))
                    descent.step()
                mean = float(xp.mean(xp.stack(values)))
            check_learned(mean, "lower learning_rate or feature_length, or scale class_embeddings")
            self.learning_curve_.append(mean)
        means, _ = vaes.image_encoder.forward(X)
        self._unit = float(xp.sqrt(xp.mean(xp.var(means, axis=0))))
        check_learned(1.0 / self._unit if self._unit else float("inf"), "raise feature_length")

    def _represent(self, X):
        return self._vaes.image_encoder.forward(X)[0] / self._unit

    def _represent_seen(self, X, codes, rng):
        classes = np.unique(codes)
        rows = [np.resize(np.flatnonzero(codes == c), self.n_seen) for c in classes]
        X = take_rows(X, np.concatenate(rows))
        return self._drawn(self._vaes.image_encoder, X, rng), np.repeat(classes, self.n_seen)

    def _generate(self, embeddings, per_class, rng):
        return self._drawn(self._vaes.class_encoder, repeated(embeddings, per_class), rng)

    def _drawn(self, encoder, rows, rng):
        return draw(*encoder.forward(rows), rng)[0] / self._unit


def ramp(share, start, end):
    """0 until ``start``, 1 from ``end`` on, and linear between."""
    return min(max((share - start) / (end - start), 0.0), 1.0)


class AlignedVAEs(Layer):
    """Encoders and decoders of both autoencoders, and one step's objective with its gradients."""

    def __init__(self, widths, n_hidden, n_latent, rng, *, like=None):
        how = {"scale": 0.5, "like": like}
        (p, q), (h1, h2, h3, h4) = widths, n_hidden
        self.image_encoder = GaussianEncoder(p, h1, n_latent, rng, **how)
        self.image_decoder = dense_layers((n_latent, h2, p), rng, **how)
        self.class_encoder = GaussianEncoder(q, h3, n_latent, rng, **how)
        self.class_decoder = dense_layers((n_latent, h4, q), rng, **how)

    def step(self, x, a, rng, *, divergence, cross, distance):
        """The objective of rows ``x`` and ``a``, shape (); its gradients are in the parameters."""
        xp, n = namespace(x), x.shape[0]
        images = self.image_encoder.forward(x, train=True)
        classes = self.class_encoder.forward(a, train=True)
        (z_x, off_x), (z_a, off_a) = draw(*images, rng), draw(*classes, rng)
        # Each decoder sees the latent points of its own side first, then of the other.
        shares = xp.concat([xp.ones_like(x[:, :1]), cross * xp.ones_like(x[:, :1])], axis=0) / n
        error_x = self.image_decoder.forward(xp.concat([z_x, z_a]), train=True) - xp.concat([x, x])
        error_a = self.class_decoder.forward(xp.concat([z_a, z_x]), train=True) - xp.concat([a, a])
        value = xp.sum(shares * xp.abs(error_x)) + xp.sum(shares * xp.abs(error_a))
        by_x = self.image_decoder.backward(shares * xp.sign(error_x))
        by_a = self.class_decoder.backward(shares * xp.sign(error_a))
        by_z_x, by_z_a = by_x[:n, :] + by_a[n:, :], by_a[:n, :] + by_x[n:, :]
        far, (far_images, far_classes) = distances(images, classes)
        value = value + distance * xp.mean(far)
        for encoder, gaussians, by, by_far in (
            (self.image_encoder, images, (by_z_x, by_z_x * off_x), far_images),
            (self.class_encoder, classes, (by_z_a, by_z_a * off_a), far_classes),
        ):
            differs, by_differs = divergences(*gaussians)
            value = value + divergence * xp.mean(differs)
            parts = zip(by, by_differs, by_far, strict=True)
            encoder.backward([b + (divergence / n) * d + (distance / n) * f for b, d, f in parts])
        return value
