"""English and Italian vectors of Europarl and fiction, with the paper's kind of dictionaries."""

from __future__ import annotations

import gzip

import numpy as np

from zslib.datasets.locate import require_folder
from zslib.datasets.mapping.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.words.vectors import WordVectors
from zslib.validation import check_choice

__all__ = ["europarl", "europarl_vectors"]

_TRAIN = {"europarl": "europarl.train.txt", "dinu": "dinu.train.txt"}
_TEST = {"opus": "opus.test.txt", "europarl": "europarl.test.txt"}


def europarl_vectors(language, *, limit=None, folder=None):
    """Word vectors of one language, most frequent word first, as stored (not normalised).

    Parameters
    ----------
    language : {"en", "it"}
        54,850 English or 92,790 Italian words, 300 dimensions.
    limit : int, optional
        Only the most frequent words.
    folder : path, optional
        The data set's folder; by default ``crosslingual`` in the data folder.

    Returns
    -------
    WordVectors
        Memory-mapped float16.

    Raises
    ------
    FileNotFoundError, ValueError
        When the files are absent, or word list and vectors do not fit.
    """
    check_choice(language, "language", ("en", "it"))
    folder = require_folder("crosslingual", folder)
    with gzip.open(folder / f"words.{language}.tsv.gz", "rt", encoding="utf-8", newline="\n") as f:
        words = [line.split("\t", 1)[0] for line in f]
    path = folder / f"vectors.{language}.npy"
    vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    if vectors.ndim != 2 or len(words) != len(vectors):
        raise ValueError(
            f"{path} has shape {vectors.shape}, and its word list {len(words)} words: one of "
            "the two files is damaged"
        )
    return WordVectors(np.array(words[:limit]), vectors[:limit])


def europarl(
    *,
    train="europarl",
    test="opus",
    normalise=True,
    shared_targets="keep",
    overlap="refuse",
    limit=None,
    max_train=None,
    max_test=None,
    folder=None,
):
    """English to Italian: the paper's cross-linguistic setting on freely available text.

    The paper's own vectors (200K words a language, billions of tokens) are `dinu2015`; these
    are made by the same recipe (CBOW, window 5, 10 negatives, 300 dimensions) from about 160 MB
    of text a language.

    Parameters
    ----------
    train : {"europarl", "dinu"}
        Training dictionary: 5,000 frequent pairs aligned in Europarl, or 4,742 of the 5,000
        pairs of Dinu et al. (2015).
    test : {"opus", "europarl"}
        The published test dictionary of Dinu et al. (1,500 words in five frequency bins, of
        which 1,081 have vectors here), or one derived from the same text (1,500 words).
        ``train="dinu"`` and ``test="europarl"`` have 255 words in common: refused unless
        ``overlap="drop-train"``.
    normalise : bool
        Vectors of unit length (the default), as the paper compares by cosine.
    shared_targets, overlap, max_train, max_test
        See `zslib.datasets.bilingual_problem`.
    limit : int, optional
        Only the most frequent words of each language.
    folder : path, optional
        The data set's folder; by default ``crosslingual`` in the data folder.

    Returns
    -------
    MappingProblem
        Full size: 92,790 targets. ``coverage`` tells what has no vector.
    """
    check_choice(train, "train", tuple(_TRAIN))
    check_choice(test, "test", tuple(_TEST))
    folder = require_folder("crosslingual", folder)
    description = "Europarl English-Italian vectors"
    if train == "dinu":
        description += " with Dinu et al.'s training pairs"
    if limit is not None:
        description += f" (most frequent {limit:,} words)"
    return bilingual_problem(
        europarl_vectors("en", limit=limit, folder=folder),
        europarl_vectors("it", limit=limit, folder=folder),
        read_dictionary(folder / _TRAIN[train]),
        read_dictionary(folder / _TEST[test]),
        name="europarl",
        description=description,
        normalise=normalise,
        shared_targets=shared_targets,
        overlap=overlap,
        max_train=max_train,
        max_test=max_test,
    )
