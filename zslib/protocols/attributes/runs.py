"""Zero-shot scorers tuned, fitted and tested: one of them, or several over several seeds."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zslib.arrays import resolve_device, take_rows
from zslib.compatibility import Scaled
from zslib.datasets.attributes.scaling import scaled_as
from zslib.datasets.problem import check_problem
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.methods import resolve_method, resolve_methods
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.tuning import ZeroShotTuned, tune_zero_shot
from zslib.protocols.sweep import best_that_trains, check_seeds, kept
from zslib.validation import check_integer


@dataclass(frozen=True)
class ZeroShotRun:
    """One method on one problem under one seed; its outcome is not calibrated.

    ``scaling`` is what was done to the features; ``parameters`` are those used, ``gamma`` was
    chosen with them on validation classes, as ``tuned`` has it: both None where parameters were
    given. ``passed_over`` are better candidates whose training on all seen classes ``failed``.
    ``estimator`` has the parameters and the seed, not fitted; `fit` gives a model for use.
    """

    method: str
    dataset: str
    scaling: str
    seed: int
    parameters: dict
    gamma: float | None
    tuned: ZeroShotTuned | None = field(repr=False)
    passed_over: list
    outcome: ZeroShotOutcome
    estimator: object = field(default=None, repr=False)

    @property
    def validation_accuracy(self):
        """ACC of the validation classes, in percent, under the settings that were used."""
        if self.tuned is None:
            raise ValueError(
                "validation_accuracy is of runs whose settings were chosen on validation classes; "
                "this one was given parameters: leave them out"
            )
        used = (t["score"] for t in self.tuned.ranked if t["parameters"] == self.parameters)
        return float(next(used))

    def fit(self, problem, *, gamma=0.0):
        """A `Scaled` model for use: as this run tested it, for images and vectors as they come.

        It is trained on all of ``trainval`` with the run's settings and seed, and does to what it
        is asked about what `ZeroShotProblem.scaled`, `unit_length` or `common_scale` did to the
        problem. Its ``predict`` and ``top_classes`` answer in names of classes: those of the
        problem, or candidates of your own as a dict of name to vector, which need no images.
        It can be pickled.

        Parameters
        ----------
        problem : ZeroShotProblem
            That of the run, or the same before it was scaled. Of one that came scaled, such as
            from a file, images and class vectors are taken as they stand there.
        gamma : float
            What is taken off the scores of seen classes, where these compete: by default
            nothing, as in ``outcome``; ``run.gamma`` is what validation classes chose.

        Examples
        --------
        >>> from zslib.datasets import load_problem
        >>> from zslib.protocols import run_zero_shot, unit_length
        >>> digits = load_problem("attributes", "digits")
        >>> run = run_zero_shot("ESZSL", unit_length(digits), parameters={"feature_penalty": 0.1})
        >>> image = digits.features[digits.test_unseen[:1]]
        >>> names = digits.class_names[digits.unseen_classes]
        >>> vectors = dict(zip(names, digits.class_embeddings[digits.unseen_classes]))
        >>> best, scores = run.fit(digits).top_classes(image, class_embeddings=vectors)
        >>> sorted(best[0]) == sorted(names)
        True
        """
        check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
        problem = scaled_as(problem, self.scaling)
        names, rows, scaler = problem.class_names, problem.trainval, problem.scaler
        attributes = problem.image_attributes
        vectors = [problem.class_embeddings[c, :] for c in range(names.size)]
        model = Scaled(self.estimator, gamma=gamma).fit(
            take_rows(problem.features, rows),
            names[problem.labels[rows]],
            dict(zip(names.tolist(), vectors, strict=True)),
            image_attributes=None if attributes is None else take_rows(attributes, rows),
            unseen_embeddings=take_rows(problem.class_embeddings, problem.unseen_classes),
        )
        # Later data frames must have the columns of the problem's.
        model.embedding_names_in_ = problem.columns.get("class_embeddings")
        features = problem.columns.get("features")
        if features and all(isinstance(one, str) for one in features):
            model.feature_names_in_ = np.array(features, dtype=object)  # as scikit-learn has it
        else:
            model._columns = features  # as `keep_columns` has it
        # From here on vectors come as they were before the scaling.
        if scaler is not None:
            model.set_params(scaling=scaler)
            model.class_embeddings_ = scaler.unscaled(model.class_embeddings_)
        return model


def run_zero_shot(
    method,
    problem,
    *,
    seed=0,
    parameters=None,
    split=None,
    fraction=0.25,
    train_on="trainval",
    device="cpu",
    quick=False,
    must_learn=None,
) -> ZeroShotRun:
    """Tune ``method`` on validation classes, fit it on all seen ones, test it.

    Where training with the best candidate fails, the next best takes its place. Results are kept
    on disk.

    Parameters
    ----------
    method : ZeroShotMethod or str
        A method, or the name of one: of `ZERO_SHOT_METHODS`, or "ridge", "reverse ridge" or
        "centred ESZSL".
    problem : ZeroShotProblem
    seed : int
        Of the estimator.
    parameters : dict, optional
        Use these instead of tuning.
    split, fraction
        Validation classes, as in `tune_zero_shot`.
    train_on
        As in `evaluate_zero_shot`.
    device : {"cpu", "gpu", "auto"}
        Where to fit and score. Tuning runs on the host.
    quick : bool
        Coarser grid.
    must_learn : bool, optional
        As in `evaluate_zero_shot`; default: where parameters are tuned, and not in quick mode,
        whose trainings may be too short.

    Returns
    -------
    ZeroShotRun
        With ``parameters`` and ``gamma`` (chosen, or None), the ``outcome`` on the test images,
        and ``fit``, which gives a model for use.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> digits = digits_segments(max_per_class=30)
    >>> run = run_zero_shot("ESZSL", digits, parameters={"feature_penalty": 0.1})
    >>> run.method, run.gamma, run.outcome.accuracy > 100 / 3
    ('ESZSL', None, True)
    """
    method = resolve_method(method)
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    check_integer(seed, "seed", low=0)
    resolve_device(device)
    if quick:
        method = method.smaller()
    if must_learn is None:
        must_learn = parameters is None and not quick

    def outcome(chosen):
        model = method.estimator(seed=seed, **chosen)
        options = {"train_on": train_on, "must_learn": must_learn}
        return kept(evaluate_zero_shot, model, problem, **options, device=device)

    if parameters is None:
        options = {"split": split, "fraction": fraction, "must_learn": must_learn}
        tuned = tune_zero_shot(method, problem, **options)
        what = f"{method.name} on {problem.name}"
        best, tested, passed_over = best_that_trains(
            tuned.trials, "score", outcome, what, method.regular
        )
        chosen, gamma = best["parameters"], best["gamma"]
    else:
        chosen, gamma, tuned, passed_over = dict(parameters), None, None, []
        tested = outcome(chosen)
    names = method.name, problem.name, problem.feature_scaling, seed
    used = method.estimator(seed=seed, **chosen)
    return ZeroShotRun(*names, chosen, gamma, tuned, passed_over, tested, used)


def run_table(methods, problem, seeds=(0,), **options) -> dict:
    """Run several methods on one problem over several seeds.

    Parameters
    ----------
    methods : sequence of ZeroShotMethod or str
    problem : ZeroShotProblem, or sequence of them
        One problem for all seeds, or one for each.
    seeds : sequence of int
    **options
        Passed to `run_zero_shot`.

    Returns
    -------
    dict of str to list of ZeroShotRun
        By the method's name; one run per seed.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> from zslib.protocols import unit_length
    >>> table = run_table(["ESZSL", "SAE"], unit_length(digits_segments()), quick=True)
    >>> for name, (run,) in table.items():
    ...     print(name, run.outcome)
    ESZSL ZeroShotOutcome(7 seen and 3 unseen classes, 250 seen and 546 unseen images, gamma 0:
    ACC 68.1, seen 75.8, unseen 43.4, H 55.2)
    SAE ZeroShotOutcome(7 seen and 3 unseen classes, 250 seen and 546 unseen images, gamma 0:
    ACC 34.3, seen 18.6, unseen 12.9, H 15.3)
    """
    seeds = check_seeds(seeds)
    problems = list(problem) if isinstance(problem, Sequence) else [problem] * len(seeds)
    if len(problems) != len(seeds):
        raise ValueError(
            f"got {len(problems)} problem(s) for {len(seeds)} seed(s): give one problem, or one "
            "for each seed"
        )
    table = {}
    for method in resolve_methods(methods):
        runs = []
        for p, seed in zip(problems, seeds, strict=True):
            # A closed form on the same data is the same for every seed.
            drawn = seed if method.seeds_matter else seeds[0]
            run = run_zero_shot(method, p, seed=drawn, **options)
            runs.append(replace(run, seed=seed))
        table[method.name] = runs
    return table
