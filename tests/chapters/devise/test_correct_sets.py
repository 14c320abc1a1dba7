"""Sizes of correct sets under the readings, on lists small enough to check by a loop."""

from collections import defaultdict

import numpy as np
import pytest

from chapters.devise.correct_sets import correct_set_sizes, reading_hierarchy
from zslib.datasets import READINGS, find_folder, imagenet_lists
from zslib.datasets.hierarchy.lists import ImageNetLists

ANIMAL, ARTIFACT = "n00015388", "n00021939"
SHARED = (("cat", ANIMAL), ("dog", ANIMAL), ("puppy", "dog"), ("cup", ARTIFACT))
TOPS = (ANIMAL, ARTIFACT, "idea", "food")
WORDNET = (*((top, "entity") for top in TOPS), *SHARED)
MISC = tuple((label, "fa11misc") for label in ("idea", "food", "hero"))
TREE = (*((top, "fall11") for top in (ANIMAL, ARTIFACT, "fa11misc")), *SHARED, *MISC)
SEEN, UNSEEN = ("cup", "dog"), ("cat", "food", "hero", "idea", "puppy")
VALID = {
    "1K": SEEN,
    "2-hop": ("cat", "puppy", *SEEN),
    "3-hop": ("cat", "food", "puppy", *SEEN),
    "21K": (*UNSEEN, *SEEN),
}
KS = (1, 2)


@pytest.fixture(scope="module")
def lists():
    return ImageNetLists(
        name="real",
        description="a toy",
        wordnet=WORDNET,
        instance_links=(("hero", "dog"),),
        lemmas={},
        ilsvrc2012=SEEN,
        fall2011=tuple(sorted(SEEN + UNSEEN)),
        two_hop=("cat", "puppy"),
        three_hop=("cat", "food", "puppy"),
        published_hops=True,
        is_a=TREE,
        image_counts={"cat": 10, "food": 0, "hero": 30, "idea": 5, "puppy": 5},
        checksum="",
    )


def edges_of(reading):
    """The links of each reading, written out anew."""
    labels = {*SEEN, *UNSEEN}
    if reading[0] == "A":
        return WORDNET + ((("hero", "dog"),) if reading == "A'" else ())
    if reading == "B":
        return tuple((c, p) for c, p in WORDNET if c in labels and p in labels)
    if reading[0] == "C":
        return TREE
    return tuple((c, ANIMAL if p == "fa11misc" else p) for c, p in TREE if c != "fa11misc")


def ways_on(reading):
    """Where one may go from (node, may still climb)."""
    up, down = defaultdict(set), defaultdict(set)
    for child, parent in edges_of(reading):
        up[child].add(parent)
        down[parent].add(child)

    def step(state):
        node, climbs = state
        if reading != "E":
            return {(other, True) for other in up[node] | down[node]}
        climbed = {(other, True) for other in up[node]} if climbs else set()
        return climbed | {(other, False) for other in down[node]}

    return step


def size_by_the_loop(label, k, valid, step):
    """A.3's pseudo-code; ends also when no node is left."""
    ring = seen = {(label, True)}
    correct = {label} & valid
    while len(correct) < k and ring:
        ring = {state for old in ring for state in step(old)} - seen
        seen = seen | ring
        correct |= {node for node, _ in ring} & valid
    return len(correct)


@pytest.mark.parametrize("reading", READINGS)
def test_sizes_are_those_of_the_loop(lists, reading):
    found = correct_set_sizes(lists, reading, KS)
    step = ways_on(reading)
    nodes = {node for edge in edges_of(reading) for node in edge}
    for name, valid in VALID.items():
        labels = [label for label in valid if label not in SEEN] or list(SEEN)
        valid = set(valid) | ({"fa11misc"} if reading == "C'" else set())
        if reading != "B":
            labels, valid = [x for x in labels if x in nodes], valid & nodes
        assert found[name].labels == tuple(labels)
        expected = [[size_by_the_loop(label, k, valid, step) for k in KS] for label in labels]
        assert found[name].sizes.tolist() == expected, name
    assert reading_hierarchy(lists, reading).n_links == len(set(edges_of(reading)))
    # The hero is an instance alone, which WordNet's hypernym links do not have.
    assert [row.left_out for row in found.values()] == [0, 0, 0, int(reading == "A")]


def test_means_over_images_and_over_labels(lists):
    found = correct_set_sizes(lists, "A", KS)
    row = found["21K"]
    assert row.labels == ("cat", "food", "idea", "puppy")
    weights = np.array([10, 0, 5, 5])  # the hero's images go with it
    np.testing.assert_array_equal(row.weights, weights)
    np.testing.assert_allclose(row.means(), (row.sizes.T @ weights) / 20)
    np.testing.assert_allclose(row.means(alike=True), row.sizes.mean(axis=0))
    assert found["1K"].weights is None
    np.testing.assert_array_equal(found["1K"].means(), found["1K"].means(alike=True))


def test_refusal(lists):
    with pytest.raises(ValueError, match="reading must be one of"):
        reading_hierarchy(lists, "F")


@pytest.fixture(scope="module")
def real():
    if find_folder("imagenet") is None:
        pytest.skip("no label lists of ImageNet here")
    return correct_set_sizes(imagenet_lists("real"), "D", (1, 2, 5, 10, 20))


def test_the_package_gives_the_same_sizes(real):
    carried = correct_set_sizes(imagenet_lists("embedded"), "D", (1, 2, 5, 10, 20))
    for name, row in carried.items():
        assert row.labels == real[name].labels
        np.testing.assert_array_equal(row.sizes, real[name].sizes)
        assert (np.diff(row.sizes, axis=1) >= 0).all()
        assert row.weights is None
    # The size that the paper prints as the mean of the 3-hop labels at k = 5 is no label's.
    assert not (real["3-hop"].sizes == 577).any()
