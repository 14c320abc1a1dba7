"""The copy of the repository that a command or a notebook is called in."""

import os
from pathlib import Path


def book_root():
    """What ``ZSLIB_BOOK`` names, else the nearest folder upwards that holds a book, or None."""
    if named := os.environ.get("ZSLIB_BOOK"):
        return Path(named)
    here = Path.cwd()
    found = (f for f in (here, *here.parents) if (f / "_toc.yml").is_file())
    return next((folder for folder in found if (folder / "chapters").is_dir()), None)
