"""Generated files in place of the user's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from zslib.datasets import load_problem, load_vectors
from zslib.protocols.mapping.own_vectors import own_problem, write_generated


def test_generated_files_read_back_as_what_was_generated(tmp_path):
    source, target, dictionary = write_generated(tmp_path, seed=3)
    sizes = {"n_targets": 2000, "n_train": 900, "n_test": 300, "dimension": 100}
    made = load_problem("cross-linguistic", "synthetic", seed=3, **sizes)
    read = load_vectors(target, cache=False)
    assert read.words.tolist() == made.target_words.tolist()
    np.testing.assert_allclose(read.vectors, made.targets, atol=1e-5)
    assert len(load_vectors(source, cache=False)) == 1200
    assert len(Path(dictionary).read_text(encoding="utf-8").splitlines()) == 1200


def test_some_files_without_the_others_are_refused():
    with pytest.raises(ValueError, match="all three"):
        own_problem("source.vec", "", "")
