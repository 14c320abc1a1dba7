"""The same experiment over several seeds, and over folds of the labels that test each once."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import joblib
import numpy as np

from zslib.arrays import to_requested_device
from zslib.datasets import load_problem
from zslib.datasets.entry import SETTINGS
from zslib.datasets.mapping.labels import FOLDS
from zslib.datasets.registry import loader_options, resolve_all, served
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.mapping.outcome import CrossFittedOutcome, evaluate, gold_queries
from zslib.protocols.mapping.training import train
from zslib.validation import check_choice, check_integer


@dataclass(frozen=True, eq=False)
class Repeated:
    """One problem per seed, and what is done to each of them.

    Attributes
    ----------
    problems : list of MappingProblem
        Real data are the same for every seed, or another partition of the same labels; synthetic
        data are drawn anew.
    seeds : list of int
    device : str
        Where training and search run.
    quick : bool
        Coarser grids and fewer updates.
    fold : int, optional
        Number of the fold, where it is one of several.
    """

    problems: list
    seeds: list
    device: str = "cpu"
    quick: bool = False
    fold: int | None = None
    _outcomes: dict = field(default_factory=dict, init=False, repr=False)

    @property
    def problem(self):
        """The first seed's problem."""
        return self.problems[0]

    @property
    def folds(self):
        """Itself alone: see `CrossFitted`."""
        return [self]

    @cached_property
    def _tuned_on(self):
        """The first problem; a fold's name tells its choices from those of the others."""
        if self.fold is None:
            return self.problem
        return replace(self.problem, name=f"{self.problem.name} fold {self.fold}")

    def suited(self, methods):
        """Those of the methods that fit: an orthogonal map needs spaces of one dimension."""
        square = self.problem.X_train.shape[1] == self.problem.targets.shape[1]
        return [method for method in methods if square or method != "orthogonal"]

    def train(self, method, *, chimera_rows=None):
        """One `Trained` per seed; ``method`` is a `Method` or the name of one.

        ``chimera_rows`` is a list with one entry per seed. All seeds share what was chosen on the
        training pairs of the first.
        """
        if isinstance(method, str):
            method = METHODS[check_choice(method, "method", METHODS)]
        options = {"device": self.device, "quick": self.quick, "tuned_on": self._tuned_on}
        columns = self.problems, self.seeds, chimera_rows or [None] * len(self.seeds)
        return [
            train(method, problem, seed=seed, chimera_rows=rows, **options)
            for problem, seed, rows in zip(*columns, strict=True)
        ]

    def search(self, runs, space="full", **options):
        """One `Outcome` per seed of `evaluate` with ``options``.

        The queries are the predictions of ``runs``, or "gold", the answers' own vectors; ``space``
        is one for all seeds, or a list with one per seed.
        """
        spaces = [space] * len(self.problems) if isinstance(space, str) else space
        if runs == "gold":
            mapped = [(gold_queries(problem), None) for problem in self.problems]
        else:
            mapped = [(run.predictions, run.mapping) for run in runs]
        return [
            self._outcome(problem, *queries, options | {"space": space})
            for problem, queries, space in zip(self.problems, mapped, spaces, strict=True)
        ]

    def _outcome(self, problem, queries, mapping, options):
        """`evaluate`, from memory if asked again, as a closed form is for every seed."""
        targets_moved = getattr(mapping, "target_coef_", None)
        key = id(problem), joblib.hash((queries, targets_moved, options))
        if key not in self._outcomes:
            queries = to_requested_device(np.ascontiguousarray(queries), self.device)
            self._outcomes[key] = evaluate(problem, queries, mapping=mapping, **options)
        return self._outcomes[key]

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

    def each(self, experiment):
        """``experiment(self)``: see `CrossFitted.each`."""
        return experiment(self)

    def choices(self, method):
        """One `Trained` for each tuning of the method."""
        return [fold.train(method)[0] for fold in self.folds]


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """An experiment on each of several folds of the labels, which together test every label once.

    Each of the ``folds``, a list of `Repeated`, is tuned and trained on its own training labels.
    """

    folds: list

    @property
    def problem(self):
        """The first fold's problem."""
        return self.folds[0].problem

    def each(self, experiment):
        """Do ``experiment(fold)``, which gives (dicts of) lists of `Outcome`, and join the folds.

        In place of each outcome is then the `CrossFittedOutcome` of all folds.
        """
        return _joined([experiment(fold) for fold in self.folds])

    def outcomes(self, methods, space="full", **options):
        """As `Repeated.outcomes`, all folds joined."""
        return self.each(lambda fold: fold.outcomes(methods, space, **options))

    suited, choices = Repeated.suited, Repeated.choices


