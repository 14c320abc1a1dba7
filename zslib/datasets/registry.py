"""Loading data sets by name, where they are here, fetching them, and their fingerprint."""

import hashlib
import inspect
import json
import os
from functools import partial
from pathlib import Path

from zslib.datasets import locate
from zslib.datasets.attributes.features import read_features
from zslib.datasets.catalogue import DATASETS, FALLBACK, REAL_FIRST
from zslib.datasets.entry import (
    ALL_SETTINGS,
    ATTRIBUTES,
    BILINGUAL,
    HIERARCHY,
    METRIC,
    PAIRS,
    SETTINGS,
    SETTINGS_OF,
    Dataset,
)
from zslib.datasets.files import checked, file_hash, find_file
from zslib.datasets.mapping.own import from_files
from zslib.datasets.pairs.own import read_captions
from zslib.validation import check_choice, check_integer

# What the package or one it needs has in it.
_CARRIED = {"wordnet": "in the package", "digits": "in scikit-learn"}
# Readers of your own files. Any other file has vectors of words.
_OWN = {ATTRIBUTES: read_features, METRIC: read_features, PAIRS: read_captions}
_OWN_ENDINGS = (".npz", ".mat", ".csv", ".tsv", "")
_COMPRESSED = {".gz", ".bz2", ".xz", ".zip"}
_QUICK_IMAGES = 20
_GENERAL = ("auto", "real")
# Settings that have one set at a time; in the others a request may stand for several.
_SINGLE = SETTINGS_OF["hierarchy"]


def _entry(name):
    if name in DATASETS:
        return DATASETS[name]
    # As captions and problems have it: "tiny-imagenet", "tiny_imagenet_classes".
    catalogued = name.replace("-", "_").removesuffix("_classes")
    if catalogued in DATASETS and not os.path.exists(name):
        return DATASETS[catalogued]
    if not ("." in name or os.sep in name or os.path.exists(name)):
        raise ValueError(
            f"unknown dataset {name!r}: known are {', '.join(DATASETS)}, 'auto', 'real' and paths "
            "of your own files: none is called so here"
        )
    # In any case, and compressed: "OWN.CSV", "images.csv.gz".
    endings = [ending.lower() for ending in Path(name).suffixes]
    plain = [ending for ending in endings if ending not in _COMPRESSED]
    ending = (plain or endings or [""])[-1]
    readers = _OWN if os.path.isdir(name) or ending in _OWN_ENDINGS else {BILINGUAL: from_files}
    return Dataset(
        name=name,
        kind="own",
        loaders={setting: partial(read, name) for setting, read in readers.items()},
        quick={setting: {"max_per_class": _QUICK_IMAGES} for setting in _OWN},
        files=(name,),
    )


def _parts(dataset):
    """The names that a request joins by "+", a sign that the path of a file may have too."""
    if isinstance(dataset, os.PathLike):
        # A path is no name of a data set, whatever it is called.
        return [os.path.join(os.path.dirname(dataset) or ".", os.path.basename(dataset))]
    if not isinstance(dataset, str):
        raise TypeError(f"dataset must be a string or a path, got {type(dataset).__name__}")
    return [dataset] if os.path.exists(dataset) else [one.strip() for one in dataset.split("+")]


def _files_of(entry):
    """The entry's files and folders where they lie, by name; None where it is not here.

    Of an embedded set a folder that is there must have all of its files, else FileNotFoundError.
    """
    if entry.kind == "own":
        path = Path(entry.name)
        return {entry.name: path} if path.exists() else None
    folders = {name: locate.find_folder(name) for name in entry.folders}
    if entry.kind == "official":
        root = locate.complete_folder("", entry.files)
        if None in folders.values() or root is None:
            return None
        return {name: root / name for name in entry.files} | folders
    paths = {name: _place(name) for name in entry.files}
    if None in paths.values():
        return None
    return {name: find_file(path) or checked(path) for name, path in paths.items()}


