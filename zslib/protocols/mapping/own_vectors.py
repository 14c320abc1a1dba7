"""The problem of a user's own vector files, or of generated files in their place."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from zslib.datasets import from_files, load_problem

__all__ = ["own_problem", "write_generated"]


def own_problem(source, target, dictionary, test_dictionary="", *, seed=0, limit=0):
    """The problem of two vector files and a dictionary; of generated ones where none is named."""
    given = [bool(path) for path in (source, target, dictionary)]
    if any(given) and not all(given):
        raise ValueError(
            "give all three of source_vectors, target_vectors and dictionary, or none of them"
        )
    options = {"seed": seed, "limit": limit or None}
    if all(given):
        return from_files(source, target, dictionary, test_dictionary or None, **options)
    with tempfile.TemporaryDirectory() as folder:
        files = write_generated(Path(folder), seed=seed)
        return from_files(
            *files, test_dictionary or None, name="own-synthetic", synthetic=True,
            description="synthetic vectors written to files", **options,
        )  # fmt: skip


def write_generated(folder, *, seed=0):
    """Write generated vectors as word2vec text, and a dictionary; returns the three paths."""
    sizes = {"n_targets": 2000, "n_train": 900, "n_test": 300, "dimension": 100}
    made = load_problem("cross-linguistic", "synthetic", seed=seed, **sizes)
    known = np.concatenate([made.train_words, made.test_words])
    source = np.concatenate([made.X_train, made.X_test])
    files = [folder / name for name in ("source.vec", "target.vec", "dictionary.txt")]
    spaces = (known, source), (made.target_words, made.targets)
    for path, (words, vectors) in zip(files[:2], spaces, strict=True):
        lines = [f"{len(words)} {vectors.shape[1]}"]
        for word, vector in zip(words, vectors, strict=True):
            lines.append(f"{word} {' '.join(f'{x:.5f}' for x in vector)}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    files[2].write_text("".join(f"{word} {word}\n" for word in known), encoding="utf-8")
    return [str(path) for path in files]
