"""The drawing of a correct set: every node at its distance, on a way that can be walked."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters.devise.draw_rings import draw_correct_set, ring_layout
from zslib.metrics import Hierarchy

BELOW = {"entity": ("animal", "plant"), "animal": ("cat", "dog"), "dog": ("puppy",)}
BELOW["plant"] = ("oak", "rose")
EDGES = [(child, parent) for parent, children in BELOW.items() for child in children]
VALID = ["puppy", "dog", "cat", "oak", "rose"]


@st.composite
def graphs(draw):
    n = draw(st.integers(2, 12))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=2 * n))
    nodes = sorted({x for edge in edges for x in edge})
    keep = draw(st.lists(st.sampled_from(nodes), unique=True))
    return edges, draw(st.sampled_from(nodes)), keep


@given(graphs(), st.sampled_from(["any", "up_then_down"]), st.integers(0, 6))
def test_ways_are_shortest_and_lead_to_what_is_kept(graph, paths, radius):
    edges, label, keep = graph
    hierarchy = Hierarchy(edges, paths=paths)
    layout = ring_layout(hierarchy, label, radius, keep)
    assert layout[label][0] == 0 and layout[label][2] is None
    near = hierarchy.distances_from(label, radius=radius)
    assert set(layout) >= near.keys() & set(keep)
    linked = {frozenset(edge) for edge in edges}
    ends = set(layout)
    for node, (hops, _, previous) in layout.items():
        assert hops == hierarchy.distance(label, node) <= radius
        if node != label:
            assert layout[previous][0] == hops - 1
            assert frozenset((node, previous)) in linked
            ends.discard(previous)
    # A way ends at a node that is to be kept, or at the label where there is none.
    assert ends <= {*keep, label}
    angles = sorted(layout[node][1] for node in ends)
    np.testing.assert_allclose(angles, 2 * np.pi * np.arange(len(ends)) / len(ends))


@given(graphs())
def test_inner_nodes_stand_amid_those_they_lead_to(graph):
    edges, label, keep = graph
    layout = ring_layout(Hierarchy(edges), label, 12, keep)
    for node in layout:
        after = [angle for _, angle, previous in layout.values() if previous == node]
        if after:
            assert layout[node][1] == pytest.approx(np.mean(after))


def test_nodes_come_nearest_first():
    layout = ring_layout(Hierarchy(EDGES), "puppy", 3, VALID)
    assert list(layout) == ["puppy", "dog", "animal", "cat"]
    assert ring_layout(Hierarchy(EDGES), "puppy", 3, []) == {"puppy": (0, 0.0, None)}


def test_a_hierarchy_in_parts():
    parts = Hierarchy(EDGES, nodes=["thought"])
    names, (_, ax) = {node: node for node in parts.nodes}, plt.subplots()
    asked = ax, parts, "thought", [*VALID, "thought"], [1, 2], names
    with pytest.raises(ValueError, match="if_fewer"):
        draw_correct_set(*asked)
    assert draw_correct_set(*asked, if_fewer="all") == {1: 0, 2: 0}
