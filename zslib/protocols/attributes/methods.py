"""The zero-shot scorers that the papers' tables compare, each with the grid it is tuned on."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zslib import compatibility
from zslib.calibration import OutlierProbability
from zslib.compatibility import CMT, DARK, Centred, FeatureGenerator, MapScorer, MetricLearner
from zslib.mapping import RidgeMap
from zslib.protocols.sweep import CHOICE_SEEDS, MANY_SEEDS
from zslib.validation import check_choice


@dataclass(frozen=True)
class ZeroShotMethod:
    """A zero-shot scorer and the grid it is tuned on.

    Attributes
    ----------
    name : str
        As in tables and records.
    make : callable
        Makes the estimator from its parameters: the class itself, as a rule.
    grid : mapping of str to sequence
        Values to try for each parameter; the first of equally good ones is taken.
    fixed : mapping
        Parameters that are not tuned.
    centred : bool
        Whether the scorer is wrapped in `Centred`.
    year, family, look
        Of its paper; what kind of system it is; colour, marker and line in figures, see
        `zslib.show.looks`. None: those of the class, where it has them.
    """

    name: str
    make: Callable
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    fixed: Mapping = field(default_factory=dict)
    centred: bool = False
    year: int | None = field(default=None, repr=False)
    family: str | None = field(default=None, repr=False)
    look: tuple | None = field(default=None, repr=False)

    def __post_init__(self):
        for name in ("year", "family", "look"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, getattr(self.make, name, None))

    def estimator(self, *, seed=None, **parameters):
        """A new estimator with these parameters, and the seed where it takes one."""
        known = list(inspect.signature(self.make).parameters)
        for name in parameters:
            check_choice(name, f"a name in the parameters of {self.name}", known)
        model = self.make(**{**self.fixed, **parameters})
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        return Centred(model) if self.centred else model

    @property
    def limits(self):
        """Where the values of parameters naturally end: see `zslib.protocols.sweep`."""
        return getattr(self.make, "limits", {})

    @property
    def seeds_matter(self):
        """Whether fits differ by ``random_state``; closed forms have none."""
        return "random_state" in self.make(**self.fixed).get_params()

    @property
    def choice_seeds(self):
        """Seeds of the choice on validation classes: the first alone where a fit is ``slow``."""
        if getattr(self.make, "slow", False):
            return CHOICE_SEEDS[:1]
        return MANY_SEEDS if self.regular else CHOICE_SEEDS

    @property
    def regular(self):
        """Which of the settings that may be as good is chosen (`most_regular`); None: the best."""
        return getattr(self.make, "regular", None)

    def on_centred(self):
        """The same method on centred features and embeddings."""
        return replace(self, name=f"{self.name}, centred", centred=True)

    def smaller(self):
        """The same method on a coarser grid, for quick looks."""
        return replace(self, grid={key: list(v)[::2] for key, v in self.grid.items()})


# What the tables do not tune. DARK's margins and weights are refreshed at every step, since ten
# steps can diverge; its start is a small one, since long ones learn less on validation classes.
_FIXED = {"SynC": {"max_iter": 100}, "DARK": {"refresh_every": 1, "init_scale": 0.2}}


def _variant(name, make, fixed, **columns):
    return ZeroShotMethod(name, make, make.grid, fixed | _FIXED.get(make.__name__, {}), **columns)


def _generator(recipe, year, look):
    return _variant(recipe, FeatureGenerator, {"recipe": recipe}, year=year, look=look)


_VARIANTS = (
    _variant("CMT*", CMT, {"novelty": OutlierProbability()}, look=(4, "v", ":")),
    _variant("DARK-L", DARK, {"label_view": False}, look=(5, "^", "--")),
    _variant("DARK-H", DARK, {"hardness": False}, look=(4, "v", "--")),
    _generator("f-CLSWGAN", 2018, (1, "v", ":")),
    _generator("f-VAEGAN-D2", 2019, (0, "X", ":")),
    _generator("cycle-WGAN", 2018, (6, "D", "-.")),
    _generator("cycle-CLSWGAN", 2018, (5, "v", "-.")),
    _generator("cycle-UWGAN", 2018, (4, "P", ":")),
)

_PRINTED = {"CADAVAE": "CADA-VAE"}  # where a paper's name is none in Python

ZERO_SHOT_METHODS = {
    (title := _PRINTED.get(name, name)): ZeroShotMethod(
        title, method, method.grid, _FIXED.get(name, {})
    )
    for name in compatibility.__all__
    if getattr(method := getattr(compatibility, name), "grid", None)
    and method is not FeatureGenerator
} | {method.name: method for method in _VARIANTS}
"""Every scorer of `zslib.compatibility` with a grid, by name; CMT*, the ablations of DARK, the
recipes of FeatureGenerator, and the metric learners "Bucher", the earlier one, and "hard
negatives", which chooses by uncertainty. The grids suit features and class embeddings of length
one (`unit_length`) and a few minutes on two cores."""


def _ridge_scorer(alpha=1.0, direction="forward"):
    return MapScorer(RidgeMap(alpha, direction=direction))


_PENALTIES = {"alpha": (0.01, 0.1, 1.0, 10.0, 100.0)}


def _direction(name, year, **fixed):
    return ZeroShotMethod(name, _ridge_scorer, _PENALTIES, fixed, year=year, family="regression")


DIRECTIONS = {
    "ridge": _direction("ridge", 2009),
    "reverse ridge": _direction("reverse ridge", 2015, direction="reverse"),
}
"""Regression from images to class embeddings (Palatucci et al. 2009), and from these to images
(Shigeto et al. 2015)."""


UNPUBLISHED = ("ICINESS", "JLSE")
"""Systems without public code, whose papers leave so much open that ours is but one reading."""


def named(method):
    """The name of a system as tables have it: with a † where it is one of `UNPUBLISHED`."""
    return f"{method} †" if method in UNPUBLISHED else method


def origin(name):
    """Year and family of a system by its name; "?" and "other" where they are not known."""
    method = COMPARED_METHODS.get(name)
    return getattr(method, "year", None) or "?", getattr(method, "family", None) or "other"


def resolve_method(method):
    """A `ZeroShotMethod`, from one or from the name of one of `COMPARED_METHODS`."""
    if isinstance(method, str):
        return COMPARED_METHODS[check_choice(method, "method", COMPARED_METHODS)]
    if not isinstance(method, ZeroShotMethod):
        raise TypeError(f"method must be a ZeroShotMethod or the name of one, got {method!r}")
    return method


def resolve_methods(methods):
    """A list of `ZeroShotMethod`, from a sequence of them or of names."""
    if isinstance(methods, str) or not np.iterable(methods):
        raise TypeError(f"methods must be a sequence, got {methods!r}: pass [method] for one")
    methods = [resolve_method(method) for method in methods]
    named = {method.name: method for method in methods}
    # One given again, as a list made of others may, is the same: no result is lost.
    if odd := [method.name for method in methods if named[method.name] is not method]:
        raise ValueError(
            f"methods has more than one of the name {odd[0]!r}, by which results are kept: name "
            "each otherwise, by dataclasses.replace(method, name=...)"
        )
    return methods


_METRIC_GRID = {
    "attribute_weight": (0.1, 1.0),
    "learning_rate": (0.1, 0.3),
    "regularization": (1e-5, 1e-3),
}


def _metric_learner(name, negatives, count, look=None):
    fixed = {"negatives": negatives, "negatives_per_positive": count, "growth": "within_epoch"}
    fixed |= {"metric_dim": 64, "n_epochs": 15}
    return ZeroShotMethod(name, MetricLearner, _METRIC_GRID, fixed, look=look)


HARD_NEGATIVE_METHODS = {
    method.name: method
    for method in (
        _metric_learner("Bucher", "random", 1, look=(6, "s", "--")),
        _metric_learner("random", "random", 10),
        _metric_learner("uncertainty", "uncertainty", 10),
        _metric_learner("uncertainty/correlation", "uncertainty_correlation", 10),
    )
}
"""The last four rows of Table 1 by name. "Bucher" is their earlier paper: one random negative for
each image; the others have 10, where the paper does not say how many. All draw theirs anew in each
epoch and drop the old ones, so that their numbers stay alike. Of the three parameters that the
paper tunes the grid has two; a learning rate of its own for each method matters more than the
third, the width of the metric. The number of epochs serves all methods alike; small data need
more. The grid suits data of `common_scale`. The paper draws 20% of the
training classes for validation: ``run_table(…, split="random", fraction=0.2)``."""

ZERO_SHOT_METHODS |= {
    "Bucher": HARD_NEGATIVE_METHODS["Bucher"],
    # Five negatives are there in small data too.
    "hard negatives": _metric_learner("hard negatives", "uncertainty", 5, look=(0, "^", "-")),
}

# A name without a comma, which parts the names on a command line.
_CENTRED = replace(
    ZERO_SHOT_METHODS["ESZSL"].on_centred(), name="centred ESZSL", look=(1, "s", "--")
)

COMPARED_METHODS = ZERO_SHOT_METHODS | DIRECTIONS | {_CENTRED.name: _CENTRED}
"""What `zslib.compare` runs: the systems of papers, and simple ones that are often as good, the
two regressions and ESZSL on centred vectors."""
