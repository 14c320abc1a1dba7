"""Cross-entropies of a softmax and of sigmoids, with their gradients."""

from zslib.arrays import namespace, one_hot
from zslib.nn.sigmoid import sigmoid
from zslib.validation import check_indices

__all__ = ["sigmoid_cross_entropy", "softmax_cross_entropy"]


def softmax_cross_entropy(logits, labels):
    r"""Mean of the negative log probability of the right class, and its gradient.

    .. math:: -\frac{1}{n} \sum_i \Bigl( z_{i y_i} - \log \sum_c e^{z_{ic}} \Bigr)

    Parameters
    ----------
    logits : float array, shape (n, C)
        :math:`z`.
    labels : integer array, shape (n,)
        :math:`y`, in 0 … C - 1, on the device of the logits.

    Returns
    -------
    loss : array, shape ()
    gradient : array, shape (n, C)
        By the logits.

    Examples
    --------
    >>> import numpy as np
    >>> loss, gradient = softmax_cross_entropy(np.zeros((1, 2)), np.array([0]))
    >>> round(float(loss), 4), gradient
    (0.6931, array([[-0.5,  0.5]]))
    """
    xp = namespace(logits, labels)
    if logits.ndim != 2 or tuple(labels.shape) != tuple(logits.shape[:1]):
        raise ValueError(
            f"labels have shape {tuple(labels.shape)}, logits {tuple(logits.shape)}: give one "
            "label per row"
        )
    n, n_classes = logits.shape
    check_indices(labels, "labels", n_classes)
    shifted = logits - xp.max(logits, axis=1, keepdims=True)
    exponentials = xp.exp(shifted)
    sums = xp.sum(exponentials, axis=1, keepdims=True)
    own = one_hot(labels, n_classes, logits.dtype)
    loss = (xp.sum(xp.log(sums)) - xp.sum(own * shifted)) / n
    return loss, (exponentials / sums - own) / n


def sigmoid_cross_entropy(logits, targets):
    r"""Cross-entropy of numbers in [0, 1] under sigmoids, summed over columns, and its gradient.

    .. math:: -\frac{1}{n} \sum_{ij} \bigl(
              t_{ij} \log \sigma(z_{ij}) + (1 - t_{ij}) \log (1 - \sigma(z_{ij})) \bigr)

    Parameters
    ----------
    logits : float array, shape (n, d)
        :math:`z`.
    targets : float array, shape (n, d)
        :math:`t`, in [0, 1].

    Returns
    -------
    loss : array, shape ()
    gradient : array, shape (n, d)
        By the logits: :math:`(\sigma(z) - t) / n`.

    Examples
    --------
    >>> import numpy as np
    >>> loss, gradient = sigmoid_cross_entropy(np.zeros((1, 2)), np.array([[0.0, 1.0]]))
    >>> round(float(loss), 4), gradient
    (1.3863, array([[ 0.5, -0.5]]))
    """
    xp = namespace(logits, targets)
    if tuple(logits.shape) != tuple(targets.shape):
        raise ValueError(
            f"targets have shape {tuple(targets.shape)}, logits {tuple(logits.shape)}: give one "
            "target for each"
        )
    if not bool(xp.all((targets >= 0.0) & (targets <= 1.0))):
        raise ValueError(
            f"targets must lie in [0, 1], found {float(xp.min(targets)):.3g} to "
            f"{float(xp.max(targets)):.3g}: scale or clip them"
        )
    n = logits.shape[0]
    losses = xp.clip(logits, min=0.0) - logits * targets + xp.log1p(xp.exp(-xp.abs(logits)))
    return xp.sum(losses) / n, (sigmoid(logits) - targets) / n
