"""From texts to rows of token numbers: a vocabulary of words, padding and one unknown token."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from unicodedata import category, normalize

import numpy as np

from zslib.validation import check_integer

PADDING, UNKNOWN = 0, 1
_NAMED = ("<padding>", "<unknown>")
# Letters and digits of any script; an apostrophe within a word stays ("bird's").
_TOKEN = "{word}+(?:'{word}+)*"
_LETTER = r"[^\W_]"
_PLAIN_TOKENS = re.compile(_TOKEN.format(word=_LETTER))
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # of how a sign looks
_JOINERS = "\u200c\u200d"  # within words of Persian and of Indian scripts


@lru_cache(maxsize=1)
def _marked_tokens():
    """The pattern of words whose letters may have marks: vowels of Hindi, accents of their own."""
    marks = (c for c in map(chr, range(sys.maxunicode + 1)) if category(c) in ("Mn", "Mc"))
    marks = f"[{''.join(c for c in marks if not re.match(_SELECTORS, c))}]"
    return re.compile(_TOKEN.format(word=f"(?:{_LETTER}{marks}*(?:[{_JOINERS}]+(?={_LETTER}))?)"))


@lru_cache(maxsize=1 << 17)
def tokenize(text):
    """Words and numbers of a text, in lower case, punctuation dropped; one string for each word.

    How accents are composed plays no part.

    Examples
    --------
    >>> tokenize("The bird's 2 wings, black-brown.")
    ('the', "bird's", '2', 'wings', 'black', 'brown')
    """
    text = normalize("NFC", text.lower()).replace("’", "'")
    pattern = _PLAIN_TOKENS if text.isascii() else _marked_tokens()
    return tuple(map(intern, pattern.findall(text)))


@dataclass(frozen=True)
class Vocabulary:
    """Words with a number each; 0 is padding, and 1 is every unknown word.

    The paper (CLAREL, Appendix D) does not print how texts become tokens; words are our reading.
    Fit it on training texts only: a word that only test texts have is unknown to the model.

    Parameters
    ----------
    words : tuple of str
        ``words[i]`` is the word of token i; the first two are the special ones.

    Examples
    --------
    >>> vocabulary = Vocabulary.fit(["a red bird", "a blue bird with a red bill"])
    >>> vocabulary.words
    ('<padding>', '<unknown>', 'a', 'bird', 'red', 'bill', 'blue', 'with')
    >>> vocabulary.transform(["A bird.", "a green bird"])
    array([[2, 3, 0],
           [2, 1, 3]])
    """

    words: tuple

    def __post_init__(self):
        if tuple(self.words[:2]) != _NAMED:
            raise ValueError(f"words must begin with {_NAMED}, got {tuple(self.words[:2])}")
        if len(set(self.words)) < len(self.words):
            raise ValueError("words has a word twice: each needs one number")

    @classmethod
    def fit(cls, texts, min_count=1):
        """Words of the texts, the most frequent first and equally frequent ones by alphabet.

        Words that come fewer than ``min_count`` times are left out, and become unknown.
        """
        check_integer(min_count, "min_count", low=1)
        counts = Counter(token for tokens in _split(texts) for token in tokens)
        kept = [word for word, count in counts.items() if count >= min_count]
        if not kept:
            raise ValueError(
                f"no word occurs {min_count} times in the texts: lower min_count or give more"
            )
        return cls((*_NAMED, *sorted(kept, key=lambda word: (-counts[word], word))))

    def __len__(self):
        return len(self.words)

    def transform(self, texts, length=None):
        """Token numbers of texts, of each the first ``length``; rows end in padding (0)."""
        if length is not None:
            check_integer(length, "length", low=1)
        number = {word: number for number, word in enumerate(self.words)}
        rows = [[number.get(token, UNKNOWN) for token in t[:length]] for t in _split(texts)]
        tokens = np.full((len(rows), max(map(len, rows))), PADDING, dtype=np.int64)
        for row, known in zip(tokens, rows, strict=True):
            row[: len(known)] = known
        return tokens


def check_texts(texts):
    """The texts as a tuple of strings, each of which has a letter or a number."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a sequence of strings, got {type(texts).__name__}")
    texts = tuple(texts)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"texts must hold strings, text {number} is {type(text).__name__}")
        if not any(map(str.isalnum, text)):
            raise ValueError(f"text {number} has no word: {text!r}; drop it")
    return tuple(map(str, texts))


def _split(texts):
    texts = check_texts(texts)
    if not texts:
        raise ValueError("texts is empty: give at least one")
    return list(map(tokenize, texts))
