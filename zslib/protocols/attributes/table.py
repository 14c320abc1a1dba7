"""Several zero-shot scorers over several seeds, and records for tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from zslib.protocols.attributes.runs import resolve_method, run_zero_shot

__all__ = ["evaluate_table", "run_table", "table_records"]


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
    for method in map(resolve_method, methods):
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
            score = next(t["score"] for t in tuned.ranked if t["parameters"] == run.parameters)
            add("validation ACC", score, parameters=text)
            add("validation gamma", run.gamma)
        if outcome.test_seen is None:
            continue
        gammas = {"none": 0.0, "fixed": gamma}
        if tuned is not None:
            gammas["validation"] = run.gamma
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

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> for record in evaluate_table(["ESZSL", "SAE"], digits_segments()):
    ...     if record["metric"] in ("ACC", "AUSUC"):
    ...         print(record["method"], record["metric"], round(record["value"], 1))
    ESZSL ACC 70.5
    ESZSL AUSUC 50.0
    SAE ACC 62.1
    SAE AUSUC 49.6
    """
    return table_records(run_table(methods, problem, seeds, **options), gamma=gamma)