def _joined(folds):
    if isinstance(folds[0], dict):
        return {key: _joined([fold[key] for fold in folds]) for key in folds[0]}
    return [CrossFittedOutcome(parts) for parts in zip(*folds, strict=True)]


def repeat(
    setting, dataset="auto", *, seed=0, n_seeds=1, folds=1, partitions=1, device="cpu", quick=False
) -> list:
    """The data sets that are asked for, each with ``n_seeds`` seeds from ``seed`` on.

    Parameters
    ----------
    setting : {"cross-linguistic", "cross-modal"}
    dataset, quick
        As in `zslib.datasets.load_problems`.
    seed, n_seeds : int
    folds : int
        Of data whose labels are split by us: how many of the four quarters are tested in turn.
    partitions : int
        In how many ways such labels are split into quarters. With several, each is trained on
        once, with a seed of its own; all share what was chosen on the first, quarter by quarter.
    device : {"cpu", "gpu", "auto"}

    Returns
    -------
    list of Repeated or CrossFitted
        One for each data set.

    Examples
    --------
    >>> both, = repeat("cross-modal", "synthetic", n_seeds=2, quick=True)
    >>> runs = both.train("ridge")
    >>> len(both.search(runs, "labels"))
    2
    """
    check_choice(setting, "setting", SETTINGS)
    check_integer(seed, "seed", low=0)
    check_integer(n_seeds, "n_seeds", low=1)
    check_integer(folds, "folds", low=1, high=FOLDS)
    check_integer(partitions, "partitions", low=1)
    options = {"device": device, "quick": quick}
    seeds = list(range(seed, seed + n_seeds))
    experiments = []
    for name in resolve_all(setting, dataset):
        loaded = {"setting": setting, "dataset": name, "quick": quick}
        if "fold" in loader_options(setting, name):
            drawn, parts = list(range(seed, seed + partitions)), []
            for fold in range(folds):
                problems = [load_problem(**loaded, seed=s, fold=fold) for s in drawn]
                each = (problems * n_seeds, seeds) if partitions == 1 else (problems, drawn)
                parts.append(Repeated(*each, fold=fold, **options))
            experiments.append(CrossFitted(parts))
            continue
        problems = [load_problem(**loaded, seed=s) for s in seeds]
        if all(problem.checksum == problems[0].checksum for problem in problems):
            problems = [problems[0]] * n_seeds
        experiments.append(Repeated(problems, seeds, **options))
    return experiments


def repeat_both(dataset="auto", **options):
    """What `repeat` gives across languages, and what it gives across modes.

    Empty for one of them where the request names data of the other alone.

    Examples
    --------
    >>> words, images = repeat_both("synthetic", quick=True)
    >>> words[0].problems, images[0].problems
    ([MappingProblem('synthetic-crosslingual', cross-linguistic: 1000 training pairs,
    300 queries, 3000 targets)], [MappingProblem('synthetic-crossmodal', cross-modal:
    225 training pairs, 300 queries, 3000 targets)])
    """
    both = "cross-linguistic", "cross-modal"
    there = served(dataset, both)
    return tuple(repeat(one, dataset, **options) if one in there else [] for one in both)
