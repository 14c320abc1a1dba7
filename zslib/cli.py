"""The ``zslib`` command: run chapters, see to data, compare, report, build the book."""

import argparse
import contextlib
import csv
import errno
import importlib.util
import os
import re
import sys
import textwrap
from concurrent.futures import BrokenExecutor

import zslib
from zslib.repository import book_root


class CommandFailed(RuntimeError):
    """What a command was asked for failed; the message is for whoever asked."""


def _parser():
    parser = argparse.ArgumentParser(
        prog="zslib",
        description="Run the chapters of the book, see to their data, report, and build the site.",
    )
    parser.add_argument("--version", action="version", version=f"zslib {zslib.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    data = commands.add_parser("data", help="data sets: which there are, where they lie, get one")
    actions = data.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (("list", "what there is"), ("where", "where each lies")):
        actions.add_parser(name, help=text).set_defaults(call=_data)
    fetch = actions.add_parser("fetch", help="download one, checked and resumable")
    fetch.add_argument("name", metavar="NAME")
    fetch.set_defaults(call=_fetch)

    compare = commands.add_parser("compare", help="every system on your features, one report")
    add = compare.add_argument
    add("path", metavar="FILE", help=".npz, .csv, or res101.mat beside att_splits.mat")
    add("--vectors", metavar="CSV", help="class vectors, a name and its numbers on each line")
    several = {"type": _words, "action": "extend", "metavar": "A,B"}
    add("--unseen", **several, help='unseen classes, by name ("A, B",C) or row')
    add("--encoding", metavar="NAME", help="of CSV files, such as latin-1 (default UTF-8)")
    add("--decimal", metavar="SIGN", help="of CSV files: '.' or ',', where it cannot be told")
    add("--methods", **several, help="default: all systems")
    out = "the report, numbers beside it as .csv (default NAME.html, NAME_report.html of .csv)"
    add("--out", metavar="FILE", help=out)
    add("--quick", action="store_true", help="at most 20 images of each class, coarse grids")
    add("--backend", choices=["joblib", "dask"], default="joblib")
    add("--scheduler", metavar="ADDRESS", help="of the dask cluster")
    add_jobs(compare, "systems")
    compare.set_defaults(call=_compare)

    _add_book(commands)
    return parser


def _add_book(commands):
    """The book's words where a copy of it is at hand; elsewhere each says so."""
    if (root := book_root()) and (root / "book").is_dir():
        sys.path.insert(0, str(root))
    if module := _book_commands():
        module.add_commands(commands)
        return
    for word in ("run", "list", "report", "publish", "build"):
        parser = commands.add_parser(word, help="in a copy of the repository", add_help=False)
        parser.set_defaults(call=_elsewhere)


def _book_commands():
    """The module of the book's words, read by its path: to import its package takes seconds."""
    package = importlib.util.find_spec("book")
    path = os.path.join(os.path.dirname((package and package.origin) or ""), "commands.py")
    if not os.path.isfile(path):
        return None
    spec = importlib.util.spec_from_file_location("book_commands", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _elsewhere(arguments):
    raise ValueError(f"'zslib {arguments.command}' makes the book: call it in its repository")


def add_jobs(parser, what="chapters"):
    """Add the option ``--jobs``, so many of ``what`` at once."""
    parser.add_argument(
        "-j", "--jobs", type=_positive, default=1, metavar="N", help=f"{what} at once (default 1)"
    )


def _words(text):
    parts = next(csv.reader([text], skipinitialspace=True)) if '"' in text else text.split(",")
    words = [word.strip() for word in parts if word.strip()]
    if not words:
        raise argparse.ArgumentTypeError(f"names nothing: give A or A,B, got {text!r}")
    return words


def _positive(text):
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text}")
    return int(text)


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
        if file not in bars:
            bar = tqdm(total=total, unit="B", unit_scale=True, desc=file)
            bars[file] = stack.enter_context(bar)
        bars[file].update(done - bars[file].n)

    with contextlib.ExitStack() as stack:
        folder = fetch(arguments.name, progress=progress)
    print(folder)


def _compare(arguments):
    from zslib.compare import compare

    options = vars(arguments).copy()
    del options["command"], options["call"]

    def tell(text):
        print(textwrap.fill(text, 99), end="\n\n")

    try:
        written = compare(**options, tell=tell)
    except (TypeError, ValueError) as error:
        # The arguments that it names, such as unseen=, are options here, such as --unseen.
        argument = rf"\b({'|'.join(options)})=(?:'([^']+)')?"
        words = re.sub(argument, lambda a: "--" + " ".join(filter(None, a.groups())), str(error))
        raise ValueError(words) from error
    for path in written:
        print(f"written to {os.path.relpath(path)}")


def _remedy(error):
    """What to do where a file cannot be read or a folder not be written, or nothing."""
    file = getattr(error, "filename", None)
    if file is not None and os.path.isfile(file):
        return ": check whether you may read it"
    unwritable = ("EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "ENOENT")
    if errno.errorcode.get(getattr(error, "errno", None)) not in unwritable:
        return ""
    return (
        ": where a folder, HOME or another, cannot be made or written, ZSLIB_CACHE names another "
        "one for what is kept between runs, and ZSLIB_RESULTS one for what chapters record"
    )


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
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows another in its place.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")
    parser, status = _parser(), 1
    chosen, others = parser.parse_known_args(arguments)
    if others and chosen.call is not _elsewhere:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        ended = chosen.call(chosen) or 0
        sys.stdout.flush()
        return ended
    except BrokenPipeError:
        # Whoever read the output has enough; what is left of it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BrokenExecutor:
        text = (
            "a worker process was killed, for want of memory perhaps: the same command, with "
            "fewer --jobs, continues where it was"
        )
    except ModuleNotFoundError as error:  # and PackageNotFoundError
        text = (
            f"{error}: chapters need what 'pip install \".[book]\"' adds, in a copy of the "
            "repository"
        )
    except (CommandFailed, ValueError, TypeError, LookupError, OSError) as error:
        told = error.args[0] if isinstance(error, KeyError) and error.args else error
        text = f"{told}{_remedy(error)}"
    except KeyboardInterrupt:
        text, status = "stopped; the same command continues where it was", 130
    print(f"zslib: {text}", file=sys.stderr)
    return status
