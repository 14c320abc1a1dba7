import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib.arrays import ragged_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.pairs.problem import ImageTextProblem

# Five classes of six images; ant, bat and cat are seen (cat for validation), dog and eel unseen.
LABELS = np.repeat(np.arange(5), 6)
IMAGES = np.arange(30).reshape(5, 6)
COUNTS = np.array([1, 2, 3] * 10)


def fields(**changes):
    texts = [f"image {row} is{' very' * n} nice" for row in range(30) for n in range(COUNTS[row])]
    given = {
        "name": "toy",
        "synthetic": True,
        "description": "synthetic toy data",
        "features": np.random.default_rng(0).random((30, 4), dtype=np.float32),
        "labels": LABELS,
        "class_names": np.array(["ant", "bat", "cat", "dog", "eel"]),
        "texts": texts,
        "text_offsets": np.concatenate([[0], np.cumsum(COUNTS)]),
        "text_index": np.arange(60),
        "trainval": IMAGES[:3, :5].ravel(),
        "test_seen": IMAGES[:3, 5],
        "test_unseen": IMAGES[3:].ravel(),
        "train": IMAGES[:2, :5].ravel(),
        "val": IMAGES[2, :5],
    }
    return given | changes


def own_texts(problem, image):
    return problem.text_index[problem.text_offsets[image] : problem.text_offsets[image + 1]]


def test_texts_of_images_classes_and_training():
    problem = ImageTextProblem(**fields())
    assert problem.n_texts == 60
    assert problem.text_labels.tolist() == np.repeat(LABELS, COUNTS).tolist()
    assert [len(texts) for texts in problem.image_texts] == list(COUNTS)
    own = [problem.texts[t] for t in own_texts(problem, 4)]
    assert own == ["image 4 is nice", "image 4 is very nice"]
    trained = sorted(t for image in problem.trainval for t in own_texts(problem, image))
    assert problem.training_texts.tolist() == trained
    images = {"train_seen_samples": 15, "test_seen_samples": 3, "unseen_samples": 12}
    sizes = {"seen_classes": 3, "unseen_classes": 2, "features": 4}
    mean = pytest.approx(COUNTS[problem.trainval].mean())
    texts = {"texts": 60, "distinct_texts": 60, "texts_per_image": mean}
    assert problem.summary() == images | sizes | texts


SPLITS = [{"trainval": [0, 0, 6, 12]}, {"labels": LABELS + 1}, {"description": "real data"}]


@pytest.mark.parametrize("change", SPLITS)
def test_split_is_checked_as_in_the_attribute_setting(change, refused):
    attributes = {k: v for k, v in fields(**change).items() if not k.startswith("text")}
    with pytest.raises(ValueError) as wanted:
        ZeroShotProblem(**attributes, class_embeddings=np.eye(5, dtype=np.float32))
    refused(re.escape(str(wanted.value)), ImageTextProblem, **fields(**change))


REFUSALS = [
    ({"texts": None}, "give exactly one of texts"),
    ({"text_vectors": np.ones((60, 2), np.float32)}, "give exactly one of texts"),
    ({"texts": ["a"] * 59 + ["?!"]}, r"text 59 has no word: '\?!'; drop it"),
    ({"text_index": np.arange(1, 61)}, r"text_index must lie in \[0, 60\)"),
    ({"text_offsets": np.arange(30)}, "must be 31 numbers that rise from 0 to 60"),
    ({"text_index": np.arange(59)}, r"text_offsets must lie in \[0, 60\), found 0 to 60"),
    ({"text_index": np.r_[np.arange(59), 0]}, "1 texts belong to images of two classes"),
    ({"text_index": np.r_[0, 0, np.arange(2, 60)]}, "a text belongs to several images"),
    ({"text_index": np.r_[0, 1, 1, np.arange(3, 60)]}, "an image lists a text twice"),
    ({"level": "sentence"}, "level must be one of 'image', 'class'"),
    ({"text_ids": np.arange(59)}, "text_ids must be 60 integers"),
    ({"text_ids": np.ones(60)}, "text_ids must be 60 integers, .* got float64"),
    ({"texts": ["alike"] * 60, "text_ids": np.arange(60)}, "equal texts have two text_ids"),
    ({"texts": ["a", 1] * 30}, "texts must hold strings, text 1 is int"),
    ({"text_index": np.arange(60.0)}, "text_index must hold integers"),
    ({"texts": None, "text_vectors": np.ones((60, 2))}, "mix float32 and float64"),
]


