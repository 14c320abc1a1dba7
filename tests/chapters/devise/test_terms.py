"""Which images a case draws, and how answers are scored."""

from types import SimpleNamespace

import numpy as np
import pytest

from chapters.devise.answers import SynsetAnswers
from chapters.devise.estimates import class_means, over_classes
from chapters.devise.scored import Scored, score_rows
from chapters.devise.terms import TermRuns


def drawn(case, n_images, labels=(0, 1, 2, 0, 1, 2)):
    """What a stand-in for a model is asked to search for, over images 0 to 5."""
    problem = SimpleNamespace(
        class_ids=np.array(["n1", "n2", "n3"]),
        labels=np.array(labels),
        seen_classes=np.array([0, 1]),
        test_seen=np.array([0, 1, 2]),
        test_unseen=np.array([3, 4, 5]),
    )
    model = SimpleNamespace(search=lambda p, images, names, n: (images.tolist(), names))
    runs = TermRuns([problem], [0], {"1K": ["n1", "n2"], "2-hop": ["n1", "n3"]}, n_images)
    (found,) = runs.nearest([model], case, 9)
    return found


def test_only_images_of_the_label_set_are_drawn():
    assert drawn(("unseen", "2-hop"), 5) == ([3, 5], ["n1", "n3"])
    assert drawn(("seen", "trained"), 5) == ([0, 1], ["n1", "n2"])
    assert len(drawn(("seen", "2-hop"), 1)[0]) == 1


def test_images_are_drawn_from_all_classes_alike():
    labels = (0, 0, 0, 2, 0, 0)  # image 3 is the only one of its class among the last three
    assert 3 in drawn(("unseen", "2-hop"), 2, labels)[0]


def answers(*classes):
    return [SimpleNamespace(classes=np.array(row)) for row in classes]


def test_means_are_over_classes_and_runs_of_other_classes_are_pooled():
    values = [np.array([0.0, 1.0, 4.0]), np.array([2.0, 6.0])]
    pooled = answers(["a", "a", "b"], ["a", "c"])
    found = over_classes(values, pooled)
    assert found.mean == pytest.approx(np.mean([1.0, 4.0, 6.0]))
    assert (found.n_units, found.unit, found.n_seeds) == (3, "classes", 2)
    less = over_classes(values, pooled, minus=values)
    assert (less.mean, less.low, less.high) == (0, 0, 0)
    assert class_means([row[:, None] for row in values], pooled).tolist() == [found.mean]


def test_runs_on_the_same_images_are_no_new_images():
    rng = np.random.default_rng(0)
    row, classes = 100.0 * rng.random(40), np.repeat(np.arange(8), 5)
    one = over_classes([row], answers(classes))
    many = over_classes([row] * 5, answers(*[classes] * 5))
    assert (one.low, one.high) == pytest.approx((many.low, many.high), abs=3)
    assert many.n_units == 8 and many.n_seeds == 5


def test_scores_are_means_and_differences_are_paired():
    rng = np.random.default_rng(0)
    hits, hp = ({name: [100.0 * rng.random((8, 20)) for _ in range(3)] for name in
                 ("ridge", "DeViSE")} for _ in range(2))  # fmt: skip
    chance = [100.0 * rng.random((8, 20)) for _ in range(3)]
    of = answers(*[np.arange(8)] * 3)
    found = SimpleNamespace(case={"images": "unseen"}, answers={"ridge": of}, errors={})
    found.hits, found.hp, found.chance = hits, hp, chance
    rows = {(r["metric"], r["method"], r["k"]): r["value"].mean for r in score_rows(found, "D")}
    assert rows["hit@k", "ridge", 5] == pytest.approx(np.mean([h[:, 4] for h in hits["ridge"]]))
    for a, b in (("DeViSE", "ridge"), ("ridge", "random labels")):
        of_a = np.mean([h[:, 19] for h in hp[a]])
        of_b = np.mean([h[:, 19] for h in (hp | {"random labels": chance})[b]])
        assert rows["hp@k", f"{a} - {b}", 20] == pytest.approx(of_a - of_b)


def test_the_telling_image_is_where_two_systems_differ_most():
    hp = {"a": [np.zeros((3, 20))], "b": [np.zeros((3, 20))]}
    hp["a"][0][1, 4], hp["a"][0][2, 4], hp["b"][0][2, 4] = 40.0, 60.0, 50.0
    labels = ("cat", "dog", "fox", "oak")
    own = {
        name: SynsetAnswers(labels, np.array([[0, 1], [3, first], [1, 2]]), np.array([0, 2, 1]))
        for name, first in (("a", 2), ("b", -1))
    }
    found = SimpleNamespace(hp=hp, answers={name: [first] for name, first in own.items()})
    assert Scored.telling_image(found, "a", "b") == ("fox", {"a": ["oak", "fox"], "b": ["oak"]})
