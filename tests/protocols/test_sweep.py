"""Sweeps against their definition, with a problem that counts how often it is worked on."""

import importlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import zslib.protocols.sweep as sweep_module
from zslib.compatibility import SAE, Centred
from zslib.protocols import choices
from zslib.protocols.sweep import (
    best_that_trains,
    beyond_the_ends,
    kept,
    mean_trial,
    most_regular,
    ranked,
    sweep,
)
from zslib.validation import check_trained

GRID = {"step": (0.1, 1.0, 10.0), "depth": (1, 2)}


DIVERGED = {"failed": "diverged"}


def attempt(parameters):
    if parameters["step"] > 5:
        raise ValueError("diverged")
    return {"score": -abs(parameters["step"] - 1.0)}


def test_trials_are_in_the_order_of_the_grid_and_failures_are_noted():
    expected = [
        {"parameters": {"depth": depth, "step": step}, **found}
        for depth in (1, 2)
        for step, found in ((0.1, {"score": -0.9}), (1.0, {"score": 0.0}), (10.0, DIVERGED))
    ]
    assert sweep(GRID, attempt, "toy") == expected
    # So may one beyond the grid.
    trials = sweep({"step": (0.1, 1.0)}, attempt, "toy")
    assert trials[2:] == [{"parameters": {"step": 10.0}, **DIVERGED}]


def test_the_grid_goes_on_where_the_best_lies_at_its_end():
    tried = []

    def peak(parameters):
        tried.append(parameters["step"])
        return {"score": -abs(np.log10(parameters["step"]) - 2.1)}

    trials = sweep({"step": (0.1, 1.0), "depth": ("a", "b")}, peak, "toy")
    assert tried == [0.1, 1.0, 0.1, 1.0, 10.0, 100.0, 1000.0]
    assert ranked(trials, "score")[0]["parameters"] == {"step": 100.0, "depth": "a"}
    assert beyond_the_ends(trials, "score") == []


@pytest.mark.parametrize(
    ("values", "peak", "limits", "expected"),
    [
        ((0.1, 0.2, 0.4), 0.0, None, [0.05, 0.025, 0.0125, 0.00625]),
        ((0.1, 0.2, 0.4), 0.0, (0.04, None), [0.05, 0.04]),
        ((5, 20), 100, None, [80, 320]),
        ((1, 2), 0, None, []),
        ((0.0, 1.0), -1.0, None, []),
        ((True, False), 9, None, []),
        ((2.0,), 9.0, None, []),
    ],
)
def test_where_a_grid_goes_on(values, peak, limits, expected):
    limits = limits and {"a": limits}
    trials = sweep({"a": values}, lambda p: {"score": -abs(p["a"] - peak)}, "toy", limits=limits)
    assert [t["parameters"]["a"] for t in trials] == [*values, *expected]


def test_the_best_are_tried_with_every_seed():
    calls = []

    def noisy(parameters, seeds):
        calls.append((parameters["depth"], tuple(seeds)))
        if parameters["depth"] == 9 and len(seeds) > 1:
            raise ValueError("fails with another seed")
        return {"score": parameters["depth"] + sum(seeds)}

    depths = list(range(10))
    trials = sweep({"depth": depths}, noisy, "toy", seeds=(0, 1, 2), limits={"depth": (0, 9)})
    assert calls[:10] == [(depth, (0,)) for depth in depths]
    assert calls[10:] == [(depth, (0, 1, 2)) for depth in (9, 8, 7, 6)]
    assert [t["parameters"]["depth"] for t in ranked(trials, "score")][:4] == [8, 7, 6, 5]
    assert [t.get("n_seeds") for t in trials] == [1] * 6 + [3, 3, 3, None]
    assert "another seed" in trials[9]["failed"]


