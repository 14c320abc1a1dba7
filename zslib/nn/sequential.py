"""Layers one after the other, and the residual block."""

from zslib.nn.batch_norm import BatchNorm
from zslib.nn.conv1d import Conv1d
from zslib.nn.layer import Layer
from zslib.nn.relu import ReLU


class Sequential(Layer):
    """Layers in a row, each with a name.

    The mask goes to all layers up to the first that leaves vectors instead of sequences.

    Parameters
    ----------
    **layers : Layer
        In order. ``Sequential(first=…, second=…)`` calls the parameters ``"first.weight"`` and so
        on.

    Attributes
    ----------
    layers : dict of Layer

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.nn import Linear
    >>> rng = np.random.default_rng(0)
    >>> model = Sequential(hidden=Linear(3, 4, rng), relu=ReLU(), out=Linear(4, 1, rng))
    >>> list(model.parameters())
    ['hidden.weight', 'hidden.bias', 'out.weight', 'out.bias']
    >>> model.forward(np.ones((2, 3), np.float32)).shape
    (2, 1)
    """

    def __init__(self, **layers):
        for name, layer in layers.items():
            if not isinstance(layer, Layer):
                raise TypeError(f"{name} must be a layer, such as ReLU(), got {layer!r}")
        self.layers = layers

    def forward(self, x, mask=None, *, train=False):
        """Output of the last layer."""
        for layer in self.layers.values():
            x = layer.forward(x, mask, train=train)
            mask = layer.mask_after(mask) if x.ndim == 3 else None
        return x

    def backward(self, gradient):
        """Gradient by the input of the first layer."""
        for layer in reversed(self.layers.values()):
            gradient = layer.backward(gradient)
        return gradient

    def parts(self):
        return self.layers


class ResidualBlock(Layer):
    r"""Three convolutions with batch normalisation, and a way past them.

    .. math:: y = \mathrm{ReLU}\bigl(\mathrm{BN}(\mathrm{conv}_3(h_2)) + x W\bigr), \qquad
              h_k = \mathrm{ReLU}(\mathrm{BN}(\mathrm{conv}_k(h_{k-1}))), \quad h_0 = x.

    The shortcut x W is a convolution of width 1, normalised as well where that is asked for. The
    :math:`\beta` of the last normalisation serves both branches of the sum.

    Parameters
    ----------
    n_in, n_out : int
        Numbers per position, before and after.
    rng : numpy.random.Generator
    kernel_width : int, keyword only, default 3
        Of the three convolutions, odd.
    penalty : float, keyword only, default 0.0
        L2 weight of all parameters, :math:`\gamma` and :math:`\beta` included.
    norm_momentum, norm_epsilon : float, keyword only, default 0.9 and 1e-5
        See `BatchNorm`.
    normalise_shortcut : bool, keyword only, default False
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Examples
    --------
    >>> import numpy as np
    >>> block = ResidualBlock(3, 4, np.random.default_rng(0))
    >>> block.forward(np.ones((2, 5, 3), np.float32)).shape
    (2, 5, 4)
    """

    def __init__(
        self,
        n_in,
        n_out,
        rng,
        *,
        kernel_width=3,
        penalty=0.0,
        norm_momentum=0.9,
        norm_epsilon=1e-5,
        normalise_shortcut=False,
        like=None,
    ):
        shared = {"penalty": penalty, "like": like}
        norm = {"momentum": norm_momentum, "epsilon": norm_epsilon} | shared
        layers = {}
        for k in (1, 2, 3):
            n_before = n_in if k == 1 else n_out
            layers[f"conv{k}"] = Conv1d(n_before, n_out, kernel_width, rng, **shared)
            layers[f"norm{k}"] = BatchNorm(n_out, **norm)
            if k < 3:
                layers[f"relu{k}"] = ReLU()
        self.branch = Sequential(**layers)
        past = {"shortcut": Conv1d(n_in, n_out, 1, rng, **shared)}
        if normalise_shortcut:
            past["shortcut_norm"] = BatchNorm(n_out, **norm)
        self.shortcut = Sequential(**past)
        self.relu = ReLU()

    def forward(self, x, mask=None, *, train=False):
        """Sequences (n, T, n_out) of sequences ``x`` (n, T, n_in)."""
        out = self.branch.forward(x, mask, train=train)
        out += self.shortcut.forward(x, mask, train=train)
        return self.relu.forward(out, train=train)

    def backward(self, gradient):
        """Gradient by x, the sum of both ways."""
        gradient = self.relu.backward(gradient)
        # Layers may overwrite what they are given.
        by_x = self.shortcut.backward(gradient + 0.0)
        by_x += self.branch.backward(gradient)
        return by_x

    def parts(self):
        return self.branch.layers | self.shortcut.layers
