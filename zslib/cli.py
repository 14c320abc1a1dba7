"""The ``zslib`` command: run chapters, see to data, compare, report, build the book."""

from __future__ import annotations

import argparse
import os
import re
import sys
from concurrent.futures import BrokenExecutor

import zslib

__all__ = ["main"]


def _parser():
    parser = argparse.ArgumentParser(
        prog="zslib",
        description="Run the chapters of the book, see to their data, report, and build the site.",
    )
    parser.add_argument("--version", action="version", version=f"zslib {zslib.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run chapters with given parameters")
    run.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as hubness/02_hubness")
    run.add_argument("--all", action="store_true", help="all chapters")
    run.add_argument(
        "-p",
        "--parameter",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a value other than the default; may be repeated",
    )
    _add_sizes(run)
    run.add_argument("-o", "--output", metavar="FILE", help="copy the executed notebook here")
    _add_jobs(run)
    run.add_argument("--force", action="store_true", help="run also what was run before")
    run.set_defaults(call=_run)

    listing = commands.add_parser("list", help="chapters with their parameters")
    listing.set_defaults(call=_list)

    data = commands.add_parser("data", help="data sets: which there are, where they lie, get one")
    actions = data.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (("list", "what there is"), ("where", "where each lies")):
        actions.add_parser(name, help=text).set_defaults(call=_data)
    fetch = actions.add_parser("fetch", help="download one, checked and resumable")
    fetch.add_argument("name", metavar="NAME")
    fetch.set_defaults(call=_fetch)

    compare = commands.add_parser("compare", help="every system on your features, one report")
    add = compare.add_argument
    add("features", metavar="FILE", help=".npz, .csv, or res101.mat beside att_splits.mat")
    add("--vectors", metavar="CSV", help="class vectors, a name and its numbers on each line")
    add("--unseen", type=_words, metavar="A,B", help="unseen classes, by name or row")
    add("--methods", type=_words, metavar="A,B", help="default: all systems")
    add("--out", metavar="FILE", help="the report (default NAME.html; numbers in NAME.csv)")
    add("--quick", action="store_true", help="few images of each class, coarse grids")
    add("--backend", choices=["joblib", "dask"], default="joblib")
    add("--scheduler", metavar="ADDRESS", help="of the dask cluster")
    _add_jobs(compare, "systems")
    compare.set_defaults(call=_compare)

    report = commands.add_parser("report", help="the scorecard of the latest runs")
    report.add_argument("chapters", nargs="*", metavar="CHAPTER", help="with --against")
    report.add_argument(
        "--against", choices=["published"], help="list numbers apart from the published run's"
    )
    report.add_argument(
        "--keep", metavar="NAME", help="with --against: keep the counts for the book, as a repeat"
    )
    report.set_defaults(call=_report)

    publish = commands.add_parser("publish", help="keep latest records as the published run")
    publish.add_argument("chapters", nargs="*", metavar="CHAPTER")
    publish.add_argument("--all", action="store_true", help="all chapters")
    publish.add_argument(
        "--check", action="store_true", help="list published runs that are stale or missing"
    )
    publish.add_argument(
        "--carry",
        metavar="FOLDER",
        help="keep published runs of the sources in FOLDER, where "
        "the latest runs there and here have equal numbers",
    )
    publish.add_argument("--no-data", action="store_true", help="check without the data")
    publish.set_defaults(call=_publish)

    build = commands.add_parser("build", help="run all chapters and build the site")
    _add_sizes(build)
    build.add_argument("--strict", action="store_true", help="warnings are errors")
    _add_jobs(build)
    build.add_argument("--force", action="store_true", help="redo what is up to date")
    build.set_defaults(call=_build)
    return parser


def _add_sizes(parser):
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="small data, few runs")
    sizes.add_argument("--full", action="store_true", help="all runs, as published")
    parser.add_argument(
        "--tune", action="store_true", help="choose settings anew, in place of the published ones"
    )


def _add_jobs(parser, what="chapters"):
    parser.add_argument(
        "-j", "--jobs", type=_positive, default=1, metavar="N", help=f"{what} at once (default 1)"
    )


def _words(text):
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise argparse.ArgumentTypeError(f"names nothing: give A or A,B, got {text!r}")
    return words


def _positive(text):
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text}")
    return int(text)


def _book():
    """The `Layout` of the book here, or an error that says where to go."""
    from zslib.book.paths import layout

    place = layout()
    if not place.names():
        raise ValueError(
            f"no chapters in {place.chapters}: call zslib from a copy of the repository"
        )
    return place


def _run(arguments):
    from zslib.book.build.run import plan, run_chapters
    from zslib.book.build.writing import write_if_changed
    from zslib.book.parameters import Source, parse_text

    place = _book()
    if arguments.all == bool(arguments.chapters):
        raise ValueError("name the chapters to run, or pass --all")
    names = place.names() if arguments.all else arguments.chapters
    if arguments.output and len(names) != 1:
        raise ValueError("-o takes the notebook of one chapter: name one")
    given = arguments.parameter + [["quick", "true"]] * arguments.quick
    texts = dict(given)
    if len(texts) < len(given):
        raise ValueError(f"a parameter is given twice: give each of {', '.join(texts)} once")
    parameters = {}
    for name in names:
        parameters |= parse_text(Source.read(name, place).parameters, texts, name)
    runs = plan(names, parameters, full=arguments.full, tune=arguments.tune)
    executed = run_chapters(runs, jobs=arguments.jobs, force=arguments.force)
    for name, run in runs.items():
        print(f"{name}: {'run' if name in executed else 'there'}, {_near(run.notebook)}")
    if arguments.output:
        text = runs[names[0]].notebook.read_text(encoding="utf-8")
        write_if_changed(arguments.output, text)
        print(f"written to {arguments.output}")


