import io

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from zslib.datasets import load_problem, save_zero_shot
from zslib.datasets.attributes import xlsa17
from zslib.datasets.attributes.att_splits import (
    OFFICIAL_STATISTICS,
    read_att_splits,
    split_summary,
)
from zslib.datasets.attributes.xlsa17 import extract_xlsa17, fetch_xlsa17, load_xlsa17

NAMES = ["ant", "bat", "cat", "dog", "eel"]
CLASSES = np.repeat([3, 1, 5, 2, 4], 4)  # of images 1 to 20, counted from 1 as in MATLAB


def cell(names):
    array = np.empty((len(names), 1), dtype=object)
    array[:, 0] = names
    return array


def column(*numbers):
    return np.array(numbers, dtype=np.uint16)[:, None]


def contents():
    """Classes cat, ant, eel seen (eel for validation), bat and dog unseen; the 2017 trap is in."""
    rng = np.random.default_rng(0)
    original = rng.random((3, 5)) * 100
    att_splits = {
        "att": original / np.linalg.norm(original, axis=0),
        "original_att": original,
        "allclasses_names": cell(NAMES),
        "trainval_loc": column(1, 2, 3, 5, 6, 7, 9, 10, 11),
        "test_seen_loc": column(4, 8, 12),
        "test_unseen_loc": column(*range(13, 21)),
        "train_loc": column(*range(1, 9)),
        "val_loc": column(*range(9, 13)),
    }
    res101 = {"features": rng.random((6, 20)), "labels": CLASSES[:, None].astype(float)}
    return res101, att_splits


def write(folder, *, drop=(), **changes):
    folder.mkdir(parents=True, exist_ok=True)
    for name, variables in zip(("res101", "att_splits"), contents(), strict=True):
        kept = {k: changes.get(k, v) for k, v in variables.items() if k not in drop}
        savemat(folder / f"{name}.mat", kept)
    return folder


def test_reads_the_format_as_published(tmp_path):
    problem = load_xlsa17(write(tmp_path / "toy"))
    res101, att_splits = contents()
    assert problem.name == "toy"
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    np.testing.assert_allclose(problem.features, res101["features"].T, rtol=1e-6)
    np.testing.assert_allclose(problem.class_embeddings, att_splits["att"].T, rtol=1e-6)
    assert np.array_equal(problem.labels, CLASSES - 1)
    assert problem.class_names.tolist() == NAMES
    assert problem.class_names[problem.seen_classes].tolist() == ["ant", "cat", "eel"]
    assert problem.class_names[problem.val_classes].tolist() == ["eel"]
    for part in ("trainval", "test_seen", "test_unseen"):
        assert np.array_equal(getattr(problem, part), att_splits[f"{part}_loc"].ravel() - 1.0)

    # Train and val are without test images.
    assert problem.train.tolist() == [0, 1, 2, 4, 5, 6]
    assert problem.val.tolist() == [8, 9, 10]
    assert problem.coverage == {"images": 20, "test images in train_loc or val_loc": 3}


def test_options(tmp_path):
    folder = write(tmp_path / "toy")
    original = load_xlsa17(folder, att="original").class_embeddings
    np.testing.assert_allclose(original, contents()[1]["original_att"].T, rtol=1e-6)
    unit = load_xlsa17(folder, feature_scaling="unit length")
    np.testing.assert_allclose(np.linalg.norm(unit.features, axis=1), 1, rtol=1e-6)
    assert load_xlsa17(folder, max_per_class=2).summary()["train_seen_samples"] == 6


