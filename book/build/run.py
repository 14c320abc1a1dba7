"""Run chapters: parameters checked, each in its own process, finished runs kept and not redone."""

import ast
import contextlib
import json
import logging
import os
import re
import sys
import tempfile
import traceback
from concurrent.futures import FIRST_COMPLETED, wait
from functools import partial

from book.parameters import ChapterText
from book.paths import PROGRESS, RUN_DIGESTS, RUN_DIRECTORY, RUN_KEY
from book.store import DEPENDENCIES, point_latest, publish_run
from book.unfinished import SOCKETS, at_work, check_writable, unfinished
from zslib.cli import CommandFailed
from zslib.protocols.processes import processes

_SECONDS_BETWEEN = 5
_FAILED = "failed.ipynb"
# Of a cell's first line but imports, beside the progress bar.
_SHOWN = 48


class ChaptersFailed(CommandFailed):
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
    for run in todo.values():
        check_writable(run.folder.parent.absolute())
    jobs = min(jobs, len(todo)) or 1
    with (
        tqdm(total=len(todo), unit="chapter", disable=not (progress and todo)) as bar,
        contextlib.nullcontext(executor) if executor or not todo else processes(jobs) as workers,
    ):
        # Workers of others may outlive an edit of the code, which forks would not see.
        options = {"one_thread": jobs > 1, "force": force, "forks": executor is None}
        ended = _execute_all(todo, jobs, workers, partial(execute, **options), bar)
    if failures := {name: error for name, error in ended.items() if error is not None}:
        parts = [f"{len(failures)} chapter(s) failed: {', '.join(failures)}"]
        if skipped := [name for name in todo if name not in ended]:
            parts.append(f"Not run, since they read the records of these: {', '.join(skipped)}")
        parts += [f"\n=== {name} ===\n{error}" for name, error in failures.items()]
        raise ChaptersFailed("\n".join(parts))
    return list(ended)


def _where(run):
    """The chapter, the cell that runs, and what it does; None where none runs."""
    if (folder := at_work(run.folder.parent, run.key)) is None:
        return None
    number, total, text = _last_cell(folder / _FAILED)
    if not number:
        return run.chapter
    with contextlib.suppress(OSError, ValueError):
        if step := (folder / PROGRESS).read_text(encoding="utf-8"):
            return f"{run.chapter} {number}/{total} {step}"
    nodes = ast.parse(text).body
    does = (n.lineno - 1 for n in nodes if not isinstance(n, ast.Import | ast.ImportFrom))
    line = [*text.splitlines(), ""][next(does, 0)]
    return f"{run.chapter} {number}/{total} {line[:_SHOWN]}".rstrip()


