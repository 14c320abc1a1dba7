"""All data sets by name: the entries next to the loaders, found in the rooms."""

import importlib
import pkgutil

from zslib.datasets import attributes, hierarchy, mapping, pairs
from zslib.datasets.entry import ALL_SETTINGS, HIERARCHY, KINDS


def _collected():
    """Each module's ``ENTRIES``, those of one name joined; synthetic data first, official last."""
    entries = {}
    for room in (mapping, attributes, pairs, hierarchy):
        for file in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            for entry in getattr(importlib.import_module(file.name), "ENTRIES", ()):
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
