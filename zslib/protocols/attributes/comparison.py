"""Many zero-shot scorers side by side: what was chosen, who leads, calibration, hubs."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy.stats import spearmanr

from zslib.datasets import official_split_summary
from zslib.metrics import k_skewness
from zslib.protocols.attributes.intervals import (
    outcome_at,
    zero_shot_estimate,
    zero_shot_measures,
)
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, named
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.intervals import over_runs
from zslib.protocols.tidy import row

__all__ = [
    "beside_print",
    "by_choice",
    "calibration_lifts",
    "chosen_settings",
    "count_rows",
    "counts_as_printed",
    "hub_correlations",
    "hub_measures",
    "lead_as_printed",
    "leads",
    "marked_curves",
    "official_counts",
    "pollution_measure",
    "printed_lead",
    "what_it_would_take",
]


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


def counts_as_printed(summary):
    """A problem's or split's summary in the words of Table 2 of Guo et al. (2019)."""
    return {what: summary[key] for what, key in _TABLE2.items()}


def official_counts(names):
    """`counts_as_printed` of the official splits, of those whose files are here."""
    found = {}
    for name in names:
        with suppress(FileNotFoundError):
            found[name] = counts_as_printed(official_split_summary(name.upper()))
    return found


def count_rows(table, summaries):
    """Rows of counts, printed, in the official files and of ``summaries`` by name.

    Also the largest difference between the first two, None where the files are not here.
    """
    counted = official_counts(table)
    rows = [
        [f"{name}, {whose}", *of[name].values()]
        for name in table
        for whose, of in (("printed", table), ("counted", counted))
        if name in of
    ]
    rows += [[name, *counts_as_printed(summary).values()] for name, summary in summaries.items()]
    gaps = [abs(counted[n][what] - table[n][what]) for n in counted for what in table[n]]
    return rows, max(gaps, default=None)


def chosen_settings(runs):
    """Rows of what each method's first run chose on validation classes.

    A choice that is a word is in the column ``choice``.
    """
    for problem, methods in runs.items():
        for method, (run, *_) in methods.items():
            if run.gamma is None:
                continue
            for name, value in (run.parameters | {"gamma": run.gamma}).items():
                word = isinstance(value, str)
                choice = {"choice": value} if word else {}
                yield row(problem, f"chosen {name}", method, True if word else value, **choice)
            text = ", ".join(f"{name} {_short(value)}" for name, value in run.parameters.items())
            n = len(run.passed_over)
            passed = f"; {n} better one{'s' * (n > 1)} failed in the final training" * (n > 0)
            yield row(problem, "settings", method, f"{text}; γ {run.gamma:.3g}{passed}")


def _on_validation(run, measure):
    """What tuning saw of the parameters that a run then used: "score" or "H"."""
    trials = run.tuned.trials
    return next(trial[measure] for trial in trials if trial["parameters"] == run.parameters)


def leads(runs, measure, *, calibration, own="DARK", **options):
    """Rows of ``own`` less the best other method of each data set, and which that is.

    The best is so on validation classes: of H, where gamma is chosen there. ``calibration`` is
    "none" or "chosen", as in `outcome_at`.
    """
    seen = "H" if measure == "H" else "score"
    for problem, methods in runs.items():
        others = {m: _on_validation(found[0], seen) for m, found in methods.items() if m != own}
        best, at = max(others, key=others.get), (calibration, calibration)
        yield from _lead(problem, methods, measure, own, best, at, calibration, options)


def lead_as_printed(runs, gamma, table, *, own="DARK", **options):
    """Rows of ``own`` less the others' best by mean printed H, as Guo et al. (2019) compare them.

    ``own`` is with the fixed ``gamma`` and the other without one; ``table`` is their Table 3.
    """
    for problem, methods in runs.items():
        printed = {m: table[m]["Average"]["H"] for m in methods if m != own and m in table}
        best = max(printed, key=printed.get)
        yield from _lead(problem, methods, "H", own, best, (gamma, "none"), "as printed", options)


def printed_lead(table, row, own="DARK"):
    """What Table 3 prints beside a row of `leads`: ``own`` less the best other; None elsewhere."""
    where = "Average" if row["dataset"] == "mean" else _PRINTED_AS.get(row["dataset"].upper())
    if row["method"] != f"{own} - best other" or where is None:
        return None
    numbers = {m: sets[where][row["metric"]] for m, sets in table.items() if where in sets}
    return numbers.pop(own) - max(numbers.values())


def _lead(problem, methods, measure, own, best, calibrations, name, options):
    """Rows of which method is best, and of ``own`` less it, each at its own calibration."""
    pairs = zip((own, best), calibrations, strict=True)
    pair = [[outcome_at(run, at) for run in methods[method]] for method, at in pairs]
    difference = zero_shot_measures([measure], calibration="none", **options)[measure](*pair)
    for method, value in (("best other", best), (f"{own} - best other", difference)):
        yield row(problem, measure, method, value, calibration=name)


def by_choice(runs, method, parameter):
    """Rows of what each value of a method's ``parameter`` came to, the others chosen with it."""
    for problem, methods in runs.items():
        best = {}
        for trial in methods[method][0].tuned.ranked:
            best.setdefault(trial["parameters"][parameter], trial)
        for value, trial in best.items():
            told = {"method": method, parameter: value}
            run = run_zero_shot(method, problem, parameters=trial["parameters"])
            for metric, found in (
                ("validation ACC", trial["score"]),
                ("ACC", run.outcome.accuracy),
            ):
                yield {"dataset": problem, "metric": metric, "value": found} | told


