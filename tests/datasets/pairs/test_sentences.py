import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib.datasets.attributes.cub import class_sentences, cub
from zslib.datasets.attributes.splits import PARTS
from zslib.datasets.pairs.cub import cub_sentences, sentence_pairs
from zslib.datasets.words.tokens import tokenize


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_every_sentence_of_a_class_belongs_to_each_of_its_images(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 5))
    pool = ["a red bird", "It sings. At night", "too short", "a very long tail", "?!", "Grey"]
    drawn = [rng.choice(pool, rng.integers(5)).tolist() for _ in range(n_classes)]
    sentences = [["it has wings", *several] for several in drawn]
    labels = rng.integers(n_classes, size=6)
    most = [None, 1, 2][rng.integers(3)]
    fields = sentence_pairs(labels, sentences, max_texts=most)
    coverage = fields["coverage"]
    for image, label in enumerate(labels):
        wanted = [t for t in dict.fromkeys(sentences[label]) if len(tokenize(t)) >= 3]
        start, end = fields["text_offsets"][image : image + 2]
        own = [fields["texts"][t] for t in fields["text_index"][start:end]]
        assert own == wanted[:most]
    assert coverage["sentences listed"] == sum(map(len, sentences))
    assert coverage["sentences used"] == len(fields["texts"])
    assert coverage["classes that share a sentence"] == (n_classes if n_classes > 1 else 0)


def test_a_class_without_images_may_have_no_sentences():
    fields = sentence_pairs(np.array([0]), [["it is red"], ["red"]])
    assert fields["texts"] == ["it is red"]


def test_real_birds(real_data):
    folder = real_data("visual/cub")
    problem, images = cub_sentences(max_per_class=2), cub(max_per_class=2)
    assert (problem.level, problem.feature_scaling) == ("class", "unit length")
    for name in ("features", "labels", "class_names", *PARTS):
        assert np.array_equal(getattr(problem, name), getattr(images, name))
    assert problem.coverage["sentences listed"] == 7804
    assert np.array_equal(problem.text_ids, problem.text_labels)
    listed, named = class_sentences(folder), 0
    for c, name in enumerate(problem.class_names):
        texts = [problem.texts[t] for t in np.flatnonzero(problem.text_labels == c)]
        assert set(texts) <= set(listed[c])
        named += tokenize(name)[-1] in tokenize(" ".join(texts))
    # The sentences are of the class that they stand with: most name the bird at least once.
    assert named > 190
    small = cub_sentences(max_texts=1, max_per_class=2).summary()
    assert (small["texts"], small["texts_per_image"]) == (200, 1)
