"""Recomputations for Bucher, Herbin and Jurie (2016)."""

import math

import numpy as np
from scipy import stats

from book.papers.evidence import Evidence, join
from book.papers.printed import printed, printed_table

_OURS = ("random", "uncertainty", "uncertainty/correlation")
_RATIOS = ("1", "10", "50", "100")


def hinge_signs(numbers):
    """Both readings of Eq. 3 on a near and a far pair, threshold 2."""
    threshold, scores = 2.0, np.array([0.5, 3.5])

    def loss(sign, gap):
        return np.maximum(0.0, 1.0 - sign * gap)

    as_printed = {z: loss(z, (threshold - scores) ** 2) for z in (1, -1)}
    as_read = {z: loss(z, threshold - scores**2) for z in (1, -1)}
    lowest = loss(-1, (threshold - np.linspace(0.0, 10.0, 1001)) ** 2).min()
    text = (
        f"With threshold {threshold:g}, as printed, scores {join(scores, 'g')} cost a positive "
        f"pair {join(as_printed[1], 'g')}, a negative pair {join(as_printed[-1], 'g')}; no "
        f"negative pair ever costs less than {lowest:g}, at the threshold itself. With the square "
        f"on S: {join(as_read[1], 'g')} for positives, {join(as_read[-1], 'g')} for negatives."
    )
    blind = all(near == far for near, far in as_printed.values())
    (near, far), (near_rival, far_rival) = as_read.values()
    separates = near == 0.0 < far and far_rival == 0.0 < near_rival
    return Evidence(bool(blind and lowest == loss(-1, 0.0) == 1.0 and separates), text)


def _best(dataset, *, ours):
    """The best of the paper's own methods on a data set, or the best earlier row: name, mean."""
    table = printed_table("hardneg", "table1").items()
    values = {
        method: cells[dataset]["mean"]
        for method, cells in table
        if dataset in cells and (method in _OURS) == ours
    }
    return max(values.items(), key=lambda item: item[1])


def gain_on_awa(numbers):
    """The gain on AwA against Bucher's original, and against the best earlier row."""
    _, ours = _best("AwA", ours=True)
    name, best = _best("AwA", ours=False)
    original = printed("hardneg", "table1", "Bucher", "AwA", "mean")
    claimed = printed("hardneg", "text", "gain on AwA")
    text = (
        f"{ours:.2f} - {original:.2f} = {ours - original:.2f} against Bucher's original; "
        f"{ours:.2f} - {best:.2f} = {ours - best:.2f} against {name}, the best earlier row."
    )
    return Evidence(round(ours - original) == claimed != round(ours - best), text)


def gains_by_dataset(numbers):
    """Best of the paper's methods against the best earlier row, by data set."""
    gains, clauses = [], []
    for dataset in ("aP&Y", "AwA", "CUB", "SUN"):
        name, best = _best(dataset, ours=False)
        gains.append(_best(dataset, ours=True)[1] - best)
        clauses.append(f"{dataset} {gains[-1]:+.2f} (over {name})")
    won = [gain for gain in gains if gain > 0]
    mean, overall = np.mean(won), np.mean(gains)
    text = (
        f"{'; '.join(clauses)}. Mean of the {len(won)} gains {mean:.2f}, of all {len(gains)} "
        f"differences {overall:.2f}."
    )
    more_than = printed("hardneg", "text", "gain on average, more than")
    return Evidence(bool(len(won) == 3 and mean > more_than > overall), text)


def best_of_table2(numbers):
    """Table 1's cells on aP&Y are the largest of Table 2's rows."""
    table = printed_table("hardneg", "table2")
    best = {m: max(_RATIOS, key=lambda ratio, m=m: table[m][ratio]["mean"]) for m in _OURS}
    cells = {method: table[method][ratio] for method, ratio in best.items()}
    same = cells == {method: printed("hardneg", "table1", method, "aP&Y") for method in _OURS}
    text = "; ".join(
        f"{method}: {cells[method]['mean']:.2f}, {ratio} negatives per positive"
        for method, ratio in best.items()
    )
    return Evidence(same and len(set(best.values())) > 1, text + ".")


def _table2(field):
    """Table 2's means, or deviations, of our methods (rows) by ratio: (3, 4)."""
    return np.array(
        [[printed("hardneg", "table2", m, ratio, field) for ratio in _RATIOS] for m in _OURS]
    )


def mean_improvement(numbers):
    """Mean gain of selected negatives over random ones, at equal ratio and over Bucher's."""
    original = printed("hardneg", "table1", "Bucher", "aP&Y", "mean")
    random, *selected = _table2("mean")
    equal = [float((row - random).mean()) for row in selected]
    against = [float(row.mean() - original) for row in selected]
    by_method = [
        join(dict(zip(_OURS[1:], gains, strict=True)), ".2f") for gains in (equal, against)
    ]
    text = (
        f"Mean over the four ratios, against random negatives at the same ratio: {by_method[0]}; "
        f"against {original:.2f}, Bucher's original: {by_method[1]}."
    )
    claimed = printed("hardneg", "text", "mean improvement by selected negatives")
    return Evidence(round(sum(against) / 2) == claimed and max(map(round, equal)) < claimed, text)


def ratio_trend(numbers):
    """Accuracy against the ratio: falls in every row, and the ends that five runs cannot tell."""
    runs = printed("hardneg", "text", "runs")
    means = _table2("mean")
    falls = (np.diff(means) < 0).sum(axis=1)
    gains = means[:, -1] - means[:, 0]
    shares = gains / np.sqrt((_table2("std")[:, [0, -1]] ** 2).mean(axis=1))
    # Student's t for two means of so many runs is the share times sqrt(runs / 2).
    largest = shares.max() * math.sqrt(runs / 2.0)
    critical = stats.t.ppf(0.975, 2 * runs - 2)
    text = (
        f"Each of the three rows falls at least once ({falls.sum()} falls in 9 steps). From 1 to "
        f"100 negatives the gains are {join(gains, '.2f')}, in pooled standard deviations of the "
        f"two ends {join(shares, '.2f')}. With {runs:g} runs the largest t is {largest:.2f}, "
        f"where 95% needs {critical:.2f}."
    )
    return Evidence(bool(falls.min() >= 1 and gains.min() > 0 and largest < critical), text)


def equal_attributes(numbers):
    """With one attribute vector per class Eq. 9 is 1, and Eq. 10 is Eq. 8."""
    rng = np.random.default_rng(0)
    classes = rng.random((4, 6))
    scores = rng.random(4)
    uncertainty = np.exp(-(scores - scores[0]))
    images = np.repeat(classes[:, None], 5, axis=1)
    distances = np.linalg.norm(images - classes[:, None], axis=2)
    correlation = np.exp(-distances.mean(axis=1))
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
