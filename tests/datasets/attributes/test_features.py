"""Your own features: the forms that are read, and what is refused."""

import bz2
import gzip
import re
from dataclasses import replace

import numpy as np
import pandas
import pytest
from scipy import sparse

from zslib.compatibility import ESZSL
from zslib.datasets import from_features, load_problem, read_features, synthetic_attributes
from zslib.datasets.attributes.own import load_zero_shot, save_zero_shot
from zslib.datasets.attributes.table import read_table
from zslib.protocols import evaluate_zero_shot

NAMES = list("abcdefgh")
LABELS = np.arange(40) % 8
ORDER = np.array(list("30712654"))


def masked(values):
    values = np.asarray(values)
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) == 1)


BY_NAME = dict(zip(NAMES, np.eye(8, 3), strict=True))
UNNAMED = {"class_embeddings": BY_NAME, "class_names": None}
MANY = {f"class {i}": [i, 1.0] for i in range(200)}
WITHOUT_H = np.arange(40) % 7
FRAME = pandas.DataFrame(np.eye(8, 3), index=NAMES)
UNSEEN = pandas.Series(np.arange(8) > 5, index=NAMES)
IMAGES = pandas.DataFrame(np.eye(40, 6), index=[f"image {i}" for i in range(40)])
NAMED_LABELS = [NAMES[label] for label in LABELS]
MISSING = pandas.DataFrame(np.eye(40, 6), dtype="Float64").replace(1, pandas.NA)
PADDED = [f"{i:03}" for i in range(1, 9)]
TURNED = {name: row if name == "a" else row[::-1] for name, row in FRAME.iterrows()}
NUMBERED = UNNAMED | {"class_embeddings": FRAME.reset_index(drop=True)}


@pytest.fixture
def arrays():
    """Five images of each of eight classes; the third and the last are unseen."""
    rng = np.random.default_rng(0)
    return {
        "features": rng.normal(size=(40, 6)),
        "labels": LABELS,
        "class_embeddings": rng.normal(size=(8, 3)),
        "class_names": np.array(NAMES),
        "unseen_classes": np.array([2, 7]),
    }


@pytest.fixture
def written(tmp_path):
    def write(arrays, name="mine.npz"):
        np.savez(tmp_path / name, **arrays)
        return tmp_path / name

    return write


@pytest.fixture
def csv_files(arrays, tmp_path):
    """The images and the class vectors, each a name and its numbers on a line."""
    images, classes = tmp_path / "images.csv", tmp_path / "classes.csv"
    pandas.DataFrame(arrays["features"], index=NAMED_LABELS).to_csv(images, header=False)
    pandas.DataFrame(arrays["class_embeddings"], index=NAMES).to_csv(classes, header=False)
    return images, classes


def test_numbers_and_names_say_the_same(arrays, written):
    problem = read_features(written(arrays))
    by_name = arrays | {"labels": NAMED_LABELS, "unseen_classes": ["c", "h"]}
    assert read_features(written(by_name)).checksum == problem.checksum
    assert problem.class_names[problem.unseen_classes].tolist() == ["c", "h"]
    assert (problem.name, problem.features.dtype) == ("mine", np.float32)
    # All ten images of unseen classes test, and one of each five of the others.
    assert (problem.test_unseen.size, problem.test_seen.size, problem.trainval.size) == (10, 6, 24)
    assert not problem.val.size
    tuned = read_features(written(arrays | {"val_classes": ["a"]}))
    assert tuned.val_classes.tolist() == [0]
    assert tuned.train_classes.tolist() == [1, 3, 4, 5, 6]


def test_arrays_lists_and_frames_say_what_a_file_says(arrays, written):
    expected = read_features(written(arrays)).checksum
    features = pandas.DataFrame(arrays["features"])
    for given in (
        arrays,
        {name: array.tolist() for name, array in arrays.items()},
        arrays | {"unseen_classes": np.isin(NAMES, ["c", "h"])},
        arrays | {"features": features.astype("Float64")},  # pandas' own numbers
        {
            "features": features,
            "labels": pandas.Series(NAMED_LABELS),
            "class_embeddings": pandas.DataFrame(arrays["class_embeddings"], index=NAMES),
            "unseen_classes": ["c", "h"],
        },
    ):
        assert from_features(**given).checksum == expected
    unnamed = from_features(*list(arrays.values())[:3], unseen_classes=[2])
    assert unnamed.class_names[0] == "class 0"


