"""Results of long computations kept on disk, so that chapters share what they have in common."""

from __future__ import annotations

from functools import cache

from joblib import Memory

from zslib.datasets.locate import cache_dir
from zslib.sources import sources_digest

__all__ = ["code_digest", "memoise"]

_LIMIT = 2 * 1024**3


@cache
def code_digest(module):
    """Hash of the code that ``module`` imports, 16 hex digits: kept results do not outlive it."""
    return sources_digest(module)[:16]


def memoise(function, *, ignore=()):
    """Keep the results of ``function`` on disk, by its arguments other than ``ignore``.

    The function must take an argument ``code``, for which callers pass `code_digest` of their
    own module.
    """
    memory = Memory(cache_dir() / "memo", verbose=0)
    memory.reduce_size(bytes_limit=_LIMIT)
    return memory.cache(function, ignore=list(ignore))
