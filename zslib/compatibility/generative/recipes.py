"""What five published generators of features have in common, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Settings:
    """All numbers of one training. ``averaging`` is of generator weights; ``n_noise`` 0 means as
    many as a class vector has, ``n_hidden`` 0 no hidden layer."""

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
    beta1: float = 0.5
    penalty: float = 10.0
    averaging: float = 0.995


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
"""What tells the recipes apart."""


def settings_of(recipe, **given):
    """The `Settings` of a recipe; what is ``given``, not None and a setting goes first."""
    kinds = {field.name: type(field.default) for field in fields(Settings)}
    given = {k: kinds[k](v) for k, v in given.items() if k in kinds and v is not None}
    return Settings(**(RECIPES[recipe] | given))
