"""Intruders among the training targets: who they are, and how fast they teach (section 5)."""

from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np

from zslib.arrays import resolve_device, to_requested_device, unit_rows
from zslib.protocols.intervals import class_draws, mean_estimate, resampled_estimate
from zslib.protocols.mapping.corrected import first_queries
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.mapping.tuning import at_epochs
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

_ITEMS = 2000
_RESAMPLES, _MOST = 200, 2000
_LOOKS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100)


def _after_one_epoch(problem, parameters, seed):
    """Right answers and mapped vectors of the first items, at length one: random negatives."""
    fitted = METHODS["max-margin"].fresh(seed, **parameters | {"n_epochs": 1})
    fitted.fit(problem.X_train, problem.Y_train)
    mapped = fitted.transform(problem.X_train[:_ITEMS])
    return unit_rows(problem.Y_train[:_ITEMS]), unit_rows(mapped)


def early_intruders(problem, parameters, *, seed=0):
    """Find the intruders of the first training items after one epoch of random negatives.

    Further translations of an item's word are passed over; training does not know better.

    Returns
    -------
    SimpleNamespace
        ``asked``, ``right`` and ``intruder``, each item's source word, right answer and intruder,
        the one with the highest of the intruders' ``scores`` first; ``vectors`` by name, the first
        item's right answer, the training target nearest to that, its intruder and its mapped
        vector, at length one, and ``cosines`` of some pairs of them; ``several``, the percentage
        of items whose word has several translations, and ``translated``, that of those whose
        intruder would be one of these.
    """
    gold, mapped = _after_one_epoch(problem, parameters, seed)
    asked, right = problem.train_words[:_ITEMS], problem.target_words[problem.train_gold[:_ITEMS]]
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
    return SimpleNamespace(
        asked=asked[order],
        right=right[order],
        intruder=right[scores.argmax(axis=1)][order],
        scores=scores.max(axis=1)[order],
        vectors={
            f"{right[first]} (right answer)": gold[first],
            f"{right[near]} (nearest to it)": gold[near],
            f"{right[other]} (intruder)": gold[other],
            f"{asked[first]}, mapped": mapped[first],
        },
        cosines={
            "mapped, right answer": mapped[first] @ gold[first],
            "mapped, intruder": mapped[first] @ gold[other],
            "right answer, intruder": gold[first] @ gold[other],
            "right answer, nearest to it": gold[first] @ gold[near],
        },
        several=100.0 * several.mean(),
        translated=100.0 * translated[several].mean() if several.any() else 0.0,
    )


def update_shares(problem, parameters, *, seed=0):
    """Rows: of how many training items a random negative violates the margin, after one epoch.

    By margins of a half, one and two of the chosen one, and numbers of negatives drawn from the
    other training targets: where a share q of these violates it, k draws miss it with (1 - q)^k.
    """
    gold, mapped = _after_one_epoch(problem, parameters, seed)
    scores = mapped @ gold.T
    gaps = np.diag(scores)[:, None] - scores
    np.fill_diagonal(gaps, np.inf)
    for factor, k in product((0.5, 1.0, 2.0), (1, 5, 20)):
        margin = parameters["margin"] * factor
        missed = 1 - np.sum(gaps < margin, axis=1) / (len(gold) - 1)
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
    options = {"looks": looks, "on": resolve_device(runs.device)}
    same = len({problem.checksum for problem in runs.problems}) == 1
    asked = [first_queries(p, max_queries or len(p.test_gold))[0] for p in runs.problems]
    curves = {}
    for name, (method, other) in methods.items():
        hits = [
            kept(
                _curve, METHODS[method], p, parameters=fit.parameters | other, seed=seed, **options
            )
            for p, seed, fit in zip(asked, runs.seeds, runs.train(method), strict=True)
        ]
        for epoch, *seeds in zip(looks, *hits, strict=True):
            value = mean_estimate(seeds, same_items=same, unit="words" if same else None)
            yield row(runs.problem, "P@1 by epoch", name, value, epoch=epoch)
        curves[name] = np.array(hits)
        best = float(curves[name].mean(axis=2).max(axis=1).mean())
        yield row(runs.problem, "best P@1 on the way", name, best)
        yield row(runs.problem, "epochs to 95%", name, _epochs_to_95([curves[name]], looks, same))
    first, *others = methods
    for name in others:
        saved = _epochs_to_95([curves[name], curves[first]], looks, same)
        yield row(runs.problem, "epochs to 95%", f"{name} - {first}", saved)


def _epochs_to_95(curves, looks, same):
    """Epochs to 95% of the best of a curve (n_seeds, looks, words), or how many more than another.

    Where the words are the ``same`` for all seeds the interval is over words.
    """
    n_words, rng = curves[0].shape[2], np.random.default_rng(0)

    def reached(times):
        """Epochs of each seed where each word counts so many times, (n_seeds, n_draws)."""
        shares = [curve @ times.T / n_words for curve in curves]
        near_best = [share >= 0.95 * share.max(axis=1, keepdims=True) for share in shares]
        first, *other = (np.array(looks)[near.argmax(axis=1)] for near in near_best)
        return first - sum(other)

    epochs = reached(np.ones((1, n_words)))[:, 0]
    if not same:
        return mean_estimate(epochs)

    def draw(n):
        return reached(class_draws(n_words, n, rng)).mean(axis=0)

    of = epochs.size, "words", n_words
    return resampled_estimate(epochs.mean(), draw, _RESAMPLES, *of, moved=True, most=_MOST)


def _curve(method, problem, parameters, seed, looks, on):
    """Whether each test item is hit, in percent, after each epoch looked at: (looks, items)."""
    arrays = problem.X_train, problem.Y_train, problem.X_test
    X, Y, queries = (to_requested_device(array, on) for array in arrays)

    def hits(fitted):
        return evaluate(problem, fitted.transform(queries), k=0).hits(1)

    by_epoch = at_epochs(method.fresh(seed, **parameters), X, Y, looks, hits)
    return np.array(list(by_epoch.values()))
