"""All data sets by name: the entries next to the loaders, found in the rooms."""

import importlib
import pkgutil

from zslib.datasets import attributes, hierarchy, mapping, pairs
from zslib.datasets.entry import ALL_SETTINGS, HIERARCHY, KINDS


def _entries(module):
    """What a file says of data sets: its ``ENTRIES``, or its ``ENTRY`` where it has one set."""
    if hasattr(module, "ENTRY"):
        return (module.ENTRY,)
    return getattr(module, "ENTRIES", ())


def _collected():
    """The entries of all files, those of one name joined; synthetic data first, official last."""
    entries = {}
    for room in (mapping, attributes, pairs, hierarchy):
        for file in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            for entry in _entries(importlib.import_module(file.name)):
                known = entries.get(entry.name)
                entries[entry.name] = known | entry if known else entry
    return dict(sorted(entries.items(), key=lambda item: KINDS.index(item[1].kind)))


DATASETS = _collected()


def _real_first(setting):
    places = {name: e.auto[setting] for name, e in DATASETS.items() if setting in e.auto}
    return tuple(sorted(places, key=places.get))


# What "auto" and "real" try, in this order, and what "auto" falls back on.
REAL_FIRST = {setting: _real_first(setting) for setting in ALL_SETTINGS}
FALLBACK = dict.fromkeys(ALL_SETTINGS, "synthetic") | {HIERARCHY: "wordnet"}
