"""Recomputations for Lazaridou, Dinu and Baroni (2015)."""

import math
from itertools import product

import numpy as np

from book.papers.evidence import Evidence, join
from book.papers.printed import printed, printed_table

_LEVELS = ("P@1", "P@5", "P@10")
_SETTINGS = ("cross-linguistic", "cross-modal")


def roadmap(numbers):
    """Cells of Table 1 against the tables that print the same runs again."""
    words, images = _SETTINGS
    again = {
        ("standard mapping", words): [("table3", words, "ridge")],
        ("standard mapping", images): [("table3", images, "ridge")],
        ("max-margin", words): [
            ("table3", words, "max-margin"), ("table10", "none"), ("table11", words, "random"),
        ],
        ("max-margin", images): [("table3", images, "max-margin"), ("table7", "none")],
        ("data augmentation", images): [("table7", "chimera-5"), ("table11", images, "random")],
        ("negative evidence", words): [("table11", words, "intruder")],
        ("negative evidence", images): [("table11", images, "intruder")],
    }  # fmt: skip
    table, differ = printed_table("hubness", "table1"), {}
    for (row, column), places in again.items():
        here, others = table[row][column], [printed("hubness", *p, "P@1") for p in places]
        if set(others) != {here}:
            text = f"{row}, {column}: {here:g} in Table 1, {join(others, 'g')} in the others"
            differ[text] = set(others)
    agree = f"{len(again) - len(differ)} more cells agree throughout."
    one_number = [len(others) for others in differ.values()] == [1]
    return Evidence(one_number, f"P@1 of {'; '.join(differ) or 'no row'}. {agree}")


def mapping_direction(numbers):
    """W of shape (d1, d2) multiplies a row vector from the right, not a column from the left."""
    d1, d2 = 5, 3
    rng = np.random.default_rng(0)
    W, X = rng.standard_normal((d1, d2)), rng.standard_normal((4, d1))
    text = f"With d1 = {d1} and d2 = {d2}, Wx cannot be formed; W'x and xW are the row of XW."
    return Evidence(W.shape[1] != d1 and np.allclose(W.T @ X[0], (X @ W)[0]), text)


def angle_or_cosine(numbers):
    """1 - cos and arccos sort alike, but weigh the same step differently."""
    cosines = np.linspace(-1.0, 1.0, 2001)
    same_order = all(np.all(np.diff(d) < 0.0) for d in (1.0 - cosines, np.arccos(cosines)))
    steps = [math.acos(low) - math.acos(high) for low, high in ((0.0, 0.1), (0.8, 0.9))]
    text = (
        "Both fall strictly as the cosine rises, so rankings are the same. A step of 0.1 in the "
        f"cosine is {steps[0]:.3f} radians from 0 to 0.1, and {steps[1]:.3f} from 0.8 to 0.9: the "
        "same margin does not mean the same thing."
    )
    return Evidence(same_order and steps[1] > 1.5 * steps[0], text)


def ridge_objective(numbers):
    """Gradients of the squared and the unsquared objective at the closed form."""
    rng = np.random.default_rng(0)
    X, Y, penalty = rng.standard_normal((40, 6)), rng.standard_normal((40, 4)), 2.0
    W = np.linalg.solve(X.T @ X + penalty * np.eye(6), X.T @ Y)
    residual = X @ W - Y
    squared = 2.0 * X.T @ residual + 2.0 * penalty * W
    unsquared = X.T @ residual / np.linalg.norm(residual) + penalty * W / np.linalg.norm(W)
    a, b = (float(np.abs(gradient).max()) for gradient in (squared, unsquared))
    text = (
        "At the closed form, on random data, the largest entry of the gradient is below 1e-10 "
        f"for the squared norms and {b:.2f} for the norms as printed."
    )
    return Evidence(a < 1e-10 and b > 1e-2, text)


def equal_means(numbers):
    """Least squares without intercept: means may differ, and variance may rise."""
    x, y = np.array([1.0, 2.0, 3.0]), np.ones(3)
    mapped = x * (x @ y) / (x @ x)
    fitted = np.polyval(np.polyfit(x, y, 1), x)
    text = (
        "For x = (1, 2, 3) and y = (1, 1, 1), least squares without intercept gives the mean "
        f"{mapped.mean():.3f} instead of 1, and the variance {mapped.var():.3f} instead of 0; the "
        f"length still shrinks ({mapped @ mapped:.2f} against {y @ y:.0f}). With an intercept the "
        f"mean is {fitted.mean():.0f} again."
    )
    broken = mapped.var() > y.var() and not math.isclose(mapped.mean(), y.mean())
    return Evidence(bool(broken and np.allclose(fitted, y) and mapped @ mapped <= y @ y), text)


def space_of_hubs(numbers):
    """Mean N_20 of the two candidate search spaces of Table 4."""
    k, tests = numbers["k"], numbers["test items"]
    labels, words = (k * tests / numbers[name] for name in ("labels", "words"))
    gold = printed("hubness", "table4", "cross-modal", "gold")
    text = (
        f"{tests:,} lists of {k} make the mean of N_20 {labels:.1f} among "
        f"{numbers['labels']:,} labels and {words:.1f} among {numbers['words']:,} words. A "
        f"threshold of 5 is far above the second alone, as the gold share of {gold:g}% suggests."
    )
    return Evidence(labels > 2.5 and words < 0.5 and gold < 10.0, text)


