"""COSMO over any zero-shot scorer: experts, gate and mixture, all chosen on validation classes."""

from functools import partial

import numpy as np

from chapters.clarel.calibrations import known_scores, surprisals, trained
from zslib.arrays import like, take_rows, to_host
from zslib.calibration import AdaptiveSmoothing
from zslib.compatibility import ConSE
from zslib.protocols.attributes.evaluate import scores_of
from zslib.protocols.attributes.intervals import zero_shot_estimate, zero_shot_measures
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.training import trainings
from zslib.protocols.attributes.tuning import tune_zero_shot, with_validation_classes
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

UNITS = (0.03, 0.1, 0.3, 1.0)
"""Units of the unseen expert's softmax, in deviations of its scores of training images."""

_PENALTY = 1e-5
"""Of the softmax regression that is the expert on seen classes."""


class Experts:
    """A softmax regression on the seen classes, and a zero-shot scorer, both fitted.

    On the ``trainval`` images of a problem; ``deviation`` is that of the scorer's `known_scores`.
    """

    def __init__(self, model, problem):
        self.seen = trained(ConSE(regularization=_PENALTY), problem)
        self.unseen = trained(model, problem)
        _, self.deviation = known_scores(self.unseen, problem)

    def probabilities(self, problem, images, unit):
        """Of some images, for all classes, as `zslib.calibration.mix_experts` takes them."""
        X = take_rows(problem.features, images)
        scores = to_host(self.unseen.decision_function(X, problem.class_embeddings))
        experts = np.exp(-surprisals(scores, unit * self.deviation))
        experts[:, problem.is_seen] = np.exp(-surprisals(to_host(self.seen.logits(X))))
        return like(experts, problem.features)


def choose_cosmo(model, problem):
    """The fitted `AdaptiveSmoothing` with the highest H, the unit it has it with, and that H.

    ``problem`` is a `ZeroShotProblem.validation_problem`: experts are trained on its ``trainval``;
    gate, T, threshold and unit are chosen on its test images.
    """
    experts = Experts(model, problem)
    images = np.concatenate([problem.test_seen, problem.test_unseen])
    labels = like(problem.labels[images], problem.features)
    choices = []
    for unit in UNITS:
        smoothing = AdaptiveSmoothing()
        smoothing.fit(experts.probabilities(problem, images, unit), labels, problem.is_seen)
        choices.append((smoothing, unit, max(smoothing.harmonic_means_.values())))
    # Ties, to rounding, go to the smaller unit.
    return max(choices, key=lambda choice: round(choice[2], 9))


def evaluate_cosmo(model, problem, *, seed=0) -> ZeroShotOutcome:
    """Test COSMO (Atzmon & Chechik 2019) with ``model`` as expert on unseen classes.

    The expert on seen classes is a softmax regression. Everything else is chosen by
    `choose_cosmo` on validation classes and on held-out images of training classes; then both
    experts are fitted anew on all seen classes, and the gate is not. As in the paper the unseen
    expert's softmax runs over all classes.

    Parameters
    ----------
    model : CompatibilityModel
        Or anything with its ``fit`` and ``decision_function``.
    problem : ZeroShotProblem
    seed : int
        Draws the held-out images, and validation classes where the problem has none.

    Returns
    -------
    ZeroShotOutcome
        With the chosen threshold as ``gamma``, so that its curve and AUSUC are those of COSMO over
        all thresholds; only the best class of each kind is in COSMO's order. ACC is the model's.

    Examples
    --------
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> outcome = evaluate_cosmo(ESZSL(), digits_segments())
    >>> round(outcome.seen, 1), round(outcome.unseen, 1), round(outcome.harmonic_mean, 1)
    (60.7, 63.0, 61.8)
    """
    held_out = with_validation_classes(problem, seed).validation_problem(seed=seed)
    smoothing, unit, _ = choose_cosmo(model, held_out)
    experts = Experts(model, problem)

    def score(side, images, classes):
        if side == "zero_shot":
            return scores_of(experts.unseen, problem, images, classes)
        return smoothing.scores(experts.probabilities(problem, images, unit), problem.is_seen)

    return ZeroShotOutcome.of_scores(problem, score, gamma=smoothing.threshold_)


def run_cosmo(method, problem, *, parameters=None, seed=0, device="cpu"):
    """`evaluate_cosmo` with a `ZeroShotMethod`, or the name of one, tuned or with ``parameters``.

    Results are kept on disk.
    """
    method = resolve_method(method)
    if parameters is None:
        parameters = tune_zero_shot(method, problem).parameters
    model = method.estimator(seed=seed, **parameters)
    return kept(evaluate_cosmo, model, problem, seed=seed, device=device)


def cosmo_rows(problem, runs, *, device, n_resamples):
    """Rows of H of COSMO over each system less that of its stacking, both as validation chose.

    ``runs`` has the `CalibratedRun` of each seed by the system's name. Also why some cannot be
    trained.
    """

    def gain_row(method):
        own = runs[method]
        gated = [
            run_cosmo(method, problem, parameters=run.parameters, seed=run.seed, device=device)
            for run in own
        ]
        stacked = [run.chosen("stacking") for run in own]
        gain = zero_shot_estimate(gated, "H", minus=stacked, n_resamples=n_resamples)
        return row(problem, "H", f"{method}: COSMO - stacking", gain, calibration="chosen")

    rows, failed = trainings({f"{m}: COSMO": partial(gain_row, m) for m in runs})
    return list(rows.values()), failed


def cosmo_runs(name, problems, seeds, *, device, quick):
    """Outcomes of COSMO over one system, ``{problem: {name: one per seed}}``, as `run_board`'s."""
    method = resolve_method(name).smaller() if quick else resolve_method(name)
    return {
        p: {name: [run_cosmo(method, p, seed=s, device=device) for s in seeds]} for p in problems
    }


def cosmo_measures(**options):
    """Measures of `cosmo_runs`, by names that no ranking of the systems themselves takes in."""
    measures = zero_shot_measures(("unseen", "seen", "H", "AUSUC"), calibration="none", **options)
    return {f"{name} with COSMO": estimate for name, estimate in measures.items()}


def as_system(rows):
    """Rows of `cosmo_measures` as those of a system of the leaderboard."""
    origin = {"method": "COSMO", "family": "experts and a gate", "year": 2019}
    for each in rows:
        yield each | origin | {"metric": each["metric"].removesuffix(" with COSMO")}
