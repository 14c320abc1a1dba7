"""Who leads, what calibration adds, how far print is."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from book.results import Results
from chapters.dark import comparison
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import run_table, run_zero_shot
from zslib.protocols.intervals import Estimate


@pytest.fixture(scope="module")
def runs():
    """Of two systems, one of them in the place of DARK."""
    problem = digits_segments()
    methods = run_table(["ESZSL", "SAE"], problem, quick=True)
    return {problem: {"ESZSL": methods["ESZSL"], "DARK": methods["SAE"]}}


def test_the_lead_is_over_the_best_other_each_with_its_own_gamma(runs):
    (methods,) = runs.values()
    (own,), (other,) = methods["DARK"], methods["ESZSL"]
    best, gain = comparison.leads(runs, "H", calibration="chosen", n_resamples=100)
    assert best["value"] == "ESZSL"
    h = [run.outcome.at(run.gamma).harmonic_mean for run in (own, other)]
    assert gain["value"].mean == pytest.approx(h[0] - h[1])
    assert (gain["method"], gain["calibration"]) == ("DARK - best other", "chosen")


def test_as_printed_gamma_is_the_own_methods_alone_and_the_table_names_the_other(runs):
    ((problem, methods),) = runs.items()
    (own,), (other,) = methods["DARK"], methods["ESZSL"]
    table = {name: {"Average": {"H": h}} for name, h in (("DARK", 9), ("ESZSL", 2), ("ALE", 1))}
    three = {problem: methods | {"ALE": methods["DARK"], "ours": methods["DARK"]}}
    best, gain = comparison.lead_as_printed(three, 0.2, table, n_resamples=100)
    assert best["value"] == "ESZSL"
    expected = own.outcome.at(0.2).harmonic_mean - other.outcome.harmonic_mean
    assert gain["value"].mean == pytest.approx(expected)
    assert (gain["method"], gain["calibration"]) == ("DARK - best other", "as printed")


def test_another_gamma_is_not_called_the_papers(runs):
    assert not list(comparison.lead_as_printed(runs, 0.7, {}))
    assert comparison.gamma_sentence({}, 0.7).startswith("Not the paper but this run takes")
    names = {row["calibration"] for row in comparison.calibration_lifts(runs, 0.7)}
    assert names == {"γ = 0.7 - none", "chosen - none"}


def test_the_best_other_is_so_on_validation_classes(runs):
    ((problem, methods),) = runs.items()
    (run,) = methods["ESZSL"]

    def with_score(score):
        trial = {"parameters": run.parameters, "score": score, "gamma": 0.0, "H": -score}
        return replace(run, tuned=replace(run.tuned, trials=[trial]))

    given = {problem: {"A": [with_score(1.0)], "B": [with_score(2.0)], "DARK": [run]}}
    options = {"calibration": "none", "n_resamples": 100}
    assert next(comparison.leads(given, "ACC", **options))["value"] == "B"
    assert next(comparison.leads(given, "H", **options))["value"] == "A"


def test_each_value_of_a_choice_has_the_best_of_its_candidates(runs):
    ((problem, methods),) = runs.items()
    (run,) = methods["DARK"]
    rows = list(comparison.by_choice({problem: {"SAE": [run]}}, "SAE", "direction"))
    for value in {row["direction"] for row in rows}:
        score, accuracy = (row["value"] for row in rows if row["direction"] == value)
        trials = [t for t in run.tuned.trials if t["parameters"]["direction"] == value]
        assert score == max(trial["score"] for trial in trials)
        best = next(trial for trial in trials if trial["score"] == score)["parameters"]
        assert accuracy == run_zero_shot("SAE", problem, parameters=best).outcome.accuracy


def results(**methods):
    rows = Results(chapter=SimpleNamespace(failed={}))
    columns = [{"metric": "ACC"}] + [{"metric": "H", "calibration": c} for c in ("none", "fixed")]
    for method, values in methods.items():
        for column, v in zip(columns, values, strict=True):
            value = Estimate(v, v, v, 1)
            rows.append({"dataset": "CUB", "method": method, "value": value} | column)
    return rows


TABLE = {
    "ESZSL": {"CUB": {"ACC": 53.9, "H": 21.0}},
    "SAE": {"CUB": {"ACC": 33.3, "H": 13.6}},
    "other": {"CUB": {"ACC": 56.0, "H": 33.9}},
    "DARK": {"CUB": {"ACC": 62.5, "H": 41.6}},
}


def test_the_whole_table_has_what_is_not_built():
    ours = results(ESZSL=(50.0, 1.0, 2.0), DARK=(51.0, 3.0, 4.0))
    rows, heads = comparison.beside_print(TABLE, ours, 0.2)
    assert heads == ["", "CUB, paper", "CUB, ours"]
    assert rows == [
        ["ESZSL", "53.9 / 21.0", "50.0 / 1.0"],
        ["SAE", "33.3 / 13.6", "not run"],
        ["other", "56.0 / 33.9", "not built"],
        ["DARK", "62.5 / 41.6", "51.0 / 4.0"],
    ]


def test_the_printed_lead_is_over_the_best_other_of_the_same_data():
    lead = {"method": "DARK - best other", "metric": "ACC", "dataset": "cub"}
    others = [numbers["CUB"]["ACC"] for name, numbers in TABLE.items() if name != "DARK"]
    assert comparison.printed_lead(TABLE, lead) == TABLE["DARK"]["CUB"]["ACC"] - max(others)
    assert comparison.printed_lead(TABLE, lead | {"dataset": "ikea"}) is None
    assert comparison.printed_lead(TABLE, lead | {"method": "best other"}) is None


def test_three_systems_are_listed_with_a_comma():
    gaps = {"DARK": -9.0, "ALE": 1.0, "SJE": 0.0, "ESZSL": -1.0}
    assert "points below its printed accuracy, ALE, SJE and ESZSL are" in comparison.gap_message(
        gaps
    )


def test_lifts_are_differences_to_no_calibration(runs):
    rows = comparison.calibration_lifts(runs, 0.2)
    found = {(row["method"], row["calibration"]): row["value"].mean for row in rows}
    for methods in runs.values():
        for name, (run,) in methods.items():
            for kind, gamma in (("fixed", 0.2), ("chosen", run.gamma)):
                gain = run.outcome.at(gamma).harmonic_mean - run.outcome.harmonic_mean
                assert found[name, f"{kind} - none"] == pytest.approx(gain)
