"""Table 1 of DeViSE's appendix: mean sizes of correct sets, under a reading of the hierarchy."""

from dataclasses import dataclass

import numpy as np

from zslib.datasets.hierarchy.readings import label_sets, reading_edges
from zslib.metrics.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class CorrectSetSizes:
    """Sizes, (n_labels, n_ks), of the correct sets of one label set's test labels.

    ``weights`` are the test images of each label, None where they are equal or not known;
    ``left_out`` counts test labels that the reading's graph does not have.
    """

    labels: tuple
    sizes: np.ndarray
    weights: np.ndarray | None
    left_out: int

    def means(self, *, alike=False):
        """Mean size for each k; labels weigh by their images, where known, or all alike."""
        return np.average(self.sizes, axis=0, weights=None if alike else self.weights)


def reading_hierarchy(lists, reading):
    """The `Hierarchy` of a reading of Table 1, a key of `READINGS`."""
    graph = reading_edges(lists, reading)
    return Hierarchy(graph.edges, paths=graph.paths, nodes=graph.nodes)


def correct_set_sizes(lists, reading, ks):
    """Sizes of all correct sets behind Table 1, by its rows "1K", "2-hop", "3-hop" and "21K"."""
    graph, hierarchy, rows = reading_edges(lists, reading), reading_hierarchy(lists, reading), {}
    for name, row in label_sets(lists).items():
        known = [i for i, label in enumerate(row.labels) if label in hierarchy]
        labels = [row.labels[i] for i in known]
        valid = [v for v in row.valid + graph.also_valid if v in hierarchy]
        sizes = hierarchy.correct_set_sizes(labels, valid, ks, if_fewer=graph.if_fewer)
        weights = None if row.weights is None else np.array(row.weights)[known]
        rows[name] = CorrectSetSizes(tuple(labels), sizes, weights, len(row.labels) - len(known))
    return rows
