"""Precision by frequency, and what the size of the vocabulary does to a correlation."""

import numpy as np
import pytest
from scipy import stats

from zslib.arrays import unit_rows as unit
from zslib.protocols import Repeated
from zslib.protocols.mapping.frequency import frequency_bins, precision_by_bin, rho_by_vocabulary


@pytest.fixture(scope="module")
def found(languages):
    runs = Repeated([languages, languages], [0, 1])
    return runs.outcomes({"plain": "least squares", "ridge": "ridge (GCV)"})


def test_bins_hold_equally_many_queries_in_the_order_of_their_answers(languages):
    bins, names = frequency_bins(languages)
    ranks = np.array([min(rows) for rows in languages.test_gold])
    assert np.ptp(np.bincount(bins)) <= 1
    for i in range(4):
        assert ranks[bins == i].max() <= ranks[bins == i + 1].min()
    assert names[0] == f"{ranks.min() + 1} to {ranks[bins == 0].max() + 1}"


def test_bins_together_are_the_whole_test(found):
    rows = list(precision_by_bin(found, [("plain", "ridge")]))
    for name in ("plain", "ridge"):
        values = [r["value"].mean for r in rows if r["method"] == name]
        assert np.mean(values) == pytest.approx(found[name][0].hits(1).mean())
    gains = [r["value"].mean for r in rows if r["method"] == "plain - ridge"]
    gain = found["plain"][0].hits(1).mean() - found["ridge"][0].hits(1).mean()
    assert np.mean(gains) == pytest.approx(gain)


def test_the_correlation_is_that_of_a_search_among_the_most_frequent_words(found, languages):
    rows = list(rho_by_vocabulary({languages: found}, ["plain"], sizes=(100,)))
    assert [r["words"] for r in rows] == [100, 300]
    few = np.union1d(np.arange(100), languages.labels)
    for row, kept in zip(rows, (few, np.arange(300)), strict=True):
        targets = languages.targets[kept]
        near = np.argsort(-found["plain"][0].queries @ unit(targets).T, axis=1)[:, :20]
        counts = np.bincount(near.ravel(), minlength=kept.size)
        rho = stats.spearmanr(counts, unit(targets) @ targets.mean(axis=0)).statistic
        assert row["value"].mean == pytest.approx(rho, abs=1e-4)
