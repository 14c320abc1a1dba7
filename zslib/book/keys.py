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
    """Hash of the package's sources that a chapter with this code can depend on.

    Examples
    --------
    >>> len(package_digest("from zslib import book"))
    64
    """
    return sources_digest(code, skip=_NOT_SHOWN)


def data_fingerprint(parameters, settings=None):
    """What identifies the data that a chapter with these parameters would load.

    The registry of `zslib.datasets` knows the data sets by name; a parameter that names a file
    counts with the file's size and time of change.

    Parameters
    ----------
    parameters : dict
    settings : sequence of str, optional
        Settings whose data the chapter uses; by default the two of the mappings.

    Returns
    -------
    dict

    Examples
    --------
    >>> data_fingerprint({"seed": 0})
    {}
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
    """What identifies the record sets that a chapter can read of those it depends on.

    Parameters
    ----------
    chapters : sequence of str
        Those it depends on.
    keys : dict
        Key of the run of each, by chapter.
    place : Layout

    Returns
    -------
    dict
        The keys, and a hash of each published record set.
    """
    found = {name: keys[name] for name in chapters}
    for name in chapters:
        published = place.published / name / "records.jsonl"
        if published.is_file():
            found[f"published {name}"] = hashlib.sha256(published.read_bytes()).hexdigest()
    return found


def run_key(
    chapter, source, parameters, *, code="", settings=None, fingerprint=None, depends=None
):
    """Key of a run: equal keys, equal numbers.

    Parameters
    ----------
    chapter : str
        ``"hubness/02_hubness"``.
    source : str
        Text of the chapter, without its front matter.
    parameters : dict
        Every parameter with its value.
    code : str
        Text of its code cells, which says what of the package it imports.
    settings : sequence of str, optional
        Settings whose data the chapter uses; by default the two of the mappings.
    fingerprint : object, optional
        As `data_fingerprint` gives; None: it is asked.
    depends : dict, optional
        As `read_keys` gives.

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    Examples
    --------
    >>> a = run_key("demo/01_a", "text", {"seed": 0}, fingerprint={})
    >>> a == run_key("demo/01_a", "text", {"seed": 1}, fingerprint={})
    False
    """
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
