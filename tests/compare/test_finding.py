"""What a comparison found: the pick, paired differences, chance, and sentences about them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from zslib.compare import finding as module
from zslib.compare.finding import Finding
from zslib.compare.report import report, taken_for
from zslib.datasets import from_features, synthetic_attributes
from zslib.protocols import run_table, unit_length, zero_shot_estimate
from zslib.protocols.attributes import methods
from zslib.protocols.intervals import Estimate

SYSTEMS = ["ESZSL", "SAE", "DeViSE", "ridge", "reverse ridge", "centred ESZSL"]


@pytest.fixture(scope="module")
def problem():
    return unit_length(synthetic_attributes("APY", scale=0.04, n_features=24))


@pytest.mark.parametrize(("n_seen", "n_validated"), [(4, 1), (5, 2)])
def test_validation_classes_are_counted(n_seen, n_validated):
    classes = np.arange(n_seen + 2)
    few = from_features(
        np.random.default_rng(0).normal(size=(6 * classes.size, 5)), np.tile(classes, 6),
        np.eye(classes.size), unseen_classes=classes[-2:],
    )  # fmt: skip
    found = Finding(unit_length(few), run_table(["ESZSL"], unit_length(few), quick=True), {})
    assert found.n_validated == n_validated
    assert ("one validation class alone" in found.sentences()[0]) == (n_validated == 1)


@pytest.fixture(scope="module")
def runs(problem):
    return run_table(SYSTEMS, problem, quick=True)


@pytest.fixture(scope="module")
def found(problem, runs):
    return Finding(problem, runs, {})


def test_simple_systems_are_compared_beside_those_of_papers():
    assert methods.COMPARED_METHODS.keys() - methods.ZERO_SHOT_METHODS.keys() == {*SYSTEMS[3:]}
    for name, method in methods.COMPARED_METHODS.items():
        assert methods.resolve_method(name) is method
        assert methods.origin(name)[1] != "other"
        assert "," not in name  # which parts names on a command line
    assert methods.COMPARED_METHODS["centred ESZSL"].centred


def test_the_pick_is_best_on_validation_classes(found, runs):
    order = sorted(runs, key=lambda name: runs[name][0].validation_accuracy, reverse=True)
    assert list(found.values) == order and found.pick == order[0]


def test_differences_are_paired(found, runs):
    ours = [runs[found.pick][0].outcome]
    for method, difference in found.differences.items():
        theirs = [runs[method][0].outcome]
        assert difference == zero_shot_estimate(theirs, "ACC", minus=ours)
        assert difference.mean == pytest.approx(theirs[0].accuracy - ours[0].accuracy)
        reading = found.reading(method)
        assert (reading == "better") == (difference.low > 0)
        assert (reading == "worse") == (difference.high < 0)
        assert method in found.told(reading)


def test_chance_is_a_guess_among_classes(found, problem):
    assert found.chance["ACC"] == 100 / len(problem.unseen_classes)
    assert found.chance["H"] == found.chance["unseen"] == 100 / len(problem.class_names)
    ours, below = found.accuracy(found.pick), found.chance_difference
    ends = [found.chance["ACC"] - end for end in (ours.mean, ours.high, ours.low)]
    assert [below.mean, below.low, below.high] == pytest.approx(ends)


def test_rank_correlation_of_validation_and_test(found, monkeypatch):
    pairs = [(of["validation ACC"], of["ACC"].mean) for of in found.values.values()]
    every, upper = found.correlations
    assert every == pytest.approx(stats.spearmanr(*np.transpose(pairs)).statistic)
    assert upper is None  # three systems have no correlation worth a number
    monkeypatch.setattr(module, "_FEWEST", 3)
    expected = stats.spearmanr(*np.transpose(pairs[:3])).statistic
    assert found.correlations[1] == pytest.approx(expected)


def made(values, n_unseen=50, seconds=None, failed=None, candidates=0, n_validated=9):
    """A finding of ``{method: (validation, accuracy, difference's low and high)}``."""
    made = object.__new__(Finding)
    made.used, made.n_validated = {"unseen_classes": n_unseen}, n_validated
    made.problem = SimpleNamespace(candidates=range(candidates))
    made.failed, made.chance, made.pick = failed or {}, {"ACC": 10.0}, next(iter(values))
    made.values = made.runs = {
        m: {"validation ACC": validation, "ACC": Estimate(acc, acc - 5, acc + 5, 1),
            "seconds": Estimate((seconds or {}).get(m, 1.0), np.nan, np.nan, 1)}
        for m, (validation, acc, *_) in values.items()
    }  # fmt: skip
    others = list(values.items())[1:]
    made.differences = {m: Estimate(sum(ends) / 2, *ends, 1) for m, (_, _, *ends) in others}
    return made


def test_sentences_say_who_is_alike_better_and_worse():
    finding = made(
        {"A": (60, 30, 0, 0), "B": (50, 29, -3, 1), "C": (45, 38, 2, 14), "D": (40, 20, -15, -5)},
        seconds={"A": 20.0, "B": 0.5},
        failed={"E": "diverged"},
    )
    pick, beside, advice, failed = finding.sentences()
    assert pick.startswith("The pick is A, the best of 4 systems on validation classes. It recog")
    assert "30.0% of the images of the 50 unseen classes" in pick
    assert "25.0 to 35.0); guessing has 10.0%." in pick
    assert "1 cannot be told from it (B), 1 is better, in points" in beside
    assert "(C by 8.0 [2.0, 14.0]) and 1 is worse" in beside
    assert "which of these 2 one takes may go by cost: B trains quickest, in 0.5 s" in advice
    assert "the pick in 20 s" in advice
    assert "before taking it for that, look at other classes" in advice
    assert failed == "E could not be trained; the report says why."


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ({"A": (60, 30, 0, 0)}, {}, "The pick is A. It recognises 30.0%"),
        ({"A": (60, 30, 0, 0)}, {"n_unseen": 3}, "With 3 tested classes intervals are rough"),
        ({"A": (60, 30, 0, 0)}, {"candidates": 40}, "of the 10 unseen classes, against 40 more w"),
        ({"A": (60, 30, 0, 0)}, {"candidates": 40}, "With 10 tested classes intervals are rough"),
        ({"A": (60, 12, 0, 0), "B": (50, 40, 5, 9)}, {}, "not told from luck: guessing has 10.0%"),
        ({"A": (60, 12, 0, 0), "B": (50, 40, 5, 9)}, {}, "rely on; 1 of the others is above"),
        ({"A": (60, 30, 0, 0), "B": (60, 9, 0, 9)}, {}, "A, the first of 2 that"),
        ({"A": (60, 30, 0, 0), "B": (50, 20, -9, -5)}, {}, "So A is the one to take."),
        ({"A": (60, 100, 0, 0), "B": (50, 100, 0, 0)}, {"n_unseen": 1}, "one unseen class alone"),
        ({"A": (100, 30, 0, 0)}, {"n_validated": 1}, "one validation class alone, so every"),
        ({f"{i}": (60 - i, 30 - i, -9, 9) for i in range(10)}, {}, "unseen classes well here"),
        ({f"{i}": (60 - i, 30 + i, -9, 9) for i in range(10)}, {}, "the wrong way round here"),
        ({f"{i}": (60 - i, 30 - i, -9, 9) for i in range(7)}, {}, "1.00, too few to be sure."),
        ({f"{i}": (60 - i, 30 - i, -9, 9) for i in range(40)}, {}, "and 33 more"),
        ({f"{i}": (60 - i, 30 - i, -9, 9) for i in range(40)}, {}, "about 2 err by luck alone"),
    ],
)  # fmt: skip
def test_sentences_fit_what_there_is(values, options, words):
    assert words in " ".join(made(values, **options).sentences())


