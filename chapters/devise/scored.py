"""Answers to images scored flat and in the hierarchy, beside labels drawn at random."""

import numpy as np

from chapters.devise.correct_sets import reading_hierarchy
from chapters.devise.estimates import class_means, compared, metric_rows
from chapters.devise.systems import fit_systems
from chapters.devise.terms import term_runs, term_space
from zslib.arrays import to_host
from zslib.datasets import label_sets, reading_edges, served

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


class Scored:
    """What the systems found for one case: hit@k and hp@k of each image for k = 1 to 20, by seed.

    ``answers`` are by system, and so are ``hits``, ``hp`` and the Challenge's ``errors``, of seen
    classes only; ``chance`` is the hp@k of labels drawn at random, ``nearest`` are ridge's terms
    of the last seed.
    """

    def __init__(self, case, nearest, hierarchy, if_fewer):
        self.case, self.nearest = case, nearest["ridge"][-1]
        self.answers = {
            system: [near.answers(20) for near in seeds] for system, seeds in nearest.items()
        }
        walk = {"hierarchy": hierarchy, "ks": _KS, "if_fewer": if_fewer}
        self.hits = self._by_system(lambda a: a.hits(_KS))
        self.hp = self._by_system(lambda a: a.hierarchical(**walk))
        self.chance = [a.chance(**walk) for a in self.answers["ridge"]]
        self.errors = {}
        if case["images"] == "seen":
            self.errors = self._by_system(lambda a: a.challenge_error(hierarchy)[:, None])

    def _by_system(self, score):
        return {system: [score(a) for a in seeds] for system, seeds in self.answers.items()}

    def telling_image(self, a, b):
        """The true label of the image whose hp@5 of two systems differs most, and their answers.

        Answers are the first 5, ``{system: labels}``.
        """
        image = int(np.argmax(self.hp[a][0][:, 4] - self.hp[b][0][:, 4]))
        answers = {}
        for name in (a, b):
            first = self.answers[name][0]
            places = to_host(first.predictions)[image, :5].tolist()
            answers[name] = [first.labels[place] for place in places if place >= 0]
        return first.classes[image], answers


def scored_answers(dataset, lists, tree, *, terms, n_images, **options):
    """What the term vectors are, in words, a `Scored` for each case, and the chosen settings.

    ``options`` go to `term_runs`; the settings are by problem, as `fit_systems` gives them.
    """
    hierarchy, if_fewer = reading_hierarchy(lists, tree), reading_edges(lists, tree).if_fewer
    sets = label_sets(lists)
    whole = [wnid for wnid in sets["21K"].valid if wnid in hierarchy]
    labels = {name: sorted(set(row.valid).intersection(whole)) for name, row in sets.items()}
    settings = served(dataset, tuple(SCORED))
    runs = {
        setting: term_runs(setting, dataset, labels, n_images, **options) for setting in settings
    }
    phrase, space = term_space(lists, whole, terms, runs.values())
    scored, chosen = [], {}
    for setting, experiment in runs.items():
        models, chosen[experiment.problem] = fit_systems(experiment, space, phrase)
        for who, name in SCORED[setting]:
            nearest = {
                method: experiment.nearest(fitted, (who, name), 80)
                for method, fitted in models.items()
                if method != "softmax" or name == "trained"
            }
            case = {"images": who, "label_set": name, "dataset": experiment.problem}
            scored.append(Scored(case, nearest, hierarchy, if_fewer))
    return phrase, scored, chosen


def case_counts(scored):
    """Rows: labels that may be answered, classes and images that are, in the last seed."""
    near = scored.nearest
    counts = {
        "labels": len(near.lexicon.synsets),
        "labels without a term vector": len(near.lexicon.dropped),
        "classes of images": len(np.unique(near.classes)),
        "images": len(near.gold),
        "images left out with them": near.left_out,
    }
    yield from metric_rows(counts, **scored.case)


