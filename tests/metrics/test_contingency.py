import numpy as np
from scipy import stats

from zslib.metrics import hubness_contingency


def chi_square(table):
    """Pearson's statistic by hand."""
    table, found = np.asarray(table, dtype=float), 0.0
    for (i, j), count in np.ndenumerate(table):
        expected = table[i].sum() * table[:, j].sum() / table.sum()
        found += (count - expected) ** 2 / expected
    return found


def test_bins_and_statistic_by_hand(backend):
    a = np.repeat([0, 1, 5, 6, 10, 11, 40], [9, 4, 3, 2, 2, 1, 1])
    b = np.repeat([0, 1, 5, 6, 10, 11, 40], [15, 2, 1, 1, 1, 1, 1])
    table = [[9, 7, 4, 2], [15, 3, 2, 2]]
    test = hubness_contingency(backend.asarray(a), backend.asarray(b))
    np.testing.assert_allclose(test.statistic, chi_square(table))
    np.testing.assert_allclose(test.p_value, stats.chi2.sf(chi_square(table), df=3))
    assert (test.statistic, test.p_value) == (*test,)


def test_two_bins_get_no_continuity_correction():
    a, b = np.repeat([0, 3], [30, 10]), np.repeat([0, 3], [20, 20])
    found = hubness_contingency(a, b).statistic
    np.testing.assert_allclose(found, chi_square([[30, 10], [20, 20]]))


def test_equal_distributions_give_p_of_one():
    counts = np.arange(30)
    test = hubness_contingency(counts, counts[::-1])
    assert test.statistic == 0 and test.p_value == 1
