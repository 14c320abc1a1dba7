"""Hyperparameters and gamma of zero-shot scorers, chosen on validation classes."""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.choices import told_apart
from zslib.protocols.sweep import (
    CHOICE_SEEDS,
    MANY_SEEDS,
    check_seeds,
    kept,
    mean_trial,
    ranked,
    sweep,
)
from zslib.validation import check_choice, check_integer, check_real


@dataclass(frozen=True)
class ZeroShotTuned:
    """What tuning chose, and everything it saw.

    ``score`` is the ACC of the validation classes, ``gamma`` that of calibrated stacking with the
    highest H on held-out images of training classes and images of validation classes, means over
    the seeds of the choice. ``trials`` have the ``parameters``, ``score``, ``gamma`` and ``H`` of
    each candidate, and the score of ``each`` seed, or why it ``failed``. ``regular`` is of the
    method: see `most_regular`.
    """

    parameters: dict
    score: float
    gamma: float
    trials: list = field(repr=False)
    regular: dict | None = field(default=None, repr=False)

    @property
    def ranked(self):
        """The trials that did not fail, the chosen one first: see `zslib.protocols.sweep`."""
        return ranked(self.trials, "score", self.regular)


def split_validation_classes(problem, *, fraction=0.25, seed=0):
    """The problem with a random ``fraction`` of its seen classes as validation classes."""
    fraction = check_real(fraction, "fraction", low=0, high=1, inclusive=False)
    check_integer(seed, "seed", low=0)
    n = problem.seen_classes.size
    if n - np.ceil(fraction * n) < 2:
        raise ValueError(
            f"fraction {fraction:g} of {n} seen classes leaves fewer than two to train on: lower "
            "it, or give images of at least three seen classes"
        )
    classes = problem.labels[problem.trainval]
    splitter = GroupShuffleSplit(n_splits=1, test_size=fraction, random_state=seed)
    train, val = next(splitter.split(classes, groups=classes))
    return replace(problem, train=problem.trainval[train], val=problem.trainval[val])


def with_validation_classes(problem, seed=0):
    """The problem with its own validation classes, or with drawn ones where it has none."""
    return problem if problem.val.size else split_validation_classes(problem, seed=seed)


def seen_as(problem):
    """Data and seen classes as words, which no test class of another split can hide behind."""
    names = "\n".join(map(str, problem.class_names[problem.seen_classes]))
    digest = hashlib.sha256(names.encode()).hexdigest()[:6]
    return {"seen classes": f"{problem.seen_classes.size} ({digest})"}


def choice_of(problem, settings, seeds, **columns):
    """What tells a choice on the seen classes of a problem from others: keywords of `sweep`."""
    choice = {"features": problem.feature_scaling} | seen_as(problem) | told_apart(settings)
    # How often they are tried tells no two choices of a chapter apart.
    if tuple(seeds) not in (CHOICE_SEEDS, MANY_SEEDS):
        columns["choice seeds"] = list(seeds)
    return choice | columns


def tune_zero_shot(
    method, problem, *, split=None, fraction=0.25, seeds=None, must_learn=True
) -> ZeroShotTuned:
    """Try the grid of ``method`` on validation classes and keep the best candidate.

    Each candidate is trained on images of the training classes. Its score is the average
    per-class accuracy of the validation classes with these as the only candidates. A fifth of the
    training classes' images is kept out of training, so that seen and "unseen" classes compete as
    in generalised ZSL, and gamma is the middle of the first stretch with the highest H there.
    No test image, and no embedding of an unseen class, takes part. Each seed draws these images,
    the validation classes where the problem has none of its own, and what the estimator draws;
    the best candidates are judged by the mean, the others by the first seed (see `sweep`). One
    whose training raises ValueError is noted and passed over; of equally good ones the first is
    taken, and a best one at an end of the grid extends the grid. A method that says what is
    ``regular`` gets `most_regular` in place of the best. Results are kept on disk.

    Parameters
    ----------
    method : ZeroShotMethod or str
    problem : ZeroShotProblem
    split : {"official", "random", None}
        The problem's own validation classes; a random ``fraction`` of the seen ones; or None, the
        former where there are some.
    seeds : sequence of int, optional
        Default: the method's ``choice_seeds``.
    must_learn : bool
        As in `evaluate_zero_shot`.

    Examples
    --------
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> from zslib.protocols import ZeroShotMethod
    >>> method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.01, 1.0, 100.0)})
    >>> tuned = tune_zero_shot(method, digits_segments())
    >>> tuned.parameters, round(tuned.score, 1), round(tuned.gamma, 4)
    ({'feature_penalty': 1.0}, 58.9, 0.1418)
    """
    check_choice(split, "split", (None, "official", "random"))
    method = resolve_method(method)
    seeds = check_seeds(method.choice_seeds if seeds is None else seeds)
    drawn = split == "random" or (split is None and not problem.val.size)

    @cache
    def held_out(seed):
        draw = partial(split_validation_classes, fraction=fraction, seed=seed)
        return (draw(problem) if drawn else problem).validation_problem(seed=seed)

    validated = partial(kept, _validated, must_learn=must_learn)

    def attempt(parameters, seeds):
        found = [validated(method.estimator(seed=s, **parameters), held_out(s)) for s in seeds]
        return mean_trial(found, each="score")

    choice = choice_of(problem, method.fixed, seeds, **{"held out": fraction} if drawn else {})
    name = f"{method.name} on {problem.name}"
    options = {"limits": method.limits, "seeds": seeds, "regular": method.regular}
    trials = sweep(method.grid, attempt, name, **options, **choice)
    best = ranked(trials, "score", method.regular)[0]
    chosen = (best[name] for name in ("parameters", "score", "gamma"))
    return ZeroShotTuned(*chosen, trials, method.regular)


def _validated(model, problem, must_learn):
    outcome = evaluate_zero_shot(model, problem, k=1, must_learn=must_learn)
    # Where each training class has one image, none can be held out.
    gamma, H = 0.0, float("nan")
    if outcome.test_seen is not None:
        gamma, H = outcome.curve.best_gamma, 100.0 * outcome.curve.best_harmonic_mean
    return {"score": outcome.accuracy, "gamma": gamma, "H": H}
