"""The ImageNet Challenge's first hierarchical error: the height of the common ancestor."""

from graphlib import TopologicalSorter

import numpy as np

from zslib.metrics.hierarchy import check_hierarchy, check_ordered


def common_ancestor_heights(hierarchy, labels):
    """Height of the lowest common ancestor of each pair of labels, (n, n) float64; 0 for equals.

    The error of an answer in the Challenges of 2010 and 2011, which takes of the first five
    answers the best. The height of a node is the number of links on the longest way down to one
    of the ``labels``. Labels without a common ancestor are as far apart as the greatest height
    of any node above a label, and one link more.

    Parameters
    ----------
    hierarchy : Hierarchy
        Only its links upwards count, whatever its ``paths``.
    labels : sequence of n nodes

    Examples
    --------
    >>> from zslib.metrics import Hierarchy
    >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
    >>> common_ancestor_heights(animals, ["cat", "dog", "puppy"])
    array([[0., 2., 2.],
           [2., 0., 1.],
           [2., 1., 0.]])
    """
    check_hierarchy(hierarchy)
    check_ordered(labels, "labels")
    labels = list(labels)
    hierarchy._positions(labels, "labels")
    parents, waiting = {}, list(labels)
    while waiting:
        node = waiting.pop()
        if node not in parents:
            parents[node] = hierarchy.parents(node)
            waiting += parents[node]
    downwards = list(TopologicalSorter(parents).static_order())
    above, height = {}, dict.fromkeys(parents, 0)
    for node in downwards:
        above[node] = {node}.union(*(above[p] for p in parents[node]))
    for node in reversed(downwards):
        for p in parents[node]:
            height[p] = max(height[p], height[node] + 1)
    found = np.full((len(labels),) * 2, max(height.values()) + 1.0)
    for node in sorted(height, key=height.get, reverse=True):
        below = [i for i, label in enumerate(labels) if node in above[label]]
        found[np.ix_(below, below)] = height[node]
    first = {}
    places = np.array([first.setdefault(label, at) for at, label in enumerate(labels)])
    found[places[:, None] == places] = 0.0  # a label may come twice
    return found
