"""Dropout."""

from zslib.arrays import like, namespace
from zslib.nn.layer import Layer
from zslib.validation import check_generator, check_share


class Dropout(Layer):
    r"""In training, zeroes each number with probability r and divides the others by 1 - r.

    The mean stays what it was (Srivastava et al. 2014, "inverted"); outside training nothing is
    changed.

    Parameters
    ----------
    rate : float
        r, at least 0 and below 1.
    rng : numpy.random.Generator
        Drawn from at every training pass, on the host.

    Examples
    --------
    >>> import numpy as np
    >>> layer = Dropout(0.5, np.random.default_rng(0))
    >>> layer.forward(np.ones((1, 4)), train=True)
    array([[2., 0., 0., 0.]])
    """

    def __init__(self, rate, rng):
        self.rate, self.rng = check_share(rate, "rate"), check_generator(rng)

    def forward(self, x, mask=None, *, train=False):
        """``x``, thinned out in training."""
        if not train:
            return x
        xp = namespace(x)
        kept = like(self.rng.random(tuple(x.shape)) >= self.rate, x)
        factor = xp.astype(kept, x.dtype)
        factor *= 1.0 / (1.0 - self.rate)
        self._saved = (factor,)
        return x * factor

    def backward(self, gradient):
        """The gradient, thinned out and scaled like x."""
        (factor,) = self._use_saved(gradient)
        return gradient * factor
