"""One optimiser for each parameter of a network."""


class Descent:
    """Steps down the gradients of some parameters, each with an optimiser of its own.

    Parameters
    ----------
    parameters : dict of Parameter
        As `Layer.parameters` gives them.
    make : callable
        ``make()`` is a new optimiser, such as `zslib.optim.Adam`.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.nn import Linear
    >>> from zslib.optim import SGD
    >>> layer = Linear(1, 1, np.random.default_rng(0))
    >>> descent = Descent(layer.parameters(), lambda: SGD(0.5))
    >>> layer.bias.gradient += 2.0
    >>> descent.step()
    >>> layer.bias.value, layer.bias.gradient
    (array([-1.], dtype=float32), array([0.], dtype=float32))
    """

    def __init__(self, parameters, make):
        self._moved = [(parameter, make()) for parameter in parameters.values()]
        if len({id(optimiser) for _, optimiser in self._moved}) < len(self._moved):
            raise ValueError("make() must give a new optimiser each time: each has its own state")

    def step(self, learning_rate=None):
        """Move each parameter against its gradient, which is zero then.

        Penalties count; a ``learning_rate`` takes the place of the optimisers' own.
        """
        for parameter, optimiser in self._moved:
            if learning_rate is not None:
                optimiser.learning_rate = learning_rate
            if parameter.penalty:
                parameter.add_penalty()
            optimiser.step(parameter.value, parameter.gradient)
            parameter.zero_gradient()
