"""The key of a run: a hash of everything that its numbers depend on."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import zslib
from zslib.sources import sources_digest

__all__ = ["data_fingerprint", "package_digest", "read_keys", "run_key"]

# Modules that decide when and where a chapter runs, and not what it shows.
_NOT_SHOWN = [f"zslib.book.{name}" for name in ("build", "keys", "parameters", "paths")]


@cache
def package_digest(code):
    """Hash of the package's sources that a chapter with this code can depend on."""
    return sources_digest(code, skip=_NOT_SHOWN)


def data_fingerprint(parameters, settings=None):
    """What identifies the data that a chapter with these parameters would load.

    The registry of `zslib.datasets` knows the data sets by name; a parameter that names a file
    counts with the file's size and time of change.
    """
    found = {}
    if "dataset" in parameters:
        from zslib.datasets.entry import SETTINGS
        from zslib.datasets.registry import fingerprint, served

        found["dataset"] = fingerprint(
            parameters["dataset"],
            seed=parameters.get("seed", 0),
            quick=parameters.get("quick", False),
            settings=served(parameters["dataset"], settings or SETTINGS),
        )
    for name, value in parameters.items():
        if isinstance(value, str) and value and Path(value).is_file():
            stat = Path(value).stat()
            found[name] = [stat.st_size, stat.st_mtime_ns]
    return found


def read_keys(chapters, keys, place):
    """What identifies the record sets that a chapter can read of those it depends on."""
    found = {name: keys[name] for name in chapters}
    for name in chapters:
        published = place.published / name / "records.jsonl"
        if published.is_file():
            found[f"published {name}"] = hashlib.sha256(published.read_bytes()).hexdigest()
    return found


def run_key(
    chapter, source, parameters, *, code="", settings=None, fingerprint=None, depends=None
):
    """Key of a run: equal keys, equal numbers."""
    if fingerprint is None:
        fingerprint = data_fingerprint(parameters, settings)
    parts = {
        "chapter": chapter,
        "source": source,
        "parameters": parameters,
        "data": fingerprint,
        "depends": depends or {},
        "version": zslib.__version__,
        "package": package_digest(code),
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
