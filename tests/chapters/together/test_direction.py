"""What shrinks in either direction of a regression."""

import numpy as np
import pytest

from chapters.together.direction import REVERSED, sizes_where_they_meet
from zslib.protocols.mapping.repeated import Repeated


@pytest.mark.usefixtures("short_tuning")
def test_what_is_predicted_is_the_shorter_side(languages):
    runs = Repeated([languages], [0], quick=True)
    ridge, turned = next(iter(REVERSED.items()))
    found = {r["method"]: r["value"] for r in sizes_where_they_meet(runs, [ridge, turned])}
    X, Y = languages.X_train, languages.Y_train
    alpha = runs.train(ridge)[0].parameters["alpha"]
    mapped = X @ np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ Y)
    assert found[ridge] == pytest.approx(np.linalg.norm(mapped) / np.linalg.norm(Y), rel=1e-4)
    assert found[ridge] <= 1 <= found[turned]