def test_a_problem_by_its_path(arrays, written, monkeypatch):
    path = written(arrays)
    expected = read_features(path).checksum
    assert load_problem("attributes", str(path)).checksum == expected
    assert len(load_problem("attributes", path, quick=True).features) <= 40
    monkeypatch.chdir(path.parent)
    assert load_problem("metric learning", path.name).checksum == expected
    assert load_problem("attributes", path, unseen=["a", "b"]).unseen_classes.tolist() == [0, 1]


def test_images_and_class_vectors_from_csv(arrays, csv_files, written):
    images, classes = csv_files
    expected = read_features(written(arrays)).checksum
    found = load_problem("attributes", images, vectors=classes, unseen=["c", "h"])
    assert (found.checksum, found.name) == (expected, "images")
    classes.write_text("class,x,y,z\n" + classes.read_text() + "\nunused,1,2,3\n")
    names, vectors, *_ = read_table(classes)
    assert names.tolist() == [*NAMES, "unused"]
    np.testing.assert_allclose(vectors[:8], arrays["class_embeddings"], rtol=1e-6)
    path = written({name: arrays[name] for name in ("features", "labels")})
    for unseen in (["c", "h"], ["2", "7"]):
        assert read_features(path, vectors=classes, unseen=unseen).checksum == expected


@pytest.mark.parametrize("name", ["OWN.CSV", "own.csv.gz", "own.tsv", "a.b.Csv.BZ2", "own.npz"])
def test_what_a_file_is_its_bytes_say(arrays, csv_files, tmp_path, name):
    images, classes = csv_files
    pack = {"gz": gzip.compress, "BZ2": bz2.compress}.get(name.rsplit(".")[-1], bytes)
    (tmp_path / name).write_bytes(pack(images.read_bytes()))
    read = load_problem("attributes", tmp_path / name, vectors=classes, unseen=["c", "h"])
    assert read.checksum == read_features(images, vectors=classes, unseen=["c", "h"]).checksum
    np.savez(tmp_path / "whole.npz", **arrays)
    (tmp_path / "whole.npz").rename(tmp_path / "whole.csv")
    assert load_problem("attributes", tmp_path / "whole.csv").checksum == read.checksum
    save_zero_shot(read, tmp_path / "folder.v2")
    assert load_problem("attributes", tmp_path / "folder.v2").checksum == read.checksum


def test_heads_that_were_passed_over_are_told(arrays, csv_files, tmp_path):
    _, classes = csv_files
    text, rows = classes.read_text(), arrays["labels"]
    np.savez(tmp_path / "own.npz", features=arrays["features"], labels=rows)
    classes.write_text("class,1,2,3\n" + text)
    problem = read_features(tmp_path / "own.npz", vectors=classes, unseen=["c"])
    assert problem.class_names.tolist() == NAMES
    assert problem.coverage == {"heads of classes.csv": "class,1,2,3"}
    assert problem.columns == {}
    classes.write_text("class,x,y,z\n" + text)
    problem = read_features(tmp_path / "own.npz", vectors=classes, unseen=["c"])
    assert problem.columns == {"class_embeddings": list("xyz")}
    first = text.partition("\n")[2]
    classes.write_text("a,0,1,2\n" + first)
    problem = read_features(tmp_path / "own.npz", vectors=classes, unseen=["c"])
    assert (problem.class_names.tolist(), problem.coverage) == (NAMES, {})
    np.testing.assert_array_equal(problem.class_embeddings[0], [0, 1, 2])


def test_numbers_of_classes_follow_one_order(arrays, csv_files, written, refused):
    _, classes = csv_files
    unnamed = {what: given for what, given in arrays.items() if what != "class_names"}
    expected = read_features(written(unnamed)).checksum
    assert read_features(written(unnamed), vectors=classes).checksum != expected  # it has names
    classes.write_text("\n".join(classes.read_text().splitlines()[::-1]))
    refused("the same vectors in another order", read_features, written(unnamed), vectors=classes)


