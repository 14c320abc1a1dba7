"""Many zero-shot scorers side by side: what was chosen, who leads, calibration, hubs."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.stats import spearmanr

from zslib.datasets import official_split_summary
from zslib.metrics import k_skewness
from zslib.protocols.attributes.intervals import (
    outcome_at,
    zero_shot_estimate,
    zero_shot_measures,
)
from zslib.protocols.intervals import over_runs
from zslib.protocols.tidy import row

__all__ = [
    "calibration_lifts",
    "chosen_settings",
    "counts_as_printed",
    "hub_correlations",
    "hub_measures",
    "leads",
    "marked_curves",
    "official_counts",
    "pollution_measure",
]


# Rows of the paper's Table 2, and what `ZeroShotProblem.summary` calls them.
_TABLE2 = {
    "seen classes": "seen_classes",
    "train seen samples": "train_seen_samples",
    "test seen samples": "test_seen_samples",
    "unseen classes": "unseen_classes",
    "unseen samples": "unseen_samples",
    "attributes": "class_attributes",
}


def counts_as_printed(summary):
    """A problem's or split's summary in the words of Table 2 of Guo et al. (2019)."""
    return {what: summary[key] for what, key in _TABLE2.items()}


def official_counts(names):
    """`counts_as_printed` of the official splits, of those whose files are here."""
    found = {}
    for name in names:
        with suppress(FileNotFoundError):
            found[name] = counts_as_printed(official_split_summary(name.upper()))
    return found


def chosen_settings(runs):
    """Rows of what each method's first run chose on validation classes."""
    for problem, methods in runs.items():
        for method, (run, *_) in methods.items():
            for name, value in (run.parameters | {"gamma": run.gamma}).items():
                yield row(problem, f"chosen {name}", method, value)
            text = ", ".join(f"{name} {_short(value)}" for name, value in run.parameters.items())
            yield row(problem, "settings", method, f"{text}; γ {run.gamma:.3g}")


def leads(runs, measure, *, calibration, name, own="DARK", **options):
    """Rows of ``own`` less the best other method of each data set, and which that is.

    ``name`` is what the records call the ``calibration`` of `outcome_at`.
    """
    estimate = zero_shot_measures([measure], calibration=calibration, **options)[measure]
    for problem, methods in runs.items():
        means = {
            method: np.mean([outcome_at(run, calibration).value(measure) for run in found])
            for method, found in methods.items()
            if method != own
        }
        best = max(means, key=means.get)
        difference = estimate(methods[own], methods[best])
        for method, value in (("best other", best), (f"{own} - best other", difference)):
            yield row(problem, measure, method, value, calibration=name)


def calibration_lifts(runs, gamma, **options):
    """Rows of what a ``fixed`` gamma and the ``chosen`` one add to each method's H."""
    for problem, methods in runs.items():
        for method, found in methods.items():
            for name, point in (("fixed", gamma), ("chosen", "chosen")):
                value = zero_shot_estimate(
                    [outcome_at(run, point) for run in found],
                    "H",
                    minus=[run.outcome for run in found],
                    **options,
                )
                yield row(problem, "H", f"{method}: {name} - none", value)


def marked_curves(methods, gamma):
    """Seen-unseen curve of each method's first run, with three gammas to mark on it."""
    marks = {"γ = 0": 0.0, "γ fixed": gamma}
    return {
        method: {method: (run.outcome.curve, marks | {"γ chosen": run.gamma})}
        for method, (run, *_) in methods.items()
    }


def hub_measures():
    """Measures of `ZeroShotRun`: hubness of unseen and of seen classes, among first answers.

    Unseen classes compete alone for their test images, seen ones with all for all test images.
    """
    found = {
        "skewness of N_1, unseen": lambda run: k_skewness(_counts(run, "unseen", False)),
        "largest hub over the mean, unseen": lambda run: _largest(run, "unseen", False),
        "largest hub over the mean, seen": lambda run: _largest(run, "all", True),
    }
    return {name: over_runs(value, same_items=False) for name, value in found.items()}


def pollution_measure(calibration):
    """Measure of `ZeroShotRun`: unseen classes' images answered with a seen class, in percent."""
    return over_runs(lambda run: 100.0 * outcome_at(run, calibration).polluted(1), same_items=True)


def hub_correlations(runs, metric):
    """Rows of Spearman's correlation of largest hub and accuracy over the methods."""
    for problem, methods in runs.items():
        pairs = [
            np.mean([(_largest(run, "unseen", False), run.outcome.accuracy) for run in found], 0)
            for found in methods.values()
        ]
        hubs, accuracies = np.transpose(pairs)
        rho = spearmanr(hubs, accuracies).statistic if np.ptp(hubs) and np.ptp(accuracies) else 0.0
        yield row(problem, metric, "all", float(rho))


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _counts(run, space, seen):
    return run.outcome.occurrence(space, 1)[run.outcome.is_seen == seen]


def _largest(run, space, seen):
    return _counts(run, space, seen).max() / _counts(run, space, seen).mean()
