"""Appendix B of CLAREL, image by image; measures against alpha; stacking on -d beside it."""

from dataclasses import replace
from itertools import product

import numpy as np

from chapters.clarel.intervals import joint_estimate
from zslib.calibration import MetricRescaling, log_distance_scores
from zslib.protocols.attributes.rescaling import choose_alpha, measures_by_alpha
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.tidy import row


def distances(result, part):
    """Distances of the test images of a part ("seen", "unseen") to all prototypes."""
    return np.exp(-result.outcome.scores[f"test_{part}"].astype(np.float64))


def nearest_distances(problem, result, part):
    """Distance of each test image to the nearest seen and to the nearest unseen prototype."""
    D = distances(result, part)
    return D[:, problem.is_seen].min(axis=1), D[:, ~problem.is_seen].min(axis=1)


def events(seen, unseen, alpha):
    """The events of Appendix B: images that stay with seen classes, and those that move."""
    plain, scaled = seen < unseen, (1 + alpha) * seen
    return plain, scaled < unseen, (unseen <= scaled) & plain


def check_appendix_b(runs, alphas):
    """How many images contradict Appendix B, and how far the shares rise with alpha, in percent.

    ``runs`` is {problem: ImageTextRuns} with kept scores. The events are held against the answers
    of `MetricRescaling` on all distances, and each alpha against the one before it.
    """
    broken, rises = 0, {"unseen": 0.0, "seen": 0.0}
    for problem, run in runs.items():
        for result, part in product(run.test, rises):
            D, nearest = distances(result, part), nearest_distances(problem, result, part)
            plain, stays, moves = events(*nearest, np.asarray(alphas)[:, None])
            for alpha, answered in zip(alphas, stays, strict=True):
                scaled = MetricRescaling(float(alpha)).transform(D, problem.is_seen)
                seen, unseen = scaled[:, problem.is_seen], scaled[:, ~problem.is_seen]
                broken += int((answered != (seen.min(axis=1) < unseen.min(axis=1))).sum())
            wrong = (stays | moves) != plain, stays & moves, stays[1:] & ~stays[:-1]
            broken += sum(int(where.sum()) for where in wrong)
            steps = 100.0 * np.diff(stays.mean(axis=1))
            rises[part] = float(steps.max(initial=rises[part]))
    return broken, rises


def event_counts(problem, run, alphas):
    """Counts of the events among test images of unseen classes, first training: rows."""
    seen, unseen = nearest_distances(problem, run.test[0], "unseen")
    for alpha in alphas:
        plain, stays, moves = events(seen, unseen, alpha)
        counts = {
            "images": plain.size,
            "nearer to a seen class": plain.sum(),
            "stay": stays.sum(),
            "move": moves.sum(),
        }
        for name, value in counts.items():
            yield {"dataset": problem, "metric": name, "alpha": alpha, "value": int(value)}


def wrong_side(outcome, side):
    """Whether each test image of a side is answered with a class of the other."""
    return outcome.is_seen[outcome.predictions(side)] == (side == "unseen")


def error_rows(problem, run, n_resamples=1000):
    """Test images on the wrong side before and after rescaling, means over classes in percent."""
    parts = {
        "unseen taken for seen, %": lambda seen, unseen: unseen[0],
        "seen taken for unseen, %": lambda seen, unseen: seen[0],
        "error of unseen minus error of seen": lambda seen, unseen: unseen[0] - seen[0],
    }
    for state, outcomes in (("α = 0", run.outcomes(alpha=0.0)), ("α chosen", run.outcomes())):
        for metric, part in parts.items():
            value = joint_estimate([outcomes], part, hit=wrong_side, n_resamples=n_resamples)
            yield row(problem, metric, state, value)


def balance_row(problem, run, n_resamples=1000):
    """How far apart the two errors are, on either side, after rescaling minus before."""

    def apart(seen, unseen):
        before, after = np.abs(unseen - seen)
        return after - before

    states = [run.outcomes(alpha=0.0), run.outcomes()]
    value = joint_estimate(states, apart, hit=wrong_side, n_resamples=n_resamples)
    return row(problem, "distance of the two errors", "α chosen - at 0", value)


def best_on_test(run):
    """Test outcomes under the alpha that suits them best, which no one may choose."""
    return run.outcomes(alpha=choose_alpha([result.outcome for result in run.test])[0])


def equal_errors(run, alphas):
    """The alpha at which the two kinds of error are nearest to each other on test images."""
    curves = measures_by_alpha([result.outcome for result in run.test], alphas)
    gap = curves["unseen taken for seen"] - curves["seen taken for unseen"]
    return float(alphas[np.argmin(np.abs(gap.mean(axis=0)))])


def curve_rows(problem, results, alphas, measures):
    """Means over trainings of `measures_by_alpha`, with intervals: rows."""
    curves = measures_by_alpha([result.outcome for result in results], alphas)
    for measure in measures:
        for alpha, values in zip(alphas, curves[measure].T, strict=True):
            value = mean_estimate(values)
            yield {"dataset": problem, "metric": measure, "alpha": float(alpha), "value": value}


def of_distances(outcome):
    """The outcome for the scores -d, where that of -log d is given."""
    sides = {}
    for part in ("zero_shot", "test_seen", "test_unseen"):
        side, names = getattr(outcome, part), ("seen_scores", "unseen_scores")
        scores = {name: -np.exp(-getattr(side, name).astype(np.float64)) for name in names}
        sides[part] = replace(side, **scores)
    return replace(outcome, gamma=0.0, scores=None, **sides)


def stacking_on_distances(run):
    """Test outcomes of calibrated stacking on -d, and its gamma, chosen as alpha is."""
    parts = run.validation, run.test
    validation, test = ([of_distances(result.outcome) for result in part] for part in parts)
    gamma = float(np.log1p(choose_alpha(validation)[0]))
    return [outcome.at(gamma) for outcome in test], gamma


def answered_otherwise(problem, run):
    """Test images that stacking on -log d answers otherwise than rescaling by the chosen alpha."""
    rescaling, differ = MetricRescaling(run.alpha), 0
    for result, part in product(run.test, ("seen", "unseen")):
        D = distances(result, part)
        scores = rescaling.stacking().transform(log_distance_scores(D), problem.is_seen)
        scaled = rescaling.transform(D, problem.is_seen)
        differ += int((scores.argmax(axis=1) != scaled.argmin(axis=1)).sum())
    return differ
