"""What five published generators of features have in common, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["PUBLISHED", "RECIPES", "Settings", "settings_of"]


@dataclass(frozen=True)
class Settings:
    """All numbers of one training; the defaults are the reduced size.

    ``rate_falls``: learning rates fall linearly to 0. ``each_element``: the place between real
    and fake is drawn for each number instead of each row. ``averaging``: of generator weights, 0
    for none. ``n_noise`` 0: as many as a class vector has. ``init`` and ``scale`` are of
    `zslib.nn.Linear`.
    """

    classification_weight: float = 0.0
    cycle_weight: float = 0.0
    unseen_cycle_weight: float = 0.0
    adversarial_weight: float = 1.0
    variational: bool = False
    decoder_variance: float = 0.15
    n_hidden: int = 256
    n_noise: int = 0
    n_steps: int = 1500
    critic_steps: int = 2
    batch_size: int = 64
    learning_rate: float = 2e-3
    critic_rate: float = 2e-3
    beta1: float = 0.5
    penalty: float = 10.0
    rate_falls: bool = True
    averaging: float = 0.995
    each_element: bool = False
    output: str = "linear"
    init: str = "glorot"
    scale: float = 1.0


RECIPES = {
    "WGAN": {},
    "f-CLSWGAN": {"classification_weight": 0.1},
    "f-VAEGAN-D2": {
        "variational": True,
        "adversarial_weight": 10.0,
        "n_noise": 64,
        "n_steps": 1000,
    },
    "cycle-WGAN": {"cycle_weight": 10.0},
    "cycle-CLSWGAN": {"classification_weight": 0.1, "cycle_weight": 10.0},
    "cycle-UWGAN": {"cycle_weight": 10.0, "unseen_cycle_weight": 10.0},
}
"""What tells the recipes apart, at the reduced size."""

_LARGE = {
    "n_hidden": 4096,
    "n_noise": 0,
    "critic_steps": 5,
    "init": "normal",
    "scale": 0.02,
    "learning_rate": 1e-4,
    "critic_rate": 1e-4,
    "rate_falls": False,
    "averaging": 0.0,
    "output": "relu",
}
_CYCLE = {
    "n_steps": 102_000,
    "critic_steps": 1,
    "critic_rate": 1e-3,
    "each_element": True,
    "init": "glorot",
    "scale": 1.0,
}

# Steps are the authors' epochs on CUB, of 110 batches each.
PUBLISHED = {
    "WGAN": {"n_steps": 6200},
    "f-CLSWGAN": {"classification_weight": 0.01, "n_steps": 6200},
    "f-VAEGAN-D2": {"n_steps": 33_000, "output": "sigmoid"},
    "cycle-WGAN": {"cycle_weight": 0.01, **_CYCLE},
    "cycle-CLSWGAN": {"classification_weight": 0.01, "cycle_weight": 0.01, **_CYCLE},
    "cycle-UWGAN": {"cycle_weight": 0.01, "unseen_cycle_weight": 0.01, **_CYCLE},
}
"""How the originals were trained, on top of 4,096 hidden units."""


def settings_of(recipe, size, **given):
    """The `Settings` of a recipe at a size; what is ``given`` and not None goes first."""
    settings = replace(Settings(), **RECIPES[recipe])
    if size == "published":
        settings = replace(settings, **(_LARGE | PUBLISHED[recipe]))
    return replace(settings, **{key: value for key, value in given.items() if value is not None})
