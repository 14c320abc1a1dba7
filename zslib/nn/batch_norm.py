"""Batch normalisation over the tokens of a batch."""

import numpy as np

from zslib.arrays import namespace
from zslib.nn.layer import Layer, check_input, check_mask
from zslib.nn.parameter import Parameter
from zslib.validation import check_integer, check_real


class BatchNorm(Layer):
    r"""Each of d numbers brought to mean :math:`\beta` and deviation :math:`\gamma` in the batch.

    .. math:: y = \gamma \frac{x - m}{\sqrt{v + \epsilon}} + \beta

    (Ioffe and Szegedy 2015). In training m and v are mean and (biased) variance over the tokens
    of the batch; padded positions are not counted. Outside training they are running averages,
    :math:`m \leftarrow \rho\, m + (1 - \rho)\, m_{batch}`, which begin at 0 and 1.

    Parameters
    ----------
    dimension : int
        d.
    momentum : float, keyword only, default 0.9
        :math:`\rho`, from 0 to 1.
    epsilon : float, keyword only, default 1e-5
        :math:`\epsilon`, above 0.
    penalty : float, keyword only, default 0.0
        L2 weight of :math:`\gamma` and :math:`\beta`.
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Attributes
    ----------
    gamma, beta : Parameter, shape (d,)
        They begin at 1 and 0.
    running_mean, running_variance : arrays, shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> layer = BatchNorm(1)
    >>> layer.forward(np.array([[1], [3]], np.float32), train=True).round(3)
    array([[-1.],
           [ 1.]], dtype=float32)
    """

    def __init__(self, dimension, *, momentum=0.9, epsilon=1e-5, penalty=0.0, like=None):
        check_integer(dimension, "dimension", low=1)
        self.momentum = check_real(momentum, "momentum", low=0.0, high=1.0)
        self.epsilon = check_real(epsilon, "epsilon", low=0.0, inclusive=False)
        self.gamma = Parameter.from_host(np.ones(dimension), like=like, penalty=penalty)
        self.beta = Parameter.from_host(np.zeros(dimension), like=like, penalty=penalty)
        self.running_mean = self.beta.value + 0.0
        self.running_variance = self.gamma.value + 0.0

    def forward(self, x, mask=None, *, train=False):
        """Normalised ``x``, (n, T, d) or (n, d), of the same shape."""
        x = check_input(x, "(n, T, d) or (n, d)", self.gamma.value.shape[0])
        xp, mask = namespace(x, self.gamma.value), check_mask(x, mask)
        rows = xp.reshape(x, (-1, x.shape[-1]))
        valid = xp.ones_like(rows[:, 0])
        if mask is not None:
            valid = xp.astype(xp.reshape(mask, (-1,)), x.dtype)
        mean, variance = self.running_mean, self.running_variance
        if train:
            count = xp.sum(valid)
            if not bool(count > 0):
                raise ValueError("the batch has no token: mask is False everywhere")
            share = valid / count
            mean = share @ rows
        rows = rows - mean
        if train:
            variance = share @ (rows * rows)
            for running, now in ((self.running_mean, mean), (self.running_variance, variance)):
                running *= self.momentum
                running += (1.0 - self.momentum) * now
        scale = 1.0 / xp.sqrt(variance + self.epsilon)
        if train:
            self._saved = rows, scale, share, valid
        out = rows * (self.gamma.value * scale)
        out += self.beta.value
        out *= valid[:, None]
        return xp.reshape(out, x.shape)

    def backward(self, gradient):
        """Add to the gradients of gamma and beta; return the gradient by x."""
        rows, scale, share, valid = self._use_saved()
        xp = namespace(rows, gradient)
        by_out = xp.reshape(gradient, rows.shape) * valid[:, None]
        by_gamma = scale * xp.sum(by_out * rows, axis=0)
        by_beta = xp.sum(by_out, axis=0)
        self.gamma.add(by_gamma)
        self.beta.add(by_beta)
        # The last two terms: mean and variance depend on every token's x.
        by_x = rows * (scale * by_gamma)
        by_x += by_beta
        by_x *= -share[:, None]
        by_x += by_out
        by_x *= self.gamma.value * scale
        return xp.reshape(by_x, gradient.shape)

    def buffers(self):
        return {"running_mean": self.running_mean, "running_variance": self.running_variance}
