"""Intervals of what seen and unseen test images say together."""

import numpy as np

from zslib.protocols.intervals import Estimate, item_kinds, resampled_items, resampled_runs


def joint_estimate(methods, value, *, hit=None, n_resamples=1000) -> Estimate:
    """``value(seen, unseen)`` of accuracies in percent of several methods, a mean over seeds.

    Parameters
    ----------
    methods : list of list of ZeroShotOutcome
        For each method one outcome per seed, all on the same test images.
    value : callable
        Of two arrays that begin with an axis of methods.
    hit : callable, keyword only, optional
        ``hit(outcome, side)``, one bool for each image, instead of whether it is recognised.
    n_resamples : int, keyword only
        Of the bootstrap, which resamples classes, then their images, then seeds.
    """
    rng, n = np.random.default_rng(0), len(methods[0])
    outcomes = [outcome for method in methods for outcome in method]
    exact, drawn, n_classes = [], [], []
    for side in ("seen", "unseen"):
        labels = outcomes[0].labels(side)
        right = np.stack([hit(o, side) if hit else o.right(side) for o in outcomes])
        classes = np.unique(labels)
        means = 100.0 * np.mean([right[:, labels == c].mean(axis=1) for c in classes], axis=0)
        draws = 100.0 * resampled_items(item_kinds(right, labels), n_resamples, rng)
        exact.append(means.reshape(len(methods), n))
        drawn.append(draws.T.reshape(len(methods), n, n_resamples))
        n_classes.append(classes.size)
    draws = resampled_runs(value(*drawn).T, rng)
    return Estimate.of_draws(value(*exact).mean(), draws, n, "classes", min(n_classes))
