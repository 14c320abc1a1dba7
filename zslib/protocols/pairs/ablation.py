"""What the two weights of CLAREL's loss do: sweeps over each, and the lines of Table 3."""

from __future__ import annotations

import numpy as np

from zslib.protocols.intervals import Estimate, independent_mean, mean_estimate, paired_difference
from zslib.protocols.pairs.runs import run_clarel, run_image_text, short_clarel
from zslib.protocols.tidy import row

__all__ = ["budget_rows", "run_at", "side_rows", "stability_rows", "sweep_rows"]

SYMBOLS = {"lambda": "λ", "kappa": "κ"}


def run_at(problem, mix, weight, seeds, *, test, **options):
    """`run_clarel` with lambda = ``mix`` and kappa = ``weight``."""
    changes = {"retrieval_mix": mix, "classification_weight": weight}
    return run_clarel(problem, seeds, test=test, changes=changes, retrieval=False, **options)


def budget_rows(problem, batches, seed, device):
    """ACC and H on validation data after several numbers of batches, one training of each."""
    for n in batches:
        model = short_clarel(problem, n_batches=n)
        (outcome,) = run_image_text(model, problem, [seed], device=device, test=False).outcomes(
            "validation"
        )
        for measure in ("ACC", "H"):
            value = outcome.value(measure)
            yield row(problem, f"validation {measure}", "CLAREL", value, batches=n)


def sweep_rows(problem, symbol, runs):
    """Validation measures, rate and alpha by the value of one weight; ``runs`` is {value: run}."""
    for x, run in runs.items():
        outcomes = run.outcomes("validation")
        for measure in ("H", "seen", "unseen"):
            value = mean_estimate([o.value(measure) for o in outcomes])
            yield row(problem, f"validation {measure}", "CLAREL", value, **{symbol: x})
        chosen = {"learning rate": run.model.learning_rate, "alpha": run.alpha}
        for name, value in chosen.items():
            where = {"weight": SYMBOLS[symbol], "at": x}
            yield row(problem, f"chosen {name}", "CLAREL", value, **where)


def stability_rows(problem, symbol, runs, low, high):
    """Largest less smallest mean H from ``low`` to ``high``; for kappa also 1 less 0.5."""
    H = {
        x: np.array([o.value("H") for o in run.outcomes("validation")]) for x, run in runs.items()
    }
    means = {x: values.mean() for x, values in H.items() if low <= x <= high}
    if len(means) > 1:
        spread = paired_difference(H[max(means, key=means.get)], H[min(means, key=means.get)])
        yield row(problem, f"range of H from {low:g} to {high:g}", symbol, spread)
    if symbol == "kappa":
        yield row(problem, "validation H", "kappa 1 - 0.5", paired_difference(H[1.0], H[0.5]))


def side_rows(problem, lines):
    """H of line 3 less half of line 6's, and the gap of seen and unseen accuracy, 6 less 1.

    ``lines`` has the outcomes of the table's lines. The half, since the interval of a difference
    is simpler than that of a ratio.
    """
    alone, both = ([o.value("H") for o in lines[f"line {n}"]] for n in (3, 6))
    halves = paired_difference(alone, [h / 2 for h in both])
    yield row(problem, "H", "3 - half of 6", halves)
    gaps = [[abs(o.seen - o.unseen) for o in lines[f"line {n}"]] for n in (6, 1)]
    yield row(problem, "gap of seen and unseen", "6 - 1", paired_difference(*gaps))


def absolute_mean(estimates):
    """Size of the mean of several estimates, with the interval of its size."""
    mean = independent_mean(estimates)
    ends = sorted((abs(mean.low), abs(mean.high)))
    low = 0.0 if mean.low <= 0 <= mean.high else ends[0]
    return Estimate(abs(mean.mean), low, ends[1], mean.n_seeds)
