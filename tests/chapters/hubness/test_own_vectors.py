"""A part of known data written to files, in place of the user's own."""

from pathlib import Path

import numpy as np
import pytest

from chapters.hubness.own_vectors import own_problem, write_example
from zslib.datasets import load_problem, load_vectors


def test_the_example_reads_back_as_the_part_that_was_written(tmp_path):
    made = load_problem("cross-linguistic", "synthetic", n_targets=3100, n_train=950, n_test=20)
    source, target, dictionary = write_example(made, tmp_path)
    answers = {*made.train_gold[:900].tolist(), *np.concatenate(made.test_gold).tolist()}
    rows = sorted({*range(3000), *answers})
    read = load_vectors(target)
    assert read.words.tolist() == made.target_words[rows].tolist()
    np.testing.assert_allclose(read.vectors, made.targets[rows], atol=1e-5)
    assert len(load_vectors(source)) == 920
    lines = Path(dictionary).read_text(encoding="utf-8").splitlines()
    pairs = [line.split() for line in lines]
    assert pairs[0] == [made.train_words[0], made.target_words[made.train_gold[0]]]
    assert pairs[-1] == [made.test_words[-1], made.target_words[made.test_gold[-1][-1]]]


def test_files_that_do_not_do_for_the_report_are_refused_at_once(tmp_path):
    files = write_example(load_problem("cross-linguistic", "synthetic"), tmp_path)
    with pytest.raises(ValueError, match=r"lists of k = 10000 would hold all \d+ targets"):
        own_problem(*files, k=10_000)
    words = Path(files[2]).read_text(encoding="utf-8").splitlines()[:30]
    Path(files[2]).write_text("\n".join(words), encoding="utf-8")
    with pytest.raises(ValueError, match=r"leaves [1-9] test word.* as test_dictionary"):
        own_problem(*files)
