"""What ``zslib compare`` does: read, check, tune and run everything, write report and table."""

import contextlib
import csv
import io
import re
import tempfile
from pathlib import Path

import numpy as np

from zslib.arrays import to_host
from zslib.compare.finding import QUICK_IMAGES, Finding
from zslib.datasets.attributes.features import read_features
from zslib.datasets.attributes.own import fewer_images
from zslib.datasets.attributes.scaling import unit_length
from zslib.protocols.attributes.leaderboard import run_board
from zslib.protocols.attributes.methods import COMPARED_METHODS, resolve_methods
from zslib.protocols.attributes.tuning import with_validation_classes
from zslib.protocols.processes import processes
from zslib.protocols.sweep import CHOICE_SEEDS
from zslib.show.writing import write_if_changed
from zslib.validation import check_choice, check_integer

_COLUMNS = (
    "dataset", "method", "metric", "value", "low", "high", "unit", "n_units", "n_seeds", "seed",
    "settings", "why", "size", "available",
)  # fmt: skip
_FEW_IMAGES = (
    "give at least four images of some seen classes, because a fifth of a class is kept to test, "
    "and a fifth of the others is held out of training to choose γ"
)
# What the first bytes of a report and of its table have.
_MARKS = b"<title>Zero-shot systems on ", ",".join(_COLUMNS[:3]).encode()
_ENDING = re.compile(r"\.(csv|tsv|txt|npz)$", re.IGNORECASE)  # of a file that is packed


def compare(
    path,
    *,
    methods=None,
    vectors=None,
    unseen=None,
    encoding=None,
    decimal=None,
    out=None,
    jobs=1,
    quick=False,
    backend="joblib",
    scheduler=None,
    tell=None,
):
    """Tune and run zero-shot scorers on your own features; write a report and a table.

    All settings, and γ, are chosen on validation classes; no test image takes part. Each result
    is kept in the cache as it is found, so that a run that was stopped goes on where it was. A
    progress bar names the systems that run.

    Parameters
    ----------
    path, vectors, unseen, encoding, decimal
        As in `zslib.datasets.attributes.features.read_features`.
    methods : sequence of str, optional
        Names of `zslib.protocols.attributes.methods.COMPARED_METHODS`; default: all.
    out : path, optional
        The report, one HTML file that needs no network; beside it, with the ending .csv, the
        same numbers one a row. Default: the data's name in the working folder, and "_report" where
        they are a CSV file. Nothing but an earlier report is ever replaced.
    jobs : int
        Systems at once, each on one thread.
    quick : bool
        At most 20 images of each class in each part, and coarser grids. Report and table say so.
    backend : {"joblib", "dask"}
        Processes here; or a cluster, whose workers have this package and, for results to outlive
        them, share the folder that ZSLIB_CACHE names.
    scheduler : str, optional
        The address of the cluster; with ``backend="dask"``, and not otherwise.
    tell : callable, optional
        Called with each sentence of what was found.

    Returns
    -------
    list of Path
        The report and the table.

    Raises
    ------
    ValueError
        For data that `check_comparable` refuses, or an ``out`` that would replace another file.
    """
    from tqdm import tqdm

    from zslib.compare.report import report

    check_integer(jobs, "jobs", low=1)
    check_choice(backend, "backend", ("joblib", "dask"))
    if (backend == "dask") != (scheduler is not None):
        raise ValueError("backend='dask' and scheduler= go together: give both, or neither")
    chosen = {method.name: method for method in resolve_methods(methods or COMPARED_METHODS)}
    read = {"vectors": vectors, "unseen": unseen, "encoding": encoding, "decimal": decimal}
    whole = read_features(path, **read)
    problem = check_comparable(fewer_images(whole, QUICK_IMAGES if quick else None, 0))
    out, table = _places(out, problem, path)
    with (
        workers(jobs, backend, scheduler) as (executor, share),
        tqdm(total=len(chosen), unit="system") as bar,
    ):
        waiting = list(chosen)

        def ended(name=None, _=None):
            if name:
                waiting.remove(name)
            # They begin in this order, so that the first of those that have not ended run.
            bar.set_postfix_str(", ".join(waiting[:jobs]), refresh=not name)
            bar.update(name is not None)

        ended()
        how = {"executor": executor, "share": share, "ended": ended, "quick": quick}
        runs, failed = (found[problem] for found in run_board(chosen.values(), [problem], **how))
    if not runs:
        why = "; ".join(f"{name}: {text}" for name, text in failed.items())
        raise ValueError(f"no system could be trained on {path}: {why}")
    finding = Finding(problem, runs, failed, available=whole.summary(), quick=quick)
    write_if_changed(table, as_csv(board_rows(finding)))
    write_if_changed(out, report(finding))
    for text in filter(None, [finding.left_out(), *finding.sentences()] if tell else ()):
        tell(text)
    return [out, table]


