"""Does hubness explain accuracy? Rank correlations over systems, maps, data sets and cures."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.stats import rankdata

from zslib.protocols.attributes.methods import origin
from zslib.protocols.intervals import Estimate
from zslib.validation import check_integer

__all__ = [
    "TRAINED",
    "TURNED",
    "by_correction",
    "correlation_rows",
    "cures_told",
    "found_by_hubs",
    "found_by_maps",
    "gains_left",
    "left_told",
    "partial_correlation",
    "points",
]

_SAME = ("dataset", "method", "correction")
_KEPT = (*_SAME, "calibration")
_FEW = 10  # too few systems to draw from


def points(records, hubs, accuracy, *, difference=False):
    """What records say of the same data set, method and correction, as points.

    Each is a dict of these, the method's ``family``, and ``hubs`` and ``accuracy``, the values of
    the two metrics; there may be several accuracies, by calibration. With ``difference`` the
    methods are "a - b".
    """
    records = [r for r in records if (" - " in str(r.get("method"))) == difference]
    sizes = {tuple(map(r.get, _SAME)): r["value"] for r in records if r["metric"] == hubs}
    return [
        {name: r.get(name) for name in _KEPT}
        | {"family": origin(r["method"])[1]}
        | {"hubs": sizes[tuple(map(r.get, _SAME))], "accuracy": r["value"]}
        for r in records
        if r["metric"] == accuracy and tuple(map(r.get, _SAME)) in sizes
    ]


def partial_correlation(x, y, given):
    r"""Spearman's correlation of two numbers, given some factors.

    Numbers are ranked within the groups of the first factor, as shares of their size. Of both
    ranks is taken what the indicators of all factors' groups explain by least squares; Pearson's
    correlation of what is left is the result, 0 where nothing is left.

    Parameters
    ----------
    x, y : (n,) array
    given : sequence of (n,) arrays
        The group of each point, for each factor.

    Examples
    --------
    >>> size, score = [1, 2, 3, 10, 20, 30], [3, 2, 1, 33, 32, 31]
    >>> partial_correlation(size, score, [list("aaabbb")])
    -1.0
    """
    groups = [np.unique(np.asarray(f), return_inverse=True)[1] for f in given]
    columns = np.concatenate([np.eye(g.max() + 1)[g] for g in groups], axis=1)
    left = []
    for values in (np.asarray(x, dtype=float), np.asarray(y, dtype=float)):
        ranks = np.empty(values.size)
        for group in np.unique(groups[0]):
            inside = groups[0] == group
            ranks[inside] = rankdata(values[inside]) / inside.sum()
        left.append(ranks - columns @ np.linalg.lstsq(columns, ranks, rcond=None)[0])
    lengths = [np.linalg.norm(rest) for rest in left]
    return float(round(left[0] @ left[1] / np.prod(lengths), 12)) if min(lengths) > 1e-9 else 0.0


def correlation_rows(found, givens, *, n_resamples=1000, random_state=0):
    """Rows: the partial rank correlation of ``hubs`` and ``accuracy`` of points.

    ``givens`` are tuples of the points' columns, ``dataset`` first. Intervals draw methods anew,
    each with all its points; with fewer than ten methods there are none.
    """
    check_integer(n_resamples, "n_resamples", low=100)
    x, y = (np.array([p[name] for p in found]) for name in ("hubs", "accuracy"))
    units, unit = np.unique([p["method"] for p in found], return_inverse=True)
    members = [np.flatnonzero(unit == u) for u in range(units.size)]
    for columns in givens:
        given = [np.array([str(p[column]) for p in found]) for column in columns]
        value = partial_correlation(x, y, given)
        if units.size >= _FEW:
            rng = np.random.default_rng(random_state)
            draws = rng.integers(units.size, size=(n_resamples, units.size))
            spread = []
            for draw in draws:
                i = np.concatenate([members[u] for u in draw])
                spread.append(partial_correlation(x[i], y[i], [g[i] for g in given]))
            low, high = np.quantile(spread, [0.025, 0.975])
            value = Estimate(value, float(low), float(high), 1, "systems", units.size)
        of = {"dataset": _sets(found), "method": ", ".join(columns), "points": len(found)}
        yield {"metric": "rank correlation", "value": value} | of


def _sets(found):
    """Short names of the points' data sets."""
    names = dict.fromkeys(p["dataset"] for p in found)
    return ", ".join(name.removesuffix("_classes").replace("_", "-") for name in names)


