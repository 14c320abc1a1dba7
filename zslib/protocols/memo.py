"""Results of long computations kept on disk, so that chapters share what they have in common."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from joblib import Memory

import zslib
from zslib.datasets.locate import cache_dir

__all__ = ["code_digest", "memoise"]

_LIMIT = 2 * 1024**3


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Hash of the package's sources without the book's machinery, 16 hex digits.

    Kept results carry it, so that none outlives the code that made it.
    """
    root = Path(zslib.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in ("book", "cli.py"):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def memoise(function, *, ignore=()):
    """Keep the results of ``function`` on disk, by its arguments other than ``ignore``.

    The function must take an argument ``code``, for which callers pass `code_digest`.
    """
    memory = Memory(cache_dir() / "memo", verbose=0)
    memory.reduce_size(bytes_limit=_LIMIT)
    return memory.cache(function, ignore=list(ignore))