def _place(file):
    """The path of a file in the first data folder that has its folder; None without one."""
    folder, _, name = file.rpartition("/")
    place = locate.find_folder(folder)
    return place and place / name


def available(name):
    """Whether the data set ``name`` can be loaded here, without any download.

    A set of which only a part is here raises FileNotFoundError.

    Examples
    --------
    >>> available("synthetic")
    True
    """
    return _files_of(_entry(name)) is not None


def resolve(setting, dataset="auto"):
    """Name of the data set that a request means in a setting.

    Parameters
    ----------
    setting : {"cross-linguistic", "cross-modal", "hierarchy", "within 1K", "beyond 1K", \
            "attributes", "metric learning", "pairs"}
    dataset : str or path
        "auto": the real data, else synthetic ones; "real"; "synthetic"; a name of `DATASETS`,
        with hyphens too, as captions have it; the path of a file or folder of your own ("./cub"
        where it has such a name); or several of these joined by "+", from which the setting takes
        its part ("europarl+tiny_imagenet"). A request that names nothing for "hierarchy" leaves
        that to "auto".

    Raises
    ------
    ValueError
        Where the request names no data set, or several, for the setting.
    FileNotFoundError
        Where its files are not here.

    Examples
    --------
    >>> resolve("cross-modal", "europarl+synthetic")
    'synthetic'
    """
    check_choice(setting, "setting", ALL_SETTINGS)
    parts = _parts(dataset)
    general = [part for part in parts if part in _GENERAL]
    entries = [_entry(part) for part in parts if part not in general]
    named = list(dict.fromkeys(entry.name for entry in entries if setting in entry.settings))
    # "synthetic" serves nearly every setting, so that another name goes before it.
    fitting = [p for p in named if p != "synthetic"] or named or general
    if not fitting and setting == HIERARCHY:
        fitting = [FALLBACK[setting] if "synthetic" in parts else "auto"]
    paths = [entry.name for entry in entries if entry.kind == "own"]
    if not fitting and paths and setting in (*_OWN, BILINGUAL):
        raise ValueError(
            f"{paths[0]} is not read for the {setting} setting: save its arrays as .npz, or "
            "rename it if it has another ending than its content. Images are in a folder or end "
            f"in {', '.join(filter(None, _OWN_ENDINGS))}; vectors of words end otherwise"
        )
    if len(fitting) != 1:
        serving = ", ".join(n for n, e in DATASETS.items() if setting in e.settings)
        problem_is = "several data sets" if fitting else "no data set"
        raise ValueError(
            f"dataset={dataset!r} names {problem_is} for the {setting} setting: choose one of "
            f"{serving}, and join names for several settings, as 'europarl+tiny_imagenet'"
        )
    name = fitting[0]
    if name in _GENERAL:
        present = [real for real in REAL_FIRST[setting] if available(real)]
        fallback = FALLBACK[setting] if name == "auto" else REAL_FIRST[setting][0]
        name = present[0] if present else fallback
    if not available(name):
        raise FileNotFoundError(_absent(name))
    return name


def resolve_all(setting, dataset="auto"):
    """Names of the data sets that a request means: several in some settings.

    But for the settings of hierarchies every name that serves the setting counts, "real" is every
    real set that is here, and "auto" the same, or what needs no files where there is none. Sets
    that must be asked for by name, such as "dinu2015", are in neither.

    Examples
    --------
    >>> resolve_all("attributes", "synthetic+digits")
    ['synthetic', 'digits']
    """
    parts = _parts(dataset)
    if setting in _SINGLE or len(parts) == 1:
        name = resolve(setting, dataset)
        if setting in _SINGLE or parts[0] not in _GENERAL:
            return [name]
        present = [name for name in REAL_FIRST[setting] if available(name)]
        no_files = [n for n, e in DATASETS.items() if not e.files and setting in e.settings]
        return present or no_files
    names = dict.fromkeys(resolve(setting, p) for p in parts if setting in _entry(p).settings)
    return list(names) or [resolve(setting, dataset)]


