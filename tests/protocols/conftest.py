"""A small problem of each setting, generated."""

import pytest

from zslib.datasets import synthetic_crosslingual, synthetic_crossmodal


@pytest.fixture(scope="session")
def languages():
    return synthetic_crosslingual(n_targets=300, n_train=120, n_test=40, dimension=24)


@pytest.fixture(scope="session")
def images():
    return synthetic_crossmodal(
        n_targets=300,
        n_labels=60,
        n_topics=20,
        label_topics=12,
        test_images=50,
        dimension=24,
        visual_dimension=20,
    )


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep results of tests out of the user's cache."""
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