def beside_print(table, results, own="DARK"):
    """Rows and heads of the whole Table 3, ACC / H as printed and as ``results`` have them.

    As in the paper H has a gamma for ``own`` alone, the fixed one. A system without results has
    "not run", or "not built" where there is none.
    """
    sets = [name for name in results.of("dataset") if name != "mean"]
    built = results.of("method")

    def cell(acc, h):
        return f"{acc:.1f} / {h:.1f}"

    rows = []
    for system, printed in table.items():
        gamma = "fixed" if system == own else "none"
        rows.append([named(system), *(cell(*numbers.values()) for numbers in printed.values())])
        for name in sets:
            of = {"dataset": name, "method": system}
            if system not in built:
                rows[-1].append("not run" if system in ZERO_SHOT_METHODS else "not built")
                continue
            ours = (
                results.value(metric="ACC", **of),
                results.value(metric="H", calibration=gamma, **of),
            )
            rows[-1].append(cell(*(value.mean for value in ours)))
    heads = [f"{name}, paper" for name in next(iter(table.values()))]
    return rows, ["", *heads, *(f"{name}, ours" for name in sets)]


def what_it_would_take(runs, results, table, own="DARK"):
    """In words: on how many data sets ``own`` leads, and how far it is from Table 3 and why."""
    sets, built = [d for d in results.of("dataset") if d != "mean"], results.of("method")
    of = {
        name: {m: results.value(metric="ACC", dataset=name, method=m).mean for m in built}
        for name in sets
    }
    first = [name for name in sets if max(of[name], key=of[name].get) == own]
    said = [f"{own} has the highest accuracy on {len(first)} of {len(sets)} data sets."]
    for problem, name in zip(runs, sets, strict=True):
        if (as_printed := _PRINTED_AS.get(name.upper())) is None:
            continue
        wanted, got = table[own][as_printed]["ACC"], of[name][own]
        scores = [trial["score"] for trial in runs[problem][own][0].tuned.ranked]
        off = [of[name][m] - table[m][as_printed]["ACC"] for m in built if m != own]
        beyond = ", so other features and grids alone do not explain it"
        said.append(
            f"On {name} it has {got:.1f}, {got - wanted:+.1f} points from print; other systems "
            f"are {min(off):+.1f} to {max(off):+.1f} from theirs"
            f"{beyond * (got - wanted < min(off))}. Of what the paper leaves open "
            f"{len(scores)} combinations were tried; they reach {min(scores):.1f} to "
            f"{max(scores):.1f} on validation classes, and the best is shown."
        )
    return " ".join(said)


def calibration_lifts(runs, gamma, **options):
    """Rows of what a ``fixed`` gamma and the ``chosen`` one add to each method's H."""
    for problem, methods in runs.items():
        for method, found in methods.items():
            for name, point in (("fixed", gamma), ("chosen", "chosen")):
                value = zero_shot_estimate(
                    [outcome_at(run, point) for run in found],
                    "H",
                    minus=[run.outcome for run in found],
                    **options,
                )
                yield row(problem, "H", method, value, calibration=f"{name} - none")


def marked_curves(methods, gamma):
    """Seen-unseen curve of each method's first run, with three gammas to mark on it."""
    marks = {"γ = 0": 0.0, "γ fixed": gamma}
    return {
        method: {method: (run.outcome.curve, marks | {"γ chosen": run.gamma})}
        for method, (run, *_) in methods.items()
    }


def hub_measures():
    """Measures of `ZeroShotRun`: hubness of unseen and of seen classes, among first answers.

    Unseen classes compete alone for their test images, seen ones with all for all test images.
    """
    found = {
        "skewness of N_1, unseen": lambda run: k_skewness(_counts(run, "unseen", False)),
        "largest hub over the mean, unseen": lambda run: _largest(run, "unseen", False),
        "largest hub over the mean, seen": lambda run: _largest(run, "all", True),
    }
    return {name: over_runs(value, same_items=False) for name, value in found.items()}


def pollution_measure(calibration):
    """Measure of `ZeroShotRun`: unseen classes' images answered with a seen class, in percent."""
    return over_runs(lambda run: 100.0 * outcome_at(run, calibration).polluted(1), same_items=True)


def hub_correlations(runs, metric):
    """Rows of Spearman's correlation of largest hub and accuracy over the methods."""
    for problem, methods in runs.items():
        pairs = [
            np.mean([(_largest(run, "unseen", False), run.outcome.accuracy) for run in found], 0)
            for found in methods.values()
        ]
        hubs, accuracies = np.transpose(pairs)
        rho = spearmanr(hubs, accuracies).statistic if np.ptp(hubs) and np.ptp(accuracies) else 0.0
        yield row(problem, metric, "all", float(rho))


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _counts(run, space, seen):
    return run.outcome.occurrence(space, 1)[run.outcome.is_seen == seen]


def _largest(run, space, seen):
    return _counts(run, space, seen).max() / _counts(run, space, seen).mean()
