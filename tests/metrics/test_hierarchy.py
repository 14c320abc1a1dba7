from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
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
EDGES = [
    ("animal", "entity"),
    ("plant", "entity"),
    ("cat", "animal"),
    ("dog", "animal"),
    ("dog", "pet"),
    ("goldfish", "pet"),
    ("puppy", "dog"),
    ("oak", "plant"),
    ("rose", "plant"),
]
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
    above = {}
    for x in {x for edge in edges for x in edge} | {node}:
        above[x] = breadth_first(x, lambda y: parents.get(y, set()))
    hops = {}
    for x, depths in above.items():
        common = set(depths) & set(above[node])
        if common:
            hops[x] = min(depths[c] + above[node][c] for c in common)
    return hops


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
    assert (TEN.n_nodes, TEN.n_links) == (10, 9)
    assert "dog" in TEN and "wolf" not in TEN
    assert TEN.parents("dog") == ("animal", "pet")
    assert TEN.parents("entity") == ()
    assert TEN.children("entity") == ("animal", "plant")
    assert "10 nodes, 9 links, 'any'" in repr(TEN)


def test_a_link_given_twice_is_one_link():
    twice = Hierarchy(EDGES + EDGES[::-1])
    assert (twice.nodes, twice.n_links) == (TEN.nodes, 9)
    assert twice.distance("puppy", "rose") == TEN.distance("puppy", "rose")


def test_names_may_be_anything_hashable_and_edges_an_array():
    assert Hierarchy(np.array([[3, 1], [2, 1]])).distance(3, 2) == 2
    assert Hierarchy((x, None) for x in [(0, 1), 7]).distance((0, 1), 7) == 2


@pytest.mark.parametrize(
    ("a", "b", "hops", "climbed"),
    [
        ("dog", "dog", 0, 0),
        ("puppy", "dog", 1, 1),
        ("dog", "cat", 2, 2),
        ("puppy", "goldfish", 3, 3),
        ("puppy", "rose", 5, 5),
        ("cat", "goldfish", 4, math.inf),
        ("goldfish", "oak", 6, math.inf),
        ("pet", "entity", 3, math.inf),
    ],
)
def test_distances_by_hand(a, b, hops, climbed):
    assert TEN.distance(a, b) == TEN.distance(b, a) == hops
    assert TEN_CLIMBED.distance(a, b) == TEN_CLIMBED.distance(b, a) == climbed
    assert isinstance(TEN.distance(a, b), int)


def test_within_and_distances_from_by_hand():
    assert TEN.within(["puppy"], 0) == {"puppy"}
    assert TEN.within(["puppy", "oak"], 1) == {"puppy", "dog", "oak", "plant"}
    assert TEN.within(["cat"], 3) == {"cat", "animal", "entity", "dog", "plant", "pet", "puppy"}
    assert TEN_CLIMBED.within(["cat"], 3) == TEN.within(["cat"], 3) - {"pet"}
    assert list(TEN.distances_from("rose").items())[:2] == [("rose", 0), ("plant", 1)]
    assert TEN_CLIMBED.distances_from("pet") == {"pet": 0, "dog": 1, "goldfish": 1, "puppy": 2}
    assert TEN.distances_from("goldfish", radius=1) == {"goldfish": 0, "pet": 1}


@settings(max_examples=60)
@given(random_graphs(), PATHS, st.integers(0, 5))
def test_distances_are_the_oracles(graph, paths, radius):
    edges, sources = graph
    hierarchy = Hierarchy(edges, paths=paths)
    near = set()
    for node in hierarchy.nodes:
        hops = all_hops(edges, node, paths)
        assert hierarchy.distances_from(node) == hops
        other = hierarchy.nodes[-1]
        assert hierarchy.distance(node, other) == hops.get(other, math.inf)
        if node in sources:
            near |= {x for x, distance in hops.items() if distance <= radius}
    assert hierarchy.within(sources, radius) == near


# --- correct sets ---


