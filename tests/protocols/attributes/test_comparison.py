"""Tables over many systems: who leads, what calibration adds, how large hubs are."""

from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import run_table
from zslib.protocols.attributes.comparison import (
    calibration_lifts,
    chosen_settings,
    hub_correlations,
    hub_measures,
    leads,
    pollution_measure,
)


@pytest.fixture(scope="module")
def runs():
    problem = digits_segments()
    return {problem: run_table(["ESZSL", "SAE"], problem, quick=True)}


def test_the_lead_is_over_the_best_other_at_the_same_calibration(runs):
    (methods,) = runs.values()
    (own,), (other,) = methods["SAE"], methods["ESZSL"]
    best, gain = leads(runs, "H", calibration=0.2, name="fixed", own="SAE", n_resamples=100)
    assert best["value"] == "ESZSL"
    expected = own.outcome.at(0.2).harmonic_mean - other.outcome.at(0.2).harmonic_mean
    assert gain["value"].mean == pytest.approx(expected)
    assert (gain["method"], gain["calibration"]) == ("SAE - best other", "fixed")


def test_lifts_are_differences_to_no_calibration(runs):
    found = {row["method"]: row["value"].mean for row in calibration_lifts(runs, 0.2)}
    for methods in runs.values():
        for name, (run,) in methods.items():
            plain = run.outcome.harmonic_mean
            assert found[f"{name}: fixed - none"] == pytest.approx(
                run.outcome.at(0.2).harmonic_mean - plain
            )
            assert found[f"{name}: chosen - none"] == pytest.approx(
                run.outcome.at(run.gamma).harmonic_mean - plain
            )


def test_settings_are_those_of_the_first_run(runs):
    rows = list(chosen_settings(runs))
    for (run,) in next(iter(runs.values())).values():
        own = {row["metric"]: row["value"] for row in rows if row["method"] == run.method}
        assert own["chosen gamma"] == run.gamma
        assert all(own[f"chosen {name}"] == value for name, value in run.parameters.items())


def test_hubs_and_pollution_count_first_answers(runs):
    ((problem, methods),) = runs.items()
    (run,) = found = methods["SAE"]
    counts = np.bincount(run.outcome.predictions("ACC"), minlength=len(problem.is_seen))
    unseen = counts[problem.unseen_classes]
    value = hub_measures()["largest hub over the mean, unseen"](found).mean
    assert value == pytest.approx(unseen.max() / unseen.mean())
    polluted = problem.is_seen[run.outcome.at(run.gamma).predictions("unseen")].mean()
    assert pollution_measure("chosen")(found).mean == pytest.approx(100 * polluted)
    (row,) = hub_correlations(runs, "rank correlation")
    assert row["value"] in (pytest.approx(-1), pytest.approx(0), pytest.approx(1))
