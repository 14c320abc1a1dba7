"""Recomputations for Guo et al. (2019)."""

import math

import numpy as np

from book.papers.evidence import Evidence, central_differences, join, rounds_to
from book.papers.printed import printed, printed_table
from zslib.metrics import harmonic_mean
from zslib.nn import sigmoid

_DATASETS = ("AwA2", "aPY", "SUN", "CUB")
_MEASURES = ("ACC", "H")


def image_transform_of_labels(numbers):
    """phi takes p-dimensional images: phi(y) has no meaning, phi(x) varphi(y)' is x U V'y'."""
    p, q, r = 5, 4, 2
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(p), rng.standard_normal(q)
    U, V = rng.standard_normal((p, r)), rng.standard_normal((q, r))
    same = math.isclose(float((x @ U) @ (y @ V)), float(x @ (U @ V.T) @ y))
    text = (
        f"With p = {p} image features and q = {q} attributes yU cannot be formed; xU (yV)' equals "
        "xWy' with W = UV', as the next sentence of the paper needs."
    )
    return Evidence(len(y) != len(U) and same, text)


def weights_normaliser(numbers):
    """Eq. 6 read literally (Z is the sum of the w it defines) against the sum of exponentials."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 3))
    kernel = np.exp(-((x - x.mean(0)) ** 2).sum(1))
    root = math.sqrt(kernel.sum())  # Z = sum(kernel) / Z, so Z² = sum(kernel)
    ours, literal = ((kernel / Z).sum() for Z in (kernel.sum(), root))
    text = (
        "On six random images the weights sum to "
        f"{ours:.3f} with the sum of exponentials. Taken literally Z would be the root of "
        f"that sum, and the weights would sum to {literal:.3f}."
    )
    consistent = math.isclose(literal, root) and math.isclose(ours, 1.0)
    return Evidence(consistent and abs(literal - 1.0) > 0.05, text)


def penalty_gradient(numbers):
    """Finite differences of Eq. 9 in U, margin and weight held fixed, against Eq. 10."""
    rng = np.random.default_rng(0)
    p, q, r, n, classes, penalty = 4, 3, 2, 6, 3, 0.3
    x, y = rng.standard_normal((n, p)), rng.standard_normal((classes, q))
    own = np.arange(n) % classes
    U, V = rng.standard_normal((p, r)), rng.standard_normal((q, r))
    weights = np.full((n, classes), 0.7)
    weights[np.arange(n), own] = 0.0

    def loss(U):
        scores = x @ U @ V.T @ y.T
        data = (weights * (scores - scores[np.arange(n), own][:, None])).sum() / n
        return data + penalty * ((U**2).sum() + (V**2).sum())

    rivals = (y[None] - y[own][:, None]) @ V  # less the own label, (n, classes, r)
    data = np.einsum("ic,ip,icr->pr", weights, x, rivals) / n
    numeric = central_differences(loss, U)
    printed_error, read_error = (
        float(np.abs(data + factor * penalty * U - numeric).max()) for factor in (1.0, 2.0)
    )
    text = (
        "Against finite differences on random data the largest error of Eq. 10 is "
        f"{printed_error:.2f} with the penalty's term as printed, and below 1e-6 with twice that "
        "term."
    )
    return Evidence(read_error < 1e-6 < 1e-2 < printed_error, text)


def _baselines(column, measure):
    """What the systems beside DARK have in a column of Table 3."""
    table = printed_table("dark", "table3")
    return {name: row[column][measure] for name, row in table.items() if name != "DARK"}


def averages(numbers):
    """The two average columns of Table 3, recomputed."""
    table = printed_table("dark", "table3")
    pairs = {
        f"{name} {m}": (row["Average"][m], np.mean([row[d][m] for d in _DATASETS]))
        for name, row in table.items()
        for m in _MEASURES
    }
    right = sum(rounds_to(mean, given, 2) for given, mean in pairs.values())
    largest = max(abs(mean - given) for given, mean in pairs.values())
    text = (
        f"{right} of {len(pairs)} averages recompute; the largest difference is {largest:.3f}, a "
        "rounding."
    )
    return Evidence(len(table) == 14 and right == len(pairs), text)


def gains(numbers):
    """The printed gains are differences of average columns, of two different baselines."""
    clauses, confirmed = {}, True
    for measure, claimed in printed("dark", "text", "gain over the best baseline").items():
        baselines = _baselines("Average", measure)
        name, best = max(baselines.items(), key=lambda item: item[1])
        ours = printed("dark", "table3", "DARK", "Average", measure)
        confirmed &= rounds_to(ours - best, claimed, 2)
        clauses[name] = f"{measure}: {ours:.2f} - {best:.2f} = {ours - best:.2f} ({name})"
    return Evidence(confirmed and len(clauses) == 2, "; ".join(clauses.values()) + ".")


def best_baseline(numbers):
    """DARK against the best baseline of each column instead."""
    ours = printed("dark", "table3", "DARK")
    leads = np.array(
        [[ours[d][m] - max(_baselines(d, m).values()) for d in _DATASETS] for m in _MEASURES]
    )
    won, means = (leads > 0).sum(), dict(zip(_MEASURES, leads.mean(axis=1), strict=True))
    clauses = (
        f"{measure}: {join(row, '+.1f')}, mean {mean:.2f}"
        for row, (measure, mean) in zip(leads, means.items(), strict=True)
    )
    text = (
        f"Against the best baseline of each data set ({', '.join(_DATASETS)}): "
        f"{'; '.join(clauses)}. DARK leads in {won} of {leads.size} columns."
    )
    claimed = printed("dark", "text", "gain over the best baseline")
    as_claimed = rounds_to(means["H"], claimed["H"], 2)
    return Evidence(bool(won == 7 and means["ACC"] < claimed["ACC"] - 0.5 and as_claimed), text)


def cmt_star(numbers):
    """H of CMT and of CMT* from the accuracies of Xian et al., against the row "CMT"."""
    row = printed_table("dark", "table3")["CMT"]
    plain, starred = (
        np.array([harmonic_mean(*numbers[name][d]) for d in _DATASETS]) for name in ("CMT", "CMT*")
    )
    given = np.array([row[d]["H"] for d in _DATASETS])
    text = (
        f"The row prints H = {join(given, '.1f')}. From the accuracies of CMT H is "
        f"{join(plain, '.1f')}. From the accuracies of CMT* H is {join(starred, '.1f')}."
    )
    confirmed = np.abs(starred - given).max() <= 0.1 and np.abs(plain - given).min() > 1.0
    return Evidence(bool(confirmed), text)


def data_sets(numbers):
    """Table 2's class counts against the text, and its 80/20 split of seen samples."""
    table = printed_table("dark", "table2")
    classes = {d: row["seen classes"] + row["unseen classes"] for d, row in table.items()}
    parts = [(row["train seen samples"], row["test seen samples"]) for row in table.values()]
    shares = [train / (train + test) for train, test in parts]
    text = (
        f"Seen and unseen classes add up to {join(classes)}, as in the text; training takes "
        f"{min(shares):.3%} to {max(shares):.3%} of the seen samples."
    )
    split = np.allclose(shares, 0.8, rtol=0.0, atol=5e-4)
    return Evidence(classes == printed("dark", "text", "classes") and split, text)


