"""Accuracy on unseen classes after each epoch, and how soon it is there."""

import numpy as np
from sklearn.base import clone

from zslib.arrays import take_rows, to_host
from zslib.metrics import class_accuracies
from zslib.protocols.attributes.evaluate import fit_on
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.sweep import check_seeds, kept
from zslib.validation import check_choice, check_real

__all__ = ["accuracy_by_epoch", "epoch_accuracies", "epochs_to_share", "zero_shot_curves"]


def accuracy_by_epoch(model, problem):
    """`epoch_accuracies` of one training on ``trainval``.

    The model is a `MetricLearner`, or another scorer with ``keep_epochs`` and ``at_epoch``.
    """
    if "keep_epochs" not in model.get_params():
        raise TypeError(
            f"{type(model).__name__} keeps no epochs: give a model with keep_epochs, such as "
            "MetricLearner"
        )
    keeping = clone(model).set_params(keep_epochs=True)
    return epoch_accuracies(fit_on(problem.trainval, keeping, problem), problem)


def epoch_accuracies(fitted, problem):
    """Accuracy of each unseen class, percent, after each epoch that is kept: (n_epochs, C).

    Means over the classes are per-class accuracies, ACC.
    """
    tests = take_rows(problem.features, problem.test_unseen)
    candidates = take_rows(problem.class_embeddings, problem.unseen_classes)
    true, accuracies = problem.labels[problem.test_unseen], []
    for epoch in range(1, len(fitted.learning_curve_) + 1):
        best = to_host(fitted.at_epoch(epoch).predict(tests, candidates))
        accuracies.append(100.0 * class_accuracies(true, problem.unseen_classes[best]))
    return np.array(accuracies)


def zero_shot_curves(method, problem, seeds=(0,), *, parameters=None, device="cpu"):
    """`accuracy_by_epoch` for several seeds, (n_seeds, n_epochs, C), with results kept on disk.

    ``parameters`` are of the estimator; they replace the method's own fixed ones.
    """
    method = resolve_method(method)
    curves = []
    for seed in check_seeds(seeds):
        model = method.estimator(seed=seed).set_params(**parameters or {})
        curves.append(kept(accuracy_by_epoch, model, problem, device=device))
    return np.stack(curves)


def epochs_to_share(curve, share=0.95, *, of="final", epochs=None):
    """First epoch at which a curve has reached a share of its "final" value or of its "best".

    The curve may fall below the mark again later; the first time counts. Its values are of
    ``epochs``, by default 1, 2, 3, …
    """
    check_choice(of, "of", ("final", "best"))
    share = check_real(share, "share", low=0.0, high=1.0)
    values = np.asarray(curve, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.all(np.isfinite(values) & (values >= 0)):
        raise ValueError(
            "curve must be a 1-d sequence of at least one accuracy, finite and not negative, got "
            f"{curve!r}"
        )
    epochs = np.arange(1, values.size + 1) if epochs is None else np.asarray(epochs)
    if epochs.shape != values.shape:
        raise ValueError(f"got {epochs.size} epochs for {values.size} values: give one for each")
    goal = values[-1] if of == "final" else values.max()
    return int(epochs[np.argmax(values >= share * goal)])
