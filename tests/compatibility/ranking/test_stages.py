"""Stages of a training are what fits of their lengths give."""

import numpy as np
import pytest
from sklearn.base import clone

from zslib.compatibility import ALE, DARK, DeViSE, LatEm

STEPS = {"iteration": "step", "refresh_every": 2}
MODELS = [
    ALE(n_epochs=5, random_state=0),
    DeViSE(n_epochs=5, first_violating=True, random_state=0),
    LatEm(2, n_epochs=5, random_state=0),
    DARK(4, n_iter=5, drop_at=3, batch_size=16, random_state=0),
    DARK(4, n_iter=5, batch_size=16, random_state=0, **STEPS),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_stage_is_a_fit_of_its_length(model, problem):
    length = "n_iter" if isinstance(model, DARK) else "n_epochs"
    stages = clone(model).fit_stages(problem.X, problem.y, problem.S, [1, 3, 5])
    for n, stage in zip((1, 3, 5), stages, strict=True):
        short = clone(model).set_params(**{length: n}).fit(problem.X, problem.y, problem.S)
        scores = short.decision_function(problem.X)
        np.testing.assert_array_equal(stage.decision_function(problem.X), scores)


def test_a_stage_that_training_does_not_come_by_is_refused(problem):
    with pytest.raises(ValueError, match="stages has 6, which this training does not come by"):
        ALE(n_epochs=5).fit_stages(problem.X, problem.y, problem.S, [2, 6])
