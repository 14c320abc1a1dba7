"""From ridge to an orthogonal map: the same singular vectors, other singular values."""

from __future__ import annotations

import numpy as np

from zslib.mapping import RidgeMap
from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.tidy import row

__all__ = ["powered", "shrinking_path", "told_undone"]


def powered(X, W, power):
    """``X U S^power V'`` where ``W = U S V'``: ``X W`` at 1, an orthogonal map of X at 0."""
    U, S, Vt = np.linalg.svd(W, full_matrices=False)
    S = np.maximum(S, 1e-3 * S.max())  # a negative power of a vanishing factor explodes
    return (X @ (U * S**power)) @ Vt


def shrinking_path(problem, powers, **parameters):
    """Rows: P@1 and hub answers of ridge's matrix with its singular values to each power."""
    W = RidgeMap(**parameters).fit(problem.X_train, problem.Y_train).coef_
    found = {power: evaluate(problem, powered(problem.X_test, W, power)) for power in powers}
    for metric, of in (("P@1", lambda o: o.hits(1)), ("hub answers", lambda o: o.hub_answers())):
        for power, outcome in found.items():
            value = over_queries([of(outcome)], [outcome])
            yield row(problem, metric, "ridge, powered singular values", value, power=power)
        undone = over_queries([of(found[0.0]) - of(found[1.0])], [found[0.0]])
        yield row(problem, metric, "power 0 - power 1", undone)


def told_undone(path):
    """What undoing the shrinking changes, in a sentence."""
    undone = path.only(method="power 0 - power 1")
    return (
        f"Undoing the shrinking changes P@1 by {undone.value(metric='P@1'):.1f} points, and the "
        f"share of hub answers by {undone.value(metric='hub answers'):.1f} points."
    ).replace("-", "\N{MINUS SIGN}")
