"""Versions of Algorithm 1 of Guo et al. (2019), as it may be read: what each does and costs."""

import math
import time
from functools import partial
from itertools import product

import numpy as np

from book.shown import NOT_TRAINED
from chapters.dark.comparison import with_printed_steps
from zslib.arrays import to_host
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import assess, image_scores
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS
from zslib.protocols.attributes.training import answers, fitted, fitted_stages, trainings
from zslib.protocols.attributes.tuning import tune_zero_shot
from zslib.protocols.intervals import Estimate, mean_estimate, paired_difference

READINGS = {"chosen": "as validation chooses", "fixed": "margins and weights fixed"}
"""What a step follows in the chapters on the parts of DARK, and what figures call it."""
# All that is not printed and stays the same under both.
COMMON = {**ZERO_SHOT_METHODS["DARK"].fixed, "objective_every": None}


def gradients(problem):
    """What the gradient of `DARK` follows on a problem under each of `READINGS`.

    With the printed step and penalty, and the choice of the chapter on the ablation.
    """
    chosen = tune_zero_shot(with_printed_steps("DARK"), problem).parameters["gradient"]
    return {"chosen": chosen, "fixed": "fixed"}


def in_readings(problem, train):
    """What ``train(gradient)`` gives under each of `READINGS`, trained once where they agree.

    It gives trainings by name, and why others fail; of all readings the latter come second.
    """
    asked = gradients(problem)
    done = {gradient: train(gradient) for gradient in dict.fromkeys(asked.values())}
    failed = {name: why for _, failures in done.values() for name, why in failures.items()}
    return {reading: done[gradient][0] for reading, gradient in asked.items()}, failed


# What an iteration is, steps between refreshes of margins and weights, deviation of the start
# (one over the root of the rank gives projections of length about 1), what the gradient follows,
# and whether sums over rivals are averaged.
_SMALL = DARK().rank ** -0.5
VERSIONS = {
    "A": ("step", 10, _SMALL, "fixed", False),
    "B": ("step", 10, 1.0, "fixed", False),
    "C": ("pass", 10, _SMALL, "fixed", False),
    "D": ("pass", 10, 1.0, "fixed", False),
    "E": ("pass", 1, _SMALL, "fixed", False),
    "F": ("pass", 1, 1.0, "fixed", False),
    "G": ("pass", 1, _SMALL, "fixed", True),
    "H": ("pass", 1, 0.3, "margin", False),
    "I": ("pass", 1, _SMALL, "objective", False),
}


def train_readings(held, seeds, *, n_iter):
    """`DARK` under each reading, one for each seed, trained on what is not ``held`` out.

    None where a training diverges; why others fail comes second.
    """
    calls = {name: partial(_models, name, held, n_iter, seeds) for name in VERSIONS}
    trained, failed = trainings(calls)
    trained |= {name: None for name, why in failed.items() if "diverged" in why}
    return trained, {f"reading {name}": failed[name] for name in failed if name not in trained}


def _models(name, held, n_iter, seeds):
    return [fitted(_model(name, held, n_iter, seed), held) for seed in seeds]


def _model(name, problem, length, seed, **options):
    iteration, refresh_every, init_scale, gradient, averaged = VERSIONS[name]
    model = DARK(
        n_iter=length, drop_at=3 * length // 4, iteration=iteration, refresh_every=refresh_every,
        init_scale=init_scale, gradient=gradient, random_state=seed,
    )  # fmt: skip
    if averaged:  # the same as a step so much smaller, under a penalty so much larger
        rivals = len(problem.seen_classes) - 1
        model.learning_rate /= rivals
        model.regularization *= rivals
    return model.set_params(**options)


def reading_rows(problem, held, trained, pairs):
    """Rows of what each reading does on validation classes, and of differences "a - b"."""
    accuracies = {}
    for name in VERSIONS:
        if name not in trained:
            values = {"validation ACC": NOT_TRAINED}
        elif trained[name] is None:
            values = {"diverges": 1.0, "validation ACC": "diverges", "mean |F|": None}
        else:
            outcomes = [answers(model, held, keep_scores=True) for model in trained[name]]
            accuracies[name] = [outcome.accuracy for outcome in outcomes]
            sizes = [float(np.abs(outcome.scores["zero_shot"]).mean()) for outcome in outcomes]
            values = {"diverges": 0.0, "validation ACC": mean_estimate(accuracies[name])}
            values["mean |F|"] = mean_estimate(sizes)
        for metric, value in values.items():
            yield {"dataset": problem, "reading": name, "metric": metric, "value": value}
    for a, b in pairs:
        both = a in accuracies and b in accuracies
        value = paired_difference(accuracies[a], accuracies[b]) if both else None
        named = {"dataset": problem, "reading": f"{a} - {b}", "metric": "validation ACC"}
        yield named | {"value": value}


def objective_runs(held, trained, names, seeds, *, n_iter):
    """Trainings of some readings by name, one for each seed, those ``trained`` already among them.

    Of a reading that cannot be trained there are none.
    """
    known = {name: trained[name] for name in names if trained.get(name)}
    calls = {
        name: partial(_models, name, held, n_iter, seeds[len(models) :])
        for name, models in known.items()
    }
    return {name: [*known[name], *more] for name, more in trainings(calls)[0].items()}


def objective_curves(trained, names):
    """Rows of the objective along the iterations, with the range over seeds."""
    for name, curves in _objectives(trained, names):
        n_iter = trained[name][0].n_iter
        for i, values in enumerate(curves.T):
            value = Estimate(values.mean(), values.min(), values.max(), len(values))
            yield {"reading": name, "iteration": min(10 * i, n_iter), "value": value}


