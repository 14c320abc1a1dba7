"""The ranking systems of Guo et al. (2019) under one budget: weights, rivals and accuracy."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from chapters.dark.by_class import share_over_classes
from chapters.dark.readings import COMMON
from zslib.compatibility import ALE, DARK, SJE, DeViSE, LatEm
from zslib.compatibility.ranking import loss
from zslib.compatibility.ranking.dark_objective import density_margin
from zslib.protocols.attributes.methods import ZeroShotMethod
from zslib.protocols.attributes.training import answers, fitted, fitted_stages, trainings
from zslib.protocols.attributes.tuning import tune_zero_shot
from zslib.protocols.intervals import Estimate
from zslib.protocols.tidy import row


@dataclass(frozen=True)
class System:
    """How a system sets margin and weights in Eq. 2 of Guo et al. (2019), and how it is trained.

    The estimator ``make`` has the margin of Eq. 3 with m = 0.5 if it is `DARK`, else 1, and takes
    what is ``fixed`` and one of three learning rates, the middle one of which is given; `DARK`
    also what its gradient follows, where that is not fixed.
    """

    make: type
    learning_rate: float = 1.0
    fixed: dict = field(default_factory=dict)

    @property
    def soft(self):
        """Whether weights are sigmoids."""
        return self.make is DARK and "hardness" not in self.fixed

    def weigh(self, residuals, own, rng):
        """The weights, (n, C), that the estimator gives to rows of residuals."""
        if self.soft:
            return loss.hardness(residuals, own)
        if self.make is DARK:
            return loss.every_violation(residuals)
        return self.make(**self.fixed)._weigh(residuals, own, rng)

    def residuals(self, scores, own):
        """Margins (n, 1) and residuals R (n, C) of rows of scores."""
        own_scores = np.take_along_axis(scores, own[:, None], axis=1)
        adaptive = self.make is DARK
        margins = density_margin(own_scores, 0.5) if adaptive else np.ones_like(own_scores)
        return margins, loss.violations(scores, own, margins)

    def assess(self, scores, own, rng=None):
        """Margins, residuals and weights (n, C) of rows of scores.

        Examples
        --------
        >>> scores = np.array([[2.0, 1.5, 0.0]])
        >>> margins, residuals, weights = SYSTEMS["ALE"].assess(scores, np.array([0]))
        >>> residuals, weights
        (array([[ 0. ,  0.5, -1. ]]), array([[0., 1., 0.]]))
        """
        margins, residuals = self.residuals(scores, own)
        return margins, residuals, self.weigh(residuals, own, rng)

    def method(self, name, n_epochs):
        """The `ZeroShotMethod` that trains for so many passages over the images."""
        grid = {"learning_rate": [factor * self.learning_rate for factor in (1 / 3, 1.0, 3.0)]}
        fixed = self.fixed | {"n_epochs": n_epochs}
        if self.make is DARK:
            length = {"n_iter": n_epochs, "drop_at": 3 * n_epochs // 4, "objective_every": 10}
            fixed = COMMON | self.fixed | length
            if "gradient" not in fixed:
                grid["gradient"] = DARK.grid["gradient"]
        return ZeroShotMethod(name, self.make, grid, fixed=fixed)


SYSTEMS = {
    "DeViSE": System(DeViSE, 0.3),
    "DeViSE, one drawn": System(DeViSE, fixed={"first_violating": True}),
    "ALE": System(ALE),
    "SJE": System(SJE),
    "LatEm": System(LatEm, 10.0, {"n_matrices": 2}),
    "DARK-L": System(DARK, 0.01 / 3, {"label_view": False}),
    "DARK-H": System(DARK, 0.01 / 3, {"hardness": False}),
    "DARK": System(DARK, 0.01 / 3),
}
"""The ranking systems of Guo et al. (2019), with their weights."""

TRAINED = SYSTEMS | {
    "DARK-L, margins fixed": System(DARK, 0.01 / 3, {"label_view": False, "gradient": "fixed"}),
    "DARK, margins fixed": System(DARK, 0.01 / 3, {"gradient": "fixed"}),
}
"""These, and DARK under the reading that holds margins and weights fixed, where another may be
chosen."""


def expected_weights(system, residuals):
    """Weights of one row of residuals, (C,), the own label first; means over draws, if it draws.

    Examples
    --------
    >>> expected_weights(SYSTEMS["LatEm"], np.array([0.0, 0.5, -1.0])).round(1)
    array([0. , 0.5, 0. ])
    """
    times = 4000 if system.make is LatEm or "first_violating" in system.fixed else 1
    rows, own = np.tile(residuals, (times, 1)), np.zeros(times, dtype=int)
    return system.weigh(rows, own, np.random.default_rng(0)).mean(axis=0)


def family_rows():
    """Rows of the weight that each system gives to 20 invented rivals, of which r violate."""
    for name, system in SYSTEMS.items():
        weights = {}
        for r in (1, 5, 20):
            rivals = *np.linspace(0.1, 1.0, r), *np.linspace(-1.0, -0.1, 20 - r)
            weights[r] = expected_weights(system, np.array([0.0, *rivals]))
        numbers = {f"total weight, r = {r}": float(w.sum()) for r, w in weights.items()}
        numbers["harder rivals weigh more"] = bool(weights[5][5] - weights[5][1] > 0.1)
        numbers["rivals with R < 0 weigh too"] = bool(weights[5][6:].any())
        for metric, value in numbers.items():
            yield {"system": name, "metric": metric, "value": value}


def train_systems(held, seeds, *, n_epochs, device="cpu"):
    """Each of `TRAINED` alike on the training classes, its learning rate one of three.

    The rate, and what DARK follows, are those that do best on validation classes, a part of the
    training classes. Returns the models by system, one for each seed, by system the first seed's
    after parts of the training, and why the others cannot be trained.
    """
    on = held.to(device)
    lengths = sorted({max(1, round(n_epochs * part)) for part in (0.02, 0.05, 0.1, 0.25, 0.5, 1)})

    def train(name):
        method = TRAINED[name].method(name, n_epochs)
        chosen = tune_zero_shot(method, held).parameters
        first, *others = (method.estimator(seed=seed, **chosen) for seed in seeds)
        stages = dict(zip(lengths, fitted_stages(first, on, lengths), strict=True))
        return [first, *(fitted(model, on) for model in others)], stages

    both, failed = trainings({name: partial(train, name) for name in TRAINED})
    trained, parts = ({name: pair[i] for name, pair in both.items()} for i in (0, 1))
    return trained, parts, failed


def chosen_rows(trained):
    """Rows of each system's learning rate, and of what the gradient of DARK follows."""
    for name, (model, *_) in trained.items():
        rate = f"{model.learning_rate:.3g}"
        yield {"method": name, "metric": "learning rate", "value": rate}
        if isinstance(model, DARK):
            yield {"method": name, "metric": "follows", "value": model.gradient}


