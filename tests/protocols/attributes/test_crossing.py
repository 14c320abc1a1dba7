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
    assert sorted(tested.tolist()) == np.unique(problem.labels).tolist()
    images = np.concatenate([part.test_unseen for part in parts])
    used = np.concatenate([problem.trainval, problem.test_seen, problem.test_unseen])
    assert sorted(images.tolist()) == sorted(used.tolist())
    for part in parts:
        trained_on = set(part.labels[part.trainval].tolist())
        assert trained_on.isdisjoint(part.labels[part.test_unseen].tolist())
        assert len(trained_on) + part.unseen_classes.size == len(np.unique(problem.labels))
        assert part.trainval.size + part.test_unseen.size == used.size
        assert np.isin(part.train, part.trainval).all()
        assert part.features is problem.features
    sizes = {part.unseen_classes.size for part in parts}
    assert max(sizes) - min(sizes) <= 1


def test_permutations_differ_and_are_the_same_for_all_methods(problem):
    first, again, other = (
        [part.unseen_classes.tolist() for part in crossed_problems(problem, 2, seed=seed)]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_images_in_no_part_stay_out(problem):
    fewer = replace(problem, test_seen=problem.test_seen[::2])
    parts = crossed_problems(fewer, 2)
    used = {int(i) for part in parts for i in (*part.trainval, *part.test_unseen)}
    assert used.isdisjoint(problem.test_seen[1::2].tolist())


def test_folds_are_joined_image_by_image(problem):
    method = ZeroShotMethod("ESZSL", ESZSL)

    def train(part, seeds):
        return {"a": [evaluate_zero_shot(method.estimator(seed=s), part) for s in seeds]}

    runs = cross_fit(train, problem, 3, (0, 2))["a"]
    assert len(runs) == 2
    for seed, run in zip((0, 2), runs, strict=True):
        accuracies = {}
        for part in crossed_problems(problem, 3, seed=seed):
            outcome = evaluate_zero_shot(ESZSL(), part)
            accuracies |= dict(
                zip(part.unseen_classes, outcome.class_accuracies("ACC"), strict=True)
            )
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


@pytest.mark.parametrize(
    ("folds", "words"), [(1, "folds must be between 2 and"), (17, "two classes in each")]
)
def test_refused(problem, folds, words):
    with pytest.raises(ValueError, match=words):
        crossed_problems(problem, folds)
