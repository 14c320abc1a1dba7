"""Repeated trainings on image-text pairs, alpha chosen on validation classes; CLAREL's own."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import joblib
from sklearn.base import clone

from zslib.arrays import resolve_device
from zslib.compatibility import CLAREL, clarel_settings
from zslib.compatibility.clarel.network import check_for
from zslib.datasets import load_problem, resolve_all
from zslib.datasets.locate import cache_folder
from zslib.datasets.problem import check_problem
from zslib.datasets.registry import loader_options
from zslib.metrics import hits_at_k
from zslib.protocols.attributes.intervals import zero_shot_estimate
from zslib.protocols.attributes.rescaling import choose_alpha, rescaled
from zslib.protocols.attributes.tuning import choice_of
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.pairs.captions import fit_image_text
from zslib.protocols.pairs.evaluate import evaluate_image_text
from zslib.protocols.sweep import (
    CHOICE_SEEDS,
    NothingTrained,
    best_that_trains,
    check_seeds,
    kept,
    mean_trial,
    sweep,
)
from zslib.validation import check_choice, check_integer

_OF_TEXTS = ("min_count", "length", "prototypes_from")


@dataclass(frozen=True)
class ImageTextRuns:
    """One model on one problem, trained with several seeds.

    Attributes
    ----------
    dataset : str
    model : CLAREL
        With the chosen parameters; each repeat has a ``random_state`` of its own.
    seeds : list of int
    alpha : float
        Largest H on the validation outcomes, averaged over the repeats: one alpha for all.
    validation, test : list of ImageTextResult
        One for each seed: on the construction of Appendix C; trained anew on all training
        images, or None where not asked for.
    trials, parameters, passed_over : list, dict and list
        ``H``, ``alpha``, ``ACC`` and ``AUSUC`` of each candidate on validation, means over the
        seeds of the choice; the chosen one; better ones that ``failed`` with another seed or on
        all seen classes.
    options : dict
        What was asked for of vocabulary, sentences and prototypes.
    """

    dataset: str
    model: object
    seeds: list
    alpha: float
    validation: list = field(repr=False)
    test: list | None
    trials: list = field(default_factory=list, repr=False)
    parameters: dict = field(default_factory=dict)
    passed_over: list = field(default_factory=list)
    options: dict = field(default_factory=dict, repr=False)

    def fit(self, problem, *, seed=None):
        """The model for use, trained with the chosen parameters: see `fit_image_text`.

        ``seed`` is one of ``seeds``, by default the first. `CaptionModel` scores new sentences.
        """
        seed = self.seeds[0] if seed is None else check_integer(seed, "seed", low=0)
        model = clone(self.model).set_params(random_state=seed)
        return fit_image_text(model, problem, **self.options)

    def results(self, part="test"):
        """The list of `ImageTextResult` of "test" or "validation"."""
        results = getattr(self, check_choice(part, "part", ("test", "validation")))
        if results is None:
            raise ValueError("only validation was run: call run_image_text with test=True")
        return results

    def outcomes(self, part="test", *, alpha=None):
        """Outcomes of the repeats, rescaled by the chosen alpha or by a given one."""
        alpha = self.alpha if alpha is None else alpha
        return rescaled([result.outcome for result in self.results(part)], alpha)

    def estimate(self, measure, part="test", *, alpha=None, **options):
        """`zero_shot_estimate` of a measure over repeats, with its ``options``."""
        return zero_shot_estimate(self.outcomes(part, alpha=alpha), measure, **options)

    def retrieval(self, measure, direction):
        """Mean of "R@1", "R@10" or "median rank" of test over repeats (and queries, for R@k)."""
        check_choice(measure, "measure", ("R@1", "R@10", "median rank"))
        repeats = [result.retrieval for result in self.results()]
        if measure == "median rank":
            return mean_estimate([ranks.measures(direction)[measure] for ranks in repeats])
        hits = [100.0 * hits_at_k(ranks.of(direction), int(measure[2:])) for ranks in repeats]
        return mean_estimate(hits, same_items=True)


def run_image_text(
    model, problem, seeds=(0,), *, grid=None, test=True, held_out=None, **options
) -> ImageTextRuns:
    """Choose on validation classes, train on all seen classes, test; several times.

    As the paper does it (Section 4, Appendix C): the model is trained on four fifths of the
    training classes' images; alpha is the one with the largest H on the fifth that was kept out
    and on the validation classes; then the model is trained anew on training and validation
    classes, and tested with that alpha. No test image takes part in the choice.

    With a ``grid``, parameters are chosen first, on the same validation data: the candidate with
    the largest H under its best alpha, on the average of `CHOICE_SEEDS`. Where training with it
    fails later, the next best takes its place. Results are kept on disk.

    Parameters
    ----------
    model : CLAREL
    problem : ImageTextProblem
        With validation classes.
    seeds : sequence of int
        One ``random_state`` for each repeat.
    grid : mapping of str to sequence, or sequence of such mappings, optional
        Values to try for parameters; the first of equally good candidates is taken.
    test : bool
        Whether to train on all seen classes and test, after validation.
    held_out : ImageTextProblem, optional
        The validation data, where they are not ``problem.validation_problem()``.
    device : {"cpu", "gpu", "auto"}
    checkpoints : str or path, optional
        Folder of checkpoints, from which a long training that was stopped goes on.
    **options
        Of `evaluate_image_text`, where ``must_learn`` is True if it is not given; on validation
        data there is no ``retrieval``.

    Returns
    -------
    ImageTextRuns
        What was chosen, and for each seed the results on validation data and on the ``test``.

    Examples
    --------
    >>> (articles,) = clarel_problems("wikipedia_xmodal", quick=True)
    >>> runs = run_image_text(short_clarel(articles, n_batches=200, random_state=0), articles)
    >>> round(runs.alpha, 2)
    0.15
    >>> runs.test[0].outcome
    ZeroShotOutcome(7 seen and 3 unseen classes, 140 seen and 60 unseen images, gamma 0:
    ACC 58..., seen 19..., unseen 1..., H 1...)
    """
    check_problem(problem, "texts", "text_index", kind="ImageTextProblem")
    seeds = check_seeds(seeds)
    held_out = held_out or problem.validation_problem()

    def repeats(candidate):
        validation = _results(candidate, held_out, seeds, **options | {"retrieval": False})
        alpha, _ = choose_alpha([result.outcome for result in validation])
        tested = _results(candidate, problem, seeds, **options) if test else None
        used = {name: options[name] for name in _OF_TEXTS if name in options}
        return ImageTextRuns(
            problem.name, clone(candidate), seeds, alpha, validation, tested, options=used
        )

    if grid is None:
        return repeats(model)

    trials = image_text_trials(model, problem, grid, held_out=held_out, **options)
    best, runs, passed_over = best_that_trains(
        trials,
        "H",
        lambda parameters: repeats(clone(model).set_params(**parameters)),
        _name(model, problem),
    )
    return replace(runs, trials=trials, parameters=best["parameters"], passed_over=passed_over)


def image_text_trials(model, problem, grid, *, held_out=None, **options):
    """The trials of `run_image_text` for a grid: it chooses by their ``H``."""
    held_out = held_out or problem.validation_problem()

    def attempt(parameters, seeds):
        candidate = clone(model).set_params(**parameters)
        results = _results(candidate, held_out, seeds, **options | {"retrieval": False})
        outcomes = [result.outcome for result in results]
        alpha, H = choose_alpha(outcomes)
        values = [{m: outcome.value(m) for m in ("ACC", "AUSUC")} for outcome in outcomes]
        return {"alpha": alpha, "H": H} | mean_trial(values)

    choice = choice_of(problem, model, CHOICE_SEEDS, split_seed=0)
    return sweep(grid, attempt, _name(model, problem), by="H", seeds=CHOICE_SEEDS, **choice)


def _name(model, problem):
    return f"{type(model).__name__} on {problem.name}"


def _results(model, problem, seeds, *, device="cpu", checkpoints=None, must_learn=True, **options):
    options["must_learn"] = must_learn
    results = []
    for seed in seeds:
        repeat = clone(model).set_params(random_state=seed)
        known_by = clone(repeat)
        quiet = {"checkpoint": None, "progress": False}
        known_by.set_params(**{k: v for k, v in quiet.items() if k in known_by.get_params()})
        if checkpoints is not None:
            name = joblib.hash((problem.checksum, known_by, options, resolve_device(device)))
            repeat.set_params(checkpoint=str(Path(checkpoints) / f"{name}.npz"))
        place = {"known_by": known_by, "device": device}
        results.append(kept(evaluate_image_text, repeat, problem, **place, **options))
    return results


SHORT_GRID = {"learning_rate": (2.5, 5.0, 7.0, 10.0)}
"""Learning rates that short trainings choose from on validation classes. They suit features of
length one, which are much shorter than those of the paper; with the larger ones, training diverges
on some data."""
_SMALLER_STEPS = {"learning_rate": (0.3, 0.6, 1.25)}


def short_clarel(problem, *, n_batches=1000, **changes):
    """CLAREL with a light text encoder and few batches.

    The paper trains its text network on 150,000 batches (Appendix D), as ``CLAREL()`` does. Here
    texts are means of word embeddings (or the problem's ready vectors), the space has fewer
    dimensions, and the learning rate, one of `SHORT_GRID`, falls once, after four fifths of the
    batches. These values were chosen on validation classes of `ikea` and `cub`; lambda, kappa,
    dropout, texts per image and, where there are as many training images, batch size are the
    printed ones.

    Parameters
    ----------
    problem : ImageTextProblem
    n_batches : int
        At least 5.
    **changes
        Other parameters of `CLAREL`.

    Examples
    --------
    >>> from zslib.datasets import synthetic_pairs
    >>> problem = synthetic_pairs(n_seen=6, n_val=2, n_unseen=3, images_per_class=15)
    >>> short_clarel(problem, n_batches=200)
    CLAREL(decay_every=160, embedding_dim=128, learning_rate=5.0, n_batches=200,
           text_encoder='mean', word_dim=200)
    """
    check_problem(problem, "texts", "text_index", kind="ImageTextProblem")
    check_integer(n_batches, "n_batches", low=5)
    smallest = min(len(part) for part in (problem.trainval, problem.train) if len(part))
    settings = {
        # A third, at most, is held out where settings are chosen.
        "batch_size": max(2, min(CLAREL().batch_size, 2 * smallest // 3)),
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

    For "short" trainings, which `SHORT_GRID` is made for, they have length one; for the others
    they are as released. ``options`` are those of `load_problem`: seed and quick.

    Examples
    --------
    >>> clarel_problems("ikea", quick=True)
    [ImageTextProblem('ikea': 33 seen and 11 unseen classes, 264 + 170 seen and 88 unseen images,
    522 texts of images, 1280 features)]
    """
    check_choice(training, "training", ("short", "paper", "authors"))
    problems = []
    for name in resolve_all("pairs", dataset):
        released = training != "short" and "feature_scaling" in loader_options("pairs", name)
        scaling = {"feature_scaling": "none"} if released else {}
        problem = load_problem("pairs", name, **options, **scaling)
        if training == "short" and problem.feature_scaling != "unit length":
            problem = problem.scaled("unit length")
        problems.append(problem)
    return problems


def run_clarel(problem, seeds=(0,), *, training="short", n_batches=1000, changes=None, **options):
    """`run_image_text` with CLAREL, trained shortly or as the paper does.

    A "short" training is `short_clarel` with ``n_batches``, its learning rate chosen from
    `SHORT_GRID`; those of the "paper" and of the "authors" have all settings of Appendix D or of
    `clarel_settings`, take many hours on a processor, and go on from checkpoints in the cache
    folder. ``changes`` are parameters that differ, such as ``{"retrieval_mix": 0.0}``; ``options``
    those of `run_image_text`.

    Examples
    --------
    >>> (articles,) = clarel_problems("wikipedia_xmodal", quick=True)
    >>> run_clarel(articles, n_batches=200).parameters
    {'learning_rate': 2.5}
    """
    check_choice(training, "training", ("short", "paper", "authors"))
    changes = changes or {}
    if training == "short":
        model = short_clarel(problem, n_batches=n_batches, **changes)
        check_for(model, len(problem.trainval))
        with suppress(NothingTrained):  # features of another kind may ask for smaller steps
            return run_image_text(model, problem, seeds, grid=SHORT_GRID, **options)
        return run_image_text(model, problem, seeds, grid=_SMALLER_STEPS, **options)
    encoder = None if problem.texts is None else "paper"
    model = CLAREL(**({"text_encoder": encoder} | clarel_settings(training) | changes))
    checkpoints = cache_folder("checkpoints")
    return run_image_text(model, problem, seeds, checkpoints=checkpoints, **options)
