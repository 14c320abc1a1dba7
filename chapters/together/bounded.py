"""DARK with scores of a bounded scale: readings of F, and what each part is worth there."""

from chapters.dark.ablation import SelectAll
from zslib.compatibility import DARK
from zslib.protocols.attributes.methods import ZeroShotMethod

FIRST = "linear, as printed"
LINEAR = "linear, all followed"
"""The best reading of a linear F on validation classes."""

BASE = "bounded"
PARTS = {
    "label view": "no label view",
    "image view": "no image view",
    "soft weight, less one": "weights of one",
    "soft weight, less a step": "weights of a step",
    "margin": "no margin",
    "weight held fixed": "weight followed",
}
"""What `BASE` less a variant is worth, by the name of the part."""

ALONE = {
    BASE: "bounded DARK",
    PARTS["soft weight, less a step"]: "both views, hard weights",
    PARTS["label view"]: "soft weights, one view",
}
"""What is held against ALE: the whole, and what has only one of the two parts that are new."""

_EVERY = {"refresh_every": 1}
_LONG = {
    FIRST: _EVERY,
    "linear, margin followed": _EVERY | {"init_scale": 0.2, "gradient": "margin"},
    LINEAR: _EVERY | {"init_scale": 0.2, "gradient": "objective"},
    "5 cos, rest as printed": _EVERY | {"scale": 5.0},
}


class NoImageView(DARK):
    """Steps follow the label view alone."""

    def _step(self, optimiser, U, V, S, of_labels, of_images):
        x, P = of_images
        super()._step(optimiser, U, V, S, of_labels, (x[:0, :], P[:0, :]))


def _short(problem):
    """Sums over rivals averaged, a small start, thirty passes."""
    return {
        **_EVERY, "data_weight": 1.0 / (len(problem.seen_classes) - 1), "init_scale": 0.01,
        "learning_rate": 0.1, "regularization": 1e-6, "n_iter": 30, "drop_at": 22,
    }  # fmt: skip


def readings_of(problem, every=True):
    """Readings of F and of what is not printed, each with one setting for all data.

    Of those of 200 passages there are but the first and the best linear one unless ``every``.
    """
    short = _short(problem)
    readings = {name: _LONG[name] for name in (_LONG if every else (FIRST, LINEAR))} | {
        "5 cos, rivals averaged": {**short, "scale": 5.0},
        "10 cos, rivals averaged, r = 128": {**short, "scale": 10.0, "rank": 128},
    }
    return [ZeroShotMethod(name, DARK, {}, fixed) for name, fixed in readings.items()]


def parts_of(problem):
    """`BASE`, and a variant without each of the `PARTS`, tuned alike: scale, and data's weight.

    Weights of one add up to far more than soft ones, so their grid begins at a smaller weight.
    """
    fixed = _short(problem)
    weight = fixed.pop("data_weight")
    grid = {"scale": (3.0, 8.0, 21.0), "data_weight": (weight, 4.0 * weight)}
    low = {"scale": (1.0, 3.0, 8.0), "data_weight": (weight / 64.0, weight / 16.0)}
    return [
        ZeroShotMethod(BASE, DARK, grid, fixed),
        ZeroShotMethod("no label view", DARK, grid, fixed | {"label_view": False}),
        ZeroShotMethod("no image view", NoImageView, grid, fixed),
        ZeroShotMethod("weights of one", SelectAll, low, fixed),
        ZeroShotMethod("weights of a step", DARK, grid, fixed | {"hardness": False}),
        ZeroShotMethod("no margin", DARK, grid, fixed | {"margin": 1e-9}),
        ZeroShotMethod("weight followed", DARK, grid, fixed | {"gradient": "objective"}),
    ]


def validation_accuracy(runs, minus=None):
    """What the chosen settings reached on validation classes: one choice serves all runs."""
    return runs[0].validation_accuracy
