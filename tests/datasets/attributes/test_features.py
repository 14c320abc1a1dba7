"""Your own features: the forms that are read, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas
import pytest
from scipy import sparse
from scipy.io import savemat

from zslib.datasets import (
    from_features,
    load_problem,
    load_xlsa17,
    load_zero_shot,
    read_features,
    save_zero_shot,
    synthetic_attributes,
)
from zslib.datasets.attributes.features import read_class_vectors


@pytest.fixture
def arrays():
    """Five images of each of eight classes; the third and the last are unseen."""
    rng = np.random.default_rng(0)
    return {
        "features": rng.normal(size=(40, 6)),
        "labels": np.arange(40) % 8,
        "class_embeddings": rng.normal(size=(8, 3)),
        "class_names": np.array(list("abcdefgh")),
        "unseen_classes": np.array([2, 7]),
    }


@pytest.fixture
def written(tmp_path):
    def write(arrays, name="mine.npz"):
        np.savez(tmp_path / name, **arrays)
        return tmp_path / name

    return write


def test_numbers_and_names_say_the_same(arrays, written):
    problem = read_features(written(arrays))
    names = arrays["class_names"]
    by_name = arrays | {"labels": names[arrays["labels"]], "unseen_classes": np.array(["c", "h"])}
    assert read_features(written(by_name)).checksum == problem.checksum
    assert problem.class_names[problem.unseen_classes].tolist() == ["c", "h"]
    assert problem.features.dtype == np.float32
    assert problem.name == "mine"
    # All ten images of unseen classes test, and one of each five of the others.
    assert (problem.test_unseen.size, problem.test_seen.size, problem.trainval.size) == (10, 6, 24)
    assert not problem.val.size


def test_arrays_lists_and_frames_say_what_a_file_says(arrays, written):
    problem = read_features(written(arrays))
    assert from_features(**arrays).checksum == problem.checksum
    lists = {name: array.tolist() for name, array in arrays.items()}
    assert from_features(**lists, name="mine").checksum == problem.checksum
    frames = from_features(
        pandas.DataFrame(arrays["features"]),
        pandas.Series(arrays["class_names"][arrays["labels"]]),
        pandas.DataFrame(arrays["class_embeddings"], index=list("abcdefgh")),
        unseen_classes=["c", "h"],
    )
    assert frames.checksum == problem.checksum
    mask = np.isin(list("abcdefgh"), ["c", "h"])
    assert from_features(**arrays | {"unseen_classes": mask}).checksum == problem.checksum
    with pytest.raises(TypeError, match="features is sparse"):
        from_features(**arrays | {"features": sparse.csr_array(arrays["features"])})
    unnamed = from_features(*list(arrays.values())[:3], unseen_classes=[2])
    assert unnamed.class_names[0] == "class 0"


def test_a_problem_by_its_path(arrays, written, monkeypatch):
    path = written(arrays)
    expected = read_features(path).checksum
    assert load_problem("attributes", path).checksum == expected
    assert load_problem("attributes", f"digits+{path}".partition("+")[2]).checksum == expected
    assert len(load_problem("attributes", path, quick=True).features) <= 40
    monkeypatch.chdir(path.parent)
    assert load_problem("metric learning", path.name).checksum == expected
    assert load_problem("attributes", path, unseen=["a", "b"]).unseen_classes.tolist() == [0, 1]


def test_images_from_csv(arrays, tmp_path, written):
    names, lines = arrays["class_names"], {"images": [], "classes": []}
    for of, owners, rows in (
        ("images", names[arrays["labels"]], arrays["features"]),
        ("classes", names, arrays["class_embeddings"]),
    ):
        lines = [
            f"{name},{','.join(map(repr, map(float, row)))}"
            for name, row in zip(owners, rows, strict=True)
        ]
        (tmp_path / f"{of}.csv").write_text("\n".join(lines) + "\n")
    options = {"vectors": tmp_path / "classes.csv", "unseen": ["c", "h"]}
    found = load_problem("attributes", tmp_path / "images.csv", **options)
    assert found.checksum == read_features(written(arrays)).checksum
    assert found.name == "images"


def test_validation_classes_may_be_named(arrays, written):
    problem = read_features(written(arrays | {"val_classes": np.array(["a"])}))
    assert problem.val_classes.tolist() == [0]
    assert problem.train_classes.tolist() == [1, 3, 4, 5, 6]


def test_class_vectors_from_csv(arrays, written, tmp_path):
    path = tmp_path / "vectors.csv"
    lines = [
        f"{name},{','.join(map(repr, map(float, row)))}"
        for name, row in zip(arrays["class_names"], arrays["class_embeddings"], strict=True)
    ]
    path.write_text("class,x,y,z\n" + "\n".join([*lines, "", "unused,1,2,3"]) + "\n")
    names, vectors = read_class_vectors(path)
    assert names.tolist() == [*"abcdefgh", "unused"]
    np.testing.assert_allclose(vectors[:8], arrays["class_embeddings"], rtol=1e-6)
    short = {k: arrays[k] for k in ("features", "labels")}
    found = read_features(written(short, "mine.npz"), vectors=path, unseen=["c", "h"])
    assert found.checksum == read_features(written(arrays)).checksum
    assert (
        read_features(written(short), vectors=path, unseen=["2", "7"]).checksum == found.checksum
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no vector"),
        ("class,x\n", "has no vector"),
        ("a,1,2\nb,1\n", "line 2 has 1 numbers and the first one 2"),
        ("a,1,2\nb,1,x\n", "line 2: 'x' is not a number"),
        ("a\nb\n", "line 1 has no comma"),
        ("a;1;2\nb;3;4\n", "with commas between"),
        (",1.5,2\nb,3,4\n", "line 1 has no name"),
        ("a,,\nb,3,4\n", "line 1: '' is not a number"),
        ("a,1x3,2\nb,1,2\n", "line 1: '1x3' is not a number"),
    ],
)
def test_csv_that_is_refused(tmp_path, text, message):
    path = tmp_path / "vectors.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_class_vectors(path)


@pytest.mark.parametrize("heads", [",0,1,2", "class,0,1,2", ",x,y,z", "class,x,y,z"])
def test_heads_are_no_class(tmp_path, heads):
    path = tmp_path / "vectors.csv"
    path.write_text(f"{heads}\na,1,2,3\nb,4,5,6\n")
    names, vectors = read_class_vectors(path)
    assert (names.tolist(), vectors.tolist()) == (["a", "b"], [[1, 2, 3], [4, 5, 6]])


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "vectors.csv"
    path.write_bytes("é,1,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"vectors\.csv is not text in UTF-8"):
        read_class_vectors(path)


def test_whole_numbers_are_names_where_classes_are_named_so(arrays, written, tmp_path):
    del arrays["class_names"]
    problem = from_features(**arrays)
    order = np.array([3, 0, 7, 1, 2, 6, 5, 4])
    frame = pandas.DataFrame(arrays["class_embeddings"][order], index=order + 1)
    shifted = {"labels": arrays["labels"] + 1, "unseen_classes": arrays["unseen_classes"] + 1}
    named = from_features(**(arrays | shifted | {"class_embeddings": frame}))
    row = {name: i for i, name in enumerate(named.class_names)}
    assert set(row) == set("12345678")
    assert set(named.class_names[named.unseen_classes]) == {"3", "8"}
    own = named.class_embeddings[named.labels]
    np.testing.assert_array_equal(own, problem.class_embeddings[problem.labels])
    frame.to_csv(tmp_path / "vectors.csv")
    path = written({"features": arrays["features"], "labels": shifted["labels"].astype(str)})
    read = read_features(path, vectors=tmp_path / "vectors.csv", unseen=["3", "8"])
    assert set(read.class_names[read.unseen_classes]) == {"3", "8"}
    alone = read_features(path, vectors=tmp_path / "vectors.csv", unseen="3")
    assert list(alone.class_names[alone.unseen_classes]) == ["3"]


def test_frames_of_pandas_own_numbers_are_numbers(arrays):
    frame = pandas.DataFrame(arrays["features"]).astype("Float64")
    changed = from_features(**(arrays | {"features": frame}))
    assert changed.checksum == from_features(**arrays).checksum
    frame.iloc[2, 1] = pandas.NA
    with pytest.raises(ValueError, match=r"features holds NaN .*, the first at row 2"):
        from_features(**(arrays | {"features": frame}))


def test_class_vectors_by_name(arrays):
    names = list("hgfedcba")
    given = {"features": arrays["features"], "labels": np.array(names)[arrays["labels"]]}
    plain = from_features(
        **given, class_embeddings=arrays["class_embeddings"], class_names=names,
        unseen_classes=["c", "d"],
    )  # fmt: skip
    vectors = dict(zip(names, arrays["class_embeddings"], strict=True))
    named = from_features(**given, class_embeddings=vectors, unseen_classes={"d", "c"})
    assert named.checksum == plain.checksum
    turned = dict(reversed(vectors.items()))
    again = from_features(
        **given, class_embeddings=turned, class_names=names, unseen_classes=["c", "d"]
    )
    assert again.checksum == plain.checksum
    with pytest.raises(ValueError, match="class_names has 'x', which class_embeddings lacks"):
        from_features(**given, class_embeddings=vectors, class_names=["x"], unseen_classes=["c"])
    with pytest.raises(ValueError, match="class_embeddings has rows of several lengths"):
        from_features(**given, class_embeddings=vectors | {"a": [1.0]}, unseen_classes=["c"])


def test_names_in_two_orders_are_refused(arrays):
    rows, names = np.arange(8), list("abcdefgh")
    frame = pandas.DataFrame(arrays["class_embeddings"], index=names)
    given = {"features": arrays["features"], "labels": arrays["labels"]}
    unseen = pandas.Series(rows > 5, index=names)
    plain = from_features(**given, class_embeddings=frame, unseen_classes=unseen)
    assert plain.unseen_classes.tolist() == [6, 7]
    with pytest.raises(ValueError, match=r"row 0 of unseen_classes is 'h', where .* has 'a'"):
        from_features(**given, class_embeddings=frame, unseen_classes=unseen[::-1])
    with pytest.raises(ValueError, match=r"row 0 of class_embeddings is 'a', where .* 'h'"):
        from_features(
            **given, class_embeddings=frame, class_names=names[::-1], unseen_classes=["h"]
        )
    # pandas' own index says nothing of the classes.
    numbered = from_features(
        **{**given, "labels": np.arange(40) % 8},
        class_embeddings=frame.reset_index(drop=True),
        class_names=rows[::-1],
        unseen_classes=pandas.Series(rows > 5),
    )
    assert numbered.class_names.tolist() == list("76543210")
    assert numbered.unseen_classes.tolist() == [6, 7]
    with pytest.raises(ValueError, match="row 0 of unseen_classes is '7', where class_names has"):
        from_features(
            **{**given, "labels": np.arange(40) % 8},
            class_embeddings=frame.reset_index(drop=True),
            unseen_classes=pandas.Series(rows > 5)[::-1],
        )
    ids = [f"image {i}" for i in range(40)]
    images = pandas.DataFrame(arrays["features"], index=ids)
    labels = pandas.Series(arrays["labels"], index=ids)
    same = from_features(images, labels, frame, unseen_classes=unseen)
    assert same.checksum == plain.checksum
    with pytest.raises(ValueError, match=r"row 0 of labels is 'image 39', where features has"):
        from_features(images, labels[::-1], frame, unseen_classes=unseen)
    with pytest.raises(ValueError, match=r"row 0 of labels is 'image 39', where features has"):
        replace(plain, features=images, class_embeddings=frame, labels=labels[::-1])
    with pytest.raises(ValueError, match=r"row 0 of class_embeddings is 'h', where class_names"):
        replace(plain, class_embeddings=frame[::-1])


@pytest.mark.parametrize("what", ["labels", "unseen_classes", "class_names", "class_embeddings"])
def test_masked_entries_are_refused(arrays, what):
    mask = np.arange(arrays[what].size).reshape(arrays[what].shape) == 1
    masked = np.ma.array(arrays[what], mask=mask)
    with pytest.raises(ValueError, match=f"{what} has masked entries"):
        from_features(**arrays | {what: masked})
    if what == "class_embeddings":
        masked = dict(zip(arrays.pop("class_names"), masked, strict=True))
        with pytest.raises(ValueError, match=f"{what} has masked entries"):
            from_features(**arrays | {what: masked})


def test_truths_are_no_labels(arrays):
    with pytest.raises(TypeError, match="labels must be whole numbers or names, got bool"):
        from_features(
            arrays["features"][:8],
            np.arange(8) > 3,
            arrays["class_embeddings"],
            unseen_classes=[1],
        )


def test_a_split_by_image_is_read_as_it_is(tmp_path):
    problem = synthetic_attributes("APY", scale=0.05, n_features=8)
    path = save_zero_shot(problem, tmp_path / "whole.npz")
    assert read_features(path).checksum == load_zero_shot(path).checksum == problem.checksum
    few = read_features(path, max_per_class=3)
    assert np.bincount(few.labels[few.trainval]).max() == 3
    with pytest.raises(ValueError, match="has a split of its own: leave out vectors= and unseen="):
        read_features(path, unseen=["a"])


def test_errors_speak_of_what_was_given(tmp_path, arrays):
    images, classes = tmp_path / "images.csv", tmp_path / "classes.csv"
    names = np.array(list("abcdefgh"))
    for path, owners, rows in (
        (images, names[arrays["labels"]], arrays["features"]),
        (classes, names, arrays["class_embeddings"]),
    ):
        pandas.DataFrame(rows, index=owners).to_csv(path, header=False)
    for given, message in (
        ({}, r"lacks class_embeddings and unseen_classes: .* by vectors=, .* named by unseen="),
        ({"vectors": classes}, r"lacks unseen_classes: .* named by unseen="),
        ({"vectors": classes, "unseen": []}, r"no unseen class: name those .* in unseen="),
        ({"vectors": classes, "unseen": "x"}, r"unseen= has 'x', which .*classes\.csv lacks"),
        ({"vectors": images, "unseen": "a"}, r"images\.csv has 'a' twice: name each class once"),
    ):
        with pytest.raises(ValueError, match=message):
            read_features(images, **given)
    with pytest.raises(FileNotFoundError, match=r"none\.mat is neither a file nor a folder"):
        read_features(tmp_path / "none.mat", unseen="a")
    (tmp_path / "mine.mat").touch()
    with pytest.raises(ValueError, match=r"has not the name .* res101\.mat and att_splits\.mat"):
        read_features(tmp_path / "mine.mat", unseen="a")


def test_mat_files(tmp_path, arrays):
    n = {
        "trainval": np.arange(1, 25), "train": np.arange(1, 13), "val": np.arange(13, 25),
        "test_seen": np.arange(25, 31), "test_unseen": np.arange(31, 41),
    }  # fmt: skip
    labels = np.repeat([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7], [4] * 6 + [1] * 6 + [5] * 2)
    savemat(
        tmp_path / "res101.mat",
        {"features": arrays["features"].T, "labels": labels[:, None] + 1.0},
    )
    loc = {f"{part}_loc": rows[:, None].astype(float) for part, rows in n.items()}
    savemat(tmp_path / "att_splits.mat", {"att": arrays["class_embeddings"].T, **loc})
    expected = load_xlsa17(tmp_path).checksum
    for path in (tmp_path, tmp_path / "res101.mat", tmp_path / "att_splits.mat"):
        assert read_features(path).checksum == expected
    with pytest.raises(ValueError, match="has a split of its own"):
        read_features(tmp_path, unseen=["1"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.arange(39) % 8}, "labels has 39 entries for 40 rows of features"),
        ({"unseen_classes": np.array([], dtype=int)}, "there is no unseen class: name those to"),
        ({"labels": np.arange(40) % 9}, r"labels .each the row .* in \[0, 8\), found 0 to 8"),
        ({"labels": -(np.arange(40) % 8)}, r"labels .* in \[0, 8\), found -7 to 0"),
        ({"unseen_classes": np.arange(8) // 6}, "looks like a mask of zeros and ones.* truths"),
        ({"unseen_classes": np.arange(7) > 5}, r"a mask of shape \(7,\) for 8 classes: give one"),
        ({"unseen_classes": np.array(["z"])}, r"unseen_classes has 'z', which class_names lacks"),
        ({"labels": np.arange(40) % 7}, "no image shows h: give some, .* out of unseen_classes"),
        ({"features": np.ones((0, 6)), "labels": []}, r"features is empty, shape \(0, 6\)"),
        ({"features": np.full((40, 6), np.nan)}, "features holds NaN or infinity in 40 row"),
        ({"class_embeddings": np.full((8, 3), np.inf)}, "class_embeddings holds NaN or infinity"),
        ({"class_names": np.array(list("aacdefgh"))}, "has 'a' twice"),
        ({"class_names": np.array(list("abc"))}, "class_names has 3 entries for 8 class vectors"),
        ({"features": np.ones(40)}, "features must be a matrix of numbers"),
        ({"val_classes": np.array([2])}, "val_classes and unseen_classes share c"),
        ({"lables": np.arange(40)}, "has 'lables', which is not of the format"),
        ({"labels": np.full(40, "a", dtype=object)}, "labels is a pickled array.*dtype=str"),
    ],
)
def test_data_that_are_refused(arrays, written, change, message):
    path = written(arrays | change)
    with pytest.raises(ValueError, match=message) as caught:
        read_features(path)
    assert str(path) in str(caught.value)


def test_files_that_are_refused(arrays, written, tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a file nor a folder"):
        read_features(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("text")
    with pytest.raises(ValueError, match=r"is not an \.npz file"):
        read_features(tmp_path / "text.npz")
    with pytest.raises(ValueError, match="lacks labels and class_embeddings and unseen_classes"):
        read_features(written({"features": arrays["features"]}))
    with pytest.raises(TypeError, match="labels must be whole numbers or names, got float64"):
        read_features(written(arrays | {"labels": arrays["labels"] / 2}))


def test_numbers_that_are_rows_or_names_are_refused(arrays):
    order = np.array([3, 0, 7, 1, 2, 6, 5, 4])
    given = arrays | {"class_names": order.astype(str)}
    for what, named in (("labels", "unseen_classes"), ("unseen_classes", "labels")):
        change = {named: arrays[named].astype(str)}
        with pytest.raises(ValueError, match=rf"{what} are whole numbers.*{what}\.astype\(str\)"):
            from_features(**given | change)
    in_order = from_features(**arrays | {"class_names": np.arange(8).astype(str)})
    assert in_order.class_names[in_order.unseen_classes].tolist() == ["2", "7"]
