"""A small problem of images and attributes."""

from dataclasses import replace

import numpy as np
import pytest

from zslib.datasets import synthetic_attributes
from zslib.protocols import unit_length


@pytest.fixture(scope="session")
def problem():
    return unit_length(synthetic_attributes("APY", scale=0.05, n_features=20, seed=1))


@pytest.fixture(scope="session")
def tested_on_others(problem):
    """The problem with other test images."""
    changed = np.array(problem.features)
    tested = np.concatenate([problem.test_seen, problem.test_unseen])
    changed[tested] = np.random.default_rng(0).random(changed[tested].shape)
    return replace(problem, features=changed)
