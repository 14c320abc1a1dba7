"""English and Italian vectors of Europarl and fiction, with the paper's kind of dictionaries."""

from dataclasses import replace
from functools import partial

from zslib.datasets.entry import BILINGUAL, Dataset, below
from zslib.datasets.locate import require_folder
from zslib.datasets.mapping.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.words.vectors import europarl_vectors
from zslib.validation import check_choice

_VECTORS = ("vectors.en.npy", "vectors.it.npy", "words.en.tsv.gz", "words.it.tsv.gz")
_DICTIONARIES = ("europarl.train.txt", "europarl.test.txt", "dinu.train.txt", "opus.test.txt")


def europarl(
    *,
    train="europarl",
    test="opus",
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
        pairs of Dinu et al. (2015). With the second the problem is named "europarl_dinu".
    test : {"opus", "europarl", "all"}
        The published test dictionary of Dinu et al. (1,500 words in five frequency bins, of
        which 1,081 have vectors here), or one derived from the same text (1,500 words).
        ``train="dinu"`` and ``test="europarl"`` have 255 words in common: refused unless
        ``overlap="drop-train"``. "all" are the words of the four dictionaries that no training
        pair has, each with the translations of the first that lists it.
    overlap, max_train, max_test
        See `zslib.datasets.bilingual_problem`.
    limit : int, optional
        Only the most frequent words of each language.

    Returns
    -------
    MappingProblem
        Full size: 92,790 targets. ``coverage`` tells what has no vector.

    Examples
    --------
    >>> europarl(limit=5000)
    MappingProblem('europarl', cross-linguistic: 3249 training pairs, 205 queries, 5000 targets)
    """
    check_choice(train, "train", ("europarl", "dinu"))
    check_choice(test, "test", ("opus", "europarl", "all"))
    folder = require_folder("crosslingual", folder)
    description = "Europarl English-Italian vectors"
    if train == "dinu":
        description += " with Dinu et al.'s training pairs"
    if limit is not None:
        description += f" (most frequent {limit:,} words)"
    train_pairs = read_dictionary(folder / f"{train}.train.txt")
    if test == "all":
        names = ("opus.test", "europarl.test", "europarl.train", "dinu.train")
        dictionaries = [read_dictionary(folder / f"{name}.txt") for name in names]
        test_pairs = _unused(train_pairs, dictionaries)
    else:
        test_pairs = read_dictionary(folder / f"{test}.test.txt")
    return bilingual_problem(
        europarl_vectors("en", limit=limit, folder=folder),
        europarl_vectors("it", limit=limit, folder=folder),
        train_pairs,
        test_pairs,
        name="europarl" if train == "europarl" else f"europarl_{train}",
        description=description,
        overlap=overlap,
        max_train=max_train,
        max_test=max_test,
    )


def _unused(train_pairs, dictionaries):
    """Pairs of the words that no training pair has, each word's from the first that lists it."""
    known, pairs = {word for word, _ in train_pairs}, []
    for dictionary in dictionaries:
        pairs += [pair for pair in dictionary if pair[0] not in known]
        known.update(word for word, _ in pairs)
    return pairs


_EUROPARL = Dataset(
    name="europarl",
    loaders={BILINGUAL: europarl},
    summary="English-Italian vectors of Europarl and fiction",
    licence="as its sources state",
    quick={BILINGUAL: {"limit": 20_000, "max_train": 1_500, "max_test": 300}},
    auto={BILINGUAL: 0},
    files=below("crosslingual", *_VECTORS, *_DICTIONARIES),
)
_DINU = replace(
    _EUROPARL,
    name="europarl_dinu",
    loaders={BILINGUAL: partial(europarl, train="dinu")},
    summary="the same vectors, with the paper's own training pairs",
    auto={BILINGUAL: 1},
)
ENTRIES = (_EUROPARL, _DINU)
