"""Own features of the paper's data sets, by name, through the data folder."""

from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets import (
    available,
    load_problem,
    resolve_all,
    save_zero_shot,
    synthetic_attributes,
    vgg19,
)


@pytest.fixture
def problem(tmp_path, monkeypatch):
    made = synthetic_attributes("APY", scale=0.05, att="original", n_features=30)
    save_zero_shot(made, tmp_path / "vgg19" / "APY.npz")
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    return made


def test_any_features_with_image_attributes(problem):
    found = vgg19("APY", feature_scaling="none")
    assert found.name == "vgg19-apy"
    for name in ("features", "class_embeddings", "image_attributes", "labels", "val"):
        np.testing.assert_array_equal(getattr(found, name), getattr(problem, name))
    lengths = np.linalg.norm(vgg19("APY").features, axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)


def test_by_name_and_by_auto(problem):
    assert available("vgg19-APY")
    assert not available("vgg19-CUB")
    assert resolve_all("metric learning") == ["vgg19-APY"]
    quick = load_problem("metric learning", "vgg19-APY", quick=True)
    assert 0 < np.bincount(quick.labels[quick.trainval]).max() <= 10
    assert len(quick.image_attributes) == len(quick.features) < len(problem.features)
    assert resolve_all("attributes") == ["synthetic", "digits"]
    with pytest.raises(FileNotFoundError, match=r"folder that has vgg19/CUB\.npz"):
        resolve_all("metric learning", "vgg19-CUB")


def test_refusals(problem, tmp_path):
    with pytest.raises(ValueError, match="name must be one of 'APY', 'AWA', 'CUB', 'SUN'"):
        vgg19("AWA2")
    with pytest.raises(FileNotFoundError, match="neither a file nor a folder"):
        vgg19("SUN")
