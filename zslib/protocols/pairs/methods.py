"""CLAREL as the book trains it: short enough for a chapter, or as the paper prints it."""

from __future__ import annotations

import inspect

from zslib.compatibility import CLAREL
from zslib.datasets import DATASETS, load_problem, resolve_all
from zslib.datasets.locate import cache_dir
from zslib.protocols.pairs.runs import run_image_text
from zslib.validation import check_choice, check_integer

__all__ = ["SHORT_GRID", "clarel_problems", "run_clarel", "short_clarel"]

SHORT_GRID = {"learning_rate": (1.25, 2.5, 5.0, 10.0)}
"""Learning rates that short trainings choose from on validation classes. They suit features of
length one, which are much shorter than those of the paper; with the largest, training diverges on
some data."""


def short_clarel(problem, *, n_batches=1000, **changes):
    """CLAREL with a light text encoder and few batches.

    The paper trains its text network on 150,000 batches (Appendix D): ``CLAREL()`` has its
    settings. Here texts are means of word embeddings (or the problem's ready vectors), the space
    has fewer dimensions, and the learning rate falls once, after four fifths of the batches.
    These values were chosen on validation classes of `ikea` and `cub`; lambda, kappa, dropout,
    batch size and texts per image are the printed ones.

    Parameters
    ----------
    problem : ImageTextProblem
    n_batches : int
        At least 5.
    **changes
        Other parameters of `CLAREL`.

    Returns
    -------
    CLAREL
        Its learning rate is one of `SHORT_GRID`, for `run_image_text` to choose among.

    Examples
    --------
    >>> from zslib.datasets import synthetic_pairs
    >>> problem = synthetic_pairs(n_seen=6, n_val=2, n_unseen=3, images_per_class=5)
    >>> short_clarel(problem, n_batches=200)
    CLAREL(decay_every=160, embedding_dim=128, learning_rate=5.0, n_batches=200,
           text_encoder='mean', word_dim=200)
    """
    check_integer(n_batches, "n_batches", low=5)
    settings = {
        "text_encoder": None if problem.texts is None else "mean",
        "embedding_dim": 128,
        "word_dim": 200,
        "learning_rate": 5.0,
        "n_batches": n_batches,
        "decay_every": 4 * n_batches // 5,
    }
    return CLAREL(**(settings | changes))


def clarel_problems(dataset="auto", *, training="short", **options):
    """The data sets of a request, with features as a training takes them.

    Parameters
    ----------
    dataset : str
        As for ``load_problems("pairs", dataset)``.
    training : {"short", "paper"}
        "short": features of length one, which `SHORT_GRID` is made for. "paper": as released,
        which Appendix D and its learning rate are made for.
    **options
        Of `load_problem`: seed and quick.

    Returns
    -------
    list of ImageTextProblem

    Examples
    --------
    >>> [
    ...     problem.feature_scaling
    ...     for training in ("short", "paper")
    ...     for problem in clarel_problems("synthetic", training=training, quick=True)
    ... ]
    ['unit length', 'none']
    """
    check_choice(training, "training", ("short", "paper"))
    found = []
    for name in resolve_all("pairs", dataset):
        scaling = {}
        takes = inspect.signature(DATASETS[name].loaders["pairs"]).parameters
        if training == "paper" and "feature_scaling" in takes:
            scaling = {"feature_scaling": "none"}
        problem = load_problem("pairs", name, **options, **scaling)
        if training == "short" and problem.feature_scaling != "unit length":
            problem = problem.scaled("unit length")
        found.append(problem)
    return found


def run_clarel(problem, seeds=(0,), *, training="short", n_batches=1000, changes=None, **options):
    """`run_image_text` with CLAREL, trained shortly or as the paper does.

    Parameters
    ----------
    problem : ImageTextProblem
    seeds : sequence of int
    training : {"short", "paper"}
        "short": `short_clarel`, its learning rate chosen on validation classes from
        `SHORT_GRID`. "paper": all settings of Appendix D, 150,000 batches of its text network
        (many hours on a processor); each training leaves checkpoints in the cache folder, and
        goes on from there when it was stopped.
    n_batches : int
        Of a short training.
    changes : dict, optional
        Parameters of `CLAREL` that differ, such as ``{"retrieval_mix": 0.0}``.
    **options
        Of `run_image_text`.

    Returns
    -------
    ImageTextRuns
    """
    check_choice(training, "training", ("short", "paper"))
    changes = changes or {}
    if training == "short":
        model = short_clarel(problem, n_batches=n_batches, **changes)
        return run_image_text(model, problem, seeds, grid=SHORT_GRID, **options)
    encoder = None if problem.texts is None else "paper"
    model = CLAREL(**({"text_encoder": encoder} | changes))
    checkpoints = cache_dir() / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    return run_image_text(model, problem, seeds, checkpoints=checkpoints, **options)
