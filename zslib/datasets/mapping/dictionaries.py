"""Bilingual dictionaries, and their join with two vector sets into a mapping problem."""

import os
import re
from collections import Counter
from collections.abc import Mapping
from unicodedata import normalize

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.content import text_of
from zslib.datasets.files import checked
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.words.vectors import WordVectors, as_word_vectors
from zslib.validation import check_choice, check_integer

_WHITE = " \t\r\v\f"
_SEPARATORS = ",;|:="


def read_dictionary(path, *, encoding=None):
    """Read word pairs "source target", one a line, separated by white space.

    Parameters
    ----------
    path : path
        Plain or compressed. Entries of several words are separated by a tab, in all lines; a
        no-break space is part of its word, as in vector files. Empty lines are skipped; a word
        may have several lines, one a translation.
    encoding : str, optional
        Such as "latin-1"; by default UTF-8, or what the file's mark says.

    Returns
    -------
    list of (str, str)
        In the file's order.

    Raises
    ------
    ValueError
        For a file that is no text; a line that has not two entries, or of which this cannot be
        told; and where most words end in a comma or the like, which then separates entries.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("cat gatto\\ncat micio\\ndog cane\\n")
    ...     file.flush()
    ...     read_dictionary(file.name)
    [('cat', 'gatto'), ('cat', 'micio'), ('dog', 'cane')]
    """
    if not os.path.isdir(path):  # which is named where it is opened
        path = checked(path)
    text = text_of(path, encoding, wanted="a dictionary")
    lines = {number: line.strip(_WHITE) for number, line in enumerate(text.split("\n"), 1)}
    lines = {number: line for number, line in lines.items() if line}
    tabbed = all(line.count("\t") == 1 for line in lines.values())
    pairs = []
    for number, line in lines.items():
        entries = re.split(f"[{_WHITE}]*\t[{_WHITE}]*" if tabbed else f"[{_WHITE}]+", line)
        if len(entries) != 2:
            sign = re.search(r"[^\W_][\"']?([,;|:=])\S", line)
            hint = f"; is {sign[1]!r} the separator? Write a tab for it" if sign else ""
            raise ValueError(
                f"{path}, line {number}: expected a source and a target word separated by white "
                f"space, or in all lines by a tab, got {len(entries)} field(s): {line!r}{hint}"
            )
        pairs.append(tuple(entries))
    if not pairs:
        raise ValueError(f"{path} has no word pair: give at least one line 'source target'")
    for side, place, what in ((0, -1, "source words end"), (1, 0, "target words begin")):
        ends = Counter(pair[side][place] for pair in pairs if len(pair[side]) > 1)
        for sign in _SEPARATORS:
            if 2 * ends[sign] > len(pairs):
                raise ValueError(
                    f"{path}: most {what} with {sign!r}, {pairs[0][0]!r} and {pairs[0][1]!r} in "
                    "the first line: leave the sign out, or write a tab for it"
                )
    return pairs


