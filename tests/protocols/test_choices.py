"""Choices are taken over where an earlier run made them, and noted where this one does."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from zslib.compatibility import CLAREL, MetricLearner
from zslib.datasets.attributes.synthetic import synthetic_attributes
from zslib.protocols import METHODS, ZERO_SHOT_METHODS, run_zero_shot, tune, tune_zero_shot
from zslib.protocols.attributes.tuning import seen_as
from zslib.protocols.choices import Choices, install, told_apart
from zslib.protocols.sweep import sweep

GRID = {"alpha": (1.0, 2.0, 3.0)}
ANEW = "choose anew with `-p tune true` and publish"
RIDGE = "ridge on words: seed=0"
TODAY = {"date": "2026-11-21", "parameters": {"seed": 0}, "data": ["words"]}


@pytest.fixture(scope="module")
def problem():
    return synthetic_attributes("CUB", scale=0.05, n_features=16)


def attempt(parameters):
    if parameters["alpha"] == 3.0:
        raise ValueError("diverged")
    return {"score": -abs(parameters["alpha"] - 1.9)}


def never(parameters):
    raise AssertionError("attempted")


def made():
    choices = Choices()
    install(choices)
    return choices, sweep(GRID, attempt, "ridge on words", seed=0)


def test_what_is_not_known_is_attempted_and_noted():
    choices, trials = made()
    install(None)
    assert trials == sweep(GRID, attempt, "ridge on words", seed=0)
    assert choices.summary() == {"taken": {}, "made": 1}
    assert choices.entries(**TODAY) == [{"choice": RIDGE, **TODAY, "trials": trials}]


def test_what_is_known_is_not_attempted_and_keeps_its_date(tmp_path):
    first, trials = made()
    (tmp_path / "chosen.json").write_text(first.text(**TODAY))
    second = Choices.read(tmp_path / "chosen.json")
    install(second)
    # The values of today's grid have no say.
    assert sweep({"alpha": (7.0,)}, never, "ridge on words", seed=0) == trials
    with pytest.raises(AssertionError, match="attempted"):
        sweep(GRID, never, "ridge on words", seed=1)
    sweep({"beta": (1,)}, lambda p: {"score": 0.0}, "another")
    assert second.summary() == {"taken": {"2026-11-21": 1}, "made": 1}
    dates = {e["choice"]: e["date"] for e in second.entries(**TODAY | {"date": "2027-01-01"})}
    assert dates == {RIDGE: "2026-11-21", "another": "2027-01-01"}


def test_of_two_files_the_first_is_followed(tmp_path):
    for file, names in (("own", "a"), ("other", "ab")):
        trials = [{"parameters": {"alpha": 1.0}, "score": 0.5, "of": file}]
        entries = [{"choice": name, **TODAY, "trials": trials} for name in names]
        (tmp_path / file).write_text(json.dumps(entries))
    found = Choices.read(*(tmp_path / file for file in ("own", "other", "none")))
    grid = [{"alpha": 2.0}]
    assert [found.find(name, grid)[0]["of"] for name in "ab"] == ["own", "other"]
    assert found.find("c", grid) is None


def test_what_was_known_and_not_asked_for_is_dropped():
    first, _ = made()
    assert Choices(first.entries(**TODAY)).entries(**TODAY) == []


def test_no_change_of_a_trial_reaches_what_is_kept():
    choices, trials = made()
    trials[0]["parameters"]["alpha"] = 9.0
    assert choices.made[RIDGE][0]["parameters"] == {"alpha": 1.0}


def test_every_kind_of_setting_comes_back_as_it_was(tmp_path):
    values = [0.1 + 0.2, 1e-300, 7, "gcv", None, True, (64, (32,)), [1, (2.5,)], math.inf]
    trials = [{"parameters": {"x": value}, "score": 1 / 3} for value in values]
    choices = Choices()
    assert choices.note("all", trials) == trials
    path = tmp_path / "chosen.json"
    path.write_text(choices.text(**TODAY))
    found = Choices.read(path).find("all", [{"x": 0}])
    assert found == trials
    assert [type(t["parameters"]["x"]) for t in found] == [type(v) for v in values]
    of_numpy = [{"parameters": {"x": np.int64(3)}, "H": np.float64(np.nan)}]
    (plain,) = choices.note("numpy", of_numpy)
    assert [type(v) for v in (plain["parameters"]["x"], plain["H"])] == [int, float]
    assert math.isnan(plain["H"])
    with pytest.raises(TypeError, match=r"to be kept in a file, got .* of type MetricLearner"):
        choices.note("object", [{"parameters": {"x": MetricLearner(2)}}])


def test_two_choices_of_one_name_are_refused():
    made()
    sweep(GRID, attempt, "ridge on words", seed=0)  # the same again
    with pytest.raises(ValueError, match=r"'ridge on words: seed=0' was chosen twice"):
        sweep(GRID, lambda parameters: {"score": 0.0}, "ridge on words", seed=0)


def test_an_old_parameter_is_named_with_its_method_and_file(tmp_path):
    first, _ = made()
    (tmp_path / "chosen.json").write_text(first.text(**TODAY).replace("alpha", "strength"))
    install(Choices.read(tmp_path / "chosen.json"))
    words = (
        rf"chosen\.json: the choice '{RIDGE}' names the parameters strength, .* are alpha: {ANEW}"
    )
    with pytest.raises(ValueError, match=words):
        sweep(GRID, attempt, "ridge on words", seed=0)


NO_JSON = ["[{", "\xff"]
NO_LIST = [
    *("[1]", "{}", "7"),
    '[{"choice": "a", "date": "2026-11-21"}]',
    '[{"choice": "a", "date": "soon", "trials": []}]',
    '[{"choice": "a", "date": "2026-11-21", "trials": [1]}]',
]


@pytest.mark.parametrize("text", NO_JSON + NO_LIST)
def test_a_file_that_cannot_be_read_is_named_with_what_to_do(tmp_path, text):
    path = tmp_path / "chosen.json"
    path.write_bytes(text.encode("latin-1"))
    message = "is no readable JSON" if text in NO_JSON else "is no list of choices"
    with pytest.raises(ValueError, match=rf"chosen\.json {message}.*{ANEW}"):
        Choices.read(path)


def test_lengths_and_seeds_do_not_tell_choices_apart():
    model = MetricLearner(8, n_epochs=3, random_state=1, negatives="uncertainty")
    assert told_apart(model) == told_apart(model.set_params(n_epochs=30, random_state=2))
    assert told_apart(model)["negatives"] == "uncertainty"
    model = CLAREL(n_batches=600, log_every=15)
    assert told_apart(model) == told_apart(model.set_params(n_batches=400, log_every=10))
    assert told_apart({"n_iter": 5, "batch_size": 32}) == {"batch_size": 32}


def test_a_run_takes_over_what_an_earlier_one_chose(problem, monkeypatch):
    first = Choices()
    install(first)
    run = run_zero_shot("ESZSL", problem, quick=True)
    (choice,) = first.made
    assert choice.startswith(f"ESZSL on {problem.name}: features=")
    install(Choices(json.loads(first.text(**TODAY))))
    monkeypatch.setattr("zslib.protocols.attributes.tuning._validated", never)
    # The whole grid, too, takes what the coarser one found.
    for quick in (True, False):
        again = run_zero_shot("ESZSL", problem, quick=quick)
        for name in ("parameters", "gamma", "tuned"):
            assert getattr(again, name) == getattr(run, name)


def test_other_classes_other_seeds_and_other_methods_are_other_choices(problem):
    choices = Choices()
    install(choices)
    one, other = (replace(ZERO_SHOT_METHODS[n], grid={}).smaller() for n in ("ESZSL", "SAE"))
    for options in (
        {},
        {"seeds": [1]},
        {"split": "random"},
        {"split": "random", "fraction": 0.3},
        {"method": other},
    ):
        tune_zero_shot(**{"method": one, "problem": problem, "must_learn": False} | options)
    assert len(choices.made) == 5
    names = problem.class_names[::-1]
    assert seen_as(problem) != seen_as(replace(problem, class_names=names))


def test_a_mapping_takes_over_its_number_of_epochs(languages, monkeypatch):
    few = {"margin": (0.1, 0.4), "n_negatives": (2,)}
    first = Choices()
    install(first)
    tuned = tune(replace(METHODS["max-margin"], grid=few, updates=(20, 40)), languages)
    assert set(tuned.parameters) == {"margin", "n_negatives", "n_epochs"}
    install(Choices(first.entries(**TODAY)))
    monkeypatch.setattr("zslib.protocols.mapping.tuning._validated", never)
    assert tune(METHODS["max-margin"], languages) == tuned
