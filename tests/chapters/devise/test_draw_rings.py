"""The drawing of a correct set: every node at its distance, on a way that can be walked."""

from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle

from chapters.devise import draw_rings as rings
from chapters.devise.draw_rings import answers_figure, draw_correct_set, ring_layout
from zslib.metrics import Hierarchy
from zslib.show.figures import COLORS, look

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


def markers(ax):
    """Colour of the marker at each name, as (name, colour) by place."""
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    return [(line.get_xydata()[0], to_rgba(line.get_markerfacecolor())) for line in dots]


def test_a_drawing_by_hand(ax):
    # puppy 0, dog 1, animal 2, cat 3, entity 3, plant 4, oak and rose 5.
    radii = draw(ax, "puppy", [1, 2, 3, 5])
    assert radii == {1: 0, 2: 1, 3: 3, 5: 5}
    found = {}
    for place, colour in markers(ax):
        found.setdefault(round(float(np.hypot(*place)), 6), []).append(colour)
    white = to_rgba("white")
    fill = [to_rgba(colour) for colour in COLORS]
    assert found == {
        0: [fill[0]],
        1: [fill[1]],
        2: [white],
        3: [fill[2], white] if found[3][0] != white else [white, fill[2]],
        4: [white],
        5: [fill[3], fill[3]],
    }
    circles = sorted(p.radius for p in ax.patches if isinstance(p, Circle))
    assert circles == [1, 3, 5]


def test_a_hierarchy_in_parts(ax):
    parts = Hierarchy(EDGES, nodes=["thought"])
    with pytest.raises(ValueError, match="if_fewer"):
        draw(ax, "thought", [1, 2], hierarchy=parts, valid=[*VALID, "thought"])
    radii = draw(ax, "thought", [1, 2], hierarchy=parts, valid=[*VALID, "thought"], if_fewer="all")
    assert radii == {1: 0, 2: 0}


def test_names_are_never_upside_down(ax):
    draw(ax, "puppy", [5])
    for text in ax.texts:
        assert abs((text.get_rotation() + 180) % 360 - 180) <= 90


def test_answers_lie_on_the_ring_of_their_hops(monkeypatch):
    lists = SimpleNamespace(lemmas={"cat": ["a cat"]})
    monkeypatch.setattr(rings, "reading_hierarchy", lambda lists, reading: Hierarchy(EDGES))
    answers = {"DeViSE": ["dog", "cat"], "softmax": ["oak", "cat", "unknown"]}
    fig = answers_figure(lists, "D", "puppy", answers)
    (ax,) = fig.axes
    found = {line.get_label(): line for line in ax.get_lines()}
    hops = {"DeViSE": [1, 3], "softmax": [5, 3]}
    for name, wanted in hops.items():
        line = found[f"answers of {name}"]
        np.testing.assert_allclose(np.hypot(*line.get_data()), wanted)
        assert line.get_color() == look(name)["color"]
    plt.close(fig)