@pytest.mark.parametrize(
    ("label", "sizes", "radii"),
    [
        ("dog", [1, 2, 4, 4, 6, 6], [0, 1, 2, 2, 4, 4]),
        ("cat", [1, 2, 3, 6, 6, 6], [0, 2, 3, 4, 4, 4]),
        ("oak", [1, 2, 4, 4, 5, 6], [0, 2, 4, 4, 5, 6]),
        ("goldfish", [1, 2, 3, 4, 6, 6], [0, 2, 3, 4, 6, 6]),
    ],
)
def test_correct_sets_by_hand(label, sizes, radii):
    ks = [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(TEN.correct_set_sizes([label], VALID, ks), [sizes])
    np.testing.assert_array_equal(TEN.stop_radii([label], VALID, ks), [radii])
    assert [len(TEN.correct_set(label, k, VALID)) for k in ks] == sizes


def test_correct_sets_of_a_subset_and_of_climbing_paths_by_hand():
    assert TEN.correct_set("cat", 2, {"cat", "puppy", "oak"}) == {"cat", "puppy"}
    assert TEN.correct_set("dog", 3, VALID) == {"dog", "puppy", "cat", "goldfish"}
    ks = [2, 3, 4, 5]
    np.testing.assert_array_equal(
        TEN_CLIMBED.correct_set_sizes(["cat"], VALID, ks), [[2, 3, 5, 5]]
    )
    np.testing.assert_array_equal(TEN_CLIMBED.stop_radii(["cat"], VALID, ks), [[2, 3, 4, 4]])
    with pytest.raises(ValueError, match="label 'cat' reach only 5 valid"):
        TEN_CLIMBED.correct_set("cat", 6, VALID)
    assert TEN_CLIMBED.correct_set("cat", 6, VALID, if_fewer="all") == set(VALID) - {"goldfish"}


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
    valid = [*VALID, "stone"]
    np.testing.assert_array_equal(
        apart.correct_set_sizes(["stone", "dog"], valid, [1, 2], if_fewer="all"), [[1, 1], [1, 2]]
    )
    with pytest.raises(ValueError, match=r"'stone' reach only 1 .* fewer than k = 2"):
        apart.stop_radii(["dog", "stone"], valid, [2, 1])


@settings(max_examples=100)
@given(random_graphs(), PATHS)
def test_correct_sets_are_the_loops_of_the_paper(graph, paths):
    edges, valid = graph
    hierarchy = Hierarchy(edges, paths=paths)
    ks = list(range(1, len(valid) + 1))
    sizes = hierarchy.correct_set_sizes(valid, valid, ks, if_fewer="all")
    radii = hierarchy.stop_radii(valid, valid, ks, if_fewer="all")
    for i, label in enumerate(valid):
        before, hops = set(), all_hops(edges, label, paths)
        for j, k in enumerate(ks):
            expected, radius = correct_set_by_the_loop(hops, k, valid)
            correct = hierarchy.correct_set(label, k, valid, if_fewer="all")
            assert correct == expected
            assert sizes[i, j] == len(expected)
            if len(expected) >= k:
                assert radii[i, j] == radius
                np.testing.assert_array_equal(hierarchy.stop_radii([label], valid, k), radius)
            else:
                with pytest.raises(ValueError, match="reach only"):
                    hierarchy.stop_radii([label], valid, k)
            assert before <= correct  # sets nest as k grows
            before = correct
    np.testing.assert_array_equal(sizes[:, 0], 1)


@pytest.mark.parametrize("paths", ["any", "up_then_down"])
def test_small_blocks_change_nothing(monkeypatch, paths):
    rng = np.random.default_rng(0)
    hierarchy = Hierarchy(random_tree(300, rng), paths=paths)
    valid = rng.permutation(300)[:150].tolist()
    labels, ks = valid[::2], [1, 3, 20]
    predictions = np.argsort(rng.random((90, 150)), axis=1)[:, :20]
    gold = rng.integers(0, 150, 90)

    def answers():
        shares = hierarchical_precision_at_k(predictions, gold, hierarchy, valid, ks)
        return hierarchy.correct_set_sizes(labels, valid, ks), shares

    sizes, shares = answers()
    monkeypatch.setattr(_walk, "BLOCK_ENTRIES", 1000)
    assert len(_walk.blocks(hierarchy._step, 90)) > 20
    np.testing.assert_array_equal(answers()[0], sizes)
    np.testing.assert_array_equal(answers()[1], shares)
    for label, row in zip(labels[:10], sizes[:10], strict=True):
        for k, size in zip(ks, row, strict=True):
            assert len(hierarchy.correct_set(label, k, valid)) == size


# --- hp@k ---


def test_hierarchical_precision_by_hand(backend):
    predictions = np.array(
        [
            [2, 1, 3, 0],  # gold dog: puppy, cat, goldfish, dog
            [4, 5, 1, 0],  # gold dog: oak, rose, cat, dog
            [0, 1, -1, -1],  # gold cat: dog, cat, no more
        ]
    )
    gold = np.array([0, 0, 1])
    # Sets for k = 1, 2, 3. dog: itself; with puppy; with cat and goldfish. cat: itself; with dog;
    # with puppy.
    expected = [[0, 1 / 2, 1], [0, 0, 1 / 3], [0, 1, 2 / 3]]
    shares = backend.to_numpy(
        hierarchical_precision_at_k(
            backend.asarray(predictions), backend.asarray(gold), TEN, VALID, [1, 2, 3]
        )
    )
    assert shares.dtype == np.float64
    np.testing.assert_allclose(shares, expected, rtol=1e-15)


def test_flat_hits_by_hand(backend):
    predictions, gold = np.array([[2, 1, 3], [4, 5, -1], [0, 1, 2]]), np.array([3, 0, 1])
    hits = backend.to_numpy(
        flat_hits_at_k(backend.asarray(predictions), backend.asarray(gold), [3, 1, 2])
    )
    assert hits.dtype == bool
    np.testing.assert_array_equal(
        hits, [[True, False, False], [False, False, False], [True, False, True]]
    )


@st.composite
def predicted_graphs(draw):
    edges, valid = draw(random_graphs())
    n = draw(st.integers(1, 6))
    width = draw(st.integers(1, len(valid)))
    rows = []
    for _ in range(n):
        answers = draw(st.permutations(range(len(valid))))[:width]
        lost = draw(st.integers(0, width))
        rows.append(answers[: width - lost] + [-1] * lost)
    gold = draw(st.lists(st.integers(0, len(valid) - 1), min_size=n, max_size=n))
    ks = draw(st.lists(st.integers(1, width), min_size=1, max_size=4))
    return edges, valid, np.array(rows), np.array(gold), ks


@settings(max_examples=100)
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
    accuracy = hierarchical_precision_at_k(predictions, gold, hierarchy, valid, 1)
    np.testing.assert_array_equal(accuracy[:, 0], predictions[:, 0] == gold)


def test_columns_after_the_largest_k_are_not_looked_at():
    predictions, gold = np.array([[2, 1, 1, 99]]), np.array([0])
    shares = hierarchical_precision_at_k(predictions, gold, TEN, VALID, 2)
    np.testing.assert_array_equal(shares, [[0.5]])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32])