def found_by_hubs(rows):
    """What `correlation_rows` found for systems, given data sets first and last families too."""
    first, *_, last = [row["value"] for row in rows]
    word = "Yes" if last.high < 0 else "In part" if first.high < 0 else "No"
    return (
        f"{word}: over {first.n_units} systems the rank correlation of accuracy and the largest "
        f"hub is {first:.2f} within data sets, and {last:.2f} given the family too."
    )


def found_by_maps(rows):
    """What it found for searches: within data sets, given the map, and given the correction."""
    within, of_maps, of_corrections = [float(row["value"]) for row in rows]
    return (
        f"Over {rows[0]['points']} searches with maps of words it is {within:.2f} within lists of "
        f"pairs, {of_maps:.2f} given the map and {of_corrections:.2f} given the correction; there "
        "are too few maps for intervals."
    )


def cures_told(changed):
    """What became of accuracy where a cure made the largest hub smaller, and where not."""
    said = []
    for smaller, which in ((True, "smaller"), (False, "no smaller")):
        gains = [p["accuracy"] for p in changed if (p["hubs"] < 0) == smaller]
        if gains:
            said.append(
                f"In {len(gains)} of {len(changed)} cases the hubs are {which} after it, and "
                f"accuracy rises in {sum(g > 0 for g in gains)} of these; its mean change is "
                f"{np.mean(gains):+.1f} points."
            )
    return " ".join(said)


TRAINED = {"a margin": ("max-margin", "ridge"), "intruders": ("intruder", "max-margin")}
"""What training adds to a map without it, as (map, map without)."""

TURNED = {
    "turning": ("reverse ridge", "ridge"),
    "a margin in place of turning": ("max-margin", "reverse ridge"),
}


def by_correction(records):
    """Records of P@1 of "map" and "map + correction" as those of a map with a ``correction``."""
    for record in records:
        name, _, how = str(record.get("method")).partition(" + ")
        if record["metric"] == "P@1" and "space" not in record and " - " not in record["method"]:
            yield record | {"method": name, "correction": how or "none"}


def gains_left(records, steps, corrections=("none", "CSLS")):
    """Rows: what each of the ``steps`` adds to P@1, by data set and correction."""
    precise = {tuple(map(r.get, _SAME)): r["value"] for r in records if r["metric"] == "P@1"}
    for data, (step, (a, b)), how in product(
        dict.fromkeys(key[0] for key in precise), steps.items(), corrections
    ):
        if {(data, a, how), (data, b, how)} <= set(precise):
            value = precise[data, a, how] - precise[data, b, how]
            told = {"metric": "P@1", "dataset": data, "method": step, "correction": how}
            yield told | {"value": value}


def left_told(negatives, cures):
    """What uncertainty negatives add to random ones, plain and after a cure, by data set."""
    said = []
    for data in negatives.of("dataset"):
        here = negatives.only(dataset=data, metric="ACC")
        plain, cured = (here.value(method=f"uncertainty{c} - random{c}") for c in ("", cures))
        words = [
            "more than nothing" if value.low > 0 else "not told from nothing"
            for value in (plain, cured)
        ]
        said.append(
            f"On {data} negatives chosen by uncertainty add {plain} points to random ones, "
            f"{words[0]}; with centred vectors {cured}, {words[1]}."
        )
    return " ".join(said)
