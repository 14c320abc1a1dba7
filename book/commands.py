"""The words of ``zslib`` that a copy of the repository adds: run, list, report, publish, build."""

import os

from zslib.cli import add_jobs

_WHICH = "a name, hubness/02_hubness, a path, a paper (hubness), or a pattern ('*/01*')"


def add_commands(commands):
    """Add the book's commands to the parsers of ``zslib``."""

    def add(word, call, text, which=None):
        parser = commands.add_parser(word, help=text)
        parser.set_defaults(call=call)
        if which:
            parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help=which)
        return parser

    run = add("run", _run, "run chapters with given parameters", _WHICH)
    other = "a value other than the default; may be repeated"
    option = {"nargs": 2, "action": "append", "default": [], "metavar": ("NAME", "VALUE")}
    _add_flags(run, all="all chapters")
    run.add_argument("-p", "--parameter", **option, help=other)
    _add_sizes(run)
    copy = "copy the executed notebook here, an .ipynb file"
    run.add_argument("-o", "--output", metavar="FILE", help=copy)
    add_jobs(run)
    _add_flags(run, force="run also what was run before")

    add("list", _list, "chapters; the parameters of those that are named", _WHICH)

    report = add(
        "report", _report, "the scorecard of the site's runs, else the latest", "with --against"
    )
    apart = "list numbers apart from the published run's"
    report.add_argument("--against", choices=["published"], help=apart)
    kept = "with --against: keep the counts for the book, as a repeat"
    report.add_argument("--keep", metavar="NAME", help=kept)

    publish = add("publish", _publish, "keep latest records as the published run", _WHICH)
    _add_flags(publish, all="all chapters", check="list published runs that are stale or missing")
    equal = "keep published runs of FOLDER's sources where the latest there and here are equal"
    publish.add_argument("--carry", metavar="FOLDER", help=equal)
    _add_flags(publish, no_data="check without the data")

    build = add("build", _build, "run all chapters and build the site")
    _add_sizes(build)
    _add_flags(build, strict="warnings are errors")
    add_jobs(build)
    _add_flags(build, force="redo what is up to date")


def _add_flags(parser, **flags):
    """Options that are given or not, each with its help."""
    for name, text in flags.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=text)


def _add_sizes(parser):
    sizes = parser.add_mutually_exclusive_group()
    _add_flags(sizes, quick="small data, few runs", full="all runs, as published")
    _add_flags(parser, tune="choose settings anew, in place of the published ones")


def _book():
    """The `Layout` of the book here, or an error that says where to go."""
    from book.paths import layout

    place = layout()
    if not place.names():
        raise ValueError(
            f"no chapters in {place.chapters}: call zslib from a copy of the repository, or set "
            "ZSLIB_BOOK to its folder"
        )
    return place


def _asked(arguments, place):
    """Names of the chapters that a command is for."""
    if arguments.all == bool(arguments.chapters):
        raise ValueError(f"name the chapters to {arguments.command}, or pass --all")
    return place.names() if arguments.all else place.matching(arguments.chapters)


def _run(arguments):
    from book.build.plan import plan
    from book.build.run import page_of, run_chapters
    from book.parameters import ChapterText, parse_text
    from zslib.show.writing import write_if_changed

    place = _book()
    names = _asked(arguments, place)
    if arguments.output:
        _check_output(arguments.output, names)
    given = arguments.parameter + [["quick", "true"]] * arguments.quick
    texts = dict(given)
    if len(texts) < len(given):
        raise ValueError(f"a parameter is given twice: give each of {', '.join(texts)} once")
    parameters = {}
    for name in names:
        parameters |= parse_text(ChapterText.read(name, place).parameters, texts, name)
    runs = plan(names, parameters, full=arguments.full, tune=arguments.tune)
    executed = run_chapters(runs, jobs=arguments.jobs, force=arguments.force)
    for name, run in runs.items():
        print(f"{name}: {'run' if name in executed else 'there'}, {os.path.relpath(run.notebook)}")
    if arguments.output:
        import nbformat

        write_if_changed(arguments.output, nbformat.writes(page_of(runs[names[0]])) + "\n")
        print(f"written to {arguments.output}")


def _check_output(path, names):
    """Refuse what -o cannot write before hours were spent."""
    if len(names) != 1:
        raise ValueError("-o takes the notebook of one chapter: name one")
    folder = os.path.dirname(path) or "."
    if not path.endswith(".ipynb") or os.path.isdir(path):
        raise ValueError(f"-o {path}: it writes a notebook: give a file ending in .ipynb")
    if not os.path.isdir(folder):
        raise ValueError(f"-o {path}: there is no folder {folder}: make it first")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"-o {path}: the folder {folder} cannot be written: name another")


def _list(arguments):
    from book.parameters import ChapterText

    place = _book()
    if not arguments.chapters:
        width = 2 + max(map(len, place.names()))
        for name in place.names():
            print(f"{name:{width}}{ChapterText.read(name, place).title}")
        print("zslib list CHAPTER shows the parameters of one.")
    for name in place.matching(arguments.chapters):
        print(name)
        chapter_text = ChapterText.read(name, place)
        for p in chapter_text.parameters.values():
            full = f"; full: {chapter_text.full[p.name]!r}" if p.name in chapter_text.full else ""
            print(f"  {p.name}: {p.type.__name__} = {p.default!r}{full}  ({p.told})")


def _report(arguments):
    from book.build.report import against_published, scorecard, write_pages

    place = _book()
    if arguments.against:
        print(against_published(place.matching(arguments.chapters), keep=arguments.keep))
        return
    if arguments.chapters or arguments.keep:
        raise ValueError(
            "the scorecard is of all chapters: chapters and --keep go with --against published"
        )
    write_pages()
    print(scorecard())
    print(f"Written to {os.path.relpath(place.parts)}.")


def _publish(arguments):
    from book.build.publishing import carry, publish, stale
    from book.store import published

    arguments.all |= arguments.check and not arguments.chapters
    names = _asked(arguments, _book())
    if arguments.check:
        reasons = stale(names, data=not arguments.no_data)
        for name, why in reasons.items():
            print(f"{name}: {why}")
        if not reasons:
            carried = sum("carried" in records.run for records in published().values())
            note = f"; {carried} were run at earlier ones, and carried over" if carried else ""
            print(f"Every published run matches the sources{note}.")
        return int(bool(reasons))
    if arguments.no_data:
        raise ValueError("--no-data goes with --check")
    if arguments.carry is not None:
        if not os.path.isdir(arguments.carry):
            raise ValueError(f"--carry {arguments.carry!r}: there is no such folder")
        refused = carry(names, arguments.carry)
        for name, why in refused.items():
            print(f"{name}: not carried: {why}")
        n_carried = len(names) - len(refused)
        print(f"{n_carried} of {len(names)} published runs stand for these sources.")
        return int(bool(refused))
    for folder in publish(names):
        print(os.path.relpath(folder))
    return 0


def _build(arguments):
    from book.build.site import build

    _book()
    options = ("quick", "full", "tune", "jobs", "force", "strict")
    page = build(**{name: getattr(arguments, name) for name in options})
    print(f"The book is built. Open {page}")
    print(f"or paste this into a browser: {page.as_uri()}")
