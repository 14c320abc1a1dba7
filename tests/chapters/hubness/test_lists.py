"""Two lists that are tested on the same words are resampled as one study."""

from types import SimpleNamespace

import numpy as np
import pytest

from chapters.hubness.lists import SameWords, over_lists
from zslib.protocols.mapping.measures import search_measures

WORDS = np.array([f"w{i}" for i in range(300)])


class Outcome:
    def __init__(self, hits):
        self.values, self.checksum = hits, "same"

    def hits(self, k):
        return self.values

    def hub_answers(self):
        return self.values


class Problem:
    setting = "cross-linguistic"

    def __init__(self, name, words):
        self.name, self.test_words = name, words


def lists_of_hits(seed):
    """Two lists by two methods, one run each: right answers to the same words go together."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(size=(300, 1, 1))
    values = 100.0 * (easy + rng.normal(size=(300, 2, 2)) + [0.0, 0.4] > 0)
    return [{m: [Outcome(values[:, i, j])] for j, m in enumerate("ab")} for i in range(2)]


def study(by_list, words=(WORDS, WORDS)):
    recorded = []
    chapter = SimpleNamespace(
        label=lambda problem: problem.name,
        measure=lambda runs, measures, **options: recorded.append((runs, measures, options)),
    )
    runs = {
        Problem(f"list {i}", w): by for i, (by, w) in enumerate(zip(by_list, words, strict=True))
    }
    over_lists(chapter, runs, measures=search_measures(["P@1"]), minus=[("b", "a")], space="full")
    return recorded


def test_words_are_drawn_for_all_lists_together():
    by_list = lists_of_hits(0)
    ((runs, measures, options),) = study(by_list)
    ((name, by_method),) = runs.items()
    assert name.labels == ["list 0", "list 1"]
    assert options["setting"] == "cross-linguistic" and options["methods"] == ()
    ours = measures["P@1"](by_method["b"], by_method["a"])

    gains = [by["b"][0].values - by["a"][0].values for by in by_list]
    rng, draws = np.random.default_rng(1), []
    for _ in range(2000):
        words = rng.integers(0, 300, 300)
        draws.append(np.mean([gain[words].mean() for gain in gains]))
    assert ours.mean == pytest.approx(np.mean(gains))
    low, high = np.quantile(draws, [0.025, 0.975])
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.6)
    assert ours.n_units == 300


def test_lists_with_other_words_are_no_one_study():
    assert study(lists_of_hits(0), (WORDS, WORDS[::-1])) == []
    assert study(lists_of_hits(0)[:1], (WORDS,)) == []


def test_hub_answers_are_averaged_word_by_word():
    both = SameWords([Outcome(np.array(v)) for v in ([0.0, 100.0], [100.0, 100.0])])
    assert both.hits(1).tolist() == both.hub_answers().tolist() == [50.0, 100.0]
