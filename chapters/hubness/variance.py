"""What least squares and ridge do to the variance of what they map (section 3)."""

from itertools import product

import numpy as np

from zslib.arrays import unit_rows
from zslib.mapping import RidgeMap
from zslib.protocols.mapping.outcome import evaluate, gold_queries
from zslib.protocols.tidy import row

PENALTIES = 10.0 ** np.arange(-3, 4)


def _mapped_training(problem, penalty=0.0):
    """Training targets, and what ridge with an intercept makes of them, in double precision.

    The penalty is given as a share of the mean squared length of the columns of X.
    """
    X, Y = problem.X_train.astype("f8"), problem.Y_train.astype("f8")
    alpha = penalty * np.sum(X * X) / X.shape[1]
    return Y, RidgeMap(alpha=alpha, fit_intercept=True).fit(X, Y).transform(X)


def projection_checks(problem):
    """Rows: are residuals of least squares orthogonal to mapped columns, which vary less?"""
    Y, mapped = _mapped_training(problem)
    residual = Y - mapped
    lengths = np.linalg.norm(residual, axis=0) * np.linalg.norm(mapped, axis=0)
    cosines = np.sum(residual * mapped, axis=0) / np.maximum(lengths, 1e-300)
    # With fewer items than dimensions the fit is exact, and its residual is rounding.
    exact = np.linalg.norm(residual) < 1e-9 * np.linalg.norm(Y)
    ratios = mapped.var(axis=0) / Y.var(axis=0)
    values = {
        "residual cosine": None if exact else np.abs(cosines).max(),
        "largest training variance ratio": ratios.max(),
        "mean training variance ratio": ratios.mean(),
    }
    for metric, value in values.items():
        yield row(problem, metric, "least squares", value)


def spread_of_targets(problems):
    """Rows: total variance of the training targets at length one, each once; and differences.

    A difference is of one cross-modal data set and one cross-linguistic.
    """
    spread = {}
    for problem in problems:
        targets = unit_rows(problem.targets[np.unique(problem.train_gold)].astype("f8"))
        value = spread[problem] = float(targets.var(axis=0).sum())
        yield row(problem, "spread of training targets", "targets", value)
    settings = ("cross-linguistic", "cross-modal")
    for words, images in product(*([p for p in spread if p.setting == s] for s in settings)):
        data, made = f"{images.name} and {words.name}", words.synthetic or images.synthetic
        value = spread[words] - spread[images]
        yield row(data, "spread of training targets", "languages - modes", value, synthetic=made)


def column_variances(problem, penalties):
    """Variances of the columns of the training targets, as they are and after mapping by ridge.

    Returns ``{penalty: (gold, mapped)}``, penalties as shares of X's mean squared column length.
    """
    pairs = {penalty: _mapped_training(problem, penalty) for penalty in penalties}
    return {penalty: tuple(a.var(axis=0) for a in pair) for penalty, pair in pairs.items()}


def variance_by_penalty(problem, alphas):
    """Rows: total variance after mapping by ridge over gold's, and hub answers, by penalty."""
    gold = [vectors.var(axis=0).sum() for vectors in (gold_queries(problem), problem.Y_train)]
    for alpha in alphas:
        ridge = RidgeMap(alpha=alpha).fit(problem.X_train, problem.Y_train)
        mapped = [ridge.transform(X) for X in (problem.X_test, problem.X_train)]
        ratios = [m.var(axis=0).sum() / g for m, g in zip(mapped, gold, strict=True)]
        values = {
            "variance ratio, test items": ratios[0],
            "variance ratio, training items": ratios[1],
            "hub answers": evaluate(problem, mapped[0]).hub_answers().mean(),
        }
        for metric, value in values.items():
            yield row(problem, metric, "ridge", float(value), penalty=float(alpha))
