"""Run chapters: parameters checked, each in its own process, finished runs kept and not redone."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import FIRST_COMPLETED, wait

from zslib.book.build.plan import Run, plan
from zslib.book.parameters import Source
from zslib.book.paths import RUN_DIGESTS, RUN_DIRECTORY, RUN_KEY
from zslib.book.store import DEPENDENCIES, new_folder, point_latest, publish_run
from zslib.datasets.locate import cache_dir

try:
    import fcntl
except ImportError:  # not on Windows, where two equal runs at once both execute
    fcntl = None

__all__ = ["ChaptersFailed", "Run", "plan", "processes", "run_chapters"]

# Folders of runs that were killed are removed once they are this old: younger ones may be alive.
_ABANDONED_SECONDS = 24 * 3600
_UNFINISHED = ".unfinished-"
_SECONDS_BETWEEN = 5
_FAILED = "failed.ipynb"


class ChaptersFailed(RuntimeError):
    """Some chapters raised; the message holds their tracebacks."""


def run_chapters(runs, *, jobs=1, force=False, progress=True, executor=None):
    """Execute planned runs that were not finished before; names of those executed.

    Each chapter runs in a kernel of its own, started by a worker process, or by a task of an
    ``executor`` (of ``concurrent.futures``, or of a cluster that shares the book's folder). It
    starts when all that it reads is there; those that others read go first. `ChaptersFailed` is
    raised once all have ended that do not read the records of one that failed.
    """
    from tqdm import tqdm

    todo = {name: run for name, run in runs.items() if force or not run.done}
    for name, run in runs.items():
        if name not in todo:
            point_latest(run.folder.parent, run.key)
    failures, finished = {}, []
    with (
        tqdm(total=len(todo), unit="chapter", disable=not (progress and todo)) as bar,
        _show_running(bar, todo.values()),
        contextlib.nullcontext(executor) if executor or not todo else processes(jobs) as workers,
    ):
        for name, error in _execute_all(todo, jobs, workers, force):
            bar.update()
            if error is None:
                finished.append(name)
            else:
                failures[name] = error
    if failures:
        skipped = [n for n in todo if n not in failures and n not in finished]
        raise ChaptersFailed(_report(failures, skipped))
    return finished


@contextlib.contextmanager
def _show_running(bar, runs):
    """Name the chapters that run beside the progress bar; in a terminal its clock goes on."""
    since, ended = time.time() - 1, threading.Event()

    def show():
        said = None
        while not ended.wait(_SECONDS_BETWEEN):
            names = ", ".join(run.chapter for run in runs if _is_running(run, since))
            if names != said or sys.stderr.isatty():
                bar.set_postfix_str(said := names)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _is_running(run, since):
    """Whether the run has an unfinished folder, made after ``since``."""
    for folder in run.folder.parent.glob(f"{_UNFINISHED}*"):
        with contextlib.suppress(FileNotFoundError):  # it has just ended
            if folder.stat().st_mtime >= since:
                return True
    return False


def _ready(todo, started, finished):
    """Chapters that can start: those on whose records most waits, then those that have waited."""
    readers = {name: [n for n, run in todo.items() if name in run.depends] for name in todo}

    def chain(name):
        return 1 + max(map(chain, readers[name]), default=0)

    found = [
        name
        for name, run in todo.items()
        if name not in started and all(d not in todo or d in finished for d in run.depends)
    ]
    return sorted(found, key=lambda name: (chain(name), bool(todo[name].depends)), reverse=True)


def _report(failures, skipped):
    parts = [f"{len(failures)} chapter(s) failed: {', '.join(failures)}"]
    if skipped:
        parts.append(f"Not run, since they read the records of these: {', '.join(skipped)}")
    parts += [f"\n=== {name} ===\n{error}" for name, error in failures.items()]
    return "\n".join(parts)


def _execute_all(todo, jobs, executor, force):
    """Execute the runs of ``todo``, giving (chapter, traceback or None) as each ends."""
    started, finished, running = set(), set(), {}
    while True:
        for name in _ready(todo, started, finished)[: jobs - len(running)]:
            how = {"one_thread": min(jobs, len(todo)) > 1, "force": force}
            running[executor.submit(execute, todo[name], **how)] = name
            started.add(name)
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            del running[future]
            name, error = future.result()
            if error is None:
                finished.add(name)
            yield name, error


@contextlib.contextmanager
def processes(jobs):
    """Worker processes, which do not outlive the block."""
    from joblib.externals.loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(max_workers=jobs)
    try:
        yield pool
    finally:
        pool.shutdown(kill_workers=True)


def execute(run, *, one_thread=False, force=False):
    """Execute one run and keep it, giving the chapter, and the traceback where it failed.

    Of two processes with the same run the second waits, and finds it done. Everything is written
    to an unfinished folder beside the final one, which is renamed when the chapter has ended: a
    run that is killed leaves nothing that looks finished. Of one that fails the notebook is kept.
    """
    with _lock(run.key):
        return (run.chapter, None) if run.done and not force else _execute(run, one_thread)


def _execute(run, one_thread):
    parent = run.folder.parent
    _remove_abandoned(parent)
    unfinished = new_folder(parent, _UNFINISHED)
    failed = parent / _FAILED
    failed.unlink(missing_ok=True)
    try:
        notebook = _execute_notebook(run, unfinished, one_thread)
        if not (unfinished / "records.jsonl").is_file():
            raise RuntimeError("the chapter ended without chapter.finish(): no records were kept")
        (unfinished / "notebook.ipynb").write_text(notebook, encoding="utf-8")
        (unfinished / _FAILED).unlink()
        publish_run(unfinished, parent, run.key)
    except Exception as error:
        told = _traceback(error, unfinished / _FAILED)
        if (unfinished / _FAILED).is_file():
            os.replace(unfinished / _FAILED, failed)
            told += f"\nAs far as it came: {os.path.relpath(failed)}"
        return run.chapter, told
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return run.chapter, None


@contextlib.contextmanager
def _lock(key):
    """Held by one process at a time, and gone with it."""
    folder = cache_dir() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / key).open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remove_abandoned(parent):
    for folder in [*parent.glob(f"{_UNFINISHED}*"), *parent.glob(".replaced-*")]:
        try:
            if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:
            continue  # another process was faster


def _execute_notebook(run, unfinished, one_thread):
    """Text of the executed notebook, the same for the same outputs."""
    import nbformat
    from papermill import execute_notebook

    logging.getLogger("papermill").setLevel(logging.ERROR)
    source = Source(run.chapter, run.source)
    with tempfile.TemporaryDirectory(prefix="zslib-") as sockets:
        manager = kernel_manager(run, sockets, unfinished, one_thread)
        notebook = execute_notebook(
            normalised(source.notebook()),
            str(unfinished / _FAILED),
            parameters=run.given,
            progress_bar=False,
            autosave_cell_every=0,
            kernel_manager_class=manager,
            shutdown_kernel="immediate",
        )
    return nbformat.writes(normalised(notebook)) + "\n"


def kernel_manager(run, sockets, unfinished, one_thread):
    """Kernel manager class whose kernels know which run they belong to."""
    from zslib.book.build.kernel import kernel_manager_class

    environment = {
        RUN_DIRECTORY: os.path.abspath(unfinished),
        RUN_KEY: run.key,
        RUN_DIGESTS: json.dumps(run.digests),
        DEPENDENCIES: json.dumps(run.depends),
        "ZSLIB_BOOK": os.path.abspath(run.root),
    }
    return kernel_manager_class(sockets, environment=environment, one_thread=one_thread)


def normalised(notebook):
    """The notebook without what differs between two equal runs: times, paths, random names."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    kept = {k: v for k, v in notebook.metadata.items() if k in ("language_info", "zslib")}
    notebook.metadata = type(notebook.metadata)(kept, kernelspec=kernel)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = type(cell.metadata)(
            {k: v for k, v in cell.metadata.items() if k in ("tags", "mystnb") and v}
        )
    return notebook


def _traceback(error, notebook):
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    if isinstance(error, PapermillExecutionError):
        text = "\n".join(error.traceback) or f"{error.ename}: {error.evalue}"
        return re.sub(r"\x1b\[[0-9;]*m", "", text)
    if isinstance(error, DeadKernelError) and notebook.is_file():
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        begun = [c for c in cells if c["metadata"].get("papermill", {}).get("start_time")]
        if begun:
            cell = "".join(begun[-1]["source"])
            return f"The kernel died in this cell, perhaps for want of memory:\n{cell}"
    return traceback.format_exc()
