"""Images of several seeds answered by way of terms, in the label sets of DeViSE's appendix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zslib.datasets import load_problem, load_term_vectors
from zslib.protocols.hierarchy.answers import TermModel, TermSpace

__all__ = ["CASES", "TermRuns", "term_runs", "term_space"]

CASES = {
    "within 1K": [("seen", "1K"), ("seen", "21K"), ("unseen", "1K"), ("unseen", "21K")],
    "beyond 1K": [("unseen", "2-hop"), ("unseen", "3-hop"), ("unseen", "21K")],
}
"""Images of which classes are answered, and the label set among which, by setting."""


@dataclass(frozen=True, eq=False)
class TermRuns:
    """One problem per seed, the labels of each label set, and how many images are drawn."""

    problems: list
    seeds: list
    labels: dict
    n_images: int

    @property
    def problem(self):
        """The first seed's problem."""
        return self.problems[0]

    def fit(self, space, *, mapping=None, rule="first"):
        """One `TermModel` per seed; ``mapping()`` makes its map, ridge where it is None."""
        return [
            TermModel(space, mapping=mapping and mapping(), rule=rule, random_state=seed).fit(p)
            for seed, p in zip(self.seeds, self.problems, strict=True)
        ]

    def nearest(self, models, case, n_terms):
        """`NearestTerms` of each seed for a case, such as ``("unseen", "2-hop")``."""
        who, name = case
        labels, found = self.labels[name], []
        for seed, p, model in zip(self.seeds, self.problems, models, strict=True):
            images = p.test_seen if who == "seen" else p.test_unseen
            images = images[np.isin(p.class_ids[p.labels[images]], labels)]
            images = np.random.default_rng(seed).permutation(images)[: self.n_images]
            found.append(model.search(p, images, labels, n_terms))
        return found


def term_runs(setting, dataset, labels, n_images, *, seed, n_seeds, device, quick):
    """Load the problem of ``setting`` for each seed."""
    seeds = list(range(seed, seed + n_seeds))
    problems = [load_problem(setting, dataset, seed=s, quick=quick).to(device) for s in seeds]
    return TermRuns(problems, seeds, labels, n_images)


def term_space(lists, labels, source, runs):
    """What the term vectors of ``labels`` are, in words, and their `TermSpace`.

    "auto" means vectors from the hierarchy where all images of the ``runs`` are made up.
    """
    if source == "auto" and all(of.problem.synthetic for of in runs):
        source = "hierarchy"
    terms = {wnid: lists.lemmas[wnid] for wnid in labels}
    phrase, vectors = load_term_vectors(source, terms, lists.is_a)
    return phrase, TermSpace(terms, vectors)
