"""Reverse regression: what shrinks (Shigeto et al. 2015), and what training adds beside it."""

import numpy as np

from chapters.hubness.lists import over_lists
from zslib.protocols.tidy import row

REVERSED = {"ridge": "reverse ridge", "ridge, centred": "reverse ridge, centred"}
"""Regressions, and the same in reverse."""

STEPS = {
    "a margin": ("max-margin", "ridge"),
    "intruders": ("intruder", "max-margin"),
    "the reverse direction": ("reverse ridge", "ridge"),
    "a margin in place of the reverse direction": ("max-margin", "reverse ridge"),
}
"""What training adds to a map without it, as (map, map without)."""


def sizes_where_they_meet(runs, methods):
    """Rows: size of the training queries over that of their answers, where they are compared.

    The size is the root of the mean squared length. Ridge's is at most one, in reverse it is at
    least one: whatever is predicted shrinks.
    """
    problem = runs.problem
    for name in methods:
        mapping = runs.folds[0].train(name)[0].mapping
        sides = mapping.transform(problem.X_train), mapping.transform_targets(problem.Y_train)
        queries, answers = (np.sqrt(np.mean(np.square(side, dtype="f8"))) for side in sides)
        yield row(problem, "size of queries over answers", name, float(queries / answers))


def steps_by_search(chapter, outcomes, measures):
    """Record what each of `STEPS` adds, uncorrected and where both maps are searched by CSLS.

    ``outcomes`` are ``{problem: {"map" or "map + CSLS": outcomes}}``. Words are paired; of lists
    that share their words the mean is recorded too.
    """
    for correction in ("none", "CSLS"):
        end = f" + {correction}" * (correction != "none")
        minus = {step: (f"{a}{end}", f"{b}{end}") for step, (a, b) in STEPS.items()}
        options = {"measures": measures, "minus": minus, "correction": correction}
        chapter.measure(outcomes, methods=(), **options)
        over_lists(chapter, outcomes, **options)
