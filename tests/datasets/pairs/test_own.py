"""Your own images with texts: arrays and files, and what is refused."""

import json

import numpy as np
import pandas
import pytest

from zslib.datasets import from_captions, load_problem, read_captions


@pytest.fixture
def arrays():
    """Five images of each of six classes, with one or two texts; the last two are unseen."""
    return {
        "features": np.random.default_rng(0).normal(size=(30, 4)),
        "labels": np.array(list("abcdef" * 5)),
        "texts": np.array([f"text of {i}\nmore" if i % 2 else f"text of {i}" for i in range(30)]),
        "unseen_classes": np.array(["e", "f"]),
    }


def test_each_image_has_its_texts(arrays):
    problem = from_captions(**arrays)
    assert problem.class_names.tolist() == list("abcdef")
    assert problem.unseen_classes.tolist() == [4, 5]
    for image in range(30):
        own = problem.text_index[problem.text_offsets[image] : problem.text_offsets[image + 1]]
        assert [problem.texts[t] for t in own] == arrays["texts"][image].splitlines()
    assert problem.features.dtype == np.float32
    # One of five images of each seen class tests it.
    assert (problem.trainval.size, problem.test_seen.size, problem.test_unseen.size) == (16, 4, 10)


def test_lists_numbers_and_files_say_the_same(arrays, tmp_path):
    expected = from_captions(**arrays).checksum
    lists = [text.splitlines() for text in arrays["texts"]]
    assert from_captions(**arrays | {"texts": lists}).checksum == expected
    names = list("abcdef")
    numbers = {"labels": np.arange(30) % 6, "class_names": names, "unseen_classes": [4, 5]}
    assert from_captions(**arrays | numbers).checksum == expected
    np.savez(tmp_path / "mine.npz", **arrays)
    assert read_captions(tmp_path / "mine.npz").checksum == expected
    found = load_problem("pairs", tmp_path / "mine.npz", max_per_class=2)
    assert found.name == "mine"
    assert np.bincount(found.labels[found.test_unseen]).tolist() == [0, 0, 0, 0, 2, 2]
    assert (found.columns, from_captions(**arrays).columns) == ({}, {})
    frame = pandas.DataFrame(arrays["features"], columns=list("pqrs"))
    assert from_captions(**arrays | {"features": frame}).columns == {"features": list("pqrs")}
    assert len(found.texts) < len(from_captions(**arrays).texts)


def test_only_three_line_ends_part_texts(arrays):
    inside = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
    texts = [f"bird {i}{inside[i % 8]}with a red wing" for i in range(30)]
    assert len(from_captions(**arrays | {"texts": texts}).texts) == 30
    ends = [f"one {i}" + ("\n", "\r\n", "\r")[i % 3] + f"two {i}" for i in range(30)]
    assert len(from_captions(**arrays | {"texts": ends}).texts) == 60


def test_labels_that_were_missing(arrays):
    labels = arrays["labels"].astype(object)
    for missing, kind in ((None, object), (np.nan, object), ("", object), (np.nan, str)):
        labels[3] = missing
        given = np.array(labels, dtype=kind)
        with pytest.raises(ValueError, match=r"labels has no label at .* row 3|has 'nan'"):
            from_captions(**arrays | {"labels": given})
    named = from_captions(**arrays | {"labels": given, "class_names": [*"abcdef", "nan"]})
    assert "nan" in named.class_names
    with pytest.raises(
        ValueError, match=r"1 class.es. without images in trainval or test_unseen \('g'\)"
    ):
        from_captions(**arrays | {"class_names": list("abcdefg"), "unseen_classes": ["e", "g"]})


