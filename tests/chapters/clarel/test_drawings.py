"""Drawings of the chapter on CLAREL's method: what is drawn is what was given."""

import matplotlib.pyplot as plt
import numpy as np

from chapters.clarel.drawings import draw_probabilities


def test_probabilities_and_marks():
    fig, ax = plt.subplots()
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=4)
    same = np.eye(4, dtype=bool)
    same[1, 3] = same[3, 1] = True
    drawn = draw_probabilities(ax, p, same=same)
    np.testing.assert_array_equal(drawn.get_array(), p)
    crosses, squares = ax.get_lines()
    assert sorted(zip(*crosses.get_data(), strict=True)) == [(1, 3), (3, 1)]
    np.testing.assert_array_equal(squares.get_data(), [range(4)] * 2)
    plt.close(fig)