def objective_ratios(problem, trained, names):
    """Rows of how many times its first and its lowest value the objective is in the end.

    Geometric means over trainings, with Student's t on the logarithms; None where the objective
    goes below zero, as it may.
    """
    for name, curves in _objectives(trained, names):
        first, last = curves[:, 0], curves[:, -1]
        values = {}
        for than, start in (("first", first), ("lowest", curves.min(axis=1))):
            log = mean_estimate(np.log(last / start)) if (curves > 0).all() else None
            values[f"objective, last over {than}"] = log and log.changed(np.exp)
        values["trainings that end above their start, %"] = float(100.0 * (last > first).mean())
        for metric, value in values.items():
            yield {"dataset": problem, "reading": name, "metric": metric, "value": value}


def _objectives(trained, names):
    for name in names:
        if trained.get(name):
            yield name, np.array([model.objective_ for model in trained[name]])


def spans(held):
    """Numbers of steps, by name: one, those between two refreshes, and passages over images."""
    every = DARK().refresh_every
    length = math.ceil(len(held.trainval) / DARK().batch_size)
    return {
        "one step": 1,
        f"{every} steps": every,
        "one passage": length,
        f"{every} passages": every * length,
    }


def change_rows(problem, held, seeds, *, n_iter):
    """Rows of how much U, all margins and all weights of the image view change in some steps.

    Of reading F.
    """
    steps_of = spans(held)
    length, longest = steps_of["one passage"], max(steps_of.values())
    codes = np.searchsorted(held.seen_classes, held.labels[held.trainval])
    X = to_host(held.features)[held.trainval].astype(float)
    S = to_host(held.class_embeddings)[held.seen_classes].astype(float)

    def state(model):
        U, V = (to_host(a).astype(float) for a in (model.U_, model.V_))
        view = assess(image_scores(U, V, X, S), codes, margin=model.margin, soft=True)
        return {"U": U, "margins ε": view.margins, "weights Δ": view.weights}

    total = n_iter * length
    moments = {"start": 0, "middle": total // 2, "end": max(total - longest, 0)}
    stages = sorted({m + steps for m in moments.values() for steps in (0, *steps_of.values())})
    options = {"iteration": "step", "drop_at": 3 * n_iter // 4 * length}
    options |= {"n_iter": stages[-1], "objective_every": None}
    models = [_model("F", held, n_iter, seed, **options) for seed in seeds]
    trained = [fitted_stages(model, held, stages) for model in models]
    at = dict(zip(stages, zip(*trained, strict=True), strict=True))
    for (moment, begin), (span, steps) in product(moments.items(), steps_of.items()):
        pairs = [(state(a), state(b)) for a, b in zip(at[begin], at[begin + steps], strict=True)]
        for what in pairs[0][0]:
            shares = [
                100 * np.linalg.norm(after[what] - before[what]) / np.linalg.norm(before[what])
                for before, after in pairs
            ]
            named = {"dataset": problem, "metric": "relative change, %", "what": what}
            yield named | {"moment": moment, "span": span, "value": float(np.mean(shares))}


_USUAL = {"samples n": 2000, "classes k": 64, "rank r": 64}
_SMALLEST = {"samples n": 500, "classes k": 64, "rank r": 32}


def step_times(n_repeats, *, quick=False, seed=0):
    """Seconds of a step with all samples: ``{what is varied: {size: repetitions}}``.

    Each size is twice the one before.
    """
    doublings = range(4 if quick else 5)
    times = {what: {n * 2**i: [] for i in doublings} for what, n in _SMALLEST.items()}
    _seconds_per_step(*_USUAL.values(), seed)  # the first run warms up
    for _, (what, sizes) in product(range(n_repeats), times.items()):
        for size, seconds in sizes.items():
            seconds.append(_seconds_per_step(*(_USUAL | {what: size}).values(), seed))
    return times


def _seconds_per_step(n, k, r, seed):
    """A longer fit less a shorter one, so that what is done once cancels."""
    rng = np.random.default_rng(seed)
    X, S = (rng.standard_normal(shape).astype(np.float32) for shape in ((n, 256), (k, 64)))
    options = {"batch_size": n, "refresh_every": 1, "objective_every": None}
    times = []
    for steps in (1, 5):
        model = DARK(r, n_iter=steps, init_scale=0.01, random_state=0, **options)
        begun = time.perf_counter()
        model.fit(X, np.arange(n) % k, S)
        times.append(time.perf_counter() - begun)
    return max(times[1] - times[0], 1e-6) / 4


def time_rows(times):
    """Rows of `step_times` in milliseconds, median and range, beside a line of slope 1."""
    for what, by_size in times.items():
        middle = {size: 1e3 * np.median(seconds) for size, seconds in by_size.items()}
        last = max(middle)
        for size, seconds in by_size.items():
            ends = 1e3 * min(seconds), 1e3 * max(seconds)
            value = Estimate(middle[size], *ends, len(seconds))
            named = {"varied": what, "size": size}
            yield named | {"line": "measured", "value": value}
            yield named | {"line": "linear", "value": middle[last] * size / last}


def slope_rows(times):
    """Rows of the slope in log-log of `step_times`, over all sizes and over the two largest."""
    for what, by_size in times.items():
        sizes, table = np.log(list(by_size)), np.log(list(by_size.values())).T
        for metric, start in (("slope of time per step", 0), ("slope at the end", -2)):
            slopes = [np.polyfit(sizes[start:], row[start:], 1)[0] for row in table]
            value = mean_estimate(slopes, unit="repetitions")
            yield {"metric": metric, "what": what, "timing": True, "value": value}
