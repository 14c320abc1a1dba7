"""Precision by number of training pairs."""

from __future__ import annotations

from zslib.datasets import load_problem
from zslib.mapping import RidgeMap
from zslib.protocols import evaluate
from zslib.protocols.mapping.fewer_pairs import precision_by_pairs


def test_all_pairs_give_the_map_of_the_whole_training_set():
    problem = load_problem("cross-linguistic", "synthetic", quick=True)
    rows = list(precision_by_pairs(problem, {"ridge": {"alpha": 1.0}}, (0.1, 1.0)))
    n = problem.X_train.shape[0]
    assert [row["pairs"] for row in rows] == [int(0.1 * n), n]
    whole = RidgeMap(alpha=1.0).fit(problem.X_train, problem.Y_train)
    hits = evaluate(problem, whole.transform(problem.X_test)).hits(1)
    assert rows[1]["value"].mean == hits.mean()
    assert rows[0]["value"].mean < rows[1]["value"].mean
