import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.metrics import Hierarchy, _walk, flat_hits_at_k, hierarchical_precision_at_k

#        entity                pet
#        /    \               /   \
#    animal    plant         /     goldfish
#     /  \      /  \        /
#   cat   \   oak  rose    /
#          dog -----------+
#           |
#         puppy
CHILDREN = ("animal", "plant", "cat", "dog", "dog", "goldfish", "puppy", "oak", "rose")
PARENTS = ("entity", "entity", "animal", "animal", "pet", "pet", "dog", "plant", "plant")
EDGES = list(zip(CHILDREN, PARENTS, strict=True))
VALID = ["dog", "cat", "puppy", "goldfish", "oak", "rose"]
TEN = Hierarchy(EDGES)
TEN_CLIMBED = Hierarchy(EDGES, paths="up_then_down")


# --- slow, obvious oracles ---


def links(edges):
    parents, children = {}, {}
    for child, parent in edges:
        parents.setdefault(child, set()).add(parent)
        children.setdefault(parent, set()).add(child)
    return parents, children


def breadth_first(start, neighbours):
    hops, frontier, radius = {start: 0}, {start}, 0
    while frontier:
        radius += 1
        frontier = {y for x in frontier for y in neighbours(x)} - set(hops)
        hops.update(dict.fromkeys(frontier, radius))
    return hops


def all_hops(edges, node, paths):
    """Hops from ``node``: by steps in any direction, or by way of common ancestors."""
    parents, children = links(edges)
    if paths == "any":
        return breadth_first(node, lambda x: parents.get(x, set()) | children.get(x, set()))
    nodes = {x for edge in edges for x in edge}
    above = {x: breadth_first(x, lambda y: parents.get(y, set())) for x in nodes}
    common = {x: set(depths) & set(above[node]) for x, depths in above.items()}
    return {
        x: min(above[x][c] + above[node][c] for c in tops) for x, tops in common.items() if tops
    }


def correct_set_by_the_loop(hops, k, valid_labels):
    """A.3's pseudo-code; ends also when no node is left to add. Returns the set and R."""
    correct, radius = set(), 0
    while len(correct) < k and radius <= max(hops.values()):
        radius_set = {x for x, distance in hops.items() if distance == radius}
        correct |= radius_set & set(valid_labels)
        radius += 1
    return correct, radius - 1


@st.composite
def random_graphs(draw):
    """Edges of a random DAG, some twice, with nodes in any order, and valid labels of it."""
    n = draw(st.integers(2, 12))
    names = draw(st.permutations([f"n{i}" for i in range(n)]))
    pairs = [(names[i], names[j]) for i in range(n) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=2 * n))
    nodes = sorted({x for edge in edges for x in edge})
    valid = draw(st.lists(st.sampled_from(nodes), min_size=1, unique=True))
    return edges, valid


PATHS = st.sampled_from(["any", "up_then_down"])


