import numpy as np
import pytest
from scipy.io import savemat

from zslib.datasets import available, data_status, fingerprint, load_problem, resolve_all
from zslib.datasets.pairs.captions import captioned


def cell(names):
    return np.array([[name] for name in names], dtype=object)


def write(folder, *, files=range(20), **variables):
    """Classes of four images each: 0 to 2 seen (2 for validation), 3 and 4 unseen."""
    folder.mkdir(parents=True, exist_ok=True)
    images = {
        "features": np.random.default_rng(0).random((6, 20)),
        "labels": np.repeat([3.0, 1, 5, 2, 4], 4)[:, None],
        "image_files": cell(f"/images/some folder/{name}.jpg" for name in files),
        **variables,
    }
    savemat(folder / "res101.mat", {k: v for k, v in images.items() if v is not None})
    rows = np.arange(1.0, 21).reshape(5, 4)
    parts = {"trainval": rows[:3, :3], "test_seen": rows[:3, 3], "test_unseen": rows[3:]}
    parts |= {"train": rows[:2], "val": rows[2]}
    columns = {f"{part}_loc": numbers.reshape(-1, 1) for part, numbers in parts.items()}
    names = cell(["ant", "bat", "cat", "dog", "eel"])
    savemat(folder / "att_splits.mat", {"att": np.eye(5), "allclasses_names": names, **columns})


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data folder with 20 images of five classes, and two to four captions of each."""
    root = tmp_path / "data"
    write(root / "xlsa17" / "CUB")
    for image in range(20):
        folder = root / "reed2016" / "CUB" / "text_c10" / f"class_{image // 4}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"bird {image} caption {n}" for n in range(2 + image % 3)]
        (folder / f"{image}.txt").write_text("\n".join(["", *lines, " .", ""]))
    monkeypatch.setenv("ZSLIB_DATA", str(root))
    return root


def test_captions_stand_with_their_images(root):
    problem = captioned("CUB")
    assert (problem.level, len(problem.labels)) == ("image", 20)
    for image in range(20):
        start, end = problem.text_offsets[image : image + 2]
        own = [problem.texts[t] for t in problem.text_index[start:end]]
        assert own == [f"bird {image} caption {n}" for n in range(2 + image % 3)]
    assert problem.coverage["lines without a word"] == 40
    assert problem.coverage["images with other than 10 captions"] == 20
    assert problem.coverage["captions"] == problem.n_texts
    assert problem.class_names[problem.labels[0]] == "cat"
    # The validation images of the paper's Appendix C would hold tested ones; these do not.
    assert not np.isin(problem.test_seen, np.concatenate([problem.train, problem.val])).any()


def test_some_images_only(root):
    problem, whole = captioned("CUB", max_per_class=1), captioned("CUB")
    for image, features in enumerate(problem.features):
        number = np.flatnonzero((whole.features == features).all(axis=1))[0]
        assert problem.texts[problem.text_offsets[image]] == f"bird {number} caption 0"
    for path in (root / "reed2016" / "CUB" / "text_c10").rglob("*.txt"):
        if not any(f"bird {path.stem} " in text for text in problem.texts):
            path.unlink()
    assert captioned("CUB", max_per_class=1).n_texts > 0


def test_registry(root):
    assert available("reed_cub") and not available("reed_flo")
    assert resolve_all("pairs") == ["reed_cub"]
    assert load_problem("pairs", quick=True).name == "cub-captions"
    where = {row["name"]: row["where"] for row in data_status()}
    assert where["reed_cub"] == f"{root / 'reed2016' / 'CUB' / 'text_c10'} (ZSLIB_DATA)"
    before = fingerprint("reed_cub", settings=["pairs"])
    (root / "reed2016" / "CUB" / "text_c10" / "class_0" / "0.txt").write_text("other words")
    assert fingerprint("reed_cub", settings=["pairs"]) != before
    with pytest.raises(FileNotFoundError, match=r"that has xlsa17/FLO/res101\.mat and reed2016"):
        load_problem("pairs", "reed_flo")


def test_features_may_be_in_the_cache(root, own_cache):
    own_cache.mkdir()
    (root / "xlsa17").rename(own_cache / "xlsa17")
    assert available("reed_cub")
    assert captioned("CUB").n_texts == load_problem("pairs", "reed_cub").n_texts


def test_bad_folders(root, tmp_path, refused):
    refused("no data folder has 'reed2016/FLO", captioned, "FLO", error=FileNotFoundError)
    folder = root / "reed2016" / "CUB" / "text_c10"
    (folder / "0.txt").write_text("twice")
    refused(r"0\.txt are captions of one image: keep one", captioned, "CUB")
    (folder / "0.txt").unlink()
    (folder / "class_0" / "3.txt").write_text("  \n.\n")
    refused(r"3\.txt has no caption", captioned, "CUB")
    (folder / "class_0" / "3.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"1 images have no captions .* would be 3\.txt"):
        captioned("CUB")


def test_damaged_images(root, refused):
    write(root / "xlsa17" / "CUB", files=["a"])
    refused("1 image_files for 20 labels", captioned, "CUB")
    write(root / "xlsa17" / "CUB", image_files=None)
    refused("lacks image_files", captioned, "CUB")