def test_any_integer_type_will_do(dtype):
    predictions, gold = np.array([[2, 1]], dtype), np.array([1])
    np.testing.assert_array_equal(flat_hits_at_k(predictions, gold, [1, 2]), [[False, True]])
    shares = hierarchical_precision_at_k(predictions, gold, TEN, VALID, 2)
    np.testing.assert_array_equal(shares, [[0.5]])


# --- refusals ---


@pytest.mark.parametrize(
    ("edges", "options", "error", "message"),
    [
        ([], {}, ValueError, "edges is empty"),
        ([("a", "b"), ("b", "c"), ("c", "b")], {}, ValueError, r"cycle, '[bc]' -> '[bc]' -> '"),
        ([("a", "b"), ("c", "c")], {}, ValueError, "number 1 links 'c' to itself"),
        ([("a", "b", "c")], {}, ValueError, "pairs, number 0 is"),
        ([("a", "b"), "cd"], {}, ValueError, "pairs, number 1 is 'cd'"),
        ([3], {}, ValueError, "pairs, number 0 is 3"),
        ([("a", math.nan)], {}, ValueError, "edges number 0 has nan for a name"),
        ([(["a"], "b")], {}, TypeError, "edges number 0 .* cannot name a node"),
        ([("a", "b")], {"nodes": [{}]}, TypeError, "nodes has {}, which cannot name"),
        ([("a", "b")], {"nodes": "cd"}, TypeError, "nodes must be a collection"),
        ([("a", "b")], {"paths": "down"}, ValueError, "paths must be one of 'any'"),
    ],
)
def test_refusals_of_graphs(edges, options, error, message):
    with pytest.raises(error, match=message):
        Hierarchy(edges, **options)


def test_the_named_cycle_is_one():
    rng = np.random.default_rng(1)
    edges = [*random_tree(60, rng), (5, 59)]
    edges += [(59, 40), (40, 17), (17, 5)]
    with pytest.raises(ValueError, match="form a cycle") as caught:
        Hierarchy(edges)
    named = str(caught.value).split("cycle, ")[1].split(" (child")[0].split(" -> ")
    steps = list(zip(map(int, named), map(int, named[1:]), strict=False))
    assert named[0] == named[-1] and len(steps) > 1
    assert set(steps) <= set(edges)


