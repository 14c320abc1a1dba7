import numpy as np

from zslib.metrics import pollution


def test_follows_the_definition(backend):
    rng = np.random.default_rng(0)
    indices, mask = rng.integers(0, 20, (30, 4)), rng.random(20) < 0.2
    expected = [any(mask[j] for j in row) for row in indices]
    backend.assert_equal(pollution(backend.asarray(indices), backend.asarray(mask)), expected)
