"""How precision grows with the number of training pairs."""

from __future__ import annotations

import numpy as np

from zslib.protocols.intervals import mean_estimate
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.tidy import row

__all__ = ["precision_by_pairs"]


def precision_by_pairs(problem, parameters, shares, *, seed=0):
    """Rows: P@1 of methods trained on shares of the pairs, each with its ``parameters``."""
    n = problem.X_train.shape[0]
    order = np.random.default_rng(seed).permutation(n)
    for name, chosen in parameters.items():
        for size in sorted({int(n * share) for share in shares}):
            # As many updates at every size, so that only the number of pairs differs.
            epochs = {k: max(1, round(v * n / size)) for k, v in chosen.items() if k == "n_epochs"}
            rows = np.sort(order[:size])
            fitted = METHODS[name].fresh(seed, **chosen | epochs)
            fitted.fit(problem.X_train[rows], problem.Y_train[rows])
            value = mean_estimate([evaluate(problem, fitted.transform(problem.X_test)).hits(1)])
            yield row(problem, "P@1", name, value, pairs=size)