def test_candidates_are_told_to_who_asked(capsys):
    told = []
    choices.install(None, told.append)
    sweep({"step": (1.0, 10.0), "depth": (1, 2)}, lambda p, seeds: attempt(p), "toy", seeds=(0, 1))
    choices.install(None)
    sweep(GRID, attempt, "toy")
    assert told[:4] == ["candidate 1 of 4 of toy", "", "candidate 2 of 4 of toy", ""]
    assert told[8:10] == ["candidate 1 of 4 of toy, 2 seeds", ""]
    assert told[-2:] == ["beyond the grid of toy", ""]
    assert capsys.readouterr() == ("", "")


def test_a_rounding_makes_no_candidate_better():
    trials = sweep({"depth": (1, 2)}, lambda p: {"score": (0.3, 0.1 + 0.2)[p["depth"] - 1]}, "toy")
    assert trials[0]["score"] < trials[1]["score"]
    assert ranked(trials, "score") == trials


def test_means_over_seeds():
    found = [{"a": 1.0, "b": 4}, {"a": 2.0, "b": 0}]
    assert mean_trial(found) == {"a": 1.5, "b": 2.0}
    assert mean_trial(found, each="b") == {"a": 1.5, "b": 2.0, "each b": [4, 0]}


# Rate, penalty and the score of each of four draws. The best has rate 0.9; it leads the next three
# by 0.5 with a standard error of 0.54, by 0.5 with 0.29, and by 1 with 1; the last has two draws.
TABLE = [
    (0.9, 0.1, [50.0, 52.0, 48.0, 50.0]),
    (0.3, 0.1, [50.0, 50.0, 48.5, 49.5]),
    (0.1, 1.0, [49.0, 51.0, 48.0, 50.0]),
    (0.3, 0.2, [50.0, 52.0, 48.0, 46.0]),
    (0.1, 9.0, [47.0, 52.0]),
]


def table(*chosen):
    trials = []
    for rate, penalty, each in (TABLE[i] for i in chosen):
        found = {"score": np.mean(each), "each score": each, "n_seeds": len(each)}
        trials.append({"parameters": {"rate": rate, "penalty": penalty}, **found})
    return trials


@pytest.mark.parametrize(
    ("chosen", "regular", "expected"),
    [
        ((0, 1, 2, 3, 4), {"rate": "least", "penalty": "most"}, 3),
        ((0, 1, 2), {"rate": "least", "penalty": "most"}, 1),
        ((0, 2, 4), {"rate": "least"}, 0),
        ((0, 1, 3), {"rate": "least"}, 1),  # of equals the better one
        ((0, 1, 3), {"penalty": "most"}, 3),
        ((0, 1, 2, 3, 4), {"penalty": "least", "rate": "most"}, 0),
    ],
)
def test_the_most_regular_within_one_standard_error(chosen, regular, expected):
    trials = table(*chosen)
    found = most_regular(trials, "score", regular)
    assert found is trials[chosen.index(expected)]
    others = [t for t in ranked(trials, "score") if t is not found]
    assert ranked(trials, "score", regular) == [found, *others]


def test_without_scores_of_draws_the_best_is_chosen():
    trials = [{k: v for k, v in t.items() if k != "each score"} for t in table(0, 1, 2)]
    assert ranked(trials, "score", {"rate": "least"}) == trials
    assert ranked([], "score", {"rate": "least"}) == []


def test_a_regular_choice_at_the_end_of_the_grid_extends_it():
    tried = []

    def noisy(parameters, seeds):
        tried.append(parameters["rate"])
        falls = max(0.0, 0.1 / parameters["rate"] - 1.0)
        scores = [{"score": 50.0 - falls + parameters["rate"] * (-1) ** seed} for seed in seeds]
        return mean_trial(scores, each="score")

    options = {"seeds": (0, 1, 2), "regular": {"rate": "least"}}
    trials = sweep({"rate": (0.1, 0.4)}, noisy, "toy", **options)
    assert sorted(set(tried)) == [0.025, 0.1, 0.4]
    assert tried.count(0.025) == 1  # its first draw is worse than each of theirs
    assert ranked(trials, "score", options["regular"])[0]["parameters"] == {"rate": 0.1}