def test_taken_for_by_loop():
    rng = np.random.default_rng(0)
    labels, answers = rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    outcome = SimpleNamespace(labels=lambda _: labels, predictions=lambda _: answers)
    names = list("abcdef")
    for label, text in zip(range(4), taken_for(outcome, "ACC", names), strict=True):
        given = [names[c] for c, true in zip(answers, labels, strict=True) if true == label]
        wrong = {name: given.count(name) for name in names if name != names[label]}
        first = sorted(wrong, key=wrong.get, reverse=True)[:2]
        assert text == ", ".join(f"{c} {100 * wrong[c] / len(given):.0f}%" for c in first)


def test_of_many_classes_the_worst_are_shown(problem, found, monkeypatch):
    monkeypatch.setattr("zslib.compare.report._WORST", 3)
    folded = report(found).split("<details><summary>SAE</summary>")[1].split("</details>")[0]
    assert f"worst first, the first 3 of {len(problem.unseen_classes)}, in percent" in folded
    assert folded.count("<tr>") == 1 + 3


def test_the_page_has_the_classes_of_every_system_and_chance(problem, runs, found):
    read = replace(problem, coverage={"heads of a.csv": "class,<x>", "candidates": 2})
    page = report(Finding(read, runs, {"CMT": "it is <b>"}))
    assert "Of what was read: heads of a.csv: class,&lt;x&gt;; candidates: 2." in page
    assert page.count("worst first") == len(SYSTEMS)
    assert '<td style="text-align: left">chance</td>' in page
    assert "failed: it is &lt;b&gt;" in page
    accuracies = runs[found.pick][0].outcome.class_accuracies("ACC")
    first = page.split(f"Unseen classes under {found.pick}, worst first")[1].split("<td")[2]
    assert first.endswith(f">{accuracies.min():.1f}</td>")
