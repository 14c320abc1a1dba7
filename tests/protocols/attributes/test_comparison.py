"""What systems chose, how large hubs are, how much is polluted."""

import numpy as np
import pytest

from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import run_table
from zslib.protocols.attributes.comparison import chosen_settings, hub_measures, pollution_measure


@pytest.fixture(scope="module")
def runs():
    problem = digits_segments()
    return {problem: run_table(["ESZSL", "SAE"], problem, quick=True)}


def test_settings_are_those_of_the_first_run(runs):
    rows = list(chosen_settings(runs))
    for (run,) in next(iter(runs.values())).values():
        own = (row for row in rows if row["method"] == run.method)
        found = {row["metric"]: row.get("choice", row["value"]) for row in own}
        expected = run.parameters | {"gamma": run.gamma}
        assert {name: found[f"chosen {name}"] for name in expected} == expected


def test_hubs_and_pollution_count_first_answers(runs):
    ((problem, methods),) = runs.items()
    (run,) = own = methods["SAE"]
    counts = np.bincount(run.outcome.predictions("ACC"), minlength=len(problem.is_seen))
    unseen = counts[problem.unseen_classes]
    value = hub_measures()["largest hub over the mean, unseen"](own).mean
    assert value == pytest.approx(unseen.max() / unseen.mean())
    polluted = problem.is_seen[run.outcome.at(run.gamma).predictions("unseen")].mean()
    assert pollution_measure("chosen")(own).mean == pytest.approx(100 * polluted)
