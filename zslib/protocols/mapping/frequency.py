"""How precision and hubs depend on how frequent words are, in vocabularies sorted by that."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.stats import spearmanr

from zslib.arrays import unit_rows
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.outcome import evaluate
from zslib.protocols.tidy import row

__all__ = [
    "frequency_bins",
    "how_rare",
    "mean_and_frequency",
    "precision_by_bin",
    "rho_by_vocabulary",
    "why_the_sign_turns",
]


def frequency_bins(problem, n=5):
    """Bins of equally many queries by the rank of their most frequent answer.

    Returns the bin of each query, and of each bin ``"first to last"`` rank, counted from 1.
    """
    ranks = np.array([answers.min() for answers in problem.test_gold])
    order = np.argsort(ranks, kind="stable")
    bins = np.empty(ranks.size, dtype=np.int64)
    names = []
    for i, part in enumerate(np.array_split(order, n)):
        bins[part] = i
        names.append(f"{ranks[part].min() + 1:,} to {ranks[part].max() + 1:,}")
    return bins, names


def precision_by_bin(found, minus=()):
    """Rows: P@1 of ``{method: outcomes}`` in each of the `frequency_bins`, and differences.

    ``minus`` are pairs of methods.
    """
    named = {name: (name, None) for name in found} | {f"{a} - {b}": (a, b) for a, b in minus}
    for name, (a, b) in named.items():
        problem = found[a][0].problem
        bins, ranges = frequency_bins(problem)
        values = [outcome.hits(1) for outcome in found[a]]
        if b is not None:
            values = [v - o.hits(1) for v, o in zip(values, found[b], strict=True)]
        for i, ranks in enumerate(ranges):
            value = over_queries([v[bins == i] for v in values], found[a])
            yield row(problem, "P@1 by frequency", name, value, bin=i + 1, ranks=ranks)


def how_rare(ranks):
    """The frequency ranks of the largest hubs, shares of the vocabulary, in a sentence."""
    told = "; ".join(f"{row['value'].mean:.2g} ({row['dataset']})" for row in ranks)
    return (
        "Across languages the targets come in the order of their frequency. On that scale, from 0 "
        "for the most frequent word to 1 for the rarest, the median of the 20 largest ridge hubs "
        f"is {told}."
    )


def rho_by_vocabulary(found, methods, sizes=(5_000, 10_000, 20_000, 50_000)):
    """Rows: Spearman's rho of N_20 with the cosine to the mean, by size of the vocabulary.

    It is that of the so many most frequent words and all labels, up to all words; ``found`` is
    ``{problem: {method: outcomes}}``.
    """
    for problem, method in product(found, methods):
        outcomes, n = found[problem][method], problem.targets.shape[0]
        for size in [*(size for size in sizes if size < n), n]:
            rows = np.union1d(np.arange(size), problem.labels)
            targets = problem.targets[rows]
            cosines = unit_rows(targets) @ targets.mean(axis=0)
            searched = outcomes
            if size < n:
                searched = [evaluate(problem, outcome.queries, space=rows) for outcome in outcomes]
            rho = [float(spearmanr(one.counts, cosines).statistic) for one in searched]
            value = mean_estimate(rho, same_items=True)
            yield row(problem, "rho with the mean by vocabulary", method, value, words=int(size))


def mean_and_frequency(problem):
    """Spearman's rho of the targets' cosine to their mean with their frequency rank."""
    return float(spearmanr(problem.hub_cosines[0], np.arange(problem.targets.shape[0])).statistic)


def why_the_sign_turns(sizes, problem):
    """What `rho_by_vocabulary` found for ridge at both ends, and why, in sentences."""
    of = list(sizes.only(method="ridge", dataset=sizes.of("dataset")[0]))
    least, most = of[0], of[-1]  # the same where the vocabulary is small
    rare = mean_and_frequency(problem)
    crowd = (
        "rare words crowd around the mean. They are most of a large vocabulary, and where hubs "
        "are frequent words, hubs are far from the mean"
        if rare > 0
        else "frequent words crowd around the mean"
    )
    return (
        f"Among the {least['words']:,} most frequent words rho is {least['value'].mean:.2f} for "
        f"ridge, among all {most['words']:,} it is {most['value'].mean:.2f}. A word's cosine to "
        f"the mean has a rho of {rare:.2f} with its frequency rank: {crowd}."
    )
