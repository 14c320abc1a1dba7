"""Hyperparameters chosen on a random quarter of the training pairs (Hubness and Pollution, 2)."""

from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from zslib.datasets.problem import check_problem
from zslib.protocols.choices import told_apart
from zslib.protocols.mapping.methods import check_method
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.sweep import CHOICE_SEEDS, kept, ranked, sweep

# How often the longest training of the best candidates may double where it is the best.
_DOUBLINGS = 2


@dataclass(frozen=True)
class Tuned:
    """What tuning chose, its score, and what `sweep` tried: means over the seeds of the choice.

    Each of the ``trials`` has the ``n_epochs`` that its score is of, where these are chosen too.
    """

    parameters: dict
    score: float
    trials: list = field(repr=False)


def validation_problem(problem, *, seed=0):
    """The training pairs as a problem of their own: a quarter of the words is held out to test.

    Pairs with the same source word, and in the cross-modal setting the same label, stay together,
    so that the held-out words are new to the mapping. Test items take no part, though their
    labels stay in the vocabulary.
    """
    words = np.asarray(problem.train_words)
    splitter = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=seed)
    train, held_out = next(splitter.split(words, groups=words))
    rows_of: dict[str, list] = {}
    for row in held_out:
        rows_of.setdefault(words[row], []).append(row)
    rows = np.array([of_word[0] for of_word in rows_of.values()])
    return replace(
        problem,
        name=f"{problem.name}-validation",
        X_train=problem.X_train[train],
        train_gold=problem.train_gold[train],
        train_words=words[train],
        X_test=problem.X_train[rows],
        test_gold=tuple(problem.train_gold[of_word] for of_word in rows_of.values()),
        test_words=words[rows],
        labels=np.unique(problem.train_gold),
    )


def epochs_for(updates, n_items, batch_size):
    """Numbers of epochs, increasing and distinct, that come nearest to the numbers of updates."""
    per_epoch = -(-n_items // batch_size)
    return sorted({max(1, round(u / per_epoch)) for u in updates})


def at_epochs(estimator, X, Y, looks, score):
    """``{epoch: score(estimator)}`` on the way of one training, at the increasing ``looks``."""
    scores = {}

    def look(epoch, fitted):
        if epoch in looks:
            scores[epoch] = score(fitted)

    estimator.set_params(n_epochs=looks[-1], callback=look).fit(X, Y)
    return scores


def _reciprocal_rank(problem, space, fitted):
    outcome = evaluate(problem, fitted.transform(problem.X_test), space=space, k=0, mapping=fitted)
    return float(np.mean(1 / (1 + outcome.ranks)))


def _validated(estimator, problem, updates, space):
    """The validation score of one candidate, after each number of epochs where it has such."""
    X, Y = problem.X_train, problem.Y_train
    if not updates:
        return {"": _reciprocal_rank(problem, space, estimator.fit(X, Y))}
    looks = epochs_for(updates, X.shape[0], estimator.batch_size)
    return at_epochs(estimator, X, Y, looks, partial(_reciprocal_rank, problem, space))


def tune(method, problem, *, seeds=CHOICE_SEEDS) -> Tuned:
    """Try the grid of ``method`` on held-out training pairs and keep the best candidate.

    Candidates are compared by the mean reciprocal rank of the held-out words, in the space that
    the setting searches (all targets across languages, the training labels across modes): it
    moves with every rank, where P@1 over a few dozen labels moves in jumps. Each seed draws the
    held-out pairs anew; the number of epochs is that of the best mean, and twice as many are
    tried while that is the last. Results are kept on disk.

    Parameters
    ----------
    method : Method
    problem : MappingProblem
        Only its training pairs are used.
    seeds : sequence of int
        Of the splits and of the estimators.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> from zslib.protocols import METHODS
    >>> problem = load_problem("cross-modal", "synthetic", quick=True)
    >>> sorted(tune(METHODS["ridge"], problem).parameters)
    ['alpha']
    """
    check_method(method)
    check_problem(problem, "X_train", "targets", kind="MappingProblem")
    held_out = cache(lambda seed: validation_problem(problem, seed=seed))
    # Beside the problem's checksum, which is of its arrays and words.
    space = "full" if problem.setting == "cross-linguistic" else "labels"

    def scores(parameters, seeds, updates):
        options = {"updates": updates, "space": space}
        by_seed = [
            kept(_validated, method.fresh(seed, **parameters), held_out(seed), **options)
            for seed in seeds
        ]
        # Splits of the same pairs may differ by an epoch in how many updates fit.
        common = [n for n in by_seed[0] if all(n in one for one in by_seed)]
        return {n: float(np.mean([one[n] for one in by_seed])) for n in common}

    def attempt(parameters, seeds):
        updates = tuple(method.updates)
        by_epochs = scores(parameters, seeds, updates)
        if not updates:
            return {"score": by_epochs[""]}
        for _ in range(_DOUBLINGS if len(seeds) > 1 else 0):
            if max(by_epochs, key=by_epochs.get) != max(by_epochs):
                break
            updates = (2 * max(updates),)
            by_epochs |= scores(parameters, seeds, updates)
        best = max(by_epochs, key=by_epochs.get)
        return {"score": by_epochs[best], "n_epochs": best}

    name = f"{type(method.estimator).__name__} on {problem.name} ({problem.setting})"
    columns = told_apart(method.estimator)
    columns |= {} if tuple(seeds) == CHOICE_SEEDS else {"choice seeds": list(seeds)}
    trials = sweep(dict(method.grid), attempt, name, limits=method.limits, seeds=seeds, **columns)
    best = ranked(trials, "score")[0]
    epochs = {key: best[key] for key in ("n_epochs",) if key in best}
    return Tuned(best["parameters"] | epochs, best["score"], trials)
