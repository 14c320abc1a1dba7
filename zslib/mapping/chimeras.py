"""Chimeras: made-up source vectors for labels without any (Lazaridou et al. 2015, section 4)."""

import numpy as np

from zslib.arrays import add_rows, like, namespace, refuse_zero
from zslib.mapping.negatives import distinct_labels
from zslib.search import top_k
from zslib.validation import check_integer, check_pairs, check_same_width, check_vectors


def chimeras(X_train, Y_train, Y_new, *, k, metric="cosine", return_neighbours=False):
    r"""Average the source vectors of the training labels nearest to each new label.

    For a label :math:`y \notin Y^{Tr}` of the search space (section 4, "Specifically, in order
    to train …"; tables 6 to 10),

    .. math:: \hat x = \frac{1}{k} \sum_{y_j \in NN_k(y, Y^{Tr})} x_j,

    so that pairs :math:`(\hat x, y)` can be added to the training pairs.

    A label counts once: where several training rows have the very same target vector (images of
    one label, words with one translation), they are one neighbour, and its :math:`x_j` is the
    mean of their source vectors, as the paper averages the images of a label.

    Parameters
    ----------
    X_train : array, shape (n, d1)
        Source vectors of the training pairs.
    Y_train : array, shape (n, d2)
        Target vectors of the training pairs.
    Y_new : array, shape (n_new, d2)
        Target vectors of the labels to make chimeras for.
    k : int, keyword only
        Neighbours per chimera, at most the number of distinct training labels; the paper uses 5
        and 10.
    metric : str, default "cosine", keyword only
        Nearness in the target space; see `zslib.search.top_k`.
    return_neighbours : bool, default False, keyword only
        Whether to return the neighbours too, as Table 6 shows them.

    Returns
    -------
    X_new : array, shape (n_new, d1)
        The chimeras, with the library and type of ``X_train``.
    neighbours : array of int64, shape (n_new, k)
        Only with ``return_neighbours=True``. Training row of each neighbour, nearest first; of
        several rows with one label, the first.

    Examples
    --------
    >>> import numpy as np
    >>> images = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 9.0]])
    >>> whale, orca, glen = [1.0, 0.1], [1.0, 0.2], [0.0, 1.0]
    >>> dolphin = [1.0, 0.15]
    >>> chimeras(images, np.array([whale, orca, glen]), np.array([dolphin]), k=2)
    array([[3., 0.]])
    """
    xp = namespace(X_train, Y_train, Y_new)
    check_pairs(X_train, Y_train, "X_train", "Y_train")
    check_vectors(Y_new, "Y_new")
    check_same_width(Y_new, Y_train, "Y_new", "Y_train")
    if metric == "cosine":
        refuse_zero(Y_new, "Y_new")
        refuse_zero(Y_train, "Y_train")
    first_rows, labels = distinct_labels(Y_train)
    k = check_integer(
        k, "k", low=1, high=len(first_rows), high_means=" (the distinct rows of Y_train)"
    )
    firsts = like(first_rows, X_train)
    _, nearest = top_k(Y_new, xp.take(Y_train, firsts, axis=0), k, metric=metric)
    # Of each label the mean of its sources.
    sources = xp.zeros_like(X_train[: len(first_rows), :])
    counts = xp.astype(like(np.bincount(labels), X_train), X_train.dtype)
    sources = add_rows(sources, like(labels, X_train), X_train) / counts[:, None]
    total = xp.take(sources, nearest[:, 0], axis=0)
    for column in range(1, k):
        total += xp.take(sources, nearest[:, column], axis=0)
    total /= k
    if not return_neighbours:
        return total
    rows = xp.take(firsts, xp.reshape(nearest, (-1,)))
    return total, xp.reshape(rows, nearest.shape)
