"""Speed and memory of `zslib.search` beside the bare matrix product, faiss-cpu and scikit-learn.

    python benchmarks/search.py                      # 1,500 x 200,000 x 300, float32, k = 20
    python benchmarks/search.py --targets 2000000    # targets in a memory-mapped file
    python benchmarks/search.py --threads 2          # on both cores
    python benchmarks/search.py --write              # into benchmarks/results/

Every contestant uses the same threads. Each runs once in a process of its own, for its memory: the
largest growth of the anonymous memory while it ran, inputs not counted (faiss-cpu copies the
targets into its index beforehand; that copy is shown apart). Then all but scikit-learn take turns
in one process, and the least CPU time of each counts: other work on the machine can only add.
One query at a time is measured by ``serving.py``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from _harness import anonymous_memory, answer, keep, machine, use_threads, watched

K = 20


def product(queries, targets, size=4096, look=lambda block, scores: None, then=lambda: None):
    """The scores of each block of targets, each overwriting the last; nothing is selected."""
    factor = np.ascontiguousarray(queries.T)
    out = np.empty((size, len(queries)), queries.dtype)

    def run():
        for start in range(0, len(targets), size):
            block = targets[start : start + size]
            look(block, np.matmul(block, factor, out=out[: len(block)]))
        then()

    return run


def pairs(queries, targets, owners, rows, size=100):
    """Scores of single pairs in float64, which alone say what comes first among near ones."""

    def run():
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            both = queries[owners[part]], targets[rows[part]]
            np.einsum("ij,ij->i", *(side.astype(np.float64) for side in both))

    return run


def product_and_looks(queries, targets):
    """The least that an exact search adds: looks at each target and score, the best as pairs.

    At the target for what must be refused and for its length, at the score for the largest of 16.
    Which targets are the best makes no difference to the time, so these are any.
    """

    def look(block, scores):
        np.vecdot(block, block)
        whole = scores[: len(scores) // 16 * 16]
        return whole.reshape(16, -1).max(axis=0)

    owners = np.repeat(np.arange(len(queries)), K)
    rows = np.random.default_rng(2).integers(0, len(targets), owners.size)
    return product(queries, targets, 1024, look, pairs(queries, targets, owners, rows))


def gold_of(queries, targets):
    """A gold target for each query, whose rank is sought."""
    return np.random.default_rng(1).integers(0, len(targets), len(queries))


def product_and_bounds(queries, targets):
    """The same of ranks: each score held against two bounds, what is beyond counted, and what
    rounding leaves open in between scored as pairs.
    """
    d = queries.shape[1]
    gold = np.einsum("ij,ij->i", queries, targets[gold_of(queries, targets)])
    # The worst case of a sum of d products, for the longest target.
    longest = np.sqrt(np.vecdot(targets, targets).max())
    reach = (d / 2 + 16) * 2.0**-23 * np.linalg.norm(queries, axis=1) * longest
    bounds = np.stack([gold - reach, gold + reach]).astype(queries.dtype)
    open_ones = []
    for start in range(0, len(targets), 1024):
        scores = targets[start : start + 1024] @ queries.T
        row, owner = np.nonzero((scores >= bounds[0]) & (scores <= bounds[1]))
        open_ones.append((owner, row + start))
    owners, rows = map(np.concatenate, zip(*open_ones, strict=True))

    def look(block, scores):
        np.vecdot(block, block)
        for start in range(0, len(scores), 255):
            for bound in bounds:
                above = scores[start : start + 255] > bound
                np.add.reduce(above.view(np.uint8), axis=0, dtype=np.uint8)

    return product(queries, targets, 1024, look, pairs(queries, targets, owners, rows))


def nearest(**options):
    def start(queries, targets):
        from zslib.search import top_k

        return lambda: top_k(queries, targets, K, **options)

    return start


def ranks(**options):
    def start(queries, targets):
        from zslib.search import gold_ranks

        gold = gold_of(queries, targets)
        return lambda: gold_ranks(queries, targets, gold, **options)

    return start


def faiss_flat(queries, targets):
    import faiss

    index = faiss.IndexFlatIP(queries.shape[1])
    for start in range(0, len(targets), 100_000):
        index.add(np.ascontiguousarray(targets[start : start + 100_000]))
    return lambda: index.search(queries, K)


def scikit_learn(queries, targets):
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=K, algorithm="brute", metric="cosine").fit(targets)
    return lambda: finder.kneighbors(queries)


METRICS = ("dot", "cosine", "euclidean")
CORRECTIONS = (
    "csls",
    "inverted_softmax",
    "local_scaling",
    "globally_corrected",
    "mutual_proximity",
)
BARE = "bare matrix product, no selection"
LOOKS = "bare matrix product, one look at each target and score, 20 pairs in float64"
BOUNDS = "bare matrix product, each score held against two bounds, pairs between them"
CONTESTANTS = {
    BARE: product,
    LOOKS: product_and_looks,
    BOUNDS: product_and_bounds,
    **{f'zslib top_k, metric="{metric}"': nearest(metric=metric) for metric in METRICS},
    "faiss-cpu IndexFlatIP": faiss_flat,
    "scikit-learn NearestNeighbors, brute, cosine": scikit_learn,
    **{f'zslib gold_ranks, metric="{metric}"': ranks(metric=metric) for metric in METRICS},
    **{f'zslib top_k, correction="{name}"': nearest(correction=name) for name in CORRECTIONS},
    **{f'zslib gold_ranks, correction="{name}"': ranks(correction=name) for name in CORRECTIONS},
}
PLAIN = [name for name in CONTESTANTS if "correction" not in name]
LARGE = [name for name in PLAIN if "gold" not in name and name != BOUNDS]
# What bounds the ratios from below, for readers of the tables.
LIMITS = (
    "Any exact search looks at each target once, for what it must refuse, and at each score. The "
    "order of near ones is that of pairs in float64, since float32 rounds it away. The second "
    "line is what these alone take in NumPy, for 20 targets of each query. What is left of "
    "`top_k` above it is its search for the largest 20. `gold_ranks` holds each score against "
    "two bounds in place of that look, and those in between, which rounding leaves open, are "
    "scored as pairs: the third line. A correction sees the scores of a target with all queries "
    "in one tile, so that one product is enough, and looks at them again: for the nearest "
    "queries (CSLS, local scaling), for a sum of exponentials (inverted softmax), for mean and "
    "spread (mutual proximity), or for ranks (globally corrected). The last two then correct "
    "what a bound lets through."
)


def load(folder):
    queries = np.load(folder / "queries.npy")
    targets = np.load(folder / "targets.npy", mmap_mode="r")
    return queries, np.array(targets) if len(targets) <= 500_000 else targets


def seconds(run):
    """CPU time of all threads, which other work on the machine changes least."""
    start = time.process_time()
    run()
    return time.process_time() - start


def run_alone(name, folder):
    """Time and memory of one run of a contestant in this process."""
    queries, targets = load(folder)
    empty = anonymous_memory()
    CONTESTANTS[name](queries[:300], targets[:20_000])()  # start threads, load code
    run = CONTESTANTS[name](queries, targets)
    setup = anonymous_memory() - empty
    found = watched(run)
    return {"seconds": found.cpu, "growth": found.growth, "setup": setup}


def run_in_turns(rounds, names, folder):
    """Least seconds of each of the contestants, which take turns in this process."""
    queries, targets = load(folder)
    runs = {name: CONTESTANTS[name](queries, targets) for name in names}
    times = {name: [] for name in names}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(seconds(run))
    return {name: min(values) for name, values in times.items()}


def write_targets(path, n, dimensions):
    rng, shape = np.random.default_rng(0), (n, dimensions)
    targets = np.lib.format.open_memmap(path, "w+", dtype=np.float32, shape=shape)
    for start in range(0, n, 50_000):
        rng.standard_normal(out=targets[start : start + 50_000], dtype=np.float32)
    targets.flush()


def measure(n_targets, rounds, names, threads):
    """Seconds and memory of each contestant, in processes with so many threads."""
    use_threads(threads)
    with tempfile.TemporaryDirectory() as folder:
        queries = np.random.default_rng(1).standard_normal((1500, 300), dtype=np.float32)
        np.save(Path(folder, "queries.npy"), queries)
        write_targets(Path(folder, "targets.npy"), n_targets, 300)
        found = {name: answer("--folder", folder, "--alone", name) for name in names}
        turns = ["--turns", str(rounds), "--names", *(n for n in names if "scikit" not in n)]
        for name, least in answer("--folder", folder, *turns).items():
            found[name]["seconds"] = min(least, found[name]["seconds"])
    return found


def table(n_targets, found, threads):
    bare = found[BARE]["seconds"]
    where = "in a memory-mapped file" if n_targets > 500_000 else "in memory"
    lines = [
        f"1,500 queries, {n_targets:,} targets ({n_targets * 1200 / 1e9:.2f} GB, {where}), "
        f"300 dimensions, float32, k = {K}; the whole matrix of scores would take "
        f"{1500 * n_targets * 4 / 1e9:.1f} GB. "
        + (f"CPU seconds of {threads} threads together." if threads > 1 else "One thread."),
        "",
        "| | CPU seconds | times the bare product | memory while running, MB |",
        "|---|---:|---:|---:|",
    ]
    for name, record in found.items():
        copy = f" (+ {record['setup'] / 1e6:,.0f} for its index)" if "faiss" in name else ""
        lines.append(
            f"| {name} | {record['seconds']:.2f} | {record['seconds'] / bare:.2f} "
            f"| {record['growth'] / 1e6:,.0f}{copy} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5, help="turns of the contestants")
    parser.add_argument("--names", nargs="+", help="contestants, beside the bare product")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="write the report, of 1 and 2 threads"
    )
    for internal in ("--alone", "--turns", "--folder"):
        parser.add_argument(internal, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(run_alone(options.alone, Path(options.folder))))
        return
    if options.turns:
        print(json.dumps(run_in_turns(int(options.turns), options.names, Path(options.folder))))
        return
    large = options.targets > 500_000
    names = options.names or (LARGE if large else list(CONTESTANTS))
    tries = [(options.threads, list(dict.fromkeys([BARE, *names])))]
    if options.write and not large:
        tries.append((2, PLAIN))
    tables = [
        table(options.targets, measure(options.targets, options.rounds, names, threads), threads)
        for threads, names in tries
    ]
    print(*tables, sep="\n\n")
    if options.write:
        where = machine("faiss-cpu", "scikit-learn")
        head = ["# Search" + " of many targets" * large, f"{where}, on a quiet machine. {LIMITS}"]
        keep(f"search{'_large' * large}.md", "\n\n".join([*head, *tables]) + "\n")


if __name__ == "__main__":
    main()
