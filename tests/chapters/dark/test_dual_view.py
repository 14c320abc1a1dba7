"""Parts of DARK: shares, sets and margins by their definitions."""

import numpy as np
import pytest

from chapters.dark import dual_view
from zslib.compatibility.ranking.dark_objective import density_margin
from zslib.protocols.attributes.training import Scored, held_out


@pytest.fixture(scope="module")
def scored(problem):
    held = held_out(problem)
    kinds = ("before training", "DARK", "DARK, equal weights")
    models, _ = dual_view.train_kinds(problem, held, kinds, range(2), n_iter=3, margin=0.5)
    return Scored(problem, held, models["fixed"], "validation classes")


def test_equal_weights_stand_for_all_images_and_one_weight_for_one():
    assert dual_view.effective_share(np.full(8, 0.3)) == pytest.approx(100.0)
    assert dual_view.effective_share(np.eye(8)[0]) == pytest.approx(100.0 / 8)


def test_at_sharpness_one_the_shares_are_those_of_eq_6(problem):
    (row,) = dual_view.sharpness_rows(problem, [1.0])
    found = {row["metric"]: row["value"] for row in dual_view.weight_rows(problem)}
    assert row["value"] == pytest.approx(found["effective share, %"])


def test_sets_are_weighted_means_of_scores(scored):
    F = scored.scores["DARK"][0]
    sets = scored.sets(F)
    for c in range(F.shape[1]):
        own = scored.codes == c
        expected = np.average(F[own], axis=0, weights=scored.weights[own])
        np.testing.assert_allclose(sets[:, c], expected)


def test_equal_weights_are_trained_on_plain_means(scored):
    # All else alike: DARK and its twin part only by the sets that they stand for.
    a, b = scored.scores["DARK"][0], scored.scores["DARK, equal weights"][0]
    assert 0 < np.abs(a - b).max() < 0.1 * np.abs(a).max()


def test_violations_are_counted_triplet_by_triplet(scored):
    rows = {(r["method"], r.get("factor")): r["value"] for r in dual_view.margin_rows(scored, 0.5)}
    violating = [
        density_margin(2 * f[own], 0.5) + 2 * np.delete(f, own) - 2 * f[own] > 0
        for F in scored.scores["DARK"]
        for f, own in zip(F, scored.codes, strict=True)
    ]
    assert rows["Eq. 3", 2.0].mean == pytest.approx(100 * np.mean(violating))


def test_the_first_place_is_that_of_own_sets_first(scored):
    first = {row["kind"]: row["value"] for row in dual_view.place_rows(scored) if row["k"] == 1}
    sets = scored.sets(scored.scores["DARK"][0])
    own_first = 100 * (sets.argmax(axis=1) == np.arange(len(sets))).mean()
    assert first["DARK"] == pytest.approx(own_first)
    first_sets = dual_view.view_measures(scored)["labels whose own set comes first, %"]
    assert first_sets([scored.scores["DARK"][0]]).mean == pytest.approx(own_first)
