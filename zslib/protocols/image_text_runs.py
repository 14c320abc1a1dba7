"""Repeated trainings on image-text pairs, alpha from validation classes, results kept on disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from zslib.arrays import resolve_device
from zslib.metrics import hits_at_k
from zslib.protocols.image_text import evaluate_image_text
from zslib.protocols.image_text_alpha import choose_alpha, rescaled
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.memo import code_digest, memoise
from zslib.protocols.zero_shot_intervals import zero_shot_estimate
from zslib.validation import check_choice

__all__ = ["ImageTextRuns", "ImageTextTuned", "run_image_text", "tune_image_text"]

_PARTS = ("test", "validation")


@dataclass(frozen=True)
class ImageTextRuns:
    """One model on one problem, trained with several seeds.

    Attributes
    ----------
    dataset : str
        Name of the problem.
    model : CLAREL
        As given; each repeat has a ``random_state`` of its own.
    seeds : list of int
    alpha : float
        Largest H on the validation outcomes, averaged over the repeats: one alpha for all.
    validation : list of ImageTextResult
        On the construction of Appendix C, one for each seed.
    test : list of ImageTextResult, or None
        Trained anew on all training images, one for each seed; None where not asked for.
    """

    dataset: str
    model: object
    seeds: list
    alpha: float
    validation: list
    test: list | None

    def results(self, part="test"):
        """The list of `ImageTextResult` of "test" or "validation"."""
        check_choice(part, "part", _PARTS)
        found = self.test if part == "test" else self.validation
        if found is None:
            raise ValueError("only validation was run: call run_image_text with test=True")
        return found

    def outcomes(self, part="test", *, alpha=None):
        """Outcomes of the repeats, rescaled by the chosen alpha or by a given one.

        Returns
        -------
        list of ZeroShotOutcome
        """
        alpha = self.alpha if alpha is None else alpha
        return rescaled([result.outcome for result in self.results(part)], alpha)

    def estimate(self, measure, part="test", *, alpha=None, minus=None, **options):
        """Mean of a measure with its interval over repeats and test images, in percent.

        Parameters
        ----------
        measure : {"ACC", "seen", "unseen", "H", "AUSUC"}
        part : {"test", "validation"}
        alpha : float, optional
            As in `outcomes`.
        minus : sequence of ZeroShotOutcome, optional
            Of another model; the estimate is then of the paired difference.
        **options
            Of `zero_shot_estimate`.

        Returns
        -------
        Estimate
        """
        return zero_shot_estimate(
            self.outcomes(part, alpha=alpha), measure, minus=minus, **options
        )

    def retrieval(self, measure, direction, part="test"):
        """Mean of a retrieval measure with its interval over repeats (and queries, for R@k).

        Parameters
        ----------
        measure : {"R@1", "R@10", "median rank"}
        direction : {"image to text", "text to image"}
        part : {"test", "validation"}

        Returns
        -------
        Estimate
        """
        check_choice(measure, "measure", ("R@1", "R@10", "median rank"))
        found = [result.retrieval for result in self.results(part)]
        if measure == "median rank":
            return mean_estimate([ranks.measures(direction)[measure] for ranks in found])
        k = int(measure[2:])
        return mean_estimate(
            [100.0 * hits_at_k(ranks.of(direction), k) for ranks in found], same_items=True
        )


@dataclass(frozen=True)
class ImageTextTuned:
    """What `tune_image_text` tried and chose.

    Attributes
    ----------
    model : CLAREL
        With the chosen parameters.
    parameters : dict
        The chosen values.
    trials : list of dict
        For each candidate its ``parameters``, and ``H``, ``alpha``, ``ACC`` and ``AUSUC`` on
        validation; or why its training ``failed``.
    """

    model: object
    parameters: dict
    trials: list


def _evaluate(problem, checksum, model, known_by, min_count, length, k, keep_scores, device, code):
    # Training that diverges ends in an error, or in distances that are refused.
    with np.errstate(over="ignore", invalid="ignore"):
        return evaluate_image_text(
            model,
            problem.to(device),
            min_count=min_count,
            length=length,
            k=k,
            keep_scores=keep_scores,
        )


@lru_cache(maxsize=1)
def _kept():
    """The function above, its results kept on disk."""
    return memoise(_evaluate, ignore=["problem", "model"])


def _results(model, problem, seeds, *, device, checkpoints, **options):
    found = []
    for seed in seeds:
        known_by = clone(model).set_params(random_state=seed)
        quiet = {"checkpoint": None, "progress": False}
        known_by.set_params(**{k: v for k, v in quiet.items() if k in known_by.get_params()})
        repeat = clone(model).set_params(random_state=seed)
        if checkpoints is not None:
            name = joblib.hash((problem.checksum, known_by, options, device))
            repeat.set_params(checkpoint=str(Path(checkpoints) / f"{name}.npz"))
        keys = problem.checksum, repeat, known_by
        found.append(_kept()(problem, *keys, **options, device=device, code=code_digest()))
    return found


def run_image_text(
    model,
    problem,
    seeds=(0,),
    *,
    test=True,
    split_seed=0,
    min_count=2,
    length=None,
    k=10,
    keep_scores=False,
    device="cpu",
    checkpoints=None,
) -> ImageTextRuns:
    """Choose alpha on validation classes, train on all seen classes, test; several times.

    As the paper does it (Section 4, Appendix C): the model is trained on four fifths of the
    training classes' images; alpha is the one with the largest H on the fifth that was kept out
    and on the validation classes; then the model is trained anew on training and validation
    classes, and tested with that alpha. No test image takes part in the choice.

    Results are kept on disk and found again by the problem's checksum, the model, the seed, the
    device and the package's own sources, so that an interrupted run goes on where it stopped,
    and two chapters share what they have in common.

    Parameters
    ----------
    model : CLAREL
        Not changed.
    problem : ImageTextProblem
        With validation classes.
    seeds : sequence of int
        One ``random_state`` for each repeat.
    test : bool
        Whether to train on all seen classes and test. Without it only validation is run.
    split_seed : int
        Draws the fifth of the training classes' images that is kept out; the same for all
        repeats.
    min_count, length, k, keep_scores
        As in `evaluate_image_text`.
    device : {"cpu", "gpu", "auto"}
    checkpoints : str or path, optional
        Folder in which trainings leave a checkpoint each, so that a long one that is stopped
        goes on.

    Returns
    -------
    ImageTextRuns

    Raises
    ------
    ValueError
        When there are no seeds or no validation classes, or a training diverges.
    """
    seeds = list(seeds)
    if not seeds:
        raise ValueError("seeds is empty: give one for each repeat")
    options = {
        "min_count": min_count,
        "length": length,
        "k": k,
        "keep_scores": keep_scores,
        "device": resolve_device(device),
        "checkpoints": checkpoints,
    }
    held_out = problem.validation_problem(seed=split_seed)
    validation = _results(model, held_out, seeds, **options)
    alpha, _ = choose_alpha([result.outcome for result in validation])
    tested = _results(model, problem, seeds, **options) if test else None
    return ImageTextRuns(problem.name, clone(model), seeds, alpha, validation, tested)


def tune_image_text(model, problem, grid, seeds=(0,), **options) -> ImageTextTuned:
    """Try a grid of the model's parameters on validation classes, and keep the largest H.

    H is that of the best alpha of each candidate, averaged over ``seeds``. A candidate whose
    training raises ValueError (a step size that diverges) is noted and passed over.

    Parameters
    ----------
    model : CLAREL
    problem : ImageTextProblem
    grid : mapping of str to sequence, or sequence of such mappings
        As of scikit-learn's ``ParameterGrid``; the first of equally good candidates is taken.
    seeds : sequence of int
    **options
        Of `run_image_text`, other than ``test``.

    Returns
    -------
    ImageTextTuned

    Raises
    ------
    ValueError
        When every candidate fails.
    """
    trials = []
    for parameters in ParameterGrid(grid):
        candidate = clone(model).set_params(**parameters)
        try:
            runs = run_image_text(candidate, problem, seeds, test=False, **options)
        except ValueError as error:
            trials.append({"parameters": parameters, "failed": str(error)})
            continue
        values = {
            measure: float(np.mean([o.value(measure) for o in runs.outcomes("validation")]))
            for measure in ("H", "ACC", "AUSUC")
        }
        trials.append({"parameters": parameters, "alpha": runs.alpha} | values)
    finished = [trial for trial in trials if "H" in trial]
    if not finished:
        raise ValueError(
            f"all {len(trials)} candidates failed on {problem.name}, the first with: "
            f"{trials[0]['failed']}"
        )
    best = max(finished, key=lambda trial: trial["H"])["parameters"]
    return ImageTextTuned(clone(model).set_params(**best), best, trials)
