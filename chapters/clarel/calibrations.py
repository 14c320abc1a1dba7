"""Calibrated stacking and metric rescaling on one model: outcomes of scores and of distances.

Metric rescaling (Oreshkin et al. 2019) needs distances, and most zero-shot scorers have none. Two
ways to get some are here. Both curves, of scores and of distances, follow from one fit.
"""

from dataclasses import dataclass, replace

import array_api_compat
import numpy as np

from zslib.arrays import like, row_norms, take_rows, to_host
from zslib.calibration import log_distance_scores
from zslib.protocols.attributes.evaluate import fit_on, scores_of
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.rescaling import choose_alpha
from zslib.protocols.attributes.tuning import seen_as, with_validation_classes
from zslib.protocols.sweep import kept, sweep

CALIBRATIONS = ("stacking", "own distance", "surprisal")


@dataclass(frozen=True)
class CalibratedRun:
    """One fitted method under every calibration of `CALIBRATIONS` that it allows.

    ``outcomes`` are of its scores ("stacking"), or of scores -log d, on which rescaling by alpha
    is stacking by log(1 + alpha); none is calibrated. The ``gammas`` are of each, on its own
    scores, chosen on validation classes. Of the scores of training images for seen classes
    ``unit`` is the standard deviation and ``largest`` the largest.
    """

    seed: int
    parameters: dict
    outcomes: dict
    gammas: dict
    unit: float
    largest: float

    def chosen(self, calibration):
        """The outcome under what was chosen on validation classes."""
        return self.outcomes[calibration].at(self.gammas[calibration])


def own_distances(model, X, class_embeddings, scores):
    """The distance that a fitted model compares, (n, C), or None where it compares no two vectors.

    A scorer says so in ``compares``. A distance is itself, a cosine is taken off one. Of a
    bilinear score ``x W s'`` it is one minus the cosine of ``x W`` and ``s``, which ranks the
    classes as the score does where all ``s`` have one length. The Euclidean distance between
    vectors of length one has the same curve, since a power of d only changes alpha.
    """
    scores = to_host(scores).astype(np.float64)
    compared = getattr(model, "compares", None)
    if compared == "distance":
        return np.maximum(-scores, 0.0)
    if compared == "product":
        lengths = row_norms(X @ like(to_host(model.coef_).astype(X.dtype), X))
        lengths = to_host(lengths).astype(np.float64)[:, None]
        lengths = lengths * to_host(row_norms(class_embeddings)).astype(np.float64)
        scores = np.divide(scores, lengths, out=np.zeros_like(scores), where=lengths > 0)
    elif compared == "scaled cosine":
        scores = scores / model.scale**2
    elif compared != "cosine":
        return None
    return np.maximum(1.0 - scores, 0.0)


def surprisals(scores, unit=1.0):
    """Minus the log probability of each class, by a softmax over an image's scores / ``unit``.

    A distance for any score: never negative, and in the order of the scores.
    """
    below = np.asarray(scores, dtype=np.float64) / unit
    best = np.argmax(below, axis=1)[:, None]
    below = np.take_along_axis(below, best, axis=1) - below
    others = np.exp(-below)
    np.put_along_axis(others, best, 0.0, axis=1)
    return below + np.log1p(others.sum(axis=1, keepdims=True))


def from_common_zero(outcome, zero):
    """The outcome of the distances ``zero - score``, as scores -log d: one zero for all images.

    At a zero far above all scores rescaling is stacking with gamma = alpha times the zero. Scores
    above the zero count as distances of (nearly) nothing.
    """

    def moved(side):
        scores = {name: getattr(side, name) for name in ("seen_scores", "unseen_scores")}
        distances = {k: np.maximum(zero - s.astype(np.float64), 0.0) for k, s in scores.items()}
        return replace(side, **{k: log_distance_scores(d) for k, d in distances.items()})

    sides = {name: moved(getattr(outcome, name)) for name in ("test_unseen", "test_seen")}
    return replace(outcome, gamma=0.0, **sides)


