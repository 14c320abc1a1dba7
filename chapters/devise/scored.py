"""Answers to images scored flat and in the hierarchy, beside labels drawn at random."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from chapters.devise.correct_sets import reading_hierarchy
from chapters.devise.estimates import class_means, over_classes
from chapters.devise.systems import fit_systems
from chapters.devise.terms import term_runs, term_space
from zslib.arrays import to_host
from zslib.datasets import label_sets, reading_edges, served

__all__ = [
    "SCORED",
    "Scored",
    "case_counts",
    "curve_rows",
    "other_tree",
    "parted_told",
    "score_rows",
    "scored_answers",
]

SCORED = {
    "within 1K": [("seen", "trained"), ("unseen", "1K"), ("unseen", "21K")],
    "beyond 1K": [
        ("seen", "trained"),
        ("unseen", "2-hop"),
        ("unseen", "3-hop"),
        ("unseen", "21K"),
    ],
}
"""Images of which classes are answered, and the label set among which, by setting."""

_ERROR = "height of the common ancestor"
_KS = tuple(range(1, 21))


@dataclass(frozen=True, eq=False)
class Scored:
    """What the systems found for one case: hit@k and hp@k of each image for k = 1 to 20, by seed.

    ``hits``, ``hp`` and the Challenge's ``errors``, of seen classes only, are by system,
    ``answers`` those of ridge, ``chance`` is the hp@k of labels drawn at random, ``nearest`` are
    the terms of the last seed, ``first`` the answers of each system in the first.
    """

    case: dict
    nearest: object
    answers: list
    hits: dict
    hp: dict
    chance: list
    errors: dict
    first: dict = field(default_factory=dict)

    def telling_image(self, a, b, k=5):
        """The true label of the image whose hp@k of two systems differs most, and their answers.

        Answers are the first k, ``{system: labels}``.
        """
        image = int(np.argmax(self.hp[a][0][:, k - 1] - self.hp[b][0][:, k - 1]))
        found = {name: self.first[name] for name in (a, b)}
        answers = {
            name: [of.labels[i] for i in to_host(of.predictions)[image, :k].tolist() if i >= 0]
            for name, of in found.items()
        }
        return found[a].classes[image], answers


def scored_answers(dataset, lists, tree, *, terms="auto", n_images=2000, **options):
    """What the term vectors are, in words, a `Scored` for each case, and the chosen settings.

    ``options`` go to `term_runs`; the settings are by problem, as `fit_systems` gives them.
    """
    hierarchy, if_fewer = reading_hierarchy(lists, tree), reading_edges(lists, tree).if_fewer
    sets = label_sets(lists)
    whole = [wnid for wnid in sets["21K"].valid if wnid in hierarchy]
    labels = {name: sorted(set(row.valid).intersection(whole)) for name, row in sets.items()}
    settings = served(dataset, tuple(SCORED))
    runs = [term_runs(setting, dataset, labels, n_images, **options) for setting in settings]
    phrase, space = term_space(lists, whole, terms, runs)
    found, chosen = [], {}
    for setting, of in zip(settings, runs, strict=True):
        models, chosen[of.problem] = fit_systems(of, space, phrase)
        for who, name in SCORED[setting]:
            hits, hp, errors, shown = {}, {}, {}, {}
            for method, fitted in models.items():
                if method == "softmax" and name != "trained":
                    continue
                nearest = of.nearest(fitted, (who, name), 80)
                answers = [near.answers(20) for near in nearest]
                hits[method] = [a.hits(_KS) for a in answers]
                hp[method] = [a.hierarchical(hierarchy, _KS, if_fewer=if_fewer) for a in answers]
                if who == "seen":
                    errors[method] = [a.challenge_error(hierarchy)[:, None] for a in answers]
                shown[method] = answers[0]
                if method == "ridge":
                    near, first = nearest[-1], answers
            chance = [a.chance(hierarchy, _KS, if_fewer=if_fewer) for a in first]
            case = {"images": who, "label_set": name, "dataset": of.problem}
            found.append(Scored(case, near, first, hits, hp, chance, errors, shown))
    return phrase, found, chosen


def case_counts(found):
    """Rows: labels that may be answered, classes and images that are, in the last seed."""
    near = found.nearest
    for metric, value in (
        ("labels", len(near.lexicon.synsets)),
        ("labels without a term vector", len(near.lexicon.dropped)),
        ("classes of images", len(np.unique(near.classes))),
        ("images", len(near.gold)),
        ("images left out with them", near.left_out),
    ):
        yield found.case | {"metric": metric, "value": value}


def score_rows(found, tree):
    """Rows: hit@k, hp@k and error of each system, and what DeViSE has more than each other.

    The error is the Challenge's, over the first five answers to seen classes. Among unseen
    classes hp@k is also less that of labels drawn at random.
    """
    of, base = found.case | {"tree": tree}, "DeViSE"
    seen = found.case["images"] == "seen"
    ks = {"hit@k": (1, 5) if seen else (5, 20), "hp@k": (2, 5, 10, 20) if seen else (5, 20)}
    ks[_ERROR] = (5,)
    for metric, scores in (("hit@k", found.hits), ("hp@k", found.hp), (_ERROR, found.errors)):
        for k in ks[metric]:
            column = 0 if metric == _ERROR else k - 1
            own = {name: [s[:, column] for s in part] for name, part in scores.items()}
            pairs = {name: (name, None) for name in own}
            pairs |= {f"{base} - {name}": (base, name) for name in own if name != base}
            if metric == "hp@k" and not seen:
                pairs |= {f"{name} - random labels": (name, "random labels") for name in own}
                own["random labels"] = [s[:, k - 1] for s in found.chance]
            for method, (a, b) in pairs.items():
                value = over_classes(own[a], found.answers, minus=own[b] if b else None)
                yield of | {"metric": metric, "k": k, "method": method, "value": value}


def curve_rows(found):
    """Rows: mean hp@k of each system and of labels drawn at random, for each k and by ``case``."""
    who, name, problem = found.case.values()
    of = {"case": f"{problem.setting}:\n{who} among {name}"}
    for method, part in (found.hp | {"random labels": found.chance}).items():
        for k, value in zip(_KS, class_means(part, found.answers).tolist(), strict=True):
            yield of | {"k": k, "method": method, "value": value}


def other_tree(answered, lists, tree, other, k=5):
    """Rows: the tested classes that two readings part, and hp@k of ridge's answers under both.

    ``answered`` are the `Scored` of all cases. Parted are classes whose correct sets differ in
    size. Where there is none, hp@k cannot differ, and is not compared.
    """
    trees = [reading_hierarchy(lists, name) for name in (tree, other)]
    for found in answered:
        yield from _two_trees(found, trees, (tree, other), k)


def _two_trees(found, trees, names, k):
    """Rows of `other_tree` of one case."""
    tree, other = names
    tested, parted = set(), set()
    for a in found.answers:
        sizes, others = (a.set_sizes(graph, k, if_fewer="all")[:, 0] for graph in trees)
        tested.update(a.classes.tolist())
        parted.update(a.classes[sizes != others].tolist())
    of = found.case | {"k": k}
    yield of | {"metric": "tested classes", "value": len(tested)}
    yield of | {"metric": "tested classes with another correct set", "value": len(parted)}
    if parted:
        of |= {"metric": "hp@k", "method": "ridge"}
        ours = [hp[:, k - 1] for hp in found.hp["ridge"]]
        moved = [a.hierarchical(trees[1], k, if_fewer="all")[:, 0] for a in found.answers]
        yield of | {"tree": tree, "value": over_classes(ours, found.answers)}
        yield of | {"tree": other, "value": over_classes(moved, found.answers)}
        value = over_classes(moved, found.answers, minus=ours)
        yield of | {"tree": f"{other} - {tree}", "value": value}


def parted_told(rows):
    """In how many tested classes `other_tree` can tell two readings apart, in a sentence."""
    counts = {}
    for row in rows:
        case = f"{row['setting']}: {row['images']} among {row['label_set']}"
        counts.setdefault(case, {})[row["metric"]] = row["value"]
    some = [
        f"{parted} of {found['tested classes']}"
        for found in counts.values()
        if (parted := found["tested classes with another correct set"])
    ]
    if not some:
        return "No class that is tested here has another correct set."
    told = f"By row, {', '.join(some)} classes have another correct set"
    return told + ("; where none has, there is no row." if len(some) < len(counts) else ".")
