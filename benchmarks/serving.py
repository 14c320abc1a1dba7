"""One query at a time: `zslib.mapping.Retriever` beside the bare product and gensim.

    python benchmarks/serving.py            # 2,500 to 1,000,000 targets, 100 and 300 dimensions
    python benchmarks/serving.py --write    # into benchmarks/results/serving.md

All take turns in one process, with one thread of BLAS, a turn being some queries one by one, and
each with its targets prepared beforehand: gensim has their lengths (``fill_norms``), `Retriever`
these and, with CSLS, the density of each target. The bare product is one of the matrix with a
vector, into memory that is there. The least CPU time of all turns counts: other work on the
machine can only add. With 2,500 targets what is over the product is what a query costs whatever
their number, in some forty calls of NumPy. The last column is what the same answer takes where the
statistics of CSLS rest on a reference of 5,000 vectors at each call.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
from _harness import keep, machine

K, REFERENCES = 10, 5_000


def competitors(n, d):
    """Runs by name; the query changes from turn to turn."""
    from gensim.models import KeyedVectors

    from zslib.mapping import Retriever
    from zslib.search import top_k
    from zslib.search.corrections import CSLS

    rng = np.random.default_rng(0)
    targets = rng.standard_normal((n, d), dtype=np.float32)
    reference = rng.standard_normal((REFERENCES, d), dtype=np.float32)
    queries = [rng.standard_normal((1, d), dtype=np.float32) for _ in range(64)]
    names = [f"w{row}" for row in range(n)]
    out = np.empty((1, n), np.float32)
    vectors = KeyedVectors(d)
    vectors.add_vectors(names, targets)
    vectors.fill_norms()
    plain = Retriever().fit(targets=targets, target_names=names)
    with_csls = Retriever(correction=CSLS()).fit(
        targets=targets, target_names=names, reference=reference[:1000]
    )
    size = min(len(queries), max(2, 4 * 10**8 // (n * d)))

    def one_by_one(answer, size=size):
        def run():
            for query in queries[:size]:
                answer(query)

        return run, size

    runs = {
        "product": one_by_one(lambda query: np.matmul(query, targets.T, out=out)),
        "gensim": one_by_one(lambda query: vectors.similar_by_vector(query[0], topn=K)),
        "plain": one_by_one(lambda query: plain.nearest(query, K)),
        "csls": one_by_one(lambda query: with_csls.nearest(query, K)),
    }
    slow = CSLS(reference=reference)
    if n <= 20_000:
        runs["unfitted"] = one_by_one(
            lambda query: top_k(query, targets, K, correction=slow), size=1
        )
    same = queries[0]
    ours, theirs = plain.nearest(same, K)[0], vectors.similar_by_vector(same[0], topn=K)
    if [name for name, _ in ours] != [name for name, _ in theirs]:
        raise AssertionError("gensim and zslib differ")
    return runs


def in_turns(runs, repeats):
    """CPU seconds of each turn for one query, by name."""
    times = {name: [] for name in runs}
    for turn in range(repeats + 1):
        for name, (run, size) in runs.items():
            if size == 1 and turn > 3:
                continue
            start = time.process_time()
            run()
            if turn:
                times[name].append((time.process_time() - start) / size)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--targets", type=int, nargs="+", default=[2_500, 20_000, 200_000, 1_000_000]
    )
    parser.add_argument("--dimension", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    lines = [
        "# One query at a time",
        "",
        f"{machine('gensim', cores=1)}.",
        "`python benchmarks/serving.py --write`; see there for how.",
        "",
        f"One query, float32, cosine, k = {K}; milliseconds of CPU time, the least of "
        f"{options.repeats} turns. *over* is over the bare product.",
        "",
        "| targets | bare product | gensim `most_similar` | over | `Retriever` | over "
        "| with CSLS fitted | over | CSLS with `reference=` |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for n in options.targets:
        for d in options.dimension:
            times = in_turns(competitors(n, d), options.repeats)
            least = {name: min(taken) for name, taken in times.items()}
            cells = [f"{n:,} x {d}"]
            for name, taken in least.items():
                cells.append(f"{1e3 * taken:.3g}")
                if name in ("gensim", "plain", "csls"):
                    cells.append(f"{taken / least['product']:.2f}")
            lines.append("| " + " | ".join([*cells, *[""] * (9 - len(cells))]) + " |")
            print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    print(text)
    if options.write:
        keep("serving.md", text)


if __name__ == "__main__":
    main()
