"""What the two weights of CLAREL's loss do: sweeps over each, and the lines of Table 3."""

from dataclasses import replace
from itertools import product

import numpy as np

from chapters.clarel.intervals import joint_estimate
from zslib.metrics import harmonic_mean
from zslib.protocols.pairs.runs import run_clarel, run_image_text, short_clarel
from zslib.protocols.tidy import row

SETS = {"flowers": "FLOWERS", "cub-class-captions": "CUB"}
"""The paper's name of a data set."""
MEASURES = {"H": "H", "unseen": "u", "seen": "s"}
"""Measures, and their short names in the paper."""


def run_at(problem, mix, weight, seeds, **options):
    """`run_clarel` with lambda = ``mix`` and kappa = ``weight``."""
    changes = {"retrieval_mix": mix, "classification_weight": weight}
    return run_clarel(problem, seeds, changes=changes, retrieval=False, **options)


def mean_value(outcomes, measure):
    """A measure, in mean over the outcomes of several trainings."""
    return np.mean([outcome.value(measure) for outcome in outcomes])


def budget_rows(problem, batches, seeds, device, rate):
    """ACC and H on validation data after several numbers of batches; None where training fails."""
    for n in batches:
        model = short_clarel(problem, n_batches=n, learning_rate=rate)
        try:
            run = run_image_text(model, problem, seeds, device=device, test=False)
        except ValueError:
            run = None
        for measure in ("ACC", "H"):
            value = run and run.estimate(measure, "validation", n_resamples=200)
            yield row(problem, f"validation {measure}", "CLAREL", value, batches=n)


def authors_rows(symbol, curves):
    """Rows of the authors' ``curves``, {data: {u, s or H: {x: value}}}, to draw beside ours."""
    names = {"u": "unseen", "s": "seen"}
    for data, lines in curves.items():
        for name, curve in lines.items():
            for x, value in curve.items():
                where = f"{data} by the authors"
                yield row(where, names.get(name, name), "CLAREL", value, **{symbol: x})


def printed_rows(lines):
    """Table 3 of the paper, ``lines``, as rows."""
    metrics = "unseen", "seen", "H"
    for data, (n, line), metric in product(("CUB", "FLOWERS"), lines.items(), metrics):
        yield row(f"{data} (paper)", metric, f"line {n}", line[data][MEASURES[metric]])


def range_rows(problem, symbol, runs, curves, low, high):
    """How far H and both accuracies move on test images within ``low`` to ``high`` of a weight.

    That is the measure with the weight that is best on validation data minus that with the worst
    one there: to pick both on test images would make noise look like a range. Also this minus the
    range of ``curves``, the authors' own {data: {measure: {x: value}}}, on the same data or else
    on those where it is widest, and for kappa H at 1 minus H at 0.5.
    """
    inside = {x: run for x, run in runs.items() if low <= x <= high}
    data = [SETS[problem.name]] if problem.name in SETS else list(curves)
    for measure, short in MEASURES.items() if len(inside) > 1 else ():
        level = {x: mean_value(run.outcomes("validation"), measure) for x, run in inside.items()}
        best, worst = max(level, key=level.get), min(level, key=level.get)
        moved = runs[best].estimate(measure, minus=runs[worst].outcomes())
        yield row(problem, f"range of {measure} from {low:g} to {high:g}", symbol, moved)
        theirs = [[y for x, y in curves[d][short].items() if low <= x <= high] for d in data]
        beyond = moved - max(max(values) - min(values) for values in theirs)
        yield row(problem, f"range of {measure} minus the authors'", symbol, beyond)
    if symbol == "kappa":
        end = runs[1.0].estimate("H", minus=runs[0.5].outcomes())
        yield row(problem, "H", "κ 1 - 0.5", end)


def side_rows(problem, lines):
    """What takes more than two accuracies of the table's ``lines``, their outcomes by name.

    H of line 3 minus half of line 6's, since the interval of a difference is simpler than that of
    a ratio; the gap of seen and unseen accuracy, 6 minus 1; and what the classifiers add to H with
    rescaling, 6 minus 3, minus what they add without, 1 minus 2.
    """

    measures = {"H": harmonic_mean, "gap of seen and unseen": lambda s, u: np.abs(s - u)}
    for metric, method, numbers, combined in (
        ("H", "3 - half of 6", "36", lambda three, six: three - six / 2),
        ("gap of seen and unseen", "6 - 1", "61", lambda six, one: six - one),
        ("H", "(6 - 3) - (1 - 2)", "6312", lambda six, three, one, two: six - three - (one - two)),
    ):

        def value(seen, unseen, measure=measures[metric], combined=combined):
            return combined(*measure(seen, unseen))

        outcomes = [lines[f"line {n}"] for n in numbers]
        yield row(problem, metric, method, joint_estimate(outcomes, value))


def absolute(estimate):
    """The size of an estimate, with the interval of its size."""
    ends = sorted((abs(estimate.low), abs(estimate.high)))
    low = 0.0 if estimate.low <= 0 <= estimate.high else ends[0]
    return replace(estimate, mean=abs(estimate.mean), low=low, high=ends[1])
