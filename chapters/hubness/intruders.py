"""Intruders among the training targets: who they are, and how fast they teach (section 5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np

from zslib.arrays import resolve_device, to_requested_device, unit_rows
from zslib.protocols.intervals import Estimate, mean_estimate, percentile_ends
from zslib.protocols.mapping.corrected import first_queries
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.mapping.tuning import at_epochs
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

_RESAMPLES, _MOST = 200, 2000
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


def update_shares(problem, parameters, *, n=2000, seed=0):
    """Rows: of how many training items a random negative violates the margin, after one epoch.

    By margins of a half, one and two of the chosen one, and numbers of negatives drawn from the
    other training targets: where a share q of these violates it, k draws miss it with (1 - q)^k.
    """
    fitted = METHODS["max-margin"].fresh(seed, **parameters | {"n_epochs": 1})
    fitted.fit(problem.X_train, problem.Y_train)
    gold, mapped = unit_rows(problem.Y_train[:n]), unit_rows(fitted.transform(problem.X_train[:n]))
    scores = mapped @ gold.T
    gaps = np.diag(scores)[:, None] - scores
    np.fill_diagonal(gaps, np.inf)
    for margin in (parameters["margin"] * factor for factor in (0.5, 1.0, 2.0)):
        missed = 1 - np.sum(gaps < margin, axis=1) / (len(gold) - 1)
        for k in (1, 5, 20):
            share = 100.0 * float(np.mean(1 - missed**k))
            columns = {"margin": margin, "negatives": k}
            yield row(problem, "share of updates, %", "random, one epoch", share, **columns)


def learning_rules(fit):
    """Methods and parameters for `precision_by_epoch`, where ``fit`` is of random negatives."""
    return {
        "random": ("max-margin", {}),
        "intruder": ("intruder", {}),
        "intruder, same margin": ("intruder", {"margin": fit.parameters["margin"]}),
    }


def precision_by_epoch(runs, methods, n_epochs, *, max_queries=0):
    """Rows: test P@1 on the way of training, its best, and when 95% of that is reached.

    ``methods`` is ``{name: (method, other parameters than the chosen ones)}``; each is held
    against the first. ``max_queries`` are as many of the test items, 0 stands for all. Epochs
    have intervals over words drawn anew, about the mean of such draws.
    """
    looks = sorted({epoch for epoch in _LOOKS if epoch < n_epochs} | {n_epochs})
    device = resolve_device(runs.device)
    same = len({problem.checksum for problem in runs.problems}) == 1
    asked = cache(lambda p: first_queries(p, max_queries)[0] if max_queries else p)
    n_words = len(asked(runs.problem).test_gold)
    curves = {}

    def reached(name, times):
        """Epochs of each seed where each word counts so many times, (n_seeds, n_draws)."""
        shares = curves[name] @ times.T / n_words
        near_best = shares >= 0.95 * shares.max(axis=1, keepdims=True)
        return np.array(looks)[near_best.argmax(axis=1)]

    def estimate(name, minus=None):
        rng = np.random.default_rng(0)

        def of(times):
            values = reached(name, times)
            return values if minus is None else values - reached(minus, times)

        def draw(n):
            times = rng.multinomial(n_words, np.full(n_words, 1 / n_words), size=n)
            return of(times).mean(axis=0)

        epochs = of(np.ones((1, n_words)))[:, 0]
        if not same:
            return mean_estimate(epochs)
        mean = float(epochs.mean())
        low, high, n_draws = percentile_ends(draw, _RESAMPLES, about=mean, most=_MOST)
        return Estimate(mean, low, high, epochs.size, "words", n_words, n_draws)

    for name, (method, other) in methods.items():
        hits = [
            kept(
                _curve, METHODS[method], asked(problem),
                parameters=fit.parameters | other, seed=seed, looks=looks, on=device,
            )
            for problem, seed, fit in zip(
                runs.problems, runs.seeds, runs.train(method), strict=True
            )
        ]  # fmt: skip
        for epoch, *seeds in zip(looks, *hits, strict=True):
            value = mean_estimate(seeds, same_items=same, unit="words" if same else None)
            yield row(runs.problem, "P@1 by epoch", name, value, epoch=epoch)
        curves[name] = np.array(hits)
        best = float(curves[name].mean(axis=2).max(axis=1).mean())
        yield row(runs.problem, "best P@1 on the way", name, best)
        yield row(runs.problem, "epochs to 95%", name, estimate(name))
    first, *others = methods
    for name in others:
        saved = estimate(name, first)
        yield row(runs.problem, "epochs to 95%", f"{name} - {first}", saved)


def _curve(method, problem, parameters, seed, looks, on):
    """Whether each test item is hit, in percent, after each epoch looked at: (looks, items)."""
    X, Y, queries = (
        to_requested_device(a, on) for a in (problem.X_train, problem.Y_train, problem.X_test)
    )
    hits = at_epochs(
        method.fresh(seed, **parameters), X, Y, looks,
        lambda fitted: evaluate(problem, fitted.transform(queries), k=0).hits(1),
    )  # fmt: skip
    return np.array(list(hits.values()))
