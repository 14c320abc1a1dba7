"""Regression turned round: what shrinks (Shigeto et al. 2015)."""

import numpy as np

from zslib.protocols.tidy import row

REVERSED = {"ridge": "reverse ridge", "ridge, centred": "reverse ridge, centred"}
"""Regressions, and the same turned round."""


def sizes_where_they_meet(runs, methods):
    """Rows: size of the training queries over that of their answers, where they are compared.

    The size is the root of the mean squared length. Ridge's is at most one, turned round it is at
    least one: whatever is predicted shrinks.
    """
    problem = runs.problem
    for name in methods:
        mapping = runs.folds[0].train(name)[0].mapping
        sides = mapping.transform(problem.X_train), mapping.transform_targets(problem.Y_train)
        queries, answers = (np.sqrt(np.mean(np.square(side, dtype="f8"))) for side in sides)
        yield row(problem, "size of queries over answers", name, float(queries / answers))