def test_numbers_of_classes_count_names_and_lines_alike(arrays, csv_files, written, refused):
    _, classes = csv_files
    expected = read_features(written(arrays)).checksum
    named = arrays | {"labels": NAMED_LABELS, "unseen_classes": ["c", "h"]}
    lines = classes.read_text().splitlines()
    classes.write_text("\n".join([*lines, "unused,1,2,3"]))
    assert read_features(written(arrays), vectors=classes).checksum == expected
    classes.write_text("\n".join(lines[::-1]))
    same = read_features(written(named), vectors=classes)
    assert sorted(same.class_names[same.unseen_classes]) == ["c", "h"]
    for change in ({}, {"labels": NAMED_LABELS}, {"unseen_classes": ["c"]}):
        message = r"numbers classes by its own class_names, .* save class_names\[labels\]"
        refused(message, read_features, written(arrays | change), vectors=classes)


def test_numbers_of_rows_before_the_classes(arrays, tmp_path, refused):
    images, classes = tmp_path / "images.csv", tmp_path / "classes.csv"
    pandas.DataFrame(arrays["features"], index=LABELS + 1).to_csv(images, index_label="Nr")
    vectors = arrays["class_embeddings"]
    frame = pandas.DataFrame(vectors, index=ORDER.astype(int) + 1, columns=list("xyz"))
    given = {"vectors": classes, "unseen": ["3", "8"]}
    frame.to_csv(classes, index_label="species")
    assert read_features(images, **given).class_names[0] == str(frame.index[0])
    frame.reset_index(names="Nr").set_axis(range(1, 9)).to_csv(classes, index_label="row")
    refused("numbers in its first column and 'Nr', as .*images", read_features, images, **given)


@pytest.mark.parametrize("unseen", [["²"], ["٣"], ["007"], ["+2"], ["1_0"]])
def test_only_plain_numbers_are_rows(csv_files, unseen):
    images, classes = csv_files
    with pytest.raises(ValueError, match=r"unseen= has .*, which .*classes\.csv lacks"):
        read_features(images, vectors=classes, unseen=unseen)


@pytest.mark.parametrize(("unseen", "lacking"), [("4,5", "4"), ("0004", "0004"), ("5", "5")])
def test_numbers_without_the_zeros_of_names_are_no_rows(
    arrays, csv_files, refused, unseen, lacking
):
    images, classes = csv_files
    pandas.DataFrame(arrays["class_embeddings"], index=PADDED).to_csv(classes, header=False)
    labels = np.array(PADDED)[LABELS]
    pandas.DataFrame(arrays["features"], index=labels).to_csv(images, header=False)
    given = unseen.split(",")
    message = rf"has '{lacking}', which .* lacks: did you mean '00{lacking[-1]}'\?"
    refused("unseen= " + message, read_features, images, vectors=classes, unseen=given)
    named = arrays | {"labels": labels, "class_names": PADDED}
    refused(message, from_features, **named | {"unseen_classes": given})


def test_rows_that_are_the_numbers_of_names_with_zeros(arrays):
    padded = [f"{i:03}" for i in range(8)]
    problem = from_features(**arrays | {"class_names": padded})
    assert problem.class_names[problem.unseen_classes].tolist() == ["002", "007"]


PANDAS = ("category", "string", "str")


@pytest.mark.parametrize("kind", [np.dtypes.StringDType(), "S", object, *PANDAS])
def test_text_of_every_type(arrays, kind):
    make = pandas.Series if kind in PANDAS else np.array
    names, labels = make(NAMES, dtype=kind), make(NAMED_LABELS, dtype=kind)
    problem = from_features(**arrays)
    given = from_features(**arrays | {"class_names": names, "labels": labels})
    again = replace(problem, class_names=np.asarray(names), labels=np.asarray(labels))
    assert given.checksum == again.checksum == problem.checksum


