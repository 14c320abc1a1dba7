"""Trained maps under corrected search: do the two remedies against hubs add up?"""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from zslib.protocols.mapping.measures import over_queries
from zslib.protocols.mapping.repeated import Repeated
from zslib.protocols.tidy import row

CORRECTIONS = {
    "none": None,
    "globally corrected": "globally_corrected",
    "CSLS": "csls",
    "inverted softmax": "inverted_softmax",
    "mutual proximity": "mutual_proximity",
    "local scaling": "local_scaling",
}
"""Names as in tables, and as `zslib.search.top_k` takes them."""

_GAINS = {
    "CSLS on top of ridge": ("ridge + CSLS", "ridge"),
    "CSLS on top of max-margin": ("max-margin + CSLS", "max-margin"),
    "max-margin over ridge, neither corrected": ("max-margin", "ridge"),
    "max-margin over ridge, both corrected": ("max-margin + CSLS", "ridge + CSLS"),
    "corrected ridge over plain max-margin": ("ridge + CSLS", "max-margin"),
    "both remedies over plain ridge": ("max-margin + CSLS", "ridge"),
}


def first_queries(problem, n):
    """The problem with at most ``n`` of its test items, evenly spaced, and which they are."""
    m = len(problem.test_gold)
    keep = np.unique(np.linspace(0, m - 1, min(n, m)).astype(int))
    fewer = replace(
        problem,
        X_test=problem.X_test[keep],
        test_words=problem.test_words[keep],
        test_gold=tuple(problem.test_gold[i] for i in keep),
    )
    return fewer, keep


def corrected(runs, methods, space, *, max_queries=0, corrections=CORRECTIONS):
    """``{method: {correction: outcomes}}``, of ``max_queries`` test items at most; 0: of all."""

    def of_fold(fold):
        fits = {method: fold.train(method) for method in methods}
        if max_queries:
            # One problem may serve several seeds, and is then searched once.
            fewer = cache(partial(first_queries, n=max_queries))
            problems, kept = zip(*map(fewer, fold.problems), strict=True)
            fold = Repeated(list(problems), fold.seeds, fold.device, fold.quick)
            for method, trained in fits.items():
                fits[method] = [
                    replace(fit, predictions=fit.predictions[rows])
                    for fit, rows in zip(trained, kept, strict=True)
                ]
        found = {m: fold.search(fit, space, correction=corrections) for m, fit in fits.items()}
        return {
            method: {name: [seed[name] for seed in seeds] for name in corrections}
            for method, seeds in found.items()
        }

    return runs.each(of_fold)


def with_and_without(outcomes, methods):
    """Outcomes of `corrected` with no correction and with CSLS, by names "a" and "a + CSLS"."""
    return {
        method if name == "none" else f"{method} + {name}": outcomes[method][name]
        for method in methods
        if method in outcomes
        for name in ("none", "CSLS")
    }


def remedies(problem, outcomes, space):
    """Rows: differences in P@1 of `with_and_without`'s outcomes: what the two remedies bring.

    The last is by how much less CSLS brings max-margin than ridge, zero where both add up.
    """
    if not {"ridge", "max-margin"} <= set(outcomes):
        return
    hits = {name: np.array([run.hits(1) for run in runs]) for name, runs in outcomes.items()}
    gains = {gain: hits[more] - hits[less] for gain, (more, less) in _GAINS.items()}
    gains["CSLS on top of max-margin, less on top of ridge"] = (
        gains["CSLS on top of max-margin"] - gains["CSLS on top of ridge"]
    )
    for gain, values in gains.items():
        yield row(problem, "P@1", gain, over_queries(values, outcomes["ridge"]), space=space)


def gains_by_answer(problem, outcomes):
    """Rows: P@1 gained over ridge from queries that it answers with a hub, and from others.

    The two parts add up to the gain over all queries. Without ridge there are no rows.
    """
    if "ridge" not in outcomes:
        return
    ridge = outcomes["ridge"]
    hits = {name: np.array([run.hits(1) for run in runs]) for name, runs in outcomes.items()}
    hub = np.array([run.hub_answers() > 0 for run in ridge])
    parts = {" from hub queries": hub, " from other queries": ~hub, "": np.ones_like(hub)}
    for method in [name for name in outcomes if name != "ridge"]:
        for which, part in parts.items():
            value = over_queries((hits[method] - hits["ridge"]) * part, ridge)
            yield row(problem, f"gain in P@1 over ridge{which}", method, value)
    share = over_queries(100.0 * hub, ridge)
    yield row(problem, "share of the queries that it answers with a hub", "ridge", share)
