"""Values of many rows, some rows after others, so that what is between stays small."""

from zslib.arrays import namespace, row_blocks


def in_blocks(values, X, width):
    """``values(x)`` of blocks x of the rows of ``X``, one below the other: see `row_blocks`."""
    blocks = [values(X[rows, :]) for rows in row_blocks(X.shape[0], width)]
    return namespace(X).concat(blocks, axis=0)
