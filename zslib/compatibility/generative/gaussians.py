r"""Gaussians :math:`N(\mu, \mathrm{diag}\, e^\ell)`, one in each row, for autoencoders."""

from zslib.arrays import namespace, typed_like
from zslib.nn import Layer, Linear, ReLU, Sequential


class GaussianEncoder(Layer):
    r"""A hidden layer of rectifiers, and from it :math:`\mu` and :math:`\ell`, side by side.

    Weights start as Glorot says, times ``scale``.
    """

    def __init__(self, n_in, n_hidden, n_latent, rng, *, scale=1.0, like=None):
        how = {"scale": scale, "like": like}
        self.body = Sequential(hidden=Linear(n_in, n_hidden, rng, **how), relu=ReLU())
        self.mean = Linear(n_hidden, n_latent, rng, **how)
        self.log_variance = Linear(n_hidden, n_latent, rng, **how)

    def forward(self, x, mask=None, *, train=False):
        """:math:`\\mu` and :math:`\\ell`, each (n, d)."""
        hidden = self.body.forward(x, train=train)
        heads = self.mean, self.log_variance
        return tuple(head.forward(hidden, train=train) for head in heads)

    def backward(self, gradient):
        """The gradient by x, for the pair of those by :math:`\\mu` and :math:`\\ell`."""
        by_mean, by_log = gradient
        return self.body.backward(self.mean.backward(by_mean) + self.log_variance.backward(by_log))


def draw(mean, log_variance, rng):
    r"""A point of each Gaussian, and the noise in it, its distance from the mean.

    :math:`\mu + e^\ell \epsilon` with one number :math:`\epsilon` for each row. The noise is also
    the derivative of the point by :math:`\ell`.
    """
    drawn = rng.standard_normal((mean.shape[0], 1))
    offset = namespace(mean).exp(log_variance) * typed_like(drawn, mean)
    return mean + offset, offset


def divergences(mean, log_variance):
    r"""Divergence of each Gaussian from N(0, I), (n,), and its gradients by both, (n, d).

    .. math:: \tfrac12 \sum_j (\mu_j^2 + e^{\ell_j} - 1 - \ell_j)
    """
    xp = namespace(mean)
    variance = xp.exp(log_variance)
    values = 0.5 * xp.sum(mean * mean + variance - 1.0 - log_variance, axis=1)
    return values, (mean, 0.5 * (variance - 1.0))


def distances(one, other):
    r"""2-Wasserstein distance of each two Gaussians, (n,), and its gradients by all four arrays.

    .. math:: \sqrt{\|\mu_1 - \mu_2\|^2 + \|e^{\ell_1 / 2} - e^{\ell_2 / 2}\|^2}

    ``one`` and ``other`` are pairs of :math:`\mu` and :math:`\ell`, and so are the gradients by
    them; at distance 0 these are 0.
    """
    xp = namespace(one[0])
    apart = one[0] - other[0]
    deviations = xp.exp(0.5 * one[1]), xp.exp(0.5 * other[1])
    wider = deviations[0] - deviations[1]
    values = xp.sqrt(xp.sum(apart * apart + wider * wider, axis=1))
    lengths = values[:, None] + xp.astype(values == 0, values.dtype)[:, None]
    apart, wider = apart / lengths, 0.5 * wider / lengths
    return values, ((apart, wider * deviations[0]), (-apart, -wider * deviations[1]))
