"""Regression turned round: what shrinks (Shigeto et al. 2015), and what it costs."""

from __future__ import annotations

import numpy as np

from zslib.protocols.tidy import row

__all__ = ["REVERSED", "found_by_turning", "found_on_images", "sizes_where_they_meet"]

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
        yield (
            f"**{data}**: turned round, ridge {_verdict(here, 'P@1', ridge)}: P@1 from {p[0]:.1f} "
            f"to {p[1]:.1f}, answers that are hubs from {hubs[0]:.1f}% to {hubs[1]:.1f}%."
        )


def found_on_images(results, rival="ESZSL"):
    """Whether the turned ridge beats ridge, and a bilinear ``rival``, for each data set."""
    ridge, turned = next(iter(REVERSED.items()))
    for data in results.of("dataset"):
        here = results.only(dataset=data)
        accuracy = here.value(metric="ACC", method=turned).mean
        told = " and ".join(
            f"{_verdict(here, 'ACC', name)} against {name} "
            f"({here.value(metric='ACC', method=name).mean:.1f})"
            for name in (ridge, rival)
        )
        yield f"**{data}**: the turned ridge, at {accuracy:.1f}, {told}."


def _verdict(here, metric, base):
    """Whether the turned ridge wins against ``base``, by the interval of the difference."""
    gain = here.value(metric=metric, method=f"{REVERSED['ridge']} - {base}")
    return gain.side("wins", "loses", "is not told apart")
