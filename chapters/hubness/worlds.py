"""Hubs and precision in generated worlds, one knob of the generator turned at a time."""

from __future__ import annotations

from zslib.datasets import synthetic_crosslingual
from zslib.mapping import MaxMarginMap, RidgeMap
from zslib.metrics import k_skewness
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.mapping.outcome import evaluate, gold_queries

__all__ = ["turned_knob"]

_MEASURES = {
    "P@1, %": lambda found: float(found.hits(1).mean()),
    "largest hub": lambda found: float(found.largest_hub),
    "hub answers, %": lambda found: float(found.hub_answers().mean()),
    "skewness of N_20": lambda found: k_skewness(found.counts),
}


def turned_knob(knob, values, seeds, *, n_epochs=15, **sizes):
    """Rows: measures of gold, ridge and max-margin queries for each value of a generator's knob.

    The maps have fixed parameters: tuned at each point, what was chosen would hide the knob.
    """
    for value in values:
        found = {"gold": [], "ridge": [], "max-margin": []}
        for seed in seeds:
            problem = synthetic_crosslingual(seed=seed, **sizes | {knob: value})
            found["gold"].append(evaluate(problem, gold_queries(problem)))
            ranking = MaxMarginMap(n_epochs=n_epochs, random_state=seed)
            for name, mapping in (("ridge", RidgeMap(alpha="gcv")), ("max-margin", ranking)):
                mapping.fit(problem.X_train, problem.Y_train)
                found[name].append(evaluate(problem, mapping.transform(problem.X_test)))
        for metric, measure in _MEASURES.items():
            for method, outcomes in found.items():
                estimate = mean_estimate([measure(o) for o in outcomes])
                yield {"metric": metric, "value": estimate, "method": method, knob: value}
