"""DARK beside the other systems: counts, leads, calibration and print."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from chapters.leaderboard.ranks import rank_correlation
from zslib.datasets import official_split_summary
from zslib.protocols.attributes.comparison import hub_measures
from zslib.protocols.attributes.intervals import (
    outcome_at,
    zero_shot_estimate,
    zero_shot_measures,
)
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
    rows = [
        [f"{name}, {whose}", *counts[name].values()]
        for name in table
        for whose, counts in (("printed", table), ("counted", counted))
        if name in counts
    ]
    rows += [[name, *_counts_as_printed(summary).values()] for name, summary in summaries.items()]
    gaps = [abs(counted[n][what] - table[n][what]) for n in counted for what in table[n]]
    return rows, max(gaps, default=None)


def _counts_as_printed(summary):
    """A problem's or split's summary in the words of Table 2."""
    return {what: summary[key] for what, key in _TABLE2.items()}


def gamma_sentence(runs, gamma):
    """In words: the paper's gamma, and DARK's on each data set of ``{data: {method: runs}}``."""
    own = [f"{by['DARK'][0].gamma:.2g} on {data}" for data, by in runs.items() if "DARK" in by]
    chosen = f" Validation classes choose for DARK {', '.join(own)}." if own else ""
    return f"The paper takes the same $\\gamma$ of {gamma:g} off on all data.{chosen}"


def leads(runs, measure, *, calibration, method="DARK", others=None, them="best other", **options):
    """Rows of a method minus the best of the ``others`` on each data set, and which that is.

    The best is so on validation classes: of H, where gamma is chosen there. ``calibration`` is
    "none" or "chosen", as in `outcome_at`; without ``others`` they are all others, and ``them``
    is what rows call the best.
    """
    judge, points = "H" if measure == "H" else "score", (calibration, calibration)
    for problem, by in runs.items():
        rivals = [m for m in others or by if m != method and m in by]
        if not rivals or method not in by:
            continue
        best = max(rivals, key=lambda m, by=by: _on_validation(by[m][0], judge))
        yield from _lead(problem, by, measure, (method, best), points, calibration, them, options)


def _on_validation(run, measure):
    """What tuning saw of the parameters that a run then used: "score" or "H"."""
    trials = run.tuned.trials
    return next(trial[measure] for trial in trials if trial["parameters"] == run.parameters)


def lead_as_printed(runs, gamma, table, **options):
    """Rows of DARK less the others' best by mean printed H, as the paper compares them.

    DARK is with the fixed ``gamma`` and the other without one; ``table`` is Table 3.
    """
    for problem, methods in runs.items():
        others = [m for m in methods if m != "DARK" and m in table]
        if not others or "DARK" not in methods:
            continue
        best = max(others, key=lambda m: table[m]["Average"]["H"])
        pair, points = ("DARK", best), (gamma, "none")
        yield from _lead(problem, methods, "H", pair, points, "as printed", "best other", options)


def _lead(problem, methods, measure, pair, points, calibration, them, options):
    """Rows of which method is best, and of the first of the pair minus it, at their own points."""
    pairs = zip(pair, points, strict=True)
    outcomes = [[outcome_at(run, point) for run in methods[method]] for method, point in pairs]
    difference = zero_shot_measures([measure], calibration="none", **options)[measure](*outcomes)
    for method, value in ((them, pair[1]), (f"{pair[0]} - {them}", difference)):
        yield row(problem, measure, method, value, calibration=calibration)


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
    return (
        f"**DARK {side.format(round(abs(gaps['DARK'])))} its printed accuracy, "
        f"{' and '.join(older)} are within {reach:.0f} of theirs.** "
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


def beside_print(table, results):
    """Rows and heads of the whole Table 3, ACC / H as printed and as ``results`` have them.

    As in the paper H has a gamma for DARK alone, the fixed one. A system without results has
    "not run", or "not built" where there is none.
    """
    sets = [name for name in results.of("dataset") if name != "mean"]
    built = {name: results.only(dataset=name).of("method") for name in sets}
    tried = set().union(*built.values())

    def cell(acc, h):
        return f"{acc:.1f} / {h:.1f}"

    def ours(system, name):
        if system not in built[name]:
            if system in tried or (system, name) in results.chapter.failed:
                return "not trained"
            return "not run" if system in ZERO_SHOT_METHODS else "not built"
        gamma = "fixed" if system == "DARK" else "none"
        columns = {"dataset": name, "method": system}
        acc = results.value(metric="ACC", **columns)
        return cell(acc.mean, results.value(metric="H", calibration=gamma, **columns).mean)

    rows = [
        [
            named(system),
            *(cell(*numbers.values()) for numbers in printed.values()),
            *(ours(system, name) for name in sets),
        ]
        for system, printed in table.items()
    ]
    heads = [f"{name}, paper" for name in next(iter(table.values()))]
    return rows, ["", *heads, *(f"{name}, ours" for name in sets)]


def what_it_would_take(runs, results, table):
    """In words: on how many data sets DARK leads, and how far it is from Table 3 and why."""
    accuracies = {}
    for result in results.only(metric="ACC"):
        if result["dataset"] != "mean":
            accuracies.setdefault(result["dataset"], {})[result["method"]] = result["value"].mean
    sets = list(accuracies)
    if not all("DARK" in own and len(own) > 1 for own in accuracies.values()):
        return "Where DARK leads cannot be said: it, or every other system, is not in this run."
    first = [name for name in sets if max(accuracies[name], key=accuracies[name].get) == "DARK"]
    sentences = [f"DARK has the highest accuracy on {len(first)} of {len(sets)} data sets."]
    for problem, name in zip(runs, sets, strict=True):
        if (as_printed := _PRINTED_AS.get(name.upper())) is None:
            continue
        printed = [m for m in accuracies[name] if m in table]
        gaps = {m: accuracies[name][m] - table[m][as_printed]["ACC"] for m in printed}
        gap = gaps.pop("DARK")
        if not gaps:
            continue
        scores = [trial["score"] for trial in runs[problem]["DARK"][0].tuned.ranked]
        beyond = ", so other features and grids alone do not explain it"
        sentences.append(
            f"On {name} it has {accuracies[name]['DARK']:.1f}, {gap:+.1f} points from print; "
            f"other systems are {min(gaps.values()):+.1f} to {max(gaps.values()):+.1f} from theirs"
            f"{beyond * (gap < min(gaps.values()))}. Of what the paper leaves open "
            f"{len(scores)} combinations were tried; they reach {min(scores):.1f} to "
            f"{max(scores):.1f} on validation classes, and the best is shown."
        )
    return " ".join(sentences)


def calibration_lifts(runs, gamma, **options):
    """Rows of what a ``fixed`` gamma and the ``chosen`` one add to each method's H."""
    for problem, methods in runs.items():
        for method, own in methods.items():
            plain = [run.outcome for run in own]
            for name, point in (("fixed", gamma), ("chosen", "chosen")):
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


def hub_correlations(runs, metric):
    """Rows of Spearman's correlation of largest hub and accuracy over the methods."""
    largest = hub_measures()["largest hub over the mean, unseen"]
    for problem, methods in runs.items():
        if len(methods) < 2:
            continue
        hubs = [largest(own).mean for own in methods.values()]
        accuracies = [np.mean([run.outcome.accuracy for run in own]) for own in methods.values()]
        yield row(problem, metric, "all", rank_correlation(hubs, accuracies))
