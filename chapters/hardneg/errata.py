"""Recomputations for Bucher, Herbin and Jurie (2016)."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from book.papers.evidence import Evidence, join
from book.papers.printed import printed, printed_table

__all__ = [
    "best_of_table2",
    "equal_attributes",
    "gain_on_awa",
    "gains_by_dataset",
    "growing_ratio",
    "hinge_signs",
    "mean_improvement",
    "ratio_trend",
    "sums_and_means",
]

_OURS = ("random", "uncertainty", "uncertainty/correlation")
_RATIOS = ("1", "10", "50", "100")


def hinge_signs(numbers):
    """Both readings of Eq. 3 on a near and a far pair, threshold 2."""
    threshold, near, far = 2.0, 0.5, 3.5

    def as_printed(sign, score):
        return max(0.0, 1.0 - sign * (threshold - score) ** 2)

    def as_read(sign, score):
        return max(0.0, 1.0 - sign * (threshold - score**2))

    printed_losses = {z: [as_printed(z, s) for s in (near, far)] for z in (1, -1)}
    read = {z: [as_read(z, s) for s in (near, far)] for z in (1, -1)}
    blind = all(a == b for a, b in printed_losses.values())
    at_threshold = as_printed(-1, threshold)
    lowest = min(as_printed(-1, s) for s in np.linspace(0.0, 10.0, 1001))
    text = (
        f"With threshold {threshold:g}, as printed, scores {near:g} and {far:g} cost a positive "
        f"pair {printed_losses[1][0]:g} and {printed_losses[1][1]:g}, a negative pair "
        f"{printed_losses[-1][0]:g} and {printed_losses[-1][1]:g}; no negative pair ever costs "
        f"less than {lowest:g}, at the threshold itself. With the square on S: {read[1][0]:g} and "
        f"{read[1][1]:g} for positives, {read[-1][0]:g} and {read[-1][1]:g} for negatives."
    )
    separates = read[1][0] == 0.0 < read[1][1] and read[-1][1] == 0.0 < read[-1][0]
    return Evidence(blind and lowest == at_threshold == 1.0 and separates, text)


def _best(dataset, rows):
    values = {row: printed("hardneg", "table1", row, dataset, "mean") for row in rows}
    values = {row: value for row, value in values.items() if value is not None}
    best = max(values, key=values.get)
    return best, values[best]


def gain_on_awa(numbers):
    """The gain on AwA against Bucher's original, and against the best earlier row."""
    earlier = [row for row in printed_table("hardneg", "table1") if row not in _OURS]
    _, ours = _best("AwA", _OURS)
    original = printed("hardneg", "table1", "Bucher", "AwA", "mean")
    name, best = _best("AwA", earlier)
    claimed = printed("hardneg", "text", "gain on AwA")
    text = (
        f"{ours:.2f} - {original:.2f} = {ours - original:.2f} against Bucher's original; "
        f"{ours:.2f} - {best:.2f} = {ours - best:.2f} against {name}, the best earlier row."
    )
    return Evidence(round(ours - original) == claimed != round(ours - best), text)


def gains_by_dataset(numbers):
    """Best of the paper's methods against the best earlier row, by data set."""
    earlier = [row for row in printed_table("hardneg", "table1") if row not in _OURS]
    gains, names = {}, {}
    for dataset in ("aP&Y", "AwA", "CUB", "SUN"):
        names[dataset], best = _best(dataset, earlier)
        gains[dataset] = _best(dataset, _OURS)[1] - best
    won = [dataset for dataset, gain in gains.items() if gain > 0]
    mean = sum(gains[dataset] for dataset in won) / len(won)
    overall = sum(gains.values()) / len(gains)
    text = (
        "; ".join(f"{d} {gain:+.2f} (over {names[d]})" for d, gain in gains.items())
        + f". Mean of the {len(won)} gains {mean:.2f}, of all {len(gains)} differences "
        f"{overall:.2f}."
    )
    more_than = printed("hardneg", "text", "gain on average, more than")
    return Evidence(len(won) == 3 and mean > more_than > overall, text)


def best_of_table2(numbers):
    """Table 1's cells on aP&Y are the largest of Table 2's rows."""
    found = {}
    for method in _OURS:
        row = printed_table("hardneg", "table2")[method]
        best = max(_RATIOS, key=lambda ratio: row[ratio]["mean"])
        found[method] = (
            row[best] == printed("hardneg", "table1", method, "aP&Y"),
            best,
            row[best],
        )
    text = "; ".join(
        f"{method}: {cell['mean']:.2f}, {ratio} negatives per positive"
        for method, (_, ratio, cell) in found.items()
    )
    different = len({ratio for _, ratio, _ in found.values()}) > 1
    return Evidence(all(same for same, *_ in found.values()) and different, text + ".")


