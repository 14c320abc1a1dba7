"""A mapping problem from anybody's files: two vector files and a dictionary."""

import math
from os import PathLike
from pathlib import Path

import numpy as np

from zslib.datasets.mapping.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.words.vectors import as_word_vectors, load_vectors
from zslib.validation import check_integer


def split_dictionary(pairs, *, seed=0):
    """Split word pairs at random by source word, so that none is on both sides.

    A fifth of the source words, rounded up, become test words.
    """
    check_integer(seed, "seed", low=0)
    words = sorted({word for word, _ in pairs})
    if len(words) < 2:
        raise ValueError(
            f"the dictionary has {len(words)} source word(s): a split needs at least two"
        )
    n_test = math.ceil(len(words) * 0.2)
    chosen = np.random.default_rng(seed).choice(len(words), n_test, replace=False)
    tested = {words[i] for i in chosen}
    train = [pair for pair in pairs if pair[0] not in tested]
    return train, [pair for pair in pairs if pair[0] in tested]


def from_files(
    source_vectors,
    target_vectors,
    train_dictionary,
    test_dictionary=None,
    *,
    seed=0,
    limit=None,
    errors="strict",
    encoding=None,
    bad_lines="refuse",
    shared_targets="keep",
    overlap="refuse",
    name="own",
    description=None,
    synthetic=False,
):
    """Your own vectors and dictionary as a cross-linguistic `MappingProblem`.

    Parameters
    ----------
    source_vectors, target_vectors : path, or vectors in memory
        Files or objects that `zslib.datasets.load_vectors` takes. All target words are searched.
    train_dictionary : path
        Lines "source target", see `zslib.datasets.read_dictionary`.
    test_dictionary : path, optional
        Likewise. Without it ``train_dictionary`` is split by source word.
    seed : int
        Of that split, see `split_dictionary`.
    limit, errors, encoding, bad_lines
        Passed to `zslib.datasets.load_vectors` for both files; ``encoding`` is that of the
        dictionaries too.
    shared_targets, overlap
        See `zslib.datasets.bilingual_problem`: words in both dictionaries are refused; a
        translation that two words share is kept and counted.
    name, description : str, optional
        For captions; by default the names of the files, or types of what is in memory.
    synthetic : bool
        Whether the files hold generated vectors; ``description`` must then say so.

    Returns
    -------
    MappingProblem
        Vectors of unit length. ``coverage`` counts pairs without a vector and duplicate words.

    Examples
    --------
    >>> import tempfile
    >>> english = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}
    >>> italian = {"gatto": [1.0, 0.0], "cane": [0.0, 1.0]}
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("cat gatto\\ndog cane\\n")
    ...     file.flush()
    ...     from_files(english, italian, file.name)
    MappingProblem('own', cross-linguistic: 1 training pairs, 1 query, 2 targets)
    """
    sides = {"source_vectors": source_vectors, "target_vectors": target_vectors}
    dictionaries = {"train_dictionary": train_dictionary}
    if test_dictionary is not None:
        dictionaries["test_dictionary"] = test_dictionary
    for what, path in dictionaries.items():
        if not isinstance(path, str | PathLike):
            raise TypeError(
                f"{what} must be a path, got {type(path).__name__}: for pairs in memory see "
                "bilingual_problem"
            )
    for what, given in (sides | dictionaries).items():
        if isinstance(given, str) and not given:
            raise ValueError(f"{what} is an empty path: name a file")
    options = {"limit": limit, "errors": errors, "encoding": encoding, "bad_lines": bad_lines}
    names = []
    for what, side in sides.items():
        if isinstance(side, str | PathLike):
            names.append(Path(side).name)
        else:
            names.append(type(side).__name__)
            side = as_word_vectors(side, what)
        sides[what] = load_vectors(side, **options)
    lists = [read_dictionary(path, encoding=encoding) for path in dictionaries.values()]
    train, test = lists if len(lists) == 2 else split_dictionary(*lists, seed=seed)
    return bilingual_problem(
        *sides.values(),
        train,
        test,
        name=name,
        description=description or f"vectors of {' and '.join(names)}",
        synthetic=synthetic,
        shared_targets=shared_targets,
        overlap=overlap,
    )
