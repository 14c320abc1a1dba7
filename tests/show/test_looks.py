"""A method has one color and marker through the whole book, whatever it is shown with."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from book.results import Results
from chapters.clarel.drawings import draw_wedge
from chapters.hardneg.rules import RULES
from chapters.hubness.drawings import draw_occurrences
from zslib.compatibility import CADAVAE, CMT, ESZSL
from zslib.protocols import METHODS, ZERO_SHOT_METHODS
from zslib.protocols.attributes.leaderboard import board_systems
from zslib.show.figures import COLORS, MARKERS, look
from zslib.show.looks import LOOKS, known_look


def rows(*methods):
    records = [
        {"method": m, "x": x, "value": 1.0, "metric": "P@1"} for m in methods for x in (1, 2)
    ]
    return Results(records, chapter=SimpleNamespace(data="demo"))


def test_figures_of_two_chapters_give_a_method_one_color(monkeypatch):
    drawn = {}
    monkeypatch.setattr("book.shown.figure", lambda fig, *, name, **_: drawn.update({name: fig}))
    how = {"series": "method", "ylabel": "y", "alt": "a"}
    rows("random", "ridge", "new").curves("one", "One", x="x", xlabel="x", **how)
    rows("ridge", "newer", "gold", "new").only(x=1).bars("two", "Two", groups="x", **how)
    fold = SimpleNamespace(counts=np.array([0, 1]))
    outcomes = {"ridge": [SimpleNamespace(parts=[fold])]}
    three = draw_occurrences({"one": outcomes}, printed={"ridge": 7})
    line = next(l for l in drawn["one"].axes[0].get_lines() if l.get_label() == "ridge")
    bars = next(c for c in drawn["two"].axes[0].containers if c.get_label() == "ridge")
    mark, printed = three.axes[0].get_lines()
    colors = {line.get_color(), mark.get_color(), printed.get_color(), look("ridge")["color"]}
    assert colors == {COLORS[LOOKS["ridge"][0]]}
    assert plt.matplotlib.colors.to_hex(bars.patches[0].get_facecolor()) == colors.pop().lower()
    assert printed.get_xdata()[0] == 7
    assert line.get_marker() == mark.get_marker() == LOOKS["ridge"][1]


def test_seen_and_unseen_are_the_same_in_a_drawing_and_in_curves():
    distances = np.array([1.0, 2.0, 3.0])
    ax = draw_wedge({"one": (distances, distances[::-1], 0.1)}).axes[0]
    by_label = {line.get_label(): line.get_color() for line in ax.get_lines()}
    assert by_label["seen class in any case"] == look("seen")["color"]
    assert by_label["unseen class in any case"] == look("unseen")["color"]


def test_all_systems_methods_and_rules_have_a_look_of_their_own():
    names = {*board_systems("auto"), *(m for m in METHODS if "angle" not in m), *RULES}
    assert {name for name in names if known_look(name) is None} == set()


@pytest.mark.parametrize(
    "together",
    [
        ["gold", "ridge", "max-margin", "orthogonal", "ridge + CSLS", "max-margin + CSLS"],
        ["random", "uncertainty", "uncertainty/correlation", "Bucher"],
        ["random", "uncertainty", "nearest", "drawn intruders", "intruder"],
        [*board_systems("auto"), "DARK-L", "DARK-H"],
        ["cub", "awa1", "tiny-imagenet", "caltech101", "mean", "CUB (paper)", "FLOWERS (paper)"],
        ["DeViSE", "ConSE", "ridge", "softmax", "random labels"],
    ],
)
def test_what_is_shown_together_can_be_told_apart(together):
    alike = {}
    for name in together:
        if name != "hard negatives":
            alike.setdefault(tuple(look(name, together).values()), []).append(name)
    assert [names for names in alike.values() if len(names) > 1] == []


def test_what_has_no_look_takes_turns_and_leaves_known_colors():
    among = ["ridge", "a", "b"]
    found = [look(name, among) for name in among]
    assert len({own["color"] for own in found}) == 3
    assert all(own["marker"] in MARKERS for own in found[1:])


def test_synthetic_data_look_like_their_name():
    for name in LOOKS:
        if " (" not in name and ", " not in name:
            assert known_look(f"{name} (synthetic)") == LOOKS[name]


def test_a_system_has_the_look_of_its_class_or_of_its_declaration():
    assert known_look("ESZSL") == ESZSL.look
    assert known_look("CMT*") == ZERO_SHOT_METHODS["CMT*"].look != CMT.look
    assert known_look("CADA-VAE") == CADAVAE.look  # as its paper writes it
