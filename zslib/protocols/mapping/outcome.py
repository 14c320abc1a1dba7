"""Search a space with mapped queries; every measure of the papers reads from the result."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zslib.arrays import like, to_host
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.problem import check_problem, integers
from zslib.mapping.base import transform_targets
from zslib.metrics import hits_at_k, k_occurrence, pollution
from zslib.search import gold_ranks, top_k_and_ranks
from zslib.validation import (
    as_vectors,
    check_integer,
    check_once,
    check_row_names,
    check_same_rows,
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one set of queries found in one search space (host arrays).

    Attributes
    ----------
    problem : MappingProblem
    queries : (n_queries, d2) array
        Mapped test vectors.
    rows : (n_space,) int array
        Rows of ``problem.targets`` that make up the search space.
    neighbours : (n_queries, k) int array
        Rows of ``problem.targets`` nearest to each query, best first.
    ranks : (n_queries,) int array
        Rank of the best acceptable answer, 0 is best.
    """

    problem: MappingProblem
    queries: np.ndarray
    rows: np.ndarray
    neighbours: np.ndarray
    ranks: np.ndarray

    def __repr__(self):
        return (
            f"Outcome({self.problem.name!r}: {len(self.ranks)} queries among {len(self.rows)} "
            f"targets, {self.neighbours.shape[1]} neighbours of each, P@1 "
            f"{self.hits(1).mean():.1f})"
        )

    @property
    def checksum(self):
        """Of the problem."""
        return self.problem.checksum

    @property
    def parts(self):
        """Itself alone: see `CrossFittedOutcome`."""
        return (self,)

    @property
    def unit(self):
        """What a new study would change: "words" across languages, else "labels"."""
        return "words" if self.problem.setting == "cross-linguistic" else "labels"

    @cached_property
    def labels(self):
        """The first listed answer of each query, (n_queries,)."""
        return np.array([answers[0] for answers in self.problem.test_gold])

    @property
    def units(self):
        """The unit that each query is of, (n_queries,); None where each has one of its own."""
        shared = self.unit == "labels" and np.unique(self.labels).size < self.labels.size
        return self.labels if shared else None

    def hits(self, k):
        """Per query, whether an acceptable answer is among the ``k`` nearest, in percent."""
        return 100.0 * hits_at_k(self.ranks, k)

    def polluted(self, k=1):
        """Per query, N^pol_{k,S} in percent (Hubness and Pollution, section 4)."""
        kept = self.neighbours.shape[1]
        if check_integer(k, "k", low=1) > kept and kept < len(self.rows):
            raise ValueError(f"k={k}, but {kept} neighbours were kept: call evaluate with k={k}")
        return 100.0 * pollution(self.neighbours[:, :k], self.problem.is_training_target)

    @cached_property
    def _occurrences(self):
        return k_occurrence(self.neighbours, self.problem.targets.shape[0])

    @cached_property
    def counts(self):
        """k-occurrence N_k of each element of the search space, in the order of ``rows``."""
        return self._occurrences[self.rows]

    def hub_answers(self, threshold=5):
        """Per query, whether its first answer has N_k above ``threshold``, in percent."""
        return 100.0 * (self._occurrences[self.neighbours[:, 0]] > threshold)

    @property
    def largest_hub(self):
        """The largest N_k in the search space."""
        return int(self.counts.max())

    def hubs(self, n):
        """Rows of ``problem.targets`` with the ``n`` largest N_k, the largest first."""
        check_integer(n, "n", low=0)
        return self.rows[np.argsort(-self.counts, kind="stable")[:n]]

    def named_hubs(self, n):
        """The ``n`` largest hubs as ``"word (N_k)"``."""
        words = self.problem.target_words
        return [f"{words[row]} ({self._occurrences[row]})" for row in self.hubs(n)]

    @property
    def directions(self):
        """The queries scaled to length one: all that a search by cosine sees of them."""
        return self.queries / np.linalg.norm(self.queries, axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class CrossFittedOutcome:
    """Outcomes of folds, ``parts``, as one: each query has a map not trained on its label."""

    parts: tuple

    @property
    def checksum(self):
        """Of the folds' problems."""
        return " ".join(part.checksum for part in self.parts)

    @property
    def unit(self):
        """As of any fold."""
        return self.parts[0].unit

    @property
    def labels(self):
        """As `Outcome.labels`."""
        return np.concatenate([part.labels for part in self.parts])

    @property
    def units(self):
        """The label of each query; None where each has one of its own."""
        return None if self.parts[0].units is None else self.labels

    def hits(self, k):
        """As `Outcome.hits`, the folds one after the other."""
        return np.concatenate([part.hits(k) for part in self.parts])

    def polluted(self, k=1):
        """As `Outcome.polluted`."""
        return np.concatenate([part.polluted(k) for part in self.parts])

    def hub_answers(self, threshold=5):
        """As `Outcome.hub_answers`; N_k counts the queries of the answer's own fold."""
        return np.concatenate([part.hub_answers(threshold) for part in self.parts])


def evaluate(problem, queries, *, space="full", k=20, correction=None, mapping=None) -> Outcome:
    """Search ``space``, by cosine, with the ``queries`` of a problem's test items.

    Parameters
    ----------
    problem : MappingProblem
        Gives the targets, the acceptable answers and the training targets.
    queries : (n_test, d2) array
        Mapped test vectors, one per test item, in the problem's order.
    space : {"full", "labels", "test"} or int array
        Rows of the problem's targets to search: by name, or given.
    k : int
        Length of the neighbour lists (cut to the size of the space); 0 gives ranks alone, sooner.
    correction
        As in `zslib.search.top_k`; or a dict of them by name, which gives a dict of outcomes
        sooner than one call for each.
    mapping : LinearMap or Pipeline, optional
        The map, on the host, that the queries come from, where it moves targets too: see
        `zslib.mapping.transform_targets`.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> problem = load_problem("cross-modal", "synthetic", quick=True)
    >>> outcome = evaluate(problem, gold_queries(problem), space="labels")
    >>> float(outcome.hits(1).mean())
    100.0
    """
    check_problem(problem, "X_train", "targets", kind="MappingProblem")
    check_row_names(queries, problem.test_words, "queries", "test_words")
    queries = as_vectors(queries, "queries", finite=False)
    check_integer(k, "k", low=0)
    check_same_rows(queries, problem.test_words, "queries", "test_words")
    if isinstance(space, str):
        rows = problem.space(space)
    else:
        name = 'space (by name "full", "labels", "test", or rows)'
        rows = np.sort(integers(space, name, len(problem.targets)))
        check_once(rows, name)
    whole = rows.size == problem.targets.shape[0]
    targets = problem.targets if whole else problem.targets[rows]
    targets = like(targets if mapping is None else transform_targets(mapping, targets), queries)
    gold = problem.gold_in(rows)
    if lost := sum(answers.size == 0 for answers in gold):
        raise ValueError(f"{lost} test item(s) have no answer in space: give one that has it")
    several = correction if isinstance(correction, dict) else {"": correction}
    corrections = several.values()
    if k:
        lists = top_k_and_ranks(queries, targets, min(k, rows.size), gold, corrections=corrections)
    else:
        none = np.empty((len(gold), 0), np.int64)
        lists = [(none, gold_ranks(queries, targets, gold, correction=c)) for c in corrections]
    outcomes = {
        name: Outcome(problem, to_host(queries), rows, rows[to_host(near)], to_host(ranks))
        for name, (near, ranks) in zip(several, lists, strict=True)
    }
    return outcomes if isinstance(correction, dict) else outcomes[""]


def gold_queries(problem):
    """The "gold" queries of Figure 1 and Table 4, (n_test, d2): vectors of the first answers."""
    return problem.targets[np.array([answers[0] for answers in problem.test_gold])]
