"""The first page: the total, the picture to share, a finding of each paper, what to do today."""

from book.build.forest import results, verdict_counts
from book.build.opening import number_told
from book.build.picture import chapter_records, constant_picture, direction_picture
from book.build.render import render
from book.names import called
from book.papers import check_claims
from book.papers.evidence import join
from book.papers.printed import PAPERS, read_data

RECIPE, BOARD = "together/05_recipe", "leaderboard/01_systems"


def finding(paper, verdicts):
    """A paper's published verdict on its main question, in a sentence whose words follow it."""
    piece = read_data(paper, "claims")["finding"]
    verdict = next(v for v in verdicts if v.claim.id == piece["claim"])
    first = verdict.deciding
    values = [part.value for part in (first, *first.parts) if part.value is not None]
    words = piece.get(verdict.verdict, piece["open"])
    if not values and "{" in words:
        return "This run has no number for that."
    signed = number_told(values[0], "+.1f") if values else ""
    return words.format(size=signed.lstrip("+−"), signed=signed) + "."


def words_recipe(records):
    """What to map words by, and what gets more of them right; empty without records."""
    rows = [r for r in chapter_records(records, RECIPE) if r["metric"] == "P@1"]
    dataset = max((row["dataset"] for row in rows), default="")  # one list of pairs: the paper's
    right = {r["method"]: r["value"] for r in rows if r["dataset"] == dataset}
    if not {"ridge", "reverse ridge"} <= set(right):
        return ""
    ours, more = right["reverse ridge"], "no longer way is clearly better"
    minus = " - reverse ridge"
    ahead = [
        row["method"].removesuffix(minus)
        for row in rows
        if row["dataset"] == dataset and row["method"].endswith(minus) and row.get("low", 0) > 0
    ]
    if best := max(set(ahead) & set(right) - {"ridge"}, key=right.get, default=None):
        more = f"a longer way, {best.replace(' + ', ' with ')}, gets {right[best]:.0f}%"
    return (
        "To map words, swap the sides of the fit (reverse ridge): on words other than the "
        f"picture's, {ours:.0f}% of first translations are right, against {right['ridge']:.0f}% "
        f"under plain ridge; {more} ({called(dataset)})."
    )


def images_recipe(records):
    """How to name images of new classes, and where another system does better; empty without."""
    board = [
        r
        for r in chapter_records(records, BOARD)
        if (r["metric"], r.get("calibration")) == ("H", "chosen")
    ]
    ours = {
        r["dataset"]: r["value"]
        for r in chapter_records(records, RECIPE)
        if r["metric"] == "H" and r["method"] == "ESZSL, centred"
    }
    if not ours:
        return ""
    best = {r["dataset"]: r["value"] for r in sorted(board, key=lambda r: r["value"])}
    behind = [called(name) for name, value in ours.items() if best.get(name, 0) > value]
    better = "none scores higher when seen classes compete"
    if behind:
        where = "every data set" if len(behind) == len(ours) else join(behind)
        better = f"on {where} some score higher when seen classes compete"
    systems = len({r["method"] for r in board})
    beside = f"; of {systems} systems compared with it, {better}" if systems else ""
    return (
        "To name images of new classes, begin with ESZSL on centred vectors, and take a constant "
        f"off the scores of seen classes{beside}."
    )


def front_page(records, *, note=""):
    """What the records say of the first page, in Markdown; ``note`` is a sentence on their run."""
    verdicts = {paper: check_claims(paper, records) for paper in PAPERS}
    found = [
        {"paper": paper, "title": read_data(paper, "claims")["title"], "says": finding(paper, of)}
        for paper, of in verdicts.items()
    ]
    every = [verdict for of in verdicts.values() for verdict in results(of)]
    return render(
        "front.md",
        counts=verdict_counts(every),
        total=len(every),
        note=note,
        shared=direction_picture(records),
        constant=constant_picture(records),
        findings=found,
        recipe=[text for text in (words_recipe(records), images_recipe(records)) if text],
    )
