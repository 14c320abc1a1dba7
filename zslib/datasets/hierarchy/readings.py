"""Readings of "the ImageNet hierarchy" under which Table 1 of DeViSE can be computed.

The table has mean sizes of correct sets (Frome et al. 2013, appendix A.3). The paper does not
say which graph the hierarchy is, nor which paths count as hops.
"""

from __future__ import annotations

from typing import NamedTuple

from zslib.datasets.hierarchy.tree import MISC, misc_under
from zslib.validation import check_choice

READINGS = {
    "A": "WordNet's hypernym links, followed both ways",
    "A'": "WordNet's hypernym and instance links, followed both ways",
    "B": "WordNet's hypernym links between labels only, followed both ways",
    "C": "ImageNet's Fall 2011 tree with its Misc node, links followed both ways",
    "C'": "as C, and Misc itself counts as a label",
    "D": "the Fall 2011 tree with Misc's children under animal, links followed both ways",
    "E": "as D, but paths climb first and then descend",
}


class Reading(NamedTuple):
    """A graph and what counts in it.

    Attributes
    ----------
    edges : tuple of (child, parent)
    paths : {"any", "up_then_down"}
        As `zslib.metrics.Hierarchy` has it.
    also_valid : tuple of str
        Nodes that count in correct sets though they are no labels.
    nodes : tuple of str
        Labels that may be without links; with B they count, each alone in its correct set.
        Labels that are neither here nor in ``edges`` are left out of the reading: in A four
        persons of history, which have instance links alone.
    if_fewer : {"error", "all"}
        As `zslib.metrics.Hierarchy.correct_set_sizes` has it: "all" where labels are apart.
    """

    edges: tuple
    paths: str = "any"
    also_valid: tuple = ()
    nodes: tuple = ()
    if_fewer: str = "error"


class LabelSet(NamedTuple):
    """One row of Table 1.

    Attributes
    ----------
    labels : tuple of str
        True labels of the test images.
    valid : tuple of str
        Labels that may be in correct sets; for the unseen labels, the 1,000 seen ones too.
    weights : tuple of int, or None
        Images of each true label. None, equal weights, for the 1,000, whose test images are
        roughly balanced, and where the counts are not known.
    """

    labels: tuple
    valid: tuple
    weights: tuple | None


def reading_edges(lists, reading):
    """The graph of one reading, and which paths and nodes count.

    Parameters
    ----------
    lists : ImageNetLists
    reading : str
        A key of `READINGS`.

    Returns
    -------
    Reading

    Examples
    --------
    >>> from zslib.datasets.hierarchy.lists import imagenet_lists
    >>> edges, paths, *_ = reading_edges(imagenet_lists("embedded"), "E")
    >>> len(edges), paths
    (34902, 'up_then_down')
    """
    check_choice(reading, "reading", tuple(READINGS))
    if reading == "A":
        return Reading(lists.wordnet)
    if reading == "A'":
        return Reading(lists.wordnet + lists.instance_links)
    if reading == "B":
        labels = {*lists.fall2011, *lists.ilsvrc2012}
        edges = tuple((c, p) for c, p in lists.wordnet if c in labels and p in labels)
        return Reading(edges, nodes=tuple(sorted(labels)), if_fewer="all")
    if reading == "C":
        return Reading(lists.is_a)
    if reading == "C'":
        return Reading(lists.is_a, also_valid=(MISC,))
    return Reading(misc_under(lists.is_a), "any" if reading == "D" else "up_then_down")


def label_sets(lists):
    """The rows of Table 1: true labels, valid labels and weights.

    Parameters
    ----------
    lists : ImageNetLists

    Returns
    -------
    dict of str to LabelSet
        Keys "1K", "2-hop", "3-hop" and "21K".

    Examples
    --------
    >>> from zslib.datasets.hierarchy.lists import imagenet_lists
    >>> rows = label_sets(imagenet_lists("embedded"))
    >>> {name: (len(row.labels), len(row.valid)) for name, row in rows.items()}
    {'1K': (1000, 1000), '2-hop': (1549, 2549), '3-hop': (7860, 8860), '21K': (20842, 21842)}
    """
    seen = lists.ilsvrc2012
    rest = tuple(sorted(set(lists.fall2011).difference(seen)))
    sets = {"1K": LabelSet(seen, seen, None)}
    for name, unseen in (("2-hop", lists.two_hop), ("3-hop", lists.three_hop), ("21K", rest)):
        counts = lists.image_counts
        weights = None if counts is None else tuple(counts.get(wnid, 0) for wnid in unseen)
        sets[name] = LabelSet(unseen, unseen + seen, weights)
    return sets
