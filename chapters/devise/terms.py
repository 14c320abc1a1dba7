"""Images of several seeds answered by way of terms, in the label sets of DeViSE's appendix."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chapters.devise.answers import TermModel, TermSpace
from zslib.datasets import load_problem, load_term_vectors


@dataclass(frozen=True, eq=False)
class TermRuns:
    """One problem per seed, the labels of each label set, and how many images are drawn, or all.

    ``load(seed)`` gives the problem of any seed.
    """

    problems: list
    seeds: list
    labels: dict
    n_images: int
    load: Callable | None = None

    @property
    def problem(self):
        """The first seed's problem."""
        return self.problems[0]

    def fit(self, space, *, mapping=None, rule="first"):
        """One `TermModel` per seed; ``mapping(seed)`` makes its map, ridge where it is None."""
        models = (
            TermModel(space, mapping=mapping and mapping(seed), rule=rule, random_state=seed)
            for seed in self.seeds
        )
        return [model.fit(problem) for model, problem in zip(models, self.problems, strict=True)]

    def nearest(self, models, case, n_terms):
        """What `TermModel.search` finds in each seed for a case, such as ``("unseen", "2-hop")``.

        The same test images are drawn in every seed that has them, from all classes alike. Among
        "trained" only the classes that were trained on are answered.
        """
        who, name = case
        nearest = []
        for p, model in zip(self.problems, models, strict=True):
            labels = self.labels.get(name) or self.trained(p)
            images = p.test_seen if who == "seen" else p.test_unseen
            images = images[np.isin(p.class_ids[p.labels[images]], labels)]
            images = _drawn_evenly(p.labels, images, self.n_images)
            nearest.append(model.search(p, images, labels, n_terms))
        return nearest

    def trained(self, problem):
        """The classes of a problem that are trained on, where they are among the 1,000."""
        known = set(self.labels["1K"])
        return sorted(known.intersection(problem.class_ids[problem.seen_classes].tolist()))


def _drawn_evenly(labels, images, n):
    """At most ``n`` of the images at random, from all classes as equally as they have enough.

    None are left out where ``n`` is 0.
    """
    if not n:
        return images
    images = np.random.default_rng(0).permutation(images)
    by_class = np.argsort(labels[images], kind="stable")
    sizes = np.unique(labels[images], return_counts=True)[1]
    turn = np.empty(len(images), dtype=np.int64)
    turn[by_class] = np.concatenate([np.arange(size) for size in sizes])
    return np.sort(images[np.argsort(turn, kind="stable")[:n]])


def term_runs(setting, dataset, labels, n_images, *, seed, n_seeds, device, quick):
    """Load the problem of ``setting`` for each seed."""
    seeds = list(range(seed, seed + n_seeds))

    def load(seed):
        return load_problem(setting, dataset, seed=seed, quick=quick).to(device)

    return TermRuns([load(s) for s in seeds], seeds, labels, n_images, load)


def term_space(lists, labels, source, runs):
    """What the term vectors of ``labels`` are, in words, and their `TermSpace`.

    "auto" means vectors from the hierarchy where all images of the ``runs`` are made up.
    """
    if source == "auto" and all(experiment.problem.synthetic for experiment in runs):
        source = "hierarchy"
    terms = {wnid: lists.lemmas[wnid] for wnid in labels}
    phrase, vectors = load_term_vectors(source, terms, lists.is_a)
    return phrase, TermSpace(terms, vectors)
