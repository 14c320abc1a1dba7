"""One setting of a ranking system moved at a time."""

import numpy as np
import pytest
from sklearn.base import clone

from chapters.dark import sensitivity
from zslib.compatibility import ALE
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import evaluate_zero_shot
from zslib.protocols.attributes.training import held_out


@pytest.fixture(scope="module")
def rows():
    problem = digits_segments()
    short = {
        "ALE": clone(sensitivity.BASES["ALE"]).set_params(n_epochs=2),
        "DARK": clone(sensitivity.BASES["DARK"]).set_params(n_iter=2),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sensitivity, "BASES", short)
        held = held_out(problem)
        return list(sensitivity.sensitivity_rows(problem, held, short, wide=False, seed=0))


def test_a_row_is_the_system_with_that_value(rows):
    (row,) = [
        row
        for row in rows
        if row["method"] == "ALE" and row["setting moved"] == "τ" and row["at"] == 3.0
    ]
    model = ALE(learning_rate=3.0, n_epochs=2, random_state=0)
    held = held_out(digits_segments())
    assert row["value"] == evaluate_zero_shot(model, held, k=1).accuracy


def test_ranges_are_to_the_system_as_set(rows):
    for row in sensitivity.sensitivity_ranges(rows):
        alike = ("method", "setting moved")
        own = [r for r in rows if all(r[name] == row[name] for name in alike)]
        (base,) = [r["value"] for r in own if r["as set"]]
        pick = max if row["metric"] == "gained at most" else min
        assert row["value"] == pick(r["value"] for r in own) - base


def test_the_margin_is_the_step_size_of_a_system_that_starts_at_zero():
    problem = digits_segments()
    data = problem.features[problem.trainval], problem.labels[problem.trainval]
    scores = [
        ALE(margin, learning_rate=margin * 0.1, n_epochs=3, random_state=0)
        .fit(*data, problem.class_embeddings)
        .decision_function(data[0])
        for margin in (1.0, 4.0)
    ]
    np.testing.assert_allclose(scores[1], 4.0 * scores[0], rtol=1e-4, atol=1e-4)
