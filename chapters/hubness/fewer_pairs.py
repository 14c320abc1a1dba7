"""How precision grows with the number of training pairs, and what it is on these."""

from dataclasses import replace

import numpy as np

from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.tidy import row


def by_pairs(runs, methods, shares):
    """Outcomes ``{pairs: {method: [Outcome]}}`` of methods trained on shares of the pairs.

    First seed, with the parameters that were tuned on all pairs.
    """
    problem, seed = runs.problem, runs.seeds[0]
    n = problem.X_train.shape[0]
    order = np.random.default_rng(seed).permutation(n)
    outcomes = {}
    for size in sorted({int(n * share) for share in shares}):
        rows, outcomes[size] = np.sort(order[:size]), {}
        for name in methods:
            chosen = runs.train(name)[0].parameters
            # As many updates at every size, so that only the number of pairs differs.
            more = {k: max(1, round(chosen[k] * n / size)) for k in chosen if k == "n_epochs"}
            fitted = METHODS[name].fresh(seed, **chosen | more)
            fitted.fit(problem.X_train[rows], problem.Y_train[rows])
            mapped = fitted.transform(problem.X_test)
            outcomes[size][name] = [evaluate(problem, mapped, mapping=fitted)]
    return outcomes


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
        fits = runs.train(name)
        mapping = fits[0].mapping
        on_training = evaluate(trained, mapping.transform(trained.X_test), k=0, mapping=mapping)
        for part, outcome in (("training", on_training), ("test", runs.search(fits)[0])):
            value = over_queries([outcome.hits(1)], [outcome])
            yield row(problem, f"P@1, {part} words", name, value)
