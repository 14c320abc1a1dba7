"""Chances of negatives, against a slow sum over candidates."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.hardneg import mining
from chapters.hardneg.metric_learning import trained, tuning_problems
from zslib.compatibility import MetricLearner
from zslib.protocols import evaluate_zero_shot


@pytest.fixture(scope="module")
def run(problem):
    (found,) = trained(MetricLearner(8, n_epochs=2), problem, [1])
    return found


@pytest.mark.parametrize("way", mining.WAYS)
def test_chances_are_the_papers(problem, run, way):
    drawn = mining.draws(run, way, n=6)
    found, i = drawn.candidates, 4
    image = problem.trainval[drawn.images[i]]
    S = -run.model.decision_function(problem.features[[image]], found.vectors)[0]
    own = found.own[drawn.images[i]]
    weights = np.zeros(len(found.classes))
    for j, (of, count) in enumerate(zip(found.classes, found.counts, strict=True)):
        if of == found.classes[own]:
            continue
        same = found.classes == of
        apart = np.linalg.norm(found.vectors[same] - found.vectors[j], axis=1)
        u = np.exp(S[own] - S[j])
        q = np.exp(-(apart @ found.counts[same]) / found.counts[same].sum())
        weights[j] = count * {"random": 1.0, "uncertainty": u}.get(way, u * q)
    chances = weights / weights.sum()
    np.testing.assert_allclose(drawn.chances[i], chances, rtol=1e-4, atol=1e-12)
    entropy = -sum(c * np.log(c) for c in chances if c)
    wanted = 100 * np.exp(entropy) / np.count_nonzero(chances)
    np.testing.assert_allclose(drawn.effective()[i], wanted, rtol=1e-4)
    threshold = run.model.threshold_[0]
    within = (threshold + 1.0 > S**2) @ chances
    np.testing.assert_allclose(drawn.within_margin()[i], 100 * within, rtol=1e-3)


def test_shares_of_classes(problem, run):
    shares = mining.class_shares(run, "uncertainty")
    np.testing.assert_allclose(shares.sum(axis=1), 100)
    assert not np.diag(shares).any()
    every = mining.draws(run, "uncertainty", n=10**6)
    of = every.candidates.labels[every.images] == 2
    chances = every.chances[of][:, every.candidates.classes == 3].sum(axis=1)
    assert shares[2, 3] == pytest.approx(100 * chances.mean())


def test_one_negative_makes_both_objectives_the_same(problem):
    learner = MetricLearner(8, n_epochs=10, growth="within_epoch")
    chosen = mining.balance_settings(learner, tuning_problems(problem, 0.25), [1, 2])
    assert set(chosen) == {(name, k) for name in mining.FORMS for k in (1, 2)}
    one, two = (mining.balanced_or_sum(learner, problem, [0], chosen, k) for k in (1, 2))
    plain = learner.set_params(balanced=False, random_state=0, **chosen["Eq. 6, plain sum", 1])
    alone = evaluate_zero_shot(plain, problem).accuracy
    assert [of[0].outcome.accuracy for of in one.values()] == pytest.approx([alone, alone])
    for (name, k), settings in chosen.items():
        if k == 2:
            (run,) = two[name]
            made = run.model.get_params()
            expected = settings | {"negatives_per_positive": 2, "balanced": mining.FORMS[name]}
            assert {key: made[key] for key in expected} == expected


def test_correlation_needs_images_that_differ(problem):
    assert list(mining.ways(problem)) == list(mining.WAYS)
    alike = replace(problem, image_attributes=None)
    assert mining.ways(alike) == ["random", "uncertainty"]
