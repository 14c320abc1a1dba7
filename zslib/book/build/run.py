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

from zslib.book.build.plan import Run, plan
from zslib.book.parameters import Source
from zslib.book.paths import RUN_DIGESTS, RUN_DIRECTORY, RUN_KEY
from zslib.book.store import DEPENDENCIES, new_folder, point_latest, publish_run

__all__ = ["ChaptersFailed", "Run", "plan", "run_chapters"]

# Folders of runs that were killed are removed once they are this old: younger ones may be alive.
_ABANDONED_SECONDS = 24 * 3600
_UNFINISHED = ".unfinished-"
_SECONDS_BETWEEN = 5
_FAILED = "failed.ipynb"


class ChaptersFailed(RuntimeError):
    """Some chapters raised; the message holds their tracebacks."""


def run_chapters(runs, *, jobs=1, force=False, progress=True):
    """Execute planned runs that were not finished before; names of those executed.

    Each chapter runs in a kernel of its own, started by a worker process of joblib; wrap the
    call in ``joblib.parallel_config(backend="dask")`` to spread the workers over a cluster that
    shares the book's folder. `ChaptersFailed` is raised once all have ended that do not read the
    records of one that failed.
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
    ):
        while wave := _next_wave(todo, finished, failures, jobs):
            for name, error in _execute_all([todo[n] for n in wave], jobs):
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


def _next_wave(todo, finished, failures, jobs):
    """Chapters to run next: all that they read is there.

    Those that others read go first, with others beside them only where processors are free; then
    all that is left, those that have waited at the head.
    """
    left = {n: run for n, run in todo.items() if n not in finished and n not in failures}
    ready = [
        name
        for name, run in left.items()
        if all(d not in todo or d in finished for d in run.depends)
    ]
    read = {name for run in left.values() for name in run.depends}
    first = [name for name in ready if name in read]
    others = [name for name in ready if name not in read]
    others.sort(key=lambda name: not left[name].depends)
    return first + others[: max(0, jobs - len(first))] if first else others


def _report(failures, skipped):
    parts = [f"{len(failures)} chapter(s) failed: {', '.join(failures)}"]
    if skipped:
        parts.append(f"Not run, since they read the records of these: {', '.join(skipped)}")
    parts += [f"\n=== {name} ===\n{error}" for name, error in failures.items()]
    return "\n".join(parts)


def _execute_all(runs, jobs):
    """Execute ``runs``, giving (chapter, traceback or None) as each ends."""
    from joblib import Parallel, delayed

    n_jobs = min(jobs, len(runs))
    tasks = (delayed(execute)(run, one_thread=n_jobs > 1) for run in runs)
    return Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")(tasks)


def execute(run, *, one_thread=False):
    """Execute one run and keep it, giving the chapter, and the traceback where it failed.

    Everything is written to an unfinished folder beside the final one, which is renamed when the
    chapter has ended: a run that is killed leaves nothing that looks finished. Of one that fails
    the notebook is kept beside it.
    """
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
        told = _traceback(error)
        if (unfinished / _FAILED).is_file():
            os.replace(unfinished / _FAILED, failed)
            told += f"\nAs far as it came: {os.path.relpath(failed)}"
        return run.chapter, told
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return run.chapter, None


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


def _traceback(error):
    from papermill.exceptions import PapermillExecutionError

    if isinstance(error, PapermillExecutionError):
        text = "\n".join(error.traceback) or f"{error.ename}: {error.evalue}"
        return re.sub(r"\x1b\[[0-9;]*m", "", text)
    return traceback.format_exc()
