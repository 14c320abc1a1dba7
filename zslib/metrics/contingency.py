"""Whether two hubness distributions differ: the cross-tab test."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from zslib.arrays import to_host
from zslib.metrics.hubness import check_counts


class Contingency(NamedTuple):
    """Chi-square statistic and p-value of `hubness_contingency`."""

    statistic: float
    p_value: float


def hubness_contingency(counts_a, counts_b):
    """Cross-tab test: do two sets of queries give different N_k distributions?

    Pearson's chi-square test on the contingency table with one row for each set of counts and
    one column for each bin of N_k (Lazaridou et al. 2015, section 3 and Figure 1, who do not
    print the bins; here 0, 1 to 5, 6 to 10, and more). Columns that are empty in both rows are
    merged into their neighbour.

    Parameters
    ----------
    counts_a, counts_b : (n_targets,) int arrays
        From `k_occurrence`, for instance of gold and of mapped queries over one search space.

    Examples
    --------
    >>> import numpy as np
    >>> gold, mapped = np.array([3] * 40 + [0] * 60), np.array([12] * 10 + [0] * 90)
    >>> test = hubness_contingency(gold, mapped)
    >>> round(test.statistic, 6), test.p_value < 1e-10
    (56.0, True)
    """
    both = check_counts(counts_a, "counts_a"), check_counts(counts_b, "counts_b")
    bins = (np.searchsorted([1, 6, 11], to_host(counts), side="right") for counts in both)
    table = np.stack([np.bincount(places, minlength=4) for places in bins])
    table = table[:, table.any(axis=0)]
    if table.shape[1] < 2:
        raise ValueError(
            "counts_a and counts_b fall into one single bin: there is nothing to compare"
        )
    result = stats.chi2_contingency(table, correction=False)
    return Contingency(float(result.statistic), float(result.pvalue))
