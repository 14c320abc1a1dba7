"""What is behind the means of Table 1."""

import numpy as np
import pytest

from chapters.devise.correct_sets import CorrectSetSizes
from chapters.devise.table1 import KS, large_sets, size_curves

SIZES = np.array([[1, 2, 5, 10, 2000], [1, 3, 5, 1500, 2000], [1, 2, 6, 1500, 2000]])
ROW = CorrectSetSizes(("a", "b", "c"), SIZES, np.array([1.0, 2.0, 1.0]), 0)


def test_large_and_other_sets_make_up_the_mean():
    found = {(r["metric"], r["k"]): r["value"] for r in large_sets(ROW, "images")}
    share = found["images with a correct set of 1,000 or more, %", 10] / 100
    assert share == 3 / 4
    mean = share * found["mean size of the large ones", 10]
    mean += (1 - share) * found["mean size of the others", 10]
    assert mean == pytest.approx(ROW.means()[KS.index(10)])
    assert found["mean size of the large ones", 2] is None


def test_curves_end_at_all_images():
    rows = [row for row in size_curves(ROW) if row["method"] == "k = 10"]
    steps = [(10, 0.0), (10, 25.0), (1500, 25.0), (1500, 100.0)]
    assert [(row["size"], row["value"]) for row in rows] == steps
