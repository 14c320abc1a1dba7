"""The text network of CLAREL's Appendix D on a small budget."""

from dataclasses import replace

import pytest

from chapters.clarel import network
from chapters.clarel.network import (
    MEAN_OF_WORDS,
    NETWORK,
    loss_rows,
    network_problems,
    network_run,
    network_runs,
    size_rows,
)
from zslib.datasets import synthetic_pairs
from zslib.protocols.pairs.runs import run_image_text, short_clarel


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
    seeds, training, changes = network_run(problem, [3], n_batches=60, n_short=20)
    assert (seeds, training, asked["n_batches"]) == ([3], "paper", 20)
    assert asked["text_encoder"] == "paper"
    assert changes["learning_rate"] == 0.2
    assert (changes["n_batches"], changes["decay_every"]) == (60, 20)


def test_rows_tell_what_was_trained(problem):
    model = short_clarel(problem, n_batches=20, batch_size=8, learning_rate=2.0, log_every=5)
    run = run_image_text(model, problem, [0], must_learn=False)
    sizes = {row["metric"]: row["value"] for row in size_rows(problem, {"network": run})}
    assert sizes == {
        "parameters": run.test[0].n_parameters,
        "batches": 20,
        "learning rate": 2.0,
    }
    curve = {(row["metric"], row["batch"]): row["value"] for row in loss_rows(problem, run)}
    for point in run.test[0].learning_curve:
        assert curve["image retrieval", point["batch"]] == point["image_retrieval"]


def test_a_network_is_trained_where_the_chapter_has_its_peer(problem, monkeypatch):
    asked = []

    def trained(whole, seeds, **size):
        asked.append((whole.name, seeds, size["n_batches"]))
        return "network"

    monkeypatch.setattr(network, "clarel_problems", lambda names, **_: [problem])
    monkeypatch.setattr(network, "network_run", trained)
    runs = {problem: "mean of words"}
    both = {MEAN_OF_WORDS: "mean of words", NETWORK: "network"}
    assert network_problems("", [problem], seed=3) == {}
    sizes = network_problems("synthetic:60", [problem], seed=3)
    assert network_runs(sizes, runs, 3, quick=True) == ({problem: both}, {})
    assert network_runs({}, runs, 3) == ({}, {})
    assert asked == [(problem.name, [3], 20)]

    def at_chance(*_, **__):
        raise ValueError("all candidates failed")

    monkeypatch.setattr(network, "network_run", at_chance)
    failed = {problem.name: "all candidates failed"}
    assert network_runs(sizes, runs, 3) == ({}, failed)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ("synthetic", "each data set needs its batches"),
        ("synthetic:²", "each data set needs its batches"),
        ("synthetic:0", "each data set needs its batches"),
        ("synthetic:10", "synthetic is not among the data of this run, which has other: name it"),
    ],
)
def test_sizes_that_name_nothing_are_refused(problem, sizes, words):
    with pytest.raises(ValueError, match=words):
        network_problems(sizes, [replace(problem, name="other")], seed=0)
