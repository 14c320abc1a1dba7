"""Many zero-shot scorers on many data sets: every measure of each, and their ranks.

References
----------
Demšar (2006): Statistical comparisons of classifiers over multiple data sets, JMLR 7.
"""

from __future__ import annotations

from concurrent.futures import as_completed
from dataclasses import replace

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from zslib.protocols import choices
from zslib.protocols.attributes.comparison import hub_measures, pollution_measure
from zslib.protocols.attributes.intervals import zero_shot_measures
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, resolve_method
from zslib.protocols.attributes.runs import run_table
from zslib.protocols.intervals import mean_estimate, over_runs

__all__ = [
    "FACTORS",
    "ORIGINS",
    "UNKNOWN",
    "board_measures",
    "board_systems",
    "correlations",
    "critical_difference",
    "explained",
    "leading",
    "mean_ranks",
    "not_trained",
    "paired",
    "run_board",
    "teaches",
    "with_origins",
    "with_published",
    "with_settings",
]

UNKNOWN = ("?", "other")
ORIGINS = {
    "DAP": (2009, "attribute classifiers"),
    "IAP": (2009, "attribute classifiers"),
    "DeViSE": (2013, "bilinear, ranking"),
    "CMT": (2013, "regression"),
    "CMT*": (2013, "regression"),
    "ConSE": (2014, "mixtures of classes"),
    "SJE": (2015, "bilinear, ranking"),
    "ESZSL": (2015, "regression"),
    "SSE": (2015, "mixtures of classes"),
    "ALE": (2013, "bilinear, ranking"),
    "SynC": (2016, "mixtures of classes"),
    "LatEm": (2016, "bilinear, ranking"),
    "Bucher": (2016, "metric"),
    "hard negatives": (2016, "metric"),
    "JLSE": (2016, "mixtures of classes"),
    "SAE": (2017, "regression"),
    "BiDiLEL": (2017, "metric"),
    "GMMN": (2017, "generator"),
    "ZKL": (2018, "metric"),
    "PSR": (2018, "network on classes"),
    "ICINESS": (2018, "network on classes"),
    "f-CLSWGAN": (2018, "generator"),
    "cycle-WGAN": (2018, "generator"),
    "cycle-CLSWGAN": (2018, "generator"),
    "cycle-UWGAN": (2018, "generator"),
    "DARK": (2019, "bilinear, ranking"),
    "DARK-L": (2019, "bilinear, ranking"),
    "DARK-H": (2019, "bilinear, ranking"),
    "CADAVAE": (2019, "generator"),
    "f-VAEGAN-D2": (2019, "generator"),
    "CNZSL": (2021, "network on classes"),
}
"""Year and family of a system by name. One that is missing here has its row all the same."""


def board_systems(asked):
    """Names of systems: those ``asked`` for, "A+B", or with "auto" all but ablations of one."""
    if asked != "auto":
        return asked.split("+")
    return [name for name in ZERO_SHOT_METHODS if name not in ("DARK-L", "DARK-H")]


def run_board(
    methods,
    problems,
    seeds=(0,),
    *,
    settings=None,
    executor=None,
    share=None,
    ended=None,
    **options,
):
    """Tune, train and test every method on every problem, one after the other or at once.

    Results are kept on disk candidate by candidate, so that a run that was stopped goes on where
    it was. Each training has one thread: its seconds compare, and its bits do not depend on how
    many run at once.

    Parameters
    ----------
    methods : sequence of ZeroShotMethod or str
    problems : sequence of ZeroShotProblem
    seeds : sequence of int
    settings : dict, optional
        Parameters by method, used instead of tuning; gamma is chosen on validation classes.
    executor : concurrent.futures.Executor, optional
        Runs a method on a problem as one task: of processes, or of a cluster. None: here.
    share : callable, optional
        What tasks are given in place of a problem, where the executor moves data by itself.
    ended : callable, optional
        Called with (method, problem) as each ends.
    **options
        Of `run_zero_shot`.

    Returns
    -------
    runs : dict
        ``{problem: {method: [ZeroShotRun]}}``, in the order given.
    failed : dict
        ``{problem: {method: why}}`` of those that no setting could train.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> runs, failed = run_board(["ESZSL", "SAE"], [digits_segments()])
    >>> (of,) = runs.values()
    >>> measures = board_measures(n_resamples=100)
    >>> for name in ("ACC", "H", "largest hub", "numbers kept"):
    ...     print(name, *(format(measures[name](of[method]).mean, ".3g") for method in of))
    ACC 65 61.9
    H 52.7 28.6
    largest hub 1.55 1.56
    numbers kept 448 448
    """
    settings = settings or {}
    methods = [with_settings(m, settings.get(m.name)) for m in map(resolve_method, methods)]
    tasks = {}
    for problem in problems:
        given = share(problem) if share else problem
        for method in methods:
            tasks[problem, method.name] = method, given, list(seeds), options
    results, store = {}, choices.in_use()
    for (problem, name), result in _results(tasks, executor, store):
        results[problem, name] = result
        if ended is not None:
            ended(name, problem)
    runs, failed = ({p: {} for p in problems} for _ in range(2))
    for problem, name in tasks:
        result, chosen = results[problem, name]
        (failed if isinstance(result, str) else runs)[problem][name] = result
        if chosen is not store:
            store.join(chosen)
    return runs, failed


