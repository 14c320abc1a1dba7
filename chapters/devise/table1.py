"""Table 1 of DeViSE's appendix under each reading of the hierarchy, and what is behind it."""

from __future__ import annotations

import numpy as np

from chapters.devise.correct_sets import correct_set_sizes, reading_hierarchy
from zslib.datasets.hierarchy.readings import READINGS, label_sets
from zslib.datasets.hierarchy.tree import CATEGORIES, misc_under
from zslib.metrics.hierarchy import Hierarchy

__all__ = [
    "KS",
    "exact_sizes",
    "graph_sizes",
    "homes_of_misc",
    "homes_told",
    "large_sets",
    "mean_sizes",
    "size_curves",
    "table_sizes",
    "worst_told",
]

KS = (1, 2, 5, 10, 20)
_DEVIATION = "largest deviation from Table 1, %"


def table_sizes(lists, readings):
    """`CorrectSetSizes` for the k of Table 1, by reading and row."""
    return {reading: correct_set_sizes(lists, reading, KS) for reading in readings}


def graph_sizes(lists, found):
    """Name, words, nodes and links of each reading, and how many labels it lacks at most."""
    return [
        [
            name,
            READINGS[name],
            graph.n_nodes,
            graph.n_links,
            max(r.left_out for r in rows.values()),
        ]
        for name, rows in found.items()
        for graph in [reading_hierarchy(lists, name)]
    ]


def mean_sizes(found, lists, paper):
    """Rows: mean sizes of correct sets over images and over labels; how far they are off.

    The paper's mean is over images. Where the lists do not count them, the deviations of the
    zero-shot rows are named apart, since they test no claim.
    """
    for reading, rows in found.items():
        for name, row in rows.items():
            of = {"label_set": name, "dataset": lists}
            ratios = []
            for k, over_images, alike in zip(KS, row.means(), row.means("label"), strict=True):
                if k > 1:
                    for what, value in (("", over_images), (", labels alike", alike)):
                        metric = f"mean size of the correct set{what}"
                        yield of | {"metric": metric, "method": reading, "k": k, "value": value}
                    ratios.append(over_images / paper[name][str(k)])
            known = lists.image_counts is not None or name == "1K"
            method = reading if known else f"{reading}, labels alike"
            yield of | {"metric": _DEVIATION, "method": method, "value": _largest(ratios)}


def worst_told(rows):
    """How far each reading is off in its worst cell of `mean_sizes`, in a sentence."""
    worst = {}
    for row in rows:
        name = row["method"].split(",")[0]
        worst[name] = max(row["value"], worst.get(name, 0.0))
    told = ", ".join(f"{value:,.0f}% ({name})" for name, value in worst.items())
    closest = min(worst, key=worst.get)
    return f"In their worst cell the readings are off by {told}; the closest is {closest}."


def homes_of_misc(lists, paper):
    """Rows: Table 1 and the hop lists with Misc's children under each category, best first."""
    sets = label_sets(lists)
    pool, homes = set(sets["21K"].labels), []
    for home, word in CATEGORIES.items():
        links = misc_under(lists.is_a, home)
        graph, climbing = Hierarchy(links), Hierarchy(links, paths="up_then_down")
        found = {}
        for name, row in sets.items():
            sizes = graph.correct_set_sizes(row.labels, row.valid, KS[1:])
            means = np.average(sizes, axis=0, weights=row.weights)
            found[name] = _largest(means / [paper[name][str(k)] for k in KS[1:]])
        both = all(
            climbing.within(sets["1K"].valid, links) & pool == set(sets[name].labels)
            for name, links in (("2-hop", 1), ("3-hop", 2))
        )
        homes.append((f"Misc under {word}", found, both))
    for method, found, both in sorted(homes, key=lambda home: max(home[1].values())):
        of = {"method": method, "dataset": lists}
        for name, value in found.items():
            yield of | {"metric": _DEVIATION, "label_set": name, "value": value}
        yield of | {"metric": "gives the hop lists", "label_set": "2-hop and 3-hop", "value": both}


def homes_told(rows):
    """What `homes_of_misc` found, in a sentence: the row of the 1,000 against the hop lists."""
    off, both = {}, set()
    for row in rows:
        home = row["method"].removeprefix("Misc under ")
        if row["metric"] == _DEVIATION:
            off.setdefault(home, {})[row["label_set"]] = row["value"]
        elif row["value"]:
            both.add(home)
    nearest = {
        name: min(off, key=lambda home, name=name: off[home][name]) for name in off["animal"]
    }
    told = [
        f"*{home}* {'gives' if home in both else 'does not give'} both hop lists, and is off by "
        f"at most {off[home]['1K']:.1f}% in the row of the 1,000"
        for home in dict.fromkeys([nearest["1K"], *sorted(both)])
    ]
    rest = ", ".join(f"*{home}* ({name})" for name, home in nearest.items() if name != "1K")
    return f"Here {'; '.join(told)}. In the other rows the nearest to the paper are {rest}."


def size_curves(row):
    """Rows: percent of the test labels (or their images) with no larger set, in steps."""
    weights = _weights(row)
    for k, sizes in zip(KS[1:], row.sizes.T[1:], strict=True):
        for size in np.unique(sizes).tolist():
            for part in (sizes < size, sizes <= size):
                value = 100 * float(weights[part].sum() / weights.sum())
                yield {"method": f"k = {k}", "size": size, "value": value}


def large_sets(row, per, lists, least=1000):
    """Rows: how many correct sets are large, and the mean sizes of large and other ones."""
    weights = _weights(row)
    for k, sizes in zip(KS[1:], row.sizes.T[1:], strict=True):
        large = sizes >= least
        share = 100 * float(np.average(large, weights=weights))
        of = {"label_set": "3-hop", "k": k, "dataset": lists}
        yield of | {"metric": f"{per} with a correct set of 1,000 or more, %", "value": share}
        for what, part in (("the others", ~large), ("the large ones", large)):
            mean = np.average(sizes[part], weights=weights[part]) if part.any() else None
            yield of | {"metric": f"mean size of {what}", "value": mean}


def exact_sizes(rows, lists):
    """Rows: labels whose correct set has exactly k members, by label set and at most.

    And the largest correct set at k = 1, where it is to be the label alone.
    """
    shares = {
        (name, k): 100 * float((sizes == k).mean())
        for name, row in rows.items()
        for k, sizes in zip(KS, row.sizes.T, strict=True)
    }
    for (name, k), value in shares.items():
        if k > 1:
            of = {"label_set": name, "k": k, "dataset": lists}
            yield of | {"metric": "labels with a set of exactly k, %", "value": value}
    for k in KS[1:]:
        name = max(rows, key=lambda name, k=k: shares[name, k])
        of = {"label_set": name, "k": k, "dataset": lists}
        yield of | {"metric": "correct sets of exactly k labels, %", "value": shares[name, k]}
    largest = max(int(row.sizes[:, 0].max()) for row in rows.values())
    yield {"metric": "largest correct set", "k": 1, "dataset": lists, "value": largest}


def _largest(ratios):
    return 100 * float(max(abs(ratio - 1) for ratio in ratios))


def _weights(row):
    return np.ones(len(row.labels)) if row.weights is None else row.weights
