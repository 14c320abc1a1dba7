"""Pictures to share, drawn from records."""

import itertools
import textwrap
from dataclasses import dataclass

from book.build.render import render
from book.names import called
from book.papers.verdicts import sign


@dataclass(frozen=True)
class Shared:
    """A picture to share: its message, what it shows, and marks to scale.

    Across, places are percent of the width, down they are pixels: letters keep their size on a
    phone. Every mark begins with its kind, a class of the drawing.

    Attributes
    ----------
    title, caption, alt : str
        The message, how to read it, and what one hears.
    height : int
    lines : tuple of (str, float, float, float, float)
        From x and y to x and y.
    dots : tuple of (str, float, float)
    bars : tuple of (str, float, float, float)
        x, y and length.
    texts : tuple of (str, float, float, str, str)
        x, y, anchor and words.
    """

    title: str
    caption: str
    alt: str
    height: int
    lines: tuple = ()
    dots: tuple = ()
    bars: tuple = ()
    texts: tuple = ()


def chapter_records(records, chapter):
    """Those of one chapter's records."""
    return [record for record in records if record.get("chapter") == chapter]


_TOP, _PLOT, _BELOW = 30, 300, 46  # pixels above the plot, of it, and below it


def direction_picture(records):
    """Least squares and its reverse: right answers over hub answers; None without records.

    Of the word pairs of the run it takes the paper's where it has them.

    Parameters
    ----------
    records : sequence of dict
        Each with its ``chapter``.
    """
    rows = chapter_records(records, "together/01_direction")
    dataset = max((r["dataset"] for r in rows if r.get("space") == "full"), default="")
    maps = {"ridge": "ridge", "reverse ridge": "reverse", "max-margin": "ranking"}
    metrics, change = ("hub answers", "P@1"), "reverse ridge - ridge"
    own = [r for r in rows if (r["dataset"], r.get("space")) == (dataset, "full")]
    found = {(r["method"], r["metric"]): r for r in own}
    if not {*itertools.product((*maps, change), metrics)} <= set(found):
        return None
    points = {name: [found[name, metric]["value"] for metric in metrics] for name in maps}
    (hubs, right), (hubs_after, right_after) = points["ridge"], points["reverse ridge"]
    gain, fewer = right_after - right, 1 - hubs_after / hubs if hubs else 0.0
    of_right = {
        1: f"{gain:.0f} points more right answers",
        0: "as many right answers",
        -1: f"{-gain:.0f} points fewer right ones",
    }
    of_hubs = {1: "more", 0: "as many", -1: f"{fewer:.0%} fewer"}
    less, more = (sign(found[change, metric]) for metric in metrics)
    values = [value for _, value in points.values()]
    bottom, top = 5 * (min(values) // 5 - 1), 5 * (max(values) // 5 + 1)
    right_end = max(value for value, _ in points.values()) * 1.25 or 1

    def place(x, y):
        return 3 + 94 * x / right_end, _TOP + _PLOT * (top - y) / (top - bottom)

    at = {name: place(*point) for name, point in points.items()}
    end = _TOP + _PLOT
    halfway = [sum(pair) / 2 for pair in zip(at["ridge"], at["reverse ridge"], strict=True)]
    up = {tick: place(0, tick)[1] for tick in range(10 * int(min(values) // 10 + 1), int(top), 10)}
    lines = [
        *(("grid", 0, y, 100, y) for y in (*up.values(), end)),
        ("detour", *at["ridge"], *at["max-margin"]),
        ("arrow", *at["ridge"], *at["reverse ridge"]),
    ]
    texts = [
        *(("tick", 100, y - 5, "end", f"{tick}%") for tick, y in up.items()),  # above the lines
        *(
            ("tick", place(tick, 0)[0], end + 18, "middle", f"{tick}%")
            for tick in range(0, int(right_end), 5)
        ),
        ("tick", 100, 14, "end", "right answers ↑"),
        ("tick", 100, end + 38, "end", "answers that are hubs →"),
        ("strong", halfway[0] + 2, halfway[1] - 12, "start", "swap the sides"),
    ]
    heads = {"ridge": "least squares", "reverse ridge": "reversed", "max-margin": "ranking loss"}
    told = []
    for name in maps:
        x, y = at[name]
        if name == "reverse ridge":
            x, y, anchor = x - 1, y - 31, "start"
        else:  # not cut off by an end of a phone's page
            x, y, anchor = min(max(x, 21), 79), y + 24, "middle"
        x_hub, y_right = points[name]
        told.append(f"{heads[name]}: {y_right:.0f}% right answers, {x_hub:.0f}% hub answers")
        texts.append(("strong", x, y, anchor, heads[name]))
        texts.append(("", x, y + 17, anchor, f"{y_right:.0f}% right, {x_hub:.0f}% hubs"))
    return Shared(
        title=(
            "Swap the two sides of a least-squares fit: "
            f"{of_right[more]} and {of_hubs[less]} hub answers"
        ),
        caption=(
            "Words never seen in training are mapped from English to Italian and looked up. Up: "
            "how many first answers are right. Across: how many are hubs, words that answer far "
            "too many queries. "
            f"{called(dataset)}, {found[change, 'P@1']['n_units']:,} queries."
        ),
        alt=(
            f"Three points. {', '.join(told)}. An arrow leads from least squares to its reverse, "
            "a dashed line to the ranking."
        ),
        height=end + _BELOW,
        lines=tuple(lines),
        dots=tuple((kind, *at[name]) for name, kind in maps.items()),
        texts=tuple(texts),
    )


_BAR = 54  # pixels from bar to bar
_FACTORS = {
    "calibration": "one constant, chosen or not",
    "family": "the family of systems",
    "year": "the year",
    "system": "the system",
}


def constant_picture(records):
    """What explains a leaderboard of zero-shot systems; None without records."""
    rows = chapter_records(records, "leaderboard/01_systems")
    explained = [row for row in rows if row["metric"] == "share of variance explained"]
    shares = {row["method"]: row["value"] for row in explained}
    if set(shares) != set(_FACTORS):
        return None
    ranking = sorted(shares, key=shares.get, reverse=True)
    constant, system = shares["calibration"], shares["system"]
    part = "half" if 0.45 <= constant <= 0.55 else f"{constant:.0%}"
    # Rows of the whole board: a small run shows the published systems beside its own.
    systems = explained[0].get("n_units", 0)
    sets = sum(row["metric"] == "rank correlation of largest hub and ACC" for row in rows)
    longest = max(shares.values())
    bars, texts = [], []
    for number, name in enumerate(ranking):
        kind = "ranking" if name == "calibration" else "rest"
        y, across = 22 + _BAR * number, 86 * shares[name] / longest
        texts.append(("strong", 0, y - 6, "start", _FACTORS[name]))
        bars.append((kind, 0, y, max(across, 0.5)))
        texts.append(("", across + 1.5, y + 17, "start", f"{shares[name]:.0%}"))
    return Shared(
        title=f"One constant explains {part} of a zero-shot leaderboard, the system {system:.0%}",
        caption=(
            "Each bar is the share of the variance of H (the harmonic mean of the accuracies on "
            "seen and unseen classes) that a factor explains, adjusted for its number of groups. "
            "The constant is taken off the scores of seen classes. "
            f"{systems} systems, {sets} data sets."
        ),
        alt="Bars: " + ", ".join(f"{_FACTORS[name]} {shares[name]:.0%}" for name in ranking) + ".",
        height=_BAR * len(ranking),
        bars=tuple(bars),
        texts=tuple(texts),
    )


def shared_file(shared, name):
    """A picture to share as a file of its own, for light and dark: SVG."""
    lines = textwrap.wrap(shared.title, 52)
    return render("shared.svg", shared=shared, label=name, lines=lines) + "\n"
