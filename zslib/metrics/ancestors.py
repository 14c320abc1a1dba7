"""The ImageNet Challenge's first hierarchical error: the height of the common ancestor."""

import numpy as np

__all__ = ["common_ancestor_heights"]


def common_ancestor_heights(hierarchy, labels):
    """Height of the lowest common ancestor of each pair of labels, (n, n) float64; 0 for equals.

    The error of an answer in the Challenges of 2010 and 2011, which takes of the first five
    answers the best. The height of a node is the number of links on the longest way down to one
    of the ``labels``. Labels without a common ancestor are one link further apart than any others.

    Examples
    --------
    >>> from zslib.metrics import Hierarchy
    >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
    >>> common_ancestor_heights(animals, ["cat", "dog", "puppy"])
    array([[0., 2., 2.],
           [2., 0., 1.],
           [2., 1., 0.]])
    """
    hierarchy._positions(labels, "labels")
    above, parents = [], {}
    for label in labels:
        reached, waiting = {label}, [label]
        while waiting:
            node = waiting.pop()
            if node not in parents:
                parents[node] = hierarchy.parents(node)
            waiting += [p for p in parents[node] if p not in reached]
            reached.update(parents[node])
        above.append(reached)
    height = dict.fromkeys(parents, 0)
    rising = list(parents)
    while rising:  # ends, since there is no cycle
        higher = {}
        for node in rising:
            for p in parents[node]:
                if height[p] <= height[node]:
                    height[p] = higher[p] = height[node] + 1
        rising = list(higher)
    found = np.full((len(labels),) * 2, max(height.values()) + 1.0)
    for node in sorted(height, key=height.get, reverse=True):
        below = [i for i, reached in enumerate(above) if node in reached]
        found[np.ix_(below, below)] = height[node]
    np.fill_diagonal(found, 0.0)
    return found