DAMAGED = [
    ({"drop": ("att",)}, "att_splits.mat lacks att: is it"),
    ({"drop": ("train_loc",)}, "toy: give both train and val, or neither"),
    ({"drop": ("features",)}, "res101.mat lacks features"),
    ({"trainval_loc": column(0, 1, 2)}, "trainval_loc has values from 0 to 2; they count"),
    ({"trainval_loc": np.array([[1.5]])}, "trainval_loc must hold whole numbers"),
    ({"trainval_loc": np.empty((0, 1))}, r"toy: 0 seen class.es. in trainval: two are"),
    ({"test_unseen_loc": np.empty((0, 1))}, "toy: test_unseen is empty"),
    ({"test_unseen_loc": column(13, 21)}, "test_unseen_loc names image 21 and there are 20"),
    ({"labels": CLASSES[:, None] + 1}, "labels has values from 2 to 6; they .* from 1 to 5"),
    ({"labels": CLASSES[:, None] - 1}, "labels has values from 0 to 4"),
    ({"labels": CLASSES[:-1, None]}, "features has 20 columns and labels 19"),
    ({"features": np.ones((20, 6))}, "features has 6 columns and labels 20 entries"),
    ({"allclasses_names": cell(NAMES[:3])}, r"att has shape \(3, 5\).* allclasses_names 3 names"),
    ({"original_att": np.ones((3, 4))}, r"att has shape \(3, 5\), original_att \(3, 4\)"),
    ({"train_loc": column(1, 20)}, "1 images of train are not in trainval"),
    ({"features": np.full((6, 20), 1j)}, "features must be a matrix of numbers, got complex"),
    ({"features": {"data": np.ones(3)}}, "features must be a matrix of numbers, got a struct"),
    ({"features": "text"}, "features must be a matrix of numbers, got text"),
    ({"features": cell(["a"])}, "features must be a matrix of numbers, got a cell array"),
    ({"features": np.ones((6, 20, 2))}, "features must be a matrix of numbers, got shape 6x"),
    ({"features": np.full((6, 20), 1e300)}, r"features has 1e\+300 at row 0, beyond"),
    ({"labels": cell(["ant"] * 20)}, "labels must hold whole numbers, got a cell array"),
    (
        {"labels": np.full((20, 1), np.inf)},
        "labels must hold whole numbers, got fractions, NaN or inf",
    ),
    ({"trainval_loc": column(*range(1, 11)).reshape(5, 2)}, "trainval_loc must be one column"),
    ({"allclasses_names": np.arange(5)}, "allclasses_names has no text at place 1: save it"),
    ({"allclasses_names": cell(["a", "b", "", "d", "e"])}, "names has no text at place 3"),
    ({"allclasses_names": cell(["a", "b", "c", 4, "e"])}, "names has no text at place 4"),
]


@pytest.mark.parametrize("changes, message", DAMAGED)
def test_damaged_files(tmp_path, changes, message, refused):
    refused(message, load_xlsa17, write(tmp_path / "toy", **changes))


def test_what_matlab_has_beside_matrices(tmp_path):
    expected = load_xlsa17(write(tmp_path / "toy")).checksum
    res101, att_splits = contents()
    for changes in (
        {"features": sparse.csc_matrix(res101["features"])},
        {"att": sparse.csc_matrix(att_splits["att"])},
        {"allclasses_names": np.array(["ant", "bat", "cat", "dog   ", "eel"])},
        {"allclasses_names": cell([cell([name]) for name in NAMES])},
        {"trainval_loc": att_splits["trainval_loc"].T.astype(float)},
    ):
        assert load_xlsa17(write(tmp_path / "toy", **changes)).checksum == expected


def test_files_of_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(folder := write(tmp_path / "toy"))
    for path in ("res101.mat", "."):
        assert load_problem("attributes", path).name == "toy"
    save_zero_shot(load_xlsa17(folder), tmp_path / "own")
    monkeypatch.chdir(tmp_path / "own")
    assert load_problem("attributes", ".").name == "toy"


