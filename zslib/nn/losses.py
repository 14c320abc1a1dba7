"""Cross-entropy of a softmax, with its gradient."""

from zslib.arrays import namespace, one_hot
from zslib.validation import check_indices


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
