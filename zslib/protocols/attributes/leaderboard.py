"""Many zero-shot scorers on many data sets, and every measure of each."""

from concurrent.futures import as_completed

import numpy as np
from sklearn.metrics import confusion_matrix
from threadpoolctl import threadpool_limits

from zslib.protocols import choices
from zslib.protocols.attributes.comparison import hub_measures, pollution_measure
from zslib.protocols.attributes.intervals import zero_shot_measures
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, resolve_methods
from zslib.protocols.attributes.runs import run_table
from zslib.protocols.intervals import over_runs, statistic_over_classes


def board_systems(asked):
    """Names of systems: those ``asked`` for, "A+B", or with "auto" all but ablations of one."""
    if asked != "auto":
        return asked.split("+")
    return [name for name in ZERO_SHOT_METHODS if name not in ("DARK-L", "DARK-H")]


def run_board(methods, problems, seeds=(0,), *, executor=None, share=None, ended=None, **options):
    """Tune, train and test every method on every problem, one after the other or at once.

    Results are kept on disk candidate by candidate, so that a run that was stopped goes on where
    it was. Each training has one thread: its seconds compare, and its bits do not depend on how
    many run at once. An ``executor`` of `concurrent.futures` runs each method on each problem as
    one task, which is given ``share(problem)`` where the executor moves data by itself;
    ``ended(method, problem)`` is called as each ends; ``options`` are of `run_zero_shot`.

    Returns ``{problem: {method: [ZeroShotRun]}}``, in the order given, and ``{problem: {method:
    why}}`` of those that no setting could train, or that raised another error than the machine's
    own (OSError, MemoryError).
    """
    methods = resolve_methods(methods)
    tasks = {}
    for problem in problems:
        given = share(problem) if share else problem
        for method in methods:
            tasks[problem, method.name] = method, given, list(seeds), options
    results, store = {}, choices.in_use()
    for (problem, name), result in _results(tasks, executor, store):
        results[problem, name] = result
        if ended is not None:
            ended(name, problem)
    runs, failed = ({p: {} for p in problems} for _ in range(2))
    for problem, name in tasks:
        result, chosen = results[problem, name]
        (failed if isinstance(result, str) else runs)[problem][name] = result
        if chosen is not store:
            store.join(chosen)
    return runs, failed


def _results(tasks, executor, store):
    if executor is None:
        yield from ((key, _entry(*task, store)) for key, task in tasks.items())
        return
    waiting = {executor.submit(_entry, *task, store): key for key, task in tasks.items()}
    for future in as_completed(waiting):
        yield waiting[future], future.result()


def _entry(method, problem, seeds, options, store):
    """The runs of one method on one problem, or why there are none; and this process's choices."""
    if store is not choices.in_use():
        choices.install(store)
    try:
        with threadpool_limits(1):
            return run_table([method], problem, seeds, **options)[method.name], store
    except ValueError as error:
        return str(error), store
    except (OSError, MemoryError):  # of the machine: the same system succeeds elsewhere
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}", store


def board_measures(**resamples):
    """The leaderboard's columns: measures of runs for `book.Chapter.measure`, by name.

    Seen, unseen, H and pollution are under the gamma that validation chose. Hubs are unseen
    classes among the first answers to their test images: the largest over the mean, and the
    skewness. ``resamples`` are options of `zero_shot_estimate`.
    """
    hubs = hub_measures()
    return {
        **zero_shot_measures(("ACC", "unseen", "seen", "H", "AUSUC"), **resamples),
        "largest hub": hubs["largest hub over the mean, unseen"],
        "skewness of N_1": hubs["skewness of N_1, unseen"],
        "pollution": pollution_measure("chosen"),
        "seconds": over_runs(lambda run: run.outcome.cost["seconds"], same_items=False),
        "numbers kept": over_runs(lambda run: run.outcome.cost["numbers"], same_items=True),
    }


def error_shares(outcome):
    """Shares of the wrong answers on each unseen class that go to each other one, (C, C).

    Unseen classes compete alone for their images. Without a wrong answer a row is zero.
    """
    classes = np.flatnonzero(~outcome.is_seen)
    answered = outcome.labels("ACC"), outcome.predictions("ACC")
    errors = confusion_matrix(*answered, labels=classes)
    np.fill_diagonal(errors, 0)
    return errors / np.maximum(errors.sum(axis=1, keepdims=True), 1)


def agreement_of_errors(shares, times=None):
    r"""How often wrong answers on two classes agree, divided by how often even errors would.

    With :math:`e_{cj}` the share of the wrong answers to images of class :math:`c` that name
    class :math:`j`,

    .. math:: \frac{(C - 1)^2}{C - 2} \operatorname*{mean}_{c \ne d} \sum_j e_{cj} e_{dj}

    It is one where errors are even, or fewer than two classes have any, and large where a few
    classes, hubs, take the errors of many others. Right answers play no part, whereas the largest
    hub is the smaller the more answers are right. ``shares`` (C, C) are `error_shares`; ``times``
    (C,) says how often each class counts where they are resampled; none is compared with itself.

    Examples
    --------
    >>> even = (1 - np.eye(4)) / 3
    >>> round(agreement_of_errors(even), 12)
    1.0
    >>> hub = np.eye(4)[[1, 0, 0, 0]]  # all that is not of the first class is taken for it
    >>> agreement_of_errors(hub)
    2.25
    """
    n = len(shares)
    counted = np.ones(n) if times is None else times
    counted = counted * (shares.sum(axis=1) > 0)
    pairs = counted.sum() ** 2 - np.square(counted).sum()
    if pairs == 0:
        return 1.0
    same = np.square(counted @ shares).sum() - np.square(counted) @ np.square(shares).sum(axis=1)
    return float(same / pairs * (n - 1) ** 2 / max(n - 2, 1))


def agreement_measure(*, n_resamples=1000):
    """Measure of runs on one problem: `agreement_of_errors`, with classes resampled, then runs."""

    def estimate(runs, minus=None):
        ours = [error_shares(run.outcome) for run in runs]
        others = [error_shares(run.outcome) for run in minus or ()]
        others *= len(ours) if len(others) == 1 else 1  # a closed form serves all seeds
        n_classes = len(ours[0])

        def value(run, classes):
            times = np.bincount(classes, minlength=n_classes)
            less = agreement_of_errors(others[run], times) if others else 0.0
            return agreement_of_errors(ours[run], times) - less

        return statistic_over_classes(value, len(ours), n_classes, n_resamples=n_resamples)

    return estimate
