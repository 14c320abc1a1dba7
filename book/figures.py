"""Figures of a chapter, which the run that makes them keeps."""

import os
from pathlib import Path

from book.paths import RUN_DIRECTORY
from zslib import show


def figure(fig, *, name, caption, alt, photographs=False):
    """`zslib.show.figure`, kept with the records of the chapter that runs."""
    shown = show.figure(fig, name=name, caption=caption, alt=alt, photographs=photographs)
    if folder := os.environ.get(RUN_DIRECTORY):
        path = Path(folder) / "figures" / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown.svg, encoding="utf-8")
    return shown