def effective_numbers(weights):
    """With how many equal weights each row would be as even: (sum w)^2 / sum w^2; 0 without any.

    Examples
    --------
    >>> effective_numbers(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    array([2., 0., 1.])
    """
    above, below = weights.sum(axis=1) ** 2, (weights**2).sum(axis=1)
    return np.divide(above, below, out=np.zeros(len(weights)), where=weights.any(axis=1))


def _assessed(scored, seeds):
    """For each system the residuals and weights of the rivals of all images, (n, C - 1)."""
    rival = scored.codes[:, None] != np.arange(len(scored.classes))
    for name, scores in scored.scores.items():
        assessed = []
        for seed, F in zip(seeds, scores, strict=True):
            _, *both = TRAINED[name].assess(F, scored.codes, np.random.default_rng(seed))
            assessed.append([a[rival].reshape(len(F), -1) for a in both])
        yield name, assessed


def rival_rows(scored, seeds):
    """Rows of how many rivals an image has at the end of training, and what they weigh.

    Each is a sum over images divided by another, with an interval over their classes.
    """
    for name, assessed in _assessed(scored, seeds):
        sums = [_rival_sums(R, w) for R, w in assessed]
        for metric in sums[0]:
            if "sigmoid" not in metric or TRAINED[name].soft:
                value = share_over_classes([of_run[metric] for of_run in sums], scored.codes)
                yield row(scored.problem, metric, name, value)


