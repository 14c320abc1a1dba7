"""A recipe beside the best of all systems."""

from zslib.protocols.intervals import Estimate
from zslib.protocols.tidy import row

_METRICS = ("ACC", "H")


def best_on_board(records, problems, label):
    """Rows of each metric's best system of the leaderboard's ``records``, by data set.

    ``label`` gives the short name of a problem. Methods are told as "best: name".
    """
    for problem in problems:
        for metric in _METRICS:
            systems = [
                r
                for r in records
                if (r.get("dataset"), r["metric"]) == (problem.name, metric)
                and r.get("calibration") == "chosen"
            ]
            if systems:
                best = max(systems, key=lambda r: r["value"])
                name = f"best by {metric}: {best['method']}"
                yield row(label(problem), metric, name, Estimate.of(best))


def leads_told(results, recipe):
    """On how many data sets the recipe is above the best of the board, in a sentence."""
    said = []
    for metric in _METRICS:
        here = results.only(metric=metric)
        leads = [
            here.value(dataset=row["dataset"], method=recipe).mean > row["value"].mean
            for row in here
            if row["method"].startswith("best by ")
        ]
        if leads:
            said.append(f"in {metric} on {sum(leads)} of {len(leads)}")
    return f"Of the data sets with a leaderboard the recipe leads {', '.join(said)}." * bool(said)
