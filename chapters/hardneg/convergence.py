"""How soon metric learners converge: the size of a step, and epochs to a share of the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chapters.hardneg.ratios import fixed_method, lasting_method
from zslib.protocols.attributes.curves import zero_shot_curves
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.attributes.tuning import split_validation_classes
from zslib.protocols.intervals import Estimate, mean_estimate, paired_difference
from zslib.protocols.tidy import row

__all__ = [
    "accuracy_rows",
    "convergence_rows",
    "epochs_needed",
    "mining_curves",
    "try_batch_sizes",
]


def try_batch_sizes(
    problem, sizes, seeds, *, n_epochs, fraction, quick=False, device="cpu", flat=1.0
):
    """Trainings of Bucher's original on validation classes, from large steps to small ones.

    Up to the first size whose accuracy rises by less than ``flat`` points from the third quarter
    of the epochs to the last, means over the quarters and the runs. A dict for each: the
    ``size``, the ``rise``, the accuracy at the ``end``, and the ``parameters`` of the method,
    chosen once, with the largest size.
    """
    given = {"n_epochs": n_epochs, "batch_size": sizes[-1]}
    original = lasting_method("Bucher", None, problem, quick=quick, **given)
    n_epochs = original.fixed["n_epochs"]
    split = split_validation_classes(problem, fraction=fraction, seed=seeds[0])
    held_out = split.validation_problem(seed=seeds[0])
    options = {"split": "random", "fraction": fraction, "device": device, "quick": quick}
    largest = replace(original, fixed={**original.fixed, "batch_size": sizes[0]})
    chosen = run_zero_shot(largest, problem, seed=seeds[0], **options).parameters
    quarter = max(n_epochs // 4, 1)
    found = []
    for size in sizes:
        shared = chosen | {"n_epochs": n_epochs, "batch_size": size}
        curve = zero_shot_curves(original, held_out, seeds, parameters=shared, device=device)
        mean = curve.mean(axis=(0, 2))
        rise = mean[-quarter:].mean() - mean[-2 * quarter : -quarter].mean()
        found.append({"size": size, "rise": rise, "end": mean[-1], "parameters": shared})
        if rise < flat:
            break
    return found


def mining_curves(names, problem, ratios, seeds, parameters, *, growth, device="cpu"):
    """`zero_shot_curves` of the cells ``(name, ratio)``, all with these parameters."""
    return {
        (name, ratio): zero_shot_curves(
            fixed_method(name, growth, negatives_per_positive=ratio),
            problem,
            seeds,
            parameters=parameters,
            device=device,
        )
        for name in names
        for ratio in ratios
    }


def accuracy_rows(curves, problem):
    """Accuracy of the cells after each epoch, and the last method's lead at three of them."""
    *others, best = dict.fromkeys(name for name, _ in curves)
    over_classes = {"same_items": True, "unit": "classes"}
    for (name, ratio), values in curves.items():
        n = values.shape[1]
        for epoch in range(1, n + 1):
            value = mean_estimate(values[:, epoch - 1], **over_classes)
            yield row(problem, "ACC", name, value, ratio=ratio, epoch=epoch)
        for epoch in dict.fromkeys((2, n // 2, n)) if name in others else ():
            pair = curves[best, ratio][:, epoch - 1], values[:, epoch - 1]
            lead = paired_difference(*pair, **over_classes)
            yield row(problem, "ACC", f"{best} - {name}", lead, ratio=ratio, epoch=epoch)


def epochs_needed(curves, share, mark):
    """First epochs, (…, n_runs) for each cell, at which (…, n_runs, n_epochs) reach a mark.

    The "own" mark is a share of a run's final accuracy; the "common" one that share of the lowest
    final accuracy of the cells, means over the runs. Where a run never reaches it, that is one
    epoch more than there are.
    """
    lowest = np.min([values[..., -1].mean(axis=-1) for values in curves.values()], axis=0)
    found = {}
    for cell, values in curves.items():
        goal = values[..., -1:] if mark == "own" else lowest[..., None, None]
        reached = values >= share * goal
        first = reached.argmax(axis=-1) + 1
        found[cell] = np.where(reached.any(axis=-1), first, values.shape[-1] + 1)
    return found


def convergence_rows(curves, share, problem, *, n_resamples=1000, random_state=0):
    """Epochs of the cells to both marks, and how many times faster one is than another.

    ``curves`` are of single classes, (n_runs, n_epochs, C). Intervals are a bootstrap of classes
    and runs, common to all cells. Where a run never reaches the common mark, there is no value.
    """
    names, ratios = (list(dict.fromkeys(part)) for part in zip(*curves, strict=True))
    n_runs, n_epochs, n_classes = next(iter(curves.values())).shape
    rng = np.random.default_rng(random_state)
    of_classes, of_runs = (
        rng.multinomial(n, np.full(n, 1 / n), size=n_resamples) / n for n in (n_classes, n_runs)
    )
    means = {cell: values.mean(axis=-1) for cell, values in curves.items()}
    drawn = {c: np.einsum("sec,rc->rse", values, of_classes) for c, values in curves.items()}

    def estimate(statistic, needed, resampled):
        draws = (statistic(resampled) * of_runs).sum(axis=-1)
        low, high = np.quantile(draws, [0.025, 0.975])
        mean = float(statistic(needed).mean())
        return Estimate(mean, float(low), float(high), n_runs, "classes", n_classes)

    for mark in ("own", "common"):
        both = epochs_needed(means, share, mark), epochs_needed(drawn, share, mark)
        missed = {cell: int((epochs > n_epochs).sum()) for cell, epochs in both[0].items()}

        def times(pairs, both=both, missed=missed):
            if any(missed[cell] for pair in pairs for cell in pair):
                return None
            found = estimate(lambda n: np.mean([np.log(n[a] / n[b]) for a, b in pairs], 0), *both)
            ends = {end: float(np.exp(getattr(found, end))) for end in ("mean", "low", "high")}
            return replace(found, **ends)

        for name, ratio in curves:
            cell = name, ratio
            value = None if missed[cell] else estimate(lambda n, cell=cell: n[cell], *both)
            yield row(problem, "epochs to converge", name, value, ratio=ratio, mark=mark)
            if mark == "common":
                metric = "runs that never reach the common mark"
                yield row(problem, metric, name, missed[cell], ratio=ratio)
        metric = "times faster to converge"
        for slow in names[:-1]:
            pairs = [((slow, ratio), (names[-1], ratio)) for ratio in ratios]
            faster = row(problem, metric, f"{slow} / {names[-1]}", times(pairs), mark=mark)
            for pair, ratio in zip(pairs, ratios, strict=True):
                yield faster | {"ratio": ratio, "value": times([pair])}
            yield faster | {"over": "both ratios"}
        value = times([((name, ratios[0]), (name, ratios[-1])) for name in names])
        yield row(problem, metric, "one / most negatives", value, mark=mark)
