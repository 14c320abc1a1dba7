"""A small problem of images that differ in their attributes."""

import pytest

from zslib.datasets.attributes.scaling import common_scale
from zslib.datasets.attributes.synthetic import synthetic_attributes


@pytest.fixture(scope="session")
def problem():
    return common_scale(synthetic_attributes("APY", scale=0.05, att="original", n_features=20))
