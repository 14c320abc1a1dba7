"""What is new in DARK, part by part: image weights, the density margin, the label view."""

from functools import partial
from itertools import product

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score

from chapters.dark.by_class import share_over_classes
from chapters.dark.readings import COMMON, in_readings
from chapters.leaderboard.ranks import rank_correlation
from zslib.arrays import like, put, to_host, unit_rows
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import density_margin, image_weights
from zslib.compatibility.ranking.loss import violations
from zslib.protocols.attributes.training import fitted, trainings
from zslib.protocols.intervals import mean_estimate, over_runs, statistic_over_classes
from zslib.protocols.tidy import row

_OF_CLASSES = {"same_items": True, "unit": "classes"}


def _members(problem):
    """Name, features of the training images and weights by Eq. 6 of each seen class."""
    features = to_host(problem.features)[problem.trainval].astype(float)
    codes = np.searchsorted(problem.seen_classes, problem.labels[problem.trainval])
    weights = image_weights(features, codes, len(problem.seen_classes))
    for i, c in enumerate(problem.seen_classes):
        yield str(problem.class_names[c]), features[codes == i], weights[codes == i]


def distances(x):
    """Of each image of a class from the mean of all, (n,)."""
    return np.linalg.norm(x - x.mean(axis=0), axis=1)


def effective_share(weights):
    """Share of the images, in percent, that a class with these weights is represented by."""
    return 100.0 * weights.sum() ** 2 / (weights.size * (weights**2).sum())


def weight_rows(problem):
    """Rows of how unequal the weights of Eq. 6 are, and how far they move the class means."""
    classes = []
    for _, x, w in _members(problem):
        mean = x.mean(axis=0)
        shift = np.linalg.norm(w @ x - mean)
        error = np.sqrt(x.var(axis=0, ddof=1).sum() / len(x)) if len(x) > 1 else np.nan
        numbers = {
            "largest over smallest weight of a class": w.max() / w.min(),
            "effective share, %": effective_share(w),
            "shift of the class mean, %": 100.0 * shift / np.linalg.norm(mean),
            "shift over standard error": shift / error,
        }
        classes.append([*numbers.values()])
    for metric, value in zip(numbers, np.nanmean(classes, axis=0), strict=True):
        yield row(problem, metric, "Eq. 6", float(value))


def sharpness_rows(problem, sharpness):
    """Rows of the mean effective share, were the exponent of Eq. 6 ``s`` times as large."""
    squares = [distances(x) ** 2 for _, x, _ in _members(problem)]
    for s in sharpness:
        shares = [effective_share(np.exp(-s * (d - d.min()))) for d in squares]
        yield {"dataset": problem, "s": s, "value": float(np.mean(shares))}


def class_weights(problem):
    """Rows of distance to the mean and weight of each image of the four largest classes."""
    classes = sorted(_members(problem), key=lambda member: -len(member[1]))[:4]
    for name, x, w in classes:
        image = {"dataset": problem, "class": name.replace("_", " ")}
        for metric, values in (("distance", distances(x)), ("weight", w * len(w))):
            for i, value in enumerate(values):
                yield image | {"image": i, "metric": metric, "value": float(value)}


class EqualWeights(DARK):
    """`DARK` whose classes are represented by their plain means."""

    def _descend(self, U, V, X, codes, S, means, rng, keep):
        means = like(_class_means(X, to_host(codes)), X)
        super()._descend(U, V, X, codes, S, means, rng, keep)


def _class_means(features, codes):
    x = to_host(features)
    means = [x[codes == c].astype(float).mean(axis=0) for c in range(codes.max() + 1)]
    return np.stack(means).astype(x.dtype)


KINDS = {
    # A step of no length shows the random start.
    "before training": (DARK, {"n_iter": 1, "learning_rate": 1e-30}),
    "DARK-L, weight 1": (DARK, {"label_view": False}),
    # Without its label view half of the data's gradient is gone.
    "DARK-L": (DARK, {"label_view": False, "data_weight": 2.0}),
    "DARK, equal weights": (EqualWeights, {}),
    "DARK": (DARK, {}),
}


