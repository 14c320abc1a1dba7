"""Zero-shot scorers tuned, fitted and tested: one of them, or several over several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from zslib.arrays import resolve_device
from zslib.datasets.problem import check_problem
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.methods import resolve_method, resolve_methods
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.tuning import ZeroShotTuned, tune_zero_shot
from zslib.protocols.sweep import best_that_trains, kept
from zslib.validation import check_each, check_integer

__all__ = ["ZeroShotRun", "run_table", "run_zero_shot"]


@dataclass(frozen=True)
class ZeroShotRun:
    """One method on one problem under one seed; its outcome is not calibrated.

    ``scaling`` is what was done to the features; ``parameters`` are those used, ``gamma`` was
    chosen with them on validation classes, as ``tuned`` has it: both None where parameters were
    given. ``passed_over`` are better candidates whose training on all seen classes ``failed``.
    """

    method: str
    dataset: str
    scaling: str
    seed: int
    parameters: dict
    gamma: float | None
    tuned: ZeroShotTuned | None = field(repr=False)
    passed_over: list
    outcome: ZeroShotOutcome

    @property
    def validation_accuracy(self):
        """ACC of the validation classes, in percent, under the settings that were used."""
        used = (t["score"] for t in self.tuned.ranked if t["parameters"] == self.parameters)
        return float(next(used))


def run_zero_shot(
    method,
    problem,
    *,
    seed=0,
    parameters=None,
    split=None,
    fraction=0.25,
    train_on="trainval",
    k=10,
    device="cpu",
    quick=False,
    must_learn=None,
) -> ZeroShotRun:
    """Tune ``method`` on validation classes, fit it on all seen ones, test it.

    Where training with the best candidate fails, the next best takes its place. Results are kept
    on disk.

    Parameters
    ----------
    method : ZeroShotMethod or str
        A method, or the name of one of `ZERO_SHOT_METHODS`.
    problem : ZeroShotProblem
    seed : int
        Of the estimator.
    parameters : dict, optional
        Use these instead of tuning.
    split, fraction
        Validation classes, as in `tune_zero_shot`.
    train_on, k
        As in `evaluate_zero_shot`.
    device : {"cpu", "gpu", "auto"}
        Where to fit and score. Tuning runs on the host.
    quick : bool
        Coarser grid.
    must_learn : bool, optional
        As in `evaluate_zero_shot`; default: where parameters are tuned, and not in quick mode,
        whose trainings may be too short.
    """
    method = resolve_method(method)
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    check_integer(seed, "seed", low=0)
    check_integer(k, "k", low=1)
    resolve_device(device)
    if quick:
        method = method.smaller()
    if must_learn is None:
        must_learn = parameters is None and not quick

    def outcome(chosen):
        model = method.estimator(seed=seed, **chosen)
        options = {"train_on": train_on, "k": k, "must_learn": must_learn}
        return kept(evaluate_zero_shot, model, problem, **options, device=device)

    names = method.name, problem.name, problem.feature_scaling, seed
    if parameters is not None:
        given = dict(parameters)
        return ZeroShotRun(*names, given, None, None, [], outcome(given))
    options = {"split": split, "fraction": fraction, "must_learn": must_learn}
    tuned = tune_zero_shot(method, problem, **options)
    what = f"{method.name} on {problem.name}"
    best, tested, passed_over = best_that_trains(tuned.trials, "score", outcome, what)
    return ZeroShotRun(*names, best["parameters"], best["gamma"], tuned, passed_over, tested)


def run_table(methods, problem, seeds=(0,), **options) -> dict:
    """Run several methods on one problem over several seeds.

    Parameters
    ----------
    methods : sequence of ZeroShotMethod or str
    problem : ZeroShotProblem, or sequence of them
        One problem for all seeds, or one for each.
    seeds : sequence of int
    **options
        Passed to `run_zero_shot`.

    Returns
    -------
    dict of str to list of ZeroShotRun
        By the method's name; one run per seed.
    """
    seeds = check_each(seeds, "seeds", check_integer, "integers", low=0)
    problems = list(problem) if isinstance(problem, Sequence) else [problem] * len(seeds)
    if not seeds or len(problems) != len(seeds):
        raise ValueError(
            f"got {len(problems)} problem(s) for {len(seeds)} seed(s): give one problem, or one "
            "for each seed"
        )
    table = {}
    for method in resolve_methods(methods):
        runs = []
        for p, seed in zip(problems, seeds, strict=True):
            # A closed form on the same data is the same for every seed.
            drawn = seed if method.seeds_matter else seeds[0]
            run = run_zero_shot(method, p, seed=drawn, **options)
            runs.append(replace(run, seed=seed))
        table[method.name] = runs
    return table
