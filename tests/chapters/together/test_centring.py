"""Centring inside each fit, and the trap of centring before it."""

from dataclasses import replace

import numpy as np
import pytest

from book import Results
from chapters.together import centring
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
    made = centring.centred_before(problem)
    X = problem.features - problem.features[problem.trainval].mean(axis=0)
    S = problem.class_embeddings - problem.class_embeddings[problem.seen_classes].mean(axis=0)
    for ours, theirs in ((made.features, X), (made.class_embeddings, S)):
        np.testing.assert_allclose(ours * np.linalg.norm(theirs, axis=1)[:, None], theirs)
    assert made.feature_scaling != problem.feature_scaling


class Unfit(ESZSL):
    """Cannot be trained on vectors without a mean."""

    def _fit(self, X, codes, embeddings):
        if abs(embeddings.mean()) < 0.01:
            raise ValueError("no mean")
        super()._fit(X, codes, embeddings)


def test_each_method_runs_plain_and_centred_where_it_can_be_trained(problem):
    methods = [ZeroShotMethod("unfit", Unfit), "ESZSL"]
    runs = centring.plain_and_centred(methods, problem, [0], quick=True)
    assert list(runs) == ["unfit", "ESZSL", "ESZSL, centred"]
    direct = run_zero_shot(CENTRED, problem, quick=True)
    assert runs["ESZSL, centred"][0].outcome.accuracy == direct.outcome.accuracy
    whole = centring.with_all(runs)
    assert list(whole)[-2:] == ["all systems", "all systems, centred"]
    assert whole["all systems"] == runs["ESZSL"]


def test_before_and_after_are_of_systems_that_have_both():
    values = {"unfit": 1.0, "SAE": 2.0, "SAE, centred": 3.0, "SAE, centred - SAE": 1.0}
    rows = [
        {"dataset": "digits", "metric": metric, "method": name, "value": Estimate(v, v, v, 1)}
        for metric in ("ACC", "agreement of errors")
        for name, v in values.items()
    ]
    found = centring.before_and_after(Results(rows))
    assert found["accuracy, %", "digits"] == {"SAE": (2.0, 3.0)}
    assert all(list(of) == ["SAE"] for of in found.values())


def test_the_trap_is_centring_on_validation_classes_too(problem):
    ways = {
        "nothing": ("ESZSL", problem),
        "the classes of each fit": (CENTRED, problem),
        "all seen classes, before": ("ESZSL", centring.centred_before(problem)),
    }
    wanted = {}
    for way, of in ways.items():
        run = run_zero_shot(*of, quick=True)
        wanted[way, "validation ACC"] = run.tuned.score
        wanted[way, "test ACC"] = run.outcome.accuracy
    rows = centring.trap_rows("ESZSL", problem, 0, quick=True)
    assert {(r["centred"], r["metric"]): r["value"] for r in rows} == wanted


def test_changes_are_counted_alone_and_beside_all_others():
    values = {"CMT": (8.0, 7.0, 9.0), "SAE": (1.0, 0.02, 2.0), "ALE": (0.1, -1.0, 1.2)}
    rows = [
        {"dataset": "cub", "metric": "ACC", "method": method, "value": Estimate(*ends, 1)}
        for name, ends in (values | {"all systems": (9.0, 8.0, 9.0)}).items()
        for method in (f"{name}, centred - {name}", name)
    ]
    changes = centring.changes_of_accuracy(Results(rows))
    assert [row["method"].split(",")[0] for row in changes] == list(values)
    # SAE's p is 0.044, and 0.066 as the second of three.
    assert [row["p"] < 0.05 for row in changes] == [True, False, False]
    assert changes[1]["p"] == pytest.approx(0.0457 * 1.5, abs=0.01)
    counted = {(r["metric"], r["method"]): r["value"] for r in centring.change_counts(changes)}
    assert counted["changes of ACC that are there", "alone"] == 3
    assert counted["changes of ACC that gain", "alone"] == 2
    assert counted["changes of ACC that gain", "all"] == 1
    assert counted["changes of ACC that lose", "alone"] == 0
    assert "CMT on CUB (which survives" in centring.changes_told(changes)
