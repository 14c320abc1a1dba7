import numpy as np
import pytest

from zslib.datasets.attributes.cub import cub
from zslib.datasets.attributes.splits import PARTS
from zslib.datasets.files import read_arrays, read_lines
from zslib.datasets.pairs.cub import cub_captions
from zslib.datasets.words.tokens import tokenize


@pytest.fixture
def listed(real_data):
    """Captions and label of each image of the list."""
    folder = real_data("visual/cub", "visual/cub/captions.tsv")
    labels = read_arrays(folder / "cub.npz")["label"]
    captions = [[] for _ in labels]
    for row, text in (line.split("\t") for line in read_lines(folder / "captions.tsv")):
        captions[int(row)].append(text.replace("\ufffd\ufffd", " "))
    return captions, labels


def test_real_captions_are_texts_of_all_images_of_their_class(listed):
    captions, labels = listed
    problem, images = cub_captions(max_per_class=2), cub(max_per_class=2)
    for name in ("features", "labels", "class_names", *PARTS):
        assert np.array_equal(getattr(problem, name), getattr(images, name))
    assert problem.level == "class"
    for c in range(200):
        listed = {text for row in np.flatnonzero(labels == c) for text in captions[row]}
        texts = np.flatnonzero(problem.text_labels == c)
        wanted = sorted(text for text in listed if len(tokenize(text)) >= 3)
        assert sorted(problem.texts[t] for t in texts) == wanted
        for image in np.flatnonzero(problem.labels == c):
            start, end = problem.text_offsets[image : image + 2]
            assert np.array_equal(np.sort(problem.text_index[start:end]), texts)
    assert problem.coverage["sentences listed"] == sum(map(len, captions)) == 117_880
    assert not any("\ufffd" in text for text in problem.texts)


def test_no_real_caption_is_paired_with_an_image(listed):
    problem = cub_captions(max_per_class=2, max_texts=3)
    # Not even in their order: the first texts of a class are of different images of the list.
    captions, labels = listed
    for c in range(200):
        own = [problem.texts[t] for t in np.flatnonzero(problem.text_labels == c)]
        firsts = [captions[row][0] for row in np.flatnonzero(labels == c)]
        assert own == [t for t in dict.fromkeys(firsts) if len(tokenize(t)) >= 3][:3]