def served(dataset, settings):
    """Those of ``settings`` that a request serves: it may name the data of one only.

    Where it serves none, the refusal of `resolve` is raised.

    Examples
    --------
    >>> served("synthetic", ("cross-modal", "hierarchy"))
    ['cross-modal', 'hierarchy']
    """
    answered, refusals = [], []
    for setting in settings:
        try:
            resolve_all(setting, dataset)
            answered.append(setting)
        except ValueError as refusal:
            refusals.append(refusal)
    if not answered:
        raise refusals[-1]
    return answered


def missing(dataset, settings=SETTINGS):
    """Names of the embedded sets that "auto" or "real" would take if they were here.

    Examples
    --------
    >>> missing("synthetic")
    []
    """
    wanted = {}
    for setting in settings if dataset in _GENERAL else ():
        embedded = [name for name in REAL_FIRST[setting] if DATASETS[name].kind == "embedded"]
        wanted |= dict.fromkeys(embedded[:1] if setting in _SINGLE else embedded)
    return [name for name in wanted if not available(name)]


def _absent(name):
    entry = _entry(name)
    if entry.kind == "own":
        return f"{name} is not there: check the path"
    if entry.fetch is not None:
        return f"{name!r} is not here: run 'zslib data fetch {name}'"
    roots = " and ".join(map(str, locate.data_folders()))
    where = f"looked for in {roots}" if roots else "no data folder was found"
    ours = entry.kind == "embedded" and locate.embedded_data() is not None
    bring = f"get them back by 'git checkout -- data/{entry.folder}', " if ours else ""
    return (
        f"the files of {name!r} are not here ({where}): {bring}set ZSLIB_DATA to a folder that "
        f"has {' and '.join((entry.files[0], *entry.folders))}, or pass dataset='synthetic'"
    )


def loader_options(setting, dataset):
    """What the loader of a data set, by name or path, takes in a setting, with its defaults."""
    return inspect.signature(_entry(dataset).loaders[setting]).parameters


def load_problem(setting, dataset="auto", *, seed=0, quick=False, **options):
    """The data of one setting, by name or path: a problem, or `ImageNetLists` for "hierarchy".

    Parameters
    ----------
    setting : str
        What is mapped to what: "cross-linguistic" or "cross-modal" (a `MappingProblem`);
        "attributes", "metric learning", "within 1K" or "beyond 1K" (a `ZeroShotProblem`: images,
        and vectors of classes); "pairs" (an `ImageTextProblem`: images with texts of their own);
        or "hierarchy" (ImageNet's labels).
    dataset : str or path
        A name, or the path of a file or folder: see `resolve`. A path is read by `read_features`,
        `read_captions`, or, with ``target_vectors`` and ``train_dictionary``, by `from_files`.
    seed : int
        Generates synthetic data and splits labels; it changes nothing where the split is
        published, as in `europarl`.
    quick : bool
        A smaller version for a fast run.
    **options
        Of the data set's own loader, for instance ``train="dinu"``.

    Returns
    -------
    MappingProblem, ZeroShotProblem, ImageTextProblem or ImageNetLists
        By the setting.

    Raises
    ------
    ValueError
        No such setting, or no such data set in it.
    FileNotFoundError
        The files of the data set are not here.
    TypeError
        An option that its loader does not take, or one missing that it needs.

    Examples
    --------
    >>> load_problem("cross-modal", "synthetic", quick=True)
    MappingProblem('synthetic-crossmodal', cross-modal: 225 training pairs, 300 queries,
    3000 targets)
    """
    check_integer(seed, "seed", low=0)
    entry = _entry(resolve(setting, dataset))
    loader = entry.loaders[setting]
    known = loader_options(setting, entry.name)
    absent = [name for name, one in known.items() if one.default is one.empty]
    if needed := [name for name in absent if name not in options]:
        raise TypeError(
            f"{entry.name} alone is not all that the {setting} setting needs: give load_problem "
            f"the options {' and '.join(needed)} too"
        )
    if "seed" in known:
        options["seed"] = seed
    if unknown := ", ".join(repr(name) for name in options if name not in known):
        raise TypeError(
            f"{entry.name} has no option {unknown}: its options are {', '.join(known)}"
        )
    small = entry.quick.get(setting, {}) if quick else {}
    return loader(**small | options)