def train_kinds(problem, held, kinds, seeds, *, n_iter, margin):
    """Models of some of `KINDS` by reading, one for each seed; and why some cannot be trained.

    They are trained on what is not ``held`` out.
    """
    common = COMMON | {"n_iter": n_iter, "drop_at": 3 * n_iter // 4, "margin": margin}

    def models(kind, gradient):
        make, changes = KINDS[kind]
        options = common | changes | {"gradient": gradient}
        return [fitted(make(**options, random_state=seed), held) for seed in seeds]

    def train(gradient):
        return trainings({kind: partial(models, kind, gradient) for kind in kinds})

    return in_readings(problem, train)


def set_rows(scored):
    """Rows of how alike F_set is with the weights of Eq. 6 and with equal weights."""
    if "DARK" not in scored.scores:
        return
    pairs = [(scored.sets(F), scored.sets(F, np.ones(len(F)))) for F in scored.scores["DARK"]]
    correlations = [np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in pairs]
    same = [100.0 * (a.argmax(axis=1) == b.argmax(axis=1)) for a, b in pairs]
    values = {
        "correlation of F_set, w_x with equal": mean_estimate(correlations),
        "labels with the same first set, w_x and equal, %": mean_estimate(same, **_OF_CLASSES),
    }
    for metric, value in values.items():
        yield row(scored.problem, metric, "DARK", value, part=scored.part)


def margin_rows(scored, margin):
    """Rows of own scores and margins, and of what larger scores would do to violations."""
    if "DARK" not in scored.scores:
        return
    after = scored.own("DARK")
    margins = [density_margin(f, margin) for f in after]
    parts = {
        "own score before training, mean": [(f, 1.0) for f in scored.own("before training")],
        "own score after training, mean": [(f, 1.0) for f in after],
        "margin after training, mean": [(e, 1.0) for e in margins],
        "error of m F in place of the margin, %": [
            (100.0 * np.abs(e - margin * f), e) for f, e in zip(after, margins, strict=True)
        ],
        "images whose own score is below 0, %": [(100.0 * (f < 0), 1.0) for f in after],
    }
    for metric, pairs in parts.items():
        yield row(scored.problem, metric, "DARK", share_over_classes(pairs, scored.codes))
    kinds = {"Eq. 3": lambda own: density_margin(own, margin), "margin 1": np.ones_like}
    for (kind, epsilon), factor in product(kinds.items(), (1.0, 2.0, 10.0)):
        pairs = []
        for F, f in zip(scored.scores["DARK"], after, strict=True):
            R = violations(factor * F, scored.codes, epsilon(factor * f[:, None]))
            pairs.append((100.0 * (R > 0).sum(axis=1), F.shape[1] - 1.0))
        value = share_over_classes(pairs, scored.codes)
        yield row(scored.problem, "violating triplets, %", kind, value, factor=factor)


def _five_largest(values, own):
    """Mean of the five largest of each row, apart from the column ``own``."""
    others = put(values.copy(), own, -np.inf)
    return np.sort(others, axis=1)[:, -min(5, others.shape[1] - 1) :].mean(axis=1)


def _nearest(vectors):
    """Mean cosine of each row with its five nearest others."""
    v = unit_rows(to_host(vectors).astype(float))
    return _five_largest(v @ v.T, np.arange(len(v)))


def density_rows(scored, margin):
    """Rows of the rank correlation of margins with three measures of density."""
    if "DARK" not in scored.scores:
        return
    codes, of_images, of_classes = scored.codes, [], []
    for F, f in zip(scored.scores["DARK"], scored.own("DARK"), strict=True):
        epsilon = density_margin(f, margin)
        of_classes.append(np.bincount(codes, weights=epsilon) / np.bincount(codes))
        of_images.append(spearmanr(epsilon, _five_largest(F, codes)).statistic)
    embeddings = _nearest(to_host(scored.held.class_embeddings)[scored.classes])
    images = _nearest(_class_means(scored.features, codes))
    correlations = {
        "image: its five strongest rivals": (
            mean_estimate(of_images) if np.all(np.isfinite(of_images)) else None
        ),
        "class: density of embeddings": _rank_correlation(of_classes, embeddings),
        "class: density of images": _rank_correlation(of_classes, images),
    }
    for name, value in correlations.items():
        yield row(scored.problem, "rank correlation with the margin", name, value)


def _rank_correlation(of_classes, density):
    """Of each run's mean margins of classes with their densities, over classes and runs."""
    if min(map(np.ptp, (*of_classes, density))) == 0:
        return None

    def statistic(run, classes):
        return rank_correlation(of_classes[run][classes], density[classes])

    return statistic_over_classes(statistic, len(of_classes), density.size)


def view_measures(scored):
    """Measures of scores: whether labels put their own set, and own images, before others."""

    def own_set_first(F):
        return 100.0 * (scored.sets(F).argmax(axis=1) == np.arange(F.shape[1]))

    def precision(F):
        return [100.0 * average_precision_score(scored.codes == c, f) for c, f in enumerate(F.T)]

    return {
        "labels whose own set comes first, %": over_runs(own_set_first, **_OF_CLASSES),
        "average precision of a label's images, %": over_runs(precision, **_OF_CLASSES),
    }


def place_rows(scored):
    """Rows of the share of labels whose own set is among the first ``k``, of the first seed."""
    for kind in (k for k in ("before training", "DARK-L", "DARK") if k in scored.scores):
        sets = scored.sets(scored.scores[kind][0])
        places = (sets > np.diag(sets)[:, None]).sum(axis=1) + 1
        named = {"dataset": scored.problem, "kind": kind, "part": scored.part}
        for k in range(1, len(sets) + 1):
            yield named | {"k": k, "value": float(100.0 * (places <= k).mean())}
