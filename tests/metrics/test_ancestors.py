"""Heights of common ancestors, against a slow definition."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from zslib.metrics import Hierarchy
from zslib.metrics.ancestors import common_ancestor_heights


@pytest.mark.parametrize("seed", range(20))
def test_the_lowest_of_all_common_ancestors(seed):
    rng = np.random.default_rng(seed)
    # Links from larger to smaller numbers never close a cycle; the root is 0.
    links = {(child, int(rng.integers(child))) for child in range(1, 20) for _ in range(2)}
    tree, labels = Hierarchy(links), rng.choice(20, 7, replace=seed < 3).tolist()

    @cache
    def way_up(node, end):
        """Links of the longest way from node up to end; below zero where there is none."""
        if node == end:
            return 0
        return max((way_up(p, end) + 1 for p in tree.parents(node) if way_up(p, end) >= 0),
                   default=-1)  # fmt: skip

    height = {end: max(way_up(label, end) for label in labels) for end in range(20)}
    found = common_ancestor_heights(tree, labels)
    for (i, a), (j, b) in product(enumerate(labels), repeat=2):
        common = [end for end in range(20) if way_up(a, end) >= 0 and way_up(b, end) >= 0]
        assert found[i, j] == (0 if a == b else min(height[end] for end in common))


def test_labels_apart_are_furthest():
    parts = Hierarchy([("a", "x"), ("b", "x"), ("c", "y")])
    found = common_ancestor_heights(parts, ["a", "b", "c"])
    assert found.tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
