import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from zslib.metrics import hub_share, k_occurrence, k_skewness, robin_hood_index

COUNTS = arrays(np.int64, st.integers(2, 30), elements=st.integers(0, 50))


def test_k_occurrence_counts_lists(backend):
    rng = np.random.default_rng(0)
    indices = np.array([rng.permutation(15)[:4] for _ in range(40)])
    expected = [sum(target in row for row in indices.tolist()) for target in range(15)]
    counts = k_occurrence(backend.asarray(indices), 15)
    assert backend.to_numpy(counts).dtype == np.int64
    backend.assert_equal(counts, expected)


@given(COUNTS)
def test_skewness_is_the_third_standardised_moment(counts):
    if (counts == counts[0]).all():
        assert k_skewness(counts) == 0.0
    else:
        np.testing.assert_allclose(k_skewness(counts), stats.skew(counts), rtol=1e-9, atol=1e-12)


@given(COUNTS)
def test_robin_hood_index_is_what_must_be_moved(counts):
    if counts.any():
        surplus = sum(c - counts.mean() for c in counts if c > counts.mean())
        np.testing.assert_allclose(robin_hood_index(counts), surplus / counts.sum(), atol=1e-12)


def test_summaries_on_every_backend(backend):
    counts = np.array([0, 0, 7, 1, 2, 6])
    c = backend.asarray(counts)
    assert k_skewness(c) == k_skewness(counts)
    assert robin_hood_index(c) == robin_hood_index(counts)
    top1 = backend.asarray(np.array([2, 2, 3, 4, 5]))
    assert hub_share(top1, c) == 3 / 5
