"""Loading data sets by name, where they are here, fetching them, and their fingerprint."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile

from zslib.datasets import locate
from zslib.datasets.catalogue import DATASETS, EMBEDDED, REAL_FIRST
from zslib.datasets.entry import ALL_SETTINGS, HIERARCHY, SETTINGS, SEVERAL
from zslib.validation import check_choice, check_integer

__all__ = [
    "available",
    "data_status",
    "fetch",
    "fingerprint",
    "load_problem",
    "load_problems",
    "resolve",
    "resolve_all",
    "served",
]


def _entry(name):
    if name not in DATASETS:
        raise ValueError(
            f"unknown dataset {name!r}: known are {', '.join(DATASETS)}, and the requests "
            "'auto' (real where present) and 'real'"
        )
    return DATASETS[name]


def _folder_of(entry):
    """Where the entry's ``files`` begin, or None where one of them or a folder is missing."""
    if not all(folder is not None and folder.is_dir() for folder in _folders_of(entry)):
        return None
    roots = [locate.data_root()]
    if entry.kind == "official":
        roots.append(locate.cache_dir())
    for root in roots:
        if root is not None and all((root / name).is_file() for name in entry.files):
            return root
    return None


def _folders_of(entry):
    """The entry's ``folders``: nothing fetches them, so that they are below the data folder."""
    root = locate.data_root()
    return [root and root / name for name in entry.folders]


def available(name):
    """Whether the data set ``name`` can be loaded here, without any download.

    Examples
    --------
    >>> available("synthetic")
    True
    """
    entry = _entry(name)
    return entry.kind == "embedded" or _folder_of(entry) is not None


def resolve(setting, dataset="auto"):
    """Name of the data set that a request stands for in a setting.

    Parameters
    ----------
    setting : str
        One of `ALL_SETTINGS`.
    dataset : str
        "auto": the real data where present, else what is embedded; "real"; "synthetic"; a name
        of `DATASETS`; or several of these joined by "+", from which the setting takes its part
        ("europarl+tiny_imagenet"). A request that names nothing for "hierarchy" leaves that to
        "auto".

    Examples
    --------
    >>> resolve("cross-modal", "europarl+synthetic")
    'synthetic'
    """
    check_choice(setting, "setting", ALL_SETTINGS)
    if not isinstance(dataset, str):
        raise TypeError(f"dataset must be a string, got {dataset!r}")
    parts = [part.strip() for part in dataset.split("+")]
    general = [part for part in parts if part in ("auto", "real")]
    named = [p for p in parts if p not in general and setting in _entry(p).settings]
    # "synthetic" serves nearly every setting, so that another name goes before it.
    fitting = [p for p in named if p != "synthetic"] or named or general
    if not fitting and setting == HIERARCHY:
        fitting = [EMBEDDED[setting] if "synthetic" in parts else "auto"]
    if len(fitting) != 1:
        serving = ", ".join(n for n, e in DATASETS.items() if setting in e.settings)
        problem_is = "several data sets" if fitting else "no data set"
        raise ValueError(
            f"dataset={dataset!r} names {problem_is} for the {setting} setting: choose one of "
            f"{serving}, and join names for several settings with '+', for instance "
            "'europarl+tiny_imagenet'"
        )
    name = fitting[0]
    if name in ("auto", "real"):
        present = [real for real in REAL_FIRST[setting] if available(real)]
        fallback = EMBEDDED[setting] if name == "auto" else REAL_FIRST[setting][0]
        name = present[0] if present else fallback
    if not available(name):
        raise FileNotFoundError(_absent(name))
    return name


def resolve_all(setting, dataset="auto"):
    """Names of the data sets that a request stands for: several in some settings.

    In "attributes", "metric learning" and "pairs" every name that serves the setting counts,
    "real" is every real set that is here, and "auto" the same, or the embedded ones where there
    is none.

    Examples
    --------
    >>> resolve_all("attributes", "synthetic+digits")
    ['synthetic', 'digits']
    """
    parts = [p.strip() for p in dataset.split("+")] if isinstance(dataset, str) else []
    if setting not in SEVERAL or len(parts) == 1:
        name = resolve(setting, dataset)
        if setting not in SEVERAL or parts[0] not in ("auto", "real"):
            return [name]
        found = [name for name in REAL_FIRST[setting] if available(name)]
        embedded = [n for n, e in DATASETS.items() if e.kind == "embedded"]
        return found or [name for name in embedded if setting in DATASETS[name].settings]
    names = [resolve(setting, p) for p in parts if setting in _entry(p).settings]
    return names or [resolve(setting, dataset)]


def served(dataset, settings):
    """Those of ``settings`` that a request serves: it may name the data of one only.

    Examples
    --------
    >>> served("synthetic", ("cross-modal", "hierarchy"))
    ['cross-modal', 'hierarchy']
    """
    found, error = [], None
    for setting in settings:
        try:
            resolve_all(setting, dataset)
        except ValueError as refused:
            error = refused
        else:
            found.append(setting)
    if not found:
        raise error
    return found


