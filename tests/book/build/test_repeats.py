import json

from book.agreement import compare, other_parameters
from book.build.repeats import keep_repeat, repeats_page
from book.papers.claims import load_claims
from book.papers.verdicts import Verdict
from book.results import Results

PUBLISHED = {"a": (30.0,), "b": (30.0, 28.0, 32.0), "c": (30.0,)}
OURS = {"a": (30.0,), "b": (31.0,), "c": (35.0,), "d": (1.0,)}


def kept(values, **parameters):
    machine = {"processor": "a processor", "blas": "some kernels, threads 1"}
    run = {"parameters": parameters, "machine": machine, "date": "2026-01-02", "wall_seconds": 1.0}
    ends = ("value", "low", "high")
    rows = [dict(zip(ends, v, strict=False), metric="P@1", method=m) for m, v in values.items()]
    return Results(rows, run=run)


def compared(ours, theirs):
    settings = other_parameters(ours.run["parameters"], theirs.run["parameters"])
    return {"demo/first": (ours.run, settings, compare(ours, theirs))}


def test_a_repeat_is_kept_as_counts_and_shown(tiny_book):
    assert "not been repeated yet" in repeats_page(tiny_book.place)
    ours, theirs = kept(OURS, n_seeds=1), kept(PUBLISHED, n_seeds=5)
    path = keep_repeat("other-kernel", compared(ours, theirs))
    assert list(json.loads(path.read_text())["chapters"]) == ["demo/first"]
    page = repeats_page(tiny_book.place)
    assert " ".join(page.split()).startswith(
        "## Other kernel **Of the 3 numbers that both runs have, 33% are equal (1), "
        "33% are within (1), 33% are apart (1).** 1 more are unmatched."
    )
    assert "a processor, some kernels, threads 1, 2026-01-02." in page
    assert "| demo/first | 1 | 1 | 1 | 1 |" in page
    assert "- demo/first: n\\_seeds 1 instead of 5" in page
    assert "Apart most often: demo/first (1)." in page
    assert "The 1 apart" in page
    assert "judged otherwise" not in page


def test_verdicts_that_a_repeat_turns_are_named(tiny_book):
    claim = load_claims("hubness")[0]
    words = [("held", "held"), ("open", "held")]
    judged = [[Verdict(claim, claim.marks[0], word, "") for word in pair] for pair in words]
    turned = f"“{claim.headline}”, published *open*, here *held*."
    at = claim.marks[0].holds[1]
    sides = [Verdict(claim, claim.marks[0], "open", "", value=at + off) for off in (1, -1)]
    crossed = f"“{claim.headline}”, published *open, above {at:g}*, here *open, below {at:g}*."
    for pairs, told in (
        (judged, f"Of 2 claims 1 is judged otherwise: {turned}"),
        (judged[:1], "Of 1 claims none is judged otherwise."),
        ([sides], f"Of 1 claims 1 is judged otherwise: {crossed}"),
    ):
        path = keep_repeat("other-kernel", compared(kept(OURS), kept(PUBLISHED)), pairs)
        assert told in " ".join(repeats_page(tiny_book.place).split())
    earlier = {k: v for k, v in json.loads(path.read_text()).items() if "claim" not in k}
    path.write_text(json.dumps(earlier))
    assert "judged otherwise" not in repeats_page(tiny_book.place)


def test_the_page_says_what_the_published_run_took_and_what_was_repeated(tiny_book):
    tiny_book.place.published.mkdir(parents=True)
    manifest = tiny_book.place.published / "manifest.tsv"
    heads = "chapter\trecords digest\twall_seconds\n"
    manifest.write_text(f"{heads}demo/first\tabc\t5400\n")
    keep_repeat("again", compared(kept(OURS), kept(PUBLISHED)))
    page = repeats_page(tiny_book.place)
    took = (
        "The published run's chapters took 1.5 hours, one after another;\ndemo/first, the longest"
    )
    assert took in page and page.startswith("## Again")
    assert "by now" not in page
    manifest.write_text(f"{heads}demo/first\tdef\t5400\n")
    assert "Of 1 chapters, 1 have other published numbers by now." in repeats_page(tiny_book.place)
    assert "| demo/first | P\\@1, c | 35 | 30 |" in page
