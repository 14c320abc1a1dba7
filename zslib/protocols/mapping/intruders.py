"""Intruders among the training targets: who they are, and how fast they teach (section 5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from zslib.arrays import resolve_device, to_requested_device, unit_rows
from zslib.protocols.attributes.curves import epochs_to_share
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

__all__ = ["EarlyIntruders", "early_intruders", "precision_by_epoch"]

_LOOKS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100)


@dataclass(frozen=True, eq=False)
class EarlyIntruders:
    """Training items of an early map with their intruders, the highest score first.

    Attributes
    ----------
    asked, right, intruder : str arrays, shape (n,)
        Source word, right answer and intruder of each item.
    scores : (n,) array
        Of the intruders.
    vectors : dict of str to (d,) array
        The first item's right answer, the training target nearest to that, its intruder and its
        mapped vector, at length one.
    cosines : dict of str to float
        Of some pairs of them.
    several, translated : float
        Percent of the items whose word has several translations; and of those, whose intruder
        would be one of these.
    """

    asked: np.ndarray
    right: np.ndarray
    intruder: np.ndarray
    scores: np.ndarray
    vectors: dict
    cosines: dict
    several: float
    translated: float


def early_intruders(problem, parameters, *, n=2000, seed=0):
    """Find the intruders of the first ``n`` training items after one epoch of random negatives.

    Further translations of an item's word are passed over; training does not know better.
    """
    fitted = METHODS["max-margin"].fresh(seed, **parameters | {"n_epochs": 1})
    fitted.fit(problem.X_train, problem.Y_train)
    asked, right = problem.train_words[:n], problem.target_words[problem.train_gold[:n]]
    gold, mapped = unit_rows(problem.Y_train[:n]), unit_rows(fitted.transform(problem.X_train[:n]))
    nearness = gold @ gold.T
    scores = mapped @ gold.T - nearness
    scores[right[:, None] == right[None, :]] = -np.inf

    listed = set(zip(asked, right, strict=True))
    translations = Counter(word for word, _ in listed)
    several = np.array([translations[word] > 1 for word in asked])
    taken = right[scores.argmax(axis=1)]
    translated = np.array([pair in listed for pair in zip(asked, taken, strict=True)])

    scores[asked[:, None] == asked[None, :]] = -np.inf
    order = np.argsort(-scores.max(axis=1))
    first, other = order[0], scores[order[0]].argmax()
    nearness[first, (right == right[first]) | (asked == asked[first])] = -np.inf
    near = nearness[first].argmax()
    return EarlyIntruders(
        asked[order],
        right[order],
        right[scores.argmax(axis=1)][order],
        scores.max(axis=1)[order],
        {
            f"{right[first]} (right answer)": gold[first],
            f"{right[near]} (nearest to it)": gold[near],
            f"{right[other]} (intruder)": gold[other],
            f"{asked[first]}, mapped": mapped[first],
        },
        {
            "mapped, right answer": mapped[first] @ gold[first],
            "mapped, intruder": mapped[first] @ gold[other],
            "right answer, intruder": gold[first] @ gold[other],
            "right answer, nearest to it": gold[first] @ gold[near],
        },
        100.0 * several.mean(),
        100.0 * translated[several].mean() if several.any() else 0.0,
    )


def precision_by_epoch(runs, methods, n_epochs, *, share=0.95):
    """Rows: test P@1 on the way of training, its best, and when ``share`` of that is reached.

    ``methods`` is {name: method}; the last of them is held against the first.
    """
    looks = sorted({epoch for epoch in _LOOKS if epoch < n_epochs} | {n_epochs})
    on, needed, to_share = resolve_device(runs.device), {}, f"epochs to {share:.0%}"
    for name, method in methods.items():
        curves = np.array(
            [
                kept(
                    _curve, METHODS[method], problem,
                    parameters=fit.parameters, seed=seed, looks=looks, on=on,
                )
                for problem, seed, fit in zip(
                    runs.problems, runs.seeds, runs.train(method), strict=True
                )
            ]
        )  # fmt: skip
        for epoch, values in zip(looks, curves.T, strict=True):
            yield row(runs.problem, "P@1 by epoch", name, runs.estimate(values), epoch=epoch)
        best = runs.estimate(curves.max(axis=1))
        yield row(runs.problem, "best P@1 on the way", name, best)
        needed[name] = [epochs_to_share(c, share, of="best", epochs=looks) for c in curves]
        yield row(runs.problem, to_share, name, runs.estimate(needed[name]))
    first, last = (list(needed)[i] for i in (0, -1))
    saved = runs.difference(needed[last], needed[first])
    yield row(runs.problem, to_share, f"{last} - {first}", saved)


def _curve(method, problem, parameters, seed, looks, on):
    """Test P@1 in percent after each of the epochs that are looked at."""
    X, Y, queries = (
        to_requested_device(a, on) for a in (problem.X_train, problem.Y_train, problem.X_test)
    )
    seen = []

    def look(epoch, fitted):
        if epoch in looks:
            hits = evaluate(problem, fitted.transform(queries), k=1).hits(1)
            seen.append(float(hits.mean()))

    estimator = method.fresh(seed, **parameters | {"n_epochs": looks[-1]})
    estimator.set_params(callback=look).fit(X, Y)
    return seen
