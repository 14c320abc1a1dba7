"""Hubs and precision in generated worlds, one knob of the generator turned at a time."""

from zslib.datasets import synthetic_crosslingual
from zslib.mapping import MaxMarginMap, RidgeMap
from zslib.metrics import k_skewness
from zslib.protocols.intervals import over_runs
from zslib.protocols.mapping.outcome import evaluate, gold_queries

MEASURES = {
    "P@1, %": over_runs(lambda outcome: outcome.hits(1).mean()),
    "largest hub": over_runs(lambda outcome: outcome.largest_hub),
    "hub answers, %": over_runs(lambda outcome: outcome.hub_answers().mean()),
    "skewness of N_20": over_runs(lambda outcome: k_skewness(outcome.counts)),
}


def world_outcomes(seeds, *, n_epochs, **sizes):
    """Outcomes of gold, ridge and max-margin queries, one for each seed's world.

    Max-margin has fixed parameters: tuned for each world, what was chosen would hide the knob.
    Ridge chooses its penalty by generalised cross-validation.
    """
    outcomes = {"gold": [], "ridge": [], "max-margin": []}
    for seed in seeds:
        problem = synthetic_crosslingual(seed=seed, **sizes)
        outcomes["gold"].append(evaluate(problem, gold_queries(problem)))
        ranking = MaxMarginMap(n_epochs=n_epochs, random_state=seed)
        for name, mapping in (("ridge", RidgeMap(alpha="gcv")), ("max-margin", ranking)):
            mapping.fit(problem.X_train, problem.Y_train)
            outcomes[name].append(evaluate(problem, mapping.transform(problem.X_test)))
    return outcomes
