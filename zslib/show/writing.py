"""Files that are written whole, and only where they change."""

import os
from pathlib import Path


def write_if_changed(path, text):
    """Write ``text`` to ``path`` unless that is there already."""
    path, content = Path(path), text.encode()
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    os.replace(temporary, path)
