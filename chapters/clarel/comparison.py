"""CLAREL beside a baseline on mean texts: choices, levels of texts, retrieval, hubs."""

import numpy as np

from book.papers import printed_table
from chapters.clarel.baseline import run_mean_texts, with_class_texts
from zslib.compatibility import ESZSL
from zslib.metrics import k_skewness
from zslib.protocols.attributes.methods import ZeroShotMethod
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.pairs.runs import run_clarel
from zslib.protocols.tidy import row
from zslib.show.tables import NOT_PRINTED


def eszsl_baseline(quick):
    """ESZSL with the grid of both penalties that suits mean texts."""
    penalties = tuple(10.0**e for e in range(-3, 4, 2 if quick else 1))
    grid = {"feature_penalty": penalties, "embedding_penalty": penalties}
    return ZeroShotMethod("ESZSL", ESZSL, grid)


def tested_outcomes(p, clarel, baseline, others="", **options):
    """Outcomes of CLAREL, of the baseline and of the ``others``, "A+B", on mean texts, by name.

    ESZSL is the baseline, and not trained again where it is named.
    """
    outcomes = {"CLAREL": clarel.outcomes(), "ESZSL": [baseline.outcome]}
    for name in others.split("+") if others else ():
        if name in outcomes:
            continue
        outcomes[name] = [run_mean_texts(name, p, **options).outcome]
    return outcomes


def known_text_share(p):
    """Seen test images, in percent, one of whose texts a training image of the class has too."""
    if p.level != "image":
        return None

    def own(i):
        rows = p.text_index[p.text_offsets[i] : p.text_offsets[i + 1]]
        return {(p.labels[i], text) for text in p.text_ids[rows]}

    known = set().union(*map(own, p.trainval))
    shared = [bool(own(i) & known) for i in p.test_seen if own(i)]
    return 100 * float(np.mean(shared)) if shared else None


def printed_rows():
    """Tables 1 and 2 of the paper, as rows."""
    gzsl, zsl = (printed_table("clarel", table) for table in ("table1", "table2"))
    shorts = {"unseen": "u", "seen": "s", "H": "H"}
    for data in ("CUB", "FLOWERS"):
        paper = f"{data} (paper)"
        for method, cells in gzsl.items():
            for metric, short in shorts.items():
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
        (p, name): {trial["parameters"]["learning_rate"]: trial for trial in run.trials}
        for p, named in runs.items()
        for name, run in named.items()
    }
    rates = sorted(set().union(*tried.values()))
    for (p, name), trials in tried.items():
        for rate in rates:
            value = trials[rate].get("H", "failed") if rate in trials else None
            yield row(p, "validation H", name, value, learning_rate=rate)


def level_runs(problem, seeds, run, **options):
    """Test outcomes of CLAREL with texts of images and with texts of their class.

    A training image draws one text in each batch: one of its own, or any of the training images
    of its class. The third has as many texts at a time as the original, and no negatives of the
    class. ``run``, CLAREL as it is, is the first where images have one text each anyway. Texts
    are pooled after the validation split, so that none of a held-out image is used.
    """
    held, one = problem.validation_problem(), {"texts_per_image": 1}
    alike = problem.summary()["texts_per_image"] == 1
    single = run if alike else run_clarel(problem, seeds, changes=one, **options)
    pooled, suited = (
        run_clarel(
            with_class_texts(problem, own_ids=own_ids), seeds, changes=changes,
            held_out=with_class_texts(held, own_ids=own_ids), **options,
        )
        for own_ids, changes in ((True, one), (False, None))
    )  # fmt: skip
    return {
        "CLAREL, texts of images": single.outcomes(),
        "CLAREL, texts of classes": pooled.outcomes(),
        "CLAREL, texts of classes, more drawn, no negatives of the class": suited.outcomes(),
    }


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
    true = k_skewness(true_counts(problem))
    yield row(problem, "true skewness of N_1", "images", true)
    measures = {
        "skewness of N_1": k_skewness,
        "largest N_1 over fair share": lambda counts: counts.max() / counts.mean(),
        "prototypes never nearest, %": lambda counts: 100 * np.mean(counts == 0),
    }
    for method, repeats in outcomes.items():
        counts = [answer_counts(problem, outcome) for outcome in repeats]
        for metric, measure in measures.items():
            yield row(problem, metric, method, mean_estimate([measure(c) for c in counts]))
        if method == "CLAREL":
            excess = mean_estimate([k_skewness(c) - true for c in counts])
            yield row(problem, "skewness of N_1 less the true one", method, excess)


def ranked_counts(problem, outcomes):
    """Sorted N_1 of unseen classes, true and as answered with the first seed: rows to draw."""
    counts = {"images of the class": true_counts(problem)}
    counts |= {method: answer_counts(problem, first) for method, (first, *_) in outcomes.items()}
    for method, values in counts.items():
        for place, value in enumerate(np.sort(values)[::-1], 1):
            yield row(problem, "N_1", method, int(value), rank=place)
