"""Folders of runs at work: one process's alone, and removed by the next one if it is killed."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where two equal runs at once both execute
    fcntl = None


# A link to a folder elsewhere, which goes with this one.
SOCKETS = "sockets"
_UNFINISHED, _REPLACED, _LOCK = ".unfinished-", ".replaced-", "lock"


def check_writable(folder):
    """Raise PermissionError, which says what to do, where nothing can be written below."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        tempfile.TemporaryDirectory(dir=there).cleanup()
    except OSError as error:
        raise PermissionError(
            f"{there} cannot be written: set ZSLIB_RESULTS to a folder that can, where the "
            "records and notebooks of runs then go"
        ) from error


@contextlib.contextmanager
def unfinished(parent, key):
    """The folder in which a run grows, empty; a second process with the same run waits for it.

    A lock ends with its process: what lies here without one was left by a process that was killed.
    """
    if fcntl is None:
        parent.mkdir(parents=True, exist_ok=True)
        options = {"dir": parent, "prefix": _UNFINISHED, "ignore_cleanup_errors": True}
        with tempfile.TemporaryDirectory(**options) as folder:
            yield Path(folder)
        return
    for left in parent.glob(f"{_UNFINISHED}*"):
        with contextlib.suppress(OSError), (left / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _bury(left)
    for aside in parent.glob(f"{_REPLACED}*"):
        if _final(aside).exists():
            shutil.rmtree(aside, ignore_errors=True)
    folder = parent / f"{_UNFINISHED}{key}"
    with _lock(folder) as lock:
        try:
            yield folder
        finally:
            if _holds(lock, folder):
                shutil.rmtree(folder, ignore_errors=True)


def at_work(parent, key):
    """The folder in which a live process has the run, or None."""
    folder = parent / f"{_UNFINISHED}{key}"
    try:
        with (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return folder
    except FileNotFoundError:
        pass
    return None


def replace_run(folder, final):
    """Rename ``folder`` to ``final``; a run that is there is back after a kill at any moment."""
    aside = final.with_name(f"{_REPLACED}{final.name}")
    shutil.rmtree(aside, ignore_errors=True)
    if final.exists():
        # A folder cannot be replaced in one step: the old one steps aside first.
        os.replace(final, aside)
    os.replace(folder, final)
    # Only now: who waits for it would else take a new one while the folder is still there.
    (final / _LOCK).unlink(missing_ok=True)
    shutil.rmtree(aside, ignore_errors=True)


def _lock(folder):
    """The open, locked file in a folder that holds nothing else."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = (folder / _LOCK).open("a")
        except FileNotFoundError:  # whoever had the folder has just removed it
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _holds(lock, folder):
            if os.listdir(folder) == [_LOCK]:
                return lock
            _bury(folder)
        lock.close()


def _holds(lock, folder):
    """Whether the open file is still the folder's: it may have been removed, or renamed."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), (folder / _LOCK).stat())
    except FileNotFoundError:
        return False


def _final(folder):
    return folder.with_name(folder.name.rpartition("-")[2])


def _bury(folder):
    """Remove what a killed process has left, and put back a run that it had just set aside."""
    final = _final(folder)
    aside = final.with_name(f"{_REPLACED}{final.name}")
    if aside.exists() and not final.exists():
        os.replace(aside, final)
    for left in (aside, (folder / SOCKETS).resolve(), folder):
        shutil.rmtree(left, ignore_errors=True)