@pytest.mark.parametrize("changes, message", REFUSALS)
def test_inconsistent_texts_are_refused(changes, message, refused):
    refused(message, ImageTextProblem, **fields(**changes), error=(TypeError, ValueError))


def test_missing_texts_are_refused(refused):
    counts = COUNTS.copy()
    counts[[7, 29]] = 0

    def without(counts):
        offsets = np.concatenate([[0], np.cumsum(counts)])
        total = offsets[-1]
        return fields(texts=["a text"] * total, text_offsets=offsets, text_index=np.arange(total))

    with pytest.raises(ValueError, match="1 training images have no text, the first is row 7"):
        ImageTextProblem(**without(counts))
    counts[7] = 1  # image 29 only tests an unseen class that has other texts
    assert ImageTextProblem(**without(counts)).n_texts == counts.sum()
    counts[IMAGES[4]] = 0
    refused(r"1 class\(es\) without a text \('eel'\)", ImageTextProblem, **without(counts))


def test_equal_texts_share_an_id():
    texts = np.array(["same words" if i % 7 == 0 else f"text {i}" for i in range(60)])
    ids = ImageTextProblem(**fields(texts=texts)).text_ids
    np.testing.assert_array_equal(np.equal.outer(ids, ids), np.equal.outer(texts, texts))
    vectors = ImageTextProblem(**fields(texts=None, text_vectors=np.ones((60, 2), np.float32)))
    assert vectors.text_ids.tolist() == list(range(60))


def test_sentences_of_classes():
    given = {
        "texts": [f"sentence {i}" for i in range(10)],
        "text_offsets": 2 * np.arange(31),
        "text_index": (2 * LABELS[:, None] + [0, 1]).ravel(),
    }
    problem = ImageTextProblem(**fields(**given, level="class"))
    owners = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert problem.text_ids.tolist() == problem.text_labels.tolist() == owners
    rows, classes = problem.prototype_rows()
    assert (rows.tolist(), classes.tolist()) == (list(range(10)), owners)
    small = problem.validation_problem()
    assert small.texts == problem.texts[:6]
    assert small.summary()["texts_per_image"] == 2


def prototypes_by_loop(problem, parts):
    pairs = []
    for c in range(5):
        images = [i for part in parts for i in getattr(problem, part) if problem.labels[i] == c]
        pairs += [(t, c) for t in sorted({t for i in images for t in own_texts(problem, i)})]
    return pairs


