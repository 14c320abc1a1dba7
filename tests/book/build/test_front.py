"""The first page: short, computed, and with words that follow the verdicts."""

import re
import string
from pathlib import Path

import pytest

from book.build.front import finding, front_page, images_recipe, words_recipe
from book.papers import check_claims, load_claims
from book.papers.printed import PAPERS, read_data

ROOT = Path(__file__).parents[3]
CLAIM = next(c for c in load_claims("hubness") if c.id == "max-margin-lowers-hubs")
# What the finding says of each verdict.
KINDS = ("held", "mixed", "failed", "open")


def test_a_stranger_reads_it_in_two_minutes(records):
    page = (ROOT / "book/pages/index.md").read_text("utf-8") + "\n" + front_page(records)
    # Without drawings, directives and links' addresses.
    text = re.sub(r"(?ms)<svg.*?</svg>|^---.*?^---$|^(:::|```)[^\n]*$|^:\w[^\n]*$", " ", page)
    text = re.sub(r"\{\w+\}`([^<`]*)[^`]*`|\]\([^)]*\)|<[^>]*>", r" \1 ", text)
    assert 150 < len(re.findall(r"\S*\w\S*", text)) < 400


@pytest.mark.parametrize("paper", PAPERS)
def test_a_finding_has_25_words_and_one_number_for_every_verdict(paper):
    data = read_data(paper, "claims")
    assert data["question"].endswith("?") and len(data["question"]) < 90
    piece = data["finding"]
    assert len(set(piece.values())) == 5 and set(piece) == {"claim", *KINDS}
    assert piece["claim"] in {claim.id for claim in load_claims(paper)}
    for text in map(piece.get, KINDS):
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field]
        assert len(fields) <= 1 and set(fields) <= {"size", "signed"}
        assert len(text.split()) <= 25
        assert not re.search(r"\d", text) and not text.endswith(".")
    # Of an open question the sign is open: a bare size would hide it.
    assert "{size}" not in piece["open"]


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((-5.0, -6.0, -4.0), "go to hubs, words listed for far too many queries, by 5.0"),
        ((5.0, 4.0, 6.0), "leaves no fewer hubs"),
        ((-2.0, -8.0, 4.0), "than least squares does is open."),
    ],
)
def test_the_finding_follows_the_verdict(ends, words):
    sets = {"cross-linguistic": "europarl_dinu", "cross-modal": "imagenet1k"}
    value = dict(zip(("value", "low", "high"), ends, strict=True))
    rows = [
        mark.record | {"chapter": mark.chapter, "dataset": sets[mark.setting]} | value
        for mark in CLAIM.carrying
    ]
    assert words in finding("hubness", check_claims("hubness", rows))


def test_without_records_nothing_is_drawn_and_no_number_said():
    page = front_page([])
    assert "<svg" not in page and "today" not in page
    assert page.count("This run has no number for that.") == 3  # whose words have one
    assert "{" not in re.sub(r"\{(raw|doc)\}", "", page)


def test_the_total_is_the_scorecards(records):
    counts = [len([c for c in load_claims(p) if c.group == "result"]) for p in PAPERS]
    page = front_page(records, note="A note.")
    total, *parts = map(int, re.findall(r"\*\*(\d+)(?: results)?\*\*", page))
    assert total == sum(counts) == sum(parts)
    assert "A note." in page


def row(method, value, metric="P@1", dataset="europarl", chapter="together/05_recipe", **more):
    record = {"chapter": chapter, "metric": metric, "dataset": dataset}
    return record | {"method": method, "value": value} | more


@pytest.mark.parametrize(
    ("low", "words"),
    [
        (None, "40% of first translations are right, against 30% under plain ridge; no longer"),
        (1.0, "a longer way, multi-step with CSLS, gets 45%"),
        (-1.0, "no longer way is clearly better"),
    ],
)
def test_the_recipe_for_words_says_what_is_clearly_better(low, words):
    pair, best = [row("ridge", 30.0), row("reverse ridge", 40.0)], "multi-step + CSLS"
    minus = row(f"{best} - reverse ridge", 5.0, low=low, high=9.0)
    assert words in words_recipe(pair if low is None else [*pair, row(best, 45.0), minus])
    assert words_recipe(pair[:1]) == ""


def test_the_recipe_for_images_names_the_data_where_it_is_beaten():
    ours = [row("ESZSL, centred", 50.0, "H", name) for name in ("cub", "awa1")]
    board = "leaderboard/01_systems"

    def score(method, value, dataset, calibration="chosen"):
        return row(method, value, "H", dataset, board, calibration=calibration)

    others = [score("A", 49.0, "cub"), score("B", 9.0, "cub"), score("A", 51.0, "awa1")]
    higher = "of 2 systems compared with it, on {} some score higher when seen classes compete."
    plain = score("B", 60.0, "cub", "none")
    assert images_recipe([*ours, *others, plain]).endswith(higher.format("AwA1"))
    everywhere = [*ours, *others, score("B", 60.0, "cub")]
    assert images_recipe(everywhere).endswith(higher.format("every data set"))
    assert "none scores higher" in images_recipe([*ours, *others[:2]])
    assert images_recipe(others) == ""
    assert images_recipe(ours).endswith("off the scores of seen classes.")
