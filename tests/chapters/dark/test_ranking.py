"""The ranking systems: weights are the estimators', rivals are counted as defined."""

import numpy as np
import pytest

from chapters.dark import ranking
from zslib.compatibility import ALE, SJE, DeViSE
from zslib.compatibility.ranking.dark_objective import assess
from zslib.protocols.attributes.training import Scored, fitted, held_out


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 7)), rng.integers(7, size=30)


ESTIMATORS = {
    "DeViSE": DeViSE(),
    "DeViSE, one drawn": DeViSE(first_violating=True),
    "ALE": ALE(),
    "SJE": SJE(),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_weights_are_those_of_the_estimator(rows, name):
    scores, own = rows
    _, residuals, weights = ranking.SYSTEMS[name].assess(scores, own, np.random.default_rng(1))
    expected = ESTIMATORS[name]._weigh(residuals, own, np.random.default_rng(1))
    np.testing.assert_array_equal(weights, expected)


@pytest.mark.parametrize(("name", "soft"), [("DARK", True), ("DARK-L", True), ("DARK-H", False)])
def test_margins_and_weights_of_dark(rows, name, soft):
    scores, own = rows
    margins, _, weights = ranking.SYSTEMS[name].assess(scores, own)
    view = assess(scores, own, margin=0.5, soft=soft)
    np.testing.assert_allclose(margins, view.margins)
    np.testing.assert_allclose(weights, view.weights)


@pytest.mark.parametrize(
    ("name", "each"),
    [("DeViSE", 1), ("DeViSE, one drawn", 1 / 2), ("ALE", 3 / 4), ("LatEm", 1 / 4)],
)
def test_on_average_all_violating_labels_weigh_alike(name, each):
    residuals = np.array([0.0, 0.3, 2.0, -0.1, -1.0])
    weights = ranking.expected_weights(ranking.SYSTEMS[name], residuals)
    np.testing.assert_allclose(weights, [0, each, each, 0, 0], atol=0.02)


@pytest.fixture(scope="module")
def scored(problem):
    held = held_out(problem)
    models = [fitted(ALE(n_epochs=4, random_state=seed), held) for seed in range(2)]
    return Scored(problem, held, {"ALE": models}, "training classes")


def test_rivals_are_counted_image_by_image(scored):
    found = {row["metric"]: row["value"].mean for row in ranking.rival_rows(scored, range(2))}
    R = np.array([
        [np.delete(1.0 + f - f[own], own) for f, own in zip(F, scored.codes, strict=True)]
        for F in scored.scores["ALE"]
    ])  # fmt: skip
    counts = (R > 0).sum(axis=2)
    assert found["violating rivals"] == pytest.approx(counts.mean())
    # ALE's weights are alike, and none of a violating rival is below 0.01.
    assert found["rivals that weigh less, %"] == pytest.approx(100 * (R <= 0).mean())
    effective = np.mean([own[own > 0].mean() for own in counts])
    assert found["effective number of rivals"] == pytest.approx(effective)


def test_the_example_shows_the_own_label_first_and_never_weighs_it(scored):
    example = ranking.worked_example(scored, 5)
    assert example.names[0] == scored.names[example.own]
    assert scored.codes[example.image] == example.own
    assert not example.weights[:, 0].any()


def test_only_the_sigmoid_and_the_hardest_tell_rivals_apart():
    rows = {(row["system"], row["metric"]): row["value"] for row in ranking.family_rows()}
    tell = {name for name in ranking.SYSTEMS if rows[name, "harder rivals weigh more"]}
    assert tell == {"SJE", "DARK", "DARK-L"}
    assert rows["ALE", "total weight, r = 5"] == pytest.approx(sum(1 / j for j in range(1, 6)))
