"""Convolution: five loops as oracle, ends of texts, and what widths are taken."""

import numpy as np
import pytest

from zslib.nn import Conv1d


@pytest.mark.parametrize("width", [1, 3, 7])
def test_layer(check_layer, loops, texts, width):
    def make(like):
        return Conv1d(3, 2, width, np.random.default_rng(0), like=like)

    x, mask = texts(n=3, T=4)
    for given in ((x, mask), (x / 50,)):
        check_layer(make, loops.convolution, *given)


def test_one_position():
    layer = Conv1d(2, 2, 5, np.random.default_rng(0))
    x = np.ones((1, 1, 2), np.float32)
    np.testing.assert_allclose(layer.forward(x)[0, 0], x[0, 0] @ layer.weight.value[2], rtol=1e-6)


def test_start_follows_he():
    layer = Conv1d(50, 60, 3, np.random.default_rng(0), penalty=0.25)
    assert layer.weight.value.std() == pytest.approx((2 / 150) ** 0.5, rel=0.05)
    assert layer.weight.penalty == 0.25
