"""The text network of CLAREL's Appendix D on a machine's budget, beside the mean of words."""

import math
from functools import partial

from zslib.compatibility import CLAREL, clarel_settings
from zslib.datasets.entry import PAIRS
from zslib.datasets.registry import resolve
from zslib.protocols.attributes.training import trainings
from zslib.protocols.pairs.runs import clarel_problems, image_text_trials, run_clarel
from zslib.protocols.tidy import row

MEAN_OF_WORDS, NETWORK = "CLAREL, mean of words", "CLAREL, network"
RATES = {"learning_rate": (0.03, 0.1, 0.3)}
"""Around the printed step size."""
GUESS = math.log(CLAREL().batch_size)
"""Either retrieval loss of a model that knows nothing."""


def network_run(problem, seeds, *, n_batches, n_short=100, **options):
    """`ImageTextRuns` of the network of Appendix D, with fewer batches than printed.

    The learning rate is the one whose trainings of ``n_short`` batches have the largest H on
    validation classes; it falls twice, as the printed one does.
    """
    changes = {"n_batches": n_batches, "decay_every": n_batches // 3, "log_every": 50}
    short = CLAREL(**clarel_settings("paper") | {"n_batches": n_short, "log_every": n_short // 5})
    trials = image_text_trials(short, problem, RATES, **options)
    best = max(trials, key=lambda trial: trial.get("H", -math.inf))
    changes |= best["parameters"]
    return run_clarel(problem, seeds, training="paper", changes=changes, **options)


def read_sizes(sizes):
    """Pairs of data set and number of batches from "ikea:3000+cub:500"."""
    pairs = []
    for part in sizes.split("+") if sizes else ():
        name, _, n = part.rpartition(":")
        if not (name and n.isdecimal() and int(n)):
            raise ValueError(
                f"network={sizes!r}: each data set needs its batches, as in 'ikea:3000'"
            )
        resolve(PAIRS, name)
        pairs.append((name, int(n)))
    return pairs


def network_problems(sizes, problems, *, seed, quick=False):
    """What the network is trained on: of some of the ``problems`` the whole one, and its batches.

    ``sizes`` are data sets with their numbers of batches, "ikea:3000+cub:500", or nothing.
    """
    asked, named = {}, {p.name: p for p in problems}
    for name, n in read_sizes(sizes):
        for whole in clarel_problems(name, training="paper", seed=seed, quick=quick):
            if whole.name not in named:
                raise ValueError(
                    f"network={sizes!r}: {name} is not among the data of this run, which has "
                    f"{', '.join(named)}: name it in dataset too"
                )
            asked[named[whole.name]] = whole, n
    return asked


def network_runs(asked, runs, seed, *, quick=False, device="cpu"):
    """For each of the `network_problems` its run in ``runs``, and that of the network.

    A quick run has at most 20 batches. Data on which no rate taught it anything come second, with
    why.
    """

    def train(p):
        whole, n = asked[p]
        size = {"n_batches": min(n, 20), "n_short": 10} if quick else {"n_batches": n}
        network = network_run(whole, [seed], **size, device=device, must_learn=not quick)
        return {MEAN_OF_WORDS: runs[p], NETWORK: network}

    trained, failed = trainings({p: partial(train, p) for p in asked})
    return trained, {p.name: why for p, why in failed.items()}


def size_rows(problem, runs):
    """Parameters, batches and step size of each of the `network_runs` of a problem."""
    for method, run in runs.items():
        yield row(problem, "parameters", method, run.test[0].n_parameters)
        yield row(problem, "batches", method, run.model.n_batches)
        yield row(problem, "learning rate", method, run.model.learning_rate)


def loss_rows(problem, run):
    """Both retrieval losses of the first seed's training along its batches."""
    for point in run.test[0].learning_curve:
        for loss in ("text_retrieval", "image_retrieval"):
            name = loss.replace("_", " ")
            yield row(problem, name, NETWORK, point[loss], batch=point["batch"])


def compared_sentences(differences, failed):
    """Which of the two reads texts better, by H, or why it is not known: a sentence for each.

    Examples
    --------
    >>> from book import Results
    >>> from zslib.protocols import Estimate
    >>> gain = {"dataset": "ikea", "metric": "H", "value": Estimate(2.0, 1.0, 3.0, 1)}
    >>> print(*compared_sentences(Results([gain]), {"cub": "all 3 failed"}), sep="\\n")
    On cub the network could not be trained: all 3 failed.
    On ikea the network reads better: H differs by +2.0 [+1.0, +3.0] points.
    """
    for name, why in failed.items():
        yield f"On {name} the network could not be trained: {why}."
    for difference in differences.only(metric="H"):
        gain = difference["value"]
        word = gain.side("reads better", "reads worse", "cannot be told from the mean of words")
        yield f"On {difference['dataset']} the network {word}: H differs by {gain:+.1f} points."
