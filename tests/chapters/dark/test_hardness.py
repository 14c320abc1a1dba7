"""Triplets in training: residuals and shares by loops, directions by differences."""

import numpy as np
import pytest
from scipy.stats import rankdata

from chapters.dark import readings
from chapters.dark.hardness import Moment, noise_rows, noisy_hits, training_stages, valley
from chapters.dark.readings import COMMON
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import density_margin
from zslib.protocols.attributes.training import held_out


@pytest.fixture(scope="module")
def stages(problem):
    return training_stages(problem, range(2), n_iter=4)[0]["fixed"]


def test_the_valley_is_where_the_loss_of_a_triplet_is_flat():
    R, h = valley(), 1e-3
    part = [r / (1 + np.exp(-r)) for r in (R - h, R, R + h)]
    assert part[1] <= min(part[0], part[2]) + 1e-9


def test_residuals_are_those_of_each_image_and_rival(problem, stages):
    moment = Moment(stages["end"][0], problem)
    F, R = moment.scores["images"], moment.residuals("images")
    for i in (0, 5, len(F) - 1):
        own = moment.codes[i]
        expected = density_margin(F[i, own], 0.5) + np.delete(F[i], own) - F[i, own]
        np.testing.assert_allclose(R[i], expected)
    soft, easy, shares = 1 / (1 + np.exp(-R)), R <= 0, moment.shares("images")
    for metric, wanted in (
        ("easy triplets, %", easy.mean()),
        ("weight on easy triplets, %", soft[easy].sum() / soft.sum()),
    ):
        above, below = shares[metric]
        found = np.sum(above) / np.sum(np.broadcast_to(below, len(R)))
        assert found == pytest.approx(100 * wanted)


def test_stages_share_their_start_and_a_moment_agrees_with_itself(problem, stages):
    start = DARK(**COMMON, n_iter=1, iteration="step", learning_rate=1e-12, random_state=1)
    rows = problem.trainval
    start.fit(problem.features[rows], problem.labels[rows], problem.class_embeddings)
    np.testing.assert_allclose(stages["start"][1].U_, start.U_, atol=1e-6)
    assert abs(Moment(stages["end"][0], problem).agreement) <= 1 + 1e-9


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_wrong_labels_cost_classes_accuracy(problem, noise, monkeypatch):
    """The classes are the unit, and the last row is the difference of the two losses."""
    held = held_out(problem)
    monkeypatch.setattr(readings, "gradients", lambda p: {"fixed": "fixed"})
    hits, failed = noisy_hits(problem, held, [0, 1], noise=noise, n_iter=2)
    rows = list(noise_rows(problem, held, hits["fixed"]))
    n_classes = np.unique(held.labels[held.test_unseen]).size
    assert {(row["value"].unit, row["value"].n_units) for row in rows} == {("classes", n_classes)}
    clean, noisy, lost, *_, other, more = (row["value"].mean for row in rows)
    assert lost == pytest.approx(clean - noisy)
    assert more == pytest.approx(other - lost)
    assert (lost == other == 0) == (noise == 0)
    assert not failed


def test_outlying_images_are_ranked_within_their_class(problem, stages):
    moment = Moment(stages["end"][0], problem)
    hinge = np.maximum(moment.residuals("images"), 0).sum(axis=1)
    for c, correlation in enumerate(moment.outlyingness):
        x, own = moment.X[moment.codes == c], hinge[moment.codes == c]
        if np.ptp(own) > 0:
            far = np.linalg.norm(x - x.mean(axis=0), axis=1)
            expected = np.corrcoef(rankdata(own), rankdata(far))[0, 1]
            assert correlation == pytest.approx(expected)
