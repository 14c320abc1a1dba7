"""A part of known data written to files, in place of the user's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.results import Results
from chapters.hubness.own_vectors import own_problem, which_pays, write_example
from zslib.datasets import load_problem, load_vectors
from zslib.protocols.intervals import Estimate


def test_the_example_reads_back_as_the_part_that_was_written(tmp_path):
    made = load_problem("cross-linguistic", "synthetic", n_targets=3100, n_train=950, n_test=20)
    source, target, dictionary = write_example(made, tmp_path)
    answers = {*made.train_gold[:900].tolist(), *np.concatenate(made.test_gold).tolist()}
    rows = sorted({*range(3000), *answers})
    read = load_vectors(target, cache=False)
    assert read.words.tolist() == made.target_words[rows].tolist()
    np.testing.assert_allclose(read.vectors, made.targets[rows], atol=1e-5)
    assert len(load_vectors(source, cache=False)) == 920
    lines = Path(dictionary).read_text(encoding="utf-8").splitlines()
    pairs = [line.split() for line in lines]
    assert pairs[0] == [made.train_words[0], made.target_words[made.train_gold[0]]]
    assert pairs[-1] == [made.test_words[-1], made.target_words[made.test_gold[-1][-1]]]


def test_some_files_without_the_others_are_refused():
    with pytest.raises(ValueError, match="all three"):
        own_problem("source.vec", "", "")


def test_which_remedy_pays_is_said_by_whole_intervals():
    found = {
        "a - r": {"hub answers": (-2, -3, -1), "P@1": (1, -1, 3)},
        "b - r": {"hub answers": (-2, -3, -1), "P@1": (1, -0.5, 2.5)},
        "c - r": {"hub answers": (1, -1, 3), "P@1": (2, 1, 3)},
    }
    rows = [
        {"method": method, "metric": metric, "value": Estimate(*ends, 3)}
        for method, of in found.items()
        for metric, ends in of.items()
    ]
    assert which_pays(Results(None, rows)) == (
        "On these words a over r, b over r: fewer hubs, no telling whether more right answers; "
        "c over r: no telling whether fewer hubs, more right answers."
    )
