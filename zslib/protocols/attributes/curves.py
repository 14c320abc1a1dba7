"""Accuracy on unseen classes after each epoch, and how soon it is there."""

import numpy as np

from zslib.arrays import take_rows, to_host
from zslib.metrics import class_accuracies
from zslib.validation import check_choice, check_real

__all__ = ["epoch_accuracies", "epochs_to_share"]


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
