"""Speed and memory of `zslib.metrics.hierarchy` beside plain Python, networkx and SciPy.

    OMP_NUM_THREADS=1 python benchmarks/hierarchy.py            # as below, printed
    OMP_NUM_THREADS=1 python benchmarks/hierarchy.py --write    # benchmarks/results/hierarchy.md
    python benchmarks/hierarchy.py --random --nodes 2000        # a small random graph

The work is all four rows of DeViSE's Table 1, the sizes of 31,251 labels' correct sets at k = 1,
2, 5, 10 and 20, building of the graph included; then hp@20 of random predictions over the largest
of the four label sets. The graph is ImageNet's Fall 2011 tree where the data folder has it, else a
seeded random one of its size; the output says which. Nothing here runs on more than one core.

Each contestant runs in a process of its own, the rounds taking turns; the least time counts, since
other work on the machine can only add to it. Memory is the largest growth of the process's
anonymous memory meanwhile. The slower peers walk from a share of the labels, and that part of
their time is scaled up; their answers must equal zslib's or the run stops.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from _harness import answer, keep, machine, watched

from zslib.datasets.files import read_lines
from zslib.datasets.locate import find_folder
from zslib.metrics import Hierarchy, hierarchical_precision_at_k

KS = (1, 2, 5, 10, 20)


# --- data ---


def read(path):
    return [line.split("\t") for line in read_lines(path)]


def real_data(folder):
    """Links, and (test labels, valid labels) of each row of Table 1."""
    edges = [tuple(edge) for edge in read(folder / "imagenet_fall2011_is_a.tsv.gz")]
    seen, two, three, every = (
        [row[0] for row in read(folder / name)]
        for name in (
            "ilsvrc2012_1k.txt",
            "zeroshot_2hop_1549.txt",
            "zeroshot_3hop_7860.txt",
            "imagenet_fall2011_21841.txt",
        )
    )
    rows = [(seen, seen)]
    for unseen in (two, three, sorted(set(every) - set(seen))):
        rows.append((unseen, seen + unseen))
    return edges, rows


def random_data(n):
    """A tree whose early nodes have most children, one in 13 nodes with a second parent."""
    rng = np.random.default_rng(0)
    child = np.arange(1, n)
    edges = [(i, int(i * u**1.5)) for i, u in zip(child.tolist(), rng.random(n - 1), strict=True)]
    edges += [(i, int(rng.integers(0, i))) for i in range(13, n, 13)]
    labels = rng.permutation(n)[: int(n * 0.6757)].tolist()
    seen, unseen = labels[: n // 32], labels[n // 32 :]
    rows = [(seen, seen)]
    for size in (n // 21, n // 4, len(unseen)):
        rows.append((unseen[:size], seen + unseen[:size]))
    return edges, rows


def load(options):
    folder = None if options.random else find_folder("imagenet")
    if folder is None:
        return f"a seeded random graph of {options.nodes:,} nodes", *random_data(options.nodes)
    return "ImageNet's Fall 2011 tree, with its Misc node", *real_data(folder)


def random_predictions(n_samples, n_labels):
    rng = np.random.default_rng(1)
    # Twenty labels a row, all different: one from each of twenty slices of a shuffled list.
    width = n_labels // 20
    slices = np.arange(20) * width + rng.integers(0, width, (n_samples, 20))
    return rng.permutation(n_labels)[slices], rng.integers(0, n_labels, n_samples)


# --- contestants: start(edges) builds, and returns what gives the sizes for a row's labels ---


def zslib_sizes(edges):
    hierarchy = Hierarchy(edges)
    return lambda labels, valid: hierarchy.correct_set_sizes(labels, valid, KS)


def widening(layers, valid):
    """Sizes for all k by A.3's loop, over the sets of nodes at 0, 1, 2, ... hops."""
    found, sizes = 0, []
    for layer in layers:
        found += len(valid.intersection(layer))
        while len(sizes) < len(KS) and found >= KS[len(sizes)]:
            sizes.append(found)
        if len(sizes) == len(KS):
            return sizes
    raise ValueError("the graph is not connected")


def neighbours(edges):
    near = {}
    for child, parent in edges:
        near.setdefault(child, set()).add(parent)
        near.setdefault(parent, set()).add(child)
    return near


def plain_layers(near, label):
    layer, seen = {label}, {label}
    while layer:
        yield layer
        layer = {y for x in layer for y in near[x]} - seen
        seen |= layer


def plain_sizes(edges):
    near = neighbours(edges)

    def run(labels, valid):
        valid = set(valid)
        return [widening(plain_layers(near, label), valid) for label in labels]

    return run


def networkx_sizes(edges):
    import networkx as nx

    graph = nx.Graph(edges)

    def run(labels, valid):
        valid = set(valid)
        return [widening(nx.bfs_layers(graph, label), valid) for label in labels]

    return run


def scipy_sizes(edges):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    names = {name: i for i, name in enumerate(dict.fromkeys(x for e in edges for x in e))}
    child, parent = np.array([(names[c], names[p]) for c, p in edges]).T
    links = csr_array((np.ones(len(child)), (child, parent)), shape=(len(names), len(names)))

    def run(labels, valid):
        valid, sizes = [names[x] for x in valid], []
        for label in labels:
            hops = dijkstra(links, directed=False, unweighted=True, indices=names[label])
            hops = np.sort(hops[valid])
            sizes.append(np.searchsorted(hops, hops[np.array(KS) - 1], side="right"))
        return sizes

    return run


