"""Networks of a generator of features: leaky layers, a squashed output, averaged weights."""

from zslib.nn import Layer, LeakyReLU, ReLU, Sigmoid, dense_layers

__all__ = ["Average", "Generator", "leaky_layers"]

OUTPUTS = {"linear": None, "relu": ReLU, "sigmoid": Sigmoid}


def leaky_layers(sizes, rng, *, slope=0.2, **start):
    """Linear layers between the ``sizes``, with a `LeakyReLU` after each but the last.

    ``start`` has ``init``, ``scale`` and ``like`` of `zslib.nn.Linear`.
    """
    return dense_layers(sizes, rng, activation=lambda: LeakyReLU(slope), **start)


class Generator(Layer):
    """Features (n, p) of noise and class vectors, side by side: leaky layers, and an output.

    Parameters
    ----------
    sizes : sequence of int
        Widths from the input to p; with nothing between them it is linear.
    rng : numpy.random.Generator
    output : {"linear", "relu", "sigmoid"}, keyword only
    **start
        ``init``, ``scale`` and ``like`` of `zslib.nn.Linear`.

    Attributes
    ----------
    n_in : int
    units : array, shape (n, p), or None
        What the output was given in the last pass in training.
    """

    def __init__(self, sizes, rng, *, output="linear", **start):
        self.n_in, self.units = sizes[0], None
        self.layers = leaky_layers(sizes, rng, **start)
        self.output = OUTPUTS[output]() if OUTPUTS[output] else None

    def forward(self, x, mask=None, *, train=False):
        units = self.layers.forward(x, train=train)
        if train:
            self.units = units
        return units if self.output is None else self.output.forward(units, train=train)

    def backward(self, gradient, by_units=None):
        """Of a loss by features, and by ``units`` where it has a part that looks at these."""
        self.units = None
        if self.output is not None:
            gradient = self.output.backward(gradient)
        return self.layers.backward(gradient if by_units is None else gradient + by_units)

    def parameters(self):
        return self.layers.parameters()


class Average:
    r"""Running average of parameters, :math:`\bar w \leftarrow \rho \bar w + (1 - \rho) w`.

    :math:`\rho` is ``share``, at first less, :math:`(1 + t) / (10 + t)` after t steps, so that
    the start is soon forgotten.
    """

    def __init__(self, parameters, share):
        self.parameters, self.share, self.n_steps = list(parameters.values()), share, 0
        self.values = [parameter.value + 0.0 for parameter in self.parameters]

    def step(self):
        """Take in the parameters as they are now."""
        share = min(self.share, (1.0 + self.n_steps) / (10.0 + self.n_steps))
        self.n_steps += 1
        for value, parameter in zip(self.values, self.parameters, strict=True):
            value *= share
            value += (1.0 - share) * parameter.value

    def use(self):
        """Give the parameters their averages."""
        for value, parameter in zip(self.values, self.parameters, strict=True):
            parameter.value = value
