"""Tune a zero-shot scorer, fit it and test it, with results kept on disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from zslib.arrays import resolve_device, unit_rows
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, ZeroShotMethod
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.tuning import ZeroShotTuned, tune_zero_shot
from zslib.protocols.memo import code_digest, memoise

__all__ = ["ZeroShotRun", "resolve_method", "run_zero_shot", "unit_length"]


@dataclass(frozen=True)
class ZeroShotRun:
    """One method on one problem under one seed.

    Attributes
    ----------
    method, dataset : str
        Their names.
    scaling : str
        What was done to the features.
    seed : int
    parameters : dict
        Those used.
    gamma : float or None
        Chosen with them on validation classes; None where parameters were given.
    tuned : ZeroShotTuned or None
        How they were chosen; None where they were given.
    passed_over : list of dict
        Better candidates of ``tuned`` whose training on all seen classes failed: their
        ``parameters`` and why it ``failed``.
    outcome : ZeroShotOutcome
        Not calibrated: its gamma is 0.
    """

    method: str
    dataset: str
    scaling: str
    seed: int
    parameters: dict
    gamma: float | None
    tuned: ZeroShotTuned | None
    passed_over: list
    outcome: ZeroShotOutcome


def unit_length(problem):
    """The problem with features and class embeddings of length one (Guo et al. 2019, p. 6).

    Returns
    -------
    ZeroShotProblem
        Its ``feature_scaling`` says so.

    Raises
    ------
    ValueError
        When an image or a class has a zero vector.
    """
    already = problem.feature_scaling == "unit length"
    scaled = problem if already else problem.scaled("unit length")
    return replace(
        scaled,
        class_embeddings=unit_rows(problem.class_embeddings, name="class_embeddings"),
        feature_scaling=f"{scaled.feature_scaling}, class embeddings too",
    )


def _tune(problem, checksum, method, name, template, grid, split, fraction, seed, code):
    return tune_zero_shot(method, problem, split=split, fraction=fraction, seed=seed)


def _evaluate(problem, checksum, model, train_on, k, device, code):
    # Training that diverges ends in an error, or in scores that are refused.
    with np.errstate(over="ignore", invalid="ignore"):
        return evaluate_zero_shot(model, problem.to(device), train_on=train_on, k=k)


@lru_cache(maxsize=1)
def _kept():
    """The two functions above, their results kept on disk."""
    return memoise(_tune, ignore=["problem", "method"]), memoise(_evaluate, ignore=["problem"])


def run_zero_shot(
    method,
    problem,
    *,
    seed=0,
    parameters=None,
    tuning_seed=None,
    split=None,
    fraction=0.25,
    train_on="trainval",
    k=10,
    device="cpu",
    quick=False,
) -> ZeroShotRun:
    """Tune ``method`` on validation classes, fit it on all seen ones, test it.

    Where training with the best candidate raises ValueError (a step size that diverges with all
    seen classes, though it did not with fewer), the next best takes its place.

    Results are kept on disk and found again by the problem's checksum, the estimator, the seed,
    the device and the package's own sources, so that an interrupted table goes on where it
    stopped, and two chapters share what they have in common.

    Parameters
    ----------
    method : ZeroShotMethod or str
        A method, or the name of one of `ZERO_SHOT_METHODS`.
    problem : ZeroShotProblem
    seed : int
        Of the estimator and, by default, of tuning.
    parameters : dict, optional
        Use these instead of tuning.
    tuning_seed : int, optional
        Seed of tuning, where it is not ``seed``.
    split : {None, "official", "random"}
        Validation classes, as in `tune_zero_shot`.
    fraction : float
        Their share of the seen classes, where they are drawn at random.
    train_on : {"trainval", "all seen"}
    k : int
        As in `evaluate_zero_shot`.
    device : {"cpu", "gpu", "auto"}
        Where to fit and score. Tuning runs on the host.
    quick : bool
        Coarser grid.

    Returns
    -------
    ZeroShotRun

    Raises
    ------
    ValueError
        For an unknown method or option, or when no candidate can be trained.
    TypeError
        When ``method`` is not one.
    """
    method = resolve_method(method)
    if quick:
        method = method.smaller()
    keep_tuned, keep_outcome = _kept()
    where = problem.checksum
    device = resolve_device(device)

    def outcome(chosen):
        model = method.estimator(seed=seed, **chosen)
        return keep_outcome(problem, where, model, train_on, k, device, code_digest(__name__))

    names = method.name, problem.name, problem.feature_scaling, seed
    if parameters is not None:
        given = dict(parameters)
        return ZeroShotRun(*names, given, None, None, [], outcome(given))
    split_seed = seed if tuning_seed is None else tuning_seed
    # A method is known by its name, its defaults and its grid: functions cannot be hashed well.
    known_by = method.name, method.estimator(seed=split_seed), dict(method.grid)
    how = split, fraction, split_seed
    tuned = keep_tuned(problem, where, method, *known_by, *how, code_digest(__name__))
    failures = []
    for trial in tuned.ranked:
        chosen = trial["parameters"]
        try:
            found = outcome(chosen)
        except ValueError as error:
            failures.append({"parameters": chosen, "failed": str(error)})
            continue
        return ZeroShotRun(*names, chosen, trial["gamma"], tuned, failures, found)
    raise ValueError(
        f"{method.name} failed on {problem.name} with all {len(failures)} candidates, the first "
        f"time with: {failures[0]['failed']}"
    )


def resolve_method(method):
    """A `ZeroShotMethod`, from one or from the name of one."""
    if isinstance(method, str):
        if method not in ZERO_SHOT_METHODS:
            known = ", ".join(ZERO_SHOT_METHODS)
            raise ValueError(f"unknown method {method!r}: choose from {known}")
        return ZERO_SHOT_METHODS[method]
    if not isinstance(method, ZeroShotMethod):
        raise TypeError(
            f"method must be a ZeroShotMethod, such as ZERO_SHOT_METHODS['ESZSL'], got {method!r}"
        )
    return method