def bilingual_problem(
    source,
    target,
    train_pairs,
    test_pairs,
    *,
    name="own",
    description=None,
    synthetic=False,
    shared_targets="keep",
    overlap="refuse",
    max_train=None,
    max_test=None,
):
    """Join two vector sets and two dictionaries into a cross-linguistic `MappingProblem`.

    Each training pair with both vectors is one training row (a word with three translations
    gives three rows); each test word with a vector and at least one translation with a vector
    is one query, and any of those translations is an acceptable answer. Pairs without a vector
    are counted in ``coverage``. Every vector is divided by its length, so that dot products are
    cosines; words whose vector is zero are left out and counted.

    Parameters
    ----------
    source, target : WordVectors, or what `load_vectors` takes
        Of the two languages; ``target`` is the whole search space.
    train_pairs, test_pairs : list of (str, str), or dict
        As `read_dictionary` returns them.
    name, description : str, optional
        See `MappingProblem`.
    shared_targets : {"keep", "drop"}
        What to do with an acceptable answer that is also the target of a training pair (two
        source words that share a translation). Kept, as published results do; "drop" removes
        these answers, and the queries left without any. Both are counted in ``coverage``.
    overlap : {"refuse", "drop-train"}
        What to do when a test word is also a training word: an error, or leave its training
        pairs out (counted).
    max_train, max_test : int, optional
        Use only the first so many training pairs, and so many queries, evenly spaced.

    Examples
    --------
    >>> english = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}
    >>> italian = {"gatto": [1.0, 0.0], "cane": [0.0, 1.0], "casa": [1.0, 1.0]}
    >>> bilingual_problem(english, italian, [("cat", "gatto")], [("dog", "cane")])
    MappingProblem('own', cross-linguistic: 1 training pairs, 1 query, 3 targets)
    """
    check_choice(shared_targets, "shared_targets", ("keep", "drop"))
    check_choice(overlap, "overlap", ("refuse", "drop-train"))
    for value, label in ((max_train, "max_train"), (max_test, "max_test")):
        if value is not None:
            check_integer(value, label, low=1)
    coverage = {}
    train_pairs, test_pairs = _pairs(train_pairs, "train_pairs"), _pairs(test_pairs, "test_pairs")
    source, target = (
        _usable(as_word_vectors(side, which), which, coverage)
        for side, which in ((source, "source"), (target, "target"))
    )
    if overlap == "drop-train":
        tested = {word for word, _ in test_pairs}
        listed = len(train_pairs)
        train_pairs = [pair for pair in train_pairs if pair[0] not in tested]
        dropped = listed - len(train_pairs)
        coverage["training pairs dropped: source word is a test word"] = dropped
    train = _with_vectors(train_pairs, source, target, "training", coverage)[:max_train]
    if not train:
        raise _no_pair("training", coverage)
    train_words = [word for word, _ in train]
    train_gold = np.array([row for _, row in train], dtype=np.int64)
    test = _with_vectors(test_pairs, source, target, "test", coverage)
    gold = _answers(test, set(train_gold.tolist()), shared_targets, coverage)
    if not gold:
        raise _no_pair("test", coverage)
    test_words = list(gold)
    if max_test is not None and max_test < len(test_words):
        # Dictionaries are often sorted by frequency: take words from all of it.
        spread = np.linspace(0, len(test_words) - 1, max_test).round().astype(int)
        test_words = [test_words[i] for i in spread]
    coverage |= {
        "training pairs used": len(train),
        "training words used": len(set(train_words)),
        "test words listed": len({word for word, _ in test_pairs}),
        "test words used": len(test_words),
        "test pairs used": sum(len(gold[word]) for word in test_words),
    }

    def vectors(side, rows=slice(None)):
        return unit_rows(np.asarray(side.vectors[rows], dtype=np.float32))

    return MappingProblem(
        name=name,
        setting="cross-linguistic",
        synthetic=synthetic,
        description=description or f"{'synthetic ' * synthetic}vectors and a dictionary",
        X_train=vectors(source, [source.index[word] for word in train_words]),
        train_gold=train_gold,
        X_test=vectors(source, [source.index[word] for word in test_words]),
        test_gold=tuple(np.array(gold[word], dtype=np.int64) for word in test_words),
        targets=vectors(target),
        target_words=target.words,
        train_words=np.array(train_words),
        test_words=np.array(test_words),
        coverage=coverage,
    )


def _pairs(pairs, name):
    """A list of pairs of words."""
    pairs = list(pairs.items() if isinstance(pairs, Mapping) else pairs)
    for place, pair in enumerate(pairs):
        if isinstance(pair, str) or [isinstance(word, str) for word in pair] != [True, True]:
            raise TypeError(
                f"{name} must have pairs of a source and a target word, entry {place} is {pair!r}"
            )
    return list(map(tuple, pairs))


