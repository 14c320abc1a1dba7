"""Centring inside each fit, and the trap of centring before it."""

from dataclasses import replace

import numpy as np
import pytest

from book import Results
from chapters.together.centring import (
    before_and_after,
    centred_before,
    centring_measures,
    change_counts,
    changes_of_accuracy,
    changes_told,
    plain_and_centred,
    trap_rows,
    with_all,
)
from zslib.compatibility import ESZSL
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import ZERO_SHOT_METHODS, ZeroShotMethod, run_zero_shot
from zslib.protocols.intervals import Estimate

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
    assert list(measured) == ["ACC", "H", "AUSUC", "agreement of errors"]


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
    assert list(with_all(runs))[-2:] == ["all systems", "all systems, centred"]
    assert with_all(runs)["all systems"] == runs["SAE"]
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


def test_changes_are_counted_alone_and_beside_all_others():
    values = {"CMT": (8.0, 7.0, 9.0), "SAE": (1.0, 0.02, 2.0), "ALE": (0.1, -1.0, 1.2)}
    rows = [
        {"dataset": "cub", "metric": "ACC", "method": method, "value": Estimate(*ends, 1)}
        for name, ends in (values | {"all systems": (9.0, 8.0, 9.0)}).items()
        for method in (f"{name}, centred - {name}", name)
    ]
    changes = changes_of_accuracy(Results(rows))
    assert [row["method"].split(",")[0] for row in changes] == list(values)
    # SAE's p is 0.044, and 0.066 as the second of three.
    assert [row["p"] < 0.05 for row in changes] == [True, False, False]
    assert changes[1]["p"] == pytest.approx(0.0457 * 1.5, abs=0.01)
    counted = {(r["metric"], r["method"]): r["value"] for r in change_counts(changes)}
    assert counted["changes of ACC that are there", "alone"] == 3
    assert counted["changes of ACC that gain", "alone"] == 2
    assert counted["changes of ACC that gain", "all"] == 1
    assert counted["changes of ACC that lose", "alone"] == 0
    assert "CMT on CUB (which survives" in changes_told(changes)