def batch_complexity(numbers):
    """Label-view triplets of a step against the image-view triplets of a batch, by data set."""
    batch = printed("dark", "text", "settings", "batch")
    seen = {d: row["seen classes"] for d, row in printed_table("dark", "table2").items()}
    triplets = [f"{batch * (k - 1):,} and {k * (k - 1):,} ({d})" for d, k in seen.items()]
    more = [d for d, k in seen.items() if k > batch]
    text = (
        f"Triplets of one step with {batch} images, image view and label view: "
        f"{'; '.join(triplets)}. On {join(more or ['none'])} the view that the bound omits is the "
        "larger one."
    )
    return Evidence(more == ["SUN"], text)


def rank_saves(numbers):
    """(p + q) r against p q, for the printed r and the attributes of each data set."""
    p, r = printed("dark", "text", "image features"), printed("dark", "text", "settings", "r")
    attributes = {d: row["attributes"] for d, row in printed_table("dark", "table2").items()}
    saved = {d: 1.0 - (p + q) * r / (p * q) for d, q in attributes.items()}
    more = [d for d, share in saved.items() if share < 0]
    text = (
        f"With {p:,} image features and r = {r} the two factors save {join(saved, '.0%')} of the "
        f"numbers of the matrix. On {join(more or ['none'])}, where r is not below the number of "
        "attributes, they have more."
    )
    return Evidence(more == ["aPY"] and attributes["aPY"] <= r, text)


