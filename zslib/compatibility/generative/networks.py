"""Networks of a generator of features: leaky layers, averaged weights."""

from zslib.nn import LeakyReLU, dense_layers

__all__ = ["Average", "leaky_layers"]


def leaky_layers(sizes, rng, **start):
    """Linear layers between the ``sizes``, with a `LeakyReLU` after each but the last.

    ``start`` has ``init``, ``scale`` and ``like`` of `zslib.nn.Linear`.
    """
    return dense_layers(sizes, rng, activation=lambda: LeakyReLU(0.2), **start)


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