def known_scores(model, problem):
    """Scores of a fitted model, of training images for the seen classes, and their deviation."""
    scores = to_host(scores_of(model, problem, problem.trainval, problem.seen_classes))
    return scores, float(scores.std(dtype=np.float64)) or 1.0


def trained(model, problem):
    """The model on the ``trainval`` images of a problem, from disk where it was trained before."""
    place = str(array_api_compat.device(problem.features))
    return kept(_trained, model, problem, known_by=(model, place))


def _trained(model, problem):
    return fit_on(problem.trainval, model, problem)


def evaluate_calibrations(model, problem) -> tuple:
    """Fit ``model`` on ``trainval`` and test it, by its scores and by each distance.

    Gives the outcomes, keys of `CALIBRATIONS` ("own distance" only where the model has one), and
    the ``unit`` and ``largest`` of a `CalibratedRun`.
    """
    if not problem.test_seen.size:
        raise ValueError(
            f"{problem.name} has no test images of seen classes: calibration needs some; hold "
            "images out of trainval"
        )
    X, S = problem.features, problem.class_embeddings
    model = trained(model, problem)
    of_known, unit = known_scores(model, problem)
    scores = {name: {} for name in CALIBRATIONS}
    for side in ("test_unseen", "test_seen"):
        images = take_rows(X, getattr(problem, side))
        plain = to_host(model.decision_function(images, S))
        scores["stacking"][side] = plain
        distances = own_distances(model, images, S, plain), surprisals(plain, unit)
        for name, D in zip(CALIBRATIONS[1:], distances, strict=True):
            if D is not None:
                scores[name][side] = log_distance_scores(D)

    def outcome(ranked):
        def score(side, images, classes):
            # Standard zero-shot answers are those of the scores.
            standard = side == "zero_shot"
            return scores["stacking"]["test_unseen"][:, classes] if standard else ranked[side]

        return ZeroShotOutcome.of_scores(problem, score, k=1)

    outcomes = {name: outcome(ranked) for name, ranked in scores.items() if ranked}
    return outcomes, unit, float(of_known.max())


def run_calibrations(method, problem, *, parameters=None, seed=0, device="cpu") -> CalibratedRun:
    """Test a method under every calibration, each chosen on validation classes.

    The choice is made as `tune_zero_shot` makes it: the model, with the ``parameters`` that
    `run_zero_shot` chose, is fitted on training classes without a fifth of their images, which
    then compete with the images of validation classes; each seed of the choice draws them. Gamma
    may be negative, alpha may not. Results are kept on disk.
    """
    method, parameters = resolve_method(method), parameters or {}

    def evaluated(data, model_seed):
        model = method.estimator(seed=model_seed, **parameters)
        return kept(evaluate_calibrations, model, data, device=device)

    def choose(_, seeds):
        whole = {s: with_validation_classes(problem, s) for s in seeds}
        tested = [evaluated(p.validation_problem(seed=s), s)[0] for s, p in whole.items()]
        return {name: _best_gamma([each[name] for each in tested], name) for name in tested[0]}

    asked = {"features": problem.feature_scaling} | seen_as(problem) | parameters
    choice = f"calibrations of {method.name} on {problem.name}"
    (trial,) = sweep({}, choose, choice, by="stacking", seeds=method.choice_seeds, **asked)
    outcomes, unit, largest = evaluated(problem, seed)
    gammas = {name: trial[name] for name in outcomes}
    return CalibratedRun(seed, parameters, outcomes, gammas, unit, largest)


def _best_gamma(outcomes, calibration):
    """Gamma with the highest H on validation outcomes of several seeds."""
    if calibration == "stacking":
        return float(np.mean([outcome.curve.best_gamma for outcome in outcomes]))
    return float(np.log1p(choose_alpha(outcomes)[0]))
