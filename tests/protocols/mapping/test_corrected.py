"""Which queries a correction is tried on, and where a gain comes from."""

import numpy as np
import pytest

from zslib.protocols import repeat
from zslib.protocols.mapping.corrected import (
    CORRECTIONS,
    corrected,
    first_queries,
    gains_by_answer,
    remedies,
    with_and_without,
)


@pytest.fixture(scope="module")
def runs():
    return repeat("cross-linguistic", "synthetic", n_seeds=2, quick=True)[0]


def test_first_queries_are_evenly_spaced_and_keep_their_answers(languages):
    fewer, keep = first_queries(languages, 5)
    assert (keep[0], keep[-1]) == (0, len(languages.test_gold) - 1)
    assert np.ptp(np.diff(keep)) <= 1
    np.testing.assert_array_equal(fewer.X_test, languages.X_test[keep])
    for found, row in zip(fewer.test_gold, keep, strict=True):
        np.testing.assert_array_equal(found, languages.test_gold[row])


def test_gains_of_both_kinds_of_queries_add_up(runs):
    outcomes = runs.outcomes({"ridge": "ridge", "gold": "gold"})
    rows = gains_by_answer(runs.problem, outcomes)
    value = {(row["metric"], row["method"]): row["value"].mean for row in rows}
    over = "gain in P@1 over ridge"
    parts = [value[f"{over} from {which} queries", "gold"] for which in ("hub", "other")]
    assert sum(parts) == pytest.approx(value[over, "gold"])
    stuck = np.mean([(o.hub_answers() > 0).mean() for o in outcomes["ridge"]])
    share = value["share of the queries that it answers with a hub", "ridge"]
    assert share == pytest.approx(100 * stuck)


def test_gains_are_those_of_a_corrected_search(runs, short_tuning):
    outcomes = corrected(runs, ["ridge", "max-margin"], "full")
    assert outcomes["ridge"].keys() == CORRECTIONS.keys()
    flat = with_and_without(outcomes, ["ridge", "max-margin", "orthogonal"])
    hits = {name: np.mean([o.hits(1).mean() for o in seeds]) for name, seeds in flat.items()}
    assert len(set(hits.values())) == 4
    searched = runs.outcomes(["ridge"], correction="csls")["ridge"]
    assert hits["ridge + CSLS"] == np.mean([o.hits(1).mean() for o in searched])
    rows = remedies(runs.problem, flat, "full")
    gains = {row["method"]: row["value"].mean for row in rows}
    on_ridge, on_margin = (hits[f"{name} + CSLS"] - hits[name] for name in ("ridge", "max-margin"))
    assert gains["CSLS on top of ridge"] == pytest.approx(on_ridge)
    less = gains["CSLS on top of max-margin, less on top of ridge"]
    assert less == pytest.approx(on_margin - on_ridge)
    both = hits["max-margin + CSLS"] - hits["ridge"]
    assert gains["both remedies over plain ridge"] == pytest.approx(both)
