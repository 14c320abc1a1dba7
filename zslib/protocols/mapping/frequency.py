"""How precision and hubs depend on how frequent words are, in vocabularies sorted by that."""

from itertools import product

import numpy as np
from scipy.stats import spearmanr

from zslib.arrays import unit_rows
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.tidy import row


def frequency_bins(problem):
    """Five bins of equally many queries by the rank of their most frequent answer.

    Returns the bin of each query, and of each bin ``"first to last"`` rank, counted from 1.
    """
    ranks = np.array([answers.min() for answers in problem.test_gold])
    parts = np.array_split(np.argsort(ranks, kind="stable"), 5)
    bins = np.empty(ranks.size, dtype=np.int64)
    for i, part in enumerate(parts):
        bins[part] = i
    return bins, [f"{ranks[p].min() + 1:,} to {ranks[p].max() + 1:,}" for p in parts]


def precision_by_bin(outcomes, minus=()):
    """Rows: P@1 of ``{method: outcomes}``, and differences, in each of the `frequency_bins`."""
    hits = {method: [run.hits(1) for run in runs] for method, runs in outcomes.items()}
    for a, b in minus:
        hits[f"{a} - {b}"] = np.subtract(hits[a], hits[b])
    runs = next(iter(outcomes.values()))
    bins, ranges = frequency_bins(runs[0].problem)
    for method, values in hits.items():
        for i, ranks in enumerate(ranges):
            value = over_queries([of_seed[bins == i] for of_seed in values], runs)
            columns = {"bin": i + 1, "ranks": ranks, "space": "full"}
            yield row(runs[0].problem, "P@1 by frequency", method, value, **columns)


def rho_by_vocabulary(outcomes, methods, sizes=(5_000, 10_000, 20_000, 50_000)):
    """Rows: Spearman's rho of N_20 with the cosine to the mean, by size of the vocabulary.

    It is that of the most frequent words and all labels; ``outcomes`` are by problem and method.
    """
    for problem, method in product(outcomes, methods):
        runs, n = outcomes[problem][method], problem.targets.shape[0]
        for size in [*(size for size in sizes if size < n), n]:
            words = np.union1d(np.arange(size), problem.labels)
            targets = problem.targets[words]
            cosines = unit_rows(targets) @ targets.mean(axis=0)
            searched = runs
            if size < n:
                searched = [evaluate(problem, run.queries, space=words) for run in runs]
            rho = [float(spearmanr(run.counts, cosines).statistic) for run in searched]
            value = mean_estimate(rho, same_items=True)
            yield row(problem, "rho with the mean by vocabulary", method, value, words=int(size))


def mean_and_frequency(problem):
    """Spearman's rho of the targets' cosine to their mean with their frequency rank."""
    return float(spearmanr(problem.hub_cosines[0], np.arange(problem.targets.shape[0])).statistic)
