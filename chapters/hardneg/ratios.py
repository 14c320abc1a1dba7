"""Metric learners by the number of negatives for each image: their cells and differences."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import stats

from chapters.hardneg.mining import ways
from chapters.hardneg.problems import seen_candidates
from chapters.leaderboard.ranks import rank_correlation
from zslib.arrays import take_rows, to_host
from zslib.datasets import load_problem
from zslib.protocols.attributes.crossing import cross_fit, crossed_problems
from zslib.protocols.attributes.methods import HARD_NEGATIVE_METHODS, ZERO_SHOT_METHODS
from zslib.protocols.attributes.runs import run_table, run_zero_shot
from zslib.protocols.attributes.training import trainings
from zslib.protocols.intervals import Estimate, statistic_over_classes

SECOND = "Bucher, second choice"


def fixed_method(name, growth, **fixed):
    """A row of Table 1 with these parameters; Bucher's original keeps no old negatives."""
    method = HARD_NEGATIVE_METHODS[name]
    grows = {} if name == "Bucher" else {"growth": growth}
    return replace(method, fixed={**method.fixed, **grows, **fixed})


def lasting_method(name, growth, problem, *, quick=False, steps=1000, **fixed):
    """`fixed_method` with as many epochs, or more, as make so many SGD steps, unless ``quick``."""
    method = fixed_method(name, growth, **fixed)
    if quick:
        return method
    batches = -(-len(problem.trainval) // method.estimator().batch_size)
    epochs = max(method.fixed["n_epochs"], math.ceil(steps / batches))
    return fixed_method(name, growth, **fixed | {"n_epochs": epochs})


def table_methods(problem, negatives, growth, *, fraction, quick=False):
    """The rows of Table 1 for one data set, and IAP.

    The metric learners have ``negatives`` for each image, or as many as there are while a
    ``fraction`` of the seen classes is held out. ESZSL's score is an inner product, so that it
    gets class vectors of length one. SSE has a smaller grid than elsewhere, to save time.
    """
    if not seen_candidates(problem).q_varies:
        negatives = min(negatives, int((1.0 - fraction) * len(problem.seen_classes)) - 1)
    changes = {
        "ESZSL": {"fixed": {"unit_embeddings": True}},
        "SSE": {
            "grid": {"mixture_penalty": (1.0, 3.0)},
            "fixed": {"n_epochs": 2 if quick else 10},
        },
    }
    methods = [
        replace(ZERO_SHOT_METHODS[name], **changes.get(name, {}))
        for name in ("DAP", "IAP", "ESZSL", "SSE", "JLSE", "BiDiLEL")
    ]
    for name in ways(problem, HARD_NEGATIVE_METHODS):
        count = {} if name == "Bucher" else {"negatives_per_positive": negatives}
        methods.append(lasting_method(name, growth, problem, quick=quick, **count))
    return methods


def second_choice(method, problem, runs, **options):
    """Runs like these of a method, with the settings that came second on validation classes."""
    tuned, used = runs[0].tuned, runs[0].parameters
    others = [trial["parameters"] for trial in tuned.ranked if trial["parameters"] != used]
    if not others:
        raise ValueError(f"no settings of {method.name} but one could be trained")
    options["parameters"] = others[0]
    return [run_zero_shot(method, problem, seed=run.seed, **options) for run in runs]


def second_choices(methods, runs, **options):
    """Runs of *uncertainty* and the `second_choice` of Bucher's original, and why there are none.

    Both by problem, as are the ``methods`` and their ``runs``.
    """
    calls = {
        p: partial(second_choice, method, p, by_method["Bucher"], **options)
        for p, by_method in runs.items()
        for method in methods[p]
        if method.name == "Bucher" and {"uncertainty", "Bucher"} <= by_method.keys()
    }
    second, failed = trainings(calls)
    choices = {p: {"uncertainty": runs[p]["uncertainty"], SECOND: of} for p, of in second.items()}
    return choices, failed


def crossed_runs(methods, runs, folds, seeds, *, earlier, device="cpu"):
    """Every class unseen once: the metric learners and each problem's ``earlier`` systems.

    Their settings are those of their ``runs``. By problem and method, as are ``methods`` and
    ``runs``; and what failed, why.
    """
    crossed, failed = {}, {}
    for p, by_method in runs.items():
        calls = {}
        for method in methods[p]:
            if method.name in {*HARD_NEGATIVE_METHODS, *earlier[p]} & by_method.keys():
                chosen = by_method[method.name][0].parameters
                train = partial(run_table, [method], parameters=chosen, device=device)
                calls[method.name] = partial(cross_fit, train, p, folds, seeds)
        trained, failed[p] = trainings(calls)
        crossed[p] = {name: of[name] for name, of in trained.items()}
    return crossed, failed


def steadiness(a, b):
    """How many times the standard deviation of ACC over runs ``b`` those of ``a`` have.

    The interval is that of normal samples, from the F distribution. None for a single run.
    """
    if len(a) < 2:
        return None
    above, below = (np.var([run.outcome.accuracy for run in runs]) for runs in (a, b))
    times = np.sqrt(above / below)
    low, high = (times / np.sqrt(stats.f.ppf(q, len(a) - 1, len(b) - 1)) for q in (0.975, 0.025))
    return Estimate(float(times), float(low), float(high), len(a), "runs", len(a))


def gain_where_classes_are_alike(problem, runs, others):
    """Rank correlation, over classes, of the gain over ``others`` with how near a rival is.

    The gain in accuracy is the mean of cross-fitted ``runs``; a class is as near to its nearest
    rival as its attributes are to the nearest ones of another class.
    """
    classes = np.unique(runs[0].true)
    V = to_host(take_rows(problem.class_embeddings, classes)).astype(float)
    apart = np.linalg.norm(V[:, None] - V, axis=2) + np.diag(np.full(len(V), np.inf))
    near = -apart.min(axis=1)
    pairs = zip(runs, others, strict=True)
    gain = np.mean([a.class_accuracies() - b.class_accuracies() for a, b in pairs], axis=0)

    def correlation(run, some):
        return rank_correlation(gain[some], near[some])

    found = statistic_over_classes(correlation, 1, len(classes))
    return replace(found, n_seeds=len(runs))


def fewest_negatives(problem, folds):
    """Vectors of other classes that every image of every fold has at least."""
    return min(seen_candidates(part).fewest for part in crossed_problems(problem, folds))


def tested_before(problem):
    """Number of unseen classes among CUB's validation classes, on which defaults were set."""
    if problem.name != "cub":
        return 0
    proposed = load_problem("metric learning", "cub", split="proposed")
    looked_at = proposed.class_names[np.unique(proposed.labels[proposed.val])]
    return len(np.intersect1d(looked_at, problem.class_names[problem.unseen_classes]))


def best_methods(accuracies):
    """Names of the best method that mines and of the best earlier one, by their accuracies.

    Earlier methods are all that the paper does not propose, Bucher's original among them.
    """
    mined = [name for name in accuracies if name.startswith("uncertainty")]
    earlier = [name for name in accuracies if name not in (*mined, "random")]
    groups = {"best mined": mined, "best earlier": earlier}
    return {what: max(names, key=accuracies.get) for what, names in groups.items() if names}


def run_ratios(
    names, problem, ratios, folds, seeds, *, n_epochs, growth, fraction, seed=0, quick=False,
    **options,
):  # fmt: skip
    """Cross-fitted cells ``(name, ratio)``, and what all of them share: parameters and epochs.

    These are chosen on validation classes of the problem's own split for Bucher's original.
    """
    original = lasting_method("Bucher", growth, problem, quick=quick, n_epochs=n_epochs)
    split = {"split": "random", "fraction": fraction}
    tuned = run_zero_shot(original, problem, seed=seed, quick=quick, **split, **options)
    n_epochs = original.fixed["n_epochs"]
    cells = {
        (name, ratio): replace(
            fixed_method(name, growth, n_epochs=n_epochs, negatives_per_positive=ratio),
            name=f"{name}, {ratio}",
        )
        for name in ways(problem, names)
        for ratio in ratios
    }

    train = partial(run_table, list(cells.values()), parameters=tuned.parameters, **options)
    table = cross_fit(train, problem, folds, seeds)
    runs = {cell: table[method.name] for cell, method in cells.items()}
    return runs, tuned.parameters | {"n_epochs": n_epochs}


def ratio_differences(cells):
    """The differences that section 3.2 argues with, for the cells ``(name, ratio)`` there are.

    Yields columns of a record, and the cells on both sides, whose means are compared.
    """
    names, ratios = (list(dict.fromkeys(part)) for part in zip(*cells, strict=True))
    selected = [(name, ratio) for name in names if name != "random" for ratio in ratios]
    everything = {"over": "all ratios"}
    random = [("random", ratio) for ratio in ratios]
    yield {"method": "selected - random"} | everything, selected, random
    yield {"method": "selected - Bucher"} | everything, selected, [("random", 1)]
    most, one = ([(name, ratio) for name in names] for ratio in (ratios[-1], 1))
    for plus, minus in zip(most, one, strict=True):
        yield {"method": f"{plus[0]}: most - one"}, [plus], [minus]
    yield {"method": "most - one", "over": "all methods"}, most, one


class MeanOfCells:
    """Accuracy of several cells under one seed as one, so that seeds stay the sample.

    All were tested on the same images.
    """

    def __init__(self, parts):
        self.parts, self.checksum = parts, parts[0].checksum

    @classmethod
    def of(cls, runs, cells):
        """One for each seed."""
        return [cls(seed) for seed in zip(*(runs[cell] for cell in cells), strict=True)]

    def labels(self, measure):
        return self.parts[0].labels(measure)

    def value(self, measure):
        return float(np.mean([part.value(measure) for part in self.parts]))

    def right(self, measure):
        return np.mean([part.right(measure) for part in self.parts], axis=0)


def gain_rows(cells, accuracy):
    """Rows of the `ratio_differences` of runs, by a measure: cells are averaged within a run."""
    for columns, plus, minus in ratio_differences(cells):
        value = accuracy(MeanOfCells.of(cells, plus), MeanOfCells.of(cells, minus))
        yield {"metric": "ACC", **columns, "value": value}


def printed_gains(cells):
    """The `ratio_differences` of printed cells, by method."""

    def mean(names):
        return np.mean([cells[cell].mean for cell in names])

    return {
        columns["method"]: float(mean(plus) - mean(minus))
        for columns, plus, minus in ratio_differences(cells)
    }
