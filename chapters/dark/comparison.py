"""DARK beside the other systems: counts, leads, calibration and print."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from book.names import called
from book.papers import printed
from book.papers.evidence import join
from zslib.datasets import official_split_summary
from zslib.protocols.attributes.intervals import outcome_at, zero_shot_estimate, zero_shot_measures
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, named
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.tidy import row

# Rows of the paper's Table 2, and what `ZeroShotProblem.summary` calls them.
_TABLE2 = {
    "seen classes": "seen_classes",
    "train seen samples": "train_seen_samples",
    "test seen samples": "test_seen_samples",
    "unseen classes": "unseen_classes",
    "unseen samples": "unseen_samples",
    "attributes": "class_attributes",
}

_PAPERS_GAMMA = printed("dark", "text", "settings", "gamma")

# What Table 3 calls a data set of ours.
_PRINTED_AS = {"CUB": "CUB", "AWA2": "AwA2", "APY": "aPY", "SUN": "SUN"}


def with_printed_steps(name):
    """`DARK` or one of its ablations with the printed step and penalty alone."""
    method = ZERO_SHOT_METHODS[name]
    grid = {key: values for key, values in method.grid.items() if key != "data_weight"}
    return replace(method, grid=grid, fixed={**method.fixed, "data_weight": 1.0})


def count_rows(table, summaries):
    """Rows of counts, printed, in the official files and of ``summaries`` by name.

    Also the largest difference between the first two, None where the files are not here.
    """
    counted = {}
    for name in table:
        with suppress(FileNotFoundError):
            counted[name] = _counts_as_printed(official_split_summary(name.upper()))
    rows = []
    for name, printed_counts in table.items():
        rows.append([f"{name}, printed", *printed_counts.values()])
        if name in counted:
            rows.append([f"{name}, counted", *counted[name].values()])
    rows += [[name, *_counts_as_printed(summary).values()] for name, summary in summaries.items()]
    gaps = [abs(counted[n][what] - table[n][what]) for n in counted for what in table[n]]
    return rows, max(gaps, default=None)


def _counts_as_printed(summary):
    """A problem's or split's summary in the words of Table 2."""
    return {what: summary[key] for what, key in _TABLE2.items()}


def called_gamma(gamma):
    """What rows call a fixed gamma: the paper's is "fixed", and claims ask for that alone."""
    return "fixed" if gamma == _PAPERS_GAMMA else f"γ = {gamma:g}"


def gamma_sentence(runs, gamma):
    """In words: the paper's gamma, and DARK's on each data set of ``{data: {method: runs}}``."""
    own = [
        f"{by['DARK'][0].gamma:.2g} on {called(data)}" for data, by in runs.items() if "DARK" in by
    ]
    chosen = f" Validation classes choose for DARK {', '.join(own)}." if own else ""
    who = "The paper takes" if gamma == _PAPERS_GAMMA else "Not the paper but this run takes"
    return f"{who} the same $\\gamma$ of {gamma:g} off on all data.{chosen}"


def leads(runs, measure, *, calibration, method="DARK", others=None, them="best other", **options):
    """Rows of a method minus the best of the ``others`` on each data set, and which that is.

    The best is so on validation classes: of H, where gamma is chosen there. ``calibration`` is
    "none" or "chosen", as in `outcome_at`; without ``others`` they are all others, and ``them``
    is what rows call the best.
    """
    judge = "H" if measure == "H" else "score"
    for problem, by in runs.items():
        if rivals := _rivals(by, method, others or by):
            best = max(rivals, key=lambda m, by=by: _on_validation(by[m][0], judge))
            points = {method: calibration, best: calibration}
            yield from _lead(problem, by, measure, points, calibration, them, options)


def lead_as_printed(runs, gamma, table, **options):
    """Rows of DARK less the others' best by mean printed H, as the paper compares them.

    DARK is with the fixed ``gamma`` and the other without one; ``table`` is Table 3. There are
    none with another gamma than the paper's.
    """
    if gamma != _PAPERS_GAMMA:
        return
    for problem, by in runs.items():
        if rivals := _rivals(by, "DARK", table):
            best = max(rivals, key=lambda m: table[m]["Average"]["H"])
            points = {"DARK": gamma, best: "none"}
            yield from _lead(problem, by, "H", points, "as printed", "best other", options)


def _rivals(by, method, others):
    """Whom a method is compared with, of those that ran; none if it did not."""
    return [m for m in by if m != method and m in others] if method in by else []


def _on_validation(run, measure):
    """What tuning saw of the parameters that a run then used: "score" or "H"."""
    trials = run.tuned.trials
    return next(trial[measure] for trial in trials if trial["parameters"] == run.parameters)


