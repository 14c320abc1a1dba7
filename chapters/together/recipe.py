"""A recipe beside the best of all systems."""

from __future__ import annotations

from zslib.protocols.intervals import Estimate

__all__ = ["best_on_board", "leads_told"]


def best_on_board(records, problems, label, metrics=("ACC", "H")):
    """Rows of each metric's best system of the leaderboard's ``records``, by data set.

    ``label`` gives the short name of a problem. Methods are told as "best: name".
    """
    for problem in problems:
        for metric in metrics:
            found = [
                r
                for r in records
                if (r.get("dataset"), r["metric"]) == (problem.name, metric)
                and r.get("calibration") == "chosen"
            ]
            if found:
                best = max(found, key=lambda r: r["value"])
                ends, over = (best["low"], best["high"]), (best["unit"], best["n_units"])
                value = Estimate(best["value"], *ends, best["n_seeds"], *over)
                yield {
                    "dataset": label(problem), "metric": metric,
                    "method": f"best by {metric}: {best['method']}", "value": value,
                }  # fmt: skip


def leads_told(results, recipe, metrics=("ACC", "H")):
    """On how many data sets the recipe is above the best of the board, in a sentence."""
    said = []
    for metric in metrics:
        here = results.only(metric=metric)
        leads = [
            here.value(dataset=row["dataset"], method=recipe).mean > row["value"].mean
            for row in here
            if row["method"].startswith("best by ")
        ]
        if leads:
            said.append(f"in {metric} on {sum(leads)} of {len(leads)}")
    return f"Of the data sets with a leaderboard the recipe leads {', '.join(said)}." * bool(said)
