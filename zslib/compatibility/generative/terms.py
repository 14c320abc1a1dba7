"""The terms of a generator's loss, each with its gradient by the features that were made."""

from zslib.arrays import namespace
from zslib.nn import softmax_cross_entropy


def adversarial_term(fake, a, critic):
    r""":math:`-\frac{1}{n} \sum_i D(\tilde x_i, a_i)` and its gradient by ``fake``."""
    xp = namespace(fake)
    return -xp.mean(critic.scores(fake, a)), critic.slopes(fake, a) * (-1.0 / fake.shape[0])


def class_term(fake, codes, classifier):
    """Cross-entropy of a frozen linear ``classifier``, and its gradient by ``fake``."""
    coef, intercept = classifier
    loss, gradient = softmax_cross_entropy(fake @ coef + intercept, codes)
    return loss, gradient @ coef.T


def cycle_term(fake, a, regressor):
    r"""Mean of :math:`(\tilde x R + r - a)^2` over all numbers, and its gradient by ``fake``."""
    coef, intercept = regressor
    error = fake @ coef + intercept - a
    n, q = error.shape
    return namespace(error).mean(error * error), (error * (2.0 / (n * q))) @ coef.T


def reconstruction_term(made, x, variance):
    r"""Mean over rows of :math:`\|\hat x - x\|^2 / (2 \sigma^2)`, and its gradient by ``made``."""
    error = made - x
    scale = 1.0 / (variance * x.shape[0])
    return 0.5 * scale * namespace(error).sum(error * error), scale * error


def least_squares(X, targets):
    """Coefficients (p, q) and intercept (q,) of least squares, the shortest ones, in float64."""
    xp = namespace(X, targets)
    wide, T = xp.astype(X, xp.float64), xp.astype(targets, xp.float64)
    centre, middle = xp.mean(wide, axis=0), xp.mean(T, axis=0)
    wide = wide - centre
    coef = xp.linalg.pinv(wide.T @ wide) @ (wide.T @ (T - middle))
    return xp.astype(coef, X.dtype), xp.astype(middle - centre @ coef, X.dtype)
