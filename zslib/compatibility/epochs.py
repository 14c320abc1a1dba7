"""Passes over the samples in minibatches: what scorers that are trained by gradients share."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from zslib.compatibility.base import CompatibilityModel
from zslib.compatibility.parameters import Positive, RandomState
from zslib.optim import minibatches
from zslib.validation import check_learned


@dataclass(repr=False, eq=False)
class EpochModel(CompatibilityModel):
    """Base of the scorers that learn in passes over minibatches, with the parameters of these.

    A subclass with another default has the parameter again.
    """

    _: KW_ONLY
    learning_rate: Positive = 0.01
    n_epochs: int = 10
    batch_size: int = 64
    random_state: RandomState = None


def train_epochs(model, step, n, rng, remedy):
    """Do ``step(batch, epoch)`` for all minibatches of n samples, pass after pass.

    ``step`` returns the mean loss of its batch. Returns the mean loss of each pass, as the batches
    were met. One that is not finite ends the training, and ``remedy`` says what to do.
    """
    curve = []
    for epoch in range(model.n_epochs):
        total = 0.0
        # An overflow is reported after the pass, with its remedy.
        with np.errstate(over="ignore", invalid="ignore"):
            for batch in minibatches(n, model.batch_size, rng):
                total += step(batch, epoch) * len(batch) / n
        check_learned(total, remedy)
        curve.append(total)
    return curve