def test_candidates_without_images(arrays):
    shown = ~np.isin(arrays["labels"], [3, 7])
    few = arrays | {name: arrays[name][shown] for name in ("features", "labels")}
    named = from_features(**few | {"unseen_classes": ["c", "d"]})
    assert named.class_names.tolist() == list("abcdefg")
    kinds = "candidate classes without images", "classes without images left out"
    assert named.coverage == dict.fromkeys(kinds, 1)
    assert named.unseen_classes.tolist() == [2, 3]
    assert named.candidates.tolist() == [3]
    assert set(named.labels[named.test_unseen]) == {2}
    # The candidate competes: it draws answers where it has the better vector.
    seen = named.trainval
    model = ESZSL().fit(named.features[seen], named.labels[seen], named.class_embeddings)
    outcome = evaluate_zero_shot(ESZSL(), named)
    answers = model.predict(named.features[named.test_unseen], named.class_embeddings[2:4])
    assert set(answers.tolist()) == {0, 1}
    assert outcome.zero_shot.unseen.shape[1] == 2
    assert outcome.accuracy == pytest.approx(100 * np.mean(answers == 0))
    alone = from_features(**few | {"unseen_classes": ["c"]})
    assert alone.candidates.size == 0
    assert evaluate_zero_shot(ESZSL(), alone).accuracy == 100
    tuned = from_features(**few | {"unseen_classes": ["c", "d"], "val_classes": ["a"]})
    assert tuned.validation_problem().class_names.tolist() == list("abefg")


def test_candidates_are_kept_in_files(arrays, tmp_path, refused):
    shown = arrays["labels"] != 7
    few = arrays | {name: arrays[name][shown] for name in ("features", "labels")}
    problem = from_features(**few)
    path = save_zero_shot(problem, tmp_path / "own.npz")
    assert load_zero_shot(path).candidates.tolist() == [7]
    assert load_zero_shot(path).checksum == problem.checksum
    for rows, message in (([], "name them as candidates"), ([6, 7], "have images .'g'.")):
        refused(message, replace, problem, candidates=rows)


def test_whole_numbers_are_names_where_classes_are_named_so(arrays, written, tmp_path):
    del arrays["class_names"]
    problem = from_features(**arrays)
    order = ORDER.astype(int)
    frame = pandas.DataFrame(arrays["class_embeddings"][order], index=order + 1)
    shifted = {"labels": arrays["labels"] + 1, "unseen_classes": arrays["unseen_classes"] + 1}
    named = from_features(**(arrays | shifted | {"class_embeddings": frame}))
    assert set(named.class_names) == set("12345678")
    assert set(named.class_names[named.unseen_classes]) == {"3", "8"}
    vectors = [p.class_embeddings[p.labels] for p in (named, problem)]
    np.testing.assert_array_equal(*vectors)
    frame.to_csv(tmp_path / "vectors.csv")
    path = written({"features": arrays["features"], "labels": shifted["labels"].astype(str)})
    for unseen in (["3", "8"], "3"):
        read = read_features(path, vectors=tmp_path / "vectors.csv", unseen=unseen)
        assert set(read.class_names[read.unseen_classes]) == set(unseen)
    with pytest.raises(ValueError, match=r"unseen= has '0', which .* lacks"):  # no row
        read_features(path, vectors=tmp_path / "vectors.csv", unseen=["0"])
    by_hundreds = {"class_names": (np.arange(8) * 100).astype(str), "unseen_classes": [200, 700]}
    hundreds = from_features(**arrays | by_hundreds | {"labels": LABELS * 100})
    np.testing.assert_array_equal(hundreds.labels, problem.labels)
    assert hundreds.class_names[hundreds.unseen_classes].tolist() == ["200", "700"]
    in_order = from_features(**arrays | {"class_names": np.arange(8).astype(str)})
    assert in_order.class_names[in_order.unseen_classes].tolist() == ["2", "7"]