def _rival_sums(R, w):
    """For each measure of rivals what images add to one sum, and to another that divides it."""
    heavy, some = w >= 0.01, w.any(axis=1)
    return {
        "violating rivals": ((R > 0).sum(axis=1), 1.0),
        "rivals that weigh 0.01 or more": (heavy.sum(axis=1), 1.0),
        "rivals that weigh less, %": (100.0 * (~heavy).mean(axis=1), 1.0),
        "effective number of rivals": (effective_numbers(w), some),
        "images without a weight, %": (100.0 * ~some, 1.0),
        "weight on rivals with R < 0, %": (100.0 * (w * (R < 0)).sum(axis=1), w.sum(axis=1)),
        "sigmoids between 0.01 and 0.99, %": (100.0 * (heavy & (w < 0.99)).mean(axis=1), 1.0),
    }


def effective_rows(scored, seeds):
    """Rows of the effective number of rivals, median and range from 5 to 95% of the images."""
    for name, assessed in _assessed(scored, seeds):
        numbers = np.concatenate([effective_numbers(w)[w.any(axis=1)] for _, w in assessed])
        if numbers.size:
            middle, low, high = np.quantile(numbers, (0.5, 0.05, 0.95))
            yield {"system": name, "value": Estimate(middle, low, high, len(assessed))}


def loss_curves(trained, n_epochs):
    """Rows of each system's own loss, relative to its start, along its first training."""
    for name, (model, *_) in trained.items():
        if isinstance(model, DARK):
            steps, curve = np.array(model.objective_steps_), np.array(model.objective_)
            passages = steps / max(steps[-1], 1) * n_epochs
        else:
            curve = np.array(model.learning_curve_)
            passages = np.arange(1, n_epochs + 1)
        for passage, value in zip(passages, curve / curve[0], strict=True):
            yield {"system": name, "passages": float(passage), "value": float(value)}


def accuracy_curves(held, parts):
    """Rows of accuracy on validation classes after ``parts`` of the training."""
    for name, models in parts.items():
        for n, model in models.items():
            yield {"system": name, "passages": n, "value": answers(model, held).accuracy}


@dataclass(frozen=True)
class WorkedExample:
    """A training image, its own label (first) and some rivals, with ALE's scores of these.

    Where ALE cannot be trained they are those of the first system that can.

    ``weights``, (n_systems, n_labels), are means over draws, were there no other labels.
    """

    image: int
    own: int
    names: list
    scores: np.ndarray
    margins: dict
    weights: np.ndarray


def worked_example(scored, n_shown):
    """An image with some violating rivals, as near to 3 as it gets, with near and far rivals."""
    F = scored.scores.get("ALE", next(iter(scored.scores.values())))[0]
    violating = (SYSTEMS["ALE"].residuals(F, scored.codes)[1] > 0).sum(axis=1)
    image = int(np.argmin(np.abs(violating - 3) + 10.0 * (violating == 0)))
    own = int(scored.codes[image])
    ranked = [c for c in np.argsort(-F[image]) if c != own]
    count = min(n_shown - 1, len(ranked))
    near = (count + 1) // 2
    far = np.linspace(near, len(ranked) - 1, count - near).astype(int)
    shown = [own, *ranked[:near], *(ranked[i] for i in dict.fromkeys(far))]
    scores, first = F[image, shown][None, :], np.array([0])
    found = {name: system.residuals(scores, first) for name, system in SYSTEMS.items()}
    weights = [expected_weights(SYSTEMS[name], R[0]) for name, (_, R) in found.items()]
    margins = {name: float(found[name][0][0, 0]) for name in ("ALE", "DARK")}
    names = [scored.names[c] for c in shown]
    return WorkedExample(image, own, names, scores[0], margins, np.array(weights))
