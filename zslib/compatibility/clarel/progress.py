"""A line on stderr that says how far a long training is."""

from __future__ import annotations

import sys
from time import monotonic

__all__ = ["Progress"]


class Progress:
    """Batches done, loss, batches per second and time left, rewritten at most twice a second.

    A context manager, which ends the line.

    Parameters
    ----------
    name : str
    total : int
        Batches in all.
    done : int
        Batches done before, in an earlier run.
    shown : bool
        False: nothing is written.
    """

    def __init__(self, name, total, done=0, *, shown=True):
        self._name, self._total, self._shown = name, total, shown
        self._first, self._start, self._last = done, monotonic(), -1.0
        self._width = 0

    def update(self, done, loss):
        """Show ``done`` batches and the newest mean ``loss`` (None: not known yet)."""
        if not self._shown:
            return
        now = monotonic()
        if now - self._last < 0.5 and done < self._total:
            return
        self._last = now
        rate = (done - self._first) / max(now - self._start, 1e-9)
        filled = 24 * done // self._total
        left = f", {_clock((self._total - done) / rate)} left" if rate else ""
        loss = "" if loss is None else f", loss {loss:.4f}"
        line = (
            f"{self._name} {done}/{self._total} [{'#' * filled}{'.' * (24 - filled)}]{loss}, "
            f"{rate:.1f} batches/s{left}"
        )
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        """End the line."""
        if self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()


def _clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"