def _last_cell(notebook):
    """The code cell that was begun last: its number, how many there are, and its text."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (FileNotFoundError, ValueError):  # not yet there, or just being written
        return 0, "", ""
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    begun = [c for c in cells if c["metadata"].get("papermill", {}).get("start_time")]
    return len(begun), len(cells), "".join(begun[-1]["source"]) if begun else ""


def _ready(todo, started, finished):
    """Chapters that can start: those that most time hangs on, then those that have waited.

    So the longest do not remain for one processor alone at the end.
    """
    readers = {name: [n for n, run in todo.items() if name in run.depends] for name in todo}

    def chain(name):
        return todo[name].seconds + max(map(chain, readers[name]), default=0.0)

    ready = [
        name
        for name, run in todo.items()
        if name not in started and all(d not in todo or d in finished for d in run.depends)
    ]
    return sorted(ready, key=lambda name: (chain(name), bool(todo[name].depends)), reverse=True)


def _execute_all(todo, jobs, executor, execute_one, bar):
    """Execute the runs of ``todo``: of each chapter that ended the traceback or None.

    Beside the bar stands where those that run are; on a terminal its clock goes on.
    """
    ended, running, before = {}, {}, ""
    while True:
        finished = [name for name, error in ended.items() if error is None]
        ready = _ready(todo, {*ended, *running.values()}, finished)
        for name in ready[: jobs - len(running)]:
            future = executor.submit(execute_one, todo[name])
            running[future] = name
        if not running:
            return ended
        for future in wait(running, _SECONDS_BETWEEN, FIRST_COMPLETED).done:
            name = running.pop(future)
            ended[name] = future.result()
            bar.update()
        where = "; ".join(filter(None, map(_where, todo.values())))
        if where != before or sys.stderr.isatty():
            bar.set_postfix_str(before := where)


def execute(run, *, one_thread=False, force=False, forks=False):
    """Execute one run and keep it, giving the traceback where it failed.

    Of two processes with the same run the second waits, and finds it done. Everything is written
    to an unfinished folder beside the final one, which is renamed when the chapter has ended: a
    run that is killed leaves nothing that looks finished. Of one that fails the notebook is kept.
    """
    parent = run.folder.parent
    failed = parent / _FAILED
    with unfinished(parent, run.key) as folder:
        if run.done and not force:
            return None
        failed.unlink(missing_ok=True)
        try:
            notebook = _execute_notebook(run, folder, one_thread, forks)
            if not (folder / "records.jsonl").is_file():
                raise RuntimeError("the chapter ended without chapter.finish(): nothing was kept")
            (folder / "notebook.ipynb").write_text(notebook, encoding="utf-8")
            (folder / _FAILED).unlink()
            (folder / PROGRESS).unlink(missing_ok=True)
            publish_run(folder, parent, run.key)
        except Exception as error:
            message = _traceback(error, folder / _FAILED)
            with contextlib.suppress(FileNotFoundError):
                os.replace(folder / _FAILED, failed)
                message += f"\nAs far as it came: {os.path.relpath(failed)}"
            return message
    return None


def _execute_notebook(run, folder, one_thread, forks):
    """Text of the executed notebook, the same for the same outputs."""
    import nbformat
    from papermill import execute_notebook

    from book.build.kernel import kernel_manager_class

    logging.getLogger("papermill").setLevel(logging.ERROR)
    chapter_text = ChapterText(run.chapter, run.text)
    with tempfile.TemporaryDirectory(prefix="zslib-") as sockets:
        if os.name == "posix":
            (folder / SOCKETS).symlink_to(sockets)
        environment = {
            RUN_DIRECTORY: os.path.abspath(folder),
            RUN_KEY: run.key,
            RUN_DIGESTS: json.dumps(run.digests),
            DEPENDENCIES: json.dumps(run.depends),
            "ZSLIB_BOOK": os.path.abspath(run.root),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        options = {"environment": environment, "one_thread": one_thread, "forks": forks}
        manager = kernel_manager_class(sockets, **options)
        notebook = execute_notebook(
            normalised(chapter_text.notebook()),
            str(folder / _FAILED),
            parameters=run.given,
            progress_bar=False,
            autosave_cell_every=0,
            kernel_manager_class=manager,
            shutdown_kernel="immediate",
        )
    (folder / SOCKETS).unlink(missing_ok=True)
    return nbformat.writes(normalised(notebook)) + "\n"


def page_of(run):
    """The executed notebook of a finished run, with the chapter's prose as it is now."""
    import nbformat

    page = ChapterText(run.chapter, run.text).notebook()
    ran = [c for c in nbformat.read(run.notebook, as_version=4).cells if c.cell_type == "code"]
    cells = []
    for cell in page.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            before = ran.pop(0)
            cell.outputs, cell.execution_count = before.outputs, before.execution_count
            if ran and "injected-parameters" in ran[0].metadata.get("tags", ()):
                cells.append(ran.pop(0))
    page.cells = cells
    return normalised(page)


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

    number, total, text = _last_cell(notebook)
    if isinstance(error, PapermillExecutionError):
        lines = "\n".join(error.traceback)
        message = f"Cell {number} of {total}: {error.ename}: {error.evalue}\n{lines}"
        return re.sub(r"\x1b\[[0-9;]*m", "", message)
    if isinstance(error, DeadKernelError):
        return f"The kernel died in cell {number} of {total}, for want of memory perhaps:\n{text}"
    return traceback.format_exc()
