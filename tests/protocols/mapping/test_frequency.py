"""Precision by frequency, and what the size of the vocabulary does to a correlation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from book.results import Results
from zslib.protocols import Estimate, Repeated
from zslib.protocols.mapping.frequency import (
    frequency_bins,
    mean_and_frequency,
    precision_by_bin,
    rho_by_vocabulary,
    why_the_sign_turns,
)


@pytest.fixture(scope="module")
def found(languages):
    runs = Repeated([languages, languages], [0, 1])
    return runs.outcomes({"plain": "least squares", "ridge": "ridge (GCV)"})


def test_bins_hold_equally_many_queries_in_the_order_of_their_answers(languages):
    bins, names = frequency_bins(languages, 4)
    ranks = np.array([min(rows) for rows in languages.test_gold])
    assert np.ptp(np.bincount(bins)) <= 1
    for i in range(3):
        assert ranks[bins == i].max() <= ranks[bins == i + 1].min()
    assert names[0] == f"{ranks.min() + 1} to {ranks[bins == 0].max() + 1}"


def test_bins_together_are_the_whole_test(found):
    rows = list(precision_by_bin(found, minus=[("plain", "ridge")]))
    for name in ("plain", "ridge"):
        values = [r["value"].mean for r in rows if r["method"] == name]
        assert np.mean(values) == pytest.approx(found[name][0].hits(1).mean())
    gain = [r["value"].mean for r in rows if r["method"] == "plain - ridge"]
    assert np.mean(gain) == pytest.approx(
        found["plain"][0].hits(1).mean() - found["ridge"][0].hits(1).mean()
    )


def test_the_correlation_is_that_of_a_search_among_the_most_frequent_words(found, languages):
    rows = list(rho_by_vocabulary({languages: found}, ["plain"], sizes=(100,)))
    assert [r["words"] for r in rows] == [100, 300]
    kept = np.union1d(np.arange(100), languages.labels)
    targets = languages.targets[kept]
    unit = targets / np.linalg.norm(targets, axis=1, keepdims=True)
    queries = found["plain"][0].queries
    near = np.argsort(-queries @ unit.T, axis=1)[:, :20]
    counts = np.bincount(near.ravel(), minlength=kept.size)
    rho = stats.spearmanr(counts, unit @ targets.mean(axis=0)).statistic
    assert rows[0]["value"].mean == pytest.approx(rho, abs=1e-6)
    assert rows[1]["value"].mean == pytest.approx(
        found["plain"][0].correlations.mean_rho, abs=1e-4
    )


def test_frequency_is_the_order_of_the_targets(languages):
    cosines = languages.hub_cosines[0]
    expected = stats.spearmanr(cosines, np.arange(cosines.size)).statistic
    assert mean_and_frequency(languages) == expected


def test_why_the_sign_turns_follows_the_numbers(languages):
    rows = [
        {"dataset": "d", "method": "ridge", "words": n, "value": Estimate(rho, rho, rho, 1)}
        for n, rho in ((100, 0.3), (200, 0.1), (300, -0.2))
    ]
    told = why_the_sign_turns(Results(None, rows), languages)
    assert "rho is 0.30" in told
    assert "among all 300 it is -0.20" in told
    assert ("rare words crowd" in told) == (mean_and_frequency(languages) > 0)
    assert "among all 100 it is 0.30" in why_the_sign_turns(Results(None, rows[:1]), languages)
