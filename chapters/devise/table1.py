"""Table 1 of DeViSE's appendix under each reading of the hierarchy, and what is behind it."""

import numpy as np

from chapters.devise.correct_sets import reading_hierarchy
from chapters.devise.estimates import metric_rows
from zslib.datasets.hierarchy.readings import READINGS, label_sets
from zslib.datasets.hierarchy.tree import CATEGORIES, misc_under
from zslib.metrics.hierarchy import Hierarchy

KS = (1, 2, 5, 10, 20)
_MEAN = "mean size of the correct set"
_DEVIATION = "largest deviation from Table 1, %"


def graph_sizes(lists, sizes):
    """Name, words, nodes and links of each reading, and how many labels it lacks at most."""
    for name, sets in sizes.items():
        graph = reading_hierarchy(lists, name)
        lacking = max(row.left_out for row in sets.values())
        yield [name, READINGS[name], graph.n_nodes, graph.n_links, lacking]


def mean_sizes(sizes, paper, counted):
    """Rows: mean sizes of correct sets over images and over labels; how far they are off.

    The paper's mean is over images. Where the lists have not ``counted`` them, the deviations of
    the zero-shot rows are named apart, since they test no claim.
    """
    for reading, sets in sizes.items():
        for name, row in sets.items():
            for k, over_images, alike in zip(KS, row.means(), row.means(alike=True), strict=True):
                if k > 1:
                    means = {_MEAN: over_images, f"{_MEAN}, labels alike": alike}
                    yield from metric_rows(means, label_set=name, method=reading, k=k)
            method = reading if counted or name == "1K" else f"{reading}, labels alike"
            deviation = {_DEVIATION: _largest(row.means()[1:], paper[name])}
            yield from metric_rows(deviation, label_set=name, method=method)


def homes_of_misc(lists, paper):
    """Rows: Table 1 and the hop lists with Misc's children under each category, best first."""
    sets = label_sets(lists)
    pool, homes = set(sets["21K"].labels), []
    for home, word in CATEGORIES.items():
        links = misc_under(lists.is_a, home)
        graph, climbing = Hierarchy(links), Hierarchy(links, paths="up_then_down")
        deviations = {}
        for name, row in sets.items():
            sizes = graph.correct_set_sizes(row.labels, row.valid, KS[1:])
            means = np.average(sizes, axis=0, weights=row.weights)
            deviations[name] = _largest(means, paper[name])
        both = all(
            climbing.within(sets["1K"].valid, links) & pool == set(sets[name].labels)
            for name, links in (("2-hop", 1), ("3-hop", 2))
        )
        homes.append((f"Misc under {word}", deviations, both))
    for method, deviations, both in sorted(homes, key=lambda home: max(home[1].values())):
        for name, value in deviations.items():
            yield from metric_rows({_DEVIATION: value}, label_set=name, method=method)
        gives = {"gives the hop lists": both}
        yield from metric_rows(gives, label_set="2-hop and 3-hop", method=method)


def size_curves(row):
    """Rows: percent of the test labels (or their images) with no larger set, in steps."""
    weights = _weights(row)
    for k, sizes in zip(KS[1:], row.sizes.T[1:], strict=True):
        for size in np.unique(sizes).tolist():
            for part in (sizes < size, sizes <= size):
                value = 100 * float(weights[part].sum() / weights.sum())
                yield {"method": f"k = {k}", "size": size, "value": value}


def large_sets(row, per):
    """Rows: how many correct sets are large, and the mean sizes of large and other ones."""
    weights = _weights(row)
    for k, sizes in zip(KS[1:], row.sizes.T[1:], strict=True):
        large = sizes >= 1000
        share = 100 * float(np.average(large, weights=weights))
        values = {f"{per} with a correct set of 1,000 or more, %": share}
        for which, part in (("the others", ~large), ("the large ones", large)):
            mean = np.average(sizes[part], weights=weights[part]) if part.any() else None
            values[f"mean size of {which}"] = mean
        yield from metric_rows(values, label_set="3-hop", k=k)


def exact_sizes(rows):
    """Rows: the largest share of labels whose correct set has exactly k members, of a label set.

    And the largest correct set at k = 1, where it is to be the label alone.
    """
    for column, k in list(enumerate(KS))[1:]:
        shares = {
            name: 100 * float((row.sizes[:, column] == k).mean()) for name, row in rows.items()
        }
        most = max(shares, key=shares.get)
        at_most = {"correct sets of exactly k labels, %": shares[most]}
        yield from metric_rows(at_most, label_set=most, k=k)
    largest = max(int(row.sizes[:, 0].max()) for row in rows.values())
    yield from metric_rows({"largest correct set": largest}, k=1)


def _largest(means, printed):
    """The largest deviation of means for all k but 1 from those printed, in percent."""
    ratios = means / np.array([printed[str(k)] for k in KS[1:]])
    return 100 * float(np.abs(ratios - 1).max())


def _weights(row):
    return np.ones(len(row.labels)) if row.weights is None else row.weights
