"""Answers to images scored flat and in the hierarchy, beside labels drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zslib.datasets import label_sets, reading_edges, served
from zslib.protocols.hierarchy.answers import NearestTerms
from zslib.protocols.hierarchy.correct_sets import reading_hierarchy
from zslib.protocols.hierarchy.terms import CASES, term_runs, term_space
from zslib.protocols.intervals import mean_estimate, paired_difference

__all__ = ["Scored", "case_counts", "curve_rows", "other_tree", "score_rows", "scored_answers"]

_KS = tuple(range(1, 21))


@dataclass(frozen=True, eq=False)
class Scored:
    """What one map found for one case: hit@k and hp@k of each image for k = 1 to 20, by seed.

    ``nearest`` are the terms of the last seed, ``random`` hp@k of labels drawn at random.
    """

    case: dict
    method: str
    nearest: NearestTerms
    answers: list
    hits: list
    hp: list
    random: list


def scored_answers(dataset, lists, tree, maps, *, terms="auto", n_images=2000, **options):
    """What the term vectors are, in words, and a `Scored` for each case and each of the ``maps``.

    ``maps`` is ``{name: mapping or None}`` as of `TermRuns.fit`; ``options`` go to `term_runs`.
    """
    hierarchy, if_fewer = reading_hierarchy(lists, tree), reading_edges(lists, tree).if_fewer
    sets = label_sets(lists)
    whole = [wnid for wnid in sets["21K"].valid if wnid in hierarchy]
    labels = {name: sorted(set(row.valid).intersection(whole)) for name, row in sets.items()}
    settings = served(dataset, tuple(CASES))
    runs = [term_runs(setting, dataset, labels, n_images, **options) for setting in settings]
    phrase, space = term_space(lists, whole, terms, runs)
    found = []
    for setting, of in zip(settings, runs, strict=True):
        models = {method: of.fit(space, mapping=mapping) for method, mapping in maps.items()}
        for who, name in CASES[setting]:
            case, random = {"images": who, "label_set": name, "dataset": of.problem}, None
            for method, fitted in models.items():
                nearest = of.nearest(fitted, (who, name), 80)
                answers = [near.answers(20) for near in nearest]
                if random is None:  # the images and labels are the same for every map
                    drawn = zip(of.seeds, answers, strict=True)
                    drawn = [a.at_random(random_state=seed) for seed, a in drawn]
                    random = [a.hierarchical(hierarchy, _KS, if_fewer=if_fewer) for a in drawn]
                hp = [a.hierarchical(hierarchy, _KS, if_fewer=if_fewer) for a in answers]
                hits = [a.hits(_KS) for a in answers]
                found.append(Scored(case, method, nearest[-1], answers, hits, hp, random))
    return phrase, found


def case_counts(found):
    """Rows: labels that may be answered and images that are, in the last seed."""
    near = found.nearest
    for metric, value in (
        ("labels", len(near.lexicon.synsets)),
        ("labels without a term vector", len(near.lexicon.dropped)),
        ("images", len(near.gold)),
        ("images left out with them", near.left_out),
    ):
        yield found.case | {"metric": metric, "value": value}


def score_rows(found, tree):
    """Rows: hit@k, hp@k, and hp@k less that of labels drawn at random."""
    of = found.case | {"tree": tree}
    for k in (1, 5, 20):
        value = mean_estimate([h[:, k - 1] for h in found.hits])
        yield of | {"metric": "hit@k", "k": k, "method": found.method, "value": value}
    for k in (2, 5, 20):
        ours, chance = ([h[:, k - 1] for h in part] for part in (found.hp, found.random))
        for method, value in (
            (found.method, mean_estimate(ours)),
            ("random labels", mean_estimate(chance)),
            (f"{found.method} - random labels", paired_difference(ours, chance)),
        ):
            yield of | {"metric": "hp@k", "k": k, "method": method, "value": value}


def curve_rows(found):
    """Rows: mean hp@k of a map and of labels drawn at random, for each k and by ``case``."""
    who, name, problem = found.case.values()
    of = {"case": f"{problem.setting}:\n{who} among {name}"}
    for method, part in ((found.method, found.hp), ("random labels", found.random)):
        means = np.mean([hp.mean(axis=0) for hp in part], axis=0)
        for k, value in zip(_KS, means.tolist(), strict=True):
            yield of | {"k": k, "method": method, "value": value}


def other_tree(found, lists, tree, other, k=5):
    """Rows: hp@k of the same answers under another reading of the hierarchy."""
    hierarchy = reading_hierarchy(lists, other)
    ours = [hp[:, k - 1] for hp in found.hp]
    moved = [a.hierarchical(hierarchy, k)[:, 0] for a in found.answers]
    of = found.case | {"metric": "hp@k", "k": k, "method": found.method}
    yield of | {"tree": tree, "value": mean_estimate(ours)}
    yield of | {"tree": other, "value": mean_estimate(moved)}
    yield of | {"tree": f"{other} - {tree}", "value": paired_difference(moved, ours)}
