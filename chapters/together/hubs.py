"""Does hubness explain accuracy? Rank correlations over systems, maps, data sets and cures."""

from itertools import product

import numpy as np
from scipy.stats import rankdata

from zslib.protocols.attributes.methods import origin
from zslib.protocols.intervals import Estimate
from zslib.protocols.tidy import row

_SAME = ("dataset", "method", "correction")
_KEPT = (*_SAME, "calibration")
_FEW = 10  # too few systems to draw from
_RESAMPLES = 1000


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


def correlation_rows(searches, givens):
    """Rows: the partial rank correlation of ``hubs`` and ``accuracy`` of points.

    ``givens`` are tuples of the points' columns, ``dataset`` first. Intervals draw methods anew,
    each with all its points; with fewer than ten methods there are none.
    """
    x, y = (np.array([p[name] for p in searches]) for name in ("hubs", "accuracy"))
    units, unit = np.unique([p["method"] for p in searches], return_inverse=True)
    members = [np.flatnonzero(unit == u) for u in range(units.size)]
    draws = np.random.default_rng(0).integers(units.size, size=(_RESAMPLES, units.size))
    drawn = [np.concatenate([members[u] for u in draw]) for draw in draws]
    names = dict.fromkeys(p["dataset"] for p in searches)
    data = ", ".join(name.removesuffix("_classes").replace("_", "-") for name in names)
    for columns in givens:
        given = [np.array([str(p[column]) for p in searches]) for column in columns]
        value = partial_correlation(x, y, given)
        if units.size >= _FEW:
            spread = [partial_correlation(x[i], y[i], [g[i] for g in given]) for i in drawn]
            low, high = np.quantile(spread, [0.025, 0.975])
            value = Estimate(value, float(low), float(high), 1, "systems", units.size)
        method = ", ".join(columns)
        yield row(data, "rank correlation", method, value, points=len(searches))


def cures_told(changed):
    """What became of accuracy where a cure made the largest hub smaller, and where not."""
    sentences = []
    for smaller, which in ((True, "smaller"), (False, "no smaller")):
        gains = [p["accuracy"] for p in changed if (p["hubs"] < 0) == smaller]
        if gains:
            sentences.append(
                f"In {len(gains)} of {len(changed)} cases the hubs are {which} after it, and "
                f"accuracy rises in {sum(g > 0 for g in gains)} of these; its mean change is "
                f"{np.mean(gains):+.1f} points."
            )
    return " ".join(sentences)


TRAINED = {"a margin": ("max-margin", "ridge"), "intruders": ("intruder", "max-margin")}
"""What training adds to a map without it, as (map, map without)."""

TURNED = {
    "turning": ("reverse ridge", "ridge"),
    "a margin in place of turning": ("max-margin", "reverse ridge"),
}


def by_correction(records):
    """Records of P@1 of "map" and "map + correction" as those of a map with a ``correction``."""
    for record in records:
        name, _, correction = str(record.get("method")).partition(" + ")
        if record["metric"] == "P@1" and "space" not in record and " - " not in record["method"]:
            yield record | {"method": name, "correction": correction or "none"}


def gains_left(records, steps):
    """Rows: what each of the ``steps`` adds to P@1, by data set, uncorrected and under CSLS."""
    precise = {tuple(map(r.get, _SAME)): r["value"] for r in records if r["metric"] == "P@1"}
    sets = dict.fromkeys(key[0] for key in precise)
    for data, (step, (a, b)), correction in product(sets, steps.items(), ("none", "CSLS")):
        more, less = (precise.get((data, name, correction)) for name in (a, b))
        if None not in (more, less):
            yield row(data, "P@1", step, more - less, correction=correction)
