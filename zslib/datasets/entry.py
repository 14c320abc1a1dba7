"""What a data set's file says of it: kind, licence, files, loaders, and its small version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import chain

# The four kinds of problem, each with its settings as captions and records name them.
SETTINGS_OF = {
    "mapping": ("cross-linguistic", "cross-modal"),
    "hierarchy": ("hierarchy", "within 1K", "beyond 1K"),
    "attributes": ("attributes", "metric learning"),
    "pairs": ("pairs",),
}
ALL_SETTINGS = tuple(chain.from_iterable(SETTINGS_OF.values()))
BILINGUAL, MODAL, HIERARCHY, WITHIN, BEYOND, ATTRIBUTES, METRIC, PAIRS = ALL_SETTINGS
SETTINGS = SETTINGS_OF["mapping"]
KINDS = ("synthetic", "embedded", "official")


@dataclass(frozen=True)
class Dataset:
    """One data set, or what one file has to say of it: `catalogue` joins those of one name.

    Parameters
    ----------
    name : str
    kind : {"synthetic", "embedded", "official"}
        Generated; real data that come with the repository; files that the user fetches or has.
    loaders : dict of str to callable
        By setting, of `ALL_SETTINGS`.
    summary : str
        One line for listings.
    licence : str
    quick : dict of str to dict
        By setting, the loader's options in quick mode; none where it is small anyway.
    auto : dict of str to int
        By setting, its place among those that "auto" and "real" try; none where they do not.
    files : tuple of str
        Read by the loaders, relative to the data folder, there perhaps with .gz or .bz2 behind.
    optional_files : tuple of str
        Read besides under some options of a loader.
    folders : tuple of str
        Folders whose files, many small ones, a loader reads.
    fetch : callable, optional
        Of official data: downloads the files, and takes ``progress``.
    """

    name: str
    kind: str = "embedded"
    loaders: dict = field(default_factory=dict)
    summary: str = ""
    licence: str = ""
    quick: dict = field(default_factory=dict)
    auto: dict = field(default_factory=dict)
    files: tuple = ()
    optional_files: tuple = ()
    folders: tuple = ()
    fetch: Callable | None = None

    @property
    def settings(self):
        """The settings that it serves, in the order of `ALL_SETTINGS`."""
        return tuple(setting for setting in ALL_SETTINGS if setting in self.loaders)

    @property
    def folder(self):
        """Its place below the data folder; "" for data without files."""
        return "".join((*self.folders, *self.files)[:1]).rpartition("/")[0]

    def __or__(self, other):
        def joined(a, b):
            if isinstance(a, tuple):
                return tuple(dict.fromkeys(a + b))
            return a | b if isinstance(a, dict) else a or b

        names = (one.name for one in fields(self))
        return Dataset(*(joined(getattr(self, name), getattr(other, name)) for name in names))


def below(folder, *names):
    """The paths of files in a folder of the data folder."""
    return tuple(f"{folder}/{name}" for name in names)
