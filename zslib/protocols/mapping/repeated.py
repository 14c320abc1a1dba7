"""The same experiment over several seeds, and estimates that fit how the seeds differ."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from zslib.arrays import to_requested_device
from zslib.datasets import load_problem
from zslib.protocols.intervals import mean_estimate, paired_difference
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import evaluate, gold_queries
from zslib.protocols.mapping.training import train

__all__ = ["Repeated", "repeat"]


@dataclass(frozen=True, eq=False)
class Repeated:
    """One problem per seed, and what is done to each of them.

    Attributes
    ----------
    problems : list of MappingProblem
        Real dictionaries are the same for every seed; splits of labels and synthetic data are
        drawn anew.
    seeds : list of int
    device : str
        Where training and search run.
    quick : bool
        Coarser grids and fewer updates.
    """

    problems: list
    seeds: list
    device: str = "cpu"
    quick: bool = False
    _searched: list = field(default_factory=list, init=False, repr=False)

    @property
    def problem(self):
        """The first seed's problem."""
        return self.problems[0]

    @property
    def same_items(self):
        """Whether all seeds are tested on the very same items."""
        return len({problem.checksum for problem in self.problems}) == 1

    @property
    def tuned_apart(self):
        """Whether each seed needs a tuning of its own, because seeds split the same labels anew.

        The training labels of one seed are then test labels of another. Seeds with the same items,
        or with data of their own, share what was chosen on the training pairs of the first.
        """
        same_space = all(
            np.array_equal(p.target_words, self.problem.target_words)
            and np.array_equal(p.targets, self.problem.targets)
            for p in self.problems
        )
        return same_space and not self.same_items

    def suited(self, methods):
        """Those of the methods that fit: an orthogonal map needs spaces of one dimension."""
        square = self.problem.X_train.shape[1] == self.problem.targets.shape[1]
        return [method for method in methods if square or method != "orthogonal"]

    def train(self, method, *, parameters=None, chimera_rows=None):
        """One `Trained` per seed; ``method`` is a `Method` or the name of one.

        ``parameters`` and ``chimera_rows`` are lists with one entry per seed.
        """
        method = METHODS[method] if isinstance(method, str) else method
        options = {"device": self.device, "quick": self.quick}
        if parameters is None and not self.tuned_apart:
            options |= {"tuned_on": self.problem}
        nothing = [None] * len(self.seeds)
        given = nothing if parameters is None else parameters
        rows = nothing if chimera_rows is None else chimera_rows
        return [
            train(problem, method, parameters=p, chimera_rows=r, seed=seed, **options)
            for problem, seed, p, r in zip(self.problems, self.seeds, given, rows, strict=True)
        ]

    def search(self, runs, space="full", **options):
        """One `Outcome` per seed of `evaluate` with ``options``.

        The queries are the predictions of ``runs``, or "gold", the answers' own vectors; ``space``
        is one for all seeds, or a list with one per seed.
        """
        spaces = [space] * len(self.problems) if isinstance(space, str) else space
        outcomes = []
        for i, problem in enumerate(self.problems):
            queries = gold_queries(problem) if runs == "gold" else runs[i].predictions
            # Some are asked for again; a closed form on one problem is the same for every seed.
            known = (
                outcome
                for where, within, how, seen, outcome in self._searched
                if where is problem and within is spaces[i] and how == options
                if np.array_equal(seen, queries)
            )
            if (outcome := next(known, None)) is None:
                there = to_requested_device(np.ascontiguousarray(queries), self.device)
                outcome = evaluate(problem, there, space=spaces[i], **options)
                self._searched.append((problem, spaces[i], options, queries, outcome))
            outcomes.append(outcome)
        return outcomes

    def outcomes(self, methods, space="full", *, chimera_rows=None, **options):
        """Train each of the methods and search: ``{name: one Outcome per seed}``.

        Parameters
        ----------
        methods : sequence of str, or dict
            Names of methods, or ``{name: Method or name}``; "gold" are the answers' own vectors.
        space, **options
            As of `search`.
        chimera_rows : list of arrays, optional
            As of `train`.
        """
        methods = methods if isinstance(methods, dict) else {name: name for name in methods}
        return {
            name: self.search(
                "gold" if method == "gold" else self.train(method, chimera_rows=chimera_rows),
                space,
                **options,
            )
            for name, method in methods.items()
        }

    def estimate(self, values):
        """Mean of one value or array of per-item values per seed, with its interval."""
        return mean_estimate(values, same_items=self.same_items)

    def difference(self, a, b):
        """Mean of the paired difference ``a - b``, with its interval."""
        return paired_difference(a, b, same_items=self.same_items)


def repeat(setting, dataset="auto", *, seed=0, n_seeds=1, device="cpu", quick=False) -> Repeated:
    """Load the problem of ``setting`` once for each of ``n_seeds`` seeds from ``seed`` on.

    Parameters
    ----------
    setting : {"cross-linguistic", "cross-modal"}
    dataset, quick
        As in `zslib.datasets.load_problem`.
    seed, n_seeds : int
    device : {"cpu", "gpu", "auto"}

    Examples
    --------
    >>> both = repeat("cross-modal", "synthetic", n_seeds=2, quick=True)
    >>> runs = both.train("ridge")
    >>> hits = [outcome.hits(10) for outcome in both.search(runs, "labels")]
    >>> 0 <= both.estimate(hits).mean <= 100
    True
    """
    seeds = list(range(seed, seed + n_seeds))
    if not seeds:
        raise ValueError(f"n_seeds must be at least 1, got {n_seeds}")
    problems = [load_problem(setting, dataset, seed=s, quick=quick) for s in seeds]
    if all(problem.checksum == problems[0].checksum for problem in problems):
        problems = [problems[0]] * n_seeds
    return Repeated(problems, seeds, device, quick)