def with_settings(method, parameters):
    """The method with these parameters and nothing to tune; itself for None."""
    if parameters is None:
        return method
    return replace(method, grid={name: [value] for name, value in parameters.items()})


def _results(tasks, executor, store):
    if executor is None:
        yield from ((key, _entry(*task, store)) for key, task in tasks.items())
        return
    waiting = {executor.submit(_entry, *task, store): key for key, task in tasks.items()}
    for future in as_completed(waiting):
        yield waiting[future], future.result()


def _entry(method, problem, seeds, options, store):
    """The runs of one method on one problem, or why there are none; and the choices asked.

    Another process has its own copy of these.
    """
    if store is not choices.in_use():
        choices.use(store)
    try:
        with threadpool_limits(1):
            return run_table([method], problem, seeds, **options)[method.name], store
    except ValueError as error:
        return str(error), store


_ACCURACIES = ("ACC", "unseen", "seen", "H", "AUSUC")


def board_measures(calibration="chosen", **resamples):
    """The leaderboard's columns: measures of runs for `book.Chapter.measure`, by name.

    ``calibration`` is of seen, unseen, H and pollution, as in `outcome_at`. Hubs are unseen
    classes among the first answers to their test images: the largest over the mean, and the
    skewness. ``resamples`` are options of `zero_shot_estimate`.
    """
    hubs = hub_measures()
    return {
        **zero_shot_measures(_ACCURACIES, calibration=calibration, **resamples),
        "largest hub": hubs["largest hub over the mean, unseen"],
        "skewness of N_1": hubs["skewness of N_1, unseen"],
        "pollution": pollution_measure(calibration),
        "seconds": over_runs(lambda run: run.outcome.cost["seconds"], same_items=False),
        "numbers kept": over_runs(lambda run: run.outcome.cost["numbers"], same_items=True),
    }


def with_origins(rows):
    """The rows with ``family`` and ``year`` of their methods; of each data set best H first."""
    rows = list(rows)
    sets = list(dict.fromkeys(row["dataset"] for row in rows))
    best = {
        (row["dataset"], row["method"]): -row["value"].mean for row in rows if row["metric"] == "H"
    }
    for row in sorted(
        rows, key=lambda row: (sets.index(row["dataset"]), best[row["dataset"], row["method"]])
    ):
        year, family = ORIGINS.get(row["method"], UNKNOWN)
        yield row | {"family": family, "year": year}


def with_published(rows, published):
    """The rows, then those of a published run for other systems and data; ``run`` says which."""
    rows = list(rows)
    here = {(row["dataset"], row["method"]) for row in rows}
    metrics = {row["metric"] for row in rows}
    for row in rows:
        yield row | {"run": "this"}
    for row in published:
        pair = row.get("dataset"), row.get("method")
        if row["metric"] in metrics and all(pair) and pair not in here:
            yield row | {"run": "published"}


def not_trained(failed):
    """In words: which systems no setting could train, where and why; of `run_board`."""
    told = [
        f"{name} on {problem.name} ({why})"
        for problem, of in failed.items()
        for name, why in of.items()
    ]
    return (
        f"Not trained: {'; '.join(told)}."
        if told
        else "Every system was trained on every data set."
    )


def paired(rows, x, y):
    """Means of two metrics of each system on each data set: ``{dataset: {method: (x, y)}}``."""
    values = {(row["dataset"], row["method"], row["metric"]): row["value"].mean for row in rows}
    found = {}
    for dataset, method, metric in values:
        if metric == x and (dataset, method, y) in values:
            place = values[dataset, method, x], values[dataset, method, y]
            found.setdefault(dataset, {})[method] = place
    return found


