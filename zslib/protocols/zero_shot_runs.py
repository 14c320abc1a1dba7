"""Tune, fit and test zero-shot scorers over several seeds; records for tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from zslib.arrays import resolve_device, unit_rows
from zslib.protocols.memo import code_digest, memoise
from zslib.protocols.zero_shot import evaluate_zero_shot
from zslib.protocols.zero_shot_methods import ZERO_SHOT_METHODS, ZeroShotMethod
from zslib.protocols.zero_shot_outcome import ZeroShotOutcome
from zslib.protocols.zero_shot_tuning import ZeroShotTuned, tune_zero_shot

__all__ = [
    "ZeroShotRun",
    "evaluate_table",
    "run_table",
    "run_zero_shot",
    "table_records",
    "unit_length",
]


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
    tuned : ZeroShotTuned or None
        How they were chosen, and gamma with them; None where they were given.
    outcome : ZeroShotOutcome
        Not calibrated: gamma is 0.
    """

    method: str
    dataset: str
    scaling: str
    seed: int
    parameters: dict
    tuned: ZeroShotTuned | None
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


def _tune(problem, checksum, method, template, grid, split, seed, code):
    return tune_zero_shot(method, problem, split=split, seed=seed)


def _evaluate(problem, checksum, model, train_on, k, device, code):
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
    train_on="trainval",
    k=10,
    device="cpu",
    quick=False,
) -> ZeroShotRun:
    """Tune ``method`` on validation classes, fit it on all seen ones, test it.

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
    """
    method = _method(method)
    if quick:
        method = method.smaller()
    keep_tuned, keep_outcome = _kept()
    tuned = None
    if parameters is None:
        split_seed = seed if tuning_seed is None else tuning_seed
        template, grid = method.estimator(seed=split_seed), dict(method.grid)
        tuned = keep_tuned(
            problem, problem.checksum, method, template, grid, split, split_seed, code_digest()
        )
        parameters = tuned.parameters
    model = method.estimator(seed=seed, **parameters)
    outcome = keep_outcome(
        problem, problem.checksum, model, train_on, k, resolve_device(device), code_digest()
    )
    return ZeroShotRun(
        method.name, problem.name, problem.feature_scaling, seed, dict(parameters), tuned, outcome
    )


def run_table(methods, problem, seeds=(0,), **options) -> dict:
    """Run several methods on one problem over several seeds.

    Parameters
    ----------
    methods : sequence of ZeroShotMethod or str
    problem : ZeroShotProblem, or sequence of them
        One problem for all seeds, or one for each. Seeds with the same data share what was tuned
        with the first of them.
    seeds : sequence of int
    **options
        Passed to `run_zero_shot`.

    Returns
    -------
    dict of str to list of ZeroShotRun
        By the method's name; one run per seed.

    Raises
    ------
    ValueError
        For no seeds, or as many problems as there are not seeds.
    """
    seeds = list(seeds)
    problems = list(problem) if isinstance(problem, Sequence) else [problem] * len(seeds)
    if not seeds or len(problems) != len(seeds):
        raise ValueError(
            f"got {len(problems)} problem(s) for {len(seeds)} seed(s): give one problem, or one "
            "for each seed"
        )
    first = {p.checksum: seed for p, seed in reversed(list(zip(problems, seeds, strict=True)))}
    table = {}
    for method in map(_method, methods):
        runs = []
        for p, seed in zip(problems, seeds, strict=True):
            shared = first[p.checksum]
            # A closed form on the same data is the same for every seed.
            drawn = seed if method.seeds_matter else shared
            run = run_zero_shot(method, p, seed=drawn, tuning_seed=shared, **options)
            runs.append(replace(run, seed=seed))
        table[method.name] = runs
    return table


def table_records(table, *, gamma=0.2) -> list:
    """Tidy records of what `run_table` found: one dictionary per number.

    Columns: metric, value (percent; gamma in the unit of the scores), method, dataset, seed,
    scaling, and for "seen", "unseen" and "H" also calibration: "none"; "fixed" with the given
    gamma; "validation", with the gamma that tuning chose; and, for "H" alone, "best", the largest
    H that any gamma reaches on the *test* images, a bound and not a result. The record of the
    validation accuracy carries the chosen parameters as text.

    Parameters
    ----------
    table : dict of str to list of ZeroShotRun
    gamma : float
        The fixed one: 0.2 in Guo et al. (2019).

    Returns
    -------
    list of dict
        For `zslib.book.Chapter.record` or a data frame.
    """
    records = []
    for run in (run for runs in table.values() for run in runs):
        which = {
            "method": run.method,
            "dataset": run.dataset,
            "seed": run.seed,
            "scaling": run.scaling,
        }

        def add(metric, value, which=which, **columns):
            records.append({"metric": metric, "value": float(value)} | which | columns)

        outcome, tuned = run.outcome, run.tuned
        add("ACC", outcome.accuracy)
        if tuned is not None:
            text = ", ".join(f"{key}={value}" for key, value in run.parameters.items())
            add("validation ACC", tuned.score, parameters=text)
            add("validation gamma", tuned.gamma)
        if outcome.test_seen is None:
            continue
        gammas = {"none": 0.0, "fixed": gamma}
        if tuned is not None:
            gammas["validation"] = tuned.gamma
        for calibration, value in gammas.items():
            calibrated = outcome.at(value)
            for metric in ("seen", "unseen", "H"):
                add(metric, calibrated.value(metric), calibration=calibration)
        add("H", 100.0 * outcome.curve.best_harmonic_mean, calibration="best")
        add("AUSUC", outcome.ausuc)
    return records


def evaluate_table(methods, problem, seeds=(0,), *, gamma=0.2, **options) -> list:
    """`table_records` of `run_table`: the numbers of several methods on one problem.

    Parameters
    ----------
    methods, problem, seeds, **options
        As in `run_table`.
    gamma : float
        As in `table_records`.

    Returns
    -------
    list of dict
    """
    return table_records(run_table(methods, problem, seeds, **options), gamma=gamma)


def _method(method):
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