def random_tree(n, rng):
    """A seeded tree with some second parents."""
    edges = [(i, int(rng.integers(i // 3, i))) for i in range(1, n)]
    return edges + [(i, int(rng.integers(0, i))) for i in range(2, n, 17)]


# --- the graph ---


def test_attributes_and_neighbours():
    assert TEN.nodes[:4] == ("animal", "entity", "plant", "cat")
    assert "dog" in TEN and "wolf" not in TEN
    assert TEN.parents("dog") == ("animal", "pet")
    assert TEN.parents("entity") == ()
    assert TEN.children("entity") == ("animal", "plant")
    assert "10 nodes, 9 links, 'any'" in repr(TEN)


def test_a_link_given_twice_is_one_link():
    twice = Hierarchy(EDGES + EDGES[::-1])
    assert (twice.nodes, twice.n_nodes, twice.n_links) == (TEN.nodes, 10, 9)


def test_names_may_be_anything_hashable_and_edges_an_array():
    assert Hierarchy(np.array([[3, 1], [2, 1]])).distance(3, 2) == 2
    assert Hierarchy((x, "None") for x in [(0, 1), 7]).distance((0, 1), 7) == 2


def test_distances_by_hand():
    for a, b, hops, climbed in (
        ("dog", "dog", 0, 0),
        ("puppy", "rose", 5, 5),
        ("cat", "goldfish", 4, math.inf),
        ("pet", "entity", 3, math.inf),
    ):
        assert TEN.distance(a, b) == TEN.distance(b, a) == hops
        assert TEN_CLIMBED.distance(a, b) == TEN_CLIMBED.distance(b, a) == climbed
        assert isinstance(TEN.distance(a, b), int)


@given(random_graphs(), PATHS, st.integers(0, 5))
def test_distances_are_the_oracles(graph, paths, radius):
    edges, sources = graph
    hierarchy = Hierarchy(edges, paths=paths)
    near, other = set(), hierarchy.nodes[-1]
    for node in hierarchy.nodes:
        hops = all_hops(edges, node, paths)
        assert hierarchy.distances_from(node) == hops
        within = {x: distance for x, distance in hops.items() if distance <= radius}
        assert hierarchy.distances_from(node, radius=radius) == within
        assert hierarchy.distance(node, other) == hops.get(other, math.inf)
        near |= set(within) if node in sources else set()
    assert hierarchy.within(sources, radius) == near


# --- correct sets ---


def test_ks_and_labels_come_back_in_the_order_given():
    labels, ks = ["oak", "cat", "oak", "dog"], [5, 1, 3, 3]
    sizes = TEN.correct_set_sizes(iter(labels), iter(VALID), iter(ks))
    assert sizes.dtype == TEN.stop_radii(labels, VALID, 2).dtype == np.int64
    np.testing.assert_array_equal(sizes, [[5, 1, 4, 4], [6, 1, 3, 3], [5, 1, 4, 4], [6, 1, 4, 4]])
    np.testing.assert_array_equal(TEN.correct_set_sizes(labels, VALID, 3), sizes[:, 2:3])


def test_a_label_without_links_is_a_part_of_its_own():
    apart = Hierarchy(EDGES, nodes=["dog", "stone"])
    assert apart.nodes == (*TEN.nodes, "stone")
    assert apart.distance("stone", "dog") == math.inf
    asked = ["stone", "dog"], [*VALID, "stone"], [1, 2]
    assert apart.correct_set_sizes(*asked, if_fewer="all").tolist() == [[1, 1], [1, 2]]


@given(random_graphs(), PATHS)
def test_correct_sets_are_the_loops_of_the_paper(graph, paths):
    edges, valid = graph
    hierarchy = Hierarchy(edges, paths=paths)
    ks = list(range(1, len(valid) + 1))
    sizes = hierarchy.correct_set_sizes(valid, valid, ks, if_fewer="all")
    radii = hierarchy.stop_radii(valid, valid, ks, if_fewer="all")
    for i, label in enumerate(valid):
        hops = all_hops(edges, label, paths)
        for j, k in enumerate(ks):
            expected, radius = correct_set_by_the_loop(hops, k, valid)
            assert hierarchy.correct_set(label, k, valid, if_fewer="all") == expected
            assert sizes[i, j] == len(expected)
            if len(expected) >= k:
                assert radii[i, j] == radius
                np.testing.assert_array_equal(hierarchy.stop_radii([label], valid, k), radius)
            else:
                with pytest.raises(ValueError, match="reach only"):
                    hierarchy.stop_radii([label], valid, k)


@pytest.mark.parametrize("paths", ["any", "up_then_down"])
def test_small_blocks_change_nothing(monkeypatch, paths):
    rng = np.random.default_rng(0)
    hierarchy = Hierarchy(random_tree(100, rng), paths=paths)
    valid, ks = rng.permutation(100)[:50].tolist(), [1, 3, 20]
    predictions = np.argsort(rng.random((30, 50)), axis=1)[:, :20]
    gold = rng.integers(0, 50, 30)

    def answers():
        sizes = hierarchy.correct_set_sizes(valid[::2], valid, ks)
        return sizes, hierarchical_precision_at_k(predictions, gold, hierarchy, valid, ks)

    expected = answers()
    monkeypatch.setattr(_walk, "BLOCK_ENTRIES", 600)
    assert 25 * hierarchy._step.shape[0] > 4 * 600
    for found, once in zip(answers(), expected, strict=True):
        np.testing.assert_array_equal(found, once)


# --- hp@k ---


def test_hierarchical_precision_by_hand(backend):
    # Of dog puppy, cat, goldfish, dog; of dog oak, rose, cat, dog; of cat dog, cat, no more.
    predictions, gold = np.array([[2, 1, 3, 0], [4, 5, 1, 0], [0, 1, -1, -1]]), np.array([0, 0, 1])
    # Sets for k = 1, 2, 3. dog: itself; with puppy; with cat and goldfish. cat: itself; with dog;
    # with puppy.
    expected = [[0, 1 / 2, 1], [0, 0, 1 / 3], [0, 1, 2 / 3]]
    asked = backend.asarray(predictions), backend.asarray(gold)
    shares = backend.to_numpy(hierarchical_precision_at_k(*asked, TEN, VALID, [1, 2, 3]))
    assert shares.dtype == np.float64
    np.testing.assert_allclose(shares, expected, rtol=1e-15)
    names = np.array(VALID, dtype=object)
    for answers, true in ((names[predictions[:2]], gold[:2]), (predictions[:2], names[gold[:2]])):
        again = hierarchical_precision_at_k(answers, true, TEN, VALID, [1, 2, 3])
        np.testing.assert_array_equal(again, shares[:2])


def test_flat_hits_by_hand(backend):
    predictions, gold = np.array([[2, 1, 3], [4, 5, -1], [0, 1, 2]]), np.array([3, 0, 1])
    hits = flat_hits_at_k(backend.asarray(predictions), backend.asarray(gold), [3, 1, 2])
    assert backend.to_numpy(hits).dtype == bool
    backend.assert_equal(hits, [[1, 0, 0], [0, 0, 0], [1, 0, 1]])


@st.composite
def predicted_graphs(draw):
    edges, valid = draw(random_graphs())
    gold = draw(st.lists(st.integers(0, len(valid) - 1), min_size=1, max_size=6))
    width = draw(st.integers(1, len(valid)))
    rows = []
    for _ in gold:
        kept = draw(st.permutations(range(len(valid))))[: draw(st.integers(0, width))]
        rows.append(kept + [-1] * (width - len(kept)))
    ks = draw(st.lists(st.integers(1, width), min_size=1, max_size=4))
    return edges, valid, np.array(rows), np.array(gold), ks


@given(predicted_graphs(), PATHS)
def test_hierarchical_precision_counts_members_of_the_set(case, paths):
    edges, valid, predictions, gold, ks = case
    hierarchy = Hierarchy(edges, paths=paths)
    shares = hierarchical_precision_at_k(predictions, gold, hierarchy, valid, ks, if_fewer="all")
    for i, label in enumerate(gold):
        hops = all_hops(edges, valid[label], paths)
        for j, k in enumerate(ks):
            correct, _ = correct_set_by_the_loop(hops, k, valid)
            found = [valid[p] in correct for p in predictions[i, :k] if p >= 0]
            assert shares[i, j] == sum(found) / k
    hits = flat_hits_at_k(predictions, gold, ks)
    for j, k in enumerate(ks):
        np.testing.assert_array_equal(hits[:, j], (predictions[:, :k] == gold[:, None]).any(1))


def test_columns_after_the_largest_k_are_not_looked_at():
    predictions, gold = np.array([[2, 1, 1, 99]]), np.array([0])
    shares = hierarchical_precision_at_k(predictions, gold, TEN, VALID, 2)
    np.testing.assert_array_equal(shares, [[0.5]])


def test_names_are_positions():
    names = [f"n{position}" for position in range(10)]
    graph = Hierarchy([(names[0], name) for name in names[1:]])
    predictions, gold = np.array([[2, 1, 5], [0, 7, 3]]), np.array([1, 4])
    called, true = np.array(names)[predictions], [names[1], names[4]]
    expected = hierarchical_precision_at_k(predictions, gold, graph, names, [1, 3], if_fewer="all")
    found = hierarchical_precision_at_k(called, true, graph, names, [1, 3], if_fewer="all")
    np.testing.assert_array_equal(found, expected)
    expected = flat_hits_at_k(predictions, gold, [1, 2])
    np.testing.assert_array_equal(flat_hits_at_k(called.tolist(), true, [1, 2]), expected)
    with pytest.raises(ValueError, match="gold has 'n99', which valid_labels lacks"):
        hierarchical_precision_at_k(called, ["n99", "n1"], graph, names, 1)
    with pytest.raises(TypeError, match=r"gold must hold integers.*or both names"):
        flat_hits_at_k(predictions, true, 1)


# --- refusals ---


def test_the_named_cycle_is_one():
    rng = np.random.default_rng(1)
    edges = [*random_tree(60, rng), (5, 59), (59, 40), (40, 17), (17, 5)]
    with pytest.raises(ValueError, match="form a cycle") as caught:
        Hierarchy(edges)
    named = str(caught.value).split("cycle, ")[1].split(" (child")[0].split(" -> ")
    steps = list(zip(map(int, named), map(int, named[1:]), strict=False))
    assert named[0] == named[-1] and len(steps) > 1
    assert set(steps) <= set(edges)
