"""A recipe on words and classes that chose nothing, and beside the best of all systems."""

from dataclasses import replace

import numpy as np

from zslib.arrays import like, unit_rows
from zslib.datasets.attributes.splits import class_parts, split_seen
from zslib.datasets.locate import require_folder
from zslib.datasets.mapping.dictionaries import read_dictionary
from zslib.datasets.words.vectors import europarl_vectors
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.intervals import Estimate, mean_estimate
from zslib.protocols.tidy import row

_METRICS = ("ACC", "H")
_LISTS = ("europarl.train.txt", "europarl.test.txt", "dinu.train.txt")
_LOOKED_UP = "opus.test.txt"
_TRAINED = {"europarl": _LISTS[0], "europarl_dinu": _LISTS[2]}


def on_unused_words(runs):
    """The same experiment, tested on the words of Europarl's lists that chose nothing.

    They have a vector, and are neither among the training pairs nor among the test words of the
    other chapters. Of other data it is the experiment as it is.
    """
    problem = runs.problem
    if problem.name not in _TRAINED:
        return runs
    folder = require_folder("crosslingual", None)
    lists = {name: read_dictionary(folder / name) for name in (*_LISTS, _LOOKED_UP)}
    used = {word for name in (_TRAINED[problem.name], _LOOKED_UP) for word, _ in lists[name]}
    source = europarl_vectors("en", folder=folder)
    rows = {word: place for place, word in enumerate(problem.target_words.tolist())}
    gold = {}
    for name in _LISTS:
        for word, answer in lists[name]:
            if word not in used and word in source.index and answer in rows:
                gold.setdefault(word, set()).add(rows[answer])
    words = sorted(gold, key=source.index.get)
    vectors = unit_rows(source.vectors[[source.index[word] for word in words]])
    other = replace(
        problem,
        description=f"{problem.description}, test words that chose nothing",
        X_test=like(vectors, problem.X_test),
        test_words=np.array(words),
        test_gold=tuple(np.array(sorted(gold[word])) for word in words),
        labels=None,
        coverage={**problem.coverage, "test words that chose nothing": len(words)},
    )
    return replace(runs, problems=[other] * len(runs.problems))


def other_splits(problem):
    """The problem with other unseen classes: each that was seen is unseen in one of its splits.

    The classes that were unseen are seen in all of them, and all images of an unseen class are
    tested. There are as many splits as keep the number of unseen classes about as it was.
    """
    rng = np.random.default_rng(0)
    seen, n_unseen = rng.permutation(problem.seen_classes), problem.unseen_classes.size
    n_splits = max(2, round(seen.size / n_unseen))
    for split in range(n_splits):
        unseen = np.sort(seen[split::n_splits])
        rest = np.setdiff1d(np.arange(problem.is_seen.size), unseen)
        train, val = split_seen(rest, problem.val_classes.size, seed=0)
        parts = class_parts(problem.labels, train, val, unseen)
        yield replace(problem, name=f"{problem.name} split {split}", **parts)


def on_other_classes(methods, problem, **options):
    """Rows: ACC of methods over all classes of `other_splits`, and of the first over each other.

    Intervals draw classes.
    """
    found = {method.name: [] for method in methods}
    for split in other_splits(problem):
        for method in methods:
            run = run_zero_shot(method, split, **options)
            found[method.name].append(run.outcome.class_accuracies("ACC"))
    values = {name: np.concatenate(of) for name, of in found.items()}
    first, *others = values
    values |= {f"{first} - {name}": values[first] - values[name] for name in others}
    for name, each in values.items():
        value = mean_estimate([each], same_items=True, unit="classes")
        yield row(problem, "ACC, other classes", name, value)


def best_on_board(records, problems, label):
    """Rows of each metric's best system of the leaderboard's ``records``, by data set.

    ``label`` gives the short name of a problem. Methods are told as "best: name".
    """
    for problem in problems:
        for metric in _METRICS:
            systems = [
                r
                for r in records
                if (r.get("dataset"), r["metric"]) == (problem.name, metric)
                and r.get("calibration") == "chosen"
            ]
            if systems:
                best = max(systems, key=lambda r: r["value"])
                name = f"best by {metric}: {best['method']}"
                yield row(label(problem), metric, name, Estimate.of(best))


def leads_told(results, recipe):
    """On how many data sets the recipe is above the best of the board, in a sentence."""
    said = []
    for metric in _METRICS:
        here = results.only(metric=metric)
        leads = [
            here.value(dataset=row["dataset"], method=recipe).mean > row["value"].mean
            for row in here
            if row["method"].startswith("best by ")
        ]
        if leads:
            said.append(f"in {metric} on {sum(leads)} of {len(leads)}")
    return f"Of the data sets with a leaderboard the recipe leads {', '.join(said)}." * bool(said)