def _absent(name):
    entry = DATASETS[name]
    if entry.fetch is not None:
        return f"{name!r} is not here: run 'zslib data fetch {name}'"
    root = locate.data_root()
    where = "no data folder was found" if root is None else f"the data folder is {root}"
    return (
        f"the files of {name!r} are not here ({where}): set ZSLIB_DATA to a folder that has "
        f"{' and '.join((entry.files[0], *entry.folders))}, or pass dataset='synthetic'"
    )


def load_problem(setting, dataset="auto", *, seed=0, quick=False, **options):
    """The data of one setting, by name: a problem, or `ImageNetLists` for "hierarchy".

    Parameters
    ----------
    setting, dataset : str
        See `resolve`.
    seed : int
        Generates synthetic data and splits labels; it changes nothing where the split is
        published, as in `europarl`.
    quick : bool
        A smaller version for a fast run.
    **options
        Of the data set's own loader, for instance ``train="dinu"``.

    Examples
    --------
    >>> load_problem("cross-modal", "synthetic", quick=True)
    MappingProblem('synthetic-crossmodal', cross-modal: 225 training pairs, 300 queries,
    3000 targets)
    """
    check_integer(seed, "seed", low=0)
    entry = DATASETS[resolve(setting, dataset)]
    if entry.takes_seed:
        options["seed"] = seed
    loader = entry.loaders[setting]
    known = inspect.signature(loader).parameters
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(
            f"{entry.name} has no option {', '.join(map(repr, unknown))}: its options are "
            f"{', '.join(known)}"
        )
    if quick:
        options = {**entry.quick.get(setting, {}), **options}
    return loader(**options)


def load_problems(setting, dataset="auto", **options):
    """The data of one setting, all sets that the request names: see `resolve_all`.

    Examples
    --------
    >>> [problem.name for problem in load_problems("attributes", "digits")]
    ['digits_segments']
    """
    return [load_problem(setting, name, **options) for name in resolve_all(setting, dataset)]


def data_status():
    """One dict for each data set, for ``zslib data list`` and ``zslib data where``."""
    rows = []
    for entry in DATASETS.values():
        root = _folder_of(entry) if entry.files else None
        where = "generated" if entry.kind == "embedded" else "not here"
        if root is not None:
            where = str((locate.data_root() if entry.folders else root) / entry.folder)
        rows.append(
            {
                "name": entry.name,
                "settings": ", ".join(entry.settings),
                "kind": entry.kind,
                "available": available(entry.name),
                "where": where,
                "licence": entry.licence,
                "summary": entry.summary,
            }
        )
    return rows


def fetch(name, *, progress=None, **options):
    """Download an official data set into the cache, and return its folder.

    An interrupted download raises ConnectionError and continues with the next call.

    Parameters
    ----------
    name : str
        For instance "dinu2015".
    progress : callable, optional
        Called with (file name, bytes so far, bytes in all or None).
    **options
        Of the data set's own function, for instance `fetch_xlsa17`.
    """
    entry = _entry(name)
    if entry.fetch is None:
        official = " or ".join(e.name for e in DATASETS.values() if e.fetch is not None)
        raise ValueError(f"{name!r} is {entry.kind} and cannot be fetched: {official} can")
    present = _folder_of(entry)
    if present is not None:
        return present / entry.folder
    return entry.fetch(progress=progress, **options)


def fingerprint(dataset="auto", *, seed=0, quick=False, settings=SETTINGS):
    """SHA-256 (hex) of the data that a request stands for, cheap enough to ask at every start.

    It covers names, seed, quick flag and the content of the files, hashed once and then
    remembered by size and time of change.
    """
    names = [name for setting in settings for name in resolve_all(setting, dataset)]
    content = {
        "names": names,
        "quick": bool(quick),
        "seed": int(seed),
    }
    for name in dict.fromkeys(names):
        entry = DATASETS[name]
        root = _folder_of(entry) if entry.files else None
        files = [root / file for file in entry.files] if root else []
        if (optional := root or locate.data_root()) is not None:
            files += [optional / file for file in entry.optional_files]
        content[name] = [_file_hash(path) for path in files if path.is_file()]
        if root:
            content[name] += [_folder_hash(folder) for folder in _folders_of(entry)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _file_hash(path):
    """SHA-256 of a file, remembered in the cache while its size and time of change stay."""
    state = path.stat()
    key = f"{path.resolve()}|{state.st_size}|{state.st_mtime_ns}"
    note = locate.cache_dir() / "hashes" / hashlib.sha256(key.encode()).hexdigest()[:24]
    if note.is_file():
        return note.read_text(encoding="ascii")
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    note.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=note.parent, delete=False) as file:
        file.write(digest)
    os.replace(file.name, note)
    return digest


def _folder_hash(folder):
    """SHA-256 over names and content of all files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