@pytest.mark.parametrize(
    ("labels", "valid", "ks", "error", "message"),
    [
        (["wolf"], VALID, 1, ValueError, r"labels has 1 name\(s\) outside the hierarchy \('wolf'"),
        (["dog"], [*VALID, "wolf"], 1, ValueError, "valid_labels has 1 name"),
        (["dog", "pet"], VALID, 1, ValueError, r"not in valid_labels \('pet'\)"),
        (["dog"], [*VALID, "dog", "cat"], 1, ValueError, r"more than once \('cat', 'dog'\)"),
        (["dog"], VALID, 0, ValueError, "k must be between 1 and 6"),
        (["dog"], VALID, [2, 7], ValueError, "number of valid labels, got 7"),
        (["dog"], VALID, [], ValueError, "ks is empty"),
        (["dog"], VALID, 2.0, TypeError, "k must be an integer"),
        (["dog"], VALID, True, TypeError, "k must be an integer"),
        (["dog"], [], 1, ValueError, "valid_labels is empty"),
        ([], VALID, 1, ValueError, "labels is empty"),
        ({"dog"}, VALID, 1, TypeError, "labels must have an order"),
        ("dog", VALID, 1, TypeError, "labels must be a collection of node names, not one: 'dog'"),
        ([["dog"]], VALID, 1, TypeError, "labels must be a flat collection"),
    ],
)
def test_refusals_of_labels_and_ks(labels, valid, ks, error, message):
    for ask in (TEN.stop_radii, TEN.correct_set_sizes):
        with pytest.raises(error, match=message):
            ask(labels, valid, ks)


def test_refusals_of_nodes_and_radii():
    with pytest.raises(ValueError, match=r"outside the hierarchy \('wolf'\)"):
        TEN.distance("dog", "wolf")
    with pytest.raises(ValueError, match="node has 1 name"):
        TEN.parents("wolf")
    with pytest.raises(ValueError, match="node has 1 name"):
        TEN.distances_from("wolf")
    with pytest.raises(ValueError, match="sources has 1 name"):
        TEN.within(["dog", "wolf"], 1)
    with pytest.raises(ValueError, match="sources is empty"):
        TEN.within([], 1)
    with pytest.raises(ValueError, match="radius must be at least 0"):
        TEN.within(["dog"], -1)
    with pytest.raises(TypeError, match="radius must be an integer"):
        TEN.within(["dog"], 1.5)
    with pytest.raises(ValueError, match="if_fewer must be one of"):
        TEN.correct_set("dog", 1, VALID, if_fewer="none")


ROWS, GOLD = np.array([[0, 1], [2, 3]]), np.array([0, 1])


@pytest.mark.parametrize(
    ("predictions", "gold", "ks", "error", "message"),
    [
        (ROWS, GOLD, 3, ValueError, r"predictions has 2 answer\(s\) a row, fewer than k = 3"),
        (ROWS[:0], GOLD[:0], 1, ValueError, "predictions must be a non-empty"),
        (ROWS[0], GOLD, 1, ValueError, "predictions must be a non-empty"),
        (ROWS * 1.0, GOLD, 1, TypeError, "predictions must hold integers"),
        (ROWS, GOLD > 0, 1, TypeError, "gold must hold integers"),
        (ROWS, GOLD[:1], 1, ValueError, "one label per row"),
        (ROWS, ROWS, 1, ValueError, "one label per row"),
        (ROWS, GOLD - 1, 1, ValueError, "gold must"),
        (ROWS, GOLD, 0, ValueError, "k must be"),
        ([["dog"], ["cat"]], GOLD, 1, TypeError, "predictions must hold integers"),
    ],
)
def test_refusals_of_predictions(predictions, gold, ks, error, message):
    with pytest.raises(error, match=message):
        hierarchical_precision_at_k(predictions, gold, TEN, VALID, ks)
    with pytest.raises(error, match=message):
        flat_hits_at_k(predictions, gold, ks)


def test_more_refusals_of_predictions():
    def ask(predictions, gold=GOLD, hierarchy=TEN, valid=VALID, ks=2, **options):
        hierarchical_precision_at_k(predictions, gold, hierarchy, valid, ks, **options)

    with pytest.raises(ValueError, match=r"predictions must lie in \[-1, 6\).* 0 to 6"):
        ask(np.array([[0, 6], [1, 2]]))
    with pytest.raises(ValueError, match="found -2 to 2"):
        ask(np.array([[0, -2], [1, 2]]))
    with pytest.raises(ValueError, match=r"gold must lie in \[0, 6\)"):
        ask(ROWS, gold=np.array([0, 6]))
    with pytest.raises(ValueError, match="position 2 more than once in row 1"):
        ask(np.array([[-1, -1, 0], [2, 3, 2]]), ks=[1, 3])
    with pytest.raises(ValueError, match="k must be between 1 and 6"):
        ask(np.array([[0, 1, 2, 3, 4, 5, -1]] * 2), ks=7)
    with pytest.raises(TypeError, match="valid_labels must have an order"):
        ask(ROWS, valid=set(VALID))
    with pytest.raises(TypeError, match="hierarchy must be a Hierarchy"):
        ask(ROWS, hierarchy=EDGES)
    with pytest.raises(ValueError, match="'cat' reach only 5"):
        ask(np.array([[0, 1, 2, 3, 4, 5]]), np.array([1]), TEN_CLIMBED, ks=6)
