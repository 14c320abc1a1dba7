"""CLAREL beside a baseline on mean texts: choices, levels of texts, retrieval, hubs."""

from itertools import product

import numpy as np
from sklearn.base import clone

from book.papers import printed_table
from chapters.clarel.baseline import run_mean_texts, with_class_texts
from zslib.compatibility import CLAREL, ESZSL
from zslib.metrics import k_skewness
from zslib.protocols.attributes.methods import ZeroShotMethod
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.pairs.runs import run_clarel, run_image_text
from zslib.protocols.sweep import best_that_trains
from zslib.protocols.tidy import row
from zslib.show.tables import NOT_PRINTED

OWN, OF_CLASS = "own texts", "texts of the class"
DRAWS = {"one text at a time": 1, "ten texts at a time": CLAREL().texts_per_image}
"""Texts of an image that are averaged in a batch: one, and as many as the paper has."""
BUDGETS = {"a tenth": 0.1, "a third": 1 / 3, "in full": 1.0}
"""Batches of a training over those of the chapter's others."""


def rival_runs(p, others="", *, quick=False, **options):
    """`run_mean_texts` of ESZSL and of the ``others``, "A+B", by name.

    ESZSL has the grid of both penalties that suits mean texts.
    """
    penalties = tuple(10.0**e for e in range(-3, 4, 2 if quick else 1))
    grid = {"feature_penalty": penalties, "embedding_penalty": penalties}
    own = {"ESZSL": ZeroShotMethod("ESZSL", ESZSL, grid)}
    systems = own | {name: own.get(name, name) for name in others.split("+") if name}
    return {name: run_mean_texts(system, p, **options) for name, system in systems.items()}


def best_other(rivals, measure):
    """The rival whose chosen parameters have the most of "H" or "ACC" on validation data."""
    return max(rivals, key=lambda name: rivals[name][1][measure])


def known_text_share(p):
    """Seen test images, in percent, one of whose texts a training image of the class has too."""
    if p.level != "image":
        return None

    images = zip(p.labels, p.image_texts, strict=True)
    own = [{(label, text) for text in p.text_ids[texts]} for label, texts in images]
    known = set().union(*(own[i] for i in p.trainval))
    shared = [bool(own[i] & known) for i in p.test_seen if own[i]]
    return 100 * float(np.mean(shared)) if shared else None


def printed_rows():
    """Tables 1 and 2 of the paper, as rows."""
    gzsl, zsl = (printed_table("clarel", table) for table in ("table1", "table2"))
    shorts = {"unseen": "u", "seen": "s", "H": "H"}
    for data in ("CUB", "FLOWERS"):
        paper = f"{data} (paper)"
        for (method, cells), (metric, short) in product(gzsl.items(), shorts.items()):
            if data in cells:
                yield row(paper, metric, method, cells[data].get(short, NOT_PRINTED))
        for method, cells in zsl.items():
            yield row(paper, "ACC", method, cells[data])


def size_line(p):
    """Line of a table: what texts are of, classes, images, texts, and `known_text_share`."""
    s = p.summary()
    classes = f"{s['seen_classes']} and {s['unseen_classes']}"
    tested = s["test_seen_samples"] + s["unseen_samples"]
    level = "images" if p.level == "image" else "classes"
    return [level, classes, s["train_seen_samples"], tested, s["texts"], known_text_share(p)]


def rate_rows(runs):
    """H on validation data with each learning rate: "failed", or None where it was not tried.

    ``runs`` is {problem: {name: run}}; H is the mean over the trainings of the choice.
    """
    tried = {
        (p, name): {t["parameters"]["learning_rate"]: t.get("H", "failed") for t in run.trials}
        for p, named in runs.items()
        for name, run in named.items()
    }
    rates = sorted(set().union(*tried.values()))
    for (p, name), rate in product(tried, rates):
        yield row(p, "validation H", name, tried[p, name].get(rate), learning_rate=rate)


