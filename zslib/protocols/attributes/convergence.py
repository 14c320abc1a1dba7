"""How soon metric learners converge: the size of a step, and epochs to a share of the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslib.protocols.attributes.curves import epochs_to_share, zero_shot_curves
from zslib.protocols.attributes.ratios import fixed_method, lasting_method
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.attributes.tuning import split_validation_classes
from zslib.protocols.intervals import mean_estimate, paired_difference, paired_ratio
from zslib.protocols.tidy import row

__all__ = ["accuracy_rows", "convergence_rows", "mining_curves", "try_batch_sizes"]


def try_batch_sizes(
    problem, sizes, seeds, *, n_epochs, fraction, quick=False, device="cpu", flat=1.0
):
    """Trainings of Bucher's original on validation classes, from large steps to small ones.

    Up to the first size whose accuracy rises by less than ``flat`` points from the third quarter
    of the epochs to the last, means over the quarters and the runs. A dict for each: the
    ``size``, the ``rise``, the accuracy at the ``end``, and the ``parameters`` of the method.
    """
    seed = seeds[0]
    given = {"n_epochs": n_epochs, "batch_size": sizes[-1]}
    original = lasting_method("Bucher", None, problem, quick=quick, **given)
    split = split_validation_classes(problem, fraction=fraction, seed=seed)
    held_out = split.validation_problem(seed=seed)
    options = {"split": "random", "fraction": fraction, "device": device, "quick": quick}
    quarter = max(original.fixed["n_epochs"] // 4, 1)
    found = []
    for size in sizes:
        sized = replace(original, fixed={**original.fixed, "batch_size": size})
        parameters = run_zero_shot(sized, problem, seed=seed, **options).parameters
        curve = zero_shot_curves(sized, held_out, seeds, parameters=parameters, device=device)
        mean = curve.mean(axis=0)
        rise = mean[-quarter:].mean() - mean[-2 * quarter : -quarter].mean()
        shared = parameters | {"n_epochs": original.fixed["n_epochs"], "batch_size": size}
        found.append({"size": size, "rise": rise, "end": mean[-1], "parameters": shared})
        if rise < flat:
            break
    return found


def mining_curves(problem, names, ratios, seeds, parameters, *, growth, device="cpu"):
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
    for (name, ratio), values in curves.items():
        n = values.shape[1]
        for epoch, value in enumerate(values.T, 1):
            value = mean_estimate(value)
            yield row(problem, "ACC", name, value, ratio=ratio, epoch=epoch)
        for epoch in dict.fromkeys((2, n // 2, n)) if name in others else ():
            lead = paired_difference(curves[best, ratio][:, epoch - 1], values[:, epoch - 1])
            yield row(problem, "ACC", f"{best} - {name}", lead, ratio=ratio, epoch=epoch)


def convergence_rows(curves, share, problem):
    """Epochs of the cells to two marks, and how many times faster one is than another.

    The *own* mark is a share of a run's final accuracy; the *common* one that share of the lowest
    final accuracy of the cells, means over the runs. Where a run never reaches it, there is no
    value.
    """
    names, ratios = (list(dict.fromkeys(part)) for part in zip(*curves, strict=True))
    common = share * min(values[:, -1].mean() for values in curves.values())
    missed = {cell: int((values < common).all(axis=1).sum()) for cell, values in curves.items()}
    needed = {
        "own": {c: [epochs_to_share(run, share) for run in runs] for c, runs in curves.items()},
        "common": {
            c: None if missed[c] else np.argmax(runs >= common, axis=1) + 1
            for c, runs in curves.items()
        },
    }
    for (name, ratio), count in missed.items():
        metric = "runs that never reach the common mark"
        yield row(problem, metric, name, count, ratio=ratio)
        for mark, of in needed.items():
            value = None if of[name, ratio] is None else mean_estimate(of[name, ratio])
            yield row(problem, "epochs to converge", name, value, ratio=ratio, mark=mark)
    metric = "times faster to converge"
    for mark, of in needed.items():
        for slow in names[:-1]:
            pairs = [((slow, ratio), (names[-1], ratio)) for ratio in ratios]
            both = row(problem, metric, f"{slow} / {names[-1]}", _times(of, pairs), mark=mark)
            for pair, ratio in zip(pairs, ratios, strict=True):
                yield both | {"ratio": ratio, "value": _times(of, [pair])}
            yield both | {"over": "both ratios"}
        times = _times(of, [((name, ratios[0]), (name, ratios[-1])) for name in names])
        yield row(problem, metric, "one / most negatives", times, mark=mark)


def _times(needed, pairs):
    """Epochs over epochs, geometric mean over the pairs of cells within each run, then of runs."""
    if any(needed[cell] is None for pair in pairs for cell in pair):
        return None
    logs = [np.log(np.divide(needed[slow], needed[fast])) for slow, fast in pairs]
    times = np.exp(np.mean(logs, axis=0))
    return paired_ratio(times, np.ones(len(times)))
