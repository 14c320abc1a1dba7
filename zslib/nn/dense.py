"""Linear layers with an activation between them."""

from itertools import pairwise

from zslib.nn.linear import Linear
from zslib.nn.relu import ReLU
from zslib.nn.sequential import Sequential
from zslib.validation import check_each, check_integer


def dense_layers(sizes, rng, *, activation=ReLU, **start):
    """A `Sequential` of linear layers between the ``sizes``, with an activation between each two.

    Its layers are ``linear1``, ``activation1``, ``linear2``, ….

    Parameters
    ----------
    sizes : sequence of int
        Widths from the input to the output, at least two.
    rng : numpy.random.Generator
        Draws the start.
    activation : callable, keyword only, default ReLU
        ``activation()`` is a new layer.
    **start
        Of `Linear`.

    Examples
    --------
    >>> import numpy as np
    >>> list(dense_layers((3, 2, 1), np.random.default_rng(0)).layers)
    ['linear1', 'activation1', 'linear2']
    """
    sizes = check_each(sizes, "sizes", check_integer, "integers", low=1)
    if len(sizes) < 2:
        raise ValueError(f"sizes must be at least two, of the input and the output, got {sizes}")
    layers = {}
    for j, pair in enumerate(pairwise(sizes), start=1):
        if j > 1:
            layers[f"activation{j - 1}"] = activation()
        layers[f"linear{j}"] = Linear(*pair, rng, **start)
    return Sequential(**layers)
