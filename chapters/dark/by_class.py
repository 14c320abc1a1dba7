"""Shares of triplets, with intervals over the classes that their images are of."""

import numpy as np

from zslib.protocols.intervals import statistic_over_classes


def share_over_classes(parts, codes):
    """What one sum over rows is of another, mean over runs; classes, then runs drawn.

    ``parts`` has a pair for each run: what each row adds to the one sum and to the other, (n,) or
    a number for all; ``codes`` (n,) is the class of each row. A share of nothing is 0.

    Examples
    --------
    >>> print(share_over_classes([([1.0, 0.0, 3.0, 3.0], [2.0, 2.0, 4.0, 4.0])], [0, 0, 1, 1]))
    0.6 [0.2, 0.8]
    """
    sums = [
        [np.bincount(codes, weights=np.broadcast_to(part, np.shape(codes))) for part in pair]
        for pair in parts
    ]

    def share(run, classes):
        above, below = (part[classes].sum() for part in sums[run])
        return above / below if below else 0.0

    return statistic_over_classes(share, len(sums), len(sums[0][0]))