@pytest.mark.parametrize(
    ("accuracy", "n_choices", "n_items", "fails"),
    [
        (0.1, 10, 1000, True),
        (0.1 + 2 * np.sqrt(0.09 / 1000), 10, 1000, True),
        (0.13, 10, 1000, False),
        (np.nan, 10, 1000, True),
        (0.9, 2, 4, False),  # a few items: half way from chance to all is enough
        (1.0, 1, 5, False),
    ],
)
def test_a_training_at_chance_has_failed(accuracy, n_choices, n_items, fails):
    if not fails:
        return check_trained(accuracy, n_choices, n_items)
    with pytest.raises(ValueError, match=r"training failed: .* chance is 10%"):
        check_trained(accuracy, n_choices, n_items)


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
    assert [one["parameters"] for one in passed_over] == [
        {"step": 1.0, "depth": d} for d in (1, 2)
    ]
    assert [one["failed"] for one in passed_over] == ["no depth of 1", "no depth of 2"]


def test_all_failing_says_why_the_first_did():
    def never(parameters):
        raise ValueError(f"not with {parameters['depth']}")

    message = "all 2 candidates of toy failed, the first with: not with 1"
    grid = {"depth": (1, 2)}
    with pytest.raises(ValueError, match=message):
        sweep(grid, never, "toy")
    trials = sweep(grid, lambda parameters: {"score": 0.0}, "toy")
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


def test_a_result_depends_on_the_code_of_a_scorer_in_a_scorer(monkeypatch):
    asked = []
    monkeypatch.setattr(sweep_module, "_code_digest", lambda *modules: str(asked.append(modules)))
    kept(lambda model, problem: None, Centred(SAE()), Problem())
    assert {"zslib.compatibility.centred", "zslib.compatibility.sae"} <= set(asked[0])


def test_a_result_is_kept_by_all_that_it_depends_on():
    CALLS.clear()
    for _ in range(2):
        assert kept(work, 3, Problem(), factor=2) == ("nowhere", 6)
    assert CALLS == [(3, "a", 2)]
    for model, problem, factor in ((4, Problem(), 2), (3, Problem("b"), 2), (3, Problem(), 1)):
        kept(work, model, problem, factor=factor)
    assert kept(work, 3, Problem(), factor=2, device="cpu")[0] == "cpu"
    assert len(CALLS) == 5
    # What a model is known by stands for it.
    kept(work, 3, Problem(), known_by="three")
    assert kept(work, 5, Problem(), known_by="three") == ("nowhere", 3)
    assert len(CALLS) == 6
    # Another number of threads rounds in another way.
    with threadpool_limits(3, user_api="blas"):
        kept(work, 3, Problem(), factor=2)
    assert len(CALLS) == 7


def test_nothing_is_kept_of_code_that_may_change_unseen(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "one_file.py").write_text(
        "from zslib.compatibility import SAE\nclass Own(SAE):\n    pass\n"
    )
    own = importlib.import_module("one_file").Own
    here = type("Own", (SAE,), {"__module__": "__main__"})
    gone = type("Own", (SAE,), {"__module__": "of_a_session"})
    for kind, n_calls in ((own, 1), (here, 2), (gone, 2)):
        for model in (kind(), Centred(kind())):
            CALLS.clear()
            for _ in range(2):
                kept(work, 3, Problem(), known_by=model)
            assert len(CALLS) == n_calls


MEETING = threading.Barrier(2)


def meet(model, problem):
    CALLS.append(model)
    try:
        MEETING.wait(0.5)
    except threading.BrokenBarrierError:
        return 1
    return 2


def test_without_a_cache_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="ZSLIB_CACHE"):
        assert kept(work, 3, Problem(), factor=2) == kept(work, 3, Problem(), factor=2)


def test_who_asks_at_the_same_time_waits_for_the_first():
    CALLS.clear()
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: kept(meet, 7, Problem()), range(2))) == [1, 1]
    assert CALLS == [7]
