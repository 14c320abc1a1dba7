"""One setting of a ranking system moved at a time."""

import numpy as np

from chapters.dark import sensitivity
from zslib.compatibility import ALE
from zslib.datasets.attributes.digits import digits_segments


def test_ranges_are_to_the_system_as_set():
    rows = [
        {"dataset": "a", "method": "b", "setting moved": "τ", "as set": at == 1.0, "value": value}
        for at, value in ((0.3, 40.0), (1.0, 50.0), (3.0, 55.0))
    ]
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