def _usable(side, which, coverage):
    """The word vectors without zero rows, whose cosine is undefined; what is lost is counted."""
    coverage[f"{which} words"] = len(side)
    for what, count in side.report.items():
        if what != "words read" and isinstance(count, int) and count:
            coverage[f"{which} {what}"] = count
    zero = ~np.any(side.vectors, axis=1)
    if not zero.any():
        return side
    coverage[f"{which} words left out: zero vector"] = int(zero.sum())
    return WordVectors(side.words[~zero], side.vectors[~zero])


def _answers(test, seen, shared_targets, coverage):
    """Acceptable target rows of each test word, in the dictionary's order."""
    gold = {}
    for word, row in test:
        gold.setdefault(word, []).append(row)
    shared = [word for word, rows in gold.items() if not seen.isdisjoint(rows)]
    coverage["test words with an answer that is a training target"] = len(shared)
    coverage["test words with no other answer"] = sum(seen.issuperset(gold[w]) for w in shared)
    if shared_targets == "drop":
        gold = {word: [row for row in rows if row not in seen] for word, rows in gold.items()}
    return {word: rows for word, rows in gold.items() if rows}


def _with_vectors(pairs, source, target, which, coverage):
    """Pairs with both vectors as (source word, target row); the others are counted."""
    distinct = list(dict.fromkeys(pairs))
    coverage[f"{which} pairs listed"] = len(pairs)
    if len(distinct) < len(pairs):
        coverage[f"{which} pairs listed twice"] = len(pairs) - len(distinct)
    known = Counter((a in source.index, b in target.index) for a, b in distinct)
    coverage[f"{which} pairs without a source vector only"] = known[False, True]
    coverage[f"{which} pairs without a target vector only"] = known[True, False]
    coverage[f"{which} pairs without either vector"] = known[False, False]
    both = [(a, b) for a, b in distinct if a in source.index and b in target.index]
    lost = [(a, b) for a, b in distinct if not (a in source.index and b in target.index)]
    for what, (forms, folded, _) in _OTHERWISE.items() if lost else ():
        wanted = [set().union(*map(forms, words)) for words in zip(*lost, strict=True)]
        words = [
            {form for word in side.index if (form := folded(word)) in some}
            for side, some in zip((source, target), wanted, strict=True)
        ]
        found = sum(not any(map(set.isdisjoint, words, map(forms, pair))) for pair in lost)
        if found and (what == _ACCENTS or 2 * found > len(lost)):
            coverage[f"{which} pairs without a vector, but with {what}"] = found
        if 2 * found > len(lost):
            break  # the likely cause
    return [(a, target.index[b]) for a, b in both]


_QUOTES = "'\"‘’“”„«»"
_ACCENTS = "accents composed otherwise"
# What may keep pairs apart: forms of their words, one of the vectors' words, and a remedy.
_OTHERWISE = {
    _ACCENTS: (
        lambda word: {normalize("NFC", word)},
        lambda word: normalize("NFC", word),
        "bring dictionary and vectors to one form by unicodedata.normalize('NFC', word)",
    ),
    "case left out": (
        lambda word: {word.casefold()},
        str.casefold,
        "write both in one case, for instance by word.lower()",
    ),
    "quotation marks left out": (
        lambda word: {word.strip(_QUOTES)},
        str,
        "take the marks away from the dictionary",
    ),
    "entries split at commas": (
        lambda word: {part.strip(_WHITE + _QUOTES) for part in re.split("[,;|/]", word)},
        str,
        "give each translation a line of its own",
    ),
}


def _no_pair(which, coverage):
    """The error where no pair is left, with what is known of the cause."""
    told = (
        f"no {which} pair is left with a vector on both sides: check the dictionary, whose words "
        "must be written as in the vector files, upper and lower case too, the source word first"
    )
    for what, (*_, remedy) in _OTHERWISE.items():
        if count := coverage.get(f"{which} pairs without a vector, but with {what}"):
            told += f". {count} pair(s) would have, with {what}: {remedy}"
    return ValueError(told)
