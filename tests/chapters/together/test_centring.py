"""Centring inside each fit, and the trap of centring before it."""

from dataclasses import replace

import numpy as np
import pytest

from book import Results
from chapters.together.centring import (
    before_and_after,
    centred_before,
    centring_measures,
    found_by_centring,
    plain_and_centred,
    trap_rows,
)
from zslib.compatibility import ESZSL
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import ZERO_SHOT_METHODS, ZeroShotMethod, run_zero_shot

CENTRED = ZERO_SHOT_METHODS["ESZSL"].on_centred()


@pytest.fixture(scope="module")
def problem():
    found = digits_segments()
    exact = {n: getattr(found, n).astype("f8") for n in ("features", "class_embeddings")}
    return replace(found, **exact)


def test_centred_before_is_centred_on_all_seen_classes(problem):
    made = centred_before(problem)
    X = problem.features - problem.features[problem.trainval].mean(axis=0)
    S = problem.class_embeddings - problem.class_embeddings[problem.seen_classes].mean(axis=0)
    for ours, theirs in ((made.features, X), (made.class_embeddings, S)):
        np.testing.assert_allclose(ours * np.linalg.norm(theirs, axis=1)[:, None], theirs)
    assert made.feature_scaling != problem.feature_scaling


def test_each_method_runs_plain_and_centred(problem):
    runs = plain_and_centred(["ESZSL"], problem, [0], quick=True)
    assert list(runs) == ["ESZSL", "ESZSL, centred"]
    (run,) = runs["ESZSL, centred"]
    direct = run_zero_shot(CENTRED, problem, quick=True)
    assert run.outcome.accuracy == direct.outcome.accuracy
    measured = {
        name: m(runs["ESZSL"]).mean for name, m in centring_measures(n_resamples=100).items()
    }
    assert measured["ACC"] == pytest.approx(runs["ESZSL"][0].outcome.accuracy)
    assert list(measured) == ["ACC", "H", "AUSUC", "largest hub over the mean, unseen"]


class Unfit(ESZSL):
    """Cannot be trained on vectors without a mean."""

    def _fit(self, X, codes, embeddings):
        if abs(embeddings.mean()) < 0.01:
            raise ValueError("no mean")
        super()._fit(X, codes, embeddings)


def test_what_cannot_be_trained_on_centred_vectors_is_told(problem):
    runs = plain_and_centred([ZeroShotMethod("unfit", Unfit), "SAE"], problem, [0], quick=True)
    assert list(runs) == ["unfit", "SAE", "SAE, centred"]
    rows = [
        {"dataset": "digits", "metric": metric, "method": name, "value": measure(runs[name])}
        for metric, measure in centring_measures(n_resamples=100).items()
        for name in runs
    ]
    rows += [
        row | {"method": "SAE, centred - SAE"} for row in rows if row["method"] == "SAE, centred"
    ]
    results = Results(rows)
    assert "cannot be trained: unfit." in next(found_by_centring(results))
    found = before_and_after(results)
    assert all(list(of) == ["SAE"] for of in found.values())
    before = runs["SAE"][0].outcome.accuracy
    assert found["accuracy, %", "digits"]["SAE"][0] == pytest.approx(before)


def test_the_trap_is_centring_on_validation_classes_too(problem):
    rows = {
        (r["centred"], r["metric"]): r["value"] for r in trap_rows("ESZSL", problem, 0, quick=True)
    }
    runs = {
        "nothing": run_zero_shot("ESZSL", problem, quick=True),
        "the classes of each fit": run_zero_shot(CENTRED, problem, quick=True),
        "all seen classes, before": run_zero_shot("ESZSL", centred_before(problem), quick=True),
    }
    assert rows == {
        (way, metric): value
        for way, run in runs.items()
        for metric, value in (
            ("validation ACC", run.tuned.score),
            ("test ACC", run.outcome.accuracy),
        )
    }
