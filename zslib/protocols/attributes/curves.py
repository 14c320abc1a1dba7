"""Accuracy on unseen classes after each epoch, and how soon it is there."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from zslib.arrays import like, resolve_device, take_rows, to_host
from zslib.metrics import per_class_accuracy
from zslib.protocols.attributes.runs import resolve_method
from zslib.protocols.memo import code_digest, memoise
from zslib.validation import check_choice, check_real

__all__ = ["accuracy_by_epoch", "epochs_to_share", "zero_shot_curves"]


def accuracy_by_epoch(model, problem):
    """Standard zero-shot accuracy after each epoch of one training.

    Parameters
    ----------
    model : MetricLearner
        Or another scorer with ``keep_epochs`` and ``at_epoch``. It is cloned, not changed.
    problem : ZeroShotProblem
        The model is trained on ``trainval``.

    Returns
    -------
    (n_epochs,) float64 array
        Average per-class accuracy of the images of unseen classes among these, in percent.

    Raises
    ------
    TypeError
        When the model keeps no epochs.
    ValueError
        When training diverges.

    Examples
    --------
    >>> from zslib.compatibility import MetricLearner
    >>> from zslib.protocols import hard_negative_problems
    >>> (problem,) = hard_negative_problems("digits", quick=True)
    >>> model = MetricLearner(8, learning_rate=0.1, n_epochs=3, random_state=0)
    >>> accuracy_by_epoch(model, problem).shape
    (3,)
    """
    if "keep_epochs" not in model.get_params():
        raise TypeError(
            f"{type(model).__name__} keeps no epochs: give a model with keep_epochs, such as "
            "MetricLearner"
        )
    features, rows = problem.features, problem.trainval
    more = {}
    if problem.image_attributes is not None and has_fit_parameter(model, "image_attributes"):
        more["image_attributes"] = take_rows(problem.image_attributes, rows)
    labels = like(problem.labels[rows], features)
    fitted = clone(model).set_params(keep_epochs=True)
    fitted.fit(take_rows(features, rows), labels, problem.class_embeddings, **more)
    tests = take_rows(features, problem.test_unseen)
    candidates = take_rows(problem.class_embeddings, problem.unseen_classes)
    true = problem.labels[problem.test_unseen]
    found = []
    for epoch in range(1, len(fitted.learning_curve_) + 1):
        best = to_host(fitted.at_epoch(epoch).predict(tests, candidates))
        found.append(100.0 * per_class_accuracy(true, problem.unseen_classes[best]))
    return np.array(found)


def _curve(problem, checksum, model, device, code):
    return accuracy_by_epoch(model, problem.to(device))


@lru_cache(maxsize=1)
def _kept():
    """The function above, its results kept on disk."""
    return memoise(_curve, ignore=["problem"])


def zero_shot_curves(method, problem, seeds=(0,), *, parameters=None, device="cpu"):
    """`accuracy_by_epoch` for several seeds, with results kept on disk.

    Parameters
    ----------
    method : ZeroShotMethod or str
    problem : ZeroShotProblem
    seeds : sequence of int
        Of the estimator.
    parameters : dict, optional
        Of the estimator, besides the method's own fixed ones, which they replace.
    device : {"cpu", "gpu", "auto"}

    Returns
    -------
    (n_seeds, n_epochs) float64 array
        Percent.

    Raises
    ------
    ValueError
        For no seeds, or when training diverges.
    """
    method, device = resolve_method(method), resolve_device(device)
    if not len(seeds):
        raise ValueError("seeds is empty: give at least one")
    curves = []
    for seed in seeds:
        model = method.estimator(seed=seed).set_params(**parameters or {})
        curves.append(_kept()(problem, problem.checksum, model, device, code_digest(__name__)))
    return np.stack(curves)


def epochs_to_share(curve, share=0.95, *, of="final", epochs=None):
    """First epoch at which a learning curve has reached a share of its final or best value.

    Parameters
    ----------
    curve : sequence of float
        Accuracies, higher is better, one for each epoch looked at. The curve may fall below the
        mark again later; the first time counts.
    share : float
        In (0, 1].
    of : {"final", "best"}
        The last value, or the largest.
    epochs : sequence of int, optional
        Which epochs were looked at; by default 1, 2, 3, …

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For an empty curve, values that are negative or not finite, or other than one epoch for
        each value.

    Examples
    --------
    >>> curve = [20.0, 50.0, 58.0, 61.0, 60.0]
    >>> epochs_to_share(curve), epochs_to_share(curve, 1.0, of="best", epochs=[1, 2, 4, 8, 16])
    (3, 8)
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