def _means(method):
    return np.array([printed("hardneg", "table2", method, ratio, "mean") for ratio in _RATIOS])


def mean_improvement(numbers):
    """Mean gain of selected negatives over random ones, at equal ratio and over Bucher's."""
    original = printed("hardneg", "table1", "Bucher", "aP&Y", "mean")
    random = _means("random")
    selected = {method: _means(method) for method in _OURS[1:]}
    equal = {method: float((row - random).mean()) for method, row in selected.items()}
    against = {method: float(row.mean() - original) for method, row in selected.items()}
    text = (
        "Mean over the four ratios, against random negatives at the same ratio: "
        + join(equal, ".2f")
        + f"; against {original:.2f}, Bucher's original: "
        + join(against, ".2f")
        + "."
    )
    claimed = printed("hardneg", "text", "mean improvement by selected negatives")
    both = sum(against.values()) / 2.0
    return Evidence(round(both) == claimed and max(map(round, equal.values())) < claimed, text)


def ratio_trend(numbers):
    """Accuracy against the ratio: falls in every row, and the ends that five runs cannot tell."""
    runs = printed("hardneg", "text", "runs")
    falls, gains, shares = [], [], []
    for method in _OURS:
        row = _means(method)
        falls.append(int((np.diff(row) < 0).sum()))
        ends = [printed("hardneg", "table2", method, r, "std") for r in (_RATIOS[0], _RATIOS[-1])]
        gains.append(float(row[-1] - row[0]))
        shares.append(gains[-1] / math.sqrt((ends[0] ** 2 + ends[1] ** 2) / 2.0))
    # Student's t for two means of so many runs is the share times sqrt(runs / 2).
    largest = max(shares) * math.sqrt(runs / 2.0)
    critical = float(stats.t.ppf(0.975, 2 * runs - 2))
    text = (
        f"Each of the three rows falls at least once ({sum(falls)} falls in 9 steps). From 1 to "
        "100 negatives the gains are "
        + join(gains, ".2f")
        + ", in pooled standard deviations of the two ends "
        + join(shares, ".2f")
        + f". With {runs:g} runs the largest t is {largest:.2f}, where 95% needs {critical:.2f}."
    )
    return Evidence(min(falls) >= 1 and min(gains) > 0 and largest < critical, text)


def equal_attributes(numbers):
    """With one attribute vector per class Eq. 9 is 1, and Eq. 10 is Eq. 8."""
    rng = np.random.default_rng(0)
    classes = rng.random((4, 6))
    scores = rng.random(4)
    uncertainty = np.exp(-(scores - scores[0]))
    correlation = np.array(
        [
            math.exp(-np.linalg.norm(np.repeat(row[None], 5, 0) - row, axis=1).mean())
            for row in classes
        ]
    )
    same = np.array_equal(uncertainty * correlation, uncertainty)
    text = (
        f"Five images of each of four classes, equal vectors within a class: q = "
        f"{join(correlation, 'g')}, so p equals u."
    )
    return Evidence(bool(same), text)


def growing_ratio(numbers):
    """Negatives of an image after ten epochs under both readings of the growing set."""
    epochs = 10
    kept = {ratio: int(ratio) * epochs for ratio in _RATIOS}
    text = (
        f"With {join(kept.keys())} new pairs for each image in an epoch and all pairs kept, an "
        f"image has {join(kept.values())} after {epochs} epochs; with the new ones alone it has "
        "what the table's head says."
    )
    return Evidence(all(value != int(ratio) for ratio, value in kept.items()), text)


def sums_and_means(numbers):
    """Eq. 6 divided by half the number of pairs, beside Eq. 11, for random losses of pairs."""
    rng = np.random.default_rng(0)
    differences = {}
    for ratio in (1, 10):
        positive, negative = rng.random(20), rng.random(20 * ratio)
        balanced = positive.mean() + negative.mean()
        summed = (positive.sum() + negative.sum()) / (0.5 * (positive.size + negative.size))
        differences[ratio] = abs(balanced - summed)
    text = (
        "Random losses of 20 positive pairs: with 1 negative for each the two differ by "
        f"{differences[1]:.0e}, with 10 by {differences[10]:.2f}."
    )
    return Evidence(bool(differences[1] < 1e-12 < 1e-3 < differences[10]), text)
