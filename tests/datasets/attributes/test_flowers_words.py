import re

import numpy as np

from zslib.datasets import flowers, flowers_words
from zslib.datasets.attributes.flowers import word_shares
from zslib.datasets.attributes.splits import PARTS


def test_a_share_counts_the_captions_that_have_a_word():
    captions = [["Red petals", "red, red petals"], ["the petals", "blue"], ["red", "it is"]]
    known = np.array([0, 1])
    # Words in the order of the alphabet: blue, petals, red; the others are stop words.
    expected = [[0, 1, 1], [0.5, 0.5, 0], [0, 0, 0.5]]
    assert word_shares(captions, known).tolist() == expected
    # A word that no known image has is left out.
    assert word_shares(captions, np.array([2])).tolist() == [[1], [0], [0.5]]


def test_real_words_are_of_the_images_own_captions(real_data, refused):
    real_data("visual/flowers")
    problem, pairs = flowers_words(att="original"), flowers()
    for name in ("features", "labels", "class_names", *PARTS):
        assert np.array_equal(getattr(problem, name), getattr(pairs, name))
    # The share of captions with "yellow" is one of the columns.
    told = np.array([bool(re.search(r"\byellow\b", text)) for text in pairs.texts])
    yellow = np.add.reduceat(told[pairs.text_index], pairs.text_offsets[:-1]) / 10
    near = np.abs(problem.image_attributes - yellow[:, None]).mean(axis=0)
    assert near.min() < 1e-6 < np.partition(near, 1)[1]
    known = np.concatenate([problem.trainval, problem.test_unseen])
    for c in (0, 50, 101):
        own = known[problem.labels[known] == c]
        means = problem.image_attributes[own].mean(axis=0)
        np.testing.assert_allclose(problem.class_embeddings[c], means, atol=1e-6)
    assert flowers_words(max_per_class=2).image_attributes is None
    refused("att must be one of 'unit length', 'original'", flowers_words, att="raw")
