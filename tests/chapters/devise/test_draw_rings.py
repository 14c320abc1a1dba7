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

EDGES = [
    ("animal", "entity"),
    ("plant", "entity"),
    ("cat", "animal"),
    ("dog", "animal"),
    ("puppy", "dog"),
    ("oak", "plant"),
    ("rose", "plant"),
]
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


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def draw(ax, label, ks, *, hierarchy=None, valid=VALID, **options):
    hierarchy = Hierarchy(EDGES) if hierarchy is None else hierarchy
    names = {node: node for node in hierarchy.nodes}
    return draw_correct_set(ax, hierarchy, label, valid, ks, names, **options)


def test_a_hierarchy_in_parts(ax):
    parts = Hierarchy(EDGES, nodes=["thought"])
    with pytest.raises(ValueError, match="if_fewer"):
        draw(ax, "thought", [1, 2], hierarchy=parts, valid=[*VALID, "thought"])
    radii = draw(ax, "thought", [1, 2], hierarchy=parts, valid=[*VALID, "thought"], if_fewer="all")
    assert radii == {1: 0, 2: 0}
