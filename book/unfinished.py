"""Folders of runs at work: one process's alone, and removed by the next one if it is killed."""

import contextlib
import os
import shutil
import tempfile

from filelock import FileLock, Timeout

# A link to a folder elsewhere, which goes with this one.
SOCKETS = "sockets"
_UNFINISHED, _REPLACED, _LOCK = ".unfinished-", ".replaced-", ".lock-"


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
    Its empty file stays, since whoever waits for it has it open.
    """
    parent.mkdir(parents=True, exist_ok=True)
    for prefix in (_UNFINISHED, _REPLACED):
        for left in parent.glob(f"{prefix}*"):
            with contextlib.suppress(Timeout):
                name = left.name.removeprefix(prefix)
                with FileLock(parent / f"{_LOCK}{name}", timeout=0):
                    _bury(parent, name)
    folder = parent / f"{_UNFINISHED}{key}"
    with FileLock(parent / f"{_LOCK}{key}"):
        _bury(parent, key)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def at_work(parent, key):
    """The folder in which a live process has the run, or None."""
    folder = parent / f"{_UNFINISHED}{key}"
    if not folder.is_dir():
        return None
    try:
        with FileLock(parent / f"{_LOCK}{key}", timeout=0):
            return None
    except Timeout:
        return folder


def replace_run(folder, final):
    """Rename ``folder`` to ``final``; a run that is there is back after a kill at any moment."""
    aside = final.with_name(f"{_REPLACED}{final.name}")
    shutil.rmtree(aside, ignore_errors=True)
    if final.exists():
        # A folder cannot be replaced in one step: the old one steps aside first.
        os.replace(final, aside)
    os.replace(folder, final)
    shutil.rmtree(aside, ignore_errors=True)


def _bury(parent, key):
    """Remove what a killed process has left, and put back a run that it had just set aside."""
    final, aside, folder = (parent / f"{prefix}{key}" for prefix in ("", _REPLACED, _UNFINISHED))
    if aside.exists() and not final.exists():
        os.replace(aside, final)
    for left in (aside, (folder / SOCKETS).resolve(), folder):
        shutil.rmtree(left, ignore_errors=True)
