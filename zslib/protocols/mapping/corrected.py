"""Trained maps under corrected search: do the two remedies against hubs add up?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslib.protocols.mapping.measures import over_queries, search_measures
from zslib.protocols.mapping.repeated import Repeated
from zslib.protocols.tidy import row

__all__ = [
    "CORRECTIONS",
    "add_up",
    "corrected",
    "corrected_precision",
    "first_queries",
    "gains_by_answer",
    "two_lists",
    "who_gains",
    "with_and_without",
]

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
    "both remedies over plain ridge": (("max-margin", "CSLS"), ("ridge", "none")),
}
_SHORTFALL = "CSLS on top of max-margin, less on top of ridge"


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
    """Outcomes of each method under each correction: ``{method: {correction: outcomes}}``.

    ``max_queries`` are as many of the test items, evenly spaced; 0 stands for all.
    """

    def of_fold(fold):
        fits = {method: fold.train(method) for method in methods}
        if max_queries:
            # One problem may serve several seeds, and is then searched once.
            made = {id(p): first_queries(p, max_queries) for p in fold.problems}
            fewer, keep = zip(*(made[id(p)] for p in fold.problems), strict=True)
            for method, of in fits.items():
                fits[method] = [
                    replace(fit, predictions=fit.predictions[rows])
                    for fit, rows in zip(of, keep, strict=True)
                ]
            fold = Repeated(list(fewer), fold.seeds, fold.device, fold.quick)
        found = {}
        for method, of in fits.items():
            outcomes = fold.search(of, space, correction=corrections)
            found[method] = {name: [by[name] for by in outcomes] for name in corrections}
        return found

    return runs.each(of_fold)


def corrected_precision(problem, found, space):
    """Rows: P@1 and hub answers of what `corrected` found, and what the two remedies bring."""
    measures = search_measures(["P@1", "hub answers"])
    for method, by in found.items():
        for name, outcomes in by.items():
            for metric, estimate in measures.items():
                value = estimate(outcomes)
                yield row(problem, metric, method, value, correction=name, space=space)
    if not {"ridge", "max-margin"} <= set(found):
        return
    hits = {
        (method, name): [outcome.hits(1) for outcome in found[method][name]]
        for method in ("ridge", "max-margin")
        for name in ("none", "CSLS")
    }
    gains = {
        gain: [a - b for a, b in zip(hits[of], hits[minus], strict=True)]
        for gain, (of, minus) in _GAINS.items()
    }
    parts = [gains[f"CSLS on top of {method}"] for method in ("max-margin", "ridge")]
    gains[_SHORTFALL] = [a - b for a, b in zip(*parts, strict=True)]
    for gain, values in gains.items():
        yield row(problem, "P@1", gain, over_queries(values, found["ridge"]["none"]), space=space)


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
            value = over_queries([g * p for g, p in zip(gain, part, strict=True)], found[base])
            yield row(runs.problem, f"gain in P@1 over {base}{where}", method, value)
    share = over_queries([100.0 * h for h in hub], found[base])
    yield row(runs.problem, "share of the queries that it answers with a hub", base, share)


def with_and_without(found, methods, correction="CSLS"):
    """Of what `corrected` found, the outcomes with no correction and with one, by "a", "a + b"."""
    return {
        method if name == "none" else f"{method} + {name}": found[method][name]
        for method in methods
        if method in found
        for name in ("none", correction)
    }


def who_gains(results):
    """What `gains_by_answer` found for max-margin, in a sentence for each data set."""
    told = []
    for data in results.of("dataset"):
        of = results.only(dataset=data, method="max-margin")
        hub, other = (
            of.value(metric=f"gain in P@1 over ridge from {which} queries")
            for which in ("hub", "other")
        )
        share = results.value(dataset=data, method="ridge").mean
        told.append(
            f"On {data}, ridge answers {share:.0f}% of the queries with a hub; max-margin gains "
            f"{hub} points from these and {other} from the others."
        )
    return " ".join(told)


def add_up(results):
    """Whether the two remedies add up, in a sentence for each data set of the `results`."""
    told = []
    for data in results.of("dataset"):
        of = results.only(dataset=data)
        on_ridge, on_margin, less = (
            of.value(method=method)
            for method in ("CSLS on top of ridge", "CSLS on top of max-margin", _SHORTFALL)
        )
        answer = less.side(
            "each helps the other more than it helps alone",
            "they add up only in part, since they cure some of the same",
            "whether they add up in full or in part cannot be told",
        )
        if less.high < 0 and not on_margin.low > 0:
            answer = "they do not add up: what one cures, the other finds cured"
        left = of.value(method="max-margin over ridge, both corrected")
        still = left.side("still gains on ridge", "loses to ridge", "cannot be told from ridge")
        told.append(
            f"On {data}, CSLS brings ridge {on_ridge} points and max-margin {on_margin}, a "
            f"difference of {less}: {answer}. With both corrected max-margin {still} ({left})."
        )
    return " ".join(told)


def two_lists(results, in_the_paper):
    """What the list of training pairs changes, in sentences; the paper's gain for comparison."""
    gains = {
        data: results.value(dataset=data, method="max-margin - ridge")
        for data in results.of("dataset")
    }
    said = "; ".join(f"{gain} on {data}" for data, gain in gains.items())
    kinds = {gain.side("gains", "loses", "neither") for gain in gains.values()}
    lead = "Whether the list matters cannot be told. "
    if max(g.low for g in gains.values()) > min(g.high for g in gains.values()):
        lead = "The headline depends on the list. "
    elif len(kinds) == 1 and "neither" not in kinds:
        lead = f"The lists agree: max-margin {kinds.pop()}. "
    lead *= len(gains) > 1
    return f"{lead}Over ridge max-margin gains {said}, against {in_the_paper:.1f} in the paper."
