"""Speed of one training epoch of `MaxMarginMap` beside the same loop in PyTorch eager.

Run ``python benchmarks/mapping.py [--threads 1 2] [--repeats 15] [--write]``: prints a Markdown
table, and with ``--write`` keeps it in ``benchmarks/results/mapping.md``. All competitors run in
one process, a few epochs each in turn, so that other work on the machine hits all of them alike.
Peak memory (Linux) is measured in a process of its own for each competitor.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from datetime import date
from importlib import import_module
from pathlib import Path

MARGIN, LEARNING_RATE, BATCH = 0.4, 0.1, 32
EPOCHS = 3  # in one turn
RESULTS = Path(__file__).parent / "results" / "mapping.md"


def pairs(n, d1, d2):
    """Random pairs with a linear relation and noise, float32, on which training has work to do."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d1))
    Y = X @ rng.standard_normal((d1, d2)) / d1**0.5 + 3 * rng.standard_normal((n, d2))
    return X.astype(np.float32), Y.astype(np.float32)


def ours(X, Y, negatives, k):
    """Some epochs per call, by ``warm_start``."""
    from zslib.mapping import MaxMarginMap

    mapper = MaxMarginMap(
        MARGIN,
        k,
        negatives=negatives,
        learning_rate=LEARNING_RATE,
        batch_size=BATCH,
        n_epochs=EPOCHS,
        warm_start=True,
        random_state=0,
    )

    def epochs():
        return mapper.fit(X, Y).learning_curve_[-1]

    return epochs


def torch_eager(X, Y, negatives, k, *, fused=False, products=1):
    """The loop that a PyTorch user writes: vectorised, autograd, `torch.optim.Adagrad`.

    Targets are scaled to length one once, and the negatives of an epoch drawn at once, as ours.
    ``products=2`` finds intruders by the two products of the printed formula, 1 by our one.
    """
    import torch
    from torch.nn.functional import normalize, relu

    torch.manual_seed(0)
    X, Y = torch.from_numpy(X), normalize(torch.from_numpy(Y))
    n, d1, d2 = len(X), X.shape[1], Y.shape[1]
    W = torch.nn.Parameter(torch.randn(d1, d2) / d1**0.5)
    optimiser = torch.optim.Adagrad([W], lr=LEARNING_RATE, fused=fused)

    def intruders(mapped, gold, batch):
        with torch.no_grad():
            one = products == 1
            scores = (mapped - gold) @ Y.T if one else mapped @ Y.T - gold @ Y.T
            scores[torch.arange(len(batch)), batch] = -torch.inf
            return scores.argmax(1, keepdim=True) if k == 1 else scores.topk(k).indices

    def epoch():
        order = torch.randperm(n)
        drawn = torch.randint(n - 1, (n, k))
        total = torch.zeros(())
        for start in range(0, n, BATCH):
            batch = order[start : start + BATCH]
            gold = Y[batch]
            mapped = normalize(X[batch] @ W)
            if negatives == "intruder":
                chosen = intruders(mapped, gold, batch)
            else:
                chosen = drawn[start : start + BATCH]
                chosen = chosen + (chosen >= batch[:, None])
            cosines = torch.bmm(Y[chosen], mapped[:, :, None])[:, :, 0]
            own = (mapped * gold).sum(1, keepdim=True)
            loss = relu(MARGIN - own + cosines).sum(1).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.detach() * len(batch)
        return float(total) / n

    return lambda: [epoch() for _ in range(EPOCHS)][-1]


COMPETITORS = {
    ("random", 10, "zslib"): ours,
    ("random", 10, "PyTorch eager"): torch_eager,
    ("random", 10, "PyTorch eager, fused Adagrad"): lambda *a: torch_eager(*a, fused=True),
    ("intruder", 1, "zslib"): ours,
    ("intruder", 1, "PyTorch eager, formula as printed"): lambda *a: torch_eager(*a, products=2),
    ("intruder", 1, "PyTorch eager, our single product"): torch_eager,
    ("intruder", 1, "PyTorch eager, our single product, fused Adagrad"): (
        lambda *a: torch_eager(*a, fused=True)
    ),
}


