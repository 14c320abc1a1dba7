"""How soon metric learners converge: the size of a step, and epochs to a share of the end."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from sklearn.base import clone

from chapters.hardneg.ratios import fixed_method, lasting_method
from zslib.arrays import take_rows, to_host
from zslib.metrics import class_accuracies
from zslib.protocols.attributes.evaluate import fit_on
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.attributes.tuning import split_validation_classes
from zslib.protocols.intervals import Estimate, class_draws, over_runs
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row


def epoch_accuracies(fitted, problem):
    """Accuracy of each unseen class, percent, after each epoch that is kept: (n_epochs, C).

    Means over the classes are per-class accuracies, ACC.
    """
    tests = take_rows(problem.features, problem.test_unseen)
    candidates = take_rows(problem.class_embeddings, problem.unseen_classes)
    true, accuracies = problem.labels[problem.test_unseen], []
    for epoch in range(1, len(fitted.learning_curve_) + 1):
        best = to_host(fitted.at_epoch(epoch).predict(tests, candidates))
        accuracies.append(100.0 * class_accuracies(true, problem.unseen_classes[best]))
    return np.array(accuracies)


def accuracy_by_epoch(model, problem):
    """`epoch_accuracies` of one training of a `MetricLearner` on ``trainval``."""
    keeping = clone(model).set_params(keep_epochs=True)
    return epoch_accuracies(fit_on(problem.trainval, keeping, problem), problem)


def zero_shot_curves(method, problem, seeds, *, parameters, device="cpu"):
    """`accuracy_by_epoch` for several seeds, (n_seeds, n_epochs, C), with results kept on disk.

    ``parameters`` are of the estimator; they replace the method's own fixed ones.
    """
    models = [method.estimator(seed=seed, **parameters) for seed in seeds]
    return np.stack([kept(accuracy_by_epoch, model, problem, device=device) for model in models])


def try_batch_sizes(problem, sizes, seeds, *, n_epochs, fraction, quick=False, device="cpu"):
    """Trainings of Bucher's original on validation classes, from large steps to small ones.

    Up to the first size whose accuracy rises by less than a point from the third quarter of the
    epochs to the last, means over the quarters and the runs. A dict for each: the ``size``, the
    ``rise``, the accuracy at the ``end``, and the ``parameters`` of the method, chosen once, with
    the largest size.
    """
    fixed = {"n_epochs": n_epochs, "batch_size": sizes[-1]}  # epochs enough for small steps
    original = lasting_method("Bucher", None, problem, quick=quick, **fixed)
    n_epochs = original.fixed["n_epochs"]
    split = split_validation_classes(problem, fraction=fraction, seed=seeds[0])
    held_out = split.validation_problem(seed=seeds[0])
    largest = replace(original, fixed={**original.fixed, "batch_size": sizes[0]})
    options = {"split": "random", "fraction": fraction, "device": device, "quick": quick}
    chosen = run_zero_shot(largest, problem, seed=seeds[0], **options).parameters
    quarter = max(n_epochs // 4, 1)
    trials = []
    for size in sizes:
        shared = chosen | {"n_epochs": n_epochs, "batch_size": size}
        curves = zero_shot_curves(original, held_out, seeds, parameters=shared, device=device)
        mean = curves.mean(axis=(0, 2))
        rise = mean[-quarter:].mean() - mean[-2 * quarter : -quarter].mean()
        trials.append({"size": size, "rise": rise, "end": mean[-1], "parameters": shared})
        if rise < 1.0:
            break
    return trials


def mining_curves(names, problem, ratios, seeds, parameters, *, growth, device="cpu"):
    """`zero_shot_curves` of the cells ``(name, ratio)``, all with these parameters."""
    options = {"parameters": parameters, "device": device}
    curves = {}
    for name, ratio in product(names, ratios):
        method = fixed_method(name, growth, negatives_per_positive=ratio)
        curves[name, ratio] = zero_shot_curves(method, problem, seeds, **options)
    return curves


def accuracy_rows(curves, problem):
    """Accuracy of the cells after each epoch, and the last method's lead at three of them."""
    *others, best = dict.fromkeys(name for name, _ in curves)
    accuracy = over_runs(np.asarray, same_items=True, unit="classes")
    for (name, ratio), values in curves.items():
        n = values.shape[1]
        for epoch, own in enumerate(values.swapaxes(0, 1), 1):
            columns = {"ratio": ratio, "epoch": epoch}
            yield row(problem, "ACC", name, accuracy(own), **columns)
            if name in others and epoch in (2, n // 2, n):
                lead = accuracy(curves[best, ratio][:, epoch - 1], own)
                yield row(problem, "ACC", f"{best} - {name}", lead, **columns)


def epochs_needed(curves, share, mark):
    """First epochs, (…, n_runs) for each cell, at which (…, n_runs, n_epochs) reach a mark.

    The "own" mark is a share of a run's final accuracy; the "common" one that share of the lowest
    final accuracy of the cells, means over the runs. Where a run never reaches it, that is one
    epoch more than there are.
    """
    lowest = np.min([values[..., -1].mean(axis=-1) for values in curves.values()], axis=0)
    epochs = {}
    for cell, values in curves.items():
        goal = values[..., -1:] if mark == "own" else lowest[..., None, None]
        reached = values >= share * goal
        first = reached.argmax(axis=-1) + 1
        epochs[cell] = np.where(reached.any(axis=-1), first, values.shape[-1] + 1)
    return epochs


def convergence_rows(curves, share, problem):
    """Epochs of the cells to both marks, and how many times faster one is than another.

    ``curves`` are of single classes, (n_runs, n_epochs, C). Intervals are a bootstrap of classes
    and runs, common to all cells. Where a run never reaches the common mark, there is no value.
    """
    names, ratios = (list(dict.fromkeys(part)) for part in zip(*curves, strict=True))
    n_runs, n_epochs, n_classes = next(iter(curves.values())).shape
    rng = np.random.default_rng(0)
    classes, runs = (class_draws(n, 1000, rng) / n for n in (n_classes, n_runs))
    exact = {cell: values.mean(axis=-1) for cell, values in curves.items()}
    drawn = {cell: np.einsum("sec,rc->rse", values, classes) for cell, values in curves.items()}
    metric = "times faster to converge"

    *others, best = names
    spans = [({"ratio": ratio}, [ratio]) for ratio in ratios] + [({"over": "both ratios"}, ratios)]

    for mark in ("own", "common"):
        needed, resampled = (epochs_needed(means, share, mark) for means in (exact, drawn))
        missed = {cell: int((epochs > n_epochs).sum()) for cell, epochs in needed.items()}
        estimate = partial(_estimate, needed, resampled, missed, runs, n_classes)
        for name, ratio in curves:
            value = estimate([(name, ratio)])
            yield row(problem, "epochs to converge", name, value, ratio=ratio, mark=mark)
            if mark == "common":
                what, n_missed = "runs that never reach the common mark", missed[name, ratio]
                yield row(problem, what, name, n_missed, ratio=ratio)
        for slow, (columns, span) in product(others, spans):
            value = estimate([(slow, ratio) for ratio in span], [(best, ratio) for ratio in span])
            yield row(problem, metric, f"{slow} / {best}", value, mark=mark, **columns)
        ends = ([(name, ratio) for name in names] for ratio in (ratios[0], ratios[-1]))
        yield row(problem, metric, "one / most negatives", estimate(*ends), mark=mark)


def _estimate(needed, resampled, missed, runs, n_classes, cells, others=()):
    """`Estimate` of a cell's epochs, or of the geometric mean ratio to those of other cells.

    None where a run of these has missed the mark.
    """
    if any(missed[cell] for cell in [*cells, *others]):
        return None

    def statistic(epochs):
        if not others:
            return epochs[cells[0]]
        pairs = zip(cells, others, strict=True)
        return np.mean([np.log(epochs[a] / epochs[b]) for a, b in pairs], axis=0)

    draws = (statistic(resampled) * runs).sum(axis=-1)
    value, n_runs = statistic(needed).mean(), runs.shape[1]
    found = Estimate.of_draws(value, draws, n_runs, "classes", n_classes)
    return found.changed(np.exp) if others else found
