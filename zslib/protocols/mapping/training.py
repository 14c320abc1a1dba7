"""Tune a mapping method, train it on a problem, and map the test items."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

from zslib.arrays import like, resolve_device, to_host, to_requested_device, unit_rows
from zslib.datasets.problem import check_problem
from zslib.mapping import chimeras
from zslib.mapping.base import LinearMap
from zslib.protocols.mapping.methods import check_method
from zslib.protocols.mapping.tuning import Tuned, tune
from zslib.protocols.sweep import kept, some_rows
from zslib.search import gold_ranks
from zslib.validation import check_integer, check_trained


@dataclass(frozen=True)
class Trained:
    """Where a trained mapping takes the test items, (n, d2), and how it came about.

    ``mapping`` is the map, on the host; ``tuned`` has every candidate for its ``parameters``.
    """

    predictions: np.ndarray = field(repr=False)
    mapping: LinearMap
    parameters: dict
    tuned: Tuned


def check_mapping(estimator, problem):
    """Refuse a mapping whose own training targets are not in the nearer half, as a rule."""
    some = some_rows(problem.train_gold.size)
    targets, gold = np.unique(problem.train_gold, return_inverse=True)
    mapped = estimator.transform(like(problem.X_train[some], estimator.coef_))
    near = estimator.transform_targets(like(problem.targets[targets], mapped))
    ranks = gold_ranks(mapped, near, gold[some])
    check_trained(np.mean(2 * to_host(ranks) < targets.size), 2, some.size)


def _train(method, problem, parameters, rows, seed, on, must_learn):
    X, Y = problem.X_train, problem.Y_train
    if method.chimeras:  # their pairs follow those of training (section 4)
        new = problem.targets[rows]
        made = chimeras(X, Y, new, k=method.chimeras)
        if method.unit_chimeras:
            made = unit_rows(made, name="chimeras")
        X, Y = np.concatenate([X, made]), np.concatenate([Y, new])
    X, Y = (to_requested_device(a, on) for a in (X, Y))
    estimator = method.fresh(seed, **parameters).fit(X, Y)
    if must_learn:
        check_mapping(estimator, problem)
    mapped = to_host(estimator.transform(to_requested_device(problem.X_test, on)))
    # What the map needs, without the state of its training.
    mapping = clone(estimator)
    mapping.coef_, mapping.n_features_in_ = to_host(estimator.coef_), X.shape[1]
    for name in ("intercept_", "target_coef_", "source_mean_", "target_mean_"):
        if getattr(estimator, name, None) is not None:
            setattr(mapping, name, to_host(getattr(estimator, name)))
    return mapped, mapping


def train(
    method, problem, *, tuned_on=None, chimera_rows=None, seed=0, device="cpu", quick=False
) -> Trained:
    """Tune ``method`` on the training pairs, train it on all of them, map the test items.

    Results are kept on disk.

    Parameters
    ----------
    method : Method
        One without a grid and updates is not tuned.
    problem : MappingProblem
    tuned_on : MappingProblem, optional
        Tune on the training pairs of this problem instead of the problem's own.
    chimera_rows : (n,) int array, optional
        Targets to make chimeras for, where the method uses them. Default: the labels of the
        problem that are not in training, as in the paper's cross-modal setting.
    seed : int
        Of the estimator.
    device : {"cpu", "gpu", "auto"}
        Where to train. Tuning runs on the host.
    quick : bool
        Coarser grid and fewer updates.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> from zslib.protocols import METHODS
    >>> problem = load_problem("cross-modal", "synthetic", quick=True)
    >>> run = train(METHODS["least squares"], problem)
    >>> run.predictions.shape == (len(problem.test_gold), problem.targets.shape[1])
    True
    """
    check_method(method)
    check_problem(problem, "X_train", "targets", kind="MappingProblem")
    check_integer(seed, "seed", low=0)
    if quick:
        method = method.smaller()
    tuned = Tuned({}, float("nan"), [])
    if method.grid or method.updates:
        # Chimeras take no part in tuning: one clean choice serves a method with and without them.
        tuned = tune(method, problem if tuned_on is None else tuned_on)
    if method.chimeras and chimera_rows is None:
        chimera_rows = np.setdiff1d(problem.labels, problem.train_gold)
    predictions, mapping = kept(
        _train,
        method,
        problem,
        parameters=tuned.parameters,
        rows=chimera_rows if method.chimeras else None,
        seed=seed,
        on=resolve_device(device),
        must_learn=not quick,
    )
    return Trained(predictions, mapping, tuned.parameters, tuned)