SIZES = {  # and the share of labels walked from: one in so many
    "zslib correct_set_sizes": (zslib_sizes, 1),
    "plain Python, A.3's loop over sets": (plain_sizes, 1),
    "networkx bfs_layers, A.3's loop": (networkx_sizes, 4),
    "SciPy dijkstra, unweighted, whole graph": (scipy_sizes, 100),
}


def zslib_precision(edges, valid, predictions, gold):
    hierarchy = Hierarchy(edges)
    return hierarchical_precision_at_k(predictions, gold, hierarchy, valid, 20)[:, 0]


def plain_precision(edges, valid, predictions, gold):
    """Correct sets by A.3's loop, each built once and kept."""
    near, valid_set, kept, shares = neighbours(edges), set(valid), {}, []
    for answers, label in zip(predictions.tolist(), gold.tolist(), strict=True):
        if label not in kept:
            correct = set()
            for layer in plain_layers(near, valid[label]):
                correct |= valid_set & layer
                if len(correct) >= 20:
                    break
            kept[label] = correct
        shares.append(sum(valid[answer] in kept[label] for answer in answers) / 20)
    return np.array(shares)


PRECISION = {
    "zslib hierarchical_precision_at_k": zslib_precision,
    "plain Python, sets kept": plain_precision,
}


# --- measuring ---


def measure_sizes(name, options):
    """Seconds, memory and a sum of sizes of one contestant, in this process."""
    _, edges, rows = load(options)
    start, every = SIZES[name]
    start(edges[:1])  # load code
    built = watched(lambda: start(edges))
    walked = watched(
        lambda: np.concatenate([built.value(labels[::every], valid) for labels, valid in rows])
    )
    if start is not zslib_sizes:
        ours = zslib_sizes(edges)
        expected = np.concatenate([ours(labels[::every], valid) for labels, valid in rows])
        np.testing.assert_array_equal(walked.value, expected)
    seconds = built.seconds + every * walked.seconds
    return {"seconds": seconds, "growth": built.growth + walked.growth}


def measure_precision(name, options):
    _, edges, rows = load(options)
    valid = rows[-1][1]
    predictions, gold = random_predictions(options.samples, len(valid))
    found = watched(lambda: PRECISION[name](edges, valid, predictions, gold))
    if name != next(iter(PRECISION)):
        expected = zslib_precision(edges, valid, predictions, gold)
        np.testing.assert_allclose(found.value, expected, rtol=1e-12)
    return {"seconds": found.seconds, "growth": found.growth}


def in_process(options, name, **changes):
    """The JSON answer of this script for one contestant, run in a new process."""
    settings = {"nodes": options.nodes, "samples": options.samples, **changes}
    arguments = [part for key, value in settings.items() for part in (f"--{key}", value)]
    return answer("--alone", name, *arguments, *["--random"] * options.random)


def in_turns(options, names, **changes):
    """Least seconds and largest growth of each contestant."""
    found = {name: [] for name in names}
    for _ in range(options.rounds):
        for name, records in found.items():
            records.append(in_process(options, name, **changes))
    return {
        name: {"seconds": min(r["seconds"] for r in rs), "growth": max(r["growth"] for r in rs)}
        for name, rs in found.items()
    }


def table(found):
    ours = next(iter(found.values()))["seconds"]
    lines = ["| | seconds | times zslib | memory while running, MB |", "|---|---:|---:|---:|"]
    for name, record in found.items():
        every = SIZES.get(name, (None, 1))[1]
        scaled = f" (one label in {every}, scaled up)" if every > 1 else ""
        lines.append(
            f"| {name}{scaled} | {record['seconds']:.2f} | {record['seconds'] / ours:.1f} "
            f"| {record['growth'] / 1e6:,.0f} |"
        )
    return "\n".join(lines)


def report(options):
    what, edges, rows = load(options)
    n_labels = sum(len(labels) for labels, _ in rows)
    parts = [
        "# Correct sets and hierarchical precision",
        machine("scipy", cores=1) + ".",
        "`OMP_NUM_THREADS=1 python benchmarks/hierarchy.py --write`; see there for how.",
        f"The graph is {what}: {len(edges):,} links.",
        f"Sizes of the correct sets of {n_labels:,} labels in four label sets at k = "
        f"{', '.join(map(str, KS))}, with the building of the graph:",
        table(in_turns(options, SIZES)),
        f"hp@20 of {options.samples:,} predictions over {len(rows[-1][1]):,} labels, with the "
        "building of the graph:",
        table(in_turns(options, PRECISION)),
        "The same by number of predictions, zslib alone:",
    ]
    lines = ["| predictions | seconds | memory while running, MB |", "|---:|---:|---:|"]
    for times in (0.5, 1, 2, 4, 8):
        n = int(options.samples * times)
        (record,) = in_turns(options, list(PRECISION)[:1], samples=n).values()
        lines.append(f"| {n:,} | {record['seconds']:.2f} | {record['growth'] / 1e6:,.0f} |")
    return "\n\n".join([*parts, "\n".join(lines)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", action="store_true", help="a random graph in any case")
    parser.add_argument("--nodes", type=int, default=32_327, help="of the random graph")
    parser.add_argument("--samples", type=int, default=50_000, help="predictions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write hierarchy.md")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        measure = measure_sizes if options.alone in SIZES else measure_precision
        print(json.dumps(measure(options.alone, options)))
        return
    text = report(options)
    if options.write:
        keep("hierarchy.md", text)
    print(text)


if __name__ == "__main__":
    main()
