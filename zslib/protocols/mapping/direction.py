"""Regression turned round: what shrinks (Shigeto et al. 2015), and what it costs."""

from __future__ import annotations

import numpy as np

from zslib.protocols.tidy import row

__all__ = ["REVERSED", "found_by_turning", "sizes_where_they_meet"]

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


def found_by_turning(results):
    """What turning the regression round changes, in a sentence for each data set."""
    ridge, turned = next(iter(REVERSED.items()))
    for data in results.of("dataset"):
        here = results.only(dataset=data)
        p, hubs = (
            [here.value(metric=metric, method=name).mean for name in (ridge, turned)]
            for metric in ("P@1", "hub answers")
        )
        gain = here.value(metric="P@1", method=f"{turned} - {ridge}")
        word = "wins" if gain.low > 0 else "loses" if gain.high < 0 else "is not told apart"
        yield (
            f"**{data}**: turned round, ridge {word}: P@1 from {p[0]:.1f} to {p[1]:.1f}, answers "
            f"that are hubs from {hubs[0]:.1f}% to {hubs[1]:.1f}%."
        )