def score_rows(scored, tree):
    """Rows: hit@k, hp@k and error of each system, and what DeViSE has more than each other.

    The error is the Challenge's, over the first five answers to seen classes. Among unseen
    classes hp@k is also less that of labels drawn at random.
    """
    seen = scored.case["images"] == "seen"
    hit_ks, hp_ks = ((1, 5), (2, 5, 10, 20)) if seen else ((5, 20), (5, 20))
    columns = [("hit@k", scored.hits, k, k - 1) for k in hit_ks]
    columns += [("hp@k", scored.hp, k, k - 1) for k in hp_ks]
    columns += [(_ERROR, scored.errors, 5, 0)]
    for metric, scores, k, column in columns:
        values = {name: [seed[:, column] for seed in seeds] for name, seeds in scores.items()}
        minus = [("DeViSE", name) for name in values if name != "DeViSE"]
        methods = list(values)
        if metric == "hp@k" and not seen:
            minus += [(name, "random labels") for name in values]
            values["random labels"] = [seed[:, column] for seed in scored.chance]
        yield from compared(
            values, scored.answers["ridge"], minus,
            methods=methods, metric=metric, k=k, tree=tree, **scored.case,
        )  # fmt: skip


def relative_rows(scored, tree):
    """Rows: what DeViSE improves on the softmax, in percent of the softmax's mean, with k = 5.

    Of hp@5 and of the Challenge's error, which is better where it is lower, and how much less the
    one improves than the other. Of seen classes alone, and only where the softmax makes an error.
    """
    answers, gains = scored.answers["ridge"], {}
    if not scored.errors or not class_means(scored.errors["softmax"], answers)[0]:
        return
    for name, scores, column, sign in (
        ("hp@5", scored.hp, 4, 1),
        ("height", scored.errors, 0, -1),
    ):
        ours, theirs = ([of[:, column] for of in scores[m]] for m in ("DeViSE", "softmax"))
        whole = class_means([of[:, None] for of in theirs], answers)[0]
        gains[name] = [sign * 100.0 * (a - b) / whole for a, b in zip(ours, theirs, strict=True)]
    columns = scored.case | {"metric": "improvement, % of the softmax", "k": 5, "tree": tree}
    yield from compared(gains, answers, [("height", "hp@5")], **columns)


def curve_rows(scored):
    """Rows: mean hp@k of each system and of labels drawn at random, for each k and by ``case``."""
    who, name, problem = scored.case.values()
    case = f"{problem.setting}:\n{who} among {name}"
    for method, seeds in (scored.hp | {"random labels": scored.chance}).items():
        means = class_means(seeds, scored.answers["ridge"]).tolist()
        for k, value in zip(_KS, means, strict=True):
            yield {"case": case, "k": k, "method": method, "value": value}


def other_tree(scored, lists, tree, other):
    """Rows: the tested classes that two readings part, and hp@5 of ridge's answers under both.

    ``scored`` are those of all cases. Parted are classes whose correct sets differ in size. Where
    there is none, hp@5 cannot differ, and is not compared.
    """
    trees = [reading_hierarchy(lists, name) for name in (tree, other)]
    for case in scored:
        ridge, tested, parted = case.answers["ridge"], set(), set()
        for answers in ridge:
            sizes, others = (answers.set_sizes(graph, 5, if_fewer="all")[:, 0] for graph in trees)
            tested.update(answers.classes.tolist())
            parted.update(answers.classes[sizes != others].tolist())
        counts = {
            "tested classes": len(tested),
            "tested classes with another correct set": len(parted),
        }
        yield from metric_rows(counts, k=5, **case.case)
        if parted:
            hp = {
                tree: [hp[:, 4] for hp in case.hp["ridge"]],
                other: [a.hierarchical(trees[1], 5, if_fewer="all")[:, 0] for a in ridge],
            }
            columns = case.case | {"metric": "hp@k", "k": 5}
            for row in compared(hp, ridge, [(other, tree)], **columns):
                yield row | {"tree": row["method"], "method": "ridge"}