def processor():
    """Name of the processor, where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def in_new_process(options, **changes):
    """Standard output of this script, run with some options changed."""
    command = [sys.executable, __file__]
    for name, value in {**vars(options), "write": None, **changes}.items():
        if value is not None:
            command += [f"--{name}", str(value)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def peak_memory(key, options):
    """Growth of a fresh process's peak memory, in MiB, from data in memory to training done."""
    index = list(COMPETITORS).index(key)
    return float(in_new_process(options, one="memory", index=index))


def high_water():
    """Largest resident size so far, in KiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))


def measure_memory(index, options):
    """Body of that fresh process."""
    (negatives, k, name), build = list(COMPETITORS.items())[index]
    X, Y = pairs(options.n, options.d1, options.d2)
    if name == "zslib":
        import_module("zslib.mapping")
    else:
        import torch

        torch.ones(2, 2, requires_grad=True).sum().backward()
    train = build(X, Y, negatives, k)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = high_water()
    train()
    print((high_water() - before) / 1024)


def busy_seconds(psutil):
    """CPU time that all processes together have used."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0)


def run(options):
    """Time all competitors in turn and return the Markdown report."""
    import numpy as np
    import psutil
    import torch

    torch.set_num_threads(options.threads)
    X, Y = pairs(options.n, options.d1, options.d2)
    runs = {key: build(X, Y, *key[:2]) for key, build in COMPETITORS.items()}
    times = {key: [] for key in runs}
    losses = {}
    begun, busy, own = time.perf_counter(), busy_seconds(psutil), time.process_time()
    for turn in range(options.repeats + 1):
        for key, train in runs.items():
            start = time.perf_counter()
            losses[key] = train()
            if turn:  # the first warms up
                times[key].append((time.perf_counter() - start) / EPOCHS)
    elapsed, own = time.perf_counter() - begun, time.process_time() - own
    others = (busy_seconds(psutil) - busy - own) / elapsed
    lines = [
        f"## {options.threads} thread{'s' * (options.threads > 1)}",
        "",
        f"{date.today().isoformat()}, {processor()}, "
        f"NumPy {np.__version__}, PyTorch {torch.__version__}, Python "
        f"{platform.python_version()}. {options.n:,} pairs of {options.d1} and {options.d2} "
        f"dimensions, float32, batch {BATCH}, k negatives; {options.repeats} turns of {EPOCHS} "
        "epochs each, one competitor after the other. Times are per epoch. The ratio is each "
        "one's time over zslib's, at the medians and at the minima. Loss: the last epoch's mean; "
        "equal up to the draws. Peak memory: growth from data and imports loaded to training "
        "done, in a process of its own. Other processes kept "
        f"{max(others, 0):.1f} of {psutil.cpu_count()} cores busy meanwhile.",
        "",
        "| negatives | k | loop | median, ms | minimum, ms | ratio, median | ratio, minimum "
        "| loss | peak memory, MiB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key, taken in times.items():
        base = times[(*key[:2], "zslib")]
        lines.append(
            f"| {key[0]} | {key[1]} | {key[2]} | {1e3 * np.median(taken):.0f} "
            f"| {1e3 * min(taken):.0f} | {np.median(taken) / np.median(base):.2f} "
            f"| {min(taken) / min(base):.2f} | {losses[key]:.3f} "
            f"| {peak_memory(key, options):.0f} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--d1", type=int, default=300)
    parser.add_argument("--d2", type=int, default=300)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", choices=["table", "memory"], help=argparse.SUPPRESS)
    parser.add_argument("--index", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is None:
        parts = ["# One epoch of max-margin training\n"]
        for threads in options.threads:
            parts.append(in_new_process(options, one="table", threads=threads))
        report = "\n".join(parts)
        print(report)
        if options.write:
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(report)
        return
    options.threads = options.threads[0]
    # Read by BLAS when NumPy is first imported, which is why the imports above are late.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    if options.one == "table":
        print(run(options), end="")
    else:
        measure_memory(options.index, options)


if __name__ == "__main__":
    main()