def test_class_vectors_by_name(arrays):
    names = NAMES[::-1]
    given = arrays | {"labels": np.array(names)[LABELS], "unseen_classes": {"d", "c"}}
    vectors = dict(zip(names, arrays["class_embeddings"], strict=True))
    plain = from_features(**given | {"class_names": names}).checksum
    unnamed = {"class_embeddings": vectors, "class_names": None}
    assert from_features(**given | unnamed).checksum == plain
    turned = {"class_embeddings": dict(reversed(vectors.items())), "class_names": names}
    assert from_features(**given | turned).checksum == plain
    series = {name: pandas.Series(row, index=list("xyz")) for name, row in vectors.items()}
    assert from_features(**given | unnamed | {"class_embeddings": series}).checksum == plain


def test_indices_of_frames(arrays):
    given = {"features": arrays["features"], "labels": LABELS}
    plain = from_features(**given, class_embeddings=FRAME, unseen_classes=UNSEEN)
    assert plain.unseen_classes.tolist() == [6, 7]
    images = pandas.DataFrame(arrays["features"], index=IMAGES.index)
    labels = pandas.Series(LABELS, index=IMAGES.index)
    same = from_features(images, labels, FRAME, unseen_classes=UNSEEN)
    assert same.checksum == plain.checksum
    # pandas' own index says nothing of the classes.
    given |= {"class_embeddings": FRAME.reset_index(drop=True), "class_names": range(7, -1, -1)}
    numbered = from_features(**given, unseen_classes=UNSEEN.reset_index(drop=True))
    assert numbered.class_names.tolist() == list("76543210")
    assert numbered.unseen_classes.tolist() == [6, 7]


REFUSALS = [
    ({"class_embeddings": dict.fromkeys(NAMES, (1.0,)), "class_names": ["x"]}, "has 'x', wh"),
    ({"class_embeddings": BY_NAME | {"a": [1.0]}}, "class_embeddings is no array.*one length"),
    ({"class_embeddings": BY_NAME | {"a": masked([1.0, 2.0, 3.0])}}, "embeddings has masked"),
    ({"class_embeddings": masked(np.eye(8, 3))}, "class_embeddings has masked entries"),
    ({"labels": masked(LABELS)}, "labels has masked entries"),
    ({"unseen_classes": masked([2, 7])}, "unseen_classes has masked entries"),
    ({"class_names": masked(NAMES)}, "class_names has masked entries"),
    ({"features": MISSING}, "features holds NaN or infinity in 6 row"),
    ({"class_embeddings": FRAME, "unseen_classes": UNSEEN[::-1]}, "'h', where .* has 'a'"),
    ({"class_embeddings": FRAME.rename(str.upper)}, "index of class_embeddings has 'A', which"),
    ({"class_embeddings": FRAME.rename({"c": "x"})}, "index of class_embeddings has 'x', which"),
    ({"unseen_classes": UNSEEN.rename(str.upper)[::-1]}, "index of unseen_classes has 'A', whi"),
    (UNNAMED | {"class_embeddings": TURNED}, r"embeddings\['b'\] names .*DataFrame.*\.T"),
    ({"class_embeddings": FRAME[::-1]}, "row 0 of class_embeddings is 'h', where .* 'a'"),
    (NUMBERED | {"unseen_classes": UNSEEN.reset_index(drop=True)[::-1]}, "'7', where class_names"),
    ({"features": IMAGES, "labels": IMAGES[0][::-1]}, "row 0 of labels is 'image 39', where"),
    ({"class_names": ORDER, "unseen_classes": ["2"]}, r"labels are .*labels\.astype\(str\)"),
    ({"class_names": PADDED, "unseen_classes": [4, 5]}, "as text with zeros before, .*'004', if"),
    *[
        ({"features": IMAGES.assign(**{head: range(40)})}, f"features has the column '{head}'")
        for head in ("label", "Class", "index", "id", "Unnamed: 1")
    ],
    (
        {"class_embeddings": FRAME.assign(class_id=1)},
        "embeddings has the column 'class_id' above whole numbers: lea",
    ),
    ({"class_names": ORDER, "labels": LABELS.astype(str)}, r"unseen_classes\.astype\(str\)"),
    *[
        ({"class_names": [*NAMES[:4], missing, *NAMES[5:]]}, "names has no label at .* 4")
        for missing in (None, np.nan, "", pandas.NA)
    ],
    ({"labels": [None, *NAMED_LABELS[1:]]}, "labels has no label at 1 .* first in row 0"),
    ({"labels": pandas.Series(LABELS, dtype="Int64").replace(5, pandas.NA)}, "first in row 5"),
    ({"unseen_classes": ["c", ""]}, "unseen_classes has no label at 1 .* first in row 1"),
    ({"class_embeddings": FRAME.rename({"b": np.nan}), "class_names": None}, "no label"),
    ({"class_embeddings": BY_NAME | {None: [1.0] * 3}, "class_names": None}, "no label"),
    ({"labels": NAMED_LABELS, "class_names": None}, "names, and the class vectors have none"),
    (UNNAMED | {"labels": ["x"] * 40}, "labels has 'x', which class_embeddings lacks"),
    ({"labels": LABELS % 7 + 1}, r"labels go from 1 to 7 and are never 0.*labels - 1"),
    ({"labels": LABELS % 3 * 3 + 1}, "labels go from 1 to 7 .*their names if they are rows"),
    ({"labels": LABELS[:, None]}, r"shape \(40, 1\): give one for each row by labels\.ravel"),
    ({"features": pandas.Series(list(np.eye(40, 6)))}, r"numpy\.stack\(features\)"),
    (UNNAMED | {"labels": LABELS.astype("i1"), "class_embeddings": MANY}, "int8, .* 200 classes"),
    ({"class_names": ["Ému", "E\u0301mu", *NAMES[2:]]}, "class_names has 'Ému' twice"),
    ({"labels": np.array(["a", "É"] * 20), "class_names": ["e\u0301", *NAMES[:7]]}, "differs"),
    ({"features": np.where(np.eye(40, 6) > 0, 1e300, 1.0)}, r"features has 1e\+300 at row 0"),
    ({"class_embeddings": np.eye(8, 3) * 1e-60}, "embeddings has 1e-60 at row 0, beyond"),
    ({"features": np.full((40, 6), "1_0", object)}, "features must hold numbers"),
    ({"features": np.ones((40, 6), complex)}, "Complex data not supported: features"),
    ({"features": sparse.csr_array(np.ones((40, 6)))}, "features is sparse"),
    ({"labels": np.arange(40) > 3}, "labels must hold integers, or names alone, got bool"),
    ({"class_names": np.arange(8.0)}, "class_names must hold integers, or names alone"),
    ({"labels": [0, *list("abcdefg") * 6][:40]}, r"names alone, got object \('a' at 1\)"),
    (UNNAMED | {"class_embeddings": FRAME.set_axis(np.arange(8) / 2)}, "index of .* names alone"),
    ({"labels": np.arange(40) / 2}, "labels must hold integers, or names alone, got float64"),
]


