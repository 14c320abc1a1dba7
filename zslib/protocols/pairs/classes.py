"""A scorer of class embeddings, tuned and tested on the classes of an image-text problem."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.model_selection import ParameterGrid

from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.runs import resolve_method, run_zero_shot
from zslib.protocols.pairs.baseline import mean_text_problem

__all__ = ["MeanTextRun", "run_mean_texts"]


@dataclass(frozen=True)
class MeanTextRun:
    """A scorer on `mean_text_problem`, tuned on validation classes.

    Attributes
    ----------
    parameters : dict
        The chosen ones.
    gamma : float
        Of calibrated stacking, chosen with them.
    trials : list of dict
        For each candidate its ``parameters``, and ``ACC``, ``H`` and ``gamma`` on validation; or
        why it ``failed``.
    outcome : ZeroShotOutcome
        On test images, calibrated by ``gamma``.
    """

    parameters: dict
    gamma: float
    trials: list
    outcome: ZeroShotOutcome


def run_mean_texts(
    method, problem, *, seed=0, split_seed=0, device="cpu", **options
) -> MeanTextRun:
    """Choose parameters by H on validation data, as CLAREL's are, then train anew and test.

    Validation is that of `run_image_text`. Class embeddings are made within it, by
    ``mean_text_problem(problem.validation_problem())``, so that no text of a validation class or
    of a held-out image takes part in the weights of words, the projection or the mean image.

    Parameters
    ----------
    method : ZeroShotMethod or str
        Its grid is tried.
    problem : ImageTextProblem
        With validation classes.
    seed : int
        Of the scorer.
    split_seed : int
        As in `run_image_text`.
    device : {"cpu", "gpu", "auto"}
    **options
        Of `mean_text_problem`.

    Returns
    -------
    MeanTextRun
        The first of equally good candidates.

    Raises
    ------
    ValueError
        When there are no validation classes, or every candidate fails.

    Examples
    --------
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets import synthetic_pairs
    >>> from zslib.protocols import ZeroShotMethod
    >>> method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.1, 10.0)})
    >>> pairs = synthetic_pairs(n_seen=12, n_val=3, n_unseen=4, images_per_class=8)
    >>> run = run_mean_texts(method, pairs, dimension=20)
    >>> len(run.trials), sorted(run.parameters)
    (2, ['feature_penalty'])
    """
    method = resolve_method(method)
    held = mean_text_problem(problem.validation_problem(seed=split_seed), **options)
    whole = mean_text_problem(problem, **options)

    def outcome(data, parameters):
        found = run_zero_shot(method, data, seed=seed, parameters=parameters, device=device)
        return found.outcome

    trials = []
    for parameters in ParameterGrid(dict(method.grid)):
        try:
            found = outcome(held, parameters)
        except ValueError as error:
            trials.append({"parameters": parameters, "failed": str(error)})
            continue
        curve = found.curve
        values = {"H": 100 * float(curve.best_harmonic_mean), "gamma": float(curve.best_gamma)}
        trials.append({"parameters": parameters, "ACC": found.value("ACC")} | values)
    for trial in sorted((t for t in trials if "H" in t), key=lambda t: -t["H"]):
        chosen, gamma = trial["parameters"], trial["gamma"]
        try:
            return MeanTextRun(chosen, gamma, trials, outcome(whole, chosen).at(gamma))
        except ValueError as error:
            trial["failed"] = str(error)
    raise ValueError(
        f"all {len(trials)} candidates of {method.name} failed on {problem.name}, the first "
        f"with: {trials[0]['failed']}"
    )
