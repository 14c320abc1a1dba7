"""Files that are written whole, and only where they change."""

import os
from pathlib import Path


def write_if_changed(path, text):
    """Write ``text`` to ``path`` unless that is there already."""
    path = Path(path)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
