"""What layers and losses refuse, and the words in which they say so."""

from functools import partial

import numpy as np

from zslib import nn
from zslib.optim import SGD

rng = np.random.default_rng(0)
ONE = nn.Parameter(np.ones(2))
TABLE = nn.Embedding(3, 2, rng)
POOLS = nn.MaxPool(), nn.MeanPool(), nn.LastPool()
SMALL, NUMBERS = np.ones((2, 3, 2), np.float32), np.zeros((2, 3))
TWICE, DESCENT = {"a": ONE, "b": ONE}, SGD(0.1)


def other_shape(layer, *shape):
    return partial(layer.forward, np.ones(shape, np.float32)), r"x must have shape \(n, .* got"


def wide_gradient(layer):
    layer.forward(np.ones((3, 1), np.float32), train=True)
    return layer.backward(np.ones(3, np.float32))


def labels(*given):
    return nn.softmax_cross_entropy(NUMBERS, np.array(given))


SQUASHING = nn.ReLU(), nn.LeakyReLU(), nn.Dropout(0.5, rng)
MASKED = [nn.BatchNorm(2), nn.Conv1d(2, 2, 3, rng), *POOLS]
WHOLE, WRONG = np.ones(1, int), np.ones((3, 2), bool)
# Calls, words and, if it is no ValueError, the error.
REFUSALS = [
    (partial(TABLE.forward, np.array([[0, 3]])), r"tokens must lie in \[0, 3\), found 0 to 3"),
    (partial(TABLE.forward, np.zeros((1, 2))), "tokens must hold integers", TypeError),
    (lambda: nn.LastPool().forward(np.ones((1, 2, 3))), "3 numbers per position"),
    (lambda: nn.LeakyReLU(-0.1), "slope must be"),
    (lambda: nn.Linear(2, 2, rng, init="zero"), "init must be one of"),
    (lambda: nn.Linear(2, 2, rng, scale=0.0), "scale"),
    (lambda: nn.Linear(2, 2, rng, like=WHOLE), "value must hold floats, got int64", TypeError),
    (lambda: nn.Dropout(1.0, rng), "rate must be below 1"),
    (lambda: nn.Dropout(-0.1, rng), "rate must be"),
    (lambda: nn.BatchNorm(2, momentum=1.5), "momentum must be"),
    (lambda: nn.BatchNorm(2, epsilon=0.0), "epsilon must be .* above 0"),
    (lambda: nn.BatchNorm(2, penalty=-1.0), "penalty must be"),
    (lambda: nn.BatchNorm(0), "dimension must be at least 1"),
    (lambda: nn.BatchNorm(2).forward(SMALL, np.zeros((2, 3), bool), train=True), "no token"),
    (lambda: nn.Conv1d(3, 2, 2, rng), "width must be odd"),
    (lambda: nn.Conv1d(0, 2, 3, rng), "n_in must be at least 1"),
    (lambda: nn.Conv1d(3, 2.0, 3, rng), "n_out must be an integer", TypeError),
    (lambda: nn.BiLSTM(3, 0, rng), "n_hidden must be at least 1"),
    (lambda: nn.BiLSTM("3", 2, rng), "n_in must be an integer", TypeError),
    (lambda: nn.Descent(TWICE, lambda: DESCENT), "a new optimiser each"),
    (lambda: nn.Sequential(relu=nn.ReLU), r"relu must be a layer, such as ReLU\(\)", TypeError),
    (lambda: nn.dense_layers([3], rng), "sizes must be at least two"),
    (lambda: ONE.descend(-0.1), "rate must be"),
    (lambda: ONE.descend(0.1, clip=0.0), "clip must be"),
    (lambda: labels(0, 3), r"labels must lie in \[0, 3\)"),
    (lambda: labels(0.0, 1.0), "labels must hold integers", TypeError),
    (lambda: labels(0), "one label per row"),
    other_shape(nn.Linear(3, 3, rng), 3),
    other_shape(nn.Linear(3, 3, rng), 3, 3, 3),
    other_shape(nn.Linear(3, 3, rng), 3, 4),
    other_shape(nn.BatchNorm(1), 3, 3),
    other_shape(nn.Conv1d(3, 3, 1, rng), 3, 3),
    other_shape(nn.BiLSTM(3, 3, rng), 3, 3),
    *(other_shape(pool, 3, 3) for pool in POOLS),
    *((partial(wide_gradient, layer), "gradient has shape") for layer in SQUASHING),
    (partial(wide_gradient, nn.Linear(1, 1, rng)), "gradient has shape"),
    *((partial(m.forward, SMALL, NUMBERS), "mask must be bool", TypeError) for m in MASKED),
    *((partial(m.forward, SMALL, WRONG), r"\(3, 2\) and x \(2, 3, 2\)") for m in MASKED),
]


def test_refusals(refusal):
    refusal()