def _lead(problem, by, measure, points, calibration, them, options):
    """Rows of which method is best, and of the first minus it, each at its own of ``points``."""
    outcomes = [[outcome_at(run, point) for run in by[method]] for method, point in points.items()]
    difference = zero_shot_measures([measure], calibration="none", **options)[measure](*outcomes)
    method, best = points
    yield row(problem, measure, them, best, calibration=calibration)
    yield row(problem, measure, f"{method} - {them}", difference, calibration=calibration)


def paper(row):
    """The printed number on the same data set, None elsewhere; only DARK's H is with a gamma."""
    as_printed = row.get("calibration", "none") == ("fixed" if row["method"] == "DARK" else "none")
    if (row["metric"] == "ACC" and "training" not in row) or (row["metric"] == "H" and as_printed):
        data = _PRINTED_AS.get(row["dataset"].upper())
        return printed("dark", "table3", row["method"], data, row["metric"])


def printed_lead(table, lead):
    """What Table 3 prints beside a row of `leads`: DARK less the best other; None elsewhere."""
    where = "Average" if lead["dataset"] == "mean" else _PRINTED_AS.get(lead["dataset"].upper())
    if lead["method"] != "DARK - best other" or where is None:
        return None
    numbers = {m: sets[where][lead["metric"]] for m, sets in table.items() if where in sets}
    return numbers.pop("DARK") - max(numbers.values())


def gap_message(gaps):
    """In bold: how far DARK and the older bilinear systems are from Table 3; empty without these.

    Examples
    --------
    >>> gap_message({"DARK": -9.1, "ALE": 0.1, "ESZSL": 2.2})
    '**DARK stays 9 points below its printed accuracy, ALE and ESZSL are within 3 of theirs.** '
    """
    older = [name for name in ("ALE", "SJE", "ESZSL") if name in gaps]
    if "DARK" not in gaps or not older:
        return ""
    side = "stays {} points below" if gaps["DARK"] < 0 else "is {} points above"
    reach = np.ceil(max(abs(gaps[name]) for name in older))
    within = "is within {:.0f} of its own" if len(older) == 1 else "are within {:.0f} of theirs"
    return (
        f"**DARK {side.format(round(abs(gaps['DARK'])))} its printed accuracy, "
        f"{join(older)} {within.format(reach)}.** "
    )


def by_choice(runs, method, parameter):
    """Rows of what each value of a method's ``parameter`` came to, the others chosen with it."""
    for problem, methods in runs.items():
        if method not in methods:
            continue
        best = {}
        for trial in methods[method][0].tuned.ranked:
            best.setdefault(trial["parameters"][parameter], trial)
        for value, trial in best.items():
            run = run_zero_shot(method, problem, parameters=trial["parameters"])
            accuracies = {"validation ACC": trial["score"], "ACC": run.outcome.accuracy}
            for metric, accuracy in accuracies.items():
                yield row(problem, metric, method, accuracy, **{parameter: value})


def beside_print(table, results, gamma):
    """Rows and heads of the whole Table 3, ACC / H as printed and as ``results`` have them.

    As in the paper H has a gamma for DARK alone, the fixed one. A system without results has
    "not run", or "not built" where there is none.
    """
    sets, calibrations = results.of("dataset"), {"DARK": called_gamma(gamma)}

    def cell(acc, h):
        return f"{acc:.1f} / {h:.1f}"

    def ours(system, name):
        if of := results.only(dataset=name, method=system):
            h = of.value(metric="H", calibration=calibrations.get(system, "none"))
            return cell(of.value(metric="ACC").mean, h.mean)
        if system in results.of("method") or (system, name) in results.chapter.failed:
            return "not trained"
        return "not run" if system in ZERO_SHOT_METHODS else "not built"

    rows = []
    for system, by_set in table.items():
        theirs = [cell(*numbers.values()) for numbers in by_set.values()]
        rows.append([named(system), *theirs, *(ours(system, name) for name in sets)])
    heads = [f"{name}, paper" for name in next(iter(table.values()))]
    return rows, ["", *heads, *(f"{name}, ours" for name in sets)]


def calibration_lifts(runs, gamma, **options):
    """Rows of what a ``fixed`` gamma and the ``chosen`` one add to each method's H."""
    for problem, methods in runs.items():
        for method, own in methods.items():
            plain = [run.outcome for run in own]
            for name, point in ((called_gamma(gamma), gamma), ("chosen", "chosen")):
                lifted = [outcome_at(run, point) for run in own]
                value = zero_shot_estimate(lifted, "H", minus=plain, **options)
                yield row(problem, "H", method, value, calibration=f"{name} - none")


def marked_curves(methods, gamma):
    """Seen-unseen curve of each method's first run, with three gammas to mark on it."""
    marks = {"γ = 0": 0.0, "γ fixed": gamma}
    return {
        method: {method: (run.outcome.curve, marks | {"γ chosen": run.gamma})}
        for method, (run, *_) in methods.items()
    }
