"""What the metrics refuse, and the words in which they say so."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas

from zslib import metrics
from zslib.metrics.ancestors import common_ancestor_heights

ONE, TWO, THREE = np.zeros(1, int), np.arange(2), np.arange(3)
MASK = np.ones(2, bool)

EDGES = [("cat", "animal"), ("dog", "animal"), ("dog", "pet"), ("fish", "pet"), ("puppy", "dog")]
VALID = ["dog", "cat", "puppy", "fish"]
TREE = metrics.Hierarchy(EDGES)
CLIMBED = metrics.Hierarchy(EDGES, paths="up_then_down")
ROWS = np.array([[0, 1], [2, 3]])
NUMBERED = metrics.Hierarchy([(0, 7), (1, 7)])

rng = np.random.default_rng(2)
COUNTS, TARGETS, TRAINING = np.arange(9), rng.standard_normal((9, 3)), np.arange(9) < 4
NAMED = pandas.DataFrame(TARGETS, index=list("abcdefghi"))
TURNED = pandas.Series(TRAINING, index=NAMED.index[::-1])

SCORES = rng.integers(-4, 5, size=(12, 5)) / 4
SEEN = np.array([True, False, True, False, True])
Y_SEEN, Y_UNSEEN = np.tile([0, 2, 4], 4), np.tile([1, 3], 6)
LETTERS = pandas.DataFrame(SCORES, columns=list("abcde"))
BROKEN = np.where(np.arange(60).reshape(12, 5) == 15, np.nan, SCORES)


def precision(predictions, gold=TWO, ks=2, valid=VALID, hierarchy=TREE):
    return metrics.hierarchical_precision_at_k(predictions, gold, hierarchy, valid, ks)


def curve(
    scores_seen=SCORES, y_seen=Y_SEEN, scores_unseen=SCORES, y_unseen=Y_UNSEEN, is_seen=SEEN
):
    return metrics.seen_unseen_curve(scores_seen, y_seen, scores_unseen, y_unseen, is_seen)


# Arguments (those by name in a dictionary), words and, if it is no ValueError, the error.
REFUSALS = {
    metrics.pollution: [
        ((THREE, MASK), r"\(n_queries, k\)"),
        ((np.zeros((0, 3), int), MASK), "non-empty"),
        ((np.zeros((2, 1)), MASK), "indices must hold integers", TypeError),
        ((np.zeros((2, 1), int), np.ones(2, int)), "boolean mask", TypeError),
        ((np.zeros((2, 1), int), np.ones((2, 2), bool)), "mask over the 4 targets", TypeError),
        ((np.full((2, 1), 2), MASK), r"indices must lie in \[0, 2\)"),
        ((np.full((2, 1), -1), MASK), r"indices must lie in \[0, 2\)"),
    ],
    metrics.precision_at_k: [
        ((np.array([0.0]), [1]), "ranks must hold integers", TypeError),
        ((ONE[:0], [1]), "ranks, one for each query"),
        ((np.zeros((2, 2), int), [1]), "ranks, one for each query"),
        ((ONE - 1, [1]), "ranks must not be below 0"),
        ((ONE, [0]), "k must be at least 1"),
        ((ONE, [1.5]), "k must be an integer", TypeError),
        ((ONE, None), "k must be an integer, got None", TypeError),
        ((ONE, []), "ks is empty"),
    ],
    metrics.k_occurrence: [
        ((THREE, 4), r"pass indices\[:, :1\]"),
        ((np.zeros((3, 0), int), 4), "non-empty"),
        ((np.zeros((3, 1)), 4), "indices must hold integers", TypeError),
        ((np.array([[4]]), 4), r"indices must lie in \[0, 4\)"),
        ((np.array([[0]]), 0), "n_targets must be at least 1"),
    ],
    (metrics.k_skewness, metrics.robin_hood_index): [
        ((ONE[:0],), "non-empty"),
        ((np.zeros((2, 2), int),), "1-d"),
        ((np.array([1.0]),), "integers", TypeError),
        ((np.array([-1, 2]),), "not be below 0"),
    ],
    metrics.robin_hood_index: [((np.zeros(3, int),), "counts are all 0")],
    metrics.hub_share: [
        ((np.zeros((2, 1), int), TWO), r"first neighbours, indices\[:, 0\]"),
        ((ONE + 2, TWO), r"top1 must lie in \[0, 2\)"),
        ((np.array([1.0]), TWO), "top1 must hold integers", TypeError),
    ],
    metrics.hubness_contingency: [
        ((0 * THREE, 0 * THREE), "one single bin"),
        ((1.0 * THREE, THREE), "counts_a must hold integers", TypeError),
        ((THREE, -THREE), "counts_b must not be below 0"),
    ],
    metrics.hub_correlations: [
        ((COUNTS[:8], TARGETS, TRAINING), "counts has 8 rows and targets has 9"),
        ((COUNTS, TARGETS, TRAINING[:8]), "boolean mask over the 9 targets", TypeError),
        ((COUNTS, TARGETS, COUNTS), "boolean mask", TypeError),
        ((COUNTS, TARGETS, np.zeros(9, bool)), "marks no target"),
        ((0 * COUNTS + 1, TARGETS, TRAINING), "counts is the same for every target"),
        ((COUNTS[:2], TARGETS[:2], TRAINING[:2]), "at least 3"),
        ((COUNTS, TARGETS * np.nan, TRAINING), "targets holds NaN"),
        ((COUNTS, TARGETS - TARGETS.mean(axis=0), TRAINING), "has the mean zero"),
        ((COUNTS, np.ones((9, 3)), TRAINING), "same for every target"),
        ((COUNTS / 2, TARGETS, TRAINING), "counts must hold integers", TypeError),
        ((COUNTS, NAMED, TURNED), "row 0 of is_training_target is 'i', where targets has"),
    ],
    metrics.effective_dimension: [
        ((np.ones((3, 2)),), "all equal"),
        (([1.0, 2.0],), "vectors must be a 2-d array"),
    ],
    (metrics.class_accuracies, metrics.per_class_accuracy): [
        (([0, 1], [0]), "y_true has 2 rows and y_pred has 1"),
        ((np.array([]), np.array([])), r"y_true must be a non-empty 1-d .* shape \(0,\)"),
        (([[0]], [[0]]), r"y_true must be a non-empty 1-d .* shape \(1, 1\)"),
        (([0.0], [0]), "y_true must hold integers, .*got float64", TypeError),
        (([0], [0.5]), "y_pred must hold integers", TypeError),
        ((TWO, np.array(["ant", "bee"])), "must hold integers", TypeError),
        (([0, 2], [0, 2], [0, 1, 2, 4]), r"2 class\(es\) have no sample .* class 1:"),
        ((list("ab"), list("ab"), list("az")), "first is class z:"),
        ((["a", None], ["a", "b"]), r"y_true has no label at 1 .* first in row 1:"),
        ((["a", math.nan], ["a", "b"]), r"y_true has no label at 1 .* first in row 1:"),
        ((["a", "b"], ["a", " "]), r"y_pred has no label at 1 .* first in row 1:"),
        ((["a", "b"], ["a", pandas.NA]), r"y_pred has no label at 1 .* first in row 1:"),
        ((["a", 1], ["a", "b"]), "y_true must hold integers, or names alone", TypeError),
        (([0, 2], [0, 2], [0, 0]), "lists a class twice"),
        ((["cat", "dog"], ["Cat", "dog"]), r"y_true and y_pred write a label as '[cC]at' and"),
        ((["caf\u00e9", "b"], ["cafe\u0301", "b"]), "write it one way, or pass numbers"),
        (([0, 2], [0, 2], [True, False]), "classes must hold integers, .*got bool", TypeError),
    ],
    metrics.harmonic_mean: [
        ((-0.1, 0.5), "seen must be a finite number, at least 0"),
        ((0.1, math.nan), "unseen must be a finite number"),
        ((np.array([0.5]), np.array([-0.5])), "unseen must hold accuracies"),
        ((np.array([np.nan]), np.array([0.5])), "seen must hold accuracies"),
        (("0.1", 0.2), "seen must hold accuracies"),
        ((np.ones(2), np.ones((2, 1))), r"seen has shape \(2,\) and unseen \(2, 1\)"),
    ],
    metrics.top_classes: [
        ((np.zeros((3, 2)), 3), r"k must be between 1 and 2 \(the number of classes\)"),
        (([0.5, 0.2],), "scores must be a 2-d array"),
    ],
    curve: [
        (
            {"scores_seen": LETTERS, "scores_unseen": LETTERS[list("edcba")]},
            "column 0 of scores_u",
        ),
        ({"scores_seen": BROKEN}, "scores_seen holds NaN or infinity in 1 row"),
        ({"y_seen": Y_SEEN[1:]}, "y_seen has 11 rows and scores_seen has 12"),
        ({"y_unseen": 0 * Y_UNSEEN}, "y_unseen holds class 0, which"),
        ({"y_seen": 0 * Y_SEEN + 1}, "marks as the other kind"),
        ({"y_seen": Y_SEEN + 5}, r"y_seen must lie in \[0, 5\)"),
        ({"y_unseen": 1.0 * Y_UNSEEN}, "y_unseen must hold integers", TypeError),
        ({"is_seen": SEEN[:4]}, "boolean mask over the 5 classes", TypeError),
        ({"is_seen": SEEN.astype(int)}, "boolean mask", TypeError),
        ({"is_seen": SEEN | True}, "marks all of the classes"),
        ({"is_seen": SEEN & False}, "marks none of the classes"),
        ({"scores_seen": SCORES[:0], "y_seen": Y_SEEN[:0]}, "scores_seen is empty"),
    ],
    curve().at: [((np.inf,), "gamma must be a finite number")],
    metrics.Hierarchy: [
        (([],), "edges is empty"),
        (([("a", "b"), ("b", "c"), ("c", "b")],), r"cycle, '[bc]' -> '[bc]' -> '"),
        (([("a", "b"), ("c", "c")],), "number 1 links 'c' to itself"),
        (([("a", "b", "c")],), "edges number 0 must be a .* pair"),
        (([("a", "b"), "cd"],), "number 1 must be a .* pair, not 'cd'"),
        (([3],), "number 0 must be a .* pair, not 3"),
        *[
            (([("a", "b"), ("b", missing)],), "edges number 1 has .* for a name: .* a root needs")
            for missing in (None, math.nan, "", " ", b"", pandas.NA, pandas.NaT, np.ma.masked)
        ],
        (({"dog": "canine"},), r"pairs, got a dict: give its items\(\)", TypeError),
        ((NAMED,), r"pairs, got a DataFrame: .*itertuples", TypeError),
        ((SimpleNamespace(edges=EDGES, nodes=VALID),), "or its edges, turned round", TypeError),
        (([(["a"], "b")],), "edges number 0 .* cannot name a node", TypeError),
        ({"edges": EDGES, "nodes": [{}]}, "nodes has {}, which cannot name", TypeError),
        ({"edges": EDGES, "nodes": "cd"}, "nodes must be a collection", TypeError),
        ({"edges": EDGES, "paths": "down"}, "paths must be one of 'any'"),
    ],
    (TREE.stop_radii, TREE.correct_set_sizes): [
        ((["wolf"], VALID, 1), r"labels has 1 name\(s\) outside the hierarchy \('wolf'"),
        ((["dog"], [*VALID, "wolf"], 1), "valid_labels has 1 name"),
        ((["dog", "pet"], VALID, 1), r"not in valid_labels \('pet'\)"),
        ((["dog"], [*VALID, "dog", "cat"], 1), r"more than once \('cat', 'dog'\)"),
        ((["dog"], VALID, 0), "k must be between 1 and 4"),
        ((["dog"], VALID, [2, 5]), "number of valid labels, got 5"),
        ((["dog"], VALID, []), "ks is empty"),
        ((["dog"], VALID, 2.0), "k must be an integer", TypeError),
        ((["dog"], VALID, True), "k must be an integer", TypeError),
        ((["dog"], [], 1), "valid_labels is empty"),
        (([], VALID, 1), "labels is empty"),
        (({"dog"}, VALID, 1), "labels must have an order", TypeError),
        (("dog", VALID, 1), "a collection of node names, not one: 'dog'", TypeError),
        (([["dog"]], VALID, 1), "labels must be a flat collection", TypeError),
    ],
    CLIMBED.correct_set: [(("cat", 4, VALID), "label 'cat' reach only 3 valid")],
    metrics.Hierarchy(EDGES, nodes=["stone"]).stop_radii: [
        ((["stone"], [*VALID, "stone"], [2, 1]), "'stone' reach only 1 .* fewer than k = 2")
    ],
    partial(TREE.correct_set, if_fewer="none"): [(("dog", 1, VALID), "if_fewer must be one of")],
    TREE.distance: [(("dog", "wolf"), r"outside the hierarchy \('wolf'\)")],
    (TREE.parents, TREE.distances_from): [(("wolf",), "node has 1 name")],
    TREE.within: [
        ((["dog", "wolf"], 1), "sources has 1 name"),
        (([], 1), "sources is empty"),
        ((["dog"], -1), "radius must be at least 0"),
        ((["dog"], 1.5), "radius must be an integer", TypeError),
    ],
    common_ancestor_heights: [
        ((TREE, []), "labels is empty"),
        ((TREE, set(VALID)), "labels must have an order", TypeError),
        ((EDGES, VALID), "hierarchy must be a Hierarchy, got", TypeError),
    ],
    (precision, metrics.flat_hits_at_k): [
        ((ROWS, TWO, 3), r"predictions has 2 answer\(s\) a row, fewer than k = 3"),
        ((ROWS[:0], TWO[:0], 1), "predictions must be a non-empty"),
        ((ROWS[0], TWO, 1), "predictions must be a non-empty"),
        ((ROWS * 1.0, TWO, 1), "predictions must hold integers", TypeError),
        ((ROWS, TWO > 0, 1), "gold must hold integers", TypeError),
        ((ROWS, TWO[:1], 1), "one for each of the 2 rows of predictions"),
        ((ROWS, ROWS, 1), "gold must be a non-empty 1-d array"),
        ((ROWS, TWO - 1, 1), "gold must"),
        ((ROWS, TWO, 0), "k must be"),
    ],
    metrics.flat_hits_at_k: [
        (([["dog"], ["cat"]], TWO, 1), "predictions must hold integers", TypeError),
        (([["dog", None]], [None], 2), r"predictions has no label at 1"),
    ],
    precision: [
        ((np.array([[0, 4], [1, 2]]),), r"predictions must lie in \[-1, 4\).* 0 to 4"),
        ((np.array([[0, -2], [1, 2]]),), "found -2 to 2"),
        ((ROWS, np.array([0, 4])), r"gold must lie in \[0, 4\)"),
        ((np.array([[-1, -1, 0], [2, 3, 2]]), TWO, [1, 3]), "position 2 more than once in row 1"),
        ((np.array([[0, 1, 2, 3, -1]] * 2), TWO, 5), "k must be between 1 and 4"),
        (([[0], [1]], TWO, 1, [1, 0], NUMBERED), "are places in valid_labels, which has all of"),
        (([["dog"], ["ox"]], TWO, 1), "predictions has 'ox', which valid_labels lacks"),
        (([["dog"], [""]], TWO, 1), "predictions has no label at 1 place"),
        ((ROWS, TWO, 2, set(VALID)), "valid_labels must have an order", TypeError),
        ((ROWS, TWO, 2, VALID, EDGES), "hierarchy must be a Hierarchy", TypeError),
        ((np.array([[0, 1, 2, 3]]), ONE + 1, 4, VALID, CLIMBED), "'cat' reach only 3"),
    ],
}


def test_refusals(refusal):
    refusal()