def table5_significance(numbers):
    """Smallest |rho| with p < 0.001 for both sizes of the search space (normal approximation)."""
    z = 3.2905  # two-sided p = 0.001
    rho = printed("hubness", "table5", "cross-modal", "max-margin", "mean")
    words, labels = (z / math.sqrt(numbers[name]) for name in ("words", "labels"))
    text = (
        f"p < 0.001 needs a rho beyond {words:.4f} with {numbers['words']:,} elements and beyond "
        f"{labels:.4f} with {numbers['labels']:,}. The printed {rho:g} stands for 0.005 to 0.015 "
        "in size: with all words it escapes significance only at the low end of that range."
    )
    return Evidence(abs(rho) - 0.005 < words < abs(rho) < labels, text)


def test_labels(numbers):
    """A quarter of the labels, and how many of them a sample of 1,000 images meets."""
    each, sample = numbers["images per label"], numbers["sampled images"]
    labels = round(numbers["labels"] * numbers["test share"])
    images = labels * each
    met = labels * (1.0 - (1.0 - sample / images) ** each)
    text = (
        f"{numbers['test share']:.0%} of {numbers['labels']:,} labels are {labels:,}; with {each} "
        f"images each that makes {images:,}, as printed. A sample of {sample:,} images meets "
        f"about {met:.0f} of them. Neither number is {numbers['search space']:,}."
    )
    neither = numbers["search space"] not in (labels, round(met))
    return Evidence(images == numbers["test images"] and neither, text)


def _gains(table, new, old):
    """Gains at 1, 5 and 10 of a table's rows: in points, and in percent of the old."""
    points = [round(table[new][level] - table[old][level], 2) for level in _LEVELS]
    relative = [100.0 * (table[new][level] / table[old][level] - 1.0) for level in _LEVELS]
    return points, relative


def _gains_by_setting(table, new, old):
    """`_gains` of the points and of the percent in each setting, and both as text."""
    gains = [_gains(printed("hubness", table, setting), new, old) for setting in _SETTINGS]
    text = "; ".join(
        f"{join(points, '.1f')} points {setting} (relative {join(relative, '.0f')}%)"
        for setting, (points, relative) in zip(_SETTINGS, gains, strict=True)
    )
    return gains, f"Gains at 1, 5 and 10: {text}."


def small_gains(numbers):
    """Gains of intruders over random negatives in Table 11."""
    gains, text = _gains_by_setting("table11", "intruder", "random")
    points, relative = np.concatenate(gains, axis=1)
    limit = numbers["less than"]
    below = np.sum(points < limit)
    return Evidence(bool(below == 5 and max(points) == limit < max(relative)), text)


def largest_gain(numbers):
    """Gains of max-margin over ridge in Table 3."""
    gains, text = _gains_by_setting("table3", "max-margin", "ridge")
    return Evidence(all(max(p) == p[2] and max(r) == r[0] for p, r in gains), text)


def thirty_three(numbers):
    """The 33% belong to translation: Table 1 has them in its first column."""
    words, images = (printed("hubness", "table1", "former state of art", s) for s in _SETTINGS)
    text = f"Table 1's former best is {words:g} across languages and {images:g} across modes."
    return Evidence(words == numbers["accuracy"] != images, text)


def related_distractors(numbers):
    """Related distractors leave plain max-margin's P@1 where it was, and repeat ridge's column."""
    plain = printed("hubness", "table7", "none")
    related = printed("hubness", "table9", "related", "none")
    ridge = printed("hubness", "table3", "cross-modal", "ridge")
    repeated = [level for level in _LEVELS if related[level] == ridge[level]]
    text = (
        f"P@1 is {plain['P@1']:g} without distractors and {related['P@1']:g} with related ones. "
        f"At 5 and 10 the column prints {related['P@5']:g} and {related['P@10']:g}, the same "
        f"numbers as ridge's in Table 3 ({ridge['P@5']:g} and {ridge['P@10']:g})."
    )
    return Evidence(related["P@1"] == plain["P@1"] and repeated == ["P@5", "P@10"], text)


def chimera_ten(numbers):
    """Table 8: where chimeras of 5 and of 10 neighbours stand against none."""
    table = printed_table("hubness", "table8")
    five, ten = (_gains(table, name, "none")[0] for name in ("chimera-5", "chimera-10"))
    gains = f"chimera-5 {join(five, '+.1f')}; chimera-10 {join(ten, '+.1f')}"
    text = f"Against none, at 1, 5 and 10: {gains}."
    return Evidence(min(five) > 0 and ten[0] > 0 > max(ten[1:]), text)


def no_intervals(numbers):
    """Differences of P@1 in standard errors, as if the two runs were independent."""
    rows, scores = [("table3", "max-margin", "ridge"), ("table11", "intruder", "random")], {}
    for (table, new, old), setting in product(rows, _SETTINGS):
        a, b = (printed("hubness", table, setting, m, "P@1") / 100.0 for m in (new, old))
        error = math.sqrt((a * (1.0 - a) + b * (1.0 - b)) / numbers[setting])
        scores[f"{new} over {old}, {setting}"] = (a - b) / error
    beyond = sum(score > 1.96 for score in scores.values())
    text = (
        f"P@1 in standard errors of a difference of independent shares: {join(scores, '.1f')}. "
        f"{beyond} of {len(scores)} are beyond 1.96. Pairs over the same test items would tell "
        "more, but are not printed."
    )
    low, second, *_, high = sorted(scores.values())
    return Evidence(low > 0 and second < 1.96 < high, text)


def first_violation(numbers):
    """A pair that beats every other label by the margin has no violating label to update on."""
    labels, margin = np.eye(4), 0.4
    mapped = labels[0]
    losses = np.maximum(0.0, margin + (1.0 - mapped @ labels[0]) - (1.0 - mapped @ labels[1:].T))
    text = (
        f"An item mapped onto its label, with {len(losses)} other labels at right angles and a "
        f"margin of {margin}: {int((losses > 0).sum())} labels violate it: there is no update."
    )
    return Evidence(not losses.any(), text)
