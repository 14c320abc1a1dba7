"""Results of these tests stay out of the user's cache."""

import pytest


@pytest.fixture(autouse=True)
def _apart(own_cache):
    pass
