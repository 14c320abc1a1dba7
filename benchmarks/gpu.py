"""What a GPU changes: the same work on the host and, where CuPy finds a GPU, there.

    python -m pytest -q -k cupy                  # every array function on CuPy too
    python benchmarks/gpu.py                     # prints a table
    python benchmarks/gpu.py --write             # into benchmarks/results/gpu.md
    python benchmarks/gpu.py --share 0.05        # small: shows that it runs, on any machine

Each task runs once to load code and compile kernels, then three times; the least time counts. With
PyTorch installed CLAREL's step, at the paper's sizes, stands beside the same step by cuDNN.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from types import SimpleNamespace

import nn
import numpy as np
from _harness import keep, machine
from mapping import pairs

from zslib.arrays import like, resolve_device


def search(share, to):
    """top_k, 1,500 queries of 1,000,000 targets, 300 dimensions, k = 20"""
    from zslib.search import top_k

    rng = np.random.default_rng(0)
    sizes = (1500, int(1_000_000 * share))
    queries, targets = (to(rng.standard_normal((n, 300), dtype=np.float32)) for n in sizes)
    return lambda: top_k(queries, targets, 20)


def max_margin(share, to):
    """An epoch of MaxMarginMap, 5,000 pairs of 300 and 300 dimensions"""
    from zslib.mapping import MaxMarginMap

    X, Y = map(to, pairs(int(5000 * share), 300, 300))
    return lambda: MaxMarginMap(n_epochs=1, random_state=0).fit(X, Y)


def clarel(share, to):
    """CLAREL's full step, 32 images with ten captions, sizes of the paper"""
    return nn.ours_step(_sizes(share), to=to)


def generator(share, to):
    """100 steps of f-CLSWGAN, 5,000 images of 2,048 features, 150 classes, batches of 64"""
    from zslib.compatibility import FeatureGenerator

    rng = np.random.default_rng(0)
    n, p, classes = int(5000 * share), int(2048 * share), int(150 * share)
    X = to(rng.random((n, p), dtype=np.float32))
    y, S = to(np.arange(n) % classes), to(rng.random((classes, 312), dtype=np.float32))
    model = FeatureGenerator(n_steps=max(1, int(100 * share)), batch_size=64, random_state=0)
    return lambda: model.fit(X, y, S)


TASKS = (search, max_margin, clarel, generator)


def _sizes(share):
    sizes = {name: max(2, int(size * share)) for name, size in nn.PAPER.items()}
    return SimpleNamespace(**sizes, filters=[max(2, int(size * share)) for size in nn.FILTERS])


def seconds(run, wait):
    """The least of three runs, after one that loads code."""
    taken = []
    for _ in range(4):
        start = time.perf_counter()
        run()
        wait()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


def measure(share):
    """Rows of the table, one for each task, and the GPU's name."""
    gpu, wait, reference = None, int, np.zeros(1)
    if resolve_device("auto") == "gpu":
        import cupy

        from book.provenance import accelerator

        gpu, reference = accelerator(), cupy.zeros(1)
        wait = cupy.cuda.get_current_stream().synchronize
    for task in TASKS:
        host = seconds(task(share, lambda array: array), int)
        there = gpu and seconds(task(share, lambda array: like(array, reference)), wait)
        yield task.__doc__, host, there
    if importlib.util.find_spec("torch"):
        import torch

        step = nn.torch_step
        host = seconds(step(_sizes(share)), int)
        there = None
        if gpu and torch.cuda.is_available():
            there = seconds(step(_sizes(share), device="cuda"), torch.cuda.synchronize)
        yield f"The same step of CLAREL, PyTorch {torch.__version__}", host, there


def table(share):
    """The measured times as Markdown."""
    gpu = "none here"
    if resolve_device("auto") == "gpu":
        from book.provenance import accelerator

        gpu = accelerator()
    lines = [
        f"{machine()}; GPU: {gpu}." + f" Sizes times {share:g}." * (share != 1),
        "",
        "| | host, s | GPU, s | times as fast |",
        "|:--|--:|--:|--:|",
    ]
    for what, host, there in measure(share):
        cells = (f"{there:.3g}", f"{host / there:.1f}") if there else ("–", "–")
        lines.append(f"| {what} | {host:.3g} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the sizes")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write benchmarks/results/gpu.md, where there is a GPU",
    )
    options = parser.parse_args()
    text = table(options.share)
    print(text)
    if options.write and resolve_device("auto") == "gpu":
        head = "# On a GPU\n\n`python benchmarks/gpu.py --write`; see there for how.\n\n"
        keep("gpu.md", head + text)


if __name__ == "__main__":
    main()
