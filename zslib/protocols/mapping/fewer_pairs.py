"""How precision grows with the number of training pairs, and what it is on these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

__all__ = ["precision_by_pairs", "training_precision"]


def precision_by_pairs(problem, parameters, shares, *, seed=0):
    """Rows: P@1 of methods trained on shares of the pairs, each with its ``parameters``."""
    n = problem.X_train.shape[0]
    order = np.random.default_rng(seed).permutation(n)
    for name, chosen in parameters.items():
        for size in sorted({int(n * share) for share in shares}):
            # As many updates at every size, so that only the number of pairs differs.
            epochs = {k: max(1, round(v * n / size)) for k, v in chosen.items() if k == "n_epochs"}
            rows = np.sort(order[:size])
            fitted = METHODS[name].fresh(seed, **chosen | epochs)
            fitted.fit(problem.X_train[rows], problem.Y_train[rows])
            outcome = evaluate(problem, fitted.transform(problem.X_test))
            value = over_queries([outcome.hits(1)], [outcome])
            yield row(problem, "P@1", name, value, pairs=size)


def training_precision(runs, methods, n):
    """Rows: P@1 on ``n`` training words, searched as if they were test words, and on the test."""
    problem = runs.problem
    words, rows = np.unique(problem.train_words, return_index=True)
    keep = np.linspace(0, words.size - 1, min(n, words.size)).astype(int)
    answers = [problem.train_gold[problem.train_words == words[i]] for i in keep]
    trained = replace(
        problem, X_train=problem.X_test, train_words=problem.test_words,
        train_gold=np.array([gold[0] for gold in problem.test_gold]),
        X_test=problem.X_train[rows[keep]], test_words=words[keep], test_gold=answers,
    )  # fmt: skip
    for name in methods:
        fit, seed = runs.train(name)[0], runs.seeds[0]
        options = {"parameters": fit.parameters, "seed": seed, "rows": rows[keep]}
        mapped = kept(_mapped_training, METHODS[name], problem, **options)
        of_parts = {"training words": (trained, mapped), "test words": (problem, fit.predictions)}
        for part, (of, queries) in of_parts.items():
            outcome = evaluate(of, queries, k=1)
            value = over_queries([outcome.hits(1)], [outcome])
            yield row(problem, f"P@1, {part}", name, value)


def _mapped_training(method, problem, parameters, seed, rows):
    fitted = method.fresh(seed, **parameters).fit(problem.X_train, problem.Y_train)
    return fitted.transform(problem.X_train[rows])
