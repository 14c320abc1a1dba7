"""The pages that records write."""

import json
from collections import Counter

from book.agreement import ABSENT, APART, EQUAL, WITHIN, compare, other_parameters
from book.build.errata import errata_page
from book.build.followed import followed_page
from book.build.forest import results
from book.build.front import front_page
from book.build.overview import map_page, overview, together
from book.build.picture import direction_picture, shared_file
from book.build.publishing import checked_run, stale
from book.build.render import render
from book.build.repeats import keep_repeat, repeats_page
from book.build.scorecard import scorecard_page, scorecard_text
from book.keys import full_size
from book.papers import check_claims
from book.papers.printed import OURS, PAPERS
from book.papers.verdicts import NOT_TESTABLE
from book.parameters import ChapterText
from book.paths import layout, text_of
from book.store import latest_records, published, published_records, read_records
from zslib.show.tables import aligned
from zslib.show.writing import write_if_changed

# Which run of each chapter the built book shows.
_BOOK = "book.json"


def note_book(runs, place):
    """Note which runs the built book shows, for the scorecard."""
    keys = {name: run.key for name, run in runs.items()}
    write_if_changed(place.results / _BOOK, json.dumps(keys, indent=1) + "\n")


def current_records(*, root=None):
    """``{chapter: Results}`` of the runs that made the pages of the site, front pages included.

    Before a site was built: of the latest run of each chapter.
    """
    place = layout(root)
    if shown := text_of(place.results / _BOOK):
        folders = {name: place.results / name / key for name, key in json.loads(shown).items()}
        return {n: read_records(f) for n, f in folders.items() if (f / "run.json").is_file()}
    ran = [name for name in place.names() if (place.results / name / "latest").is_file()]
    return {name: latest_records(name, root=place.root) for name in ran}


def _flat(records_by_chapter):
    """All records, each with the chapter that wrote it: a claim looks at its own chapter's."""
    return [
        {**record, "chapter": chapter}
        for chapter, records in records_by_chapter.items()
        for record in records
    ]


def scorecard(*, root=None):
    """The scorecard as text: every claim, the published run's verdict and this run's."""
    theirs, place = published(root=root), layout(root)
    n_old = len(stale(set(theirs) & set(place.names()), root=root))
    note = (
        f"The published run is of earlier sources in {n_old} of {len(theirs)} chapters; "
        "zslib publish --check says how."
    )
    records = _flat(current_records(root=root))
    return scorecard_text(records, _flat(theirs), note=note if n_old else "")


def write_pages(*, root=None):
    """Write the generated pages into the site's ``parts``, those that changed."""
    place = layout(root)
    runs = shown_runs(place)
    records, beside = _flat(runs["this"]), _flat(runs.get("published", {}))
    note = _differences(records, beside) if beside else ""
    chapters = {name: ChapterText.read(name, place) for name in place.names()}
    questions = {name: chapter.about.get("question", name) for name, chapter in chapters.items()}
    full = {name: chapter.settings(chapter.full) for name, chapter in chapters.items()}
    pages = {
        "front": front_page(records, note=note),
        "map": map_page(place),
        "overview_together": together(records, questions),
        "scorecard": scorecard_page(beside or records, records, note=note),
        "followed": followed_page(records),
        "runs": render("runs.md", runs=runs, full=full, other_parameters=other_parameters),
        "errata": errata_page(),
        "repeats": repeats_page(place),
    }
    for paper in PAPERS:
        text = overview(paper, records, questions, note=note, published=beside)
        pages[f"overview_{paper}"] = text
    for name, text in pages.items():
        write_if_changed(place.parts / f"{name}.md", f"{text}\n")
    if shared := direction_picture(_flat(published(root=root))):
        write_if_changed(place.published / "direction.svg", shared_file(shared, "direction"))


def shown_runs(place):
    """The runs that the site's pages show, ``this``; beside a smaller one ``published``.

    Of a site of full runs no page speaks of another run.
    """
    ours = current_records(root=place.root)
    full = all(
        full_size(records.run["parameters"], ChapterText.read(name, place))
        for name, records in ours.items()
    )
    return {"this": ours} | ({} if full else {"published": published(root=place.root)})


def _differences(records, others):
    """In how many results the published run, of the ``others``, differs; empty where in none."""
    ours, theirs = (
        results(v for p in PAPERS for v in check_claims(p, r)) for r in (records, others)
    )
    n_different = sum(a.verdict != b.verdict for a, b in zip(ours, theirs, strict=True))
    note = (
        "These pages show a short run. Our full run, whose records come with the book, judges "
        f"{n_different} of the {len(ours)} results otherwise."
    )
    return note if n_different else ""


def against_published(chapters=(), *, keep=None, root=None):
    """Numbers of the latest runs that are apart from the published ones, as text.

    For each chapter how many agree, then those apart, the farthest first. Default: all chapters
    that have run. To ``keep`` it under a name writes it for the book, as a repeat.
    """
    place, current = layout(root), current_records(root=root)
    kinds = EQUAL, WITHIN, APART, ABSENT
    totals = [["chapter", "numbers", *kinds, "published", "here"]]
    compared, apart, repeated = {}, [], {}
    for name in chapters or current:
        ours = current[name] if name in current else latest_records(name, root=place.root)
        theirs = published_records(name, root=root)
        if theirs is None:
            totals.append([name, *["–"] * 5, "no", ""])
            continue
        checked_run(theirs, ChapterText.read(name, place), place)
        numbers = compare(ours, theirs)
        counts = Counter(number.kind for number in numbers)
        counted = map(str, (len(numbers), *(counts[kind] for kind in kinds)))
        others = other_parameters(ours.run["parameters"], theirs.run["parameters"])
        totals.append([name, *counted, theirs.run["date"][:10], others])
        compared[name], repeated[name] = (ours.run, others, numbers), ours
        apart += [(name, number) for number in numbers if number.kind == APART]
    if keep:
        keep_repeat(keep, compared, _judged_again(repeated, published(root=root)), root=root)
    apart.sort(key=lambda pair: -pair[1].distance)
    rows = [["chapter", "what", "ours", "published"]]
    for name, number in apart:
        between = "" if number.low is None else f" [{number.low:.6g}, {number.high:.6g}]"
        theirs = f"{number.published:.6g}{between}"
        rows.append([name, number.what, f"{number.record['value']:.6g}", theirs])
    return "\n".join([*aligned(totals), "", *(aligned(rows) if apart else ["None is apart."])])


def _judged_again(ours, theirs):
    """Pairs of verdicts, the published and the repeat's, on what the repeat's chapters judge."""
    both = _flat(theirs), _flat(theirs | ours)
    papers = (*PAPERS, *OURS)
    verdicts = ([v for p in papers for v in check_claims(p, records)] for records in both)
    pairs = zip(*verdicts, strict=True)
    return [(a, b) for a, b in pairs if a.claim.chapter in ours and a.verdict != NOT_TESTABLE]
