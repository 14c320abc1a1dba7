import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets.mapping.labels import label_means, sample_rows, split_labels


@given(st.integers(2, 60), st.integers(0, 5))
def test_split(n_labels, seed):
    train, test = split_labels(n_labels, seed=seed)
    assert sorted([*train, *test]) == list(range(n_labels))
    assert len(train) and len(test) and (np.diff(train) > 0).all()
    again = split_labels(n_labels, seed=seed)
    np.testing.assert_array_equal(test, again[1])


@given(st.integers(4, 60), st.integers(0, 5))
def test_folds_test_every_label_once(refused, n_labels, seed):
    size = len(split_labels(n_labels, seed=seed)[1])
    splits = [split_labels(n_labels, seed=seed, fold=f) for f in range(-(-n_labels // size))]
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(n_labels))
    assert all(sorted([*train, *test]) == list(range(n_labels)) for train, test in splits)
    refused("all labels were tested", split_labels, n_labels, seed=seed, fold=len(splits))


def test_split_sizes_of_the_papers_kind(refused):
    assert [len(part) for part in split_labels(190)] == [142, 48]
    assert not np.array_equal(split_labels(190, seed=1)[1], split_labels(190, seed=2)[1])
    refused("n_labels must be at least 2", split_labels, 1)


def test_means_against_a_loop():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((20, 3))
    label = rng.integers(4, size=20)
    means = label_means(features, label, np.array([3, 1]))
    for mean, wanted in zip(means, (3, 1), strict=True):
        rows = [f for f, l in zip(features, label, strict=True) if l == wanted]
        np.testing.assert_allclose(mean, sum(rows) / len(rows))


def test_sample(refused):
    rows = np.arange(10, 20)
    drawn = sample_rows(rows, 4, seed=3)
    assert len(drawn) == len(set(drawn)) == 4
    assert set(drawn) <= set(rows)
    np.testing.assert_array_equal(drawn, sample_rows(rows, 4, seed=3))
    assert sample_rows(rows, None) is rows
    refused("test_images must be at least 1", sample_rows, rows, 0)
