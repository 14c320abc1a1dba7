"""Passes over many rows in bounded memory."""

from __future__ import annotations

from array_api_compat import device as array_device

from zslib.arrays import namespace

__all__ = ["class_sums", "one_hot", "row_blocks"]

ENTRIES = 1 << 22
"""Entries of the largest intermediate array that a pass over the rows makes."""


def row_blocks(n, width):
    """Slices that cut 0 … n-1 into blocks of at most `ENTRIES` / ``width`` rows.

    Examples
    --------
    >>> list(row_blocks(3, ENTRIES // 2))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    size = max(1, ENTRIES // width)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def one_hot(codes, k, dtype):
    """(n, k) array with 1 in column ``codes[i]`` of row i, else 0.

    Examples
    --------
    >>> import numpy as np
    >>> one_hot(np.array([1, 0]), 3, np.float32)
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    xp = namespace(codes)
    columns = xp.arange(k, dtype=codes.dtype, device=array_device(codes))
    return xp.astype(codes[:, None] == columns[None, :], dtype)


def class_sums(X, codes, k):
    """Sum and number of the rows of each class.

    Parameters
    ----------
    X : array, shape (n, p)
    codes : array of int64, shape (n,)
        Class of each row, from 0 to k - 1.
    k : int

    Returns
    -------
    sums : array, shape (k, p)
        Sum of the rows of each class, with the type of ``X``.
    counts : array, shape (k,)
        Number of rows of each class, with the type of ``X``.

    Examples
    --------
    >>> import numpy as np
    >>> class_sums(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2)
    (array([[5.],
           [2.]]), array([2., 1.]))
    """
    xp = namespace(X, codes)
    sums = xp.zeros((k, X.shape[1]), dtype=X.dtype, device=array_device(X))
    counts = xp.zeros((k,), dtype=X.dtype, device=array_device(X))
    for rows in row_blocks(X.shape[0], k):
        belongs = one_hot(codes[rows], k, X.dtype)
        sums = sums + belongs.T @ X[rows, :]
        counts = counts + xp.sum(belongs, axis=0)
    return sums, counts
