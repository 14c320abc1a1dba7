"""A small problem of images and attributes."""

import pytest

from zslib.datasets import synthetic_attributes
from zslib.protocols import unit_length


@pytest.fixture(scope="session")
def problem():
    return unit_length(synthetic_attributes("APY", scale=0.05, n_features=20, seed=1))