def test_missing_variables_and_what_is_an_object_of_matlab(tmp_path, refused):
    folder = write(tmp_path / "toy", drop=("allclasses_names", "original_att"))
    refused("has no original_att: pass att='unit length'", load_xlsa17, folder, att="original")
    problem = load_xlsa17(folder)
    assert problem.class_names[0] == "class 1"
    assert "no allclasses_names" in problem.coverage["class names"]
    # A string array is an array of class 17, "opaque", whose name SciPy does not read.
    parts = b"allclasses_names", b"MCOS", b"string"
    content = np.array([6, 8, 17, 0], "<u4").tobytes()
    for part in parts:
        content += np.array([1, len(part)], "<u4").tobytes() + part + bytes(-len(part) % 8)
    stream = io.BytesIO()
    savemat(stream, {"x": np.eye(2)})
    content += stream.getvalue()[128:]  # without the head of the file
    with open(folder / "att_splits.mat", "ab") as file:
        file.write(np.array([14, len(content)], "<u4").tobytes() + content)
    (folder / "att_splits.mat").rename(folder / "splits.mat")  # told by its variables
    refused(r"an object of MATLAB's.* string array.* cellstr\(", load_xlsa17, folder)


def test_splits_without_validation_or_seen_images(tmp_path):
    whole = load_xlsa17(write(tmp_path / "whole"))
    tuned = "train_loc", "val_loc"
    for number, drop in enumerate((tuned, (*tuned, "test_seen_loc"))):
        problem = load_xlsa17(write(tmp_path / str(number), drop=drop))
        assert problem.train.size == problem.val.size == 0
        assert problem.test_seen.size == (0 if "test_seen_loc" in drop else whole.test_seen.size)
        for part in ("trainval", "test_unseen"):
            images = [p.features[getattr(p, part)] for p in (problem, whole)]
            np.testing.assert_array_equal(*images)


def test_files_are_told_by_their_variables(tmp_path, refused):
    folder = write(tmp_path / "toy")
    expected = load_xlsa17(folder)
    (folder / "res101.mat").rename(folder / "googlenet.mat")
    for path in (folder, folder / "googlenet.mat", folder / "att_splits.mat"):
        problem = load_problem("attributes", path)
        assert problem.checksum == expected.checksum
        assert "googlenet features" in problem.description
    refused("has a split of its own", load_problem, "attributes", folder, unseen=["1"])
    (folder / "att_splits.mat").rename(folder / "splits.mat")
    assert load_problem("attributes", folder).checksum == expected.checksum
    savemat(folder / "vgg.mat", contents()[0])
    assert load_problem("attributes", folder / "vgg.mat").checksum == expected.checksum
    with pytest.raises(FileNotFoundError, match=r"2 other .*have features and labels .there: goo"):
        load_problem("attributes", folder)
    (folder / "splits.mat").unlink()
    with pytest.raises(FileNotFoundError, match=r"0 other \.mat files have att and trainval_loc"):
        load_problem("attributes", folder / "vgg.mat")
    savemat(folder / "third.mat", {"x": np.eye(2)})
    with pytest.raises(ValueError, match=r"third\.mat has neither features and labels nor"):
        load_problem("attributes", folder / "third.mat")


def test_files_that_are_not_matlab_files(tmp_path, refused):
    path = write(tmp_path / "toy") / "res101.mat"
    # Header of version 7.3: text, then the version 0x0200 and the byte order mark.
    hdf5 = b"MATLAB 7.3 MAT-file, HDF5 schema 1.00".ljust(124) + b"\x00\x02IM"
    for content, message in (
        (path.read_bytes()[:600], r"cannot be read as a MATLAB file|lacks"),
        (b"", r"res101\.mat cannot be read as a MATLAB file"),
        (hdf5 + b"\x89HDF\r\n" * 99, "is HDF5, .* save it anew with the option '-v7'"),
    ):
        path.write_bytes(content)
        refused(message, load_xlsa17, path.parent)
    path.unlink()
    refused(r"res101\.mat is not there", load_xlsa17, path.parent, error=FileNotFoundError)


