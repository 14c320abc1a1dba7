"""Pictures are to scale, with a message that follows the numbers; drawings are right."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from book.build.picture import constant_picture, direction_picture, shared_file
from book.build.render import TEMPLATES

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "book/_static"
drawing = TEMPLATES.get_template("shared.html").module.drawing


def maps(gain=(12.0, 10.0, 14.0), hubs=(-18.0, -20.0, -16.0), dataset="europarl_dinu"):
    """Records of the three maps, and of what the reverse changes."""
    there = {"chapter": "together/01_direction", "dataset": dataset, "space": "full"}
    rows = []
    for metric, ridge, ranking, change in (("P@1", 32, 31, gain), ("hub answers", 20, 5, hubs)):
        values = {"ridge": ridge, "max-margin": ranking, "reverse ridge": ridge + change[0]}
        of = there | {"n_units": 1081, "metric": metric}
        rows += [of | {"method": method, "value": value} for method, value in values.items()]
        ends = dict(zip(("value", "low", "high"), change, strict=True))
        rows.append(of | {"method": "reverse ridge - ridge"} | ends)
    return rows


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "12 points more right answers and 90% fewer hub answers"),
        ({"gain": (1.0, -1.0, 3.0)}, "as many right answers and 90% fewer hub answers"),
        ({"gain": (-4.0, -5.0, -3.0)}, "4 points fewer right ones and 90% fewer hub answers"),
        ({"hubs": (2.0, 1.0, 3.0)}, "12 points more right answers and more hub answers"),
        ({"hubs": (-2.0, -5.0, 1.0)}, "12 points more right answers and as many hub answers"),
    ],
)
def test_the_message_follows_the_numbers(changes, message):
    assert direction_picture(maps(**changes)).title.endswith(f": {message}")


def test_points_are_to_scale_and_the_paper_s_pairs_come_first():
    shared = direction_picture([*maps(dataset="europarl"), *maps()])
    assert "Dinu pairs, 1,081 queries" in shared.caption
    at = {kind: (x, y) for kind, x, y in shared.dots}
    ticks = {text: x for _, x, _, _, text in shared.texts if text in ("0%", "20%")}
    assert at["ridge"][0] == pytest.approx(ticks["20%"])
    ranking, ridge = (at[kind][0] - ticks["0%"] for kind in ("ranking", "ridge"))
    assert ranking / ridge == pytest.approx(5 / 20)
    (forty,) = (y + 5 for _, x, y, _, text in shared.texts if (x, text) == (100, "40%"))
    per_point = at["ranking"][1] - at["ridge"][1]
    assert at["ridge"][1] - forty == pytest.approx(8 * per_point)
    assert forty - at["reverse"][1] == pytest.approx(4 * per_point)
    ends = {kind: line for kind, *line in shared.lines}
    assert ends["arrow"] == [*at["ridge"], *at["reverse"]]
    assert all(0 <= x <= 100 and 0 <= y <= shared.height for _, x, y in shared.dots)


def test_nothing_is_drawn_where_a_record_is_missing():
    rows = maps()
    assert all(direction_picture(rows[:i] + rows[i + 1 :]) is None for i in range(len(rows)))
    assert constant_picture(rows) is None


def test_the_picture_to_share_is_of_the_published_run_and_stands_alone(records):
    shared = direction_picture(records)
    text = (ROOT / "results/published/direction.svg").read_text(encoding="utf-8")
    assert text == shared_file(shared, "direction"), "zslib report draws it anew"
    assert "](results/published/direction.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
    drawn = ElementTree.fromstring(text)
    titles = [mark.text for mark in drawn.iter() if mark.get("class") == "title"]
    assert " ".join(titles) == shared.title and max(map(len, titles)) <= 52


def shares(constant):
    values = {"calibration": constant, "family": 0.07, "year": 0.06, "system": 0.03}
    share, hubs = "share of variance explained", "rank correlation of largest hub and ACC"
    rows = [{"metric": share, "method": m, "value": v, "n_units": 2} for m, v in values.items()]
    rows += [{"metric": hubs, "value": 0, "dataset": name} for name in ("cub", "awa1")]
    return [{"chapter": "leaderboard/01_systems"} | row for row in rows]


def test_bars_are_to_scale_and_the_message_counts():
    shared = constant_picture(shares(0.5))
    assert shared.title == "One constant explains half of a zero-shot leaderboard, the system 3%"
    other = constant_picture(shares(0.4)).title
    assert other == "One constant explains 40% of a zero-shot leaderboard, the system 3%"
    lengths = [length for *_, length in shared.bars]
    assert lengths[1] / lengths[0] == pytest.approx(0.07 / 0.5)
    assert "2 systems, 2 data sets" in shared.caption


@pytest.mark.parametrize("shared", [direction_picture(maps()), constant_picture(shares(0.5))])
def test_a_drawing_has_all_marks_and_says_what_it_shows(shared):
    svg = ElementTree.fromstring(drawing(shared, "name"))
    assert svg.get("aria-label") == shared.alt
    marks = {"line": shared.lines, "circle": shared.dots, "rect": shared.bars}
    for tag, several in (marks | {"text": shared.texts}).items():
        assert len(list(svg.iter(tag))) == len(several)
    assert all(len(text.text) * 8 < 340 for text in svg.iter("text"))  # a phone's width


def places(name):
    """Middles of the circles and stars of a drawing, by class, with a circle's radius."""
    drawn = ElementTree.parse(STATIC / name)
    attributes = {"circle": ("cx", "cy", "r"), "use": ("x", "y")}
    found = {}
    for mark in drawn.iter():
        keys = attributes.get(mark.tag.split("}")[1])
        if keys and mark.get("class"):
            found[mark.get("class")] = [float(mark.get(key)) for key in keys]
    return drawn, found


def apart(one, other):
    return math.dist(one[:2], other[:2])


def test_the_hub_is_nearer_to_each_query_than_any_word_is():
    drawn, found = places("mapping.svg")
    groups = {g.get("class"): g for g in drawn.iter() if g.tag.endswith("}g")}
    words, answers = (
        [[float(mark.get(key)) for key in keys] for mark in groups[name]]
        for name, keys in (("words", ("cx", "cy")), ("answers", ("x1", "y1", "x2", "y2")))
    )
    assert len(answers) == 4 and found["query"][:2] in [a[:2] for a in answers]
    assert found["right"][:2] in words and len(words) == 4
    for x, y, *hub in answers:
        assert hub == found["hub"][:2]
        assert apart((x, y), hub) < 0.9 * min(apart((x, y), word) for word in words)


def test_stretching_turns_the_answer():
    _, found = places("stretching.svg")
    image, own, seen, moved = (found[k] for k in ("query", "unseen", "seen", "stretched"))
    assert apart(image, seen) < apart(image, own) < apart(image, moved)
    assert apart(image, own) == pytest.approx(found["reach"][2], abs=0.5)
    assert apart(image, seen) + apart(seen, moved) == pytest.approx(apart(image, moved), abs=0.5)


def test_only_the_hard_negative_is_on_the_wrong_side():
    _, found = places("negatives.svg")
    image, reach = found["query"], found["reach"][2]
    assert apart(image, found["own"]) < apart(image, found["hard"]) < reach
    assert apart(image, found["easy"]) > reach
