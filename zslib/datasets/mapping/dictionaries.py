"""Bilingual dictionaries, and their join with two vector sets into a mapping problem."""

from codecs import BOM_UTF8
from collections import Counter
from pathlib import Path

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.files import read_bytes
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.words.vectors import WordVectors
from zslib.validation import check_choice, check_integer

__all__ = ["bilingual_problem", "read_dictionary"]


def read_dictionary(path):
    """Read word pairs "source target", one a line, separated by white space, UTF-8.

    Entries of several words are separated by a tab; a no-break space is part of its word, as in
    vector files. The file may be gzipped. Empty lines are skipped; a word may have several lines,
    one a translation. A list of pairs in the file's order.
    """
    path = Path(path)
    pairs = []
    for number, raw in enumerate(read_bytes(path).removeprefix(BOM_UTF8).split(b"\n"), start=1):
        try:
            fields = [field.decode("utf-8") for field in _fields(raw)]
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}, line {number}: not UTF-8 ({error.reason})") from error
        if not fields:
            continue
        if len(fields) != 2:
            raise ValueError(
                f"{path}, line {number}: expected a source and a target word separated by white "
                f"space, or by a tab, got {len(fields)} field(s): {raw.decode('utf-8').strip()!r}"
            )
        pairs.append((fields[0], fields[1]))
    if not pairs:
        raise ValueError(f"{path} has no word pair: give at least one line 'source target'")
    return pairs


def _fields(line):
    """Parts of a line of bytes: between tabs where these make two, else between white space."""
    tabbed = [part.strip() for part in line.strip().split(b"\t")]
    return tabbed if len(tabbed) == 2 else line.split()


def bilingual_problem(
    source,
    target,
    train_pairs,
    test_pairs,
    *,
    name,
    description,
    synthetic=False,
    normalise=True,
    shared_targets="keep",
    overlap="refuse",
    max_train=None,
    max_test=None,
):
    """Join two vector sets and two dictionaries into a cross-linguistic `MappingProblem`.

    Each training pair with both vectors is one training row (a word with three translations
    gives three rows); each test word with a vector and at least one translation with a vector
    is one query, and any of those translations is an acceptable answer. Pairs without a vector
    are counted in ``coverage``.

    Parameters
    ----------
    source, target : WordVectors
        Of the two languages; ``target`` is the whole search space.
    train_pairs, test_pairs : list of (str, str)
        As `read_dictionary` returns them.
    name, description : str
        See `MappingProblem`.
    normalise : bool
        Divide every vector by its length, so that dot products are cosines. Words whose
        vector is zero are then left out and counted.
    shared_targets : {"keep", "drop"}
        What to do with an acceptable answer that is also the target of a training pair (two
        source words that share a translation). Kept, as published results do; "drop" removes
        these answers, and the queries left without any. Both are counted in ``coverage``.
    overlap : {"refuse", "drop-train"}
        What to do when a test word is also a training word: an error, or leave its training
        pairs out (counted).
    max_train, max_test : int, optional
        Use only the first so many training pairs, and so many queries, evenly spaced.
    """
    check_choice(shared_targets, "shared_targets", ("keep", "drop"))
    check_choice(overlap, "overlap", ("refuse", "drop-train"))
    for value, label in ((max_train, "max_train"), (max_test, "max_test")):
        if value is not None:
            check_integer(value, label, low=1)
    coverage = {}
    source = _usable(source, "source", normalise, coverage)
    target = _usable(target, "target", normalise, coverage)
    if overlap == "drop-train":
        tested = {word for word, _ in test_pairs}
        kept = [pair for pair in train_pairs if pair[0] not in tested]
        dropped = len(train_pairs) - len(kept)
        coverage["training pairs dropped: source word is a test word"] = dropped
        train_pairs = kept
    train = _with_vectors(train_pairs, source, target, "training", coverage)[:max_train]
    if not train:
        raise ValueError(
            "no training pair has a vector on both sides: check the dictionary, whose words must "
            "be written as in the vector files, upper and lower case too, the source word first"
        )
    train_words = [word for word, _ in train]
    train_gold = np.array([row for _, row in train], dtype=np.int64)
    test = _with_vectors(test_pairs, source, target, "test", coverage)
    gold = _answers(test, set(train_gold.tolist()), shared_targets, coverage)
    if not gold:
        raise ValueError("no test pair is left with a vector on both sides: check the dictionary")
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
        array = np.asarray(side.vectors[rows], dtype=np.float32)
        return unit_rows(array) if normalise else array

    return MappingProblem(
        name=name,
        setting="cross-linguistic",
        synthetic=synthetic,
        description=description,
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


def _usable(side, which, normalise, coverage):
    """The word vectors without zero rows, whose cosine is undefined; what is lost is counted."""
    coverage[f"{which} words"] = len(side)
    for what, count in side.report.items():
        if what.startswith("duplicate") and count:
            coverage[f"{which} {what}"] = count
    if not normalise:
        return side
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
    return [(a, target.index[b]) for a, b in distinct if a in source.index and b in target.index]
