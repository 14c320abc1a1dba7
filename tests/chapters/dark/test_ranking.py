"""The ranking systems: weights are the estimators', rivals are counted as defined."""

import numpy as np
import pytest

from chapters.dark.ranking import (
    SYSTEMS,
    expected_weights,
    family_rows,
    rival_rows,
    train_systems,
    worked_example,
)
from zslib.compatibility import ALE, SJE, DeViSE
from zslib.compatibility.ranking.dark_objective import assess
from zslib.protocols.attributes.training import Scored, held_out


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 7)), rng.integers(7, size=30)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("DeViSE", DeViSE()),
        ("DeViSE, one drawn", DeViSE(first_violating=True)),
        ("ALE", ALE()),
        ("SJE", SJE()),
    ],
)
def test_weights_are_those_of_the_estimator(rows, name, model):
    scores, own = rows
    _, residuals, weights = SYSTEMS[name].assess(scores, own, np.random.default_rng(1))
    expected = model._weigh(residuals, own, np.random.default_rng(1))
    np.testing.assert_array_equal(weights, expected)


@pytest.mark.parametrize(("name", "soft"), [("DARK", True), ("DARK-L", True), ("DARK-H", False)])
def test_margins_and_weights_of_dark(rows, name, soft):
    scores, own = rows
    margins, _, weights = SYSTEMS[name].assess(scores, own)
    view = assess(scores, own, margin=0.5, soft=soft)
    np.testing.assert_allclose(margins, view.margins)
    np.testing.assert_allclose(weights, view.weights)


def test_only_the_own_label_never_weighs(rows):
    scores, own = rows
    for system in SYSTEMS.values():
        margins, residuals, weights = system.assess(scores, own, np.random.default_rng(2))
        assert margins.shape == (30, 1)
        assert np.all(weights[np.arange(30), own] == 0)
        if system.weigh is not SYSTEMS["DARK"].weigh:
            assert np.all(weights[residuals <= 0] == 0)


@pytest.mark.parametrize(
    ("name", "each"),
    [("DeViSE", 1), ("DeViSE, one drawn", 1 / 2), ("ALE", 3 / 4), ("LatEm", 1 / 4)],
)
def test_on_average_all_violating_labels_weigh_alike(name, each):
    residuals = np.array([0.0, 0.3, 2.0, -0.1, -1.0])
    weights = expected_weights(SYSTEMS[name], residuals, 0, n_draws=20_000)
    np.testing.assert_allclose(weights, [0, each, each, 0, 0], atol=0.02)


@pytest.fixture(scope="module")
def scored(problem):
    held = held_out(problem)
    models, _, _ = train_systems(held, range(2), n_epochs=4, must_learn=False)
    return Scored(problem, held, models, "training classes")


def test_rivals_are_counted_image_by_image(scored):
    rows = {
        (row["method"], row["metric"]): row["value"].mean for row in rival_rows(scored, range(2))
    }
    violating, light, numbers = [], [], []
    for F in scored.scores["ALE"]:
        for scores, own in zip(F, scored.codes, strict=True):
            R = np.delete(1.0 + scores - scores[own], own)
            r = (R > 0).sum()
            weights = np.where(R > 0, sum(1 / j for j in range(1, r + 1)) / max(r, 1), 0.0)
            violating.append(r)
            light.append((weights < 0.01).mean())
            numbers.append(r)
    assert rows["ALE", "violating rivals"] == pytest.approx(np.mean(violating))
    assert rows["ALE", "rivals that weigh less, %"] == pytest.approx(100 * np.mean(light))
    # Equal weights: the effective number is their number.
    parts = [np.array(numbers).reshape(2, -1)[i] for i in range(2)]
    expected = np.mean([part[part > 0].mean() if part.any() else 0.0 for part in parts])
    assert rows["ALE", "effective number of rivals"] == pytest.approx(expected)


def test_the_example_shows_the_own_label_first_and_never_weighs_it(scored):
    example = worked_example(scored, 5)
    assert example.names[0] == scored.names[example.own]
    assert scored.codes[example.image] == example.own
    assert example.weights.shape == (len(SYSTEMS), len(example.names))
    assert not example.weights[:, 0].any()


def test_only_the_sigmoid_and_the_hardest_tell_rivals_apart():
    rows = {(row["system"], row["metric"]): row["value"] for row in family_rows()}
    tell = {name for name in SYSTEMS if rows[name, "harder rivals weigh more"]}
    assert tell == {"SJE", "DARK", "DARK-L"}
    assert rows["ALE", "total weight, r = 5"] == pytest.approx(sum(1 / j for j in range(1, 6)))
