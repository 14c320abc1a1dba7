from unittest.mock import Mock

import numpy as np
import pytest

from zslib.datasets import available, load_problem, resolve_all
from zslib.datasets.attributes.own import load_zero_shot, save_zero_shot, vgg19
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.synthetic import synthetic_attributes

# The least a file must have.
ARRAYS = {
    "features": np.arange(12).reshape(6, 2),
    "labels": np.array([0, 0, 1, 1, 2, 2], dtype=np.int8),
    "class_embeddings": np.eye(3, dtype=bool),
    "class_names": np.array(["ant", "bat", "cat"]),
    "trainval": np.array([0, 1, 2]),
    "test_unseen": np.array([4, 5]),
}


@pytest.fixture(scope="module")
def problem():
    """A problem with everything optional but attributes of images."""
    features = np.random.default_rng(0).random((6, 2), dtype=np.float32)
    vectors = {"features": features, "class_embeddings": np.eye(3, dtype=np.float32)}
    return ZeroShotProblem(
        name="rich",
        synthetic=False,
        description="ünïcode",
        **ARRAYS | vectors | {"test_seen": [3], "train": [0, 1], "val": [2]},
        class_ids=np.array(["n1", "n2", "n3"]),
        feature_scaling="standard",
        coverage={"dropped": np.int64(3), "why": "überall"},
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    for name, array in ARRAYS.items():
        np.save(tmp_path / "mine" / f"{name}.npy", array)
    return tmp_path / "mine"


@pytest.mark.parametrize("name", ["set.npz", "set", "deep/er/set.npz"])
def test_round_trip(tmp_path, problem, name):
    path = save_zero_shot(problem, tmp_path / name)
    again = load_zero_shot(path)
    assert again.checksum == problem.checksum
    for field in ("name", "description", "synthetic", "feature_scaling", "coverage"):
        assert getattr(again, field) == getattr(problem, field)
    assert again.image_attributes is None
    # Nothing temporary is left beside it.
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_an_existing_file_is_not_overwritten(tmp_path, problem, refused):
    path = save_zero_shot(problem, tmp_path / "set.npz")
    refused("is there already: delete it", save_zero_shot, problem, path, error=FileExistsError)


def test_a_failed_save_leaves_nothing(tmp_path, problem, monkeypatch, refused):
    monkeypatch.setattr(np, "savez", Mock(side_effect=OSError("disk full")))
    refused("disk full", save_zero_shot, problem, tmp_path / "set.npz", error=OSError)
    assert list(tmp_path.iterdir()) == []


def test_the_least_a_file_must_have(tmp_path, folder):
    np.savez(tmp_path / "mine.npz", **ARRAYS)
    problem = load_zero_shot(tmp_path / "mine.npz")
    assert (problem.name, problem.description) == ("mine", "data of mine.npz")
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    assert problem.unseen_classes.tolist() == [2]
    assert len(problem.test_seen) == len(problem.train) == 0
    assert load_zero_shot(folder).checksum == problem.checksum


DAMAGED = [
    ({"labels": None, "trainval": None}, "lacks labels and trainval: needed are features"),
    ({"image_attribute": np.ones(1)}, "has 'image_attribute', which is not of the format"),
    ({"class_names": np.array(["a", "b", None])}, "class_names is a pickled array"),
    ({"features": np.array([["one"] * 2] * 6)}, "features must hold numbers"),
    ({"features": np.full((6, 2), np.inf)}, r"mine\.npz: features holds NaN or infinity"),
    ({"features": np.full((6, 2), 1e300)}, "features holds NaN or infinity|constant"),
    ({"labels": np.array([0, 0, 1, 1, 2, 3])}, r"labels must lie in \[0, 3\)"),
    ({"labels": np.array([0.0, 0, 1, 1, 2, 2])}, "labels must hold integers"),
    ({"test_unseen": np.array([2, 4])}, "both seen and unseen"),
    ({"name": np.array(3)}, "name must be one text, got int64"),
    ({"name": np.array(["a", "b"])}, r"name must be one text, got .* of shape \(2,\)"),
    ({"synthetic": np.array(True)}, "must have the word 'synthetic'"),
    ({"coverage": np.array("{")}, "coverage is not a JSON object"),
]


@pytest.mark.parametrize("changes, message", DAMAGED)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_damaged_content(tmp_path, changes, message, refused):
    kept = {k: v for k, v in {**ARRAYS, **changes}.items() if v is not None}
    np.savez(tmp_path / "mine.npz", **kept)
    kind = TypeError if message.endswith("hold integers") else ValueError
    refused(message, load_zero_shot, tmp_path / "mine.npz", error=kind)


def test_pickled_and_damaged_files(tmp_path, folder, refused):
    np.save(folder / "class_names.npy", np.array(["a", None], dtype=object))
    refused("class_names is a pickled array, which could run code", load_zero_shot, folder)
    (folder / "class_names.npy").write_bytes(b"\x93NUMPY\x01")
    refused("class_names is damaged", load_zero_shot, folder)
    np.savez(tmp_path / "whole.npz", **ARRAYS)
    content = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    refused(r"cut\.npz is damaged or truncated", load_zero_shot, tmp_path / "cut.npz")
    # One byte of an array's data is wrong: the zip's checksum tells.
    place = content.index(np.eye(3, dtype=bool).tobytes())
    (tmp_path / "bad.npz").write_bytes(content[:place] + b"\x07" + content[place + 1 :])
    refused(r"bad\.npz is damaged or truncated", load_zero_shot, tmp_path / "bad.npz")
    with pytest.raises(FileNotFoundError, match=r"No such file.*nothing\.npz"):
        load_zero_shot(tmp_path / "nothing.npz")


@pytest.fixture
def stored(tmp_path, monkeypatch):
    made = synthetic_attributes("APY", scale=0.05, att="original", n_features=30)
    save_zero_shot(made, tmp_path / "vgg19" / "APY.npz")
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    return made


def test_any_features_with_image_attributes(stored):
    found = vgg19("APY", feature_scaling="none")
    assert found.name == "vgg19-apy"
    for name in ("features", "class_embeddings", "image_attributes", "labels", "val"):
        np.testing.assert_array_equal(getattr(found, name), getattr(stored, name))
    np.testing.assert_allclose(np.linalg.norm(vgg19("APY").features, axis=1), 1, rtol=1e-5)


def test_by_name_and_by_auto(stored, refused):
    assert available("vgg19-APY")
    assert not available("vgg19-CUB")
    assert resolve_all("metric learning") == ["vgg19-APY"]
    quick = load_problem("metric learning", "vgg19-APY", quick=True)
    assert 0 < np.bincount(quick.labels[quick.trainval]).max() <= 10
    assert len(quick.image_attributes) == len(quick.features) < len(stored.features)
    assert resolve_all("attributes") == ["synthetic", "digits"]
    with pytest.raises(FileNotFoundError, match=r"folder that has vgg19/CUB\.npz"):
        resolve_all("metric learning", "vgg19-CUB")
    refused(r"No such file.*SUN\.npz", vgg19, "SUN", error=FileNotFoundError)