def test_known_names_are_found_in_data_folder_and_cache(tmp_path, monkeypatch, own_cache, refused):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    refused("SUN is not here: run 'zslib data", load_xlsa17, "SUN", error=FileNotFoundError)
    write(own_cache / "xlsa17" / "SUN")
    problem = load_xlsa17("SUN")
    assert (problem.name, problem.coverage["counts as published"]) == ("sun", False)
    write(tmp_path / "xlsa17" / "data" / "APY")
    assert load_xlsa17("APY").name == "apy"
    with pytest.raises(FileNotFoundError, match="elsewhere is not a folder"):
        load_xlsa17(tmp_path / "elsewhere")


def test_summary_of_a_split(tmp_path):
    splits = read_att_splits(write(tmp_path / "toy") / "att_splits.mat")
    assert splits.dropped == 3
    assert list(split_summary(splits, CLASSES).values()) == [3, 9, 3, 2, 8, 3]
    without = split_summary(splits)
    assert without["seen_classes"] is without["unseen_classes"] is None


@pytest.fixture
def archives(tmp_path, pack):
    """The official archive with SUN and others, of either kind."""
    made = write(tmp_path / "made")
    files = {f"xlsa17/data/SUN/{f.name}": f.read_bytes() for f in made.iterdir()}
    files |= {"xlsa17/data/CUB/res101.mat": b"other", "xlsa17/data/SUN/readme.txt": b"text"}
    for kind in (".zip", ".tar.gz"):
        (tmp_path / f"a{kind}").write_bytes(pack(kind, files))
    return tmp_path / "a.zip", tmp_path / "a.tar.gz"


def test_extracts_the_data_sets_asked_for_and_nothing_else(archives, tmp_path, refused):
    for archive in archives:
        out = tmp_path / archive.suffix
        assert extract_xlsa17(archive, out, ["SUN"]) == [out / "SUN"]
        written = sorted(p.name for p in out.rglob("*") if p.is_file())
        assert written == ["att_splits.mat", "res101.mat"]
        assert len(load_xlsa17(out / "SUN").trainval) == 9
        refused(r"lacks CUB/att_splits\.mat", extract_xlsa17, archive, out, ["SUN", "CUB"])


def test_fetch_downloads_and_extracts(archives, tmp_path, monkeypatch, own_cache):
    def fetch_file(url, path, checksum, *, progress):
        assert (url, checksum) == (xlsa17.XLSA17_URL, None)
        return archives[0]

    monkeypatch.setattr(xlsa17, "fetch_file", fetch_file)
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    assert fetch_xlsa17(["SUN"]) == own_cache / "xlsa17"
    assert len(load_xlsa17("SUN").labels) == 20


def groups_in_order(parts):
    """The order in which runs of training, validation and unseen images follow each other."""
    group = np.full(max(int(rows.max()) for rows in parts.values()) + 1, -1)
    for code, part in enumerate(("train", "val", "test_unseen")):
        group[parts[part]] = code
    group = group[group >= 0]
    return group[np.flatnonzero(np.diff(group, prepend=-1))].tolist()


def test_the_split_of_awa2_follows_that_of_awa1(real_data):
    folder = real_data("visual/xlsa17_splits", "visual/xlsa17_splits/AWA2_att_splits.mat")
    two, one = (read_att_splits(folder / f"{name}_att_splits.mat") for name in ("AWA2", "AWA1"))
    assert np.array_equal(two.att, one.att)
    assert groups_in_order(two.parts) == groups_in_order(one.parts)


@pytest.mark.parametrize("name", xlsa17.XLSA17_NAMES)
def test_official_splits_have_the_published_counts(real_data, name):
    file = f"visual/xlsa17_splits/{xlsa17._SPLIT_FILES.get(name, f'{name}_att_splits.mat')}"
    real_data(file, "visual/awa1", "visual/apy", "visual/cub")
    summary = xlsa17.official_split_summary(name)
    dropped = summary.pop("images_dropped")
    assert summary == OFFICIAL_STATISTICS[name]
    # APY has no overlap, nor has CUB's file of 2020; in the others all test images are in it.
    assert dropped == (0 if name in ("APY", "CUB") else summary["test_seen_samples"])
