"""The text network of CLAREL's Appendix D on a small budget."""

from dataclasses import replace

import pytest

from chapters.clarel import network
from zslib.datasets import synthetic_pairs


@pytest.fixture(scope="module")
def problem():
    return synthetic_pairs(n_seen=6, n_val=2, n_unseen=3, images_per_class=5)


def test_the_rate_of_the_best_short_training_trains_the_long_one(problem, monkeypatch):
    trials = [{"parameters": {"learning_rate": rate}, "H": h} for rate, h in ((0.1, 2), (0.2, 3))]
    trials += [{"parameters": {"learning_rate": 0.4}, "failed": "left the range of numbers"}]
    asked = {}

    def short_trials(model, problem, grid, **options):
        asked.update(model.get_params() | {"grid": grid})
        return trials

    def long_run(problem, seeds, *, training, changes, **options):
        return seeds, training, changes

    monkeypatch.setattr(network, "image_text_trials", short_trials)
    monkeypatch.setattr(network, "run_clarel", long_run)
    seeds, training, changes = network.network_run(problem, [3], n_batches=60, n_short=20)
    assert (seeds, training) == ([3], "paper")
    assert (asked["n_batches"], asked["text_encoder"]) == (20, "paper")
    chosen = [changes[k] for k in ("learning_rate", "n_batches", "decay_every")]
    assert chosen == [0.2, 60, 20]


def test_a_network_is_trained_where_the_chapter_has_its_peer(problem, monkeypatch):
    asked = []

    def trained(whole, seeds, **size):
        asked.append((whole.name, seeds, size["n_batches"]))
        return "network"

    monkeypatch.setattr(network, "clarel_problems", lambda names, **_: [problem])
    monkeypatch.setattr(network, "network_run", trained)
    runs = {problem: "mean of words"}
    both = {network.MEAN_OF_WORDS: "mean of words", network.NETWORK: "network"}
    assert network.network_problems("", [problem], seed=3) == {}
    sizes = network.network_problems("synthetic:60", [problem], seed=3)
    assert network.network_runs(sizes, runs, 3, quick=True) == ({problem: both}, {})
    assert network.network_runs({}, runs, 3) == ({}, {})
    assert asked == [(problem.name, [3], 20)]

    def at_chance(*_, **__):
        raise ValueError("all candidates failed")

    monkeypatch.setattr(network, "network_run", at_chance)
    failed = {problem.name: "all candidates failed"}
    assert network.network_runs(sizes, runs, 3) == ({}, failed)


def asked(sizes):
    return lambda p: network.network_problems(sizes, [replace(p, name="other")], seed=0)


EACH = "each data set needs its batches"
ABSENT = "synthetic is not among the data of this run, which has other: name it"
REFUSALS = [
    (asked("synthetic"), EACH),
    (asked("synthetic:²"), EACH),
    (asked("synthetic:0"), EACH),
    (asked("synthetic:10"), ABSENT),
]


def test_sizes_that_name_nothing_are_refused(problem, refusal):
    refusal(problem)
