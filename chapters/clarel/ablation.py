"""What the two weights of CLAREL's loss do: sweeps over each, and the lines of Table 3."""

from dataclasses import replace

import numpy as np

from chapters.clarel.intervals import joint_estimate
from zslib.metrics import harmonic_mean
from zslib.protocols.pairs.runs import run_clarel, run_image_text, short_clarel
from zslib.protocols.tidy import row


def run_at(problem, mix, weight, seeds, **options):
    """`run_clarel` with lambda = ``mix`` and kappa = ``weight``."""
    changes = {"retrieval_mix": mix, "classification_weight": weight}
    return run_clarel(problem, seeds, changes=changes, retrieval=False, **options)


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
    for data in ("CUB", "FLOWERS"):
        for n, line in lines.items():
            for metric, short in (("unseen", "u"), ("seen", "s"), ("H", "H")):
                yield row(f"{data} (paper)", metric, f"line {n}", line[data][short])


def range_rows(problem, symbol, runs, curves, low, high):
    """How far H moves on test images while a weight goes from ``low`` to ``high``.

    That is H with the weight that is best on validation data less H with the worst one there: to
    pick both on test images would make noise look like a range. Also this less the widest range
    of ``curves``, the authors' own {data: {measure: {x: value}}}, and for kappa H at 1 less H at
    0.5.
    """
    H = {x: run.estimate("H", "validation", n_resamples=100).mean for x, run in runs.items()}
    inside = [x for x in H if low <= x <= high]
    if len(inside) > 1:
        best, worst = max(inside, key=H.get), min(inside, key=H.get)
        moved = runs[best].estimate("H", minus=runs[worst].outcomes())
        yield row(problem, f"range of H from {low:g} to {high:g}", symbol, moved)
        theirs = ([y for x, y in c["H"].items() if low <= x <= high] for c in curves.values())
        beyond = moved - max(max(values) - min(values) for values in theirs)
        yield row(problem, "range of H less the authors'", symbol, beyond)
    if symbol == "kappa":
        end = runs[1.0].estimate("H", minus=runs[0.5].outcomes())
        yield row(problem, "H", "κ 1 - 0.5", end)


def side_rows(problem, lines):
    """H of line 3 less half of line 6's, and the gap of seen and unseen accuracy, 6 less 1.

    ``lines`` has the outcomes of the table's lines. The half, since the interval of a difference
    is simpler than that of a ratio.
    """

    def half(seen, unseen):
        alone, both = harmonic_mean(seen, unseen)
        return alone - both / 2

    def gap(seen, unseen):
        with_it, without = np.abs(seen - unseen)
        return with_it - without

    for metric, method, value, first, second in (
        ("H", "3 - half of 6", half, "line 3", "line 6"),
        ("gap of seen and unseen", "6 - 1", gap, "line 6", "line 1"),
    ):
        yield row(problem, metric, method, joint_estimate([lines[first], lines[second]], value))


def absolute(estimate):
    """The size of an estimate, with the interval of its size."""
    ends = sorted((abs(estimate.low), abs(estimate.high)))
    low = 0.0 if estimate.low <= 0 <= estimate.high else ends[0]
    return replace(estimate, mean=abs(estimate.mean), low=low, high=ends[1])