def test_variants_are_held_out_together(arrays):
    same = np.array(["one", "two", "three", "four", "five"])[np.arange(30) // 6]
    same[:12] = "one"  # the first two images of each class
    problem = from_captions(**arrays | {"texts": same})
    known = {(problem.labels[i], same[i]) for i in problem.trainval}
    assert not known & {(problem.labels[i], same[i]) for i in problem.test_seen}


def test_texts_that_a_class_s_images_share_are_about_the_class(arrays):
    texts = [f"all about {label}\nmore" for label in arrays["labels"]]
    problem = from_captions(**arrays | {"texts": texts})
    assert (problem.level, len(problem.texts), problem.test_seen.size) == ("class", 12, 4)


def test_one_odd_text_among_those_of_classes_is_told(arrays):
    texts = [f"all about {label}" for label in arrays["labels"]]
    texts[0] = "an odd one"
    with pytest.warns(UserWarning, match=r"same .* in 5 classes, but not in 1, .* 'a': all are"):
        problem = from_captions(**arrays | {"texts": texts})
    assert problem.level == "image"


def test_numbers_that_are_labels_are_names(arrays):
    given = arrays | {"labels": np.arange(30) % 10 + 1, "unseen_classes": [2, 10]}
    problem = from_captions(**given)
    assert problem.class_names.tolist() == [str(i) for i in range(1, 11)]
    assert problem.class_names[problem.unseen_classes].tolist() == ["2", "10"]


def test_texts_in_brackets_are_no_lists(arrays):
    texts = [f"[CLS] bird {i} [SEP]" for i in range(30)]
    assert from_captions(**arrays | {"texts": texts}).texts[0] == texts[0]
    one = [f"bird {i}" for i in range(27)] + ["['bird']"] * 3
    assert "['bird']" in from_captions(**arrays | {"texts": one}).texts


CAPTIONS = [[f"bird {i}", f"it's {i}"] for i in range(30)]
RECORDS = [{"id": i, "caption": f"bird {i}"} for i in range(30)]
AS_LISTS = "texts holds lists .* parse them first, by json.loads or ast.literal_eval"
FRAME = pandas.DataFrame(np.random.default_rng(0).normal(size=(30, 3)))
REFUSALS = [
    ({"texts": RECORDS}, r"texts\[0\] must .*'id', 'caption'.*pass \[one\['caption'\] for one in"),
    ({"texts": [{"a", "b"}] * 30}, r"texts\[0\] is a set, whose order changes .*pass a list"),
    ({"texts": [["a"]] * 29 + [frozenset("a")]}, r"texts\[29\] is a frozenset, whose order"),
    ({"texts": {f"bird {i}" for i in range(30)}}, "texts is a set, whose order"),
    ({"texts": [*map(str, CAPTIONS)]}, AS_LISTS),
    ({"texts": [*map(json.dumps, CAPTIONS[1:]), "a bird"]}, AS_LISTS),
    (
        {"features": FRAME.assign(label=1)},
        "features has the column 'label' above whole numbers: leave it out",
    ),
    ({"texts": ["a"] * 29}, "texts must be 30 entries"),
    ({"texts": [*"ab", "nan", *27 * "a"]}, r"texts\[2\] has 'nan', which a missing text becomes"),
    ({"texts": [["a", " None"]] * 30}, r"texts\[0\] has 'None', which a missing text"),
    ({"class_names": [["a"], ["b"]]}, r"class_names has shape \(2, 1\)"),
    ({"texts": {str(i): "a" for i in range(30)}}, "where they are of classes, pass"),
    ({"texts": "one text"}, "texts must be 30 entries"),
    ({"texts": [" "] * 30}, "training images have no text, .* or leave the image out"),
    ({"unseen_classes": ["z"]}, "unseen_classes has 'z', which class_names lacks"),
    ({"features": np.ones(30)}, "features must be a 2-d array"),
    ({"labels": list("abcdeE" * 5)}, "labels has 'E' and 'e', which differ in case or blanks"),
    ({"labels": list("abc")}, "labels has 3 entries for 30 rows"),
    ({"labels": np.ma.array(["a"] * 30, mask=np.eye(30)[0])}, "labels has masked entries"),
    ({"texts": [None] + ["a"] * 29}, r"texts\[0\] must be a text or a list of texts, got No"),
    ({"texts": [["a"]] * 29 + [[1]]}, r"texts\[29\] must be a text or a list of texts, got"),
    ({"labels": [1, *"abcdef" * 5][:30]}, "labels must hold integers, or names alone"),
    ({"texts": [["a", "..."]] * 30}, r"texts\[0\]: text 1 has no word: '\.\.\.'"),
]


@pytest.mark.parametrize("change, message", REFUSALS)
def test_data_that_are_refused(arrays, change, message, refused):
    refused(message, from_captions, **arrays | change, error=(TypeError, ValueError))


def test_files_that_are_refused(arrays, tmp_path, refused):
    path = tmp_path / "mine.npz"
    np.savez(path, **{k: v for k, v in arrays.items() if k != "texts"})
    refused(r"mine\.npz lacks texts: needed are", load_problem, "pairs", path)
    np.savez(path, **arrays, text=arrays["texts"])
    refused("has 'text', which is not of the format", read_captions, path)
    np.savez(path, **arrays | {"unseen_classes": np.array([], dtype=str)})
    refused(r"mine\.npz: there is no unseen class", read_captions, path)
    refused("is no .npz file: save the arrays of from_captions", read_captions, tmp_path)
    refused("check the path", read_captions, tmp_path / "no.npz", error=FileNotFoundError)
    refused("path must be a path, got int", read_captions, 3, error=TypeError)


def test_where_too_many_images_have_the_same_texts_none_is_held_out(arrays):
    # Two texts for five images of a class: either set is more than a fifth.
    texts = [f"{arrays['labels'][i]} {i // 6 % 2}" for i in range(30)]
    with pytest.warns(UserWarning, match="no image of a seen class is held out"):
        problem = from_captions(**arrays | {"texts": texts})
    assert problem.test_seen.size == 0
