"""What the benchmarks share: runs in turns, processes of their own, memory, and where it ran."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

RESULTS = Path(__file__).parent / "results"


def machine(*packages, cores=None):
    """Date, cores, processor and versions, as the beginning of a sentence."""
    from book import provenance

    told = provenance.machine()
    cores = cores or len(os.sched_getaffinity(0))
    versions = [f"{name} {version(name)}" for name in ("numpy", *packages)]
    where = f"{date.today()}, {cores} core{'s' * (cores > 1)} of {told['processor']}"
    return ", ".join([where, f"Python {told['python']}", *versions])


def keep(name, text):
    """Write a report into ``benchmarks/results``."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(text, encoding="utf-8")


# --- a process for each measurement ---


def use_threads(number):
    """Threads of BLAS in this process, which reads it as NumPy is first imported, and its own."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(number)


def output(*arguments):
    """Standard output of this script, run again with other arguments."""
    command = [sys.executable, sys.modules["__main__"].__file__, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def answer(*arguments):
    """The same for a script that prints JSON; standard error tells what runs."""
    print(*arguments, file=sys.stderr, flush=True)
    return json.loads(output(*arguments))


def again(options, **changes):
    """Standard output of this script, run again with some options changed."""
    arguments = []
    for name, value in {**vars(options), "write": None, **changes}.items():
        if value is not None:
            values = value if isinstance(value, list | tuple) else [value]
            arguments += [f"--{name}", *values]
    return output(*arguments)


def run_stages(about, name, title, stages, others=None, **numbers):
    """The body of a script whose ``stages`` each run in a new process and print Markdown.

    ``times`` runs once for each number of threads, ``memory`` when ``times`` asks for it by
    `peak_memory`, all others once at the end. ``--write`` keeps the report under ``name``.
    Options are ``numbers``, with their defaults, and ``others``, with what argparse takes.
    """
    parser = argparse.ArgumentParser(description=about)
    options = {n: {"type": int, "default": default} for n, default in numbers.items()}
    for option, how in (options | (others or {})).items():
        parser.add_argument(f"--{option}", **how)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", choices=list(stages), help=argparse.SUPPRESS)
    parser.add_argument("--index", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is None:
        parts = [f"# {title}\n"]
        parts += [again(options, one="times", threads=threads) for threads in options.threads]
        last = [stage for stage in stages if stage not in ("times", "memory")]
        parts += [again(options, one=stage, threads=max(options.threads)) for stage in last]
        print("\n".join(parts))
        if options.write:
            keep(name, "\n".join(parts))
        return
    options.threads = options.threads[0]
    use_threads(options.threads)
    stages[options.one](options)


# --- time ---


def take_turns(tasks, repeats, *, warm_up=1, in_a_row=1):
    """Seconds of all runs, those of one task in turns, so that other work hits all of them alike.

    A turn is one run, or the last of several ``in_a_row``: what repeats itself, as a training
    does, takes the memory that it has just freed. ``tasks`` yields dictionaries of runs; a run's
    ``scale`` multiplies its seconds. Returned are ``times`` and the last ``answers`` by key, and a
    sentence on what ``others`` did meanwhile.
    """
    import psutil

    def busy():
        """CPU time that all processes together have used."""
        times = psutil.cpu_times()
        return sum(times) - times.idle - getattr(times, "iowait", 0.0)

    times, answers = {}, {}
    begun, before, own = time.perf_counter(), busy(), time.process_time()
    for runs in tasks:
        times |= {key: [] for key in runs}
        for turn in range(repeats + warm_up):
            for key, run in runs.items():
                for _ in range(in_a_row - 1):
                    run()
                start = time.perf_counter()
                answers[key] = run()
                if turn >= warm_up:
                    taken = time.perf_counter() - start
                    times[key].append(taken * getattr(run, "scale", 1.0))
    elapsed, own = time.perf_counter() - begun, time.process_time() - own
    cores = max((busy() - before - own) / elapsed, 0)
    others = f"Other processes kept {cores:.1f} of {psutil.cpu_count()} cores busy meanwhile."
    return SimpleNamespace(times=times, answers=answers, others=others)


def tasks_of(competitors, build):
    """Runs by task, each built when its turn comes; keys begin with the task's name."""
    for task in dict.fromkeys(task for task, *_ in competitors):
        yield {key: build(key) for key in competitors if key[0] == task}


def median_and_least(taken, ratio=None, *, unit=1.0, digits=".3g"):
    """Four cells: median and minimum, and those of the first of ``ratio`` over the second's."""
    from statistics import median

    cells = [f"{unit * least(taken):{digits}}" for least in (median, min)]
    if ratio is None:
        cells += ["", ""]
    else:
        cells += [f"{least(ratio[0]) / least(ratio[1]):.2f}" for least in (median, min)]
    return " | ".join(cells)


# --- memory (Linux) ---


def peak_memory(options, index):
    """MiB of the competitor ``index``, by the script's stage ``memory``."""
    return float(again(options, one="memory", index=index))


def print_peak(run):
    """Print by how many MiB this process's peak of resident memory grows during a run."""

    def high_water():
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = high_water()
    run()
    print(high_water() - before)


def anonymous_memory():
    """Bytes of this process's memory that are not a file's pages."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel does not tell RssAnon")


def watched(run):
    """What ``run`` gives: its ``value``, seconds, CPU seconds, and growth of anonymous memory."""
    before, peak, done = anonymous_memory(), 0, threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.002):
            peak = max(peak, anonymous_memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        start, cpu = time.perf_counter(), time.process_time()
        value = run()
        taken = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    finally:
        done.set()
        watcher.join()
    return SimpleNamespace(value=value, growth=max(peak - before, 0), **taken)
