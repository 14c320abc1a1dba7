"""What the authors' code of CLAREL does otherwise than the paper says, one thing at a time."""

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from chapters.clarel.ablation import mean_value, run_at
from zslib.protocols.attributes.rescaling import choose_alpha
from zslib.protocols.pairs.runs import run_clarel, run_image_text
from zslib.protocols.sweep import best_that_trains
from zslib.protocols.tidy import row

AS_PRINTED = "as printed"
TRAININGS = {
    "labels of texts shuffled": {"shuffle_labels": True},
    "equal texts are negatives": {"exclude_equal": False},
    "momentum and clipping": {"momentum": 0.9, "clip": 1.0},
    "dropout of each text": {"dropout_each": True},
}
STEPPED = [name for name, changes in TRAININGS.items() if "momentum" not in changes]
ONE_RATE = {name: f"{name}, one rate for all" for name in (AS_PRINTED, *STEPPED)}
"""The same trainings with the smallest step that one of them chose."""
EVERY_TEXT = ("trainval", "test_seen", "test_unseen")


def with_tested_in_validation(problem):
    """The problem to make validation data of as the authors do: test images of seen classes too.

    Of those that have a text. It is of no use for a test.
    """
    tested = problem.test_seen[np.diff(problem.text_offsets)[problem.test_seen] > 0]
    grown = {"test_seen": ()}
    for part in ("train", "val", "trainval"):
        rows = getattr(problem, part)
        of_classes = np.isin(problem.labels[tested], problem.labels[rows])
        grown[part] = np.union1d(rows, tested[of_classes])
    return replace(problem, **grown)


def departures(problem, seeds, **options):
    """Test outcomes by what is done otherwise, and the alpha of each: ``{name: outcomes}``, rows.

    Trainings choose their learning rate anew. Those without momentum, which makes steps of another
    size, are repeated with the smallest that one of them chose. Where only prototypes or alpha
    differ, they are those of the run as printed.
    """
    runs = {
        name: run_clarel(problem, seeds, changes=changes, retrieval=False, **options)
        for name, changes in ({AS_PRINTED: None} | TRAININGS).items()
    }
    base = runs[AS_PRINTED]
    again = {k: options[k] for k in ("device", "must_learn")} | {"retrieval": False}
    runs["prototypes of all texts"] = run_image_text(
        base.model, problem, seeds, prototypes_from=EVERY_TEXT, **again
    )
    overlapping = with_tested_in_validation(problem).validation_problem()

    def validated(parameters):
        model = clone(base.model).set_params(**parameters)
        return run_image_text(model, problem, seeds, held_out=overlapping, test=False, **again)

    # On other data the chosen rate may fail; then the next best is taken.
    _, of_overlap, _ = best_that_trains(base.trials, "H", validated, "CLAREL on overlapping data")
    each = [choose_alpha([result.outcome])[0] for result in base.validation]
    alphas = {"α from overlapping data": of_overlap.alpha, "α averaged": float(np.mean(each))}
    outcomes = {name: run.outcomes() for name, run in runs.items()}
    outcomes |= {name: base.outcomes(alpha=alpha) for name, alpha in alphas.items()}
    rate = min(runs[name].parameters["learning_rate"] for name in ONE_RATE)
    for name, alike in ONE_RATE.items():
        model = clone(runs[name].model).set_params(learning_rate=rate)
        outcomes[alike] = run_image_text(model, problem, seeds, **again).outcomes()
    alphas = {name: run.alpha for name, run in runs.items()} | alphas
    return outcomes, [row(problem, "alpha", name, alpha) for name, alpha in alphas.items()]


def swept_on_test(problem, seeds, points, settings, **options):
    """H on test images, in mean: both weights chosen there, less chosen on validation data.

    ``points`` are tried for each weight, with the other one as in ``settings``.
    """
    weights = {
        "λ": [(x, settings["kappa"]) for x in points],
        "κ": [(settings["lambda"], x) for x in points],
    }
    for symbol, pairs in weights.items():
        runs = [run_at(problem, *pair, seeds, **options) for pair in pairs]
        chosen = max(runs, key=lambda run: mean_value(run.outcomes("validation"), "H"))
        best = max(mean_value(run.outcomes(), "H") for run in runs)
        gain = float(best - mean_value(chosen.outcomes(), "H"))
        yield row(problem, "H", f"{symbol} swept on test images", gain)
