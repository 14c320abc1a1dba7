"""Regression turned round: what shrinks (Shigeto et al. 2015), and what it costs."""

from __future__ import annotations

import numpy as np

from zslib.protocols.tidy import row

__all__ = ["REVERSED", "found_by_turning", "found_on_attributes", "sizes_where_they_meet"]

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
        hubs = [here.value(metric="hub answers", method=name).mean for name in (ridge, turned)]
        yield (
            f"{_told(here, 'P@1')}, answers that are hubs from {hubs[0]:.1f}% to {hubs[1]:.1f}%."
        )


def found_on_attributes(results):
    """What it changes in accuracy on unseen classes, in a sentence for each data set."""
    for data in results.of("dataset"):
        yield f"{_told(results.only(dataset=data), 'ACC')}."


def _told(here, metric):
    """Who wins on one data set, by the interval of the difference."""
    ridge, turned = next(iter(REVERSED.items()))
    gain = here.value(metric=metric, method=f"{turned} - {ridge}")
    word = "wins" if gain.low > 0 else "loses" if gain.high < 0 else "is not told apart"
    before, after = (here.value(metric=metric, method=name).mean for name in (ridge, turned))
    (data,) = here.of("dataset")
    return f"**{data}**: turned round, ridge {word}: {metric} from {before:.1f} to {after:.1f}"