@pytest.mark.parametrize("change, message", REFUSALS)
def test_arrays_and_frames_that_are_refused(arrays, change, message, refused):
    kind = TypeError if re.search("names alone|is sparse", message) else ValueError
    refused(message, from_features, **arrays | change, error=kind)


def test_a_split_by_image_is_read_as_it_is(tmp_path):
    problem = synthetic_attributes("APY", scale=0.05, n_features=8)
    path = save_zero_shot(problem, tmp_path / "whole.npz")
    assert read_features(path).checksum == load_zero_shot(path).checksum == problem.checksum
    few = read_features(path, max_per_class=3)
    assert np.bincount(few.labels[few.trainval]).max() == 3
    with pytest.raises(ValueError, match="has a split of its own: leave out vectors= and unseen="):
        read_features(path, unseen=["a"])


def test_errors_speak_of_what_was_given(csv_files, refused):
    images, classes = csv_files
    for given, message in (
        ({}, r"lacks class_embeddings and unseen_classes: .* by vectors=, .* named by unseen="),
        ({"vectors": classes}, r"lacks unseen_classes: .* named by unseen="),
        ({"vectors": classes, "unseen": []}, r"no unseen class: name those .* in unseen="),
        ({"vectors": classes, "unseen": "x"}, r"unseen= has 'x', which .*classes\.csv lacks"),
        ({"vectors": images, "unseen": "a"}, r"images\.csv has 'a' twice: name each class once"),
    ):
        refused(message, read_features, images, **given)
    for given, message in (
        ({"vectors": 3}, "vectors= must be a path, got int"),
        ({"vectors": ""}, "vectors= must be a path, got ''"),
        ({"vectors": classes, "unseen": 2.5}, "unseen= must be a sequence .* got float"),
        ({"vectors": classes, "unseen": b"a"}, "unseen= must be a sequence .* got bytes"),
        ({"vectors": classes, "unseen": np.arange(8) > 5}, "unseen= has truths: name the"),
    ):
        refused(message, read_features, images, **given, error=TypeError)
    named = classes.rename(classes.with_name("my_unseen_classes.csv"))
    odd = images.with_name("odd.csv")
    odd.write_text(images.read_text() + images.read_text().splitlines()[-1].replace("h", "z", 1))
    message = r"labels has 'z', which .*my_unseen_classes\.csv lacks"
    refused(message, read_features, odd, vectors=named, unseen=["a"])


