from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets.words.tokens import PADDING, Vocabulary, tokenize

WORDS = st.sampled_from(["red", "Blue", "bird's", "2.5", "wing,", "née", "—"])
TEXT = st.lists(WORDS, min_size=1).map(" ".join).filter(tokenize)
TEXTS = st.lists(TEXT, min_size=1, max_size=8)


TOKENS = [
    ("The bird's RED bill.", ["the", "bird's", "red", "bill"]),
    ("bird’s", ["bird's"]),
    ("'quoted' words'", ["quoted", "words"]),
    ("snake_case and 12x5", ["snake", "case", "and", "12x5"]),
    ("Größe: naïve", ["größe", "naïve"]),
    ("हिन्दी की किताब, می‌خواهم", ["हिन्दी", "की", "किताब", "می‌خواهم"]),
    ("nai\u0308ve İki q\u0303", ["na\u00efve", "i\u0307ki", "q\u0303"]),
    ("... -- ! \u0301", []),
    ("cat\u200d dog\u200c. 1\ufe0f\u20e3", ["cat", "dog", "1"]),
    ("", []),
]


@pytest.mark.parametrize("text, tokens", TOKENS)
def test_tokens_of_a_text(text, tokens):
    assert tokenize(text) == tuple(tokens)


@given(TEXTS, st.integers(1, 3))
def test_vocabulary_has_each_frequent_word_once(refused, texts, min_count):
    counts = Counter(token for text in texts for token in tokenize(text))
    kept = {word for word, count in counts.items() if count >= min_count}
    if not kept:
        refused(f"no word occurs {min_count} times", Vocabulary.fit, texts, min_count)
        return
    vocabulary = Vocabulary.fit(texts, min_count)
    assert len(vocabulary) == 2 + len(kept)
    assert set(vocabulary.words[2:]) == kept
    listed = [counts[word] for word in vocabulary.words[2:]]
    assert listed == sorted(listed, reverse=True)
    assert vocabulary == Vocabulary.fit(texts[::-1], min_count)


@given(TEXTS, TEXTS, st.one_of(st.none(), st.integers(1, 5)))
def test_rows_of_tokens(known, texts, length):
    vocabulary = Vocabulary.fit(known)
    rows = vocabulary.transform(texts, length)
    assert rows.dtype == np.int64
    assert rows.shape == (len(texts), max(len(tokenize(t)[:length]) for t in texts))
    for row, text in zip(rows, texts, strict=True):
        words = tokenize(text)[:length]
        named = [w if w in vocabulary.words else "<unknown>" for w in words]
        assert [vocabulary.words[t] for t in row[: len(words)]] == named
        assert (row[len(words) :] == PADDING).all()
        assert (row[: len(words)] != PADDING).all()


def test_special_names_are_no_words():
    vocabulary = Vocabulary.fit(["<padding> unknown padding"])
    assert vocabulary.transform(["padding"]).tolist() == [[2]]


BAD_TEXTS = [
    (["a bird", "?!"], ValueError, r"text 1 has no word: '\?!'; drop it"),
    ("a bird", TypeError, "texts must be a sequence of strings, got str"),
    ([1], TypeError, "texts must hold strings, text 0 is int"),
    (3, TypeError, "texts must be a sequence of strings, got int"),
    ([], ValueError, "texts is empty"),
]


@pytest.mark.parametrize("use", [Vocabulary.fit, Vocabulary.fit(["a bird"]).transform])
@pytest.mark.parametrize("texts, error, message", BAD_TEXTS)
def test_bad_texts(use, texts, error, message, refused):
    refused(message, use, texts, error=error)


REFUSALS = [
    (lambda: Vocabulary.fit(["a"], min_count=0), "min_count must be at least 1"),
    (lambda: Vocabulary.fit(["a"]).transform(["a"], length=0), "length must be at least 1"),
    (lambda: Vocabulary(("a", "bird")), "words must begin with"),
    (lambda: Vocabulary(("<padding>", "<unknown>", "a", "a")), "words has a word twice"),
]


def test_bad_options(refusal):
    refusal()
