"""The published choices: none at an end of its grid where a further value still helped."""

import json
from pathlib import Path

import pytest

import zslib.compatibility
import zslib.mapping
from book.keys import outdated
from book.parameters import ChapterText
from book.paths import layout
from chapters.together.centring import CENTRED
from zslib.protocols import ZERO_SHOT_METHODS
from zslib.protocols.choices import Choices
from zslib.protocols.sweep import beyond_the_ends, ranked

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
FILES = sorted(PUBLISHED.glob("*/*/chosen.json"))


def rule_of(choice):
    """Of the method that a choice is named after: its parameters' natural ends, what is regular.

    The latter is None where the best mean is chosen, and not by one standard error.
    """
    name = choice.split(" on ")[0].removesuffix(CENTRED)
    if "metric_dim" in choice:
        name = "MetricLearner"
    if name in ZERO_SHOT_METHODS:
        return ZERO_SHOT_METHODS[name].limits, None
    homes = (zslib.compatibility, zslib.mapping)
    method = next((getattr(home, name) for home in homes if hasattr(home, name)), None)
    return getattr(method, "limits", {}), getattr(method, "regular", None)


def gain_at_the_end(ranks, by, name):
    """What the first gains over the next value of a parameter, as a share of its score."""
    first, *others = ranks
    rest = {k: v for k, v in first["parameters"].items() if k != name}
    line = [t for t in others if rest.items() <= t["parameters"].items()]
    near = min(line, key=lambda t: abs(t["parameters"][name] - first["parameters"][name]))
    return (first[by] - near[by]) / abs(first[by])


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_no_setting_was_chosen_at_an_end_that_still_helped(path):
    chapter = path.parent.relative_to(PUBLISHED).as_posix()
    run = path.parent / "run.json"  # a chapter may have settings before it has a published run
    if run.is_file():
        run = json.loads(run.read_text("utf-8"))
        if outdated(run, ChapterText.read(chapter, layout()), data=False):
            pytest.skip("the chapter has changed since it was published")
    found = {}
    for entry in Choices.read(path)._known.values():
        trials = entry["trials"]
        if not any(t["parameters"] for t in trials):
            continue  # a calibration's size, for which there is no grid
        by = "score" if any("score" in t for t in trials) else "H"
        limits, regular = rule_of(entry["choice"])
        ranks = ranked(trials, by, regular)
        best = ranks[0]["parameters"]
        for candidate in beyond_the_ends(trials, by, limits, regular):
            (name,) = (k for k in candidate if candidate[k] != best[k])
            if not (gain := gain_at_the_end(ranks, by, name)) < 0.01:
                found[entry["choice"].split(":")[0], name] = gain, best
    assert not found
