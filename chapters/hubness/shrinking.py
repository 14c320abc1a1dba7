"""From ridge to an orthogonal map: the same singular vectors, other singular values."""

import numpy as np

from zslib.mapping import RidgeMap
from zslib.protocols.mapping.outcome import evaluate


def powered(X, W, power):
    """``X U S^power V'`` where ``W = U S V'``: ``X W`` at 1, an orthogonal map of X at 0."""
    U, S, Vt = np.linalg.svd(W, full_matrices=False)
    S = np.maximum(S, 1e-3 * S.max())  # a negative power of a vanishing factor explodes
    return (X @ (U * S**power)) @ Vt


def shrinking_path(problem, powers, **parameters):
    """Outcomes ``{power: [Outcome]}`` of ridge's matrix, its singular values to each power."""
    W = RidgeMap(**parameters).fit(problem.X_train, problem.Y_train).coef_
    return {power: [evaluate(problem, powered(problem.X_test, W, power))] for power in powers}