def load_problems(setting, dataset="auto", **options):
    """The data of one setting, all sets that the request names: see `resolve_all`.

    Examples
    --------
    >>> [problem.name for problem in load_problems("attributes", "digits")]
    ['digits_segments']
    """
    return [load_problem(setting, name, **options) for name in resolve_all(setting, dataset)]


def data_status():
    """One dict for each data set, for ``zslib data list`` and ``zslib data where``.

    Examples
    --------
    >>> (digits,) = (one for one in data_status() if one["name"] == "digits")
    >>> digits["settings"], digits["available"], digits["where"]
    ('attributes, metric learning', True, 'in scikit-learn')
    """
    told = ("name", "kind", "licence", "summary")
    return [
        {name: getattr(entry, name) for name in told}
        | {"settings": ", ".join(entry.settings)}
        | _whereabouts(entry)
        for entry in DATASETS.values()
    ]


def _whereabouts(entry):
    """Whether a set can be loaded, and in words where it comes from."""
    try:
        paths = _files_of(entry)
    except FileNotFoundError as error:
        return {"available": False, "where": f"incomplete: {error}"}
    if not paths:
        where = "not here" if paths is None else "generated"
        return {"available": paths is not None, "where": _CARRIED.get(entry.name, where)}
    folder = paths[entry.folders[0]] if entry.folders else paths[entry.files[0]].parent
    roots = {"ZSLIB_DATA": locate.named_data(), "the repository's edition": locate.embedded_data()}
    editions = [f" ({e})" for e, root in roots.items() if root and folder.is_relative_to(root)]
    return {"available": True, "where": f"{folder}{''.join(editions[:1])}"}


def fetch(name, *, progress=None, **options):
    """Download an official data set into the cache, and return its folder.

    An interrupted download raises ConnectionError and continues with the next call.

    Parameters
    ----------
    name : str
    progress : callable, optional
        Called with (file name, bytes so far, bytes in all or None).
    **options
        Of the data set's own function: ``api`` of "dinu2015", ``archives`` of "wordnet30".
    """
    entry = _entry(name)
    if entry.fetch is None:
        official = " or ".join(e.name for e in DATASETS.values() if e.fetch is not None)
        raise ValueError(f"{name!r} is {entry.kind} and cannot be fetched: {official} can")
    present = _files_of(entry)
    if present is not None:
        return present[entry.files[0]].parent
    return entry.fetch(progress=progress, **options)


def fingerprint(dataset="auto", *, seed=0, quick=False, settings=SETTINGS):
    """SHA-256 (hex) of the data that a request means, cheap enough to ask at every start.

    It covers names, seed, quick flag and the content of the files, hashed once and then
    remembered while their state stays (`file_hash`).
    """
    names = [name for setting in settings for name in resolve_all(setting, dataset)]
    content = {"names": names, "quick": bool(quick), "seed": int(seed)}
    for name in dict.fromkeys(names):
        entry = _entry(name)
        optional = filter(None, map(_place, entry.optional_files))
        paths = [*_files_of(entry).values(), *filter(None, map(find_file, optional))]
        hashes = (_folder_hash(path) if path.is_dir() else file_hash(path) for path in paths)
        content[name] = list(hashes)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _folder_hash(folder):
    """SHA-256 over names and content of all files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