def softplus_margin(numbers):
    """log(1 + exp(F)) against F where the approximation is used."""
    zero, one, five = (math.log1p(math.exp(f)) for f in (0.0, 1.0, 5.0))
    text = f"log(1 + exp(F)) is {zero:.2f} at F = 0, {one:.2f} at F = 1 and {five:.2f} at F = 5."
    return Evidence(zero > 0.5 and one > 1.3 and abs(five - 5.0) < 0.01, text)


def negative_losses(numbers):
    """R times its sigmoid weight is negative for easy triplets; with a step weight it is not."""
    R = np.linspace(-10.0, 10.0, 20001)
    soft, hard = R * sigmoid(R), np.where(R > 0, R, 0.0)
    text = (
        f"R times its sigmoid falls to {soft.min():.3f} at R = {R[soft.argmin()]:.2f}; R times a "
        f"step is never below {hard.min():.0f}."
    )
    return Evidence(soft.min() < -0.25 and hard.min() == 0.0, text)


def margin_follows(numbers):
    """R of a rival at 0.8 of the own score, all scores lengthened, with m = 0.5."""
    scales = (1.0, 10.0, 100.0)
    adaptive = [0.5 * np.logaddexp(0.0, scale) - 0.2 * scale for scale in scales]
    constant = [1.0 - 0.2 * scale for scale in scales]
    text = (
        f"Own scores of {join(scales, 'g')} and a rival at 0.8 of them: R is "
        f"{join(adaptive, '.2f')} with Eq. 3, and {join(constant, '.1f')} with a constant margin "
        "of 1."
    )
    return Evidence(min(adaptive) > 0.0 and max(constant[1:]) < 0.0, text)


def weight_follows(numbers):
    """Derivative by R of R times its sigmoid, by differences, beside the sigmoid itself."""
    R = np.array([-3.0, 0.0, 3.0])
    slopes = central_differences(lambda R: (R * sigmoid(R)).sum(), R)
    weights = sigmoid(R)
    text = (
        f"At R = {join(R, 'g')} the weight is {join(weights, '.2f')}, "
        f"and the derivative of what a triplet adds is {join(slopes, '.2f')}."
    )
    return Evidence(weights[0] > 0.0 > slopes[0] and slopes[2] > 0.0, text)


def sums_over_rivals(numbers):
    """At equal scores the pull on an own score is the number of rivals times the weight."""
    seen = {d: row["seen classes"] for d, row in printed_table("dark", "table2").items()}
    weight = 1.0 / (1.0 + math.exp(-0.5 * math.log(2.0)))  # all scores 0, m = 0.5
    pull = {d: (k - 1) * weight for d, k in seen.items()}
    ratio = max(pull.values()) / min(pull.values())
    text = (
        f"Where all scores are 0, an image pulls its own score by {join(pull, '.0f')}: "
        f"{ratio:.0f} times as much at one end as at the other, at one step size."
    )
    return Evidence(round(ratio) == 34, text)