def level_runs(problem, seeds, n_batches, **options):
    """Test outcomes of CLAREL with own texts and with texts of the class, by draw and budget.

    ``{(draw, budget): {"own texts": outcomes, "texts of the class": outcomes}}``: a training
    image draws texts in each batch, of its own or of any training images of its class; equal
    texts alone are left out of the negatives. Texts are pooled after the validation split, so
    that none of a held-out image is used. The learning rates, best first, are those of trainings
    with ``n_batches`` on validation data.
    """
    held = problem.validation_problem()
    data = {OWN: (problem, held)}
    data[OF_CLASS] = tuple(with_class_texts(p) for p in (problem, held))
    found = {}
    for (draw, texts), (kind, (p, held_out)) in product(DRAWS.items(), data.items()):
        own = options | {"held_out": held_out, "retrieval": False}
        run = run_clarel(p, seeds, n_batches=n_batches, changes={"texts_per_image": texts}, **own)
        for budget, share in BUDGETS.items():
            n = batches_of(budget, n_batches)
            again = run if share == 1.0 else _at_length(run, p, seeds, n, **own)
            found.setdefault((draw, budget), {})[kind] = again.outcomes()
    return found


def _at_length(run, problem, seeds, n_batches, **options):
    """The run with another number of batches, at the best of its rates that trains.

    With few of them it may not have learned anything yet, which is an answer too.
    """
    options["must_learn"] = False

    def train(parameters):
        size = {"n_batches": n_batches, "decay_every": 4 * n_batches // 5}
        model = clone(run.model).set_params(**size, **parameters)
        return run_image_text(model, problem, seeds, **options)

    return best_that_trains(run.trials, "H", train, f"{problem.name}, {n_batches} batches")[1]


def batches_of(budget, n_batches):
    """The number of batches of one of `BUDGETS`."""
    return max(5, round(BUDGETS[budget] * n_batches))


def retrieval_rows(problem, run):
    """Recall and median rank in both directions, and R@1 of images less chance."""
    for direction in ("image to text", "text to image"):
        for measure in ("R@1", "R@10", "median rank"):
            value = run.retrieval(measure, direction)
            yield row(problem, measure, "CLAREL", value, direction=direction)
        chance = run.test[0].retrieval.chance[direction]
        yield row(problem, "R@1 by chance", "CLAREL", chance, direction=direction)
        if direction == "image to text" and problem.level == "image":
            value = run.retrieval("R@1", direction) - chance
            yield row(problem, "R@1 of own text above chance", "CLAREL", value)


def answer_counts(problem, outcome):
    """N_1 of each unseen class among the test images of unseen classes."""
    return outcome.occurrence("unseen")[problem.unseen_classes]


def true_counts(problem):
    """Test images of each unseen class."""
    labels = problem.labels[problem.test_unseen]
    return np.bincount(labels, minlength=problem.is_seen.size)[problem.unseen_classes]


def hub_rows(problem, outcomes):
    """How test images fall on the prototypes of unseen classes; ``outcomes`` is {method: list}."""
    measures = {
        "skewness of N_1": k_skewness,
        "largest N_1 over fair share": lambda counts: counts.max() / counts.mean(),
        "prototypes never nearest, %": lambda counts: 100 * np.mean(counts == 0),
    }
    skewness, largest, _ = measures
    true = {metric: measures[metric](true_counts(problem)) for metric in (skewness, largest)}
    for metric, value in true.items():
        yield row(problem, f"true {metric}", "images", value)
    for method, repeats in outcomes.items():
        counts = [answer_counts(problem, outcome) for outcome in repeats]
        for metric, measure in measures.items():
            yield row(problem, metric, method, mean_estimate([measure(c) for c in counts]))
        if method == "CLAREL":
            excess = mean_estimate([k_skewness(c) - true[skewness] for c in counts])
            yield row(problem, "skewness of N_1 less the true one", method, excess)


def ranked_counts(problem, outcomes):
    """Sorted N_1 of unseen classes, true and as answered with the first seed: rows to draw."""
    counts = {"images of the class": true_counts(problem)}
    counts |= {method: answer_counts(problem, first) for method, (first, *_) in outcomes.items()}
    for method, values in counts.items():
        for place, value in enumerate(np.sort(values)[::-1], 1):
            yield row(problem, "N_1", method, int(value), rank=place)