def _places(out, problem, path):
    """Where the report and its table go; nothing but earlier ones is replaced there."""
    if out is None:
        name, path = Path(problem.name).name, Path(path)
        if path.suffix.lower() in (".gz", ".bz2"):
            name, path = _ENDING.sub("", name), path.with_suffix("")
        out = Path(f"{name}.html")
        if path.suffix.lower() == ".csv" or _in_the_way(out):
            out = out.with_stem(f"{out.stem}_report")
    out = Path(out).expanduser()
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name a page in it by out=")
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"the report is a page: give {out} the ending .html")
    if place := _in_the_way(out):
        raise ValueError(
            f"the report would replace {place}, which is no earlier one but your data: name "
            "the report by out="
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out.parent).close()
    except OSError as error:
        raise ValueError(f"the report cannot be written: {error}; name another by out=") from error
    return out, out.with_suffix(".csv")


def _in_the_way(out):
    """The first of both places where anything but a report or a table, of any version, stands."""
    for place in filter(Path.exists, (out, out.with_suffix(".csv"))):
        with place.open("rb") as file:
            start = file.read(1000)
        if start and not any(mark in start for mark in _MARKS):
            return place
    return None


def check_comparable(problem):
    """The problem at unit length; ValueError where classes coincide, or have too few images.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> check_comparable(digits_segments()).class_embeddings[7].round(2)
    array([0.58, 0.58, 0.58, 0.  , 0.  , 0.  , 0.  ], dtype=float32)
    """
    scaled = unit_length(problem)
    vectors = np.round(to_host(scaled.class_embeddings), 6)
    _, group, counts = np.unique(vectors, axis=0, return_inverse=True, return_counts=True)
    if counts.max() > 1:
        alike = problem.class_names[np.reshape(group, -1) == counts.argmax()]
        raise ValueError(
            f"the vectors of {', '.join(alike)} coincide, up to their length and 6 decimals: "
            "nothing tells these classes apart; merge them, mend a vector, or bring attributes "
            "that are far larger than the others to their scale"
        )
    if not problem.test_seen.size:
        raise ValueError(f"no image of a seen class is kept to test: {_FEW_IMAGES}")
    if (n_seen := problem.summary()["seen_classes"]) < 3:
        raise ValueError(
            f"{n_seen} seen classes have images, and settings are chosen on classes held out of "
            "them: give images of at least three seen classes, or name fewer in unseen="
        )
    for seed in CHOICE_SEEDS:
        held = with_validation_classes(problem, seed).validation_problem(seed=seed)
        if not held.test_seen.size:
            raise ValueError(f"no class has images that can be held out for γ: {_FEW_IMAGES}")
    return scaled


@contextlib.contextmanager
def workers(jobs=1, backend="joblib", scheduler=None):
    """An executor, None for one system after the other here, and how data get to its tasks."""
    if backend == "dask":
        try:
            from dask.distributed import Client
        except ImportError:
            raise ValueError("backend='dask' needs dask: pip install zslib[cluster]") from None
        with Client(scheduler) as client:
            # Data that the scheduler knows how to send again outlive a worker.
            yield client.get_executor(retries=3), lambda problem: client.submit(_same, problem)
    elif jobs == 1:
        yield None, None
    else:
        with processes(jobs) as executor:
            yield executor, None


def _same(problem):
    return problem


def board_rows(finding):
    """Every number of every system, one dict each; why others failed; chance; sizes of the data.

    Each row says whether its ``size`` is "whole" or that of a "quick" look.
    """
    every = {"dataset": finding.problem.name, "size": "quick" if finding.quick else "whole"}
    for method, measures in finding.values.items():
        run = finding.runs[method][0]
        settings = ", ".join(f"{name}={value}" for name, value in run.parameters.items())
        which = every | {"method": method, "seed": run.seed, "settings": settings}
        if method in finding.differences:
            measures = measures | {"ACC less the pick's": finding.differences[method]}
        for metric, value in measures.items():
            yield which | {"metric": metric, "value": value}
    for method, why in finding.failed.items():
        yield every | {"method": method, "metric": "failed", "why": why}
    for metric, value in finding.chance.items():
        yield every | {"method": "chance", "metric": metric, "value": value}
    for metric, (used, available) in finding.parts.items():
        yield every | {"metric": metric, "value": used, "available": available}
    pick = {"method": finding.pick, "metric": "pick", "value": 1, "why": finding.left_out()}
    yield every | pick


def as_csv(rows):
    """Rows of results as text, estimates with their ends in columns of their own."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        value = row.get("value")
        if hasattr(value, "low"):
            row = row | {"value": value.mean, "n_seeds": value.n_seeds}
            if value.low == value.low:
                row |= {name: getattr(value, name) for name in ("low", "high", "unit", "n_units")}
        writer.writerow(row)
    return text.getvalue()