REFUSED_FILES = [
    ({"labels": np.arange(39) % 8}, "labels has 39 entries for 40 rows of features"),
    ({"unseen_classes": np.array([], dtype=int)}, "there is no unseen class: name those to"),
    ({"labels": np.arange(40) % 9}, r"labels .each the row .* in \[0, 8\), found 0 to 8"),
    ({"labels": LABELS + 1}, "labels go up to 8, and rows of 8 classes count from 0: pass"),
    ({"unseen_classes": np.array([3, 8])}, "unseen_classes go up to 8, and rows of 8 classes"),
    ({"labels": -(np.arange(40) % 8)}, r"labels .* in \[0, 8\), found -7 to 0"),
    ({"unseen_classes": np.arange(8) // 6}, "looks like a mask of zeros and ones.* truths"),
    ({"unseen_classes": np.arange(7) > 5}, r"a mask of shape \(7,\) for 8 classes: give one"),
    ({"unseen_classes": np.array(["z"])}, r"unseen_classes has 'z', which class_names lacks"),
    ({"labels": WITHOUT_H, "unseen_classes": [7]}, "no image shows h: give some, .* out of"),
    ({"labels": WITHOUT_H, "val_classes": [7], "unseen_classes": [2]}, "no image shows h"),
    ({"features": np.ones((0, 6)), "labels": []}, r"features is empty, shape \(0, 6\)"),
    ({"features": np.full((40, 6), np.nan)}, "features holds NaN or infinity in 40 row"),
    ({"class_embeddings": np.full((8, 3), np.inf)}, "class_embeddings holds NaN or infinity"),
    ({"class_names": np.array(list("aacdefgh"))}, "has 'a' twice"),
    ({"class_names": np.array(list("abcdefgh"))[:, None]}, r"class_names has shape \(8, 1\)"),
    ({"val_classes": [0, 1, 3, 4, 5]}, "val_classes leave 1 seen class to train on, .* fewer"),
    ({"class_names": np.array(list("abc"))}, r"class_names has shape \(3,\) for 8 class vectors"),
    ({"features": np.ones(40)}, "features must be a 2-d array"),
    ({"val_classes": np.array([2])}, "val_classes and unseen_classes share c"),
    ({"lables": np.arange(40)}, "has 'lables', which is not of the format"),
    ({"labels": np.full(40, "a", dtype=object)}, "labels is a pickled array.*dtype=str"),
]


@pytest.mark.parametrize("change, message", REFUSED_FILES)
def test_data_that_are_refused(arrays, written, change, message, refused):
    path = written(arrays | change)
    refused(rf"{path}.*{message}", read_features, path)


def test_files_that_are_refused(arrays, written, tmp_path, refused):
    absent, text = tmp_path / "none.mat", tmp_path / "text.npz"
    text.write_text("text")
    for given in ({"path": absent}, {"path": text, "vectors": absent}):
        refused(r"none\.mat is not there: check", read_features, **given, error=FileNotFoundError)
    refused("line 1 has no comma", read_features, text)
    with pytest.raises(ValueError, match="lacks labels and class_embeddings and unseen_classes"):
        read_features(written({"features": arrays["features"]}))