@pytest.mark.parametrize("parts", [("trainval", "test_unseen"), ("test_seen", "test_unseen")])
def test_prototype_rows(parts, refused):
    problem = ImageTextProblem(**fields())
    pairs = list(zip(*map(np.ndarray.tolist, problem.prototype_rows(parts)), strict=True))
    assert pairs == prototypes_by_loop(problem, parts)
    # No text of an image that tests a seen class is in a prototype.
    tested = [t for image in problem.test_seen for t in own_texts(problem, image)]
    assert not np.isin(tested, problem.prototype_rows()[0]).any()
    with pytest.raises(ValueError, match=r"1 class\(es\) without a text in train .*\('cat'\)"):
        problem.prototype_rows(("train", "test_unseen"))
    refused("parts must be one of", problem.prototype_rows, ("test",))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_ragged_rows_take_each_row(seed):
    rng = np.random.default_rng(seed)
    lists = [rng.integers(100, size=rng.integers(4)) for _ in range(rng.integers(1, 8))]
    offsets = np.cumsum([0, *map(len, lists)])
    rows = rng.integers(len(lists), size=rng.integers(6))
    ends, index = ragged_rows(offsets, np.concatenate(lists), rows)
    assert len(ends) == len(rows) + 1
    for place, row in enumerate(rows):
        assert index[ends[place] : ends[place + 1]].tolist() == lists[row].tolist()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_validation_problems_of_any_split(seed):
    rng = np.random.default_rng(seed)
    n_classes, per_class = int(rng.integers(4, 9)), int(rng.integers(1, 6))
    labels = rng.permutation(np.repeat(np.arange(n_classes), per_class))
    group = rng.permutation([0, 0, 1, 2, *rng.integers(0, 3, n_classes - 4)])[labels]
    counts = rng.integers(1, 4, size=len(labels))
    order = rng.permutation(counts.sum())
    owner = np.repeat(np.arange(len(labels)), counts)[np.argsort(order)]
    common = {
        "name": "random",
        "synthetic": True,
        "description": "synthetic",
        "features": np.arange(len(labels), dtype=np.float32)[:, None],
        "labels": labels,
        "class_names": np.array([f"c{i}" for i in range(n_classes)]),
        "trainval": rng.permutation(np.flatnonzero(group < 2)),
        "test_unseen": rng.permutation(np.flatnonzero(group == 2)),
        "train": rng.permutation(np.flatnonzero(group == 0)),
        "val": rng.permutation(np.flatnonzero(group == 1)),
    }
    texts = [f"text {t} of image {i}" for t, i in enumerate(owner)]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    problem = ImageTextProblem(**common, texts=texts, text_offsets=offsets, text_index=order)
    classes = np.arange(n_classes, dtype=np.float32)[:, None]
    own = {"image_attributes": common["features"], "class_ids": common["class_names"]}
    attributes = ZeroShotProblem(**common, class_embeddings=classes, **own)
    for whole in (problem, attributes):
        small = whole.validation_problem(seed=seed % 1000)
        # The feature is the image's number: nothing got mixed up.
        image = small.features[:, 0].astype(int)
        names = common["class_names"][labels[image]]
        assert (small.class_names[small.labels] == names).all()
        parts = [image[getattr(small, part)] for part in ("trainval", "test_seen", "test_unseen")]
        assert sorted(np.concatenate(parts[:2])) == sorted(common["train"])
        assert sorted(parts[2]) == sorted(common["val"])
        if whole is attributes:
            assert np.array_equal(small.class_embeddings[small.labels, 0], labels[image])
            assert np.array_equal(small.image_attributes, small.features)
            assert np.array_equal(small.class_ids, small.class_names)
            continue
        for row, number in enumerate(image):
            words = [problem.texts[t] for t in own_texts(problem, number)]
            assert [small.texts[t] for t in own_texts(small, row)] == words
            assert all(word.endswith(f"image {number}") for word in words)
        assert small.n_texts == counts[image].sum()


def test_checksum_tells_problems_apart():
    problem = ImageTextProblem(**fields())
    assert problem.checksum == ImageTextProblem(**fields()).checksum
    others = [
        {"texts": [*fields()["texts"][:-1], "other words"]},
        {"text_ids": np.arange(60)[::-1]},
        {"text_index": np.r_[np.arange(58), 59, 58]},
        {"text_offsets": np.r_[fields()["text_offsets"][:-2], 56, 60]},
        {"level": "class"},
        {"texts": None, "text_vectors": np.ones((60, 1), np.float32)},
    ]
    checksums = {replace(problem, **change).checksum for change in others}
    assert len(checksums | {problem.checksum}) == len(others) + 1


def test_other_array_libraries(backend):
    vectors = np.random.default_rng(1).random((60, 3), dtype=np.float32)
    given = fields(texts=None, text_vectors=vectors)
    problem = ImageTextProblem(**given)
    arrays = {name: backend.asarray(given[name]) for name in ("features", "text_vectors")}
    moved = ImageTextProblem(**given | arrays)
    assert moved.checksum == problem.checksum
    small = moved.validation_problem()
    assert small.checksum == problem.validation_problem().checksum
    backend.check(small.text_vectors)
    assert isinstance(moved.to("cpu").text_vectors, np.ndarray)
