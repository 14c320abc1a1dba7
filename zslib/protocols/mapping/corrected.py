"""Trained maps under corrected search: do the two remedies against hubs add up?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslib.protocols.mapping.repeated import Repeated
from zslib.protocols.tidy import row

__all__ = ["CORRECTIONS", "corrected_precision", "first_queries", "gains_by_answer"]

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
    "CSLS on top of ridge": (("ridge", "CSLS"), ("ridge", "none")),
    "CSLS on top of max-margin": (("max-margin", "CSLS"), ("max-margin", "none")),
    "max-margin over ridge, neither corrected": (("max-margin", "none"), ("ridge", "none")),
    "max-margin over ridge, both corrected": (("max-margin", "CSLS"), ("ridge", "CSLS")),
    "corrected ridge over plain max-margin": (("ridge", "CSLS"), ("max-margin", "none")),
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


def corrected_precision(runs, methods, space, *, max_queries=None):
    """Rows: P@1 and hub answers of each method under each correction, and what CSLS adds."""
    fits = {method: runs.train(method) for method in methods}
    if max_queries is not None:
        # One problem may serve several seeds, and is then searched once.
        made = {id(p): first_queries(p, max_queries) for p in runs.problems}
        fewer, keep = zip(*(made[id(p)] for p in runs.problems), strict=True)
        for method, of in fits.items():
            fits[method] = [
                replace(fit, predictions=fit.predictions[rows])
                for fit, rows in zip(of, keep, strict=True)
            ]
        runs = Repeated(list(fewer), runs.seeds, runs.device, runs.quick)
    found = {}
    for method, of in fits.items():
        outcomes = runs.search(of, space, correction=CORRECTIONS)
        found |= {(method, name): [by[name] for by in outcomes] for name in CORRECTIONS}
    data = runs.problem.name
    for (method, name), outcomes in found.items():
        hits, hubs = [o.hits(1) for o in outcomes], [o.hub_answers() for o in outcomes]
        for metric, values in (("P@1", hits), ("hub answers", hubs)):
            yield row(data, metric, method, runs.estimate(values), correction=name, space=space)
    for question, pair in _GAINS.items():
        gain = runs.difference(*([o.hits(1) for o in found[part]] for part in pair))
        yield row(data, "P@1", question, gain, space=space)


def gains_by_answer(runs, found, base="ridge"):
    """Rows: P@1 gained over ``base`` from queries that it answers with a hub, and from others.

    ``found`` has the outcomes by method. The two parts add up to the gain over all queries.
    """
    hub = [o.hub_answers() > 0 for o in found[base]]
    parts = {
        " from hub queries": hub,
        " from other queries": [~h for h in hub],
        "": [np.ones_like(h) for h in hub],
    }
    for method in [m for m in found if m != base]:
        gain = [a.hits(1) - b.hits(1) for a, b in zip(found[method], found[base], strict=True)]
        for where, part in parts.items():
            value = runs.estimate([g * p for g, p in zip(gain, part, strict=True)])
            yield row(runs.problem, f"gain in P@1 over {base}{where}", method, value)
    share = runs.estimate([100.0 * h for h in hub])
    yield row(runs.problem, "share of the queries that it answers with a hub", base, share)
