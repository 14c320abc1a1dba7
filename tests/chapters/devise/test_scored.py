"""What is made of the scores of images, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from chapters.devise import scored


def test_gains_are_in_percent_of_the_softmax_and_a_lower_error_is_better():
    answers = [SimpleNamespace(classes=np.array(["a", "a", "b"])) for _ in range(2)]
    hp = {"DeViSE": [30.0, 40.0], "softmax": [20.0, 30.0]}
    errors = {"DeViSE": [4.0, 6.0], "softmax": [8.0, 8.0]}
    case = {"images": "seen", "label_set": "trained"}

    def of(means, n):
        return {name: [np.full((3, n), value) for value in seeds] for name, seeds in means.items()}

    seen = SimpleNamespace(case=case, answers={"ridge": answers})
    seen.hp, seen.errors = of(hp, 20), of(errors, 1)
    # Images of b count twice as much as those of a, which has two.
    for seeds in (seen.hp["softmax"], seen.errors["softmax"]):
        for seed in seeds:
            seed += np.array([[-2.0], [-2.0], [2.0]])
    rows = {row["method"]: row["value"].mean for row in scored.relative_rows(seen, "D")}
    # Over classes the softmax has 25 and 8, DeViSE 10 more and 3 fewer.
    assert rows == pytest.approx({"hp@5": 40.0, "height": 37.5, "height - hp@5": -2.5})
    for errors in ({}, of({"DeViSE": [0.0, 1.0], "softmax": [0.0, 0.0]}, 1)):
        other = SimpleNamespace(case=case, answers=seen.answers, hp=seen.hp, errors=errors)
        assert list(scored.relative_rows(other, "D")) == []
