"""Cross-fitting over classes, against its definition."""

from dataclasses import replace

import numpy as np
import pytest

from zslib.compatibility import ESZSL
from zslib.datasets.attributes.synthetic import synthetic_attributes
from zslib.protocols import ZeroShotMethod, cross_fit, evaluate_zero_shot, zero_shot_estimate
from zslib.protocols.attributes.crossing import crossed_problems


@pytest.fixture(scope="module")
def problem():
    return synthetic_attributes("APY", scale=0.05, n_features=20)


@pytest.mark.parametrize("folds", [2, 3, 5])
def test_every_class_is_tested_once_and_no_fold_trains_on_what_it_tests(problem, folds):
    parts = crossed_problems(problem, folds, seed=1)
    tested = np.concatenate([part.unseen_classes for part in parts])
    assert sorted(tested) == np.unique(problem.labels).tolist()
    images = np.concatenate([part.test_unseen for part in parts])
    used = np.concatenate([problem.trainval, problem.test_seen, problem.test_unseen])
    assert sorted(images) == sorted(used)
    for part in parts:
        trained_on = np.unique(part.labels[part.trainval])
        np.testing.assert_array_equal(np.setxor1d(trained_on, part.unseen_classes), sorted(tested))
        assert part.trainval.size + part.test_unseen.size == used.size
        assert np.isin(part.train, part.trainval).all()
        assert part.features is problem.features
    assert np.ptp([part.unseen_classes.size for part in parts]) <= 1


def test_permutations_differ_and_are_the_same_for_all_methods(problem):
    drawn = (crossed_problems(problem, 2, seed=seed)[0] for seed in (0, 0, 1))
    first, again, other = (part.unseen_classes.tolist() for part in drawn)
    assert first == again != other


def test_images_in_no_part_stay_out(problem):
    fewer = replace(problem, test_seen=problem.test_seen[::2])
    for part in crossed_problems(fewer, 2):
        used = np.union1d(part.trainval, part.test_unseen)
        assert not np.isin(problem.test_seen[1::2], used).any()


def test_folds_are_joined_image_by_image(problem):
    method = ZeroShotMethod("ESZSL", ESZSL)

    def train(part, seeds):
        return {"a": [evaluate_zero_shot(method.estimator(seed=s), part) for s in seeds]}

    runs = cross_fit(train, problem, 3, (0, 2))["a"]
    assert len(runs) == 2
    for seed, run in zip((0, 2), runs, strict=True):
        accuracies = {}
        for part in crossed_problems(problem, 3, seed=seed):
            found = evaluate_zero_shot(ESZSL(), part).class_accuracies("ACC")
            accuracies |= dict(zip(part.unseen_classes, found, strict=True))
        slow = [accuracies[c] for c in sorted(accuracies)]
        np.testing.assert_allclose(run.class_accuracies(), slow)
        assert run.accuracy == pytest.approx(np.mean(slow))
        assert run.checksum == problem.checksum
    np.testing.assert_array_equal(runs[0].true, runs[1].true)
    found = zero_shot_estimate(runs, "ACC")
    assert found.mean == pytest.approx(np.mean([run.accuracy for run in runs]))
    assert (found.unit, found.n_units) == ("classes", len(np.unique(problem.labels)))
    with pytest.raises(ValueError, match="measure must be"):
        zero_shot_estimate(runs, "H")


def two_runs(problem, seeds):
    return {"ESZSL": 2 * [evaluate_zero_shot(ESZSL(), problem)]}


REFUSALS = [
    (lambda p: cross_fit(two_runs, p, 4, [0]), "experiment gives 2 runs of 'ESZSL' for one seed"),
    (lambda p: crossed_problems(p, 1), "folds must be between 2 and"),
    (lambda p: crossed_problems(p, 17), "two classes in each"),
]


def test_refused(refusal, problem):
    refusal(problem)
