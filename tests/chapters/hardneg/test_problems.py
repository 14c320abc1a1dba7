"""The data of the chapters on hard negatives, candidates, lengths of training."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.hardneg import problems
from chapters.hardneg.ratios import fixed_method, lasting_method, second_choice
from zslib.compatibility import ESZSL
from zslib.datasets import available, load_problem
from zslib.datasets.attributes.scaling import common_scale
from zslib.protocols import ZeroShotMethod, run_table, run_zero_shot
from zslib.protocols.attributes.methods import HARD_NEGATIVE_METHODS


def test_problems_by_request():
    synthetic, digits = problems.hard_negative_problems("synthetic+digits", quick=True)
    assert synthetic.synthetic
    assert not digits.synthetic
    expected = common_scale(load_problem("metric learning", "synthetic", quick=True))
    assert synthetic.checksum == expected.checksum


@pytest.mark.skipif(not available("apy"), reason="aPY's attributes are not here")
def test_splits_of_real_data():
    standard, proposed = (
        problems.hard_negative_problems("apy", split=split, quick=True)[0]
        for split in ("standard", "proposed")
    )
    assert standard.unseen_classes.tolist() == list(range(20, 32))
    assert proposed.unseen_classes.tolist() != standard.unseen_classes.tolist()


def test_candidates_of_seen_classes(problem):
    found = problems.seen_candidates(problem)
    rows = problem.trainval
    np.testing.assert_array_equal(found.vectors[found.own], problem.image_attributes[rows])
    np.testing.assert_array_equal(problem.seen_classes[found.labels], problem.labels[rows])
    found = problems.seen_candidates(replace(problem, image_attributes=None))
    expected = problem.class_embeddings[problem.labels[rows]]
    np.testing.assert_array_equal(found.vectors[found.own], expected)
    assert found.fewest == len(problem.seen_classes) - 1


def test_more_negatives_than_there_are_is_passed_over():
    (digits,) = problems.hard_negative_problems("digits", quick=True)
    method = replace(
        HARD_NEGATIVE_METHODS["uncertainty"],
        grid={"negatives_per_positive": (1, 500)},
        fixed={"negatives": "uncertainty", "n_epochs": 2, "metric_dim": 8},
    )
    run = run_zero_shot(method, digits, split="random", fraction=0.2, must_learn=False)
    assert run.parameters["negatives_per_positive"] == 1
    (failed,) = (t["failed"] for t in run.tuned.trials if "failed" in t)
    assert "negatives_per_positive=500" in failed


def test_enough_steps(problem):
    method = fixed_method("uncertainty", "within_epoch")
    assert len(problem.trainval) == 297  # five minibatches
    for steps, epochs in (({}, 200), ({"steps": 7}, 15), ({"steps": 76}, 16)):
        changed = lasting_method("uncertainty", "within_epoch", problem, **steps)
        assert changed.fixed == method.fixed | {"n_epochs": epochs}
        assert changed.grid == method.grid
    assert lasting_method("uncertainty", "within_epoch", problem, quick=True) == method


def test_the_second_choice_is_that_of_validation(problem):
    method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.01, 1.0)})
    runs = run_table([method], problem, (3, 4))["ESZSL"]
    found = second_choice(method, problem, runs)
    (_, second, *_) = runs[0].tuned.ranked
    assert [run.parameters for run in found] == 2 * [second["parameters"]]
    assert second["parameters"] != runs[0].parameters
    expected = run_zero_shot(method, problem, seed=3, parameters=second["parameters"])
    assert found[0].outcome.accuracy == expected.outcome.accuracy


REFUSALS = {
    problems.hard_negative_problems: [
        ({"dataset": "awa1", "split": "official"}, "split must be one of"),
        ({"dataset": "europarl+dinu2015"}, "no data set for the metric learning setting"),
    ]
}


def test_refused(refusal):
    refusal()