def correlations(rows, x, y):
    """Rows of Spearman's correlation of two metrics over the systems of each data set."""
    for dataset, of in paired(rows, x, y).items():
        a, b = np.transpose(list(of.values()))
        rho = stats.spearmanr(a, b).statistic if np.ptp(a) and np.ptp(b) else 0.0
        metric = f"rank correlation of {x} and {y}"
        yield {"metric": metric, "method": "all", "dataset": dataset, "value": float(rho)}


def mean_ranks(rows, metric):
    """Rows of each method's mean rank over the data sets by a metric, 1 for the largest.

    A method without a number on some data set comes last there. Intervals are over data sets.
    """
    rows = [row for row in rows if row["metric"] == metric]
    sets, methods = (list(dict.fromkeys(row[of] for row in rows)) for of in ("dataset", "method"))
    values = np.full((len(sets), len(methods)), -np.inf)
    for row in rows:
        values[sets.index(row["dataset"]), methods.index(row["method"])] = row["value"].mean
    ranks = stats.rankdata(-values, axis=1)
    of = dict(zip(methods, ranks.T, strict=True))
    found = {method: mean_estimate(own, unit="data sets") for method, own in of.items()}
    for method in sorted(methods, key=lambda m: found[m].mean):
        yield {"metric": f"rank by {metric}", "method": method, "value": found[method]}


def critical_difference(n_methods, n_datasets, *, level=0.95):
    """Nemenyi's: mean ranks that differ by less are not told apart (Demšar 2006, section 3.2.2).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # the example of the paper
    1.25
    """
    q = stats.studentized_range.ppf(level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def leading(ranks, difference):
    """Names of the methods whose mean rank is within ``difference`` of the best one's."""
    best = min(row["value"].mean for row in ranks)
    return [row["method"] for row in ranks if row["value"].mean - best <= difference]


def explained(rows, factors):
    r"""Rows of the share of the variance of some values that each factor explains.

    Of each data set its mean is taken off. With W the sum of squares about the means of the g
    groups of a factor, and T that of all n values, the share is Kelley's :math:`\epsilon^2 = 1 -
    \frac{W / (n - g)}{T / (n - 1)}`: factors of many groups gain nothing by their number. At
    least 0.

    Parameters
    ----------
    rows : sequence of dict
        Of one metric.
    factors : dict of str to callable
        ``factor(row)`` names the row's group.
    """
    rows = list(rows)
    means = _group_means(rows, [row["value"].mean for row in rows], lambda row: row["dataset"])
    values = np.array([row["value"].mean for row in rows]) - means
    n, total = len(rows), float(values @ values)
    for name, factor in factors.items():
        groups = len({factor(row) for row in rows})
        within = values - _group_means(rows, values, factor)
        share = 0.0
        if total and n > groups:
            share = max(0.0, 1 - float(within @ within) / (n - groups) * (n - 1) / total)
        yield {"metric": "share of variance explained", "method": name, "value": share}


def _group_means(rows, values, group):
    """For each row the mean value of its group."""
    groups = np.array([str(group(row)) for row in rows])
    values = np.asarray(values, dtype=np.float64)
    return np.array([values[groups == own].mean() for own in groups])


FACTORS = {
    "calibration": lambda row: row["calibration"],
    "family": lambda row: ORIGINS.get(row["method"], UNKNOWN)[1],
    "year": lambda row: ORIGINS.get(row["method"], UNKNOWN)[0],
    "system": lambda row: row["method"],
}
"""What may explain a number of the leaderboard: see `explained`."""


def teaches(ranks, correlations, n_datasets):
    """What the leaderboard teaches, in words, from `mean_ranks` and `correlations` of hubs."""
    ranks, n = list(ranks), n_datasets
    difference = critical_difference(len(ranks), n)
    first, *near = leading(ranks, difference)
    few = f": {', '.join(near)}" if 0 < len(near) < 6 else ""
    rho = [row["value"] for row in correlations]
    negative = sum(r < 0 for r in rho)
    hubs = {
        0: "The more accurate systems do not have the smaller hubs",
        n: "The more accurate systems have the smaller hubs",
    }.get(negative, "Whether the more accurate systems have the smaller hubs depends on the data")
    return (
        f"By mean rank {first} leads {len(ranks)} systems in zero-shot accuracy. Ranks over {n} "
        f"data sets must differ by {difference:.1f} to be told apart, and {len(near)} others are "
        f"nearer than that{few}. {hubs}: the rank correlation of accuracy and largest hub "
        f"is {min(rho):.2f} to {max(rho):.2f}, negative on {negative} of {n} data sets."
    )
