"""The first page: short, computed, and with words that follow the verdicts."""

import re
import string
from pathlib import Path

import pytest

from book.build.front import finding, front_page, images_recipe, words_recipe
from book.papers import check_claims, load_claims
from book.papers.printed import PAPERS, read_data
from book.store import published

ROOT = Path(__file__).parents[3]
CLAIM = next(c for c in load_claims("hubness") if c.id == "max-margin-lowers-hubs")
# What the finding says of each verdict.
KINDS = ("held", "mixed", "failed", "open")


@pytest.fixture(scope="module")
def records():
    return [r | {"chapter": name} for name, of in published(root=ROOT).items() for r in of]


def plain(page):
    """A page's words, without drawings, links' addresses and directives."""
    text = re.sub(
        r"<svg.*?</svg>|^---.*?^---$|^(:::|```).*$|^:\w.*$", " ", page, flags=re.S | re.M
    )
    text = re.sub(r"\{\w+\}`([^<`]*)[^`]*`|\]\([^)]*\)|<[^>]*>", r" \1 ", text)
    return [word for word in text.split() if re.search(r"\w", word)]


def test_a_stranger_reads_it_in_two_minutes(records):
    index = (ROOT / "book/pages/index.md").read_text(encoding="utf-8")
    assert len(plain(index)) + len(plain(front_page(records))) < 400


@pytest.mark.parametrize("paper", PAPERS)
def test_a_finding_has_25_words_and_one_number_for_every_verdict(paper):
    data = read_data(paper, "claims")
    assert data["question"].endswith("?") and len(data["question"]) < 90
    piece = data["finding"]
    words = [piece[kind] for kind in KINDS]
    assert len(set(words)) == len(KINDS) and set(piece) == {"claim", *KINDS}
    assert piece["claim"] in {claim.id for claim in load_claims(paper)}
    for text in words:
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field]
        assert len(fields) <= 1 and set(fields) <= {"size", "signed"}
        assert len(text.split()) <= 25
        assert not re.search(r"\d", text) and not text.endswith(".")
    # Of an open question the sign is open: a bare size would hide it.
    assert "{size}" not in piece["open"]


def records_of(*ends, **fields):
    """A record for each setting of the claim, of the data that it is asked of."""
    sets = {"cross-linguistic": "europarl_dinu", "cross-modal": "imagenet1k"}
    value = dict(zip(("value", "low", "high"), ends, strict=True)) | fields
    return [
        mark.record | {"chapter": mark.chapter, "dataset": sets[mark.setting]} | value
        for mark in CLAIM.carrying
    ]


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (
            (-5.0, -6.0, -4.0),
            "cuts the answers that go to hubs, words that answer almost anything, by 5.0",
        ),
        ((5.0, 4.0, 6.0), "leaves no fewer hubs"),
        ((-2.0, -8.0, 4.0), "than least squares does is open."),
    ],
)
def test_the_finding_follows_the_verdict(ends, words):
    assert words in finding("hubness", check_claims("hubness", records_of(*ends)))


def test_without_records_nothing_is_drawn_and_no_number_said():
    page = front_page([])
    assert "<svg" not in page and "today" not in page
    assert page.count("This run has no number for it.") == 4  # whose words have one
    assert "{" not in re.sub(r"\{(raw|doc)\}", "", page)


def test_the_total_is_the_scorecards(records):
    counts = [len([c for c in load_claims(p) if c.group == "result"]) for p in PAPERS]
    page = front_page(records, note="A note.")
    total, *parts = map(int, re.findall(r"\*\*(\d+)(?: results)?\*\*", page))
    assert total == sum(counts) == sum(parts)
    assert "A note." in page


def row(method, value, metric="P@1", dataset="europarl", chapter="together/05_recipe"):
    return {
        "chapter": chapter,
        "metric": metric,
        "dataset": dataset,
        "method": method,
        "value": value,
    }


def test_the_recipe_for_words_says_what_gets_more_right():
    pair = [row("ridge", 30.0), row("reverse ridge", 40.0)]
    assert "40% of first translations are right, against 30% under plain ridge; no map" in (
        words_recipe(pair)
    )
    assert "a longer way, multi-step with CSLS, gets 45%" in (
        words_recipe([*pair, row("multi-step + CSLS", 45.0)])
    )
    assert "no map here gets more right" in words_recipe(
        [*pair, row("reverse ridge + CSLS", 45.0)]
    )
    assert words_recipe([row("ridge", 30.0)]) == ""


def test_the_recipe_for_images_names_the_data_where_it_is_beaten():
    ours = [row("ESZSL, centred", 50.0, "ACC", name) for name in ("cub", "awa1")]
    others = [
        row(name, value, "ACC", data, "leaderboard/01_systems")
        for name, data, value in (("A", "cub", 49.0), ("B", "cub", 10.0), ("A", "awa1", 51.0))
    ]
    assert images_recipe([*ours, *others]).endswith(
        "of 2 systems trained beside it, some have a better accuracy on AwA1."
    )
    assert images_recipe([*ours, *others[:2]]).endswith("none has a better accuracy.")
    assert images_recipe(others) == ""
    assert images_recipe(ours).endswith("off the scores of seen classes.")
