"""Fully connected layer."""

import math

import numpy as np

from zslib.arrays import namespace
from zslib.nn.layer import Layer, check_input
from zslib.nn.parameter import Parameter
from zslib.validation import check_choice, check_generator, check_integer, check_real


class Linear(Layer):
    r"""Row vectors through a matrix: :math:`y = x W + b`.

    Parameters
    ----------
    n_in, n_out : int
    rng : numpy.random.Generator
        Draws the start of W; that of b is 0.
    init : {"glorot", "normal"}, keyword only
        The start: by default uniform between :math:`\pm g \sqrt{6 / (n_{in} + n_{out})}` (Glorot
        and Bengio 2010), or normal with standard deviation g.
    scale : float, keyword only, default 1.0
        g, above 0.
    penalty : float, keyword only, default 0.0
        L2 weight of both parameters.
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Attributes
    ----------
    weight : Parameter, shape (n_in, n_out)
    bias : Parameter, shape (n_out,)

    Examples
    --------
    >>> import numpy as np
    >>> layer = Linear(2, 1, np.random.default_rng(0))
    >>> layer.weight.value[:] = [[2], [3]]
    >>> layer.forward(np.array([[1, 10]], np.float32))
    array([[32.]], dtype=float32)
    """

    def __init__(self, n_in, n_out, rng, *, init="glorot", scale=1.0, penalty=0.0, like=None):
        check_integer(n_in, "n_in", low=1)
        check_integer(n_out, "n_out", low=1)
        check_choice(init, "init", ("glorot", "normal"))
        check_real(scale, "scale", low=0.0, inclusive=False)
        check_generator(rng)
        if init == "normal":
            values = rng.normal(0.0, scale, (n_in, n_out))
        else:
            limit = scale * math.sqrt(6.0 / (n_in + n_out))
            values = rng.uniform(-limit, limit, (n_in, n_out))
        self.weight = Parameter.from_host(values, like=like, penalty=penalty)
        self.bias = Parameter.from_host(np.zeros(n_out), like=like, penalty=penalty)

    def forward(self, x, mask=None, *, train=False):
        """Vectors (n, n_out) of vectors ``x`` (n, n_in)."""
        x = check_input(x, "(n, d)", self.weight.value.shape[0])
        if train:
            self._saved = (x,)
        return x @ self.weight.value + self.bias.value

    def learn(self, gradient):
        """`backward` of a layer on features, whose own gradient is of no use."""
        (x,) = self._use_saved()
        self.weight.add(x.T @ gradient)
        self.bias.add(namespace(gradient).sum(gradient, axis=0))

    def backward(self, gradient):
        """Add to the parameters' gradients; return the gradient by x."""
        self.learn(gradient)
        return gradient @ self.weight.value.T
