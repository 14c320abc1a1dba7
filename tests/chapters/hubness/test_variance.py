"""The variance of mapped columns against least squares solved by NumPy."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.hubness.variance import column_variances, projection_checks, spread_of_targets


def test_variances_of_mapped_column_and_residual_add_up(languages):
    X, Y = (a.astype("f8") for a in (languages.X_train, languages.Y_train))
    with_ones = np.hstack([X, np.ones((len(X), 1))])
    residual = Y - with_ones @ np.linalg.lstsq(with_ones, Y, rcond=None)[0]
    gold, mapped = column_variances(languages, [0, 10])[0]
    np.testing.assert_allclose(mapped + residual.var(axis=0), gold)
    found = {row["metric"]: row["value"] for row in projection_checks(languages)}
    assert found["residual cosine"] < 1e-12
    assert found["largest training variance ratio"] == pytest.approx(np.max(mapped / gold))


def test_an_exact_fit_has_no_residual(languages):
    parts = ("X_train", "train_gold", "train_words")
    few = replace(languages, **{name: getattr(languages, name)[:10] for name in parts})
    found = {row["metric"]: row["value"] for row in projection_checks(few)}
    assert found["residual cosine"] is None
    assert found["mean training variance ratio"] == pytest.approx(1)


def test_spread_of_targets(languages, images):
    rows = list(spread_of_targets([languages, images]))
    for problem, row in zip((languages, images), rows, strict=False):
        targets = problem.targets[np.unique(problem.train_gold)]
        unit = targets / np.linalg.norm(targets, axis=1, keepdims=True)
        assert row["value"] == pytest.approx(1 - np.sum(unit.mean(axis=0) ** 2), abs=1e-6)
    assert rows[2]["value"] == rows[0]["value"] - rows[1]["value"]
