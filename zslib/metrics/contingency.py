"""Whether two hubness distributions differ: the cross-tab test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from zslib.arrays import to_host
from zslib.metrics.hubness import check_counts
from zslib.validation import check_each, check_integer

__all__ = ["Contingency", "hubness_contingency"]


class Contingency(NamedTuple):
    """Chi-square statistic and p-value of `hubness_contingency`."""

    statistic: float
    p_value: float


def hubness_contingency(counts_a, counts_b, *, bins=(0, 1, 6, 11)):
    """Cross-tab test: do two sets of queries give different N_k distributions?

    Pearson's chi-square test on the contingency table with one row for each set of counts and
    one column for each bin of N_k (Lazaridou et al. 2015, section 3 and Figure 1, who do not
    print the bins). Columns that are empty in both rows are merged into their neighbour.

    Parameters
    ----------
    counts_a, counts_b : (n_targets,) int arrays
        From `k_occurrence`, for instance of gold and of mapped queries over one search space.
    bins : sequence of int, default (0, 1, 6, 11)
        Lower edges of the bins, ascending from 0; the last is open. The default separates
        N_k = 0, 1 to 5, 6 to 10, and more than 10.

    Examples
    --------
    >>> import numpy as np
    >>> gold, mapped = np.array([3] * 40 + [0] * 60), np.array([12] * 10 + [0] * 90)
    >>> test = hubness_contingency(gold, mapped)
    >>> round(test.statistic, 6), test.p_value < 1e-10
    (56.0, True)
    """
    edges = np.asarray(check_each(bins, "bins", check_integer, "integers", low=0))
    if edges.size < 2 or edges[0] != 0 or (np.diff(edges) <= 0).any():
        raise ValueError(f"bins must be at least two lower edges ascending from 0, got {bins!r}")
    table = np.stack(
        [
            np.bincount(
                np.searchsorted(edges, to_host(check_counts(c, name)), side="right") - 1,
                minlength=edges.size,
            )
            for c, name in ((counts_a, "counts_a"), (counts_b, "counts_b"))
        ]
    )
    table = table[:, table.any(axis=0)]
    if table.shape[1] < 2:
        raise ValueError(
            "counts_a and counts_b fall into one single bin: there is nothing to compare; "
            f"choose finer bins than {tuple(int(e) for e in edges)}"
        )
    result = stats.chi2_contingency(table, correction=False)
    return Contingency(float(result.statistic), float(result.pvalue))
