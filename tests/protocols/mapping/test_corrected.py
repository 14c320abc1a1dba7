"""Which queries a correction is tried on, and where a gain comes from."""

from __future__ import annotations

import numpy as np
import pytest

from book.results import Results
from zslib.protocols import Estimate, repeat
from zslib.protocols.mapping.corrected import (
    CORRECTIONS,
    add_up,
    corrected,
    corrected_precision,
    first_queries,
    gains_by_answer,
    two_lists,
)


@pytest.fixture(scope="module")
def runs():
    return repeat("cross-linguistic", "synthetic", n_seeds=2, quick=True)[0]


def test_first_queries_are_evenly_spaced_and_keep_their_answers(runs):
    problem = runs.problem
    fewer, keep = first_queries(problem, 5)
    assert keep[0] == 0
    assert keep[-1] == len(problem.test_gold) - 1
    assert np.ptp(np.diff(keep)) <= 1
    np.testing.assert_array_equal(fewer.X_test, problem.X_test[keep])
    assert all(
        (a == problem.test_gold[i]).all() for a, i in zip(fewer.test_gold, keep, strict=True)
    )


def test_gains_of_both_kinds_of_queries_add_up(runs):
    found = runs.outcomes({"ridge": "ridge", "gold": "gold"})
    rows = {(r["metric"], r["method"]): r["value"].mean for r in gains_by_answer(runs, found)}
    over = "gain in P@1 over ridge"
    parts = [rows[f"{over} from {which} queries", "gold"] for which in ("hub", "other")]
    assert sum(parts) == pytest.approx(rows[over, "gold"])
    stuck = np.mean([(o.hub_answers() > 0).mean() for o in found["ridge"]])
    share = rows["share of the queries that it answers with a hub", "ridge"]
    assert share == pytest.approx(100 * stuck)


def test_corrected_precision_is_that_of_a_corrected_search(runs, short_tuning):
    found = corrected(runs, ["ridge", "max-margin"], "full")
    rows = list(corrected_precision(runs.problem, found, "full"))
    value = {
        r["correction"]: r["value"].mean
        for r in rows
        if r["method"] == "ridge" and r["metric"] == "P@1"
    }
    assert value.keys() == CORRECTIONS.keys()
    searched = runs.outcomes(["ridge"], correction="csls")["ridge"]
    assert value["CSLS"] == np.mean([o.hits(1).mean() for o in searched])
    gain = next(r for r in rows if r["method"] == "CSLS on top of ridge")["value"].mean
    assert gain == pytest.approx(value["CSLS"] - value["none"])
    gains = {r["method"]: r["value"].mean for r in rows if "correction" not in r}
    assert gains["CSLS on top of max-margin, less on top of ridge"] == pytest.approx(
        gains["CSLS on top of max-margin"] - gains["CSLS on top of ridge"]
    )
    assert gains["both remedies over plain ridge"] == pytest.approx(
        gains["CSLS on top of ridge"] + gains["max-margin over ridge, both corrected"]
    )


@pytest.mark.parametrize(
    ("on_margin", "less", "said"),
    [
        ((2.0, 1.0, 3.0), (0.0, -1.0, 1.0), "cannot be told"),
        ((2.0, 1.0, 3.0), (-3.0, -4.0, -2.0), "only in part"),
        ((0.1, -1.0, 1.0), (-5.0, -6.0, -4.0), "do not add up"),
        ((9.0, 8.0, 10.0), (4.0, 3.0, 5.0), "helps the other"),
    ],
)
def test_whether_remedies_add_up_is_said_by_the_numbers(on_margin, less, said):
    values = {
        "CSLS on top of ridge": (5.0, 4.0, 6.0),
        "CSLS on top of max-margin": on_margin,
        "CSLS on top of max-margin, less on top of ridge": less,
        "max-margin over ridge, both corrected": (0.5, -2.0, 3.0),
    }
    rows = [{"dataset": "d", "method": m, "value": Estimate(*v, 3)} for m, v in values.items()]
    told = add_up(Results(None, rows))
    assert said in told
    assert "cannot be told from ridge" in told


@pytest.mark.parametrize(
    ("gains", "lead"),
    [
        ([(2, 1, 3)], "Over ridge"),
        ([(2, 1, 3), (3, 2, 4)], "The lists agree: max-margin gains."),
        ([(2, 1, 3), (0, -1, 0.9)], "The headline depends on the list."),
        ([(2, 1, 3), (0, -1, 1.1)], "Whether the list matters cannot be told."),
        ([(0, -1, 1), (0, -1, 1)], "Whether the list matters cannot be told."),
    ],
)
def test_lists_agree_only_where_there_are_several(gains, lead):
    told = {"method": "max-margin - ridge"}
    rows = [told | {"dataset": f"d{i}", "value": Estimate(*g, 3)} for i, g in enumerate(gains)]
    assert two_lists(Results(None, rows), 5.5).startswith(lead)