def _near(path):
    return os.path.relpath(path)


def _list(arguments):
    from zslib.book.parameters import Source

    place = _book()
    for name in place.names():
        print(name)
        source = Source.read(name, place)
        for p in source.parameters.values():
            full = f"; full: {source.full[p.name]!r}" if p.name in source.full else ""
            print(f"  {p.name}: {p.type.__name__} = {p.default!r}{full}  ({p.told})")


def _data(arguments):
    from zslib.datasets.registry import data_status

    for row in data_status():
        if arguments.action == "where":
            print(f"{row['name']:18}{row['where']}")
        else:
            here = "here" if row["available"] else "not here"
            print(f"{row['name']:18}{row['kind']:11}{here:10}{row['settings']}")
            print(f"{'':18}{row['summary']} ({row['licence']})")


def _fetch(arguments):
    from tqdm import tqdm

    from zslib.datasets.registry import fetch

    bars = {}

    def progress(file, done, total):
        bar = bars.get(file)
        if bar is None:
            bar = bars[file] = tqdm(total=total, unit="B", unit_scale=True, desc=file)
        bar.update(done - bar.n)

    try:
        folder = fetch(arguments.name, progress=progress)
    finally:
        for bar in bars.values():
            bar.close()
    print(folder)


def _compare(arguments):
    from zslib.compare import compare

    names = ("vectors", "unseen", "methods", "out", "quick", "jobs", "backend", "scheduler")
    try:
        written = compare(arguments.features, **{n: getattr(arguments, n) for n in names})
    except (TypeError, ValueError) as error:
        raise ValueError(_as_options(str(error), names)) from error
    for path in written:
        print(f"written to {_near(path)}")


def _as_options(text, names):
    """``text`` with the arguments that it names, such as unseen=, as options, such as --unseen."""
    argument = rf"\b({'|'.join(names)})=(?:'(\w+)')?"
    return re.sub(argument, lambda found: "--" + " ".join(filter(None, found.groups())), text)


def _report(arguments):
    from zslib.book.build.report import against_published, scorecard, write_pages

    place = _book()
    if arguments.against:
        print(against_published(arguments.chapters, keep=arguments.keep))
        return
    if arguments.chapters or arguments.keep:
        raise ValueError(
            "the scorecard is of all chapters: chapters and --keep go with --against published"
        )
    write_pages()
    print(scorecard())
    print(f"Written to {_near(place.generated)}.")


def _publish(arguments):
    from zslib.book.build.publishing import carry, publish, stale
    from zslib.book.store import published

    names = _book().names() if arguments.all or arguments.check else []
    if arguments.all and arguments.chapters:
        raise ValueError("name chapters, or pass --all")
    names = arguments.chapters or names
    if not names:
        raise ValueError("name the chapters to publish, or pass --all")
    if arguments.check:
        found = stale(names, data=not arguments.no_data)
        for name, why in found.items():
            print(f"{name}: {why}")
        if not found:
            carried = sum("carried" in records.run for records in published().values())
            told = f"; {carried} were run at earlier ones, and carried over" if carried else ""
            print(f"Every published run matches the sources{told}.")
        return int(bool(found))
    if arguments.carry:
        refused = carry(names, arguments.carry)
        for name, why in refused.items():
            print(f"{name}: not carried: {why}")
        print(
            f"{len(names) - len(refused)} of {len(names)} published runs stand for these sources."
        )
        return int(bool(refused))
    for folder in publish(names):
        print(_near(folder))
    return 0


def _build(arguments):
    from zslib.book.build.site import build

    _book()
    page = build(
        quick=arguments.quick,
        full=arguments.full,
        tune=arguments.tune,
        jobs=arguments.jobs,
        force=arguments.force,
        strict=arguments.strict,
    )
    print(f"The book is built. Open {page}")
    print(f"or paste this into a browser: {page.as_uri()}")


def main(arguments=None):
    """Run the command; errors that a user can mend are one message, not a traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line; None: those of the process.

    Returns
    -------
    int
        Exit status.

    Examples
    --------
    >>> main(["data", "where"])
    synthetic       generated
    ...
    0
    """
    from zslib.book.build.run import ChaptersFailed
    from zslib.book.build.site import BuildFailed

    chosen = _parser().parse_args(arguments)
    try:
        status = chosen.call(chosen) or 0
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read the output has enough; what is left of it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BrokenExecutor:
        print(
            "zslib: a worker process was killed, for want of memory perhaps: the same command, "
            "with fewer --jobs, continues where it was",
            file=sys.stderr,
        )
        return 1
    except ModuleNotFoundError as error:  # and PackageNotFoundError
        print(
            f"zslib: {error}: chapters need what 'pip install \".[book]\"' adds, in a copy of the "
            "repository",
            file=sys.stderr,
        )
        return 1
    except (ChaptersFailed, BuildFailed, ValueError, TypeError, LookupError, OSError) as error:
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"zslib: {text}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("zslib: stopped; the same command continues where it was", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
