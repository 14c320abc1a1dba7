"""Repeated trainings on image-text pairs, alpha from validation classes, results kept on disk."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from zslib.arrays import resolve_device
from zslib.protocols.attributes.rescaling import choose_alpha
from zslib.protocols.memo import code_digest, memoise
from zslib.protocols.pairs.evaluate import evaluate_image_text
from zslib.protocols.pairs.repeats import ImageTextRuns

__all__ = ["run_image_text"]


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
        found.append(_kept()(problem, *keys, **options, device=device, code=code_digest(__name__)))
    return found


def run_image_text(
    model,
    problem,
    seeds=(0,),
    *,
    grid=None,
    test=True,
    split_seed=0,
    held_out=None,
    min_count=2,
    length=None,
    k=10,
    keep_scores=False,
    device="cpu",
    checkpoints=None,
) -> ImageTextRuns:
    """Choose on validation classes, train on all seen classes, test; several times.

    As the paper does it (Section 4, Appendix C): the model is trained on four fifths of the
    training classes' images; alpha is the one with the largest H on the fifth that was kept out
    and on the validation classes; then the model is trained anew on training and validation
    classes, and tested with that alpha. No test image takes part in the choice.

    With a ``grid``, parameters are chosen first, on the same validation data under the first
    seed: the candidate with the largest H under its best alpha. Where training with it raises
    ValueError later (a step size that diverges with another seed), the next best takes its
    place.

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
    grid : mapping of str to sequence, or sequence of such mappings, optional
        Values to try for parameters, as of scikit-learn's ``ParameterGrid``; the first of
        equally good candidates is taken.
    test : bool
        Whether to train on all seen classes and test. Without it only validation is run.
    split_seed : int
        Draws the fifth of the training classes' images that is kept out; the same for all
        repeats.
    held_out : ImageTextProblem, optional
        The validation data, where they are not ``problem.validation_problem(seed=split_seed)``:
        for instance with other texts.
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
        When there are no seeds or no validation classes, or every candidate fails.
    """
    seeds = list(seeds)
    if not seeds:
        raise ValueError("seeds is empty: give one for each repeat")
    if held_out is None:
        held_out = problem.validation_problem(seed=split_seed)
    options = {
        "min_count": min_count,
        "length": length,
        "k": k,
        "keep_scores": keep_scores,
        "device": resolve_device(device),
        "checkpoints": checkpoints,
    }

    def repeats(candidate):
        validation = _results(candidate, held_out, seeds, **options)
        alpha, _ = choose_alpha([result.outcome for result in validation])
        tested = _results(candidate, problem, seeds, **options) if test else None
        return ImageTextRuns(problem.name, clone(candidate), seeds, alpha, validation, tested)

    if grid is None:
        return repeats(model)
    trials = [
        _trial(clone(model).set_params(**parameters), parameters, held_out, seeds[0], options)
        for parameters in ParameterGrid(grid)
    ]
    failures = []
    for trial in sorted((t for t in trials if "H" in t), key=lambda t: -t["H"]):
        chosen = trial["parameters"]
        try:
            runs = repeats(clone(model).set_params(**chosen))
        except ValueError as error:
            failures.append({"parameters": chosen, "failed": str(error)})
            continue
        return replace(runs, trials=trials, parameters=chosen, passed_over=failures)
    first = next(t["failed"] for t in [*trials, *failures] if "failed" in t)
    raise ValueError(
        f"all {len(trials)} candidates failed on {problem.name}, the first with: {first}"
    )


def _trial(candidate, parameters, held_out, seed, options):
    try:
        (result,) = _results(candidate, held_out, [seed], **options)
    except ValueError as error:
        return {"parameters": parameters, "failed": str(error)}
    alpha, H = choose_alpha([result.outcome])
    values = {measure: result.outcome.value(measure) for measure in ("ACC", "AUSUC")}
    return {"parameters": parameters, "alpha": alpha, "H": H} | values
