"""The systems that answer images with synsets, their settings chosen on held-out images."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from chapters.devise.answers import SoftmaxModel
from chapters.devise.estimates import metric_rows
from chapters.devise.terms import TermRuns
from zslib.compatibility import ConSE, DeViSE
from zslib.datasets.attributes.splits import hold_out
from zslib.protocols.sweep import CHOICE_SEEDS, best_that_trains, some_rows, sweep
from zslib.validation import check_trained

# DeViSE as it was trained first: a small margin, and the first violating label of a random order.
_DEVISE = {"margin": 0.1, "first_violating": True, "n_epochs": 10}
GRIDS = {
    "DeViSE": {"learning_rate": (0.03, 0.1, 0.3, 1.0, 3.0)},
    "softmax": {"regularization": (1e-6, 1e-5, 1e-4)},
}
_VALIDATION = 0.1  # the share of the held-out images in section A.1


def fit_systems(runs, space, terms):
    """Fitted models of each system, one per run, and how the settings were chosen.

    "DeViSE" maps images by the hinge rank loss and "ridge" by regression, both to the first
    term's vector; "ConSE" averages these vectors by the probabilities that "softmax", a
    regression over the training classes, gives.

    As in section A.1, settings are those with the highest hit@1 among the training classes, on
    images held out of training; so no unseen class takes part.

    Parameters
    ----------
    runs : TermRuns
    space : TermSpace
    terms : str
        What the term vectors are, which tells one choice from another.

    Returns
    -------
    dict of list, dict
        Models by system, and by the tuned ones the ``parameters`` and hit@1 that were chosen,
        and the candidates that were ``passed_over``.
    """
    models, chosen = {"ridge": runs.fit(space)}, {}
    held_out = cache(partial(_held_out, runs))
    for name, grid in GRIDS.items():
        on = f"{name} on {runs.problem.name}"
        trials = sweep(grid, partial(_attempt, name, held_out, space), f"{on}, {terms}")
        train = partial(_trained, name, runs, space)
        best, fitted, passed_over = best_that_trains(trials, "score", train, on)
        chosen[name] = best | {"passed over": passed_over}
        models["DeViSE" if name == "DeViSE" else "ConSE"] = fitted
    models["softmax"] = [SoftmaxModel(model) for model in models["ConSE"]]
    return models, chosen


def _trained(name, runs, space, parameters):
    """Fitted models; a ValueError where one does no better than chance on its training images."""

    def mapping(seed):
        if name == "DeViSE":
            return DeViSE(**_DEVISE, **parameters, random_state=seed)
        return ConSE(**parameters)

    models = runs.fit(space, mapping=mapping)
    for p, model in zip(runs.problems, models, strict=True):
        images = p.trainval[some_rows(len(p.trainval))]
        near = model.search(p, images, runs.trained(p), 4)
        right = near.answers(1).hits(1).mean() / 100
        check_trained(right, len(p.seen_classes), len(images))
    return models


def _attempt(name, held_out, space, parameters):
    """Hit@1 on held-out training images, mean of three seeds."""
    held = held_out()
    models = _trained(name, held, space, parameters)
    if name == "softmax":
        models = [SoftmaxModel(model) for model in models]
    nearest = held.nearest(models, ("seen", "trained"), 4)
    return {"score": float(np.mean([near.answers(1).hits(1).mean() for near in nearest]))}


def _held_out(runs):
    """Runs of three seeds whatever the chapter's, tested on a tenth of their training images."""
    problems = []
    for seed in CHOICE_SEEDS:
        p = runs.load(seed)
        kept, held = hold_out(p.labels, p.trainval, fraction=_VALIDATION, seed=seed)
        problems.append(replace(p, trainval=kept, test_seen=held, train=(), val=()))
    return TermRuns(problems, list(CHOICE_SEEDS), runs.labels, len(problems[0].labels), runs.load)


def chosen_settings(chosen):
    """Rows: the settings of each tuned system, their hit@1, and what failed before them."""
    for name, best in chosen.items():
        settings = (f"{k.replace('_', ' ')} {v:g}" for k, v in best["parameters"].items())
        values = {"settings": ", ".join(settings), "validation hit@1": best["score"]}
        if best["passed over"]:
            values["candidates passed over"] = len(best["passed over"])
        yield from metric_rows(values, method=name)
