"""Sweeps against their definition, with a problem that counts how often it is worked on."""

from dataclasses import dataclass

import numpy as np
import pytest

from zslib.protocols.sweep import best_that_trains, kept, ranked, sweep

GRID = {"step": (0.1, 1.0, 10.0), "depth": (1, 2)}


def attempt(parameters):
    if parameters["step"] > 5:
        raise ValueError("diverged")
    return {"score": -abs(parameters["step"] - 1.0)}


def test_trials_are_in_the_order_of_the_grid_and_failures_are_noted():
    trials = sweep(GRID, attempt, "toy")
    assert [(t["parameters"]["depth"], t["parameters"]["step"]) for t in trials] == [
        (depth, step) for depth in (1, 2) for step in (0.1, 1.0, 10.0)
    ]
    assert [t.get("failed") for t in trials] == [None, None, "diverged"] * 2
    assert [t.get("score") for t in trials] == [-0.9, 0.0, None] * 2


def test_equally_good_candidates_stay_in_the_order_tried():
    found = [t["parameters"] for t in ranked(sweep(GRID, attempt, "toy"), "score")]
    assert [(p["step"], p["depth"]) for p in found] == [(1.0, 1), (1.0, 2), (0.1, 1), (0.1, 2)]


def test_the_next_best_takes_the_place_of_what_cannot_be_trained():
    trials = sweep(GRID, attempt, "toy")

    def train(parameters):
        if parameters["step"] == 1.0:
            raise ValueError(f"no depth of {parameters['depth']}")
        return parameters["depth"]

    best, result, passed_over = best_that_trains(trials, "score", train, "toy")
    assert (best["parameters"], result) == ({"step": 0.1, "depth": 1}, 1)
    assert passed_over == [
        {"parameters": {"step": 1.0, "depth": depth}, "failed": f"no depth of {depth}"}
        for depth in (1, 2)
    ]


def test_all_failing_says_why_the_first_did():
    def never(parameters):
        raise ValueError(f"not with {parameters['depth']}")

    message = "all 2 candidates of toy failed, the first with: not with 1"
    with pytest.raises(ValueError, match=message):
        sweep({"depth": (1, 2)}, never, "toy")
    trials = sweep({"depth": (1, 2)}, lambda parameters: {"score": 0.0}, "toy")
    with pytest.raises(ValueError, match=message):
        best_that_trains(trials, "score", never, "toy")


@dataclass
class Problem:
    checksum: str = "a"
    device: str = "nowhere"

    def to(self, device):
        return Problem(self.checksum, device)


CALLS = []


def work(model, problem, factor=1):
    CALLS.append((model, problem.checksum, factor))
    return problem.device, factor * np.asarray(model)


def test_a_result_is_kept_by_all_that_it_depends_on():
    CALLS.clear()
    for _ in range(2):
        assert kept(work, 3, Problem(), factor=2) == ("nowhere", 6)
    assert CALLS == [(3, "a", 2)]
    kept(work, 4, Problem(), factor=2)
    kept(work, 3, Problem("b"), factor=2)
    kept(work, 3, Problem(), factor=1)
    assert kept(work, 3, Problem(), factor=2, device="cpu")[0] == "cpu"
    assert len(CALLS) == 5
    # What a model is known by stands for it.
    kept(work, 3, Problem(), known_by="three")
    assert kept(work, 5, Problem(), known_by="three") == ("nowhere", 3)
    assert len(CALLS) == 6
