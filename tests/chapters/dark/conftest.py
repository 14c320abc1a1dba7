"""A small problem of images and attributes."""

import pytest

from zslib.datasets import synthetic_attributes


@pytest.fixture(scope="session")
def problem():
    return synthetic_attributes(scale=0.03, n_features=12)
