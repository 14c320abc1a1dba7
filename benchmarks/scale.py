"""Time and memory of `zslib.search` as targets grow from 10^4 to 10^7, in a memory-mapped file.

    python benchmarks/scale.py            # prints a table; 3 GB of disk, a few minutes
    python benchmarks/scale.py --write    # into benchmarks/results/scale.md and scale.svg

Each search runs once in a process of its own; its memory is the largest growth of what is not a
file's pages. The file has been read once before, so that the disk has no part in the times.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
from _harness import RESULTS, answer, keep, machine, watched
from search import nearest, product, ranks, write_targets

SIZES = (10**4, 10**5, 10**6, 10**7)
QUERIES, DIMENSIONS = 200, 64
SEARCHES = {
    "bare product": product,
    "top_k": nearest(),
    "gold_ranks": ranks(),
    "top_k, CSLS": nearest(correction="csls"),
}


def run_alone(path, name, n):
    """Seconds and bytes of one search in this process."""
    queries = np.random.default_rng(1).standard_normal((QUERIES, DIMENSIONS), dtype=np.float32)
    targets = np.load(path, mmap_mode="r")
    SEARCHES[name](queries[:100], targets[:5000])()  # start threads, load code
    found = watched(SEARCHES[name](queries, targets[:n]))
    return {"seconds": found.cpu, "growth": found.growth}


def measure(sizes):
    """Seconds and bytes by search, one for each size."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "targets.npy"
        write_targets(path, max(sizes), DIMENSIONS)
        found = {}
        for name in SEARCHES:
            for n in sizes:
                found.setdefault(name, []).append(answer("--alone", path, name, n))
    return found


def table(sizes, found):
    heads = [f"{n:,}" for n in sizes]
    lines = [
        "| | "
        + " | ".join(f"{head}, s" for head in heads)
        + f" | MB at {heads[0]} | at {heads[-1]} |",
        "|:--|" + "--:|" * (len(sizes) + 2),
    ]
    for name, runs in found.items():
        cells = [f"{run['seconds']:.3g}" for run in runs]
        cells += [f"{runs[end]['growth'] / 1e6:.0f}" for end in (0, -1)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def told(sizes, found):
    """What the numbers say, in a sentence."""
    slowest = max(found, key=lambda name: found[name][-1]["seconds"])
    growth = found["top_k"][-1]["seconds"] / found["top_k"][-2]["seconds"]
    times = sizes[-1] / sizes[-2]
    most = max(run["growth"] for runs in found.values() for run in runs) / 1e6
    return (
        f"{QUERIES} queries, {DIMENSIONS} dimensions, float32, k = 20; {machine()}. From "
        f"{sizes[-2]:,} to "
        f"{sizes[-1]:,} targets, {times:.0f} times as many, `top_k` takes {growth:.1f} times as "
        f"long; the slowest, `{slowest}`, takes {found[slowest][-1]['seconds']:.0f} s. No "
        f"search needs more than {most:.0f} MB beside the file of "
        f"{sizes[-1] * DIMENSIONS * 4 / 1e9:.1f} GB and its result."
    )


def draw(sizes, found, path):
    """Both on log axes: straight lines for time, level ones for memory."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    from zslib.show.figures import figure, look, style

    style()
    fig, axes = pyplot.subplots(1, 2, figsize=(7.0, 3.0))
    for name, runs in found.items():
        how = look(name, list(found))
        axes[0].loglog(sizes, [run["seconds"] for run in runs], label=name, **how)
        axes[1].loglog(sizes, [max(run["growth"], 1e6) / 1e6 for run in runs], **how)
    axes[0].set(xlabel="targets", ylabel="seconds")
    axes[1].set(xlabel="targets", ylabel="memory beside the file, MB", ylim=(1, 1e4))
    whole = [n * QUERIES * 4 / 1e6 for n in sizes]
    axes[1].loglog(sizes, whole, ":", color="#888888", label="all scores at once")
    axes[0].legend()
    axes[1].legend()
    words = "Seconds, and memory beside the file, of each search by number of targets."
    shown = figure(fig, name="scale", caption=words, alt=words)
    path.write_text(shown.svg, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=max(SIZES))
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/scale.*")
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        path, name, n = options.alone
        print(json.dumps(run_alone(path, name, int(n))))
        return
    sizes = [n for n in SIZES if n <= max(options.largest, SIZES[1])]  # growth needs two
    found = measure(sizes)
    text = "\n\n".join([told(sizes, found), "<!-- table -->", table(sizes, found)]) + "\n"
    print(text)
    if options.write:
        head = "# Scale\n\n`python benchmarks/scale.py --write`; see there for how.\n\n"
        head += "<!-- measured -->\n\n"
        keep("scale.md", head + text)
        draw(sizes, found, RESULTS / "scale.svg")


if __name__ == "__main__":
    main()
