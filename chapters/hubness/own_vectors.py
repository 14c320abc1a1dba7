"""The problem of a user's own vector files, or of a part of known data written to such files."""

import tempfile
from pathlib import Path

import numpy as np

from zslib.datasets import from_files, load_problem
from zslib.search.corrections import CSLS

_FREQUENT, _TRAIN, _TEST = 3000, 900, 300


def own_problem(
    source, target, dictionary, test_dictionary="", *, dataset="auto", seed=0, limit=0, k=1
):
    """The problem of two vector files and a dictionary; of `write_example` where none is named.

    It must do for lists of ``k`` targets, and for CSLS, which compares queries.
    """
    given = [bool(path) for path in (source, target, dictionary)]
    if any(given) != all(given):
        raise ValueError(
            "give all three of source_vectors, target_vectors and dictionary, or none of them"
        )
    options = {"seed": seed, "limit": limit or None}
    if all(given):
        problem = from_files(source, target, dictionary, test_dictionary or None, **options)
        if (n := len(problem.test_words)) < CSLS().k:
            raise ValueError(
                f"the dictionary leaves {n} test word(s), and CSLS compares {CSLS().k}: give a "
                "larger one, or those to test on as test_dictionary"
            )
        if k >= (n := len(problem.targets)):
            raise ValueError(f"lists of k = {k} would hold all {n} targets: give a smaller k")
        return problem
    made = load_problem("cross-linguistic", dataset, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        files = write_example(made, Path(folder))
        return from_files(
            *files, test_dictionary or None, name=f"own-{made.name}", synthetic=made.synthetic,
            description=f"a part of the {made.description}, written to files", **options,
        )  # fmt: skip


def write_example(problem, folder):
    """Write a part of a problem as word2vec text and a dictionary; returns the three paths.

    Targets are the first few thousand, most frequent where words are so ordered, and the answers.
    """
    words = [*problem.train_words[:_TRAIN], *problem.test_words[:_TEST]]
    answers = [*problem.train_gold[:_TRAIN, None], *problem.test_gold[:_TEST]]
    pairs = [(word, row) for word, rows in zip(words, answers, strict=True) for row in rows]
    asked = [*problem.X_train[:_TRAIN], *problem.X_test[:_TEST]]
    vectors = dict(zip(words, asked, strict=True))
    frequent = np.arange(min(_FREQUENT, len(problem.target_words)))
    rows = np.union1d(frequent, [row for _, row in pairs])
    files = [folder / name for name in ("source.vec", "target.vec", "dictionary.txt")]
    spaces = vectors.items(), zip(problem.target_words[rows], problem.targets[rows], strict=True)
    for path, space in zip(files[:2], spaces, strict=True):
        lines = [f"{word} {' '.join(f'{x:.5f}' for x in vector)}" for word, vector in space]
        head = f"{len(lines)} {lines[0].count(' ')}"
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    lines = [f"{word} {problem.target_words[row]}\n" for word, row in pairs]
    files[2].write_text("".join(lines), encoding="utf-8")
    return [str(path) for path in files]
