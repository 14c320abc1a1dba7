from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib.datasets.attributes.cub import cub
from zslib.datasets.pairs.sentences import cub_sentences, sentence_pairs, split_sentences
from zslib.datasets.words.tokens import tokenize


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_every_sentence_of_a_class_belongs_to_each_of_its_images(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 5))
    pool = ["a red bird", "It sings. At night", "too short", "a very long tail", "?!", "Grey"]
    sentences = [
        ["it has wings", *rng.choice(pool, rng.integers(5)).tolist()] for _ in range(n_classes)
    ]
    labels = rng.integers(n_classes, size=6)
    most = [None, 1, 2][rng.integers(3)]
    fields, coverage = sentence_pairs(labels, sentences, max_sentences=most)
    for image, label in enumerate(labels):
        wanted = []
        for text in sentences[label]:
            if len(tokenize(text)) >= 3 and text not in wanted:
                wanted.append(text)
        start, end = fields["text_offsets"][image : image + 2]
        own = [fields["texts"][t] for t in fields["text_index"][start:end]]
        assert own == wanted[:most]
    assert coverage["sentences listed"] == sum(map(len, sentences))
    assert coverage["sentences used"] == len(fields["texts"])
    assert coverage["classes that share a sentence"] == (n_classes if n_classes > 1 else 0)


def test_a_class_without_sentences_is_refused():
    with pytest.raises(ValueError, match="class 1 has no sentence of 3 words"):
        sentence_pairs(np.array([0, 1]), [["it is red"], ["red"]])
    fields, _ = sentence_pairs(np.array([0]), [["it is red"], ["red"]])  # no image of class 1
    assert fields["texts"] == ["it is red"]
    for name in ("min_words", "max_sentences"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1"):
            sentence_pairs(np.array([0]), [["it is red"]], **{name: 0})


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One bird. Two birds! Three?", ["One bird.", "Two birds!", "Three?"]),
        ("It grows to 2.5 m. wide", ["It grows to 2.5 m. wide"]),
        ("The subsp. Alba is white.", ["The subsp. Alba is white."]),
        ('He said "Yes." "No" came next.', ['He said "Yes." "No" came next.']),
        ("  A word.  (In brackets.) ", ["A word.", "(In brackets.)"]),
        ("no end", ["no end"]),
    ],
)
def test_sentences_of_a_text(text, sentences):
    assert split_sentences(text) == sentences


def test_birds(cub_folder):
    path = cub_folder / "class_wikipedia_sentences.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    for entry in entries:
        entry["sentences"] = [f"the {s} of bird {entry['class']}" for s in entry["sentences"]]
    path.write_text("\n".join(map(json.dumps, entries)) + "\n")
    problem, images = cub_sentences(folder=cub_folder), cub(folder=cub_folder)
    assert problem.level == "class"
    assert not problem.synthetic
    assert problem.texts[6] == "the habitat3 wings of bird 3"
    assert np.array_equal(problem.features, images.features)
    assert np.array_equal(problem.test_seen, images.test_seen)
    assert problem.feature_scaling == "unit length"
    assert np.array_equal(problem.text_ids, np.repeat(np.arange(12), 2))
    small = cub_sentences(folder=cub_folder, max_sentences=1, max_per_class=2, features="vgg")
    assert small.n_texts == 12
    assert small.summary()["texts_per_image"] == 1
    assert small.features.shape[1] == 7


def test_real_birds(real_data):
    real_data("visual/cub")
    problem = cub_sentences(max_per_class=2)
    assert problem.coverage["sentences listed"] == 7804
    assert len(np.unique(problem.text_labels)) == 200
    # The sentences are of the class that they stand with: most name the bird at least once.
    named = 0
    for c, name in enumerate(problem.class_names):
        text = " ".join(problem.texts[t] for t in np.flatnonzero(problem.text_labels == c))
        named += tokenize(name)[-1] in tokenize(text)
    assert named > 190
